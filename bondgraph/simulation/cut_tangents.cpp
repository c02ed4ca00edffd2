#include "bondgraph/simulation/cut_tangents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bondgraph/expression/execute.hpp"

namespace bondgraph::simulation {

using expression::chain_term, expression::Sloped, expression::Tape;

namespace {

/// A value with more entries than this is cut in any case.
constexpr std::size_t kWidest = 32;
constexpr std::uint8_t kNowhere = 255;
static_assert(3 * kWidest + 1 < kNowhere, "entries of a result are counted in a byte");

using Columns = std::vector<std::uint32_t>;

Columns united(const Columns& a, const Columns& b) {
    Columns all;
    all.reserve(a.size() + b.size());
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
}

/// How often each instruction's result is read, by instructions and as an output.
std::vector<std::uint32_t> count_uses(const Tape& tape) {
    constexpr std::uint32_t kInput = expression::kNoNode;
    std::vector<std::uint32_t> defined_by(tape.register_count(), kInput);
    const auto code = tape.instructions();
    std::vector<std::uint32_t> uses(code.size(), 0);
    const auto read = [&](std::uint32_t from) {
        if (defined_by[from] != kInput) ++uses[defined_by[from]];
    };
    for (std::uint32_t n = 0; n < code.size(); ++n) {
        for (const std::uint32_t from : code[n].operands()) read(from);
        defined_by[code[n].target] = n;
    }
    for (const std::uint32_t from : tape.output_registers()) read(from);
    return uses;
}

}  // namespace

/// Finds what depends on what, and decides on the cuts.
class CutTangents::Layout {
   public:
    Layout(CutTangents& owner, std::size_t wide)
        : o_(owner), wide_(wide), of_register_(owner.tape_->register_count()), uses_(count_uses(*owner.tape_)) {}

    void run() {
        for (const Seed& seed : o_.seeds_) of_register_[seed.input] = {seed.column};
        const auto code = o_.tape_->instructions();
        o_.flows_.resize(code.size());
        for (std::uint32_t n = 0; n < code.size(); ++n) follow(code[n], n);
        structure::Incidence& pattern = o_.pattern_;
        for (const std::uint32_t from : o_.tape_->output_registers()) {
            const Columns& columns = of_register_[from];
            o_.outputs_.push_back({from, static_cast<std::uint32_t>(pattern.columns.size()), width_of(columns)});
            pattern.add_row(columns);
            widest_ = std::max(widest_, columns.size());
        }
        for (std::uint32_t k = 0; k < rows_.size(); ++k) {
            o_.flows_[row_of_[k]].first_entry = static_cast<std::uint32_t>(pattern.columns.size());
            rows_[k].push_back(o_.columns_ + k);
            pattern.add_row(rows_[k]);
            widest_ = std::max(widest_, rows_[k].size());
        }
        o_.cuts_ = static_cast<std::uint32_t>(rows_.size());
        o_.stride_ = static_cast<std::uint32_t>(widest_) + 1;
        std::replace(o_.places_.begin(), o_.places_.end(), kNowhere, static_cast<std::uint8_t>(widest_));
    }

   private:
    static std::uint32_t width_of(const Columns& c) { return static_cast<std::uint32_t>(c.size()); }

    void follow(const Tape::Instruction& i, std::uint32_t n) {
        Flow& flow = o_.flows_[n];
        Columns all;
        const auto operands = i.operands();
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const Columns& columns = of_register_[operands[k]];
            if (columns.empty()) continue;
            flow.index[flow.count] = static_cast<std::uint8_t>(k);
            flow.from[flow.count++] = operands[k];
            flow.merges |= !all.empty() && columns != all;
            all = united(all, columns);
        }
        flow.width = static_cast<std::uint8_t>(all.size());
        if (flow.merges || flow.count == 3) place(flow, all);
        widest_ = std::max(widest_, all.size());
        flow.cut = (all.size() > wide_ && uses_[n] > 1) || all.size() > kWidest;
        if (flow.cut) {
            const std::uint32_t own = o_.columns_ + static_cast<std::uint32_t>(rows_.size());
            rows_.push_back(std::move(all));
            row_of_.push_back(n);
            all = {own};
        }
        of_register_[i.target] = std::move(all);
    }

