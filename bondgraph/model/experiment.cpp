#include "bondgraph/model/experiment.hpp"

#include <cmath>

#include "bondgraph/model/flatten.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

double start_time(const Model& model, const BondGraph& graph, const UnitSystem& units) {
    if (!model.experiment.start) return 0.0;
    try {
        const double start = number_in(*model.experiment.start, graph, units, Measure::of(Dimension{.second = 1}));
        return std::isfinite(start) ? start : 0.0;
    } catch (const ModelError&) {
        return 0.0;
    }
}

void check_experiment(const Model& model, const UnitSystem& units, Diagnostics& found) {
    const Experiment& e = model.experiment;
    const BondGraph without_names;
    for (const auto* value : {&e.start, &e.stop, &e.interval, &e.tolerance}) {
        if (!*value) continue;
        Diagnostics ignored;
        if (!(*value)->is_list && !parse_number((*value)->scalar, units, ignored)) continue;
        const Dimension dimension = value == &e.tolerance ? Dimension{} : Dimension{.second = 1};
        try {
            static_cast<void>(number_in(**value, without_names, units, Measure::of(dimension)));
        } catch (const ModelError& mistakes) {
            found.append(mistakes.diagnostics());
        }
    }
}

}  // namespace bondgraph::model
