#include "bondgraph/compile/point_tape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "bondgraph/expression/execute.hpp"

namespace bondgraph::compile {

namespace {

constexpr int kDirections = 4;
using Jet = expression::Jet<kDirections>;

/// The variables that outputs name, ascending: of a large system, an expression knows a few.
std::vector<std::uint32_t> named_in(const expression::Graph& graph, std::span<const expression::Expr> outputs) {
    std::vector<std::uint32_t> roots;
    for (const expression::Expr& e : outputs) {
        if (!e.is_literal()) roots.push_back(e.node());
    }
    std::vector<std::uint32_t> result;
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        if (graph[n].op == expression::Op::variable) result.push_back(graph[n].a);
    }
    std::ranges::sort(result);
    return result;
}

expression::InputLayout layout_of(std::size_t variables, std::span<const std::uint32_t> named, std::size_t parameters,
                                  std::size_t held) {
    expression::InputLayout layout;
    layout.time = 0;
    layout.variable.assign(variables, expression::kNoNode);
    std::uint32_t next = 1;
    for (const std::uint32_t v : named) layout.variable[v] = next++;
    for (auto& [list, count] : {std::pair(&layout.parameter, parameters), std::pair(&layout.held, held)}) {
        for (std::size_t i = 0; i < count; ++i) list->push_back(next++);
    }
    layout.size = next;
    return layout;
}

/// Random numbers between -2^-46 and 2^-46, the same ones for the same draw: Marsaglia's xorshift. One is taken for
/// each value and each slope of a tape, so those of the standard library would take longer than everything else here.
class RandomShares {
   public:
    explicit RandomShares(std::uint64_t draw) : state_(draw * 0x9e3779b97f4a7c15U) {}

    double operator()() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-109;
    }

   private:
    std::uint64_t state_;
};

/// A tape's outputs when every number and every operation is off by a random share.
std::vector<Jet> roughly(const expression::Tape& tape, std::span<const Jet> inputs, std::uint32_t draw) {
    RandomShares share(draw);
    std::vector<Jet> w = tape.make_workspace<Jet>();
    std::ranges::copy(inputs, w.begin());
    for (Jet& x : w) {
        if (x.v != 0.0 && x.v != std::round(x.v)) x.v *= 1.0 + share();
    }
    for (const expression::Tape::Instruction& i : tape.instructions()) {
        Jet x = expression::execute(i, w.data(), tape.tables());
        x.v *= 1.0 + share();
        for (double& d : x.d) d *= 1.0 + share();
        w[i.target] = x;
    }
    std::vector<Jet> out;
    for (const std::uint32_t r : tape.output_registers()) out.push_back(w[r]);
    return out;
}

}  // namespace

PointValues::PointValues(const expression::Graph& graph, std::size_t variable_count, std::size_t parameter_count,
                         std::size_t held_count, std::span<const expression::Expr> outputs)
    : named_(named_in(graph, outputs)),
      first_held_(1 + named_.size() + parameter_count),
      held_count_(held_count),
      tape_(graph, outputs, layout_of(variable_count, named_, parameter_count, held_count)) {}

PointTape::PointTape(const expression::Graph& graph, std::size_t variable_count, std::size_t parameter_count,
                     std::size_t held_count, std::span<const expression::Expr> outputs)
    : PointValues(graph, variable_count, parameter_count, held_count, outputs) {
    std::vector<bool> wanted(tape_.input_count(), false);
    std::fill_n(wanted.begin() + 1, static_cast<std::ptrdiff_t>(named_.size()), true);
    for (std::vector<std::uint32_t> row : tape_.dependencies(wanted)) {
        for (std::uint32_t& c : row) --c;
        places_.add_row(row);
    }
    pattern_ = places_;
    for (std::uint32_t& c : pattern_.columns) c = named_[c];
    used_.assign(named_.size(), false);
    for (const std::uint32_t k : places_.columns) used_[k] = true;
    colouring_ = structure::colour_columns(places_, named_.size());
}

template <class T>
std::vector<T> PointValues::inputs(std::span<const double> variables, double time, std::span<const double> held) const {
    std::vector<T> in(tape_.input_count(), T(0.0));
    in[0] = T(time);
    for (std::size_t i = 0; i < named_.size(); ++i) in[1 + i] = T(variables[named_[i]]);
    for (std::size_t i = 0; i < std::min(held.size(), held_count_); ++i) in[first_held_ + i] = T(held[i]);
    return in;
}

std::vector<double> PointValues::values(std::span<const double> variables, double time,
                                        std::span<const double> held) const {
    const auto in = inputs<double>(variables, time, held);
    std::vector<double> out(size());
    auto work = tape_.make_workspace<double>();
    tape_.evaluate<double>(in, out, work);
    return out;
}

std::vector<double> PointValues::rounding(std::span<const double> variables, double time,
                                          std::span<const double> held) const {
    return tape_.rounding(inputs<double>(variables, time, held));
}

std::vector<double> PointTape::jacobian(std::span<const double> variables, double time,
                                        std::span<const double> held) const {
    return PointJacobian(*this).at(variables, time, held);
}

