// A point that satisfies all equations, hidden constraints included, and what the model fixes at the start.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "bondgraph/compile/forward_substitution.hpp"
#include "bondgraph/compile/given_values.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/structure/least_change.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::ElementId;

namespace {

constexpr double kLargest = 1e8;  // numbers in the dense part of a step: beyond, it would take minutes
constexpr int kIterations = 100;
constexpr int kAttempts = 4;
constexpr double kMet = 1e-9;      // of a row's own size
constexpr double kSquared = 1e-8;  // of a variable: the square of such a step is rounding
constexpr double kNoise = 1e-13;   // of the largest variable: steps below are those of rounding
constexpr double kBeside = 1e-4;   // of the largest unknown: what rows are judged by whose own terms vanish

/// How willingly a variable moves from where the start values leave it (see structure::least_change).
enum Reluctance : std::uint8_t { kFollows, kDefaults, kGuessed };

struct Condition {
    Expr residual;
    std::string name;
    SourcePosition position;
    bool fixed = true;
};

class StartSearch {
   public:
    StartSearch(const ReducedSystem& s, double time, std::vector<double> held)
        : s_(s),
          g_(s.graph()),
          graph_(*g_.expressions),
          time_(time),
          held_(std::move(held)),
          x_(s.variable_count() + g_.free_parameters.size(), 0.0) {
        column_depth_.assign(x_.size(), 0);
        if (held_.empty()) held_ = held_at_start();
        for (std::size_t k = 0; k < g_.free_parameters.size(); ++k)
            x_[s_.variable_count() + k] = held_[first_free() + k];
        find_reluctance();
    }

    ChoicePoint run(Given given) {
        collect();
        // Guesses first, alone: they only say where to begin.
        for (const bool fixed : {false, true}) {
            if (const auto alone = conditions(fixed); !alone.empty()) approach(tape(alone), {});
        }
        const std::vector<double> begin = x_;
        const std::vector<Expr> rows = equations();
        std::vector<Expr> all = rows;
        for (const Expr& c : conditions(true)) all.push_back(c);
        if (search(all, begin)) {
            std::vector<Expr> given_first = conditions(true);
            given_first.insert(given_first.end(), rows.begin(), rows.end());
            solve_singly(tape(given_first), x_, time_, held_, kMet);
            return finished();
        }
        const Nearest reached = nearest_;
        if (search(rows, begin)) {
            if (given == Given::where_possible) return finished();
            contradiction(reached);
        }
        no_solution();
    }

   private:
    /// The furthest that a search came: the level it could not pass, and what is left there.
    struct Nearest {
        std::vector<double> x{};
        std::size_t rows = 0;
        double violation = 0.0;
        std::uint32_t worst = 0;
        double left = 0.0;
    };

    [[nodiscard]] std::string left_text(const Nearest& n) const {
        std::string row;
        if (n.worst < s_.equations.size()) {
            const model::Element& e = g_.elements[s_.equations[n.worst].element.index()];
            row = fmt::format("an equation of '{}' ({})", e.name, e.type->name);
        } else {
            std::size_t k = n.worst - s_.equations.size();
            for (const Condition& c : conditions_) {
                if (c.fixed && k-- == 0) row = fmt::format("'{}'", c.name);
            }
        }
        return fmt::format("the nearest that was found leaves the sides of {} {:.3g} apart", row, n.left);
    }

    [[nodiscard]] std::size_t first_free() const { return 2 * g_.discretes.size(); }

    /// What discrete variables and free parameters start from; relations are false.
    std::vector<double> held_at_start() const {
        std::vector<double> held(s_.events ? s_.events->held_count : g_.held_count(), 0.0);
        for (std::size_t d = 0; d < g_.discretes.size(); ++d) held[2 * d] = held[2 * d + 1] = s_.causal->modes[d];
        for (std::size_t k = 0; k < g_.free_parameters.size(); ++k)
            held[first_free() + k] = g_.free_parameters[k].guess;
        return held;
    }

    /// Storages keep what they are given by default as far as equations allow, and so do their rates where these are
    /// candidates for states; everything else follows.
    void find_reluctance() {
        reluctance_.assign(x_.size(), kFollows);
        for (const model::Element& e : g_.elements) {
            for (const model::Element::Slot& slot : e.slots) {
                if (slot.kind != model::Element::Slot::Kind::state) continue;
                for (std::uint32_t k = 0; k < slot.size; ++k) {
                    std::uint32_t v = g_.slot_variable(slot.first + k).value;
                    for (; v != kNone && s_.derivative_of[v] != kNone; v = s_.derivative_of[v])
                        reluctance_[v] = kDefaults;
                }
            }
        }
        std::fill(reluctance_.begin() + static_cast<std::ptrdiff_t>(s_.variable_count()), reluctance_.end(), kDefaults);
    }

