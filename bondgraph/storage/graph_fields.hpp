#pragma once

// The parts that values consist of, in the order of their declaration: a part that is added to one of these types and
// not to its list here is an error of the compiler.

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/storage/expression_fields.hpp"
#include "bondgraph/storage/model_fields.hpp"

namespace bondgraph::storage {

template <class Archive>
void serialize(Archive& archive, model::Measure& x) {
    auto& [kind, dimension, turns] = x;
    archive(kind, dimension, turns);
}

template <class Archive>
void serialize(Archive& archive, model::Quantity& x) {
    auto& [value, measure] = x;
    archive(value, measure);
}

template <class Archive>
void serialize(Archive& archive, model::Port& x) {
    auto& [name, direction, bond, at_head, sign, size, first_effort, domain, position, demand] = x;
    archive(name, direction, bond, at_head, sign, size, first_effort, domain, position, demand);
}

template <class Archive>
void serialize(Archive& archive, model::StartValue& x) {
    auto& [variable, value, position, fixed, by_default] = x;
    archive(variable, value, position, fixed, by_default);
}

template <class Archive>
void serialize(Archive& archive, model::GivenEquation& x) {
    auto& [lhs, rhs, position] = x;
    archive(lhs, rhs, position);
}

template <class Archive>
void serialize(Archive& archive, model::Connector::End& x) {
    auto& [element, port] = x;
    archive(element, port);
}

template <class Archive>
void serialize(Archive& archive, model::Connector& x) {
    auto& [name, type, given, ends, signals] = x;
    archive(name, ConnectorNumber{type}, given, ends, signals);
}

template <class Archive>
void serialize(Archive& archive, model::GivenBooks& x) {
    auto& [energy, dissipation, supply] = x;
    archive(energy, dissipation, supply);
}

template <class Archive>
void serialize(Archive& archive, model::Element::Slot& x) {
    auto& [name, first, size, kind, first_discrete, measure, start, unit_length] = x;
    archive(name, first, size, kind, first_discrete, measure, start, unit_length);
}

template <class Archive>
void serialize(Archive& archive, model::Element& x) {
    auto& [name, type, position, ports, parameters, parameter_positions, given_equations, given_updates,
           initial_equations, steady, sample, delay, books, words, integers, slots, slot_numbers, inputs, starts,
           nominals, preference, states_asked, declaration, owner, connectors, root, motions, directed] = x;
    archive(name, TypeNumber{type}, position, ports, parameters, parameter_positions, given_equations, given_updates,
            initial_equations, steady, sample, delay, books, words, integers, slots, slot_numbers, inputs, starts,
            nominals, preference, states_asked, DeclarationNumber{declaration}, owner, connectors, root, motions,
            directed);
}

template <class Archive>
void serialize(Archive& archive, model::Bond& x) {
    auto& [name, from, to, from_port, to_port, size, domain, reversed, first, position] = x;
    archive(name, from, to, from_port, to_port, size, domain, reversed, first, position);
}

template <class Archive>
void serialize(Archive& archive, model::SlotVariable& x) {
    auto& [element, slot, component] = x;
    archive(element, slot, component);
}

template <class Archive>
void serialize(Archive& archive, model::DiscreteVariable& x) {
    auto& [variable, element, type, structural, start, position, reacts_to_impulse, at_events_only, start_values] = x;
    archive(variable, element, type, structural, start, position, reacts_to_impulse, at_events_only, start_values);
}

template <class Archive>
void serialize(Archive& archive, model::FreeParameter& x) {
    auto& [name, guess, position] = x;
    archive(name, guess, position);
}

template <class Archive>
void serialize(Archive& archive, model::AdjustableParameter& x) {
    auto& [name, value, measure, position, open, may_vanish, unfit] = x;
    archive(name, value, measure, position, open, may_vanish, unfit);
}

template <class Archive>
void serialize(Archive& archive, model::SettableParameter& x) {
    auto& [name, value, position] = x;
    archive(name, value, position);
}

template <class Archive>
void serialize(Archive& archive, model::ParameterBound& x) {
    auto& [name, value, limit, upper, exclusive, whole, words, position] = x;
    archive(name, value, limit, upper, exclusive, whole, words, position);
}

template <class Archive>
void serialize(Archive& archive, model::Sample& x) {
    auto& [start, period] = x;
    archive(start, period);
}

template <class Archive>
void serialize(Archive& archive, model::Delay& x) {
    auto& [element] = x;
    archive(element);
}

template <class Archive>
void serialize(Archive& archive, model::WhenAction& x) {
    auto& [kind, name, target, value, position] = x;
    archive(kind, name, target, value, position);
}

template <class Archive>
void serialize(Archive& archive, model::When& x) {
    auto& [condition, actions, text, element, position, instance, warning, failure] = x;
    archive(condition, actions, text, element, position, instance, warning, failure);
}

template <class Archive>
void serialize(Archive& archive, model::BondGraph::NamedBond& x) {
    auto& [bond, reversed] = x;
    archive(bond, reversed);
}

template <class Archive>
void serialize(Archive& archive, model::BondGraph::SharedConnector& x) {
    auto& [element, connector] = x;
    archive(element, connector);
}

template <class Archive>
void serialize(Archive& archive, model::ShapeFrame& x) {
    auto& [element, connector] = x;
    archive(element, connector);
}

template <class Archive>
void serialize(Archive& archive, model::DeclaredShape& x) {
    auto& [component, kind, frame, to, r, direction, across, length, width, height, mesh] = x;
    archive(component, kind, frame, to, r, direction, across, length, width, height, mesh);
}

template <class Archive>
void serialize(Archive& archive, model::MeshPart& x) {
    auto& [colour, triangles] = x;
    archive(colour, triangles);
}

template <class Archive>
void serialize(Archive& archive, model::Mesh& x) {
    auto& [file, vertices, parts] = x;
    archive(file, vertices, parts);
}

template <class Archive>
void serialize(Archive& archive, model::BondGraph& x) {
    auto& [model_name, model_position, files, expressions, elements, bonds, slot_variables, bond_components,
           element_by_name, bond_by_name, shared_connectors, arrays, parameters, left_out, start_time, warnings,
           discretes, settable, adjustable, free_parameters, bounds, samples, delays, whens, initial_equations, steady,
           shapes, meshes, with_declared_shapes, handed_signals] = x;
    store_expressions(archive, expressions);
    archive(model_name, model_position, files, elements, bonds, slot_variables, bond_components, element_by_name,
            bond_by_name, shared_connectors, arrays, parameters, left_out, start_time, warnings, discretes, settable,
            adjustable, free_parameters, bounds, samples, delays, whens, initial_equations, steady, shapes, meshes,
            with_declared_shapes, handed_signals);
}

template <class Archive>
void serialize(Archive& archive, model::Update& x) {
    auto& [discrete, value, element, position] = x;
    archive(discrete, value, element, position);
}

template <class Archive>
void serialize(Archive& archive, causality::Reason& x) {
    auto& [kind, at, cause, order] = x;
    archive(kind, at, cause, order);
}

template <class Archive>
void serialize(Archive& archive, causality::StorageCausality& x) {
    auto& [element, port, component, bond_component, number, integral, depends_on] = x;
    archive(element, port, component, bond_component, number, integral, depends_on);
}

template <class Archive>
void serialize(Archive& archive, causality::AlgebraicLoop& x) {
    auto& [elements, path] = x;
    archive(elements, path);
}

template <class Archive>
void serialize(Archive& archive, causality::CausalGraph& x) {
    auto& [graph, modes, strokes, reasons, storages, loops, meshes] = x;
    archive.refer(graph, archive.graph);
    archive(modes, strokes, reasons, storages, loops, meshes);
}

}  // namespace bondgraph::storage
