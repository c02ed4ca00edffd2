#include "bondgraph/compile/input_leaves.hpp"

#include <algorithm>
#include <vector>

namespace bondgraph::compile {

std::size_t input_leaf_count(const expression::Graph& graph, std::span<const expression::Expr> outputs,
                             std::size_t inputs) {
    if (inputs == 0) return 0;
    std::vector<std::uint32_t> roots;
    for (const expression::Expr& e : outputs) {
        if (!e.is_literal()) roots.push_back(e.node());
    }
    std::size_t count = 2 * inputs;
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        if (graph[n].op == expression::Op::parameter) count = std::max<std::size_t>(count, graph[n].a + 1);
    }
    return (count + inputs - 1) / inputs * inputs;
}

}  // namespace bondgraph::compile
