#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// What a component gives for a parameter or input of that name; null where it gives nothing.
const Setting* find_setting(const ComponentDeclaration& declaration, std::string_view name);

/// Reports a value that its parameter (number k of the element's type) can't have: truths and lists where a number is
/// asked for, other units, values beyond bounds, tables without order.
void check_number(Flattening& work, std::uint32_t index, std::size_t k, const Value& value, const Quantity& q);

/// Reports what a signal or a text gives a parameter (number k of the element's type) that can't have its shape: of a
/// single value a vector, of a list a matrix, of a table anything but known points. False where it has.
bool check_driven_shape(Flattening& work, std::uint32_t index, std::size_t k, const Text& source, const Quantity& q);

/// Reports what an input of an element is given that is no single value: inputs of types in C++ are. False where it
/// has.
bool check_single_input(Flattening& work, std::uint32_t index, std::string_view input, const Value& source,
                        const Quantity& q);

/// Reports a parameter that is greater than the one it has to be at most, where both are known numbers.
void check_order(const Element& e, std::string_view lower, std::string_view upper, Diagnostics& diagnostics);

/// Reports a value that a parameter's declaration doesn't allow, once: another unit, or beyond its bounds; of those
/// that depend on free and adjustable parameters the bounds are kept for the start (BondGraph::bounds). The mistake is
/// where the value was given: what it is handed on to sees a value as it should be.
void check_declared(Flattening& work, std::uint32_t scope, ScopeValue& v);

/// Reports conditions under `require:` of a scope that don't hold, where the values are given; these are unknown from
/// then on, so that nothing else is said of them. Conditions that depend on free and adjustable parameters are kept for
/// the start; what a signal drives is not looked at.
void check_requirements(Flattening& work, std::uint32_t scope);

}  // namespace bondgraph::model
