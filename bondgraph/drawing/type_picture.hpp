#pragma once

#include <string>

#include "bondgraph/drawing/picture.hpp"
#include "bondgraph/model/component_type.hpp"

namespace bondgraph::drawing {

// The bond graph inside a type, as its declaration has it: nothing is instantiated, so that parts under a condition and
// optional connectors are there, and causality is open, as it follows from what an instance is joined to.

/// Connectors and ports are nodes. What `connect:` joins meets at a junction. Signals are not shown.
Picture picture_of_type(const model::Model& model, const model::TypeDeclaration& type,
                        const model::Catalogue& catalogue);

/// The same in a line: "p → 1(R) → n". Elements with one bond stand behind their junction, in parentheses; a question
/// mark is for what a condition may leave out. Empty where there are no bonds, where parts are joined by `connect:`, or
/// where it would be longer than `longest` characters.
std::string bond_line(const model::TypeDeclaration& type, std::size_t longest);

}  // namespace bondgraph::drawing
