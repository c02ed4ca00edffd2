#include "bondgraph/simulation/algebraic_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/expression/execute.hpp"
#include "bondgraph/simulation/damped_step.hpp"
#include "bondgraph/simulation/scalar_root.hpp"
#include "bondgraph/structure/block_triangular.hpp"

namespace bondgraph::simulation {

using expression::Op;

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr std::uint32_t kNone = Id<void>::kNone;
constexpr int kNewtonSteps = 60;
/// As for a scalar root: the step after such a one would be its square.
constexpr double kLastNewtonStep = 1e-8;
/// Steps of a larger share of an unknown are none that rounding makes.
constexpr double kPerhapsRounding = 1e-4;
/// Nor are those that are this much shorter than the one before.
constexpr double kStill = 0.25;
constexpr double kLeastShare = 1e-4;

/// How an instruction's result depends on unknowns on which its operands depend so: 0 not at all, 1 linearly, 2
/// otherwise.
std::uint8_t degree(const expression::Tape::Instruction& i, const std::vector<std::uint8_t>& of) {
    std::uint8_t largest = 0;
    for (const std::uint32_t r : i.operands()) largest = std::max(largest, of[r]);
    if (largest == 0) return 0;
    switch (i.op) {
        case Op::negate:
        case Op::add:
        case Op::subtract:
            return largest;
        case Op::multiply:
        case Op::guarded_multiply:
            return static_cast<std::uint8_t>(std::min(2, of[i.a] + of[i.b]));
        case Op::divide:
            return of[i.b] > 0 ? std::uint8_t{2} : of[i.a];
        case Op::if_else:
            return of[i.a] > 0 ? std::uint8_t{2} : std::max(of[i.b], of[i.c]);
        default:
            return 2;
    }
}

/// Per row of F whether the algebraic unknowns stand in it other than linearly.
std::vector<bool> nonlinear_rows(const compile::CompiledModel& m) {
    const expression::Tape& tape = m.residual;
    std::vector<std::uint8_t> of(tape.register_count(), 0);
    for (std::size_t j = m.state_count; j < m.size(); ++j) of[1 + j] = 1;
    for (const auto& i : tape.instructions()) of[i.target] = degree(i, of);
    std::vector<bool> result;
    for (const std::uint32_t r : tape.output_registers()) result.push_back(of[r] == 2);
    return result;
}

/// Per row of F whether it belongs to a block that rates of states and algebraic unknowns form together: forces and
/// accelerations of a mechanism. Given the rates, forces need not follow: where a link doesn't turn for an instant, the
/// balance of its moments says nothing of them.
///
/// In mechanisms with closed loops only. Own types keep theirs: with forces exact at every look, runs come through
/// positions in which constraints depend on each other.
std::vector<bool> rows_with_rates(const compile::CompiledModel& m) {
    const auto n = static_cast<std::uint32_t>(m.size());
    if (!m.reduced || !m.reduced->loops) return std::vector<bool>(n, false);
    const auto states = static_cast<std::uint32_t>(m.state_count);
    std::vector<bool> inputs(m.input_size(), false);
    for (std::uint32_t j = 0; j < n; ++j) inputs[j < states ? 1 + n + j : 1 + j] = true;
    structure::Incidence pattern;
    for (std::vector<std::uint32_t> row : m.residual.dependencies(inputs)) {
        for (std::uint32_t& input : row) input = input > n ? input - 1 - n : input - 1;
        std::sort(row.begin(), row.end());
        pattern.add_row(row);
    }
    const auto blocks = structure::block_triangular(pattern, n, structure::maximum_matching(pattern, n));
    std::vector<bool> result(n, false);
    for (std::size_t b = 0; b < blocks.rows.rows(); ++b) {
        const auto rows = blocks.rows.row(b);
        if (std::none_of(rows.begin(), rows.end(), [&](std::uint32_t r) { return r < states; })) continue;
        for (const std::uint32_t r : rows) result[r] = true;
    }
    return result;
}

}  // namespace

