#pragma once

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/variants.hpp"

namespace bondgraph::api {

/// As Model::compare: the variants are those of the models.
Result<Comparison> comparison_of(const Model& mine, Variants& my_variants, const Model& reference,
                                 Variants& reference_variants);

}  // namespace bondgraph::api
