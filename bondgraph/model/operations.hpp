#pragma once

#include <string>
#include <string_view>

#include "bondgraph/model/quantity.hpp"

namespace bondgraph::model {

// What operators make of quantities: values, shapes and dimensions. What does not fit throws SyntaxError at the offset
// of `node`, the operation.

bool is_pure_number(const Measure& m);
/// "a scalar", "a vector of 3", "a 2 x 3 matrix"
std::string shape_text(const expression::ExprMatrix& m);

/// The measure of what stands side by side in a sum, a comparison or the branches of `if`; `what` joins them.
Measure common_measure(const expression::SyntaxNode& node, const Measure& a, const Measure& b, std::string_view what);
/// Of a product or quotient; a rate times a number counts what it did, unless the number may be the 2 pi between Hz and
/// rad/s.
Measure product(const Quantity& a, const Quantity& b);
Measure quotient(const Quantity& a, const Quantity& b);

Quantity multiply(const expression::SyntaxNode& node, const Quantity& a, const Quantity& b);
Quantity raise(const expression::SyntaxNode& node, const Quantity& a, const Quantity& b);
/// dot() or cross(), as the node says.
Quantity vector_product(const expression::SyntaxNode& node, const Quantity& a, const Quantity& b);

}  // namespace bondgraph::model
