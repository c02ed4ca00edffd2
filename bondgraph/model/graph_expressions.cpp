#include "bondgraph/model/graph_expressions.hpp"

namespace bondgraph::model {
namespace {

using Visit = std::function<void(expression::Expr&)>;

// The parts of each value are taken apart by name: one that is added and not looked at here is an error of the
// compiler.

void see(expression::ExprMatrix& matrix, const Visit& visit) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) visit(matrix.data()[i]);
}

void see(Quantity& quantity, const Visit& visit) { see(quantity.value, visit); }

void see(std::vector<GivenEquation>& equations, const Visit& visit) {
    for (auto& [lhs, rhs, position] : equations) {
        visit(lhs);
        visit(rhs);
    }
}

void see(std::shared_ptr<const GivenBooks>& books, const Visit& visit) {
    if (!books) return;
    auto renewed = std::make_shared<GivenBooks>(*books);
    auto& [energy, dissipation, supply] = *renewed;
    for (auto* of : {&energy, &dissipation, &supply}) {
        if (*of) visit(**of);
    }
    books = std::move(renewed);
}

void see(Element& element, const Visit& visit) {
    auto& [name, type, position, ports, parameters, parameter_positions, given_equations, given_updates,
           initial_equations, steady, sample, delay, books, words, integers, slots, slot_numbers, inputs, starts,
           nominals, preference, states_asked, declaration, owner, connectors, root, motions, directed] = element;
    for (auto& parameter : parameters) {
        if (parameter) see(*parameter, visit);
    }
    for (auto* equations : {&given_equations, &given_updates, &initial_equations}) see(*equations, visit);
    see(books, visit);
    for (auto& [input, value] : inputs) see(value, visit);
    for (auto& [variable, value, place, fixed, by_default] : starts) see(value, visit);
    for (expression::ExprMatrix& motion : motions) see(motion, visit);
}

void see(When& when, const Visit& visit) {
    auto& [condition, actions, text, element, position, instance, warning, failure] = when;
    visit(condition);
    for (auto& [kind, name, target, value, place] : actions) {
        visit(target);
        visit(value);
    }
}

void see(DeclaredShape& shape, const Visit& visit) {
    auto& [component, kind, frame, to, r, direction, across, length, width, height, mesh] = shape;
    for (auto* matrix : {&r, &direction, &across}) see(*matrix, visit);
    for (auto* number : {&length, &width, &height}) visit(*number);
}

}  // namespace

void for_each_expression(BondGraph& graph, const Visit& visit) {
    auto& [model_name, model_position, files, expressions, elements, bonds, slot_variables, bond_components,
           element_by_name, bond_by_name, shared_connectors, arrays, parameters, left_out, start_time, warnings,
           discretes, settable, adjustable, free_parameters, bounds, samples, delays, whens, initial_equations, steady,
           shapes, meshes, with_declared_shapes, handed_signals] = graph;
    for (Element& element : elements) see(element, visit);
    for (auto& [name, value] : parameters) see(value, visit);
    for (DiscreteVariable& discrete : discretes) visit(discrete.start);
    for (SettableParameter& parameter : settable) see(parameter.value, visit);
    for (ParameterBound& bound : bounds) {
        visit(bound.value);
        visit(bound.limit);
    }
    for (When& when : whens) see(when, visit);
    see(initial_equations, visit);
    for (DeclaredShape& shape : shapes) see(shape, visit);
    for (auto& [name, value] : handed_signals) see(value, visit);
}

BondGraph copy_of(const BondGraph& graph) {
    const auto& [model_name, model_position, files, expressions, elements, bonds, slot_variables, bond_components,
                 element_by_name, bond_by_name, shared_connectors, arrays, parameters, left_out, start_time, warnings,
                 discretes, settable, adjustable, free_parameters, bounds, samples, delays, whens, initial_equations,
                 steady, shapes, meshes, with_declared_shapes, handed_signals] = graph;
    const auto nodes = expressions->nodes();
    auto own = std::make_unique<expression::Graph>(std::vector(nodes.begin(), nodes.end()), expressions->tables());
    BondGraph copy{model_name,
                   model_position,
                   files,
                   std::move(own),
                   elements,
                   bonds,
                   slot_variables,
                   bond_components,
                   element_by_name,
                   bond_by_name,
                   shared_connectors,
                   arrays,
                   parameters,
                   left_out,
                   start_time,
                   warnings,
                   discretes,
                   settable,
                   adjustable,
                   free_parameters,
                   bounds,
                   samples,
                   delays,
                   whens,
                   initial_equations,
                   steady,
                   shapes,
                   meshes,
                   with_declared_shapes,
                   handed_signals};
    for_each_expression(copy, [&](expression::Expr& e) {
        if (!e.is_literal()) e = copy.expressions->at(e.node());
    });
    return copy;
}

}  // namespace bondgraph::model
