#include "bondgraph/compile/small_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::ExprMatrix;
using expression::Op;

namespace {

/// Of ratios at neighbours, a hundredth of the coordinates away: far above what these are off the constraints by, far
/// below what different functions of the coordinates change by.
constexpr double kAlike = 1e-6;
constexpr std::size_t kMostBetween = 60;
constexpr std::size_t kMostNodes = 4000;  // beyond, looking at a determinant costs more than it saves

/// Without a row and a column.
ExprMatrix without(const ExprMatrix& m, Eigen::Index row, Eigen::Index column) {
    ExprMatrix result(m.rows() - 1, m.cols() - 1);
    for (Eigen::Index r = 0; r < result.rows(); ++r) {
        for (Eigen::Index c = 0; c < result.cols(); ++c) result(r, c) = m(r + (r >= row), c + (c >= column));
    }
    return result;
}

/// Along the row that says least, so that fewest minors are needed.
Expr determinant(const ExprMatrix& m) {
    if (m.rows() == 0) return 1.0;
    if (m.rows() == 1) return m(0, 0);
    Eigen::Index best = 0;
    Eigen::Index fewest = m.cols() + 1;
    for (Eigen::Index r = 0; r < m.rows(); ++r) {
        Eigen::Index count = 0;
        for (Eigen::Index c = 0; c < m.cols(); ++c) count += m(r, c).is_constant(0.0) ? 0 : 1;
        if (count < fewest) {
            fewest = count;
            best = r;
        }
    }
    Expr sum = 0.0;
    for (Eigen::Index c = 0; c < m.cols(); ++c) {
        if (m(best, c).is_constant(0.0)) continue;
        const Expr term = m(best, c) * determinant(without(m, best, c));
        sum = (best + c) % 2 == 0 ? sum + term : sum - term;
    }
    return sum;
}

}  // namespace

SmallBlocks::SmallBlocks(const ReducedSystem& system, Surroundings& surroundings, const ClosedForms& forms)
    : s_(system),
      surroundings_(surroundings),
      forms_(forms),
      graph_(*system.graph().expressions),
      value_(system.variable_count()) {}

void SmallBlocks::stays_regular(std::span<const Expr> residuals, std::span<const Expr> unknowns) {
    const auto n = static_cast<Eigen::Index>(unknowns.size());
    if (residuals.size() != unknowns.size() || unknowns.size() > kLargest) return;
    ExprMatrix m(n, n);
    for (Eigen::Index r = 0; r < n; ++r) {
        const std::vector<Expr> slopes = expression::gradient(residuals[static_cast<std::size_t>(r)], unknowns);
        for (Eigen::Index c = 0; c < n; ++c) m(r, c) = slopes[static_cast<std::size_t>(c)];
    }
    determinants_.push_back({determinant(m)});
}

void SmallBlocks::solved(const Assignment& assignment) { value_[assignment.target.index()] = assignment.value; }

bool SmallBlocks::solve(std::vector<Assignment>& assignments, std::span<const std::uint32_t> between,
                        std::span<const std::uint32_t> members) {
    if (members.size() > kLargest || between.size() > kMostBetween) return false;
    const auto equations = linear(assignments, between, members);
    if (!equations) return false;
    const ExprMatrix& m = equations->matrix;
    const Expr divisor = determinant(m);
    if (!is_regular(divisor)) return false;
    for (Eigen::Index c = 0; c < m.cols(); ++c) {
        Expr sum = 0.0;
        for (Eigen::Index r = 0; r < m.rows(); ++r) {
            const Expr rest = equations->rest[static_cast<std::size_t>(r)];
            if (rest.is_constant(0.0)) continue;
            const Expr term = determinant(without(m, r, c)) * rest;
            sum = (r + c) % 2 == 0 ? sum + term : sum - term;
        }
        Assignment& a = assignments[members[static_cast<std::size_t>(c)]];
        a.value = -sum / divisor;
        a.implicit = false;
    }
    for (const std::uint32_t a : members) solved(assignments[a]);
    return true;
}

