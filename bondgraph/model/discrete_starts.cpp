#include "bondgraph/model/discrete_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/model/start_checks.hpp"

namespace bondgraph::model {
namespace {

/// Whether an expression has a value before any variable has one.
bool is_known_at_start(const Flattening& work, const expression::Expr& x) {
    using expression::Op;
    if (x.is_constant()) return true;
    const expression::Graph& graph = *work.graph.expressions;
    const std::array roots{x.node()};
    const auto nodes = expression::reachable(graph, roots);
    return std::none_of(nodes.begin(), nodes.end(),
                        [&](std::uint32_t n) { return graph[n].op == Op::variable || graph[n].op == Op::derivative; });
}

}  // namespace

void set_discrete_start(Flattening& work, const Element::Slot& slot, const Quantity& q, SourcePosition position) {
    const std::string name = work.graph.variable_name(work.graph.slot_variable(slot.first));
    if (!q.is_scalar()) {
        work.diagnostics.error("BG-M020", position, fmt::format("'{}' is a single value, not a list", name));
        return;
    }
    const expression::Expr start = q.value(0, 0);
    if (!is_known_at_start(work, start)) {
        work.diagnostics.error("BG-M046", position, fmt::format("the start value of '{}' depends on variables", name),
                               {{"because", "it may depend on parameters and time only"}});
        return;
    }
    if (check_discrete_value(work, slot.first_discrete, start, name, position) &&
        (!start.is_constant() || is_state_of_machine(work, slot.first_discrete, start.constant(), position)))
        work.graph.discretes[slot.first_discrete].start = start;
}

void evaluate_declared_discrete_starts(Flattening& work, const Element& e, std::uint32_t scope) {
    const auto one = [&](const VariableDeclaration& v) {
        const Element::Slot* slot = e.slot(v.name.text);
        if (!v.discrete || !v.start || slot == nullptr) return;
        const auto q = evaluate_value(work, *v.start, scope);
        if (q) set_discrete_start(work, *slot, *q, v.start->position());
    };
    for (const VariableDeclaration& v : e.declaration->body.variables) one(v);
    for (const VariableDeclaration& v : e.declaration->outputs) one(v);
}

}  // namespace bondgraph::model
