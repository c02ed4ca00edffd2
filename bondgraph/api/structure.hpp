#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/reports.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/sorted_system.hpp"

namespace bondgraph::api {

// The structure of a model in names, for reports and warnings.

/// Of a session at stage compiled.
Structure structure_of(const Session& session);

std::vector<std::string> state_names(const compile::SortedSystem& system);

std::vector<DependentStorage> dependent_storages(const compile::SortedSystem& system);

/// Variables of own types and detectors that are differentiated and yet no states, because constraints determine them.
std::vector<std::string> dependent_variables(const compile::SortedSystem& system);

std::vector<RemovedConstraint> removed_constraints(const compile::SortedSystem& system);
/// What removed constraints leave undetermined: it is set to 0.
std::vector<std::string> released_variables(const compile::SortedSystem& system);

std::vector<ClosedLoop> closed_loops(const compile::SortedSystem& system);

/// The discrete variables that decide strokes, and their values in this structure.
std::vector<ModeValue> mode_of(const causality::CausalGraph& causal);

/// The same by their values alone, in the model's order.
std::vector<ModeValue> mode_values(const model::BondGraph& graph, const std::vector<double>& values);

/// "C2", or "C2[3]" for one of several components.
std::string storage_name(const model::BondGraph& graph, const causality::StorageCausality& storage);

std::vector<std::string> element_names(const model::BondGraph& graph, const std::vector<model::ElementId>& ids);

std::vector<SolvedLoop> algebraic_loops(const compile::SortedSystem& system);

}  // namespace bondgraph::api
