// The start problem in the order of its structure: which rows determine which unknowns, what is too much, what is
// missing; then one block after the other.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "bondgraph/simulation/start_problem.hpp"
#include "bondgraph/simulation/start_rank.hpp"
#include "bondgraph/simulation/start_reports.hpp"
#include "bondgraph/simulation/start_settle.hpp"
#include "bondgraph/structure/block_triangular.hpp"

namespace bondgraph::simulation {

using compile::StartCondition;
using structure::Incidence;
using structure::kUnmatched;
using structure::Matching;

namespace {

constexpr std::size_t kWhole = 300;  // unknowns from which Newton on everything is tried before blocks
constexpr double kRedundant = 1e-8;  // what a row that is met may be off, beside the magnitude of its terms
constexpr double kVerified = 1e-11;  // the same for a row that something was found from
constexpr double kMoved = 1e-9;

class BlockSolver {
   public:
    BlockSolver(StartProblem& problem, const std::vector<bool>& given)
        : p_(problem), given_(given), active_(problem.row_count(), true) {}

    void run() {
        do match();
        while (!solve());
        find_scales();
        for (const std::uint32_t r : extra_) check(r);
        for (const auto& [r, column] : flat_) check(r);
        diagnostics_.throw_if_errors();
        verify();
    }

    /// Columns that took their default.
    [[nodiscard]] bool took_default(std::uint32_t c) const {
        return matching_.column_of[p_.default_row(c)] != kUnmatched;
    }
    [[nodiscard]] double scale(std::uint32_t c) const { return scale_[c]; }

   private:
    // Rows that are not among `use` are left empty.
    Incidence rows_where(const std::vector<bool>& use) const {
        Incidence result;
        std::vector<std::uint32_t> row;
        for (std::uint32_t r = 0; r < p_.row_count(); ++r) {
            row.clear();
            for (const std::uint32_t c : use[r] ? p_.incidence().row(r) : std::span<const std::uint32_t>()) {
                if (!flat_.contains({r, c})) row.push_back(c);
            }
            result.add_row(row);
        }
        return result;
    }

    // What the model demands comes first, then what the user demands, then guesses, free parameters, defaults: rows
    // that have an unknown to determine keep one when others are added.
    void match() {
        std::vector<bool> use(p_.row_count(), false);
        matching_ = Matching{std::vector<std::uint32_t>(p_.column_count(), kUnmatched),
                             std::vector<std::uint32_t>(p_.row_count(), kUnmatched)};
        const auto extend = [&](std::size_t from, std::size_t to, const auto& wanted) {
            bool any = false;
            for (auto r = static_cast<std::uint32_t>(from); r < to; ++r) {
                if (!active_[r] || !wanted(r)) continue;
                use[r] = any = true;
            }
            if (any) matching_ = structure::maximum_matching(rows_where(use), p_.column_count(), std::move(matching_));
        };
        const auto all = [](std::uint32_t) { return true; };
        const std::size_t hard = p_.hard_count();
        extend(0, p_.residual_count(), all);
        extend(p_.residual_count(), hard, all);
        const auto column = [&](std::uint32_t r) { return r - p_.default_row(0); };
        extend(hard, p_.row_count(), [&](std::uint32_t r) { return column(r) < given_.size() && given_[column(r)]; });
        extend(hard, p_.row_count(), [&](std::uint32_t r) { return p_.is_parameter(column(r)); });
        extend(hard, p_.row_count(), [&](std::uint32_t r) { return p_.is_state(column(r)); });
        extend(hard, p_.row_count(), all);
        extra_.clear();
        for (std::uint32_t r = 0; r < hard; ++r) {
            if (matching_.column_of[r] == kUnmatched) extra_.push_back(r);
        }
        for (std::uint32_t r = 0; r < p_.row_count(); ++r) use[r] = matching_.column_of[r] != kUnmatched;
        blocks_ = structure::block_triangular(rows_where(use), p_.column_count(), matching_);
    }

    std::vector<double> values(std::span<const std::uint32_t> columns) const {
        std::vector<double> x;
        for (const std::uint32_t c : columns) x.push_back(p_.value(c));
        return x;
    }

    void set(std::span<const std::uint32_t> columns, const std::vector<double>& x) {
        for (std::size_t k = 0; k < columns.size(); ++k) p_.set(columns[k], x[k]);
    }

    // False when rows turned out to depend on others and were set aside.
    bool solve() {
        if (p_.column_count() > kWhole && solve_whole()) return true;
        for (std::size_t b = 0; b < blocks_.rows.rows(); ++b) {
            if (!solve_block(blocks_.rows.row(b), blocks_.columns.row(b))) return false;
        }
        return true;
    }

