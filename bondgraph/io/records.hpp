#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// Looks at all parameters that are records, once types are extended: reports records that there are not, parameters
/// that they haven't got (BG-M081), records that contain themselves (BG-M014), and names that components, ports or
/// bonds have as well (BG-M017). A parameter of which this can't be used has no `record_type` afterwards.
void check_records(model::Model& model, Diagnostics& diagnostics);

}  // namespace bondgraph::io
