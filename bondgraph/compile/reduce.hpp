#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/point_tape.hpp"
#include "bondgraph/structure/dummy_derivatives.hpp"
#include "bondgraph/structure/exchange_gain.hpp"
#include "bondgraph/structure/index_reduction.hpp"

namespace bondgraph::compile {

/// An equation 0 = residual in variables only: a derivative der(v) is a variable of its own (see ReducedSystem).
struct ReducedEquation {
    Expr residual;
    model::ElementId element;
    SourcePosition position;
    std::uint32_t origin = 0;  ///< the undifferentiated equation it comes from (itself if order is 0)
    std::uint32_t order = 0;   ///< how often that was differentiated
};

/// A constraint that the others imply: it is left out, and as many forces of constraint as became undetermined are 0.
struct RemovedConstraint {
    model::ElementId element;  ///< whose equation was left out
    SourcePosition position;
    std::vector<model::ElementId> implied_by;  ///< components of the equations that imply it, in the order of the file
};

/// Partial derivatives by symbols, as a sparse matrix whose constant entries are known and whose others have a tape.
struct Coefficients {
    structure::Incidence pattern;           ///< per row its columns, ascending
    std::vector<double> constant;           ///< parallel to pattern.columns; NaN where the entry varies
    std::vector<double> size;               ///< parallel to it: of the column (StateWish::size), or 1
    std::vector<std::uint32_t> varying;     ///< entries that vary, in the order of the tape's outputs
    std::vector<Expr> entries;              ///< parallel to `varying`, in variables of the reduced system
    std::shared_ptr<const PointTape> tape;  ///< nothing where none does
    std::vector<std::uint32_t> row_of;      ///< equation → row, or kNone
};

/// All equations of a causal graph after index reduction, original and differentiated ones, before states are chosen.
/// Variables as in SortedSystem: number variable_count() + i stands for der(derived[i]), which may itself be such one.
/// A variable that an equation declares to be another one's derivative (der(x) = v) is used in place of that.
struct ReducedSystem {
    const causality::CausalGraph* causal = nullptr;
    std::vector<VariableId> derived;
    std::vector<std::uint32_t> derivative_of;  ///< variable → the variable that is its derivative, or kNone
    std::vector<Assignment> eliminated;        ///< solved exactly, in terms of variables that are left
    std::vector<std::uint32_t> eliminated_at;  ///< variable of the model → index into `eliminated`, or kNone
    std::vector<ReducedEquation> equations;    ///< parallel to the rows of `plan`
    structure::IndexReduction plan;            ///< columns are variables
    std::vector<structure::DerivativeBlock> blocks;
    std::vector<structure::StateWish> wishes;  ///< by variable: what the model wants, then storages by strokes
    std::vector<std::int16_t> drop;          ///< by undifferentiated equation: how readily it is left out when implied
    std::vector<std::int16_t> release;       ///< by variable: how readily it is set to 0 when undetermined
    std::vector<RemovedConstraint> removed;  ///< implied by others whatever the values
    std::vector<VariableId> released;        ///< forces of constraint that these left undetermined, set to 0
    /// The equations without derivative: their Jacobian decides about states.
    std::shared_ptr<const PointTape> highest;
    std::vector<std::uint32_t> highest_of;  ///< equation → output of `highest`, or kNone
    /// The coefficients of the differentiated ones of these by the highest derivatives: they decide whether a choice is
    /// still a good one.
    Coefficients coefficients;
    std::vector<InputChannel> inputs;
    std::shared_ptr<const EventTable> events;
    std::shared_ptr<const ClosedLoops> loops;  ///< null: none
    std::size_t equation_count = 0;            ///< scalar equations the graph gave
    bool thorough = false;                     ///< made with Exact::all

