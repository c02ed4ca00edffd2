#pragma once

#include <deque>
#include <optional>
#include <unordered_map>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/causality/own_type_ends.hpp"
#include "bondgraph/causality/scalar_graph.hpp"

namespace bondgraph::causality {

/// Two chains of reasons that meet: at a vertex, or at the port of a source.
struct Conflict {
    model::ElementId at;
    std::vector<std::uint32_t> components;  ///< bond components whose strokes can't all be true
    std::vector<model::ElementId> demands;  ///< elements whose demands can't all be met, where these are known
};

/// Strokes under construction: set() one, propagate() its consequences. The state is public to the passes of
/// assign_causality only.
class Assignment {
   public:
    Assignment(const model::BondGraph& graph, ScalarGraph scalar);

    /// Puts the stroke so that the given end receives effort (or not). False: the opposite is already decided.
    bool set(std::uint32_t component, bool at_head, bool effort_in, Reason reason);
    /// All consequences of what was set; the conflict found, if any.
    std::optional<Conflict> propagate();
    [[nodiscard]] bool known(std::uint32_t component) const { return strokes[component] != Stroke::open; }
    [[nodiscard]] bool effort_in(std::uint32_t component, bool at_head) const {
        return strokes[component] == (at_head ? Stroke::at_to : Stroke::at_from);
    }
    /// The stroke at an end of an own type that keeps its states independent, if the other one doesn't: effort in or
    /// not.
    [[nodiscard]] std::optional<bool> integral_end(std::uint32_t vertex, std::size_t end) const;
    /// Bond components whose strokes led to this one.
    [[nodiscard]] std::vector<std::uint32_t> antecedents(std::uint32_t component) const;

    std::vector<Stroke> strokes;
    std::vector<Reason> reasons;
    ScalarGraph scalar;
    std::vector<double> modes;    ///< of the model's discrete variables
    std::vector<Stroke> planned;  ///< of the ports of regions; open elsewhere
    bool off_plan = false;        ///< a stroke has been set against the plan

   private:
    [[nodiscard]] std::uint32_t vertex_at(std::uint32_t component, bool at_head) const;
    void assigned(std::uint32_t vertex, std::uint32_t component, bool at_head);
    void visit(std::uint32_t vertex);
    void visit_junction(const ScalarVertex& v);
    void visit_pair(const ScalarVertex& v);
    void visit_dirac(const ScalarVertex& v);
    void visit_own_type(std::uint32_t vertex);
    void imply(const ScalarVertex& v, const ScalarEnd& end, bool effort_in, Reason::Kind kind, std::uint32_t cause);
    void conflict(const ScalarVertex& v);
    [[nodiscard]] std::vector<OwnTypeEquations::End> ends_of(const ScalarVertex& v) const;

    std::vector<std::uint32_t> tail_index_;  // place among the ends of the effective vertex
    std::vector<std::uint32_t> head_index_;
    std::deque<std::uint32_t> queue_;
    std::optional<Conflict> conflict_;
    std::uint32_t order_ = 0;
    std::unordered_map<std::uint32_t, OwnTypeEquations> own_types_;  ///< by vertex
};

/// Of a part of a wrapped component that component: nobody has named the part.
model::ElementId named_one(const model::BondGraph& graph, model::ElementId id);

/// The conflict as a diagnostic: the sources involved, the chain of bonds, the relation between the sources that the
/// junctions would force, and what to do.
Diagnostic explain(const model::BondGraph& graph, const Assignment& assignment, const Conflict& conflict);

/// Gives the bonds inside meshes strokes consistent with those at their ports, and with those that are there already,
/// where such exist. Gives the meshes of which they don't.
std::vector<std::uint32_t> assign_inside_meshes(Assignment& assignment);

/// Algebraic loops and the determination of dependent storages (paths.cpp).
void find_loops(CausalGraph& causal, const Assignment& assignment);
void find_dependencies(CausalGraph& causal, const Assignment& assignment);

}  // namespace bondgraph::causality
