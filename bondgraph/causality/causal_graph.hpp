#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::causality {

/// Where the causal stroke of a bond component is: at the end on which effort acts (it answers with flow).
/// `open`: inside a mesh whose equations only together decide (no stroke can be drawn).
enum class Stroke : std::int8_t { open, at_from, at_to };

/// The same stroke of a bond read the other way.
constexpr Stroke swapped(Stroke stroke) {
    if (stroke == Stroke::open) return stroke;
    return stroke == Stroke::at_from ? Stroke::at_to : Stroke::at_from;
}

/// Why a stroke is where it is.
struct Reason {
    enum class Kind : std::uint8_t {
        none,
        source,            ///< a source fixes its variable
        fixed_law,         ///< the element's law can be computed in one direction only
        integral,          ///< a storage takes integral causality
        refused_state,     ///< `states: never`: derivative causality by the user's wish
        junction_decided,  ///< the junction's common variable is known: the others follow
        junction_last,     ///< all but one are known: the last follows
        two_port,          ///< the other side of a TF, GY or wiring is known
        mesh,              ///< the mesh around it leaves no choice (rank)
        own_type,          ///< the equations of an own type leave no choice
        written_law,       ///< free: the law is taken as it is written, or in the direction in which it is smooth
        resistive_choice,  ///< free: a resistor's causality is chosen (part of an algebraic loop)
        free_choice,       ///< free: nothing depends on it
    };
    Kind kind = Kind::none;
    model::ElementId at;                    ///< the element or junction that forced (or took) it
    std::uint32_t cause = Id<void>::kNone;  ///< for junction_decided and two_port: the bond component it follows from
    std::uint32_t order = 0;                ///< position in the sequence of assignments
};

/// A component of a storage and the causality it got.
struct StorageCausality {
    model::ElementId element;
    std::uint32_t port = 0;
    std::uint32_t component = 0;       ///< within the port
    std::uint32_t bond_component = 0;  ///< global
    std::uint32_t number = 0;          ///< within the element, over all ports
    bool integral = true;
    /// Derivative causality: the elements (integral storages, sources) that determine it.
    std::vector<model::ElementId> depends_on;
};

/// Resistors whose laws must be solved together.
struct AlgebraicLoop {
    std::vector<model::ElementId> elements;
    /// One closed causal path: variables (as in BondGraph) each computed from the one before.
    std::vector<model::VariableId> path;
};

/// The bond graph with a stroke on every bond component. Refers to `graph`, which must outlive it.
struct CausalGraph {
    const model::BondGraph* graph = nullptr;
    std::vector<double> modes;  ///< values of the discrete variables it holds for (those that decide strokes)
    std::vector<Stroke> strokes;
    std::vector<Reason> reasons;
    std::vector<StorageCausality> storages;
    std::vector<AlgebraicLoop> loops;
    std::size_t meshes = 0;  ///< cyclic parts of the junction structure, decided by rank

    /// Whether this end of a bond component receives effort (and so imposes flow).
    [[nodiscard]] bool effort_in(std::uint32_t component, bool at_head) const {
        return strokes[component] == (at_head ? Stroke::at_to : Stroke::at_from);
    }
    [[nodiscard]] std::size_t dependent_storage_count() const;
};

/// Meshes up to this number of unknowns are decided by rank while strokes are assigned; larger ones are assigned by
/// propagation, verified by a sparse factorization, and decided by rank only where that fails.
inline constexpr std::size_t kRankLimit = 600;

/// Sequential causality assignment (Karnopp, Margolis, Rosenberg, ch. 5; Hogan, Fasse 1988 on conservative
/// propagation): sources and one-way laws, storages in integral causality one at a time by preference, laws as written,
/// resistive choices, the rest; with full propagation after each. Cyclic parts of the junction structure are Dirac
/// structures of their own whose rank forces strokes, so the result is exact.
/// Throws ModelError: BG-C001/C002/C003 conflicting sources (with a minimal set and the relation they violate),
/// BG-C004 `states: always|never` that can't be met, BG-C006 a junction structure that leaves variables undetermined.
/// Diodes and friction are in their start state, or in the nearest one that has a causality: which it is shows when the
/// start is solved for.
CausalGraph assign_causality(const model::BondGraph& graph, std::size_t rank_limit = kRankLimit);

/// The same with the model's discrete variables at `modes` instead of their start values: switches open or closed.
CausalGraph assign_causality(const model::BondGraph& graph, std::vector<double> modes,
                             std::size_t rank_limit = kRankLimit);

/// A causal path from an element's output to another element's input.
struct CausalPath {
    model::ElementId from;
    model::ElementId to;
    std::vector<model::VariableId> variables;
};

/// All causal paths between sources, storages, resistors and sensors, by elements in the order of the file; at most
/// `limit`.
std::vector<CausalPath> causal_paths(const CausalGraph& causal, std::size_t limit = 200);

/// One sentence for a stroke: "Se 'battery' fixes the effort".
std::string reason_text(const CausalGraph& causal, std::uint32_t component);

}  // namespace bondgraph::causality