AlgebraicLoops::AlgebraicLoops(const compile::CompiledModel& model) : m_(model), tape_(model.residual) {
    if (m_.linear || m_.state_count == m_.size()) return;
    find_loops();
    if (empty()) return;
    registers_ = tape_.make_workspace<double>();
    registers_.resize(tape_.register_count() + code_.size());
    errors_.resize(registers_.size());
    sizes_.assign(m_.size(), 0.0);
    last_.assign(unknowns_.size(), 0.0);
    place_.assign(m_.size(), 0);
    for (std::uint32_t k = 0; k < unknowns_.size(); ++k) place_[unknowns_[k]] = k;
}

void AlgebraicLoops::find_loops() {
    const std::vector<bool> nonlinear = nonlinear_rows(m_);
    if (std::none_of(nonlinear.begin() + static_cast<std::ptrdiff_t>(m_.state_count), nonlinear.end(),
                     [](bool x) { return x; }))
        return;
    renumber();
    std::vector<std::uint8_t> degrees(tape_.register_count() + code_.size(), 0);
    const auto first = static_cast<std::uint32_t>(m_.state_count);
    const std::size_t count = m_.size() - m_.state_count;
    structure::Incidence pattern;
    std::vector<std::uint32_t> row;
    for (std::size_t r = 0; r < count; ++r) {
        row.clear();
        for (const std::uint32_t c : m_.pattern.row(first + r)) {
            if (c >= first) row.push_back(c - first);
        }
        pattern.add_row(row);
    }
    const auto blocks = structure::block_triangular(pattern, count, structure::maximum_matching(pattern, count));
    const std::vector<bool> with_rates = rows_with_rates(m_);
    for (const std::uint32_t r : blocks.parts.overdetermined_rows) others_ = others_ || nonlinear[first + r];
    for (std::size_t b = 0; b < blocks.rows.rows(); ++b) {
        Loop loop;
        for (const std::uint32_t r : blocks.rows.row(b)) loop.rows.push_back(first + r);
        if (std::none_of(loop.rows.begin(), loop.rows.end(), [&](std::uint32_t r) { return nonlinear[r]; })) continue;
        for (const std::uint32_t c : blocks.columns.row(b)) loop.columns.push_back(first + c);
        if (loop.rows.size() > kLargest && !with_rates[loop.rows[0]]) {
            others_ = true;
            continue;
        }
        find_code(loop, static_cast<std::uint32_t>(b));
        // What earlier loops determine is known here: rows may be linear in what their own loop is solved for.
        for (const std::uint32_t c : loop.columns) degrees[1 + c] = 1;
        for (const std::uint32_t k : loop.moved) degrees[code_[k].target] = degree(code_[k], degrees);
        loop.linear =
            std::all_of(loop.rows.begin(), loop.rows.end(), [&](std::uint32_t r) { return degrees[outputs_[r]] < 2; });
        for (const std::uint32_t c : loop.columns) degrees[1 + c] = 0;
        for (const std::uint32_t k : loop.moved) degrees[code_[k].target] = 0;
        const bool left = loop.linear && with_rates[loop.rows[0]];
        if (left) with_rates_.insert(with_rates_.end(), loop.columns.begin(), loop.columns.end());
        if (left || loop.rows.size() > kLargest) {
            others_ = others_ || !left;
            for (const std::uint32_t k : loop.prepared) prepared_[k] = false;
            continue;
        }
        unknowns_.insert(unknowns_.end(), loop.columns.begin(), loop.columns.end());
        loops_.push_back(std::move(loop));
    }
    std::sort(unknowns_.begin(), unknowns_.end());
}

// The tape with a register for each instruction's own result, so that parts of it can be run apart from each other.
void AlgebraicLoops::renumber() {
    using Instruction = expression::Tape::Instruction;
    constexpr std::array kOperands{&Instruction::a, &Instruction::b, &Instruction::c};
    const auto first = static_cast<std::uint32_t>(tape_.register_count());
    std::vector<std::uint32_t> now(first);
    std::iota(now.begin(), now.end(), 0U);
    for (const Instruction& i : tape_.instructions()) {
        Instruction own = i;
        const std::size_t operands = i.operands().size();
        const std::size_t from = i.op >= Op::table1 ? 1 : 0;
        for (std::size_t k = from; k < from + operands; ++k) own.*kOperands[k] = now[i.*kOperands[k]];
        own.target = now[i.target] = first + static_cast<std::uint32_t>(code_.size());
        code_.push_back(own);
    }
    for (const std::uint32_t r : tape_.output_registers()) outputs_.push_back(now[r]);
    seen_by_.assign(code_.size(), kNone);
    prepared_.assign(code_.size(), false);
}

