#pragma once

#include "bondgraph/api/judgements.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// Of a session at stage causal; its expressions get those of the equations judged.
JudgedEquations judged_equations(Session& session, const DerivationsOptions& options);

}  // namespace bondgraph::api
