#include "bondgraph/structure/integer_linear.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <type_traits>

namespace bondgraph::structure {

namespace {

// The extension keyword keeps -Wpedantic quiet: no standard type is wide enough.
__extension__ typedef __int128 Wide;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

struct Overflow {};

/// Symmetric range: negation and absolute value of what passes are safe.
std::int64_t narrow(Wide value) {
    if (value > kLargest || value < -kLargest) throw Overflow{};
    return static_cast<std::int64_t>(value);
}

Wide add(Wide a, Wide b) {
    Wide sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) throw Overflow{};
    return sum;
}

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

Wide common_divisor(Wide a, Wide b) {
    a = magnitude(a);
    b = magnitude(b);
    while (b != 0) {
        if (a <= kLargest && b <= kLargest) {  // the usual case, several times faster
            return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
        }
        a %= b;
        std::swap(a, b);
    }
    return a;
}

/// What intermediate results are kept in.
template <class Number>
struct WideOf {
    using type = Wide;
};
template <>
struct WideOf<ExactNumber> {
    using type = ExactNumber;
};
template <class Number>
using WideTerms = LinearTerms<typename WideOf<Number>::type>;

template <class Number>
constexpr bool kIntegers = std::is_integral_v<Number>;  ///< no division: rows are scaled

bool is_zero(Wide x) { return x == 0; }
bool is_zero(const ExactNumber& x) { return x.is_zero(); }
ExactNumber add(const ExactNumber& a, const ExactNumber& b) { return a + b; }

/// Sorts by index, adds up equal indices and drops zeros.
template <class Terms>
void collect(Terms& terms) {
    std::ranges::sort(terms, {}, [](const auto& term) { return term.first; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size();) {
        auto sum = terms[i];
        for (++i; i < terms.size() && terms[i].first == sum.first; ++i) sum.second = add(sum.second, terms[i].second);
        if (!is_zero(sum.second)) terms[kept++] = sum;
    }
    terms.resize(kept);
}

template <class Number>
void append(WideTerms<Number>& sum, const LinearTerms<Number>& terms, const Number& factor) {
    for (const auto& [index, coefficient] : terms)
        sum.emplace_back(index, static_cast<typename WideOf<Number>::type>(factor) * coefficient);
}

Wide content(const WideTerms<std::int64_t>& terms, Wide divisor) {
    for (const auto& [index, coefficient] : terms) {
        if (divisor == 1) break;
        divisor = common_divisor(divisor, coefficient);
    }
    return divisor;
}

IntegerTerms divided(const WideTerms<std::int64_t>& terms, Wide divisor) {
    IntegerTerms result;
    result.reserve(terms.size());
    for (const auto& [index, coefficient] : terms) result.emplace_back(index, narrow(coefficient / divisor));
    return result;
}

template <class Number>
Number coefficient_of(const LinearTerms<Number>& terms, std::uint32_t index) {
    const auto found = std::ranges::lower_bound(terms, index, {}, [](const auto& term) { return term.first; });
    assert(found != terms.end() && found->first == index);
    return found->second;
}

/// What was done to a row at one time: row ← (scale·row + Σ factor·other row) / divisor.
template <class Number>
struct Step {
    std::size_t time = 0;
    Number scale{1};
    Number divisor{1};
    LinearTerms<Number> others;
};

/// A row holds unknowns solved for by other rows only until it is reduced; `steps` is its history, from which the
/// combination of equations it stands for can be recovered. Carrying the combinations along would fill them all in,
/// though they are wanted for the few redundant rows only.
template <class Number>
struct WorkRow {
    LinearTerms<Number> unknowns;
    LinearTerms<Number> givens;
    std::vector<Step<Number>> steps;
};

template <class Number>
class LinearElimination {
   public:
    using Terms = LinearTerms<Number>;
    using Sum = WideTerms<Number>;
    using Solution = LinearSolution<Number>;

    LinearElimination(std::span<const LinearEquation<Number>> equations, std::size_t unknown_count,
                      std::span<const std::uint8_t> level)
        : equations_(equations),
          level_(level),
          rows_(equations.size()),
          pivot_row_(unknown_count, kNone),
          pivot_of_(equations.size(), kNone),
          waiting_rows_(unknown_count),
          rows_of_(unknown_count),
          open_unknowns_(equations.size()),
          seen_(equations.size(), false) {}

    Solution run();

   private:
    void load();
    /// Solves a row for an unknown of this level or a lower one; false if it holds unknowns of higher ones only.
    bool eliminate(std::uint32_t row, std::uint8_t level);
    void solve_level(std::uint8_t level, std::vector<std::uint32_t>& open);
    [[nodiscard]] std::uint8_t level(std::uint32_t unknown) const {
        return unknown < level_.size() ? level_[unknown] : std::uint8_t{0};
    }
    [[nodiscard]] std::uint32_t choose_pivot(const Terms& unknowns) const;
    void reduce(std::uint32_t row);
    [[nodiscard]] Number common_scale(std::uint32_t row) const;
    void substitute(std::uint32_t row);
    void store(std::uint32_t row, Sum unknowns, Sum givens, Step<Number> step);
    /// The row that solves for the unknown, if that is another one than `row`.
    [[nodiscard]] std::uint32_t solving_row(std::uint32_t row, std::uint32_t unknown) const {
        return pivot_row_[unknown] == row ? kNone : pivot_row_[unknown];
    }
    [[nodiscard]] bool is_reduced(std::uint32_t row) const {
        return std::ranges::all_of(rows_[row].unknowns,
                                   [&](const auto& term) { return solving_row(row, term.first) == kNone; });
    }
    [[nodiscard]] typename Solution::Row solved_row(std::uint32_t unknown) const;
    [[nodiscard]] Terms combination(std::uint32_t row) const;
    [[nodiscard]] typename Solution::Residue residue(std::uint32_t row) const;

    std::span<const LinearEquation<Number>> equations_;
    std::span<const std::uint8_t> level_;
    std::vector<WorkRow<Number>> rows_;
    std::vector<std::uint32_t> pivot_row_;             ///< by unknown: the row that solves for it
    std::vector<std::uint32_t> pivot_of_;              ///< by row: the unknown it solves for
    std::vector<std::uint32_t> waiting_rows_;          ///< by unknown: equations not yet taken that name it
    std::vector<std::vector<std::uint32_t>> rows_of_;  ///< by unknown: equations that name it
    std::vector<std::uint32_t> open_unknowns_;         ///< by row: unknowns of its equation not yet solved for
    std::vector<bool> seen_;                           ///< by row: no longer waiting
    std::size_t time_ = 0;
};

template <class Number>
void LinearElimination<Number>::load() {
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
        Sum unknowns;
        Sum givens;
        append<Number>(unknowns, equations_[r].unknowns, Number{1});
        append<Number>(givens, equations_[r].givens, Number{1});
        collect(unknowns);
        collect(givens);
        store(r, std::move(unknowns), std::move(givens), {});
        open_unknowns_[r] = static_cast<std::uint32_t>(rows_[r].unknowns.size());
        for (const auto& [unknown, coefficient] : rows_[r].unknowns) {
            assert(unknown < pivot_row_.size());
            rows_of_[unknown].push_back(r);
            ++waiting_rows_[unknown];
        }
    }
}

/// Divides by the common divisor and records the step, unless it changes nothing.
template <class Number>
void LinearElimination<Number>::store(std::uint32_t row, Sum unknowns, Sum givens, Step<Number> step) {
    if constexpr (kIntegers<Number>) {
        const Wide divisor = std::max<Wide>(1, content(givens, content(unknowns, 0)));
        rows_[row].unknowns = divided(unknowns, divisor);
        rows_[row].givens = divided(givens, divisor);
        if (divisor == 1 && step.others.empty()) return;
        step.divisor = narrow(divisor);
    } else {
        rows_[row].unknowns = std::move(unknowns);
        rows_[row].givens = std::move(givens);
        if (step.others.empty()) return;
    }
    step.time = time_++;
    rows_[row].steps.push_back(std::move(step));
}

/// What a row is multiplied by so that every quotient by the pivots of others is whole.
template <class Number>
Number LinearElimination<Number>::common_scale(std::uint32_t row) const {
    Wide scale = 1;
    for (const auto& [unknown, coefficient] : rows_[row].unknowns) {
        const std::uint32_t other = solving_row(row, unknown);
        if (other == kNone) continue;
        const Wide pivot = magnitude(coefficient_of(rows_[other].unknowns, unknown));
        const Wide denominator = pivot / common_divisor(pivot, coefficient);
        scale = narrow(scale / common_divisor(scale, denominator) * denominator);
    }
    return static_cast<Number>(scale);
}

/// Replaces the unknowns solved for by other rows, which must be reduced themselves, all at once.
template <class Number>
void LinearElimination<Number>::substitute(std::uint32_t row) {
    const Terms& terms = rows_[row].unknowns;
    Step<Number> step;
    if constexpr (kIntegers<Number>) step.scale = common_scale(row);
    Sum unknowns;
    Sum givens;
    append<Number>(unknowns, terms, step.scale);
    append<Number>(givens, rows_[row].givens, step.scale);
    for (const auto& [unknown, coefficient] : terms) {
        const std::uint32_t other = solving_row(row, unknown);
        if (other == kNone) continue;
        const Number pivot = coefficient_of(rows_[other].unknowns, unknown);
        Number factor{};
        if constexpr (kIntegers<Number>) {
            factor = narrow(-static_cast<Wide>(step.scale) * coefficient / pivot);
        } else {
            factor = -(coefficient * pivot.inverse());
        }
        append<Number>(unknowns, rows_[other].unknowns, factor);
        append<Number>(givens, rows_[other].givens, factor);
        step.others.emplace_back(other, factor);
    }
    if (step.others.empty()) return;
    collect(unknowns);
    collect(givens);
    store(row, std::move(unknowns), std::move(givens), std::move(step));
}

/// Expresses the row in unknowns not solved for. The rows it refers to are reduced first and stay so: chains of
/// references get short as they are followed. A row refers only to unknowns solved for after it, so this ends.
template <class Number>
void LinearElimination<Number>::reduce(std::uint32_t row) {
    std::vector<std::uint32_t> open{row};
    while (!open.empty()) {
        const std::uint32_t current = open.back();
        const std::size_t before = open.size();
        for (const auto& [unknown, coefficient] : rows_[current].unknowns) {
            const std::uint32_t other = solving_row(current, unknown);
            if (other != kNone && !is_reduced(other)) open.push_back(other);
        }
        if (open.size() > before) continue;
        substitute(current);
        open.pop_back();
    }
}

template <class Number>
std::uint32_t LinearElimination<Number>::choose_pivot(const Terms& unknowns) const {
    if constexpr (kIntegers<Number>) {
        const auto cost = [&](const auto& term) {
            return std::tuple(level(term.first), magnitude(term.second), waiting_rows_[term.first], term.first);
        };
        return std::ranges::min_element(unknowns, {}, cost)->first;
    } else {
        constexpr double kSmall = 0.01;  // of the largest in the row: too small for a pivot
        double largest = 0.0;
        for (const auto& [unknown, coefficient] : unknowns) largest = std::max(largest, std::abs(coefficient.value()));
        const auto grade = [&](const ExactNumber& x) {
            return std::abs(x.value()) < kSmall * largest ? 2 : x.is_unit() ? 0 : 1;
        };
        const auto cost = [&](const auto& term) {
            return std::tuple(level(term.first), grade(term.second), waiting_rows_[term.first], term.first);
        };
        return std::ranges::min_element(unknowns, {}, cost)->first;
    }
}

template <class Number>
bool LinearElimination<Number>::eliminate(std::uint32_t row, std::uint8_t level) {
    reduce(row);
    if (rows_[row].unknowns.empty()) return true;
    const std::uint32_t pivot = choose_pivot(rows_[row].unknowns);
    if (this->level(pivot) > level) return false;
    pivot_row_[pivot] = row;
    pivot_of_[row] = pivot;
    return true;
}

/// The open rows that can be solved for unknowns up to this level; the others stay open. Those never get such an
/// unknown back: what is solved for here does not occur in them.
template <class Number>
void LinearElimination<Number>::solve_level(std::uint8_t level, std::vector<std::uint32_t>& open) {
    using Entry = std::pair<std::uint32_t, std::uint32_t>;  // open unknowns, row; entries go stale as counts fall
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<bool> taken(rows_.size(), true);
    for (const std::uint32_t r : open) {
        queue.emplace(open_unknowns_[r], r);
        taken[r] = false;
    }
    open.clear();
    while (!queue.empty()) {
        const std::uint32_t row = queue.top().second;
        queue.pop();
        if (taken[row]) continue;
        taken[row] = true;
        if (!seen_[row]) {
            for (const auto& [unknown, coefficient] : rows_[row].unknowns) --waiting_rows_[unknown];
            seen_[row] = true;
        }
        if (!eliminate(row, level)) {
            open.push_back(row);
            continue;
        }
        if (pivot_of_[row] == kNone) continue;
        for (const std::uint32_t other : rows_of_[pivot_of_[row]]) {
            --open_unknowns_[other];
            if (!taken[other]) queue.emplace(open_unknowns_[other], other);
        }
    }
    std::ranges::sort(open);
}

template <class Number>
typename LinearSolution<Number>::Row LinearElimination<Number>::solved_row(std::uint32_t unknown) const {
    const WorkRow<Number>& row = rows_[pivot_row_[unknown]];
    typename Solution::Row result;
    result.unknown = unknown;
    const Number pivot = coefficient_of(row.unknowns, unknown);
    Number factor{};
    if constexpr (kIntegers<Number>) {
        factor = pivot < 0 ? 1 : -1;
        result.denominator = -factor * pivot;
    } else {
        factor = -pivot.inverse();
    }
    for (const auto& [other, coefficient] : row.unknowns) {
        if (other != unknown) result.free_unknowns.emplace_back(other, factor * coefficient);
    }
    for (const auto& [given, coefficient] : row.givens) result.givens.emplace_back(given, factor * coefficient);
    return result;
}

/// Walks the histories backwards in time, latest step of all rows involved first, moving each row's weight to the rows
/// it was made of. What remains are weights of the original equations.
template <class Number>
LinearTerms<Number> LinearElimination<Number>::combination(std::uint32_t row) const {
    struct Involved {
        typename WideOf<Number>::type weight{};
        std::size_t steps = 0;  ///< of the row's history that are still to be undone
    };
    std::map<std::uint32_t, Involved> involved;
    std::priority_queue<std::pair<std::size_t, std::uint32_t>> latest;
    const auto involve = [&](std::uint32_t r, std::size_t before) -> Involved& {
        const auto [entry, is_new] = involved.try_emplace(r);
        if (is_new) {
            const auto& steps = rows_[r].steps;
            const auto end = std::ranges::lower_bound(steps, before, {}, &Step<Number>::time);
            entry->second.steps = static_cast<std::size_t>(end - steps.begin());
            if (end != steps.begin()) latest.emplace(std::prev(end)->time, r);
        }
        return entry->second;
    };
    involve(row, time_).weight = typename WideOf<Number>::type{1};
    while (!latest.empty()) {
        const std::uint32_t r = latest.top().second;
        latest.pop();
        Involved& target = involved.at(r);
        const Step<Number>& step = rows_[r].steps[--target.steps];
        if (target.steps > 0) latest.emplace(rows_[r].steps[target.steps - 1].time, r);
        if (is_zero(target.weight)) continue;
        auto weight = target.weight;
        if constexpr (kIntegers<Number>) {
            const Wide missing = step.divisor / common_divisor(step.divisor, weight);
            if (missing != 1) {  // a common factor for all weights keeps them whole
                for (auto& [index, other] : involved) other.weight = narrow(other.weight * missing);
            }
            weight = target.weight / step.divisor;
            target.weight = narrow(weight * step.scale);
        }
        for (const auto& [other, factor] : step.others) {
            auto& sum = involve(other, step.time).weight;
            sum = add(sum, weight * factor);
            if constexpr (kIntegers<Number>) sum = narrow(sum);
        }
    }
    Sum weights;
    for (const auto& [index, other] : involved) weights.emplace_back(index, other.weight);
    collect(weights);
    if constexpr (kIntegers<Number>) {
        const Wide divisor = content(weights, 0);
        return divided(weights, weights.front().second < 0 ? -divisor : divisor);
    } else {
        return weights;
    }
}

template <class Number>
typename LinearSolution<Number>::Residue LinearElimination<Number>::residue(std::uint32_t row) const {
    typename Solution::Residue result;
    result.equations = combination(row);
    Sum givens;
    for (const auto& [equation, weight] : result.equations) append<Number>(givens, equations_[equation].givens, weight);
    collect(givens);
    if constexpr (kIntegers<Number>) {
        result.givens = divided(givens, 1);
    } else {
        result.givens = std::move(givens);
    }
    return result;
}

template <class Number>
LinearSolution<Number> LinearElimination<Number>::run() {
    load();
    std::vector<std::uint32_t> open(rows_.size());
    std::iota(open.begin(), open.end(), 0U);
    const int levels = level_.empty() ? 1 : 1 + *std::ranges::max_element(level_);
    for (int k = 0; k < levels && !open.empty(); ++k) solve_level(static_cast<std::uint8_t>(k), open);

    Solution solution;
    for (std::uint32_t unknown = 0; unknown < pivot_row_.size(); ++unknown) {
        if (pivot_row_[unknown] == kNone) {
            solution.free_unknowns.push_back(unknown);
            continue;
        }
        reduce(pivot_row_[unknown]);
        solution.solved.push_back(solved_row(unknown));
    }
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
        if (pivot_of_[r] == kNone) solution.residues.push_back(residue(r));
    }
    return solution;
}

}  // namespace

IntegerSolution solve_integer_linear(std::span<const IntegerEquation> equations, std::size_t unknown_count,
                                     std::span<const std::uint8_t> level) {
    try {
        return LinearElimination<std::int64_t>(equations, unknown_count, level).run();
    } catch (const Overflow&) {
        IntegerSolution failed;
        failed.overflow = true;
        return failed;
    }
}

ExactSolution solve_exact_linear(std::span<const ExactEquation> equations, std::size_t unknown_count,
                                 std::span<const std::uint8_t> level) {
    return LinearElimination<ExactNumber>(equations, unknown_count, level).run();
}

}  // namespace bondgraph::structure
