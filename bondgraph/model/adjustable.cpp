// Parameters that stay inputs of the equations.

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::Op;

Quantity adjustable_value(Flattening& work, std::uint32_t number, const Quantity& q, SourcePosition position) {
    AdjustableParameter& parameter = work.graph.adjustable[number];
    parameter.position = position;
    parameter.measure = q.measure;
    if (is_unknown(q) || !q.is_scalar() || !q.value(0, 0).is_constant()) return q;
    parameter.value = q.value(0, 0).constant();
    // A 0 takes terms away, and with them what other values would have needed.
    parameter.open = std::isfinite(parameter.value) && parameter.value != 0.0;
    return parameter.open ? Quantity::scalar(work.graph.adjustable_parameter(number), q.measure) : q;
}

namespace {

void close(BondGraph& graph, Expr e) {
    if (e.is_literal() || e.is_constant()) return;
    const std::array roots{e.node()};
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
        const expression::Node& node = (*graph.expressions)[n];
        if (node.op != Op::held || node.a < graph.first_adjustable() || node.a >= graph.first_free()) continue;
        graph.adjustable[node.a - graph.first_adjustable()].open = false;
    }
}

}  // namespace

std::vector<SettableParameter> settable_parameters(const Flattening& work) {
    std::vector<SettableParameter> list;
    for (const Scope& s : work.scopes) {
        for (const ParameterDeclaration& d : s.body->parameters) {
            const auto at = s.values.find(d.name.text);
            if (at == s.values.end()) continue;
            const SourcePosition place = at->second.value != nullptr ? at->second.value->position() : d.name.position;
            list.push_back({s.prefix + d.name.text, at->second.result, place});
        }
    }
    for (const Element& e : work.graph.elements) {
        if (e.owner.valid() || e.type->is_own_type()) continue;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (spec.kind != ParameterKind::number || !e.parameters[k]) continue;
            const SourcePosition place = e.parameter_positions[k];
            list.push_back({e.name + "." + std::string(spec.name), *e.parameters[k],
                            place.known() ? place : e.position});
        }
    }
    return list;
}

void close_checked_parameters(BondGraph& graph) {
    if (graph.adjustable.empty()) return;
    for (const Element& e : graph.elements) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const auto& q = e.parameters[k];
            const auto orders = [&](const auto& pair) {
                return pair.first == e.type->parameters[k].name || pair.second == e.type->parameters[k].name;
            };
            const bool matrix = e.type->check_power != nullptr && q && !q->is_scalar();
            if (!q || (e.type->check == nullptr && !matrix && std::ranges::none_of(e.type->ascending, orders)))
                continue;
            for (const Expr& x : q->value.reshaped()) close(graph, x);
        }
    }
}

}  // namespace bondgraph::model