// The instructions whose results reach the loop's rows, those that its unknowns reach apart from the others. `number`:
// that of the loop.
void AlgebraicLoops::find_code(Loop& loop, std::uint32_t number) {
    const auto first = static_cast<std::uint32_t>(tape_.register_count());
    std::vector<std::uint32_t> open;
    const auto want = [&](std::uint32_t target) {
        if (target < first || seen_by_[target - first] == number) return;
        seen_by_[target - first] = number;
        open.push_back(target - first);
    };
    for (const std::uint32_t r : loop.rows) want(outputs_[r]);
    while (!open.empty()) {
        const std::uint32_t k = open.back();
        open.pop_back();
        loop.code.push_back(k);
        for (const std::uint32_t r : code_[k].operands()) want(r);
    }
    std::sort(loop.code.begin(), loop.code.end());
    std::vector<std::uint32_t> moving;
    for (const std::uint32_t c : loop.columns) moving.push_back(1 + c);
    std::sort(moving.begin(), moving.end());
    const auto moves = [&](std::uint32_t r) { return std::binary_search(moving.begin(), moving.end(), r); };
    for (const std::uint32_t k : loop.code) {
        const auto operands = code_[k].operands();
        if (std::any_of(operands.begin(), operands.end(), moves)) {
            loop.moved.push_back(k);
            moving.push_back(code_[k].target);  // ascending, and beyond those of inputs
            for (const std::uint32_t r : operands) {
                if (!moves(r)) loop.constant.push_back(r);
            }
        } else if (!prepared_[k]) {
            prepared_[k] = true;  // for the loops that follow as well: they come later in the triangular order
            loop.prepared.push_back(k);
        }
    }
    std::sort(loop.constant.begin(), loop.constant.end());
    loop.constant.erase(std::unique(loop.constant.begin(), loop.constant.end()), loop.constant.end());
    for (const std::uint32_t r : loop.rows) {  // rows that none of the unknowns moves are as singular as they are
        if (!moves(outputs_[r])) loop.constant.push_back(outputs_[r]);
    }
}

void AlgebraicLoops::learn(std::span<const double> sizes) {
    for (const std::uint32_t j : unknowns_) sizes_[j] = sizes[j];
}

void AlgebraicLoops::prepare(const Loop& loop) {
    for (const std::uint32_t k : loop.prepared)
        registers_[code_[k].target] = expression::execute(code_[k], registers_.data(), tape_.tables());
}

void AlgebraicLoops::evaluate(const Loop& loop) {
    for (const std::uint32_t k : loop.moved)
        registers_[code_[k].target] = expression::execute(code_[k], registers_.data(), tape_.tables());
}

// With the loop's unknowns from `first` on as directions, as many as a jet has.
template <int K>
void AlgebraicLoops::evaluate_jets(const Loop& loop, std::size_t first, std::vector<expression::Jet<K>>& jets) {
    jets.resize(registers_.size());
    for (const std::uint32_t r : loop.constant) jets[r] = expression::Jet<K>(registers_[r]);
    for (std::size_t k = 0; k < loop.columns.size(); ++k) {
        jets[1 + loop.columns[k]] = expression::Jet<K>(value(loop.columns[k]));
        if (k >= first && k < first + K) jets[1 + loop.columns[k]].d[k - first] = 1.0;
    }
    for (const std::uint32_t k : loop.moved)
        jets[code_[k].target] = expression::execute(code_[k], jets.data(), tape_.tables());
}

