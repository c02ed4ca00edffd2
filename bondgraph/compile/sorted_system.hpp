#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/events.hpp"

namespace bondgraph::compile {

using model::VariableId;

/// One equation solved for one variable, in the order of computation. `implicit` equations could not be solved by
/// symbols: `value` then is left − right, which has to vanish.
struct Assignment {
    VariableId target;
    Expr value;
    model::ElementId element;
    SourcePosition position;
    bool implicit = false;
};

/// der(state) = rate, which IDA integrates.
struct StateEquation {
    VariableId state;
    Expr rate;
    model::ElementId element;
    SourcePosition position;
    bool implicit = false;  ///< `rate` is a residual in which der(state) stands anywhere, and has to vanish
};

/// A coordinate of a closed loop as a function of others, for one way of bending; see ClosedForms.
struct ClosedForm {
    VariableId variable;
    Expr value;  ///< in variables of the reduced system
    /// Of an angle, its cosine and sine without arc functions.
    std::optional<std::array<Expr, 2>> turn = {};
    /// Arc tangents in the value, each with the squared length of what it is the angle of.
    std::vector<std::pair<Expr, Expr>> arcs = {};
    /// Of a displacement: so far at most from the value, it is on this side; 0: angles of the same place tell.
    double within = 0.0;
};

/// Equations that need each other's results. IDA iterates on the torn variables; the others follow from them.
struct Loop {
    std::vector<VariableId> variables;
    std::vector<VariableId> torn;
};

/// One input of a linearization: one component of a source's value.
struct InputChannel {
    std::string name;
    model::ElementId element;
};

struct ReducedSystem;
struct StateChoice;

/// Numbers for all variables of a reduced system at an instant: where its states are chosen.
struct ChoicePoint {
    std::vector<double> values;  ///< by variable of the reduced system
    double time = 0.0;
    std::vector<double> held;  ///< see EventTable; free parameters among them
};

/// Where the states of a system are to be chosen: a consistent start, or what a run has come to.
using FindPoint = std::function<ChoicePoint(const ReducedSystem&)>;

/// The equations of a causal graph in the order of computation. Variables from BondGraph::variable_count() on are time
/// derivatives: number variable_count() + i stands for der(derived[i]).
struct SortedSystem {
    const causality::CausalGraph* causal = nullptr;
    std::vector<VariableId> states;
    std::vector<VariableId> derived;
    std::vector<Assignment> assignments;  ///< sorted; torn variables appear where their equation is checked
    std::vector<bool> torn;               ///< parallel to assignments: target is an unknown of IDA, value must equal it
    std::vector<StateEquation> state_equations;
    std::vector<Loop> loops;
    std::size_t equation_count = 0;  ///< scalar equations the graph gave
    /// With perturbed sources: parameter leaf i is added to this source value, parameter leaf inputs.size() + i is its
    /// rate.
    std::vector<InputChannel> inputs;
    std::shared_ptr<const EventTable> events;  ///< shared by all modes of a model
    EventExpressions at_events;
    /// Only where states had to be chosen by numbers: what they were chosen from, the choice, and the point at which it
    /// was made.
    std::shared_ptr<const ReducedSystem> reduced;
    std::shared_ptr<const StateChoice> choice;
    std::shared_ptr<const ChoicePoint> chosen_at;
    std::vector<ClosedForm> closed_forms;  ///< they stand in the assignments as well

    [[nodiscard]] const model::BondGraph& graph() const { return *causal->graph; }
    /// "La.f", "der(C2.q)".
    [[nodiscard]] std::string name(VariableId id) const;
    [[nodiscard]] SourcePosition position(VariableId id) const;
};

/// Laws oriented by strokes, matched (the strokes give the starting matching, augmenting paths the rest), derivative
/// causality resolved by total time differentiation, integer-linear junction loops eliminated exactly, sorted into
/// strong components and torn.
/// With `perturb_sources` every source's value gets a small input added, for linearization.
/// Where differentiating what determines a dependent storage is not enough (constraints between states, constraints
/// implied by others), the general way is gone: see reduce.hpp.
/// Throws ModelError: BG-E001 structurally singular (names the over- and under-determined parts), BG-E003 a
/// discontinuous expression would have to be differentiated, BG-E004 contradicting constraints, BG-E005 hidden ones,
/// BG-I001 and BG-I003 where no consistent point was found to choose states at.
/// `events` is the model's table where it exists already (another mode of the same model); otherwise it is made.
/// `find_point` is asked where states have to be chosen by numbers; without it that is a consistent start.
SortedSystem sort_equations(const causality::CausalGraph& causal, bool perturb_sources = false,
                            std::shared_ptr<const EventTable> events = nullptr, const FindPoint& find_point = {});

/// The same at the start of a run: where diodes, friction or what obeys them are assumed in states whose equations are
/// refused (BG-E002, BG-E003), `causal` becomes that of the nearest states whose equations are not. Which it is shows
/// when the start is solved for.
SortedSystem sort_start(causality::CausalGraph& causal, bool perturb_sources = false);

/// The general way with every linear equation in it (Exact::all): where structure says that nothing is wrong and
/// numbers say that constraints depend on each other. Throws as above.
SortedSystem sort_by_reduction(const causality::CausalGraph& causal, bool perturb_sources,
                               std::shared_ptr<const EventTable> events, const FindPoint& find_point = {});

}  // namespace bondgraph::compile
