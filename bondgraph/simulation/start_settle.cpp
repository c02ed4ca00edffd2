#include "bondgraph/simulation/start_settle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace bondgraph::simulation {
namespace {

constexpr std::size_t kLargestSettled = 3000;  // unknowns
constexpr int kMostSettling = 150;
constexpr double kLonger = 3.0;
constexpr double kShorter = 0.05;
constexpr double kFirstTried = 1.0;          // s
constexpr double kShortestSettling = 1e-21;  // s

/// Of each condition the state that shall be at rest; nothing where there are other conditions, or other states.
std::optional<std::vector<std::uint32_t>> states_at_rest(const StartProblem& p) {
    std::vector<std::uint32_t> states;
    for (auto r = static_cast<std::uint32_t>(p.residual_count()); r < p.hard_count(); ++r) {
        const auto columns = p.incidence().row(r);
        if (p.condition(r)->kind != compile::StartCondition::Kind::steady || columns.size() != 1) return std::nullopt;
        const auto first = p.rate(0);
        if (columns[0] < first || p.is_parameter(columns[0])) return std::nullopt;
        states.push_back(columns[0] - first);
    }
    const bool all = p.column_count() == p.hard_count() && !states.empty();
    return all ? std::optional(std::move(states)) : std::nullopt;
}

/// One step of implicit Euler: of each state x − before = step·x'. A step of 0 keeps the states as they are.
class Step {
   public:
    Step(NonlinearSystem rest, std::vector<std::uint32_t> states)
        : rest_(std::move(rest)), states_(std::move(states)), first_(rest_.size() - states_.size()) {
        system_.interrupted = rest_.interrupted;
        system_.typical = rest_.typical;
        for (std::size_t r = 0; r < rest_.size(); ++r) {
            std::vector<std::uint32_t> row(rest_.pattern.row(r).begin(), rest_.pattern.row(r).end());
            if (r >= first_) row.insert(row.begin(), states_[r - first_]);  // before its rate
            system_.pattern.add_row(row);
        }
        rest_entries_.resize(rest_.pattern.columns.size());
        system_.residual = [this](std::span<const double> x, std::span<double> f) { return residual(x, f); };
        system_.jacobian = [this](std::span<const double> x, std::span<double> e) { return jacobian(x, e); };
        system_.rounding = [this](std::span<const double> x) { return rounding(x); };
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    NonlinearResult take(double step, const std::vector<double>& from) {
        step_ = step;
        before_ = from;
        return step == 0.0 ? solve_by_all_means(system_, from) : solve_newton(system_, from);
    }

   private:
    bool residual(std::span<const double> x, std::span<double> f) {
        const bool finite = rest_.residual(x, f);
        for (std::size_t k = 0; k < states_.size(); ++k)
            f[first_ + k] = step_ * f[first_ + k] - (x[states_[k]] - before_[states_[k]]);
        return finite;
    }
    bool jacobian(std::span<const double> x, std::span<double> entries) {
        const bool finite = rest_.jacobian(x, rest_entries_);
        const std::size_t before = rest_.pattern.starts[first_];
        std::copy_n(rest_entries_.begin(), before, entries.begin());
        for (std::size_t k = 0; k < states_.size(); ++k) {
            entries[before + 2 * k] = -1.0;
            entries[before + 2 * k + 1] = step_ * rest_entries_[before + k];
        }
        return finite;
    }
    std::vector<double> rounding(std::span<const double> x) {
        std::vector<double> bounds = rest_.rounding(x);
        for (std::size_t k = 0; k < states_.size(); ++k) bounds[first_ + k] *= step_;
        return bounds;
    }

    NonlinearSystem rest_;
    NonlinearSystem system_;
    std::vector<std::uint32_t> states_;
    std::size_t first_;
    double step_ = 0.0;
    std::vector<double> before_;
    std::vector<double> rest_entries_;
};

/// Whether a step goes about as far as rates at its beginning say: then it follows time, and doesn't jump to some place
/// where the equations hold.
bool follows_time(const NonlinearResult& from, const NonlinearResult& to, double length, std::size_t first,
                  std::span<const std::uint32_t> states) {
    constexpr double kApart = 0.5;
    for (const std::uint32_t s : states) {
        const double said = length * from.x[first + s];
        const double rounding = 1e-14 * std::abs(from.x[s]);
        if (!(std::abs(to.x[s] - from.x[s] - said) <= kApart * std::abs(said) + rounding)) return false;
    }
    return true;
}

/// Steps from x until Newton's method leads from there to rest.
bool come_to_rest(const NonlinearSystem& rest, Step& step, std::span<const std::uint32_t> states,
                  std::vector<double>& x) {
    NonlinearResult now = step.take(0.0, x);
    double length = kFirstTried;
    int well = 0;
    for (int k = 0; now.solved() && k < kMostSettling && length >= kShortestSettling; ++k) {
        NonlinearResult next = step.take(length, now.x);
        if (!next.solved() || (well == 0 && !follows_time(now, next, length, rest.size() - states.size(), states))) {
            length *= kShorter;
            continue;
        }
        now = std::move(next);
        length *= kLonger;
        if (++well % 4 != 0) continue;
        NonlinearResult last = solve_newton(rest, now.x);
        if (!last.solved()) continue;
        x = std::move(last.x);
        return true;
    }
    return false;
}

}  // namespace

bool settle(StartProblem& problem) {
    const auto states = states_at_rest(problem);
    if (!states || problem.column_count() > kLargestSettled) return false;
    std::vector<std::uint32_t> rows(problem.hard_count());
    std::vector<std::uint32_t> columns(problem.column_count());
    std::iota(rows.begin(), rows.end(), 0U);
    std::iota(columns.begin(), columns.end(), 0U);
    std::vector<double> x;
    for (const std::uint32_t c : columns) x.push_back(problem.value(c));
    const std::vector<double> before = x;
    const NonlinearSystem rest = problem.block(rows, columns);
    Step step(rest, *states);
    const bool found = come_to_rest(rest, step, *states, x);
    for (const std::uint32_t c : columns) problem.set(c, found ? x[c] : before[c]);
    return found;
}

}  // namespace bondgraph::simulation
