// Parameters that stay inputs of the equations.

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/parameter_checks.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::Op;

std::optional<std::size_t> parameter_in(const BondGraph& graph, Expr e) {
    if (e.is_literal() || e.is_constant()) return std::nullopt;
    std::optional<std::size_t> found;
    const std::array roots{e.node()};
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
        const expression::Node& node = (*graph.expressions)[n];
        if (node.op == Op::variable || node.op == Op::derivative || node.op == Op::time) return std::nullopt;
        if (node.op != Op::held) continue;
        if (node.a < graph.first_adjustable() || node.a >= graph.first_sample()) return std::nullopt;
        found = std::max(found.value_or(0), std::size_t{node.a});
    }
    return found;
}

Quantity adjustable_value(Flattening& work, std::uint32_t number, const Quantity& q, SourcePosition position) {
    AdjustableParameter& parameter = work.graph.adjustable[number];
    parameter.position = position;
    parameter.measure = q.measure;
    parameter.unfit = true;
    if (is_unknown(q) || !q.is_scalar() || !q.value(0, 0).is_constant()) return q;
    parameter.value = q.value(0, 0).constant();
    // A 0 takes terms away, and with them what other values would have needed.
    parameter.open = std::isfinite(parameter.value) && (parameter.may_vanish || parameter.value != 0.0);
    parameter.unfit = !parameter.open;
    return parameter.open ? Quantity::scalar(work.graph.adjustable_parameter(number), q.measure) : q;
}

Quantity adjustable_start(Flattening& work, std::uint32_t number, const Quantity& q, SourcePosition position) {
    work.graph.adjustable[number].may_vanish = true;
    return adjustable_value(work, number, q, position);
}

std::vector<SettableParameter> settable_parameters(const Flattening& work) {
    std::vector<SettableParameter> list;
    for (const Scope& s : work.scopes) {
        for (const ParameterDeclaration& d : s.body->parameters) {
            const auto at = s.values.find(d.name.text);
            if (at == s.values.end()) continue;
            const SourcePosition place = at->second.value != nullptr ? at->second.value->position() : d.name.position;
            // A word is no number.
            Quantity value = d.choices.empty() ? at->second.result : Quantity{};
            list.push_back({s.prefix + d.name.text, std::move(value), place});
        }
    }
    for (const Element& e : work.graph.elements) {
        if (e.owner.valid() || e.type->is_own_type()) continue;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (spec.kind != ParameterKind::number || !e.parameters[k]) continue;
            const SourcePosition place = e.parameter_positions[k];
            list.push_back(
                {e.name + "." + std::string(spec.name), *e.parameters[k], place.known() ? place : e.position});
        }
    }
    return list;
}

namespace {

/// An expression with numbers in place of adjustable parameters; the same node where none stands in it.
Expr with_numbers(const BondGraph& graph, Expr e, std::span<const double> values) {
    if (e.is_literal() || e.is_constant()) return e;
    const std::array roots{e};
    return expression::substitute(*graph.expressions, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = (*graph.expressions)[n];
        if (node.op != Op::held || node.a < graph.first_adjustable() || node.a >= graph.first_free())
            return std::nullopt;
        return Expr(values[node.a - graph.first_adjustable()]);
    })[0];
}

}  // namespace

std::vector<std::size_t> adjusted_elements(const BondGraph& graph) {
    const auto depends = [&](const std::optional<Quantity>& q) {
        return q && std::ranges::any_of(q->value.reshaped(), [&](const Expr& x) {
                   const auto held = parameter_in(graph, x);
                   return held && *held < graph.first_free();
               });
    };
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const Element& e = graph.elements[i];
        if (e.type->check == nullptr && e.type->check_power == nullptr && e.type->ascending.empty()) continue;
        if (std::ranges::any_of(e.parameters, depends)) result.push_back(i);
    }
    return result;
}

void check_adjusted(const BondGraph& graph, std::span<const std::size_t> elements, std::span<const double> values,
                    Diagnostics& diagnostics) {
    std::vector<Equation> none;
    for (const std::size_t i : elements) {
        const Element& e = graph.elements[i];
        Element adjusted = e;
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k]) continue;
            for (Eigen::Index x = 0; x < e.parameters[k]->value.size(); ++x)
                adjusted.parameters[k]->value.data()[x] = with_numbers(graph, e.parameters[k]->value.data()[x], values);
        }
        const LawContext context(graph, adjusted, ElementId(i), none);
        if (e.type->check != nullptr) e.type->check(context, diagnostics);
        if (e.type->check_power != nullptr && !e.owner.valid()) e.type->check_power(context, diagnostics);
        for (const auto& [lower, upper] : e.type->ascending) check_order(adjusted, lower, upper, diagnostics);
    }
}

}  // namespace bondgraph::model