    void collect() {
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            const model::Element& e = g_.elements[i];
            for (const model::StartValue& s : e.starts) {
                const auto variable = model::element_variable(g_, ElementId(i), s.variable);
                for (Eigen::Index k = 0; k < variable->value.size(); ++k) {
                    const std::string index = variable->value.size() > 1 ? fmt::format("[{}]", k + 1) : "";
                    add(variable->value.data()[k], s.value.value.data()[k], e.name + "." + s.variable + index,
                        s.position, s.fixed);
                }
            }
            for (const model::GivenEquation& q : e.initial_equations)
                add(q.lhs, q.rhs, "an initial equation of " + e.name, q.position, true);
            if (e.steady || g_.steady) rest(e);
        }
        for (const model::GivenEquation& q : g_.initial_equations)
            add(q.lhs, q.rhs, "an initial equation", q.position, true);
    }

    void add(Expr value, Expr target, std::string name, SourcePosition position, bool fixed) {
        const Expr residual = with_free_parameters(s_.in_variables(value - target));
        if (residual.is_literal()) return;
        conditions_.push_back({residual, std::move(name), position, fixed});
        const Expr guessed = with_free_parameters(s_.in_variables(value));
        if (!fixed && !guessed.is_literal() && graph_[guessed.node()].op == Op::variable)
            reluctance_[graph_[guessed.node()].a] = kGuessed;
    }

