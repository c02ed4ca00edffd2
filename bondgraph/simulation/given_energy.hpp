#pragma once

#include "bondgraph/simulation/energy.hpp"
#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// What storages given by a law without `energy:` hold more after `when:` has given states new values: the integral of
/// their law, ∫e dq and ∫f dp, from one point to the other. No bond brings it: it is booked as gained and, so that the
/// balance shows where it came from, as a loss in events of the opposite sign. Empty where there are none.
JumpBooks given_energy(Mode& mode, const Point& before, const Point& after);

}  // namespace bondgraph::simulation
