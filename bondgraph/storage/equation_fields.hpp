#pragma once

// The parts that values consist of, in the order of their declaration: a part that is added to one of these types and
// not to its list here is an error of the compiler.

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/storage/graph_fields.hpp"

namespace bondgraph::storage {

template <class Archive>
void serialize(Archive& archive, structure::Incidence& x) {
    auto& [starts, columns] = x;
    archive(starts, columns);
}

template <class Archive>
void serialize(Archive& archive, structure::Colouring& x) {
    auto& [colour, count] = x;
    archive(colour, count);
}

template <class Archive>
void serialize(Archive& archive, structure::Matching& x) {
    auto& [row_of, column_of] = x;
    archive(row_of, column_of);
}

template <class Archive>
void serialize(Archive& archive, structure::IndexReduction& x) {
    auto& [differentiations, rows, derivative_of, equation_derivative, origin, order, matching, singular_equations,
           undetermined_columns] = x;
    archive(differentiations, rows, derivative_of, equation_derivative, origin, order, matching, singular_equations,
            undetermined_columns);
}

template <class Archive>
void serialize(Archive& archive, structure::StateWish& x) {
    auto& [order, firmness, size] = x;
    archive(order, firmness, size);
}

template <class Archive>
void serialize(Archive& archive, structure::DerivativeBlock& x) {
    auto& [rows, columns] = x;
    archive(rows, columns);
}

template <class Archive>
void serialize(Archive& archive, structure::DummyChoice::Redundant& x) {
    auto& [equation, combination, hidden] = x;
    archive(equation, combination, hidden);
}

template <class Archive>
void serialize(Archive& archive, structure::DummyChoice& x) {
    auto& [dummies, states, redundant, free_columns, blocks, magnitudes, condition] = x;
    archive(dummies, states, redundant, free_columns, blocks, magnitudes, condition);
}

template <class Archive>
void serialize(Archive& archive, compile::Relation& x) {
    auto& [node, difference, held, element, position, in_equations] = x;
    archive(node, difference, held, element, position, in_equations);
}

template <class Archive>
void serialize(Archive& archive, compile::EventTable& x) {
    auto& [relations, updates, whens, held_count, held_of] = x;
    archive(relations, updates, whens, held_count, held_of);
}

template <class Archive>
void serialize(Archive& archive, compile::EventExpressions& x) {
    auto& [differences, updates, conditions, actions] = x;
    archive(differences, updates, conditions, actions);
}

template <class Archive>
void serialize(Archive& archive, compile::Assignment& x) {
    auto& [target, value, element, position, implicit] = x;
    archive(target, value, element, position, implicit);
}

template <class Archive>
void serialize(Archive& archive, compile::StateEquation& x) {
    auto& [state, rate, element, position, implicit] = x;
    archive(state, rate, element, position, implicit);
}

template <class Archive>
void serialize(Archive& archive, compile::ClosedForm& x) {
    auto& [variable, value, turn, arcs, within] = x;
    archive(variable, value, turn, arcs, within);
}

template <class Archive>
void serialize(Archive& archive, compile::Loop& x) {
    auto& [variables, torn] = x;
    archive(variables, torn);
}

template <class Archive>
void serialize(Archive& archive, compile::InputChannel& x) {
    auto& [name, element] = x;
    archive(name, element);
}

template <class Archive>
void serialize(Archive& archive, compile::ChoicePoint& x) {
    auto& [values, time, held] = x;
    archive(values, time, held);
}

template <class Archive>
void serialize(Archive& archive, compile::SortedSystem& x) {
    auto& [causal, states, derived, assignments, torn, state_equations, loops, equation_count, inputs, events,
           at_events, reduced, choice, chosen_at, closed_forms] = x;
    archive.refer(causal, archive.causal);
    archive(states, derived, assignments, torn, state_equations, loops, equation_count, inputs, events, at_events,
            reduced, choice, chosen_at, closed_forms);
}

template <class Archive>
void serialize(Archive& archive, compile::Closure& x) {
    auto& [hold, conditions, redundant, coordinates] = x;
    archive(hold, conditions, redundant, coordinates);
}

template <class Archive>
void serialize(Archive& archive, compile::ClosedMechanism& x) {
    auto& [closures, coordinates, rates, weakest] = x;
    archive(closures, coordinates, rates, weakest);
}

template <class Archive>
void serialize(Archive& archive, compile::OutOfReach& x) {
    auto& [coordinates, why] = x;
    archive(coordinates, why);
}

template <class Archive>
void serialize(Archive& archive, compile::ClosedLoops::Coordinate& x) {
    auto& [variable, value, number, before, given] = x;
    archive(variable, value, number, before, given);
}

template <class Archive>
void serialize(Archive& archive, compile::ClosedLoops::Place& x) {
    auto& [owner, poses] = x;
    archive(owner, poses);
}

template <class Archive>
void serialize(Archive& archive, compile::ClosedLoops::IdleLock& x) {
    auto& [lock, flow] = x;
    archive(lock, flow);
}

template <class Archive>
void serialize(Archive& archive, compile::ClosedLoops& x) {
    auto& [mechanisms, position, places, gaps, upright, idle, out_of_reach] = x;
    archive(mechanisms, position, places, gaps, upright, idle, out_of_reach);
}

template <class Archive>
void serialize(Archive& archive, compile::ReducedEquation& x) {
    auto& [residual, element, position, origin, order] = x;
    archive(residual, element, position, origin, order);
}

template <class Archive>
void serialize(Archive& archive, compile::RemovedConstraint& x) {
    auto& [element, position, implied_by] = x;
    archive(element, position, implied_by);
}

template <class Archive>
void serialize(Archive& archive, compile::Coefficients& x) {
    auto& [pattern, constant, size, varying, entries, tape, row_of] = x;
    archive(pattern, constant, size, varying, entries, tape, row_of);
}

template <class Archive>
void serialize(Archive& archive, compile::ReducedSystem& x) {
    auto& [causal, derived, derivative_of, eliminated, eliminated_at, equations, plan, blocks, wishes, drop, release,
           removed, released, highest, highest_of, coefficients, inputs, events, loops, equation_count, thorough] = x;
    archive.refer(causal, archive.causal);
    archive(derived, derivative_of, eliminated, eliminated_at, equations, plan, blocks, wishes, drop, release, removed,
            released, highest, highest_of, coefficients, inputs, events, loops, equation_count, thorough);
}

template <class Archive>
void serialize(Archive& archive, compile::StateChoice& x) {
    auto& [states, dummies, released, removed, condition, details] = x;
    archive(states, dummies, released, removed, condition, details);
}

template <class Archive>
void serialize(Archive& archive, compile::TimeFunctions::Kink& x) {
    auto& [at, points, node, difference] = x;
    archive(at, points, node, difference);
}

template <class Archive>
void serialize(Archive& archive, compile::TimeFunctions::Sum& x) {
    auto& [parts, enters] = x;
    archive(parts, enters);
}

template <class Archive>
void serialize(Archive& archive, compile::TimeFunctions& x) {
    auto& [kinks, terms, sums, held] = x;
    archive(kinks, terms, sums, held);
}

template <class Archive>
void serialize(Archive& archive, compile::Unknown& x) {
    auto& [variable, differential, nominal] = x;
    archive(variable, differential, nominal);
}

template <class Archive>
void serialize(Archive& archive, compile::RowLabel& x) {
    auto& [variable, element, position] = x;
    archive(variable, element, position);
}

template <class Archive>
void serialize(Archive& archive, compile::StartCondition& x) {
    auto& [value, target, name, element, position, fixed, kind, by_default] = x;
    archive(value, target, name, element, position, fixed, kind, by_default);
}

template <class Archive>
void serialize(Archive& archive, compile::EnergyTerm& x) {
    auto& [kind, element, power, energy, part] = x;
    archive(kind, element, power, energy, part);
}

template <class Archive>
void serialize(Archive& archive, compile::EventTapes& x) {
    auto& [differences, updates, conditions, actions, targets] = x;
    archive(differences, updates, conditions, actions, targets);
}

template <class Archive>
void serialize(Archive& archive, compile::DelayTapes& x) {
    auto& [inputs, times, varying, origins] = x;
    archive(inputs, times, varying, origins);
}

template <class Archive>
void serialize(Archive& archive, compile::CompiledModel& x) {
    auto& [causal, unknowns, state_count, rows, layout, residual, pattern, colouring, values, derived, conditions,
           timely, energy, inputs, events, at_events, delays, reduced, choice, chosen_at, closed_forms, turns, linear,
           equation_count] = x;
    archive.refer(causal, archive.causal);
    archive(unknowns, state_count, rows, layout, residual, pattern, colouring, values, derived, conditions, timely,
            energy, inputs, events, at_events, delays, reduced, choice, chosen_at, closed_forms, turns, linear,
            equation_count);
}

}  // namespace bondgraph::storage
