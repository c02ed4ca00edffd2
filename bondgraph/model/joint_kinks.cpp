// Motions of declared joints that bend: at a kink the velocity would jump without the impulse that takes.

#include <algorithm>
#include <unordered_set>

#include "bondgraph/expression/operations.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

using expression::Graph;
using expression::Node;
using expression::Op;

bool bends(Op op) {
    using expression::Course;
    const Course course = expression::operation(op).course;
    return course == Course::bent || course == Course::stepped;
}

/// `smooth(1, …)` and above promise a slope without jumps.
bool promised(const Graph& graph, const Node& node) {
    return node.op == Op::smooth && graph[node.a].op == Op::constant && graph[node.a].number() >= 1.0;
}

bool has_kink(const Graph& graph, std::uint32_t root) {
    std::vector<std::uint32_t> open{root};
    std::unordered_set<std::uint32_t> seen{root};
    while (!open.empty()) {
        const Node& node = graph[open.back()];
        open.pop_back();
        if (promised(graph, node)) continue;
        if (bends(node.op)) return true;
        for (const std::uint32_t operand : node.operands()) {
            if (seen.insert(operand).second) open.push_back(operand);
        }
    }
    return false;
}

}  // namespace

void warn_of_kinks(Flattening& work, const std::string& joint, SourcePosition position,
                   const expression::ExprMatrix& motion) {
    const auto values = motion.reshaped();
    if (std::none_of(values.begin(), values.end(), [&](const expression::Expr& x) {
            return !x.is_literal() && has_kink(*work.graph.expressions, x.node());
        })) {
        return;
    }
    work.diagnostics.warning(
        "BG-M066", position, "a motion of '" + joint + "' is made with tables, comparisons, 'abs', 'min' or the like",
        {{"because",
          "where its slope jumps the velocity would jump with it, without the impact that takes: energy would not be "
          "conserved"},
         {"try", "a motion whose slope is continuous; where yours is, say so by smooth(1, …)"}});
}

}  // namespace bondgraph::model
