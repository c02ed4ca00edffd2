// Symbolic derivatives. Both modes are one scan over the nodes concerned, and both must give finite results wherever
// the derivative is finite, though single factors of the chain rule may not be. Two things can go wrong, and each
// tangent or adjoint carries a flag for each:
//
//   * it may be an exact 0 because a branch isn't taken; what lies below that branch may then be anything, even NaN;
//   * it may be infinite because it passed a singular point (sqrt at 0), where a factor 0 must win (abs at 0).
//
// Only flagged products are guarded; all others are plain, so that ordinary models keep ordinary expressions.

#include "bondgraph/expression/derivative.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/expression/operations.hpp"
#include "bondgraph/expression/smooth_tables.hpp"

namespace bondgraph::expression {

namespace {

/// A tangent (forward) or an adjoint (reverse).
struct Flow {
    Expr value{0.0};
    bool may_vanish = false;
    bool may_be_infinite = false;

    [[nodiscard]] bool is_zero() const { return value.is_constant(0.0); }
};

Flow operator+(const Flow& x, const Flow& y) {
    if (x.is_zero()) return y;
    if (y.is_zero()) return x;
    return {x.value + y.value, x.may_vanish || y.may_vanish, x.may_be_infinite || y.may_be_infinite};
}

Expr guarded(Expr a, Expr b) { return apply(Op::guarded_multiply, a, b); }

/// flow · partial. `singular`: the partial may be infinite (and isn't 0) where the operation's value is finite.
Flow chain(const Flow& flow, Expr partial, bool singular = false) {
    if (flow.is_zero() || partial.is_constant(0.0)) return {};
    Flow result = flow;
    result.may_be_infinite = flow.may_be_infinite || singular;
    if (flow.may_vanish && flow.may_be_infinite && !singular) {
        const Expr nothing = apply(Op::no_event, apply(Op::equal, flow.value, 0.0));
        result.value = if_else(nothing, 0.0, guarded(partial, flow.value));
    } else if (flow.may_vanish || singular) {
        result.value = guarded(flow.value, partial);
    } else if (flow.may_be_infinite) {
        result.value = guarded(partial, flow.value);
    } else {
        result.value = flow.value * partial;
    }
    return result;
}

/// Whether the partial by the first or second operand can be infinite or undefined where the value itself is finite.
struct Singular {
    bool a = false;
    bool b = false;
};

Singular singular_partials(Graph& graph, const Node& node) {
    if (node.op != Op::power) return {.a = operation(node.op).singular, .b = operation(node.op).singular};
    const Expr base = graph.at(node.a);
    const Expr exponent = graph.at(node.b);
    const bool root = exponent.is_constant() && exponent.constant() > 0.0 && exponent.constant() < 1.0;
    return {.a = root || !exponent.is_constant(), .b = !base.is_constant()};
}

bool is_selection(Op op) { return op == Op::if_else || op == Op::min || op == Op::max; }

/// if_else, min and max alike: a condition and what is taken when it holds and when it doesn't.
struct Selection {
    Expr condition;
    std::uint32_t yes;
    std::uint32_t no;
};

Selection selection(Graph& graph, const Node& node) {
    if (node.op == Op::if_else) return {graph.at(node.a), node.b, node.c};
    const Op relation = node.op == Op::min ? Op::less_equal : Op::greater_equal;
    return {apply(relation, graph.at(node.a), graph.at(node.b)), node.a, node.b};
}

/// Of polynomials the slopes are polynomials again.
Expr slope_of_table(Graph& graph, std::uint32_t table, Expr x) {
    const Table1& of = graph.tables().one[table];
    if (of.polynomials.empty()) return graph.table1_slope(table, x);
    Table1 slope = derivative(of);
    const bool zero =
        std::ranges::all_of(slope.polynomials, [](const auto& c) { return c == std::array<double, 4>{}; });
    return zero ? Expr(0.0) : graph.table1(graph.add_table(std::move(slope)), x);
}

std::vector<std::uint32_t> nodes_of(Graph& graph, std::span<const Expr> roots) {
    std::vector<std::uint32_t> result;
    result.reserve(roots.size());
    for (const Expr root : roots) result.push_back(graph.node_of(root));
    return result;
}

}  // namespace

Partials partials(Graph& graph, std::uint32_t index) {
    const Node node = graph[index];
    const Expr value = graph.at(index);
    switch (node.op) {
        case Op::if_else:
            throw std::logic_error("if_else has no partial derivatives, its branches have");
        case Op::table1:
            return {slope_of_table(graph, node.a, graph.at(node.b))};
        case Op::table2: {
            const Expr x = graph.at(node.b);
            const Expr y = graph.at(node.c);
            const Expr slope_x = graph.table2_slope_x(node.a, x, y);
            return {slope_x, graph.table2_slope_y(node.a, x, y)};
        }
        case Op::table1_slope:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            return {};
        default:
            break;
    }
    const auto by_symbols = operation(node.op).partials;
    if (by_symbols == nullptr) return {};
    return by_symbols(graph.at(node.a), operand_count(node.op) > 1 ? graph.at(node.b) : Expr(), value);
}

// ---- forward

namespace {

/// The tangent of a node from those of its operands.
template <class TangentOf>
Flow tangent(Graph& graph, std::uint32_t index, const TangentOf& of) {
    const Node node = graph[index];
    if (is_selection(node.op)) {
        if (of(node.a).is_zero() && of(node.b).is_zero() && (node.op != Op::if_else || of(node.c).is_zero())) return {};
        const Selection select = selection(graph, node);
        const Flow yes = of(select.yes);
        const Flow no = of(select.no);
        return {if_else(select.condition, yes.value, no.value), false, yes.may_be_infinite || no.may_be_infinite};
    }
    const auto operands = node.operands();
    const Flow da = of(operands[0]);
    const Flow db = operands.size() > 1 ? of(operands[1]) : Flow{};
    if (da.is_zero() && db.is_zero()) return {};

    switch (node.op) {
        case Op::no_event:
            return {apply(Op::no_event, da.value), false, da.may_be_infinite};
        case Op::smooth: {
            const Expr order = graph.at(node.a);
            const bool is_smooth = order.is_constant() && order.constant() >= 1.0;
            return {is_smooth ? apply(Op::smooth, order - 1.0, db.value) : db.value, false, db.may_be_infinite};
        }
        case Op::divide: {
            const Flow numerator = da + chain(chain(db, graph.at(index)), -1.0);
            return {numerator.value / graph.at(node.b), false, numerator.may_be_infinite};
        }
        case Op::guarded_multiply:
            return chain(da, graph.at(node.b), true) + Flow{guarded(graph.at(node.a), db.value), false, true};
        default:
            break;
    }
    const Partials partial = partials(graph, index);
    const Singular singular = singular_partials(graph, node);
    return chain(da, partial.a, singular.a) + chain(db, partial.b, singular.b);
}

/// Tangents of the roots; `seed` answers for the nodes whose tangent is given. Leaves without an answer are constant.
template <class Seed>
std::vector<Expr> forward(Graph& graph, std::span<const Expr> roots, const Seed& seed) {
    const std::vector<std::uint32_t> root_nodes = nodes_of(graph, roots);
    LocalIndex seeded;
    std::vector<Expr> seeds;
    const auto nodes = reachable_until(graph, root_nodes, [&](std::uint32_t node) {
        const std::optional<Expr> answer = seed(node);
        if (!answer) return false;
        seeded.insert(node, static_cast<std::uint32_t>(seeds.size()));
        seeds.push_back(*answer);
        return true;
    });

    const LocalIndex position(nodes);
    std::vector<Flow> flows(nodes.size());
    const auto of = [&](std::uint32_t node) -> const Flow& { return flows[position[node]]; };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::uint32_t given = seeded[nodes[i]];
        if (given != kNoNode) {
            flows[i].value = seeds[given];
        } else if (operand_count(graph[nodes[i]].op) > 0) {
            flows[i] = tangent(graph, nodes[i], of);
        }
    }
    std::vector<Expr> result;
    result.reserve(roots.size());
    for (const std::uint32_t root : root_nodes) result.push_back(graph.at(graph.node_of(of(root).value)));
    return result;
}

}  // namespace