    /// Free parameters are unknowns here, numbered after the variables.
    Expr with_free_parameters(Expr e) const {
        if (e.is_literal() || g_.free_parameters.empty()) return e;
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const expression::Node& node = graph_[n];
            const std::size_t k = node.op == Op::held ? node.a - first_free() : g_.free_parameters.size();
            if (k >= g_.free_parameters.size()) return std::nullopt;  // also where the difference wraps
            return graph_.variable(static_cast<std::uint32_t>(s_.variable_count() + k));
        })[0];
    }

    void rest(const model::Element& e) {
        for (const model::Element::Slot& slot : e.slots) {
            if (slot.kind != model::Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < slot.size; ++k) {
                const VariableId v = g_.slot_variable(slot.first + k);
                add(graph_.derivative(v.value), 0.0, "der(" + g_.variable_name(v) + ")", e.position, true);
            }
        }
    }

    std::vector<Expr> conditions(bool fixed) const {
        std::vector<Expr> list;
        for (const Condition& c : conditions_) {
            if (c.fixed == fixed) list.push_back(c.residual);
        }
        return list;
    }

    std::vector<Expr> equations() const {
        std::vector<Expr> list;
        for (const ReducedEquation& e : s_.equations) list.push_back(with_free_parameters(e.residual));
        return list;
    }

    PointTape tape(std::span<const Expr> rows) const {
        return {graph_, x_.size(), input_leaf_count(graph_, rows, s_.inputs.size()),
                s_.events ? s_.events->held_count : 0, rows};
    }

    /// The rows at x_: residuals and the Jacobian by the variables that occur, each row divided by its largest
    /// derivative.
    struct Linearized {
        std::vector<std::uint32_t> columns;
        Eigen::SparseMatrix<double> matrix;
        Eigen::VectorXd residual;
        Eigen::VectorXd scale;   ///< what the rows were divided by
        double violation = 0.0;  ///< the largest residual against the size of the terms in it
        std::size_t worst = 0;   ///< its row
        double left = 0.0;       ///< it itself
        bool finite = true;

        [[nodiscard]] bool holds() const { return finite && violation <= kMet; }
    };

    /// The largest unknown among those that come at a depth (see depths()) or before it. Those that come later say
    /// nothing: near a singular position rates and forces run away and would excuse any place.
    [[nodiscard]] std::vector<double> largest_from(const std::vector<std::uint32_t>& columns) const {
        std::vector<double> most(1 + (column_depth_.empty() ? 0 : std::ranges::max(column_depth_)), 0.0);
        for (const std::uint32_t c : columns)
            most[column_depth_[c]] = std::max(most[column_depth_[c]], std::abs(x_[c]));
        for (std::size_t d = most.size() - 1; d-- > 0;) most[d] = std::max(most[d], most[d + 1]);
        return most;
    }

    Linearized linearize(const PointTape& tape, std::span<const std::uint32_t> depth) const {
        Linearized l;
        const auto& pattern = tape.pattern();
        l.columns = pattern.columns;
        std::sort(l.columns.begin(), l.columns.end());
        l.columns.erase(std::unique(l.columns.begin(), l.columns.end()), l.columns.end());
        const auto entries = tape.jacobian(x_, time_, held_);
        const auto values = tape.values(x_, time_, held_);
        l.residual.resize(static_cast<Eigen::Index>(tape.size()));
        l.scale.setOnes(static_cast<Eigen::Index>(tape.size()));
        const auto rounding = tape.rounding(x_, time_, held_);
        const std::vector<double> most = largest_from(l.columns);
        std::vector<Eigen::Triplet<double>> list;
        list.reserve(entries.size());
        for (std::size_t r = 0; r < tape.size(); ++r) {
            const auto row = static_cast<Eigen::Index>(r);
            double largest = 0.0;
            double size = 0.0;
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                largest = std::max(largest, std::abs(entries[k]));
                size = std::max(size, std::abs(entries[k] * x_[pattern.columns[k]]));
                l.finite = l.finite && std::isfinite(entries[k]);
            }
            if (!(largest > 0.0)) largest = 1.0;
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                if (entries[k] == 0.0) continue;
                const auto at = std::lower_bound(l.columns.begin(), l.columns.end(), pattern.columns[k]);
                list.emplace_back(static_cast<int>(row), static_cast<int>(at - l.columns.begin()),
                                  entries[k] / largest);
            }
            l.residual(row) = values[r] / largest;
            l.scale(row) = largest;
            l.finite = l.finite && std::isfinite(values[r]);
            const double inside = rounding[r] / (0.5 * std::numeric_limits<double>::epsilon());
            if (std::isfinite(inside)) size = std::max(size, inside);
            size = std::max(size, kBeside * largest * most[depth.empty() ? 0 : depth[r]]);
            const double violated = values[r] == 0.0 ? 0.0 : std::abs(values[r]) / size;
            if (!(violated <= l.violation)) {
                l.violation = violated;
                l.worst = r;
                l.left = std::abs(values[r]);
            }
        }
        l.matrix.resize(l.residual.size(), static_cast<Eigen::Index>(l.columns.size()));
        l.matrix.setFromTriplets(list.begin(), list.end());
        return l;
    }

    [[nodiscard]] Eigen::VectorXd smallest_step(const Linearized& l) const {
        if (l.columns.empty()) return {};  // rows without unknowns
        std::vector<std::uint8_t> reluctance;
        for (const std::uint32_t c : l.columns) reluctance.push_back(reluctance_[c]);
        return structure::least_change(l.matrix, -l.residual, reluctance);
    }

    void refuse_large(const Linearized& l) const {
        const auto kept = std::count_if(l.columns.begin(), l.columns.end(),
                                        [&](std::uint32_t c) { return reluctance_[c] != kFollows; });
        if (static_cast<double>(kept) * static_cast<double>(l.residual.size()) > kLargest) too_large(l.columns.size());
    }

    /// Whether the point that a step has led to is as good as the next one.
    [[nodiscard]] bool negligible(const Eigen::VectorXd& step, const std::vector<std::uint32_t>& columns) const {
        double most = 0.0;
        for (const std::uint32_t c : columns) most = std::max(most, std::abs(x_[c]));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (std::abs(step(static_cast<Eigen::Index>(c))) >
                std::max(kSquared * std::abs(x_[columns[c]]), kNoise * most))
                return false;
        }
        return true;
    }

    /// Damped Gauss–Newton from x_; the rows at its end.
    Linearized approach(const PointTape& tape, std::span<const std::uint32_t> depth) {
        Linearized l = linearize(tape, depth);
        refuse_large(l);
        double last = l.violation;
        for (int iteration = 0; iteration < kIterations && l.finite && last > 0.0; ++iteration) {
            const Eigen::VectorXd step = smallest_step(l);
            if (!step.allFinite()) break;
            const std::vector<double> before = x_;
            const double norm = l.residual.norm();
            Linearized next;
            double factor = 1.0;
            for (; factor > 1e-3; factor *= 0.5) {
                for (std::size_t c = 0; c < l.columns.size(); ++c)
                    x_[l.columns[c]] = before[l.columns[c]] + factor * step(static_cast<Eigen::Index>(c));
                next = linearize(tape, depth);
                // Judged in the old scale: a new one would hide or feign progress.
                const double reached = next.residual.cwiseProduct(next.scale).cwiseQuotient(l.scale).norm();
                if (next.residual.allFinite() && reached <= (1.0 - 0.1 * factor) * norm) break;
            }
            const double now = next.violation;
            const bool better = next.residual.allFinite() && (factor > 1e-3 || now < last);
            if (!better) {
                x_ = before;
                break;
            }
            // What the last step leaves is its own square; violations that are met and halve no more are rounding.
            const bool done = next.holds() && ((l.holds() && now > 0.5 * last) ||
                                               (factor == 1.0 && last <= kSquared && negligible(step, l.columns)));
            l = std::move(next);
            last = now;
            if (done) break;
        }
        return l;
    }

    /// How often each row is still to be differentiated: constraints on positions come first, then those on rates, then
    /// the laws of forces (Pryce: A simple structural analysis method for DAEs, BIT 41, 2001). A condition comes as
    /// soon as all that it is about has come.
    std::vector<std::uint32_t> depths(const std::vector<Expr>& rows) {
        std::vector<std::uint32_t> most(s_.equations.size(), 0);
        for (const ReducedEquation& e : s_.equations) most[e.origin] = std::max(most[e.origin], e.order);
        const structure::Incidence pattern = tape(rows).pattern();
        column_depth_.assign(x_.size(), 0);
        std::vector<std::uint32_t> result;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::uint32_t depth = kNone;
            if (r < s_.equations.size()) {
                depth = most[s_.equations[r].origin] - s_.equations[r].order;
                for (const std::uint32_t c : pattern.row(r)) column_depth_[c] = std::max(column_depth_[c], depth);
            } else {
                for (const std::uint32_t c : pattern.row(r)) depth = std::min(depth, column_depth_[c]);
            }
            result.push_back(depth);
        }
        return result;
    }

    /// A part of the rows, and which of them.
    struct Level {
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> depth;
        PointTape tape;
    };

    std::vector<Level> levels(const std::vector<Expr>& rows) {
        const std::vector<std::uint32_t> depth = depths(rows);
        std::vector<Level> result;
        std::uint32_t from = 0;
        for (std::size_t r = 0; r < std::min(rows.size(), s_.equations.size()); ++r) from = std::max(from, depth[r]);
        for (std::uint32_t d = from + 1; d-- > 0;) {
            std::vector<std::uint32_t> which;
            std::vector<std::uint32_t> its_depth;
            std::vector<Expr> list;
            for (std::uint32_t r = 0; r < rows.size(); ++r) {
                if (depth[r] < d) continue;
                which.push_back(r);
                its_depth.push_back(std::min(depth[r], from));
                list.push_back(rows[r]);
            }
            result.push_back({std::move(which), std::move(its_depth), tape(list)});
        }
        return result;
    }

    /// From `begin` with what follows from it one by one; from `begin` alone, level by level, and from other points:
    /// those moved a little where that is a singular one (all zeros, mostly), then others about the guesses; at last
    /// all levels at once.
    bool search(const std::vector<Expr>& rows, const std::vector<double>& begin) {
        nearest_ = {};
        if (rows.empty()) return true;
        const std::vector<Level> list = levels(rows);
        x_ = begin;
        substitute(rows, list.back().tape.pattern());
        if (in_levels({&list.back(), 1})) return true;
        for (int attempt = 0; attempt < 3 * kAttempts; ++attempt) {
            x_ = begin;
            move(attempt % (2 * kAttempts), begin);
            if (attempt < 2 * kAttempts ? in_levels(list) : in_levels({&list.back(), 1})) return true;
        }
        return false;
    }

    void substitute(const std::vector<Expr>& rows, const structure::Incidence& pattern) {
        std::vector<bool> assumed;
        for (const std::uint8_t r : reluctance_) assumed.push_back(r != kFollows);
        const ForwardSubstitution follow(graph_, rows, pattern, assumed,
                                         input_leaf_count(graph_, rows, s_.inputs.size()),
                                         s_.events ? s_.events->held_count : 0);
        follow.apply(x_, time_, held_);
    }

    void move(int attempt, const std::vector<double>& begin) {
        for (std::size_t i = 0; attempt > 0 && i < x_.size(); ++i) {
            const double way =
                std::cos(1.0 + 3.7 * static_cast<double>(i + x_.size() * static_cast<std::size_t>(attempt)));
            if (attempt >= kAttempts) {
                x_[i] += way * std::pow(3.0, attempt - kAttempts - 1) * (begin[i] == 0.0 ? 1.0 : std::abs(begin[i]));
            } else if (begin[i] == 0.0) {
                x_[i] = way * std::pow(10.0, attempt - 3);
            }
        }
    }

    bool in_levels(std::span<const Level> list) {
        for (std::size_t k = 0; k < list.size(); ++k) {
            const Level& level = list[k];
            Linearized l = approach(level.tape, level.depth);
            if (!l.holds() && k > 0) {
                // Large rates and forces leave their rounding in places that are 0.
                for (std::size_t before = 0; before < k; ++before) approach(list[before].tape, list[before].depth);
                l = linearize(level.tape, level.depth);
            }
            if (l.holds()) continue;
            const bool nearer = level.rows.size() == nearest_.rows ? l.violation < nearest_.violation
                                                                   : level.rows.size() > nearest_.rows;
            if (nearest_.x.empty() || (l.finite && nearer))
                nearest_ = {x_, level.rows.size(), l.violation, level.rows[l.worst], l.left};
            return false;
        }
        return true;
    }

    ChoicePoint finished() {
        for (std::size_t k = 0; k < g_.free_parameters.size(); ++k)
            held_[first_free() + k] = x_[s_.variable_count() + k];
        std::vector<Expr> eliminated;
        for (const Assignment& a : s_.eliminated) {
            x_[a.target.index()] = 0.0;
            eliminated.push_back(a.value);
        }
        if (!eliminated.empty()) {
            const auto values = tape(eliminated).values(x_, time_, held_);
            for (std::size_t i = 0; i < values.size(); ++i) x_[s_.eliminated[i].target.index()] = values[i];
        }
        x_.resize(s_.variable_count());
        return {std::move(x_), time_, std::move(held_)};
    }

    /// The equations alone can be met: name the fixed values that are missed most.
    [[noreturn]] void contradiction(const Nearest& reached) {
        x_ = reached.x;
        const auto list = conditions(true);
        const auto values = tape(list).values(x_, time_, held_);
        std::vector<std::pair<double, const Condition*>> missed;
        std::size_t k = 0;
        for (const Condition& c : conditions_) {
            if (c.fixed) missed.emplace_back(-std::abs(values[k++]), &c);
        }
        std::stable_sort(missed.begin(), missed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::string others;
        for (std::size_t i = 1; i < missed.size() && i < 6; ++i) {
            if (std::abs(missed[i].first) > 1e-3 * std::abs(missed[0].first))
                others += fmt::format("{}'{}' in {}", others.empty() ? "" : ", ", missed[i].second->name,
                                      g_.line_text(missed[i].second->position, missed[0].second->position));
        }
        Diagnostics d;
        d.error("BG-I001", missed[0].second->position,
                fmt::format("start values contradict the constraints: '{}' can't be met with the others",
                            missed[0].second->name),
                {{"where", others.empty() ? "no other start value gives way to it" : "nor can " + others},
                 {"note", left_text(reached)},
                 {"try", "fix fewer of them, or use guess: for those that may move"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void no_solution() {
        const ReducedEquation& e = s_.equations[nearest_.worst];
        const model::Element& element = g_.elements[e.element.index()];
        Diagnostics d;
        d.error(
            "BG-I003", e.position,
            fmt::format("no values were found at time {:g} that satisfy all equations and their derivatives", time_),
            {{"where", fmt::format("an equation of '{}' ({}) is violated most", element.name, element.type->name)},
             {"note", left_text(nearest_)},
             {"try", "give a guess: for the variables of this constraint, near a possible position"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    [[noreturn]] void too_large(std::size_t size) const {
        Diagnostics d;
        d.error("BG-I003", g_.model_position,
                fmt::format("constraints between states in a model of {} unknowns: more than the start is solved for",
                            size),
                {{"try", "describe the parts by independent coordinates"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    const ReducedSystem& s_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    double time_;
    std::vector<double> held_;
    std::vector<double> x_;  ///< variables, then free parameters
    std::vector<std::uint8_t> reluctance_;
    std::vector<std::uint32_t> column_depth_;
    std::vector<Condition> conditions_;
    Nearest nearest_;
};

}  // namespace

ChoicePoint consistent_start(const ReducedSystem& system, double time, std::vector<double> held, Given given) {
    return StartSearch(system, time, std::move(held)).run(given);
}

}  // namespace bondgraph::compile
