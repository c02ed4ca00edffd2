#pragma once

#include <string>
#include <vector>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/sorted_system.hpp"

namespace bondgraph::cli {

// The structure of a model in names, as `check` and `test` report it.

std::vector<std::string> state_names(const compile::SortedSystem& system);

/// A storage (one component of it) in derivative causality and what determines it.
struct DependentStorage {
    std::string name;
    std::vector<std::string> depends_on;
};

std::vector<DependentStorage> dependent_storages(const causality::CausalGraph& causal);

/// "C2", or "C2[3]" for one of several components.
std::string storage_name(const model::BondGraph& graph, const causality::StorageCausality& storage);

std::vector<std::string> element_names(const model::BondGraph& graph, const std::vector<model::ElementId>& ids);

/// Equations that need each other: the elements they belong to (junctions only where there is nothing else), and the
/// variables the solver iterates on.
struct LoopNames {
    std::vector<std::string> elements;
    std::vector<std::string> torn;
};

std::vector<LoopNames> algebraic_loops(const compile::SortedSystem& system);

}  // namespace bondgraph::cli