    // For each entry of the result, where each operand has it; kNowhere in its last place, which is 0.
    void place(Flow& flow, const Columns& all) {
        flow.places = static_cast<std::uint32_t>(o_.places_.size());
        flow.merges = true;
        for (const std::uint32_t column : all) {
            for (std::size_t k = 0; k < flow.count; ++k) {
                const Columns& has = of_register_[flow.from[k]];
                const auto at = std::lower_bound(has.begin(), has.end(), column);
                const bool there = at != has.end() && *at == column;
                o_.places_.push_back(there ? static_cast<std::uint8_t>(at - has.begin()) : kNowhere);
            }
        }
    }

    CutTangents& o_;
    std::size_t wide_;
    std::vector<Columns> of_register_;
    std::vector<std::uint32_t> uses_;
    std::vector<Columns> rows_;          // of the cuts
    std::vector<std::uint32_t> row_of_;  // instruction of each cut
    std::size_t widest_ = 1;
};

CutTangents::CutTangents(const Tape& tape, std::vector<Seed> seeds, std::uint32_t columns, std::size_t wide)
    : tape_(&tape), seeds_(std::move(seeds)), columns_(columns), values_(tape.make_workspace<double>()) {
    Layout(*this, wide).run();
    slopes_.resize(tape.register_count() * std::size_t{stride_});
}

// `into` may be the entries of an operand: an operand has no entry further back than the result has it, so that from
// the last to the first all are read before they are overwritten.
template <bool careful>
inline void CutTangents::propagate(const Flow& flow, const Partials& partials, double* into) const {
    const auto term = [](double slope, double p) { return careful ? chain_term(slope, p) : slope * p; };
    const auto entries = [&](std::size_t k) { return slopes_.data() + flow.from[k] * std::size_t{stride_}; };
    const double* a = entries(0);
    const double p = partials[flow.index[0]];
    if (flow.count == 1) {
        for (int k = 0; k < flow.width; ++k) into[k] = term(a[k], p);
        return;
    }
    const double* b = entries(1);
    const double q = partials[flow.index[1]];
    if (!flow.merges) {
        for (int k = 0; k < flow.width; ++k) into[k] = term(a[k], p) + term(b[k], q);
        return;
    }
    const std::uint8_t* at = places_.data() + flow.places;
    if (flow.count == 2) {
        for (int k = flow.width - 1; k >= 0; --k) into[k] = term(a[at[2 * k]], p) + term(b[at[2 * k + 1]], q);
        return;
    }
    const double* c = entries(2);
    const double r = partials[flow.index[2]];
    for (int k = flow.width - 1; k >= 0; --k)
        into[k] = term(a[at[3 * k]], p) + term(b[at[3 * k + 1]], q) + term(c[at[3 * k + 2]], r);
}

template <bool careful>
void CutTangents::run(std::span<double> entries) {
    double* const w = values_.data();
    const auto code = tape_->instructions();
    for (std::size_t n = 0; n < code.size(); ++n) {
        const Tape::Instruction& i = code[n];
        const Flow& flow = flows_[n];
        if (flow.count == 0) {
            w[i.target] = expression::execute(i, w, tape_->tables());
            continue;
        }
        double* const own = slopes_.data() + i.target * std::size_t{stride_};
        double* const into = flow.cut ? entries.data() + flow.first_entry : own;
        const Sloped result = expression::execute_sloped(i, w, tape_->tables());
        propagate<careful>(flow, result.slopes, into);
        w[i.target] = result.value;
        if (flow.cut) {
            into[flow.width] = -1.0;
            own[0] = 1.0;
        }
    }
    for (const Row& row : outputs_) {
        std::copy_n(slopes_.data() + row.from * std::size_t{stride_}, row.width, entries.data() + row.first_entry);
    }
}

bool CutTangents::evaluate(std::span<const double> inputs, std::span<const double> speeds, std::span<double> entries) {
    const auto finite = [&] {
        double sum = 0.0;
        for (const double x : entries) sum += x * 0.0;
        for (const std::uint32_t from : tape_->output_registers()) sum += values_[from] * 0.0;
        return sum == 0.0;
    };
    const auto start = [&] {
        std::copy(inputs.begin(), inputs.end(), values_.begin());
        for (std::size_t s = 0; s < seeds_.size(); ++s) slopes_[seeds_[s].input * std::size_t{stride_}] = speeds[s];
    };
    start();
    run<false>(entries);
    if (finite()) return true;
    // Perhaps only 0·∞ in what doesn't count, such as a branch not taken.
    start();
    run<true>(entries);
    return finite();
}

}  // namespace bondgraph::simulation
