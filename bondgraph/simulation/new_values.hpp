#pragma once

#include <span>

#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// A new value given by `reinit:` or `set:` of a `when:`.
struct NewValue {
    const model::WhenAction* what = nullptr;
    std::size_t action = 0;  ///< among all of the model
    double value = 0.0;
};

/// Gives states such values that what `given` names has its new values; all other states stay. What one state alone
/// determines gives this one its value. All else is solved for together: the values have to determine the states that
/// they follow from; those that closed loops tie to each other have to be given all at once, because which of them are
/// states is the solver's choice. Positions stay where rates are given. Whether the values then agree is not looked at.
/// Throws SimulationError where the values don't determine the states, ModelError where what follows has no solution.
void give_new_values(Mode& mode, Point& point, std::span<const NewValue> given);

}  // namespace bondgraph::simulation