std::vector<Expr> derivative(Graph& graph, std::span<const Expr> roots, Expr leaf) {
    const std::uint32_t leaf_node = graph.node_of(leaf);
    return forward(graph, roots, [&](std::uint32_t node) -> std::optional<Expr> {
        if (node == leaf_node) return 1.0;
        return {};
    });
}

Expr derivative(Expr root, Expr leaf) {
    if (root.is_literal()) return 0.0;
    return derivative(*root.graph(), std::span(&root, 1), leaf)[0];
}

std::vector<Expr> time_derivative(Graph& graph, std::span<const Expr> roots, const RateOf& rate) {
    return forward(graph, roots, [&](std::uint32_t node) -> std::optional<Expr> {
        if (graph[node].op == Op::time) return 1.0;
        return rate(node);
    });
}

// ---- reverse

namespace {

/// Hands the adjoint of a node on to its operands through add(operand, contribution).
template <class Add>
void distribute(Graph& graph, std::uint32_t index, const Flow& adjoint, const Add& add) {
    const Node node = graph[index];
    if (is_selection(node.op)) {
        const Selection select = selection(graph, node);
        add(select.yes, Flow{if_else(select.condition, adjoint.value, 0.0), true, adjoint.may_be_infinite});
        add(select.no, Flow{if_else(select.condition, 0.0, adjoint.value), true, adjoint.may_be_infinite});
        return;
    }
    const auto operands = node.operands();
    if (node.op == Op::divide) {
        Flow share = adjoint;
        const Expr divisor = graph.at(node.b);
        share.value = adjoint.may_vanish ? guarded(adjoint.value, 1.0 / divisor) : adjoint.value / divisor;
        add(node.a, share);
        add(node.b, chain(chain(share, graph.at(index)), -1.0));
        return;
    }
    if (node.op == Op::guarded_multiply) {
        Flow second = chain(adjoint, graph.at(node.a));
        second.may_vanish = true;
        add(node.a, chain(adjoint, graph.at(node.b), true));
        add(node.b, second);
        return;
    }
    const Partials partial = partials(graph, index);
    const Singular singular = singular_partials(graph, node);
    add(operands[0], chain(adjoint, partial.a, singular.a));
    if (operands.size() > 1) add(operands[1], chain(adjoint, partial.b, singular.b));
}

}  // namespace

