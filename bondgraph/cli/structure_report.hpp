#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bondgraph/api/structure.hpp"

namespace bondgraph::cli {

using api::algebraic_loops;
using api::closed_loops;
using api::ClosedCoordinate;
using api::ClosedLoopNames;
using api::dependent_storages;
using api::dependent_variables;
using api::DependentStorage;
using api::element_names;
using api::LoopNames;
using api::mode_of;
using api::mode_text;
using api::ModeValue;
using api::released_variables;
using api::removed_constraints;
using api::RemovedNames;
using api::state_names;
using api::storage_name;

/// {"S1.closed": true, "valve.mode": 2}
nlohmann::ordered_json mode_json(const causality::CausalGraph& causal);

}  // namespace bondgraph::cli
