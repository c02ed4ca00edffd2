#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/compile/sorted_system.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

class SmallBlocks;

/// A scalar equation lhs = rhs and the unknown it was oriented for by the strokes (none: still to be matched).
struct OrientedEquation {
    Expr lhs;
    Expr rhs;
    model::ElementId element;
    SourcePosition position;
    VariableId target;
    bool forced = false;  ///< the residual that determines its target, a state's rate, through all other equations
    /// Gives a signal of a connector in a mechanism with closed loops, and nothing else is made of it.
    bool explicit_signal = false;
};

/// Conditions that hold one place of a mechanism together, and the coordinates in them.
struct Closure {
    model::ElementId hold;  ///< the part that holds
    std::size_t conditions = 0;
    std::vector<std::uint32_t> redundant;    ///< which of them others imply; their forces are 0
    std::vector<std::uint32_t> coordinates;  ///< variables
};

/// All closures that share coordinates, directly or through others.
struct ClosedMechanism {
    std::vector<Closure> closures;
    std::size_t coordinates = 0;  ///< as many as their rates are, unless parts roll
    std::size_t rates = 0;        ///< where conditions were told redundant by them: how many there are
    double weakest = 1.0;         ///< what that condition which says least says of its own, beside 1
    [[nodiscard]] std::size_t conditions() const;
    [[nodiscard]] std::size_t redundant() const;
};

/// Coordinates that start values give, and why lengths keep their loop from closing with these values.
struct OutOfReach {
    std::vector<std::uint32_t> coordinates;
    std::string why;
};

/// The mechanisms with closed loops of a model, and where their coordinates bring all of them together.
struct ClosedLoops {
    struct Coordinate {
        std::uint32_t variable = 0;
        double value = 0.0;
        bool number = false;  ///< an angle, or a component of a quaternion: what is small beside 1 is so
        double before = 0.0;  ///< as start values have it, whether the loops are closed there or not
        bool given = false;   ///< a start value of the file says something of it
    };
    /// Two frames that are held together there: x, then R row by row, in coordinates, against the last frame that both
    /// sides have in common.
    struct Place {
        model::ElementId owner;  ///< of the parts that hold
        std::array<std::vector<Expr>, 2> poses;
    };
    std::vector<ClosedMechanism> mechanisms;
    std::vector<Coordinate> position;
    std::vector<Place> places;
    /// In coordinates: how far each condition is from being met, those included that others imply, and what is positive
    /// where the sides are not turned over against each other.
    std::vector<Expr> gaps, upright;
    /// A lock of what other locks, sources of flow and the loops hold already: its effort is 0, and its flow has to be.
    struct IdleLock {
        model::ElementId lock;
        std::uint32_t flow = 0;  ///< variable
    };
    std::vector<IdleLock> idle;
    std::vector<OutOfReach> out_of_reach;
};

/// All equations of a causal graph. Every variable is one unknown: itself, or its time derivative if `is_state`.
struct EquationSystem {
    const causality::CausalGraph* causal = nullptr;
    std::vector<OrientedEquation> equations;
    std::vector<bool> is_state;
    std::vector<model::DeclaredRate> rates;  ///< time derivatives of variables as laws declare them
    std::vector<InputChannel> inputs;
    std::shared_ptr<const EventTable> events;
    std::shared_ptr<const ClosedLoops> loops;  ///< null: none
};

/// Which conditions of closed loops stay: all that are independent at some places of the coordinates, only those that
/// are where the loops are closed, or of these only those whose rates are. (The fourth wheel of a car says where it
/// stands, but once it rolls along nothing of how the car moves that the others don't.)
enum class LoopRows : std::uint8_t { anywhere, when_closed, by_rates };

/// Laws and junctions as equations, oriented by the strokes as far as these decide. With `any_mode` all discrete
/// variables stay held values.
EquationSystem gather_equations(const causality::CausalGraph& causal, bool perturb_sources,
                                std::shared_ptr<const EventTable> events, bool any_mode = false,
                                LoopRows loop_rows = LoopRows::anywhere);

/// Gives the equations left without target one by augmenting paths. Throws ModelError BG-E001.
void match_equations(EquationSystem& system);

/// The variables (no derivatives) in some expressions, ascending.
std::vector<std::uint32_t> variables_in(const expression::Graph& graph, std::span<const Expr> all);

/// The unknowns (indices of variables) that occur in an equation: variables that are no states, derivatives of states.
std::vector<std::uint32_t> unknowns_of(const EquationSystem& system, const OrientedEquation& equation);

/// Each equation solved for its target; derivatives of variables that are no states resolved by total time
/// differentiation into new variables. Fills states, derived, assignments (unsorted) and state_equations.
SortedSystem solve_equations(const EquationSystem& system);

/// Which jumps of what would have to be differentiated are refused before a run.
enum class Jumps : std::uint8_t {
    all,
    /// Those that a run doesn't foresee. At the others it judges itself: a diode may open as its source falls.
    unforeseen
};
/// Where elements can change the structure, they may do so at the instant of a jump.
Jumps refused_jumps(const model::BondGraph& graph);

/// The first operation of an expression whose value may jump where its operands are continuous, so that there is no
/// derivative, or what comes out of a delay; what stands inside noEvent() or smooth() is excused.
std::optional<expression::Expr> where_it_may_jump(const model::BondGraph& graph, expression::Expr value, Jumps refused);

/// The variable of the bond graph that a variable is a time derivative of, or itself.
model::VariableId base_of(const model::BondGraph& graph, const std::vector<model::VariableId>& derived,
                          model::VariableId id);
/// "der(der(x))" of a variable or of what SortedSystem::derived makes of one.
std::string name_of(const model::BondGraph& graph, const std::vector<model::VariableId>& derived, model::VariableId id);

/// "'a', 'b'" for messages, at most eight of them.
std::string some_names(const std::vector<std::string>& names);

/// Puts assignments into the order of computation; integer-linear loops are eliminated exactly, small ones by symbols
/// where `blocks` are given and do, others torn.
void sort_assignments(SortedSystem& system, SmallBlocks* blocks = nullptr);

}  // namespace bondgraph::compile