std::vector<Expr> gradient(Expr root, std::span<const Expr> leaves) {
    if (root.is_literal()) return std::vector<Expr>(leaves.size(), Expr(0.0));
    Graph& graph = *root.graph();
    const std::uint32_t root_node = root.node();
    const std::vector<std::uint32_t> leaf_nodes = nodes_of(graph, leaves);
    LocalIndex is_leaf;
    for (const std::uint32_t leaf : leaf_nodes) is_leaf.insert(leaf, 0);

    const auto nodes =
        reachable_until(graph, std::span(&root_node, 1), [&](std::uint32_t node) { return is_leaf[node] != kNoNode; });
    const LocalIndex position(nodes);
    std::vector<bool> depends(nodes.size(), false);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        depends[i] = is_leaf[nodes[i]] != kNoNode;
        if (depends[i]) continue;
        for (const std::uint32_t operand : graph[nodes[i]].operands()) {
            depends[i] = depends[i] || depends[position[operand]];
        }
    }

    std::vector<Flow> adjoints(nodes.size());
    adjoints.back().value = 1.0;  // the root is the youngest of them
    const auto add = [&](std::uint32_t node, const Flow& contribution) {
        const std::uint32_t at = position[node];
        if (depends[at]) adjoints[at] = adjoints[at] + contribution;
    };
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (!depends[i] || adjoints[i].is_zero() || is_leaf[nodes[i]] != kNoNode) continue;
        distribute(graph, nodes[i], adjoints[i], add);
    }
    std::vector<Expr> result;
    result.reserve(leaves.size());
    for (const std::uint32_t leaf : leaf_nodes) {
        const std::uint32_t at = position[leaf];
        result.push_back(graph.at(graph.node_of(at == kNoNode ? Expr(0.0) : adjoints[at].value)));
    }
    return result;
}

}  // namespace bondgraph::expression
