// Values that are true or false, or whole numbers: conditions, discrete variables. And parameters that bound each
// other.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::Node;
using expression::Op;

namespace {

bool is_relation_or_logic(Op op) {
    return is_relation(op) || op == Op::logical_and || op == Op::logical_or || op == Op::logical_not;
}

ValueType type_of_number(double x) {
    if (x == 0.0 || x == 1.0) return ValueType::boolean;
    return x == std::round(x) ? ValueType::integer : ValueType::real;
}

ValueType wider(ValueType a, ValueType b) {
    if (a == b) return a;
    return a == ValueType::real || b == ValueType::real ? ValueType::real : ValueType::integer;
}

/// The narrowest type all values of expressions have by their form.
class TypeOf {
   public:
    explicit TypeOf(const BondGraph& g) : g_(g) {}

    ValueType operator()(Expr e) {
        if (e.is_constant()) return type_of_number(e.constant());
        return of(e.node());
    }

   private:
    ValueType of(std::uint32_t n) {
        if (const auto known = known_.find(n); known != known_.end()) return known->second;
        const ValueType type = find((*g_.expressions)[n]);
        known_.emplace(n, type);
        return type;
    }

    ValueType find(const Node& node) {
        if (is_relation_or_logic(node.op)) return ValueType::boolean;
        switch (node.op) {
            case Op::constant:
                return type_of_number(node.number());
            case Op::variable: {
                const auto discrete = g_.discrete_of(VariableId(std::size_t{node.a}));
                return discrete ? g_.discretes[*discrete].type : ValueType::real;
            }
            case Op::held:
                return of_held(node.a);
            case Op::no_event:
                return of(node.a);
            case Op::if_else:
                return wider(of(node.b), of(node.c));
            case Op::min:
            case Op::max:
                return wider(of(node.a), of(node.b));
            case Op::add:
            case Op::subtract:
            case Op::multiply:
                return wider(ValueType::integer, wider(of(node.a), of(node.b)));
            case Op::negate:
            case Op::abs:
                return wider(ValueType::integer, of(node.a));
            case Op::floor:
            case Op::ceil:
            case Op::sign:
                return ValueType::integer;
            default:
                return ValueType::real;
        }
    }

    ValueType of_held(std::uint32_t held) const {
        if (held < 2 * g_.discretes.size()) return g_.discretes[held / 2].type;
        return held < g_.first_sample() ? ValueType::real : ValueType::boolean;
    }

    const BondGraph& g_;
    std::unordered_map<std::uint32_t, ValueType> known_;
};

void check_condition(Flattening& work, const Element& e, std::size_t k) {
    const auto& q = e.parameters[k];
    if (!q || !q->is_scalar() || is_unknown(*q)) return;
    const Expr x = q->value(0, 0);
    if ((x.is_constant() && std::isnan(x.constant())) || is_condition(work.graph, x)) return;
    if (e.owner.valid()) return;  // handed on by its owner, which is told
    work.diagnostics.error(
        "BG-M044", e.parameter_positions[k].known() ? e.parameter_positions[k] : e.position,
        fmt::format("'{}' of '{}' ({}) is no condition", e.type->parameters[k].name, e.name, e.type->name),
        {{"because", "it is a number, not something true or false"},
         {"try", fmt::format("compare it with something, as in '{}: x > 0'", e.type->parameters[k].name)}});
}

}  // namespace

void check_order(const Element& e, std::string_view lower, std::string_view upper, Diagnostics& diagnostics) {
    const Quantity* a = e.parameter(lower);
    const Quantity* b = e.parameter(upper);
    if (a == nullptr || b == nullptr || !a->is_scalar() || !b->is_scalar()) return;
    const Expr from = a->value(0, 0);
    const Expr to = b->value(0, 0);
    if (!from.is_constant() || !to.is_constant() || !(from.constant() > to.constant())) return;
    for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
        const ParameterSpec& spec = e.type->parameters[k];
        if (spec.name != upper || !spec.minimum) continue;
        const double least = *spec.minimum;
        if (to.constant() < least || (to.constant() == least && spec.exclusive_minimum)) return;  // already reported
    }
    SourcePosition at = e.position;
    for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
        if (e.type->parameters[k].name == lower && e.parameter_positions[k].known()) at = e.parameter_positions[k];
    }
    diagnostics.error("BG-M013", at,
                      fmt::format("'{}' of '{}' ({}) must be at most '{}', it is {:g} and '{}' is {:g}", lower, e.name,
                                  e.type->name, upper, from.constant(), upper, to.constant()));
}

bool is_condition(const BondGraph& g, Expr e) { return TypeOf(g)(e) == ValueType::boolean; }

bool compares_continuous_for_equality(const BondGraph& g, Expr condition) {
    if (condition.is_constant()) return false;
    const expression::Graph& graph = *g.expressions;
    const std::array roots{condition.node()};
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        if (graph[n].op != Op::equal) continue;
        const std::array sides{n};
        for (const std::uint32_t part : expression::reachable(graph, sides)) {
            const Node& node = graph[part];
            if (node.op == Op::derivative || node.op == Op::time) return true;
            if (node.op == Op::variable && !g.discrete_of(VariableId(std::size_t{node.a}))) return true;
        }
    }
    return false;
}

bool check_discrete_value(Flattening& work, std::size_t discrete, Expr value, const std::string& name,
                          SourcePosition position) {
    if (value.is_constant() && std::isnan(value.constant())) return true;
    const ValueType wanted = work.graph.discretes[discrete].type;
    const ValueType given = TypeOf(work.graph)(value);
    if (wider(wanted, given) == wanted) return true;
    const bool whole = wanted == ValueType::integer;
    if (value.is_constant()) {
        work.diagnostics.error(
            "BG-M013", position,
            fmt::format("'{}' takes {}, not {:g}", name, whole ? "whole numbers" : "true or false", value.constant()));
        return false;
    }
    work.diagnostics.error("BG-M013", position,
                           fmt::format("'{}' takes {}; this may be {}", name, whole ? "whole numbers" : "true or false",
                                       given == ValueType::real ? "any number" : "any whole number"),
                           {{"try", whole ? "floor(…) makes whole numbers, and a condition counts as 0 or 1"
                                          : "compare it with something, as in 'x > 0.5'"}});
    return false;
}

void check_conditions_and_order(Flattening& work) {
    for (const Element& e : work.graph.elements) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (e.type->parameters[k].condition) check_condition(work, e, k);
        }
        for (const auto& [lower, upper] : e.type->ascending) check_order(e, lower, upper, work.diagnostics);
    }
}

}  // namespace bondgraph::model