// As Tape::rounding(), of the rows of the loop: into errors_ at their registers.
void AlgebraicLoops::find_rounding(const Loop& loop) {
    for (const std::uint32_t k : loop.code) {
        const auto result = expression::execute_sloped(code_[k], registers_.data(), tape_.tables());
        double bound = kUnit * std::abs(result.value);
        const auto operands = code_[k].operands();
        for (std::size_t i = 0; i < operands.size(); ++i)
            bound += expression::chain_term(errors_[operands[i]], std::abs(result.slopes[i]));
        registers_[code_[k].target] = result.value;
        errors_[code_[k].target] = bound;
    }
}

bool AlgebraicLoops::solve(std::span<double> inputs) {
    std::copy(inputs.begin(), inputs.end(), registers_.begin());
    std::array<double, kLargest> start{};
    std::array<double, kLargest> before{};
    for (Loop& loop : loops_) {
        prepare(loop);
        const std::size_t n = loop.columns.size();
        for (std::size_t k = 0; k < n; ++k) {
            start[k] = value(loop.columns[k]);
            before[k] = last_[place_[loop.columns[k]]];
        }
        if (solve(loop, {start.data(), n})) continue;
        if (solved_ && solve(loop, {before.data(), n})) continue;
        unsolved_ = loop.rows[0];
        return false;
    }
    for (std::size_t k = 0; k < unknowns_.size(); ++k) inputs[1 + unknowns_[k]] = last_[k] = value(unknowns_[k]);
    solved_ = true;
    return true;
}

bool AlgebraicLoops::solve(Loop& loop, std::span<const double> start) {
    return loop.columns.size() == 1 ? solve_scalar(loop, start[0]) : solve_together(loop, start);
}

bool AlgebraicLoops::solve_scalar(const Loop& loop, double start) {
    double& x = value(loop.columns[0]);
    const std::uint32_t out = outputs_[loop.rows[0]];
    const auto f = [&](double at) {
        x = at;
        evaluate_jets(loop, 0, jet_);
        return ScalarValue{jet_[out].v, jet_[out].d[0]};
    };
    const auto bound = [&](double at) {
        x = at;
        find_rounding(loop);
        return errors_[out];
    };
    if (loop.linear) {  // one step leads to the root
        const ScalarValue at = f(start);
        x = start - at.value / at.slope;
        if (std::isfinite(x)) return true;
    }
    const ScalarRoot root = find_root(f, bound, start, sizes_[loop.columns[0]]);
    x = root.x;
    return root.found;
}

// Residual and matrix at the present values; false when not finite or singular.
bool AlgebraicLoops::linearize(Loop& loop) {
    const auto n = static_cast<Eigen::Index>(loop.columns.size());
    f_.resize(n);
    matrix_.resize(n, n);
    loop.factored = false;
    for (std::size_t first = 0; first < loop.columns.size(); first += 4) {
        evaluate_jets(loop, first, jets_);
        for (Eigen::Index r = 0; r < n; ++r) {
            const expression::Jet<4>& out = jets_[outputs_[loop.rows[static_cast<std::size_t>(r)]]];
            f_(r) = out.v;
            for (std::size_t k = first; k < std::min(first + 4, loop.columns.size()); ++k)
                matrix_(r, static_cast<Eigen::Index>(k)) = out.d[k - first];
        }
    }
    if (!f_.allFinite() || !matrix_.allFinite()) return false;
    loop.lu.compute(matrix_);
    loop.factored = (loop.lu.matrixLU().diagonal().array() != 0.0).all();
    return loop.factored;
}

bool AlgebraicLoops::evaluate_rows(const Loop& loop) {
    evaluate(loop);
    f_.resize(static_cast<Eigen::Index>(loop.rows.size()));
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
        f_(static_cast<Eigen::Index>(r)) = registers_[outputs_[loop.rows[r]]];
    return f_.allFinite();
}

// The largest share of an unknown, where a step leads, that it changes by.
double AlgebraicLoops::length(const Loop& loop, const Eigen::VectorXd& step) const {
    double largest = 0.0;
    for (std::size_t k = 0; k < loop.columns.size(); ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        const double size = std::max(std::abs(next_(i)), kLeastShare * std::abs(sizes_[loop.columns[k]]));
        const double share = std::abs(step(i));
        if (share > 0.0) largest = std::max(largest, share / std::max(size, std::numeric_limits<double>::min()));
    }
    return largest;
}

