#pragma once

// The parts that values consist of, in the order of their declaration: a part that is added to one of these types and
// not to its list here is an error of the compiler.

#include "bondgraph/model/layout_declaration.hpp"
#include "bondgraph/model/model.hpp"
#include "bondgraph/storage/archive.hpp"

namespace bondgraph::storage {

template <class Archive>
void serialize(Archive& archive, bondgraph::SourcePosition& x) {
    auto& [file, line, column] = x;
    archive(file, line, column);
}

template <class Archive>
void serialize(Archive& archive, bondgraph::DiagnosticNote& x) {
    auto& [label, text] = x;
    archive(label, text);
}

template <class Archive>
void serialize(Archive& archive, bondgraph::Diagnostic& x) {
    auto& [severity, code, position, message, notes] = x;
    archive(severity, code, position, message, notes);
}

template <class Archive>
void serialize(Archive& archive, bondgraph::Exponent& x) {
    auto& [twelfths] = x;
    archive(twelfths);
}

template <class Archive>
void serialize(Archive& archive, bondgraph::Dimension& x) {
    auto& [metre, kilogram, second, ampere, kelvin, mole, candela] = x;
    archive(metre, kilogram, second, ampere, kelvin, mole, candela);
}

template <class Archive>
void serialize(Archive& archive, model::Text& x) {
    auto& [text, position, quoted] = x;
    archive(text, position, quoted);
}

template <class Archive>
void serialize(Archive& archive, model::Value& x) {
    auto& [scalar, items, is_list] = x;
    archive(scalar, items, is_list);
}

template <class Archive>
void serialize(Archive& archive, model::Setting& x) {
    auto& [key, value, free] = x;
    archive(key, value, free);
}

template <class Archive>
void serialize(Archive& archive, model::ParameterDeclaration& x) {
    auto& [name, value, unit, min, max, above, below, choices, record, record_type, fields, doc, free, flawed, whole] =
        x;
    archive(name, value, unit, min, max, above, below, choices, record, record_type, fields, doc, free, flawed, whole);
}

template <class Archive>
void serialize(Archive& archive, model::VariableDeclaration& x) {
    auto& [name, start, discrete, unit, doc] = x;
    archive(name, start, discrete, unit, doc);
}

template <class Archive>
void serialize(Archive& archive, model::PortDeclaration& x) {
    auto& [name, domain, size, doc, causality, causality_position] = x;
    archive(name, domain, size, doc, causality, causality_position);
}

template <class Archive>
void serialize(Archive& archive, model::Repetition& x) {
    auto& [sizes, condition] = x;
    archive(sizes, condition);
}

// What its file has is stored with the graph, which is all that shows it.
template <class Archive>
void serialize(Archive& archive, model::ShapeDeclaration& x) {
    auto& [position, kind, file, frame, to, values, mesh] = x;
    archive(position, kind, file, frame, to, values);
}

template <class Archive>
void serialize(Archive& archive, model::ComponentDeclaration& x) {
    auto& [name, type, own_type, settings, initial, guess, nominal, steady, states, domain, size, flawed, repetition,
           shapes] = x;
    archive(name, type, own_type, settings, initial, guess, nominal, steady, states, domain, size, flawed, repetition,
            shapes);
}

template <class Archive>
void serialize(Archive& archive, model::BondDeclaration& x) {
    auto& [name, from, to] = x;
    archive(name, from, to);
}

template <class Archive>
void serialize(Archive& archive, model::SignalDeclaration& x) {
    auto& [from, to] = x;
    archive(from, to);
}

template <class Archive>
void serialize(Archive& archive, model::ConnectDeclaration& x) {
    auto& [members] = x;
    archive(members);
}

template <class Archive>
void serialize(Archive& archive, model::ConnectorDeclaration& x) {
    auto& [name, type, own_type, doc, causality, causality_position, optional] = x;
    archive(name, type, own_type, doc, causality, causality_position, optional);
}

template <class Archive>
void serialize(Archive& archive, model::WhenDeclaration& x) {
    auto& [condition, reinit, set, warn, fail] = x;
    archive(condition, reinit, set, warn, fail);
}

template <class Archive>
void serialize(Archive& archive, model::Requirement& x) {
    auto& [condition, message] = x;
    archive(condition, message);
}

template <class Archive>
void serialize(Archive& archive, model::Gaps& x) {
    auto& [values, components, ports, bonds, signals, equations] = x;
    archive(values, components, ports, bonds, signals, equations);
}

template <class Archive>
void serialize(Archive& archive, model::Body& x) {
    auto& [parameters, alternatives, components, bonds, signals, connects, variables, equations, whens,
           initial_equations, steady, has_arrays, requirements, gaps] = x;
    archive(parameters, alternatives, components, bonds, signals, connects, variables, equations, whens,
            initial_equations, steady, has_arrays, requirements, gaps);
}

template <class Archive>
void serialize(Archive& archive, model::JointDeclaration::Coordinate& x) {
    auto& [name, rotation] = x;
    archive(name, rotation);
}

template <class Archive>
void serialize(Archive& archive, model::JointDeclaration::Motion& x) {
    auto& [rotation, axis, amount, position] = x;
    archive(rotation, axis, amount, position);
}

template <class Archive>
void serialize(Archive& archive, model::JointDeclaration& x) {
    auto& [coordinates, motions] = x;
    archive(coordinates, motions);
}

template <class Archive>
void serialize(Archive& archive, model::StartDeclaration& x) {
    auto& [name, value, unit, doc] = x;
    archive(name, value, unit, doc);
}

template <class Archive>
void serialize(Archive& archive, model::TypeDeclaration& x) {
    auto& [name, base, base_type, partial, record, doc, ports, connectors, inputs, outputs, energy, dissipates,
           supplies, joint, starts, shapes, body] = x;
    archive(name, base, base_type, partial, record, doc, ports, connectors, inputs, outputs, energy, dissipates,
            supplies, joint, starts, shapes, body);
}

template <class Archive>
void serialize(Archive& archive, model::ConnectorTypeDeclaration& x) {
    auto& [name, type, signals, flawed] = x;
    archive(name, type, signals, flawed);
}

template <class Archive>
void serialize(Archive& archive, model::Experiment& x) {
    auto& [start, stop, tolerance, interval] = x;
    archive(start, stop, tolerance, interval);
}

template <class Archive>
void serialize(Archive& archive, model::Plot& x) {
    auto& [title, y] = x;
    archive(title, y);
}

template <class Archive>
void serialize(Archive& archive, model::Expectation& x) {
    auto& [position, at, values, tolerance, within, states, dependent_storages, algebraic_loops, poles, error, source] =
        x;
    archive(position, at, values, tolerance, within, states, dependent_storages, algebraic_loops, poles, error, source);
}

template <class Archive>
void serialize(Archive& archive, model::Model& x) {
    auto& [name, description, body, types, connector_types, types_missing, experiment, outputs, plots, expectations,
           files] = x;
    archive(name, description, body, types, connector_types, types_missing, experiment, outputs, plots, expectations,
            files);
}

template <class Archive>
void serialize(Archive& archive, model::ConnectorBond& x) {
    auto& [name, size, domain, common_flow, effort, flow] = x;
    archive(name, size, domain, common_flow, effort, flow);
}

template <class Archive>
void serialize(Archive& archive, model::ConnectorSignal& x) {
    auto& [name, rows, cols, unit] = x;
    archive(name, rows, cols, unit);
}

template <class Archive>
void serialize(Archive& archive, model::ConnectorType& x) {
    auto& [name, doc, bonds, signals, closure] = x;
    archive(name, doc, bonds, signals, closure);
}

template <class Archive>
void serialize(Archive& archive, model::LayoutDeclaration::Place& x) {
    auto& [component, at, quarter_turns, turned, mirrored] = x;
    archive(component, at, quarter_turns, turned, mirrored);
}

template <class Archive>
void serialize(Archive& archive, model::Symbol::Line& x) {
    auto& [points, filled] = x;
    archive(points, filled);
}

template <class Archive>
void serialize(Archive& archive, model::Symbol::Label& x) {
    auto& [text, at, size] = x;
    archive(text, at, size);
}

template <class Archive>
void serialize(Archive& archive, model::Symbol::Connector& x) {
    auto& [name, at] = x;
    archive(name, at);
}

template <class Archive>
void serialize(Archive& archive, model::Symbol& x) {
    auto& [position, size, lines, labels, connectors, ground] = x;
    archive(position, size, lines, labels, connectors, ground);
}

template <class Archive>
void serialize(Archive& archive, model::LayoutDeclaration& x) {
    auto& [places, rows, rings, symbols] = x;
    archive(places, rows, rings, symbols);
}

}  // namespace bondgraph::storage