    bool solve_whole() {
        const NonlinearSystem s = p_.block(blocks_.rows.columns, blocks_.columns.columns);
        const auto before = values(blocks_.columns.columns);
        const NonlinearResult result = solve_newton(s, before);
        set(blocks_.columns.columns, result.solved() ? result.x : before);
        return result.solved();
    }

    bool solve_block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
        if (rows.size() == 1 && rows[0] >= p_.hard_count()) {
            p_.set(columns[0], p_.kept_value(columns[0]));
            return true;
        }
        const NonlinearSystem s = p_.block(rows, columns);
        const auto start = values(columns);
        NonlinearResult result = solve_newton(s, start);
        if (result.status == NonlinearResult::Status::singular) {
            const auto dependent = generically_dependent_rows(s, start, by_rank(rows));
            if (dependent && !dependent->empty()) {
                set(columns, start);
                if (exchange(rows, columns)) return false;
                // Terms of an unknown may cancel (v + (w - v)): the condition determines another one then.
                if (rows.size() == 1 && p_.condition(rows[0]) != nullptr)
                    flat_.emplace(rows[0], columns[0]);
                else
                    set_aside(rows, *dependent);
                return false;
            }
            if (result.zero_residual) {
                set(columns, start);
                return true;
            }
        }
        if (!result.solved()) result = solve_by_all_means(s, start);
        if (!result.solved() && give_way_at_rest(s, rows, columns, start)) return false;
        if (!result.solved() && release(rows, columns, {start, result.x})) return false;
        set(columns, result.x);
        if (!result.solved()) refuse_block(p_, rows, columns, result, open_states(true));
        return true;
    }

    // Positions can't be found from conditions that rates are 0: where all are, positions drop out of them. What such a
    // condition determines then is the rate that took its default, or nothing that others don't: it has to hold.
    bool give_way_at_rest(const NonlinearSystem& s, std::span<const std::uint32_t> rows,
                          std::span<const std::uint32_t> columns, const std::vector<double>& start) {
        std::vector<double> f(s.size());
        std::vector<double> entries(s.pattern.columns.size());
        if (s.size() > kWhole || !s.residual(start, f) || !s.jacobian(start, entries)) return false;
        if (dependent_rows(s.pattern, entries, by_rank(rows)).empty()) return false;
        set(columns, start);
        if (exchange(rows, columns)) return true;
        const std::vector<std::uint32_t> before = at_rest_before(rows);
        if (before.empty()) return false;
        active_[before.back()] = false;
        beside_.emplace_back(before.back(), std::vector<std::uint32_t>(rows.begin(), rows.end()));
        return true;
    }

    // Conditions of rest among rows and those that their other unknowns follow from; the one that gives way first last.
    std::vector<std::uint32_t> at_rest_before(std::span<const std::uint32_t> rows) const {
        std::vector<std::uint32_t> found(rows.begin(), rows.end());
        std::vector<bool> seen(p_.hard_count(), false);
        for (const std::uint32_t r : rows) seen[r] = true;
        for (std::size_t k = 0; k < found.size(); ++k) {
            for (const std::uint32_t c : p_.incidence().row(found[k])) {
                const std::uint32_t r = matching_.row_of[c];
                if (r >= p_.hard_count() || seen[r]) continue;
                seen[r] = true;
                found.push_back(r);
            }
        }
        std::erase_if(found, [&](std::uint32_t r) {
            const StartCondition* c = p_.condition(r);
            return c == nullptr || c->kind != StartCondition::Kind::steady;
        });
        std::ranges::sort(found);
        return found;
    }

    // Which guesses and defaults give way is decided by structure, and there may be no solution with the others as they
    // are: then all that the rows depend on give way together, as little as possible. Whether that led to a solution.
    bool release(std::span<const std::uint32_t> block, std::span<const std::uint32_t> columns,
                 const std::vector<std::vector<double>>& starts) {
        if (released_) return false;
        std::vector<std::uint32_t> rows(block.begin(), block.end());
        std::vector<std::uint32_t> all;
        std::vector<bool> seen(p_.column_count(), false);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (const std::uint32_t c : p_.incidence().row(rows[k])) {
                if (seen[c]) continue;
                seen[c] = true;
                all.push_back(c);
                const std::uint32_t r = matching_.row_of[c];
                if (r < p_.hard_count() && std::ranges::find(rows, r) == rows.end()) rows.push_back(r);
            }
        }
        if (all.size() <= rows.size() || all.size() > kWhole) return false;
        const NonlinearSystem s = p_.block(rows, all);
        std::vector<bool> kept;
        for (const std::uint32_t c : all) kept.push_back(p_.is_state(c));
        const std::vector<double> before = values(all);
        for (const std::vector<double>& start : starts) {
            set(all, before);
            set(columns, start);
            std::vector<double> x = values(all);
            if (!solve_underdetermined(s, kept, x)) continue;
            set(all, x);
            for (const std::uint32_t c : all) {
                if (took_default(c)) p_.replace_default(c, p_.value(c));
            }
            return released_ = true;
        }
        set(all, before);
        return false;
    }

