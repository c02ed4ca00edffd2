#pragma once

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
using api::mode_json;
using api::mode_of;
using api::mode_text;
using api::ModeValue;
using api::released_variables;
using api::removed_constraints;
using api::RemovedNames;
using api::state_names;
using api::storage_name;

}  // namespace bondgraph::cli
