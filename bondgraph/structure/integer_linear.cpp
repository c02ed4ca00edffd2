#include "bondgraph/structure/integer_linear.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

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

using WideTerms = std::vector<std::pair<std::uint32_t, Wide>>;

/// Sorts by index, adds up equal indices and drops zeros.
void collect(WideTerms& terms) {
    std::ranges::sort(terms, {}, [](const auto& term) { return term.first; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size();) {
        std::pair<std::uint32_t, Wide> sum{terms[i].first, 0};
        for (; i < terms.size() && terms[i].first == sum.first; ++i) sum.second = add(sum.second, terms[i].second);
        if (sum.second != 0) terms[kept++] = sum;
    }
    terms.resize(kept);
}

void append(WideTerms& sum, const IntegerTerms& terms, std::int64_t factor) {
    for (const auto& [index, coefficient] : terms) sum.emplace_back(index, static_cast<Wide>(factor) * coefficient);
}

Wide content(const WideTerms& terms, Wide divisor) {
    for (const auto& [index, coefficient] : terms) {
        if (divisor == 1) break;
        divisor = common_divisor(divisor, coefficient);
    }
    return divisor;
}

IntegerTerms divided(const WideTerms& terms, Wide divisor) {
    IntegerTerms result;
    result.reserve(terms.size());
    for (const auto& [index, coefficient] : terms) result.emplace_back(index, narrow(coefficient / divisor));
    return result;
}

std::int64_t coefficient_of(const IntegerTerms& terms, std::uint32_t index) {
    const auto found = std::ranges::lower_bound(terms, index, {}, [](const auto& term) { return term.first; });
    assert(found != terms.end() && found->first == index);
    return found->second;
}

/// What was done to a row at one time: row ← (scale·row + Σ factor·other row) / divisor.
struct Step {
    std::size_t time = 0;
    std::int64_t scale = 1;
    std::int64_t divisor = 1;
    IntegerTerms others;
};

/// A row holds unknowns solved for by other rows only until it is reduced; `steps` is its history, from which the
/// combination of equations it stands for can be recovered. Carrying the combinations along would fill them all in,
/// though they are wanted for the few redundant rows only.
struct WorkRow {
    IntegerTerms unknowns;
    IntegerTerms givens;
    std::vector<Step> steps;
};

class Elimination {
   public:
    Elimination(std::span<const IntegerEquation> equations, std::size_t unknown_count,
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

    IntegerSolution run();

   private:
    void load();
    /// Solves a row for an unknown of this level or a lower one; false if it holds unknowns of higher ones only.
    bool eliminate(std::uint32_t row, std::uint8_t level);
    void solve_level(std::uint8_t level, std::vector<std::uint32_t>& open);
    [[nodiscard]] std::uint8_t level(std::uint32_t unknown) const {
        return unknown < level_.size() ? level_[unknown] : std::uint8_t{0};
    }
    [[nodiscard]] std::uint32_t choose_pivot(const IntegerTerms& unknowns) const;
    void reduce(std::uint32_t row);
    void substitute(std::uint32_t row);
    void store(std::uint32_t row, WideTerms unknowns, WideTerms givens, Step step);
    /// The row that solves for the unknown, if that is another one than `row`.
    [[nodiscard]] std::uint32_t solving_row(std::uint32_t row, std::uint32_t unknown) const {
        return pivot_row_[unknown] == row ? kNone : pivot_row_[unknown];
    }
    [[nodiscard]] bool is_reduced(std::uint32_t row) const {
        return std::ranges::all_of(rows_[row].unknowns,
                                   [&](const auto& term) { return solving_row(row, term.first) == kNone; });
    }
    [[nodiscard]] IntegerSolution::Row solved_row(std::uint32_t unknown) const;
    [[nodiscard]] IntegerTerms combination(std::uint32_t row) const;
    [[nodiscard]] IntegerSolution::Residue residue(std::uint32_t row) const;

    std::span<const IntegerEquation> equations_;
    std::span<const std::uint8_t> level_;
    std::vector<WorkRow> rows_;
    std::vector<std::uint32_t> pivot_row_;             ///< by unknown: the row that solves for it
    std::vector<std::uint32_t> pivot_of_;              ///< by row: the unknown it solves for
    std::vector<std::uint32_t> waiting_rows_;          ///< by unknown: equations not yet taken that name it
    std::vector<std::vector<std::uint32_t>> rows_of_;  ///< by unknown: equations that name it
    std::vector<std::uint32_t> open_unknowns_;         ///< by row: unknowns of its equation not yet solved for
    std::vector<bool> seen_;                           ///< by row: no longer waiting
    std::size_t time_ = 0;
};

void Elimination::load() {
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
        WideTerms unknowns;
        WideTerms givens;
        append(unknowns, equations_[r].unknowns, 1);
        append(givens, equations_[r].givens, 1);
        collect(unknowns);
        collect(givens);
        store(r, std::move(unknowns), std::move(givens), Step{});
        open_unknowns_[r] = static_cast<std::uint32_t>(rows_[r].unknowns.size());
        for (const auto& [unknown, coefficient] : rows_[r].unknowns) {
            assert(unknown < pivot_row_.size());
            rows_of_[unknown].push_back(r);
            ++waiting_rows_[unknown];
        }
    }
}

/// Divides by the common divisor and records the step, unless it changes nothing.
void Elimination::store(std::uint32_t row, WideTerms unknowns, WideTerms givens, Step step) {
    const Wide divisor = std::max<Wide>(1, content(givens, content(unknowns, 0)));
    rows_[row].unknowns = divided(unknowns, divisor);
    rows_[row].givens = divided(givens, divisor);
    if (divisor == 1 && step.others.empty()) return;
    step.divisor = narrow(divisor);
    step.time = time_++;
    rows_[row].steps.push_back(std::move(step));
}

/// Replaces the unknowns solved for by other rows, which must be reduced themselves, all at once.
void Elimination::substitute(std::uint32_t row) {
    const IntegerTerms& terms = rows_[row].unknowns;
    Wide scale = 1;  // makes every quotient below whole
    for (const auto& [unknown, coefficient] : terms) {
        const std::uint32_t other = solving_row(row, unknown);
        if (other == kNone) continue;
        const Wide pivot = magnitude(coefficient_of(rows_[other].unknowns, unknown));
        const Wide denominator = pivot / common_divisor(pivot, coefficient);
        scale = narrow(scale / common_divisor(scale, denominator) * denominator);
    }
    Step step;
    step.scale = static_cast<std::int64_t>(scale);
    WideTerms unknowns;
    WideTerms givens;
    append(unknowns, terms, step.scale);
    append(givens, rows_[row].givens, step.scale);
    for (const auto& [unknown, coefficient] : terms) {
        const std::uint32_t other = solving_row(row, unknown);
        if (other == kNone) continue;
        const std::int64_t factor = narrow(-scale * coefficient / coefficient_of(rows_[other].unknowns, unknown));
        append(unknowns, rows_[other].unknowns, factor);
        append(givens, rows_[other].givens, factor);
        step.others.emplace_back(other, factor);
    }
    if (step.others.empty()) return;
    collect(unknowns);
    collect(givens);
    store(row, std::move(unknowns), std::move(givens), std::move(step));
}

/// Expresses the row in unknowns not solved for. The rows it refers to are reduced first and stay so: chains of
/// references get short as they are followed. A row refers only to unknowns solved for after it, so this ends.
void Elimination::reduce(std::uint32_t row) {
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

std::uint32_t Elimination::choose_pivot(const IntegerTerms& unknowns) const {
    const auto cost = [&](const auto& term) {
        return std::tuple(level(term.first), magnitude(term.second), waiting_rows_[term.first], term.first);
    };
    return std::ranges::min_element(unknowns, {}, cost)->first;
}

bool Elimination::eliminate(std::uint32_t row, std::uint8_t level) {
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
void Elimination::solve_level(std::uint8_t level, std::vector<std::uint32_t>& open) {
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

IntegerSolution::Row Elimination::solved_row(std::uint32_t unknown) const {
    const WorkRow& row = rows_[pivot_row_[unknown]];
    IntegerSolution::Row result;
    result.unknown = unknown;
    const std::int64_t pivot = coefficient_of(row.unknowns, unknown);
    const std::int64_t sign = pivot < 0 ? 1 : -1;
    result.denominator = -sign * pivot;
    for (const auto& [other, coefficient] : row.unknowns) {
        if (other != unknown) result.free_unknowns.emplace_back(other, sign * coefficient);
    }
    for (const auto& [given, coefficient] : row.givens) result.givens.emplace_back(given, sign * coefficient);
    return result;
}

/// Walks the histories backwards in time, latest step of all rows involved first, moving each row's weight to the rows
/// it was made of. What remains are weights of the original equations.
IntegerTerms Elimination::combination(std::uint32_t row) const {
    struct Involved {
        Wide weight = 0;
        std::size_t steps = 0;  ///< of the row's history that are still to be undone
    };
    std::map<std::uint32_t, Involved> involved;
    std::priority_queue<std::pair<std::size_t, std::uint32_t>> latest;
    const auto involve = [&](std::uint32_t r, std::size_t before) -> Involved& {
        const auto [entry, is_new] = involved.try_emplace(r);
        if (is_new) {
            const auto& steps = rows_[r].steps;
            const auto end = std::ranges::lower_bound(steps, before, {}, &Step::time);
            entry->second.steps = static_cast<std::size_t>(end - steps.begin());
            if (end != steps.begin()) latest.emplace(std::prev(end)->time, r);
        }
        return entry->second;
    };
    involve(row, time_).weight = 1;
    while (!latest.empty()) {
        const std::uint32_t r = latest.top().second;
        latest.pop();
        Involved& target = involved.at(r);
        const Step& step = rows_[r].steps[--target.steps];
        if (target.steps > 0) latest.emplace(rows_[r].steps[target.steps - 1].time, r);
        if (target.weight == 0) continue;
        const Wide missing = step.divisor / common_divisor(step.divisor, target.weight);
        if (missing != 1) {  // a common factor for all weights keeps them whole
            for (auto& [index, other] : involved) other.weight = narrow(other.weight * missing);
        }
        const Wide weight = target.weight / step.divisor;
        target.weight = narrow(weight * step.scale);
        for (const auto& [other, factor] : step.others) {
            Wide& sum = involve(other, step.time).weight;
            sum = narrow(sum + weight * factor);
        }
    }
    WideTerms weights;
    for (const auto& [index, other] : involved) weights.emplace_back(index, other.weight);
    collect(weights);
    const Wide divisor = content(weights, 0);
    return divided(weights, weights.front().second < 0 ? -divisor : divisor);
}

IntegerSolution::Residue Elimination::residue(std::uint32_t row) const {
    IntegerSolution::Residue result;
    result.equations = combination(row);
    WideTerms givens;
    for (const auto& [equation, weight] : result.equations) append(givens, equations_[equation].givens, weight);
    collect(givens);
    result.givens = divided(givens, 1);
    return result;
}

IntegerSolution Elimination::run() {
    load();
    std::vector<std::uint32_t> open(rows_.size());
    std::iota(open.begin(), open.end(), 0U);
    const int levels = level_.empty() ? 1 : 1 + *std::ranges::max_element(level_);
    for (int k = 0; k < levels && !open.empty(); ++k) solve_level(static_cast<std::uint8_t>(k), open);

    IntegerSolution solution;
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
        return Elimination(equations, unknown_count, level).run();
    } catch (const Overflow&) {
        IntegerSolution failed;
        failed.overflow = true;
        return failed;
    }
}

}  // namespace bondgraph::structure
