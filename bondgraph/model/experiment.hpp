#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// `experiment: start` in s, 0 without. A start that is no time counts as none: it is reported where the model runs.
double start_time(const Model& model, const BondGraph& graph, const UnitSystem& units);

/// Reports numbers under `experiment:` in wrong units, for a model that has other mistakes and doesn't get as far as a
/// run. Formulas are left out, as what they name may be among those mistakes.
void check_experiment(const Model& model, const UnitSystem& units, Diagnostics& found);

}  // namespace bondgraph::model
