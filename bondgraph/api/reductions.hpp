#pragma once

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// `base`: the model as it was read.
Result<Reduction> reduction_of(const Model& model, const Session& base, const ReduceOptions& options);

}  // namespace bondgraph::api
