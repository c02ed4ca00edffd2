#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/compile/delays.hpp"
#include "bondgraph/compile/sorted_system.hpp"
#include "bondgraph/compile/time_functions.hpp"
#include "bondgraph/expression/tape.hpp"
#include "bondgraph/structure/colouring.hpp"
#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::compile {

/// An unknown of IDA: states first, then torn variables and others kept for sparsity.
struct Unknown {
    VariableId variable;
    bool differential = true;
    double nominal = 0.0;  ///< declared magnitude, 0 = to be learned
};

/// What a residual row stands for, for messages.
struct RowLabel {
    VariableId variable;  ///< the state whose rate, or the variable whose equation it is
    model::ElementId element;
    SourcePosition position;
};

/// What shall hold at the start: `value` equals `target`.
struct StartCondition {
    /// value: of a variable, given; equation: one the user wrote; steady: a state's rate is 0.
    enum class Kind : std::uint8_t { value, equation, steady };
    Expr value;                ///< over time, y, y' and held values
    Expr target;               ///< equation: as value; otherwise over time and held values (free parameters)
    std::string name;          ///< "C1.e", "m.f = 2*k.q", "der(m.p)"
    model::ElementId element;  ///< not valid for conditions of the model itself
    SourcePosition position;
    bool fixed = true;  ///< false: only a guess
    Kind kind = Kind::value;
    bool by_default = false;  ///< no text of the file says so
};

/// How an element takes part in the energy balance. Powers are positive into the element.
struct EnergyTerm {
    enum class Kind : std::uint8_t {
        source,
        hold,  ///< of conditions on positions: a source, but for what it takes as it closes, which is lost
        dissipation,
        storage,
        integrated_storage,
        lossy_storage,  ///< what it takes beyond its stored energy is dissipated
        declared,  ///< an own type that says what it stores, dissipates and supplies: what it takes beyond is wrong
        declared_supply,  ///< one that supplies: a jump is paid for from there
        other
    } kind = Kind::source;
    model::ElementId element;
    Expr power;         ///< all kinds
    Expr energy;        ///< storages and own types that declare it
    bool part = false;  ///< of what an own type takes, as it declares; the rest is a term before this one
};

/// Tapes of EventExpressions, and the targets of all actions.
struct EventTapes {
    expression::Tape differences;
    expression::Tape updates;
    expression::Tape conditions;
    expression::Tape actions;
    std::vector<Expr> targets;  ///< in unknowns
};

/// Ready for numbers. Immutable but for the expressions it shares with the graphs it refers to, which must outlive it:
/// runs add to them, holding them (`hold`) where they do.
struct CompiledModel {
    const causality::CausalGraph* causal = nullptr;
    std::vector<Unknown> unknowns;
    std::size_t state_count = 0;
    std::vector<RowLabel> rows;
    /// Inputs of all tapes: [time | y | y' | u | du/dt | held], u = perturbations of the sources (none in a
    /// simulation), held = values that change at events only.
    expression::InputLayout layout;
    expression::Tape residual;
    structure::Incidence pattern;  ///< per residual row: columns of y that F or its y'-part depends on
    structure::Colouring colouring;
    std::vector<Expr> values;         ///< every variable (and derived one) over time, y, y', u
    std::vector<VariableId> derived;  ///< as in SortedSystem
    std::vector<StartCondition> conditions;
    TimeFunctions timely;  ///< where expressions of time alone jump or bend, and how they change
    std::vector<EnergyTerm> energy;
    std::vector<InputChannel> inputs;
    std::shared_ptr<const EventTable> events;
    EventTapes at_events;
    DelayTapes delays;
    /// As in SortedSystem: empty for models whose states follow from causality.
    std::shared_ptr<const ReducedSystem> reduced;
    std::shared_ptr<const StateChoice> choice;
    std::shared_ptr<const ChoicePoint> chosen_at;
    std::vector<ClosedForm> closed_forms;
    /// Variable that is an angle in closed form → its cosine and sine over y; they stand for those of its value.
    std::map<std::uint32_t, std::array<Expr, 2>> turns;
    bool linear = false;             ///< F is linear in y, y' with constant coefficients
    std::size_t equation_count = 0;  ///< scalar equations before elimination

    [[nodiscard]] const model::BondGraph& graph() const { return *causal->graph; }
    /// Runs of one model in several threads share its expressions, which grow as modes are compiled.
    [[nodiscard]] expression::Graph::Hold hold() const { return graph().expressions->hold(); }
    [[nodiscard]] std::size_t size() const { return unknowns.size(); }
    [[nodiscard]] std::size_t input_size() const { return first_held() + held_count(); }
    [[nodiscard]] std::size_t held_count() const { return events ? events->held_count : 0; }
    /// Where held values begin among the inputs of the tapes.
    [[nodiscard]] std::size_t first_held() const { return 1 + 2 * size() + 2 * inputs.size(); }
    [[nodiscard]] std::string name(VariableId id) const;
    /// An expression of variables as one of time, y, y', u.
    [[nodiscard]] Expr in_unknowns(Expr e) const;
    /// A node of such an expression, where it is known what stands for it.
    [[nodiscard]] std::optional<Expr> known(std::uint32_t node) const;
    [[nodiscard]] std::vector<Expr> in_unknowns(std::span<const Expr> all) const;
    [[nodiscard]] expression::Tape tape(std::span<const Expr> outputs_in_unknowns) const;
};

/// SortedSystem → CompiledModel: assignments substituted into each other through the simplifier, residuals compiled to
/// a tape, Jacobian pattern found and coloured. Intermediate variables that depend on many unknowns and are used more
/// than once are kept as unknowns, so that the Jacobian stays sparse and cost linear.
CompiledModel compile(const SortedSystem& system);

/// The equations as the laws give them, nothing solved or eliminated: every variable is an unknown of its own and
/// discrete variables are held values, so that one system holds for all modes. For steps that no index reduction
/// prepares: impulses.
CompiledModel compile_raw(const causality::CausalGraph& causal, std::shared_ptr<const EventTable> events);

/// Layout, residual tape, Jacobian pattern and colouring of a model whose unknowns and inputs are known.
void assemble(CompiledModel& model, std::span<const Expr> residuals);

}  // namespace bondgraph::compile
