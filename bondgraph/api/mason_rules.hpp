#pragma once

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/causality/causal_graph.hpp"

namespace bondgraph::api {

/// Mason's rule for all channels of a session's linear model, in the causality that it was linearized with; each is
/// checked against the matrices.
Mason mason_rules(const Session& session, const causality::CausalGraph& causal, const analysis::LinearModel& linear);

}  // namespace bondgraph::api
