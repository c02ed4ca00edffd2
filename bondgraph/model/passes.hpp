#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// The passes of flattening in their order, up to a stage. `complete`: nothing of the model has been left out for
/// mistakes of form. After errors the later stages are passed through as far as they can find more mistakes.
void run_passes(Flattening& work, std::span<const ParsedOverride> overrides, bool complete,
                Stage last = Stage::evaluated);

}  // namespace bondgraph::model