    // Positions in a block: what the model demands, then values, equations, states at rest. The last ones give way.
    std::vector<std::uint32_t> by_rank(std::span<const std::uint32_t> rows) const {
        std::vector<std::uint32_t> order(rows.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return rows[a] < rows[b]; });
        return order;
    }

    // Rows that depend on each other in the unknowns they were given may together determine one that took its default:
    // that row of defaults gives way. Whether there was one.
    bool exchange(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
        std::vector<std::uint32_t> all(columns.begin(), columns.end());
        const Incidence& incidence = p_.incidence();
        for (const std::uint32_t r : rows) {
            for (const std::uint32_t c : incidence.row(r)) {
                if (took_default(c) && !flat_.contains({r, c})) all.push_back(c);
            }
        }
        std::sort(all.begin() + static_cast<std::ptrdiff_t>(columns.size()), all.end());
        all.erase(std::unique(all.begin() + static_cast<std::ptrdiff_t>(columns.size()), all.end()), all.end());
        if (all.size() == columns.size()) return false;
        const std::vector<double> entries = p_.jacobian();
        const auto independent = columns_beside(incidence, entries, rows, all, columns.size());
        for (const std::uint32_t c : independent) active_[p_.default_row(c)] = false;
        return !independent.empty();
    }

    void set_aside(std::span<const std::uint32_t> rows, const std::vector<std::uint32_t>& dependent) {
        for (const std::uint32_t k : dependent) {
            active_[rows[k]] = false;
            auto& with = beside_.emplace_back(rows[k], std::vector<std::uint32_t>{}).second;
            for (const std::uint32_t r : rows) {
                if (r != rows[k]) with.push_back(r);
            }
        }
    }

    // How large the terms are that each unknown was computed from: x = 1e6 − 1e6 has the size 1e6.
    void find_scales() {
        const Incidence& rows = p_.incidence();
        jacobian_ = p_.jacobian();
        scale_ = p_.natural_sizes();
        for (std::uint32_t c = 0; c < scale_.size(); ++c) scale_[c] = std::max(scale_[c], std::abs(p_.value(c)));
        std::vector<bool> inside(p_.column_count(), false);
        for (std::size_t b = 0; b < blocks_.rows.rows(); ++b) {
            const auto columns = blocks_.columns.row(b);
            for (const std::uint32_t c : columns) inside[c] = true;
            std::vector<double> largest(columns.size(), 0.0);
            double size = 0.0;
            for (const std::uint32_t r : blocks_.rows.row(b)) {
                const double terms = terms_of(r);
                double steepest = 0.0;
                for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e) {
                    if (inside[rows.columns[e]]) steepest = std::max(steepest, std::abs(jacobian_[e]));
                }
                if (steepest == 0.0) continue;
                size = std::max(size, terms / steepest);
                for (std::size_t k = 0; k < columns.size(); ++k) {
                    for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e) {
                        if (rows.columns[e] == columns[k])
                            largest[k] = std::max(largest[k], std::abs(jacobian_[e]) / steepest);
                    }
                }
            }
            for (std::size_t k = 0; k < columns.size(); ++k) {
                if (largest[k] > 0.0) scale_[columns[k]] = std::max(scale_[columns[k]], size / largest[k]);
                inside[columns[k]] = false;
            }
        }
    }

    // Whatever the search says of itself: each equation that determined something holds beside its own terms.
    void verify() {
        const std::vector<double> terms = p_.terms();
        for (std::size_t b = 0; b < blocks_.rows.rows(); ++b) {
            NonlinearResult found;
            for (const std::uint32_t r : blocks_.rows.row(b)) {
                if (r >= p_.hard_count()) continue;
                const auto [left, right] = p_.sides(r);
                const double scale = std::max({std::abs(left), std::abs(right), terms_of(r), terms[r]});
                found.residual.push_back(left == right ? 0.0 : std::abs(left - right) / scale);
                if (!(found.residual.back() <= kVerified)) found.x = {found.residual.back()};
            }
            if (!found.x.empty())
                refuse_block(p_, blocks_.rows.row(b), blocks_.columns.row(b), found, open_states(true));
        }
    }

    double terms_of(std::uint32_t r) const {
        const Incidence& rows = p_.incidence();
        double terms = 0.0;
        for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e)
            terms = std::max(terms, std::abs(jacobian_[e]) * scale_[rows.columns[e]]);
        return terms;
    }

    // A row that determines nothing has to hold by itself.
    void check(std::uint32_t r) {
        if (diagnostics_.has_errors()) return;  // one contradiction brings several violated rows
        const auto [left, right] = p_.sides(r);
        const double terms = std::max({std::abs(left), std::abs(right), terms_of(r)});
        if (std::abs(left - right) <= kRedundant * terms) return;
        if (r < p_.residual_count())
            report_violated_law(p_, r, involved(r), diagnostics_);
        else
            report_contradiction(p_, r, {left, right}, involved(r), open_states(false), diagnostics_);
    }

    /// The states that took their default; `unguessed`: that have no guess either.
    std::vector<std::string> open_states(bool unguessed) const {
        std::vector<std::string> names;
        for (std::uint32_t s = 0; p_.is_state(s); ++s) {
            if (took_default(s) && !(unguessed && s < given_.size() && given_[s])) names.push_back(p_.column_name(s));
        }
        return names;
    }

    // The rows that together demand too much, r among them.
    std::vector<std::uint32_t> involved(std::uint32_t r) const {
        for (const auto& [row, with] : beside_) {
            if (row == r) return connected_to(r, with);
        }
        std::vector<bool> use(p_.row_count(), false);
        for (std::uint32_t o = 0; o < p_.hard_count(); ++o) use[o] = matching_.column_of[o] != kUnmatched;
        use[r] = true;
        auto rows = structure::singular_parts(rows_where(use), p_.column_count(), matching_).overdetermined_rows;
        std::erase(rows, r);
        return connected_to(r, std::move(rows));
    }

    // Those of some rows that unknowns connect with one, perhaps through further rows.
    std::vector<std::uint32_t> connected_to(std::uint32_t r, std::vector<std::uint32_t> rows) const {
        const Incidence& of_rows = p_.incidence();
        const Incidence of_columns = of_rows.transposed(p_.column_count());
        std::vector<bool> met(of_rows.rows(), false);
        std::vector<bool> met_column(p_.column_count(), false);
        std::vector<std::uint32_t> open{r};
        met[r] = true;
        while (!open.empty()) {
            const std::uint32_t row = open.back();
            open.pop_back();
            for (const std::uint32_t column : of_rows.row(row)) {
                if (met_column[column]) continue;
                met_column[column] = true;
                for (const std::uint32_t other : of_columns.row(column)) {
                    if (!met[other]) open.push_back(other);
                    met[other] = true;
                }
            }
        }
        std::erase_if(rows, [&](std::uint32_t row) { return !met[row]; });
        return rows;
    }

    StartProblem& p_;
    const std::vector<bool>& given_;
    std::vector<bool> active_;
    Matching matching_;
    structure::BlockTriangular blocks_;
    std::vector<std::uint32_t> extra_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> flat_;  // conditions with unknowns that don't change them
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> beside_;  // set aside: with these other rows
    std::vector<double> jacobian_;
    std::vector<double> scale_;
    bool released_ = false;
    Diagnostics diagnostics_;
};

}  // namespace

