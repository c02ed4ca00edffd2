#include <utility>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/local_index.hpp"

namespace bondgraph::expression {

namespace {

/// The node with other operands: `image` gives the new node of each old one.
template <class Image>
std::uint32_t rebuild(Graph& graph, std::uint32_t index, const Image& image) {
    const Node old = graph[index];
    Node renewed = old;
    std::uint32_t* const first = old.op >= Op::table1 ? &renewed.b : &renewed.a;
    const auto operands = old.operands();
    for (std::size_t k = 0; k < operands.size(); ++k) first[k] = image(operands[k]);
    if (renewed == old) return index;

    const auto at = [&](std::uint32_t node) { return graph.at(node); };
    switch (old.op) {
        case Op::table1:
            return graph.table1(old.a, at(renewed.b)).node();
        case Op::table1_slope:
            return graph.table1_slope(old.a, at(renewed.b)).node();
        case Op::table2:
            return graph.table2(old.a, at(renewed.b), at(renewed.c)).node();
        case Op::table2_slope_x:
            return graph.table2_slope_x(old.a, at(renewed.b), at(renewed.c)).node();
        case Op::table2_slope_y:
            return graph.table2_slope_y(old.a, at(renewed.b), at(renewed.c)).node();
        default:
            break;
    }
    switch (operands.size()) {
        case 1:
            return graph.make(old.op, at(renewed.a)).node();
        case 2:
            return graph.make(old.op, at(renewed.a), at(renewed.b)).node();
        default:
            return graph.make(old.op, at(renewed.a), at(renewed.b), at(renewed.c)).node();
    }
}

}  // namespace

std::vector<Expr> substitute(Graph& graph, std::span<const Expr> roots, const ReplacementOf& replacement) {
    std::vector<std::uint32_t> root_nodes;
    root_nodes.reserve(roots.size());
    for (const Expr root : roots) root_nodes.push_back(graph.node_of(root));

    LocalIndex answered;  // node → the node it becomes
    const auto nodes = reachable_until(graph, root_nodes, [&](std::uint32_t node) {
        const std::optional<Expr> answer = replacement(node);
        if (answer) answered.insert(node, graph.node_of(*answer));
        return answer.has_value();
    });

    LocalIndex image;
    for (const std::uint32_t node : nodes) {
        const std::uint32_t answer = answered[node];
        const auto image_of = [&](std::uint32_t operand) { return image[operand]; };
        image.insert(node, answer != kNoNode ? answer : rebuild(graph, node, image_of));
    }
    std::vector<Expr> result;
    result.reserve(roots.size());
    for (const std::uint32_t root : root_nodes) result.push_back(graph.at(image[root]));
    return result;
}

}  // namespace bondgraph::expression