bool AlgebraicLoops::drowned(const Loop& loop) {
    find_rounding(loop);
    return std::ranges::all_of(
        loop.rows, [&](std::uint32_t r) { return std::abs(registers_[outputs_[r]]) <= errors_[outputs_[r]]; });
}

// Rounding in one row moves unknowns by which others are off by more than by their own rounding: where a small leakage
// alone tells a potential, what is lost of the balance of large currents. So it is the step that is judged.
bool AlgebraicLoops::step_is_rounding(const Loop& loop) {
    constexpr double kRoundings = 2.0;
    find_rounding(loop);
    f_.resize(static_cast<Eigen::Index>(loop.rows.size()));
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
        f_(static_cast<Eigen::Index>(r)) = errors_[outputs_[loop.rows[r]]];
    matrix_ = loop.lu.inverse();
    return (step_.cwiseAbs().array() <= kRoundings * (matrix_.cwiseAbs() * f_).array()).all();
}

// With the matrix of an earlier point, which costs residuals only: as long as every correction is a tenth of the one
// before it, and what is to come, or all that is left, is rounding.
bool AlgebraicLoops::refine(Loop& loop) {
    constexpr int kMost = 6;
    constexpr double kWorstRate = 0.1;
    constexpr double kGone = 1e-15;
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; loop.factored && iteration < kMost; ++iteration) {
        if (!evaluate_rows(loop)) return false;
        step_ = loop.lu.solve(-f_);
        for (std::size_t k = 0; k < loop.columns.size(); ++k)
            next_(static_cast<Eigen::Index>(k)) = value(loop.columns[k]) + step_(static_cast<Eigen::Index>(k));
        const double now = length(loop, step_);
        const double rate = now / before;
        if (!(now <= kGone) && !(rate <= kWorstRate))
            return rate > kStill && now <= kPerhapsRounding && step_is_rounding(loop);
        for (std::size_t k = 0; k < loop.columns.size(); ++k)
            value(loop.columns[k]) = next_(static_cast<Eigen::Index>(k));
        if (now <= kGone || (iteration > 0 && rate * now <= kGone)) return true;
        before = now;
    }
    return false;
}

// Newton's method with damped steps.
bool AlgebraicLoops::solve_together(Loop& loop, std::span<const double> start) {
    const std::size_t n = loop.columns.size();
    const auto size = static_cast<Eigen::Index>(n);
    const auto set = [&](const Eigen::VectorXd& x) {
        for (std::size_t k = 0; k < n; ++k) value(loop.columns[k]) = x(static_cast<Eigen::Index>(k));
    };
    x_ = Eigen::Map<const Eigen::VectorXd>(start.data(), size);
    next_ = x_;
    set(x_);
    if (!loop.linear && refine(loop)) return true;
    set(x_);
    const auto contraction = [&](double share) {
        next_ = x_ + share * step_;
        const double whole = length(loop, step_);
        set(next_);
        return evaluate_rows(loop) ? length(loop, loop.lu.solve(-f_)) / whole : std::numeric_limits<double>::infinity();
    };
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < kNewtonSteps; ++iteration) {
        if (!linearize(loop)) return f_.allFinite() && drowned(loop);
        step_ = loop.lu.solve(-f_);
        if (!step_.allFinite()) return drowned(loop);
        next_ = x_ + step_;
        const double share = length(loop, step_);
        if (loop.linear || share <= kLastNewtonStep) {
            set(next_);
            return true;
        }
        if (share > kStill * before && share <= kPerhapsRounding && step_is_rounding(loop)) return true;
        before = share;
        if (!damped_share(contraction)) {
            if (drowned(loop)) return true;
            set(x_);
            return share <= kPerhapsRounding && step_is_rounding(loop);
        }
        x_ = next_;
    }
    return drowned(loop);
}

}  // namespace bondgraph::simulation