std::vector<double> PointTape::by_jets(std::span<const double> variables, double time,
                                       std::span<const double> held) const {
    auto in = inputs<Jet>(variables, time, held);
    std::vector<Jet> out(size());
    auto work = tape_.make_workspace<Jet>();
    std::vector<double> entries(pattern_.columns.size(), 0.0);
    for (std::uint32_t first = 0; first < colouring_.count; first += kDirections) {
        for (std::size_t i = 0; i < named_.size(); ++i) {
            in[1 + i].d.fill(0.0);
            const std::uint32_t colour = colouring_.colour[i];
            if (colour >= first && colour < first + kDirections) in[1 + i].d[colour - first] = 1.0;
        }
        tape_.evaluate<Jet>(in, out, work);
        for (std::size_t r = 0; r < size(); ++r) {
            for (std::size_t k = pattern_.starts[r]; k < pattern_.starts[r + 1]; ++k) {
                const std::uint32_t colour = colouring_.colour[places_.columns[k]];
                if (colour >= first && colour < first + kDirections) entries[k] = out[r].d[colour - first];
            }
        }
    }
    return entries;
}

std::vector<double> PointTape::contributions(std::span<const double> variables, double time,
                                             std::span<const double> held) const {
    const std::vector<double> slopes = jacobian(variables, time, held);
    std::vector<double> result(pattern_.rows(), 0.0);
    for (std::size_t r = 0; r < result.size(); ++r) {
        for (std::size_t k = pattern_.starts[r]; k < pattern_.starts[r + 1]; ++k)
            result[r] = std::max(result[r], std::abs(slopes[k] * variables[pattern_.columns[k]]));
    }
    return result;
}

std::vector<double> PointTape::jacobian_beyond_rounding(std::span<const double> variables, double time,
                                                        std::span<const double> held) const {
    std::vector<double> entries = jacobian(variables, time, held);
    clear_rounding(variables, time, held, entries);
    return entries;
}

void PointTape::clear_rounding(std::span<const double> variables, double time, std::span<const double> held,
                               std::vector<double>& entries) const {
    constexpr double kSmall = 1e-8;    // of its row: no entry beyond is rounding
    constexpr double kCertain = 0.25;  // of an entry, by which it may change
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> looked_at(colouring_.count);  // row and entry
    for (std::size_t r = 0; r < size(); ++r) {
        double largest = 0.0;
        for (std::size_t k = pattern_.starts[r]; k < pattern_.starts[r + 1]; ++k)
            largest = std::max(largest, std::abs(entries[k]));
        for (std::size_t k = pattern_.starts[r]; k < pattern_.starts[r + 1]; ++k) {
            if (entries[k] != 0.0 && std::abs(entries[k]) < kSmall * largest)
                looked_at[colouring_.colour[places_.columns[k]]].emplace_back(r, k);
        }
    }
    std::vector<std::uint32_t> colours;
    for (std::uint32_t c = 0; c < colouring_.count; ++c) {
        if (!looked_at[c].empty()) colours.push_back(c);
    }
    for (std::size_t first = 0; first < colours.size(); first += kDirections) {
        const std::size_t count = std::min<std::size_t>(kDirections, colours.size() - first);
        auto in = inputs<Jet>(variables, time, held);
        for (std::size_t i = 0; i < named_.size(); ++i) {
            for (std::size_t d = 0; d < count; ++d)
                in[1 + i].d[d] = colouring_.colour[i] == colours[first + d] ? 1.0 : 0.0;
        }
        for (const std::uint32_t draw : {1U, 2U}) {
            const std::vector<Jet> rough = roughly(tape_, in, draw);
            for (std::size_t d = 0; d < count; ++d) {
                for (const auto& [row, k] : looked_at[colours[first + d]]) {
                    if (std::abs(rough[row].d[d] - entries[k]) > kCertain * std::abs(entries[k])) entries[k] = 0.0;
                }
            }
        }
    }
}

// Every direction at once where they are many: each instruction carries only those that reach it.
PointJacobian::PointJacobian(const PointTape& tape) : tape_(tape) {
    if (tape.colouring_.count <= kDirections) return;
    std::vector<expression::Tangents::Seed> seeds;
    for (std::uint32_t v = 0; v < tape.named_.size(); ++v) {
        if (tape.used_[v]) seeds.push_back({1 + v, tape.colouring_.colour[v]});
    }
    speeds_.assign(seeds.size(), 1.0);
    tangents_.emplace(tape.tape_, std::move(seeds));
}

std::vector<double> PointJacobian::at(std::span<const double> variables, double time, std::span<const double> held) {
    if (!tangents_) return tape_.by_jets(variables, time, held);
    tangents_->evaluate(tape_.inputs<double>(variables, time, held), speeds_);
    const structure::Incidence& pattern = tape_.pattern_;
    std::vector<double> entries(pattern.columns.size());
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k)
            entries[k] = tangents_->slope(r, tape_.colouring_.colour[tape_.places_.columns[k]]);
    }
    return entries;
}

}  // namespace bondgraph::compile
