#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

/// Reports a matrix C, K or I of known numbers that is not symmetric or has a negative eigenvalue: no energy belongs
/// to it. Singular ones pass: whether the law needs the inverse is a question of causality.
void check_storage_matrices(const model::LawContext& context, Diagnostics& diagnostics);
/// Warns of a matrix R or G of known numbers that delivers power for some flows. What is skew in it only gyrates.
void check_resistor_matrices(const model::LawContext& context, Diagnostics& diagnostics);

}  // namespace bondgraph::elements
