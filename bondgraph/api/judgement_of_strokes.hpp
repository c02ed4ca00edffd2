#pragma once

#include <vector>

#include "bondgraph/api/judgements.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/causality/placed_strokes.hpp"

namespace bondgraph::api {

/// Of a session at stage causal.
JudgedStrokes judged_strokes(const Session& session, const std::vector<PlacedStroke>& placed);

/// The causality with those of the strokes that are accepted.
causality::CausalGraph causality_with(const Session& session, const std::vector<PlacedStroke>& placed);

}  // namespace bondgraph::api
