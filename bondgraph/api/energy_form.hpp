#pragma once

#include "bondgraph/api/port_hamiltonian.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// Of a session at stage compiled, which is changed by it: modes become those of the start. Throws UsageError where the
/// model has no such form, saying which of its parts keep it from that; ModelError where it has no start.
PortHamiltonian port_hamiltonian_of(Session& session);

}  // namespace bondgraph::api
