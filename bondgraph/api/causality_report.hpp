#pragma once

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// The components of a bond, as of a drawing that looks into wrapped components or not.
std::vector<CausalBond> causal_bond(const causality::CausalGraph& causal, std::size_t bond, bool expand);

/// Of a session at stage causal.
Causality causality_report(const Session& session, bool expand, std::size_t most_paths);

}  // namespace bondgraph::api
