#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/sorted_system.hpp"

namespace bondgraph::api {

// The structure of a model in names, for reports and warnings.

std::vector<std::string> state_names(const compile::SortedSystem& system);

/// A storage (one component of it) that is no state, and what determines it; nothing where only all constraints
/// together do.
struct DependentStorage {
    std::string name;
    std::vector<std::string> depends_on;
};

std::vector<DependentStorage> dependent_storages(const compile::SortedSystem& system);

/// Variables of own types and detectors that are differentiated and yet no states, because constraints determine them.
std::vector<std::string> dependent_variables(const compile::SortedSystem& system);

/// A constraint that others imply, by the components they belong to.
struct RemovedNames {
    std::string element;
    std::vector<std::string> implied_by;
};

std::vector<RemovedNames> removed_constraints(const compile::SortedSystem& system);
/// What removed constraints leave undetermined: it is set to 0.
std::vector<std::string> released_variables(const compile::SortedSystem& system);

/// A coordinate of a mechanism: as start values have it, and where its loops are closed.
struct ClosedCoordinate {
    std::string name;
    double before = 0.0;
    double after = 0.0;
    bool given = false;   ///< a start value of the file says something of it
    bool number = false;  ///< an angle, or a component of a quaternion
};

/// A mechanism with closed loops: its joints, where it is held together, and how many of what.
struct ClosedLoopNames {
    std::vector<std::string> joints;
    std::vector<std::string> closures;
    std::size_t coordinates = 0;  ///< or as many as rates, where these told which conditions are redundant
    std::size_t conditions = 0;
    std::size_t redundant = 0;  ///< of the conditions: others imply them, and the reactions that would hold them are 0
    std::vector<std::string> closed_form = {};  ///< coordinates that follow from others by a formula
    std::vector<std::string> released = {};     ///< of these reactions those that are known from the beginning
    bool by_rates = false;
    std::vector<ClosedCoordinate> position = {};
    [[nodiscard]] std::ptrdiff_t freedoms() const {
        return static_cast<std::ptrdiff_t>(coordinates + redundant) - static_cast<std::ptrdiff_t>(conditions);
    }
};

std::vector<ClosedLoopNames> closed_loops(const compile::SortedSystem& system);

/// The discrete variables that decide strokes, and their values in this structure.
struct ModeValue {
    std::string name;
    double value = 0.0;
    bool boolean = false;
    [[nodiscard]] std::string text() const;
};

std::vector<ModeValue> mode_of(const causality::CausalGraph& causal);
/// "S1.closed = true, valve.mode = 2"; empty for a model with a single structure.
std::string mode_text(const causality::CausalGraph& causal);
/// {"S1.closed": true, "valve.mode": 2}
nlohmann::ordered_json mode_json(const causality::CausalGraph& causal);

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

}  // namespace bondgraph::api
