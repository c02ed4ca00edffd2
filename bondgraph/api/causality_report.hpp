#pragma once

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"

namespace bondgraph::api {

/// Of a session at stage causal.
Causality causality_report(const Session& session, bool expand, std::size_t most_paths);

}  // namespace bondgraph::api