// Column k is the k-th member's target, row k its equation.
std::optional<SmallBlocks::Linear> SmallBlocks::linear(const std::vector<Assignment>& assignments,
                                                       std::span<const std::uint32_t> between,
                                                       std::span<const std::uint32_t> members) const {
    std::map<std::uint32_t, Expr> followed;  // node of a variable → in terms of the members' targets
    const auto put_in = [&](Expr e) {
        if (e.is_literal() || followed.empty()) return e;
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const auto at = followed.find(n);
            return at == followed.end() ? std::nullopt : std::optional(at->second);
        })[0];
    };
    for (const std::uint32_t a : between) {
        if (assignments[a].implicit) return std::nullopt;
        followed.emplace(graph_.variable(assignments[a].target.value).node(), put_in(assignments[a].value));
    }
    std::vector<Expr> leaves;
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t a : members) {
        leaves.push_back(graph_.variable(assignments[a].target.value));
        nodes.push_back(leaves.back().node());
    }
    const auto is_unknown = [&](std::uint32_t n) { return std::ranges::find(nodes, n) != nodes.end(); };
    const auto n = static_cast<Eigen::Index>(members.size());
    Linear result{.matrix = ExprMatrix(n, n), .rest = {}};
    for (Eigen::Index r = 0; r < n; ++r) {
        const Assignment& a = assignments[members[static_cast<std::size_t>(r)]];
        const Expr residual = put_in(a.implicit ? a.value : leaves[static_cast<std::size_t>(r)] - a.value);
        if (residual.is_literal()) return std::nullopt;
        const std::vector<Expr> slopes = expression::gradient(residual, leaves);
        for (Eigen::Index c = 0; c < n; ++c) {
            const Expr slope = slopes[static_cast<std::size_t>(c)];
            result.matrix(r, c) = slope;
            if (slope.is_literal()) continue;
            const std::array roots{slope.node()};
            if (std::ranges::any_of(expression::reachable(graph_, roots), is_unknown)) return std::nullopt;
        }
        const std::array roots{residual};
        result.rest.push_back(expression::substitute(graph_, roots, [&](std::uint32_t node) -> std::optional<Expr> {
            return is_unknown(node) ? std::optional(Expr(0.0)) : std::nullopt;
        })[0]);
    }
    return result;
}

bool SmallBlocks::is_regular(Expr determinant) {
    if (determinant.is_constant()) return determinant.constant() != 0.0;
    const std::vector<double> own = at_neighbours(determinant);
    const std::vector<double> ones(own.size(), 1.0);
    const auto proportional = [&](std::span<const double> other) {
        if (own.size() < 2 || other.size() != own.size()) return false;
        for (std::size_t k = 0; k < own.size(); ++k) {
            const double a = own[k] * other[0];
            const double b = own[0] * other[k];
            if (b == 0.0 || !(std::abs(a - b) <= kAlike * std::abs(b))) return false;
        }
        return true;
    };
    if (proportional(ones)) return true;
    const bool known = std::ranges::any_of(determinants_, [&](Determinant& d) {
        if (d.at_neighbours.empty()) d.at_neighbours = at_neighbours(d.value);
        return proportional(d.at_neighbours);
    });
    if (known || determinants_.empty()) return known;
    const std::optional<Expr> open = in_open_variables(determinant);
    return open && forms_.never_vanishes(*open);
}

std::vector<double> SmallBlocks::at_neighbours(Expr e) {
    const std::optional<Expr> open = in_open_variables(e);
    std::vector<double> result;
    if (!open) return result;
    const std::array outputs{*open};
    const PointValues tape(graph_, s_.variable_count(), input_leaf_count(graph_, outputs, s_.inputs.size()),
                           s_.events ? s_.events->held_count : 0, outputs);
    for (const ChoicePoint& p : surroundings_.points()) result.push_back(tape.values(p.values, p.time, p.held)[0]);
    return result;
}

// A stack of its own: chains may be long. Nothing where it gets too large, or where rates of states stand in it.
std::optional<Expr> SmallBlocks::in_open_variables(Expr e) {
    if (e.is_literal()) return e;
    const auto leaves = [&](Expr of, bool& fits) {
        std::vector<std::uint32_t> open;
        if (of.is_literal()) return open;
        const std::array roots{of.node()};
        const auto nodes = expression::reachable(graph_, roots);
        fits = fits && nodes.size() <= kMostNodes;
        for (const std::uint32_t n : nodes) {
            fits = fits && graph_[n].op != Op::derivative;
            if (graph_[n].op == Op::variable && value_[graph_[n].a] && !in_open_.contains(graph_[n].a))
                open.push_back(graph_[n].a);
        }
        return open;
    };
    const auto replaced = [&](Expr of) {
        if (of.is_literal()) return of;
        const std::array roots{of};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            if (graph_[n].op != Op::variable) return std::nullopt;
            const auto at = in_open_.find(graph_[n].a);
            return at == in_open_.end() ? std::nullopt : std::optional(at->second);
        })[0];
    };
    bool fits = true;
    std::vector<std::uint32_t> stack = leaves(e, fits);
    while (fits && !stack.empty()) {
        const std::uint32_t v = stack.back();
        const auto open = leaves(*value_[v], fits);
        if (open.empty()) {
            in_open_.emplace(v, replaced(*value_[v]));
            stack.pop_back();
        }
        stack.insert(stack.end(), open.begin(), open.end());
    }
    if (!fits) return std::nullopt;
    const Expr result = replaced(e);
    leaves(result, fits);
    return fits ? std::optional(result) : std::nullopt;
}

}  // namespace bondgraph::compile