void solve_start_problem(Evaluator& ev, Point& point, std::span<const double> defaults,
                         const std::vector<bool>& given) {
    std::optional<StartProblem> stated(std::in_place, ev, point, defaults);
    std::optional<BlockSolver> search(std::in_place, *stated, given);
    try {
        search->run();
    } catch (const ModelError&) {
        // What was said of the equations was said of far from where they hold: perhaps the model finds there by itself.
        stated.emplace(ev, point, defaults);
        if (!settle(*stated)) throw;
        search.emplace(*stated, given).run();
    }
    const StartProblem& problem = *stated;
    const BlockSolver& solver = *search;
    problem.write(point);
    ev.set_held(point.held);
    const auto& m = ev.model();
    for (std::uint32_t c = 0; c < problem.column_count(); ++c) {
        const bool state = problem.is_state(c);
        if (!state && !problem.is_parameter(c)) continue;
        const std::string name = problem.column_name(c);
        const double from = problem.default_value(c);
        const double to = problem.value(c);
        if (solver.took_default(c) && problem.kept_value(c) == from) {
            if (!state || !given[c]) point.defaulted.push_back({name, to, !state});
        } else if (!state || (!given[c] && std::abs(to - from) > kMoved * solver.scale(c))) {
            // A guess of the user's is reported under the name it was given.
            point.moved.push_back({state ? m.name(m.unknowns[c].variable) : name, from, to});
        }
    }
}

}  // namespace bondgraph::simulation