    [[nodiscard]] const model::BondGraph& graph() const { return *causal->graph; }
    [[nodiscard]] std::size_t variable_count() const { return derivative_of.size(); }
    /// An expression of the model's variables and derivatives as one of the variables that are left. A derivative that
    /// the reduced system has no variable for stays as it is.
    [[nodiscard]] Expr in_variables(Expr e) const;
    /// "La.f", "der(der(x.y))".
    [[nodiscard]] std::string name(VariableId id) const;
};

/// Which equations are eliminated exactly before structure is looked at.
enum class Exact : std::uint8_t {
    junctions,  ///< integer coefficients (junctions, aliases), and all constant ones of the junction structure
    all         ///< every linear equation with constant coefficients: where numbers cancel through laws as well
};

/// Exact elimination, then Pantelides' algorithm, then the differentiated equations by symbols.
/// Throws ModelError: BG-E001 structurally singular, BG-E003 a discontinuous expression would have to be
/// differentiated, BG-E004 constraints that contradict each other.
ReducedSystem reduce_index(const EquationSystem& system, Exact exact = Exact::junctions);

/// The firmness of ReducedSystem::wishes at which a variable must be a state.
inline constexpr std::int8_t kDemanded = 3;

/// Which variables are integrated.
struct StateChoice {
    std::vector<VariableId> states;
    std::vector<VariableId> dummies;         ///< derivatives that are solved for like algebraic variables
    std::vector<VariableId> released;        ///< undetermined because of removed constraints, set to 0
    std::vector<RemovedConstraint> removed;  ///< also those of ReducedSystem
    double condition = 1.0;  ///< of the Jacobian that determines the dummies, at the point of the choice
    structure::DummyChoice details;
};

/// Throws BG-I004 where the balance at an open end of a mechanism says nothing, whatever moves (a point mass on a ball,
/// in whose axis it lies): equations are short of one then, and what else is found wrong follows from that.
void refuse_open_ends(const ReducedSystem& reduced);
/// The same of parts whose equations are too many, or say nothing of their own, where none of them is a constraint, a
/// source or an own type.
void refuse_open_balance(const ReducedSystem& reduced, std::span<const model::ElementId> parts);

/// Given positions contradict each other: whatever rates, forces and modes are, there is no start.
class PositionError : public ModelError {
   public:
    explicit PositionError(const ModelError& e) : ModelError(e) {}
};

/// Chooses states at a point (missing held values count as 0). Throws ModelError: BG-C004 `states: always` on a
/// variable that depends on others, BG-E005 a hidden constraint that structure does not show, BG-E006 a singular
/// position. So many constraints are known to be `implied` by others beside the point as well, from where the motion
/// has been: ranks only fall where a position is singular, so as many don't make it one and nothing is looked at beside
/// it.
StateChoice choose_states(const ReducedSystem& system, const ChoicePoint& at, std::size_t implied = 0);

/// Throws BG-E006 where a constraint says nothing, or hardly anything, of any rate at a point, and does beside it.
void refuse_singular_start(const ReducedSystem& system, const ChoicePoint& at);

/// How much better the rest could be determined at a point by exchanging one state: beyond structure::kExchanged the
/// choice should be made anew, infinity where it determines nothing. Costs one evaluation of the highest derivatives'
/// equations and a factorization per block.
double choice_gain(const ReducedSystem& system, const StateChoice& choice, const ChoicePoint& at);

/// The entries of ReducedSystem::coefficients at a point.
std::vector<double> coefficients_at(const ReducedSystem& system, const ChoicePoint& at);
/// The same from the entries that vary.
std::vector<double> coefficients_of(const ReducedSystem& system, std::span<const double> varying);

/// How much better a choice could be made by exchanging one state, by coefficients_at() a point: a cheap reason to ask
/// for choice_gain().
structure::ExchangeGain exchange_gain(const ReducedSystem& system, const StateChoice& choice);

/// Whether start values that the model fixes have to hold.
enum class Given : std::uint8_t { always, where_possible };

/// Values of all variables (and of free parameters) that satisfy all equations and the start values that the model
/// fixes. What equations and fixed values leave open keeps its guess, or 0: only as many of these give way as have to,
/// storages without a guess before those with one.
/// `held`: see EventTable; without it, what discrete variables and free parameters start from.
/// Throws ModelError: BG-I001 the fixed start values contradict the equations (not where they are to hold where
/// possible only), BG-I003 no solution found.
ChoicePoint consistent_start(const ReducedSystem& system, double time, std::vector<double> held = {},
                             Given given = Given::always);

/// The storages, coordinates and rates that neither equations nor start values determine at a start (values or guesses
/// that the file gives them): they are as near to what they are by default as the others let them.
std::vector<VariableId> open_at_start(const ReducedSystem& system, const ChoicePoint& start);

/// The sorted system for this choice: dummies and forces of constraint are algebraic, torn where needed. Which
/// equations determine these and which the rates is judged at the point of the choice.
SortedSystem sort_equations(const ReducedSystem& system, const StateChoice& choice, const ChoicePoint& at);

}  // namespace bondgraph::compile
