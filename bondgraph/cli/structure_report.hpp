#pragma once

#include "bondgraph/api/structure.hpp"

namespace bondgraph::cli {

using api::ClosedCoordinate;
using api::ClosedLoop;
using api::dependent_storages;
using api::DependentStorage;
using api::mode_of;
using api::ModeValue;
using api::RemovedConstraint;
using api::SolvedLoop;
using api::state_names;

}  // namespace bondgraph::cli
