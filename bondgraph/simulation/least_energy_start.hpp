#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Storages in derivative causality with the states that they follow from, in groups: those of one group share states
/// to which the start gives no value.
struct TiedStorages {
    explicit TiedStorages(const compile::CompiledModel& model);

    /// A displacement or momentum, and the effort or flow that goes with it.
    struct Storage {
        std::uint32_t output = 0;           ///< of the tape: the displacement or momentum; one more: the other
        std::vector<std::uint32_t> states;  ///< that it depends on, and algebraic unknowns
        bool usable = false;                ///< an element C or I that follows from these alone
    };
    /// An equation that algebraic unknowns and states have to meet, whatever the rates are.
    struct Row {
        std::uint32_t number = 0;  ///< of the residual
        std::vector<std::uint32_t> unknowns;
    };
    std::vector<Storage> dependent;
    std::vector<Storage> independent;  ///< by state
    std::vector<Row> rows;             ///< that storages in derivative causality are found by
    expression::Tape tape;
};

/// Values of expressions of states and algebraic unknowns that have to be met.
struct ValuesToMeet {
    const expression::Tape* tape = nullptr;
    std::vector<std::size_t> outputs;  ///< of the tape
    std::vector<double> targets;
    std::vector<std::vector<std::uint32_t>> states;  ///< that each depends on
};

/// Where storages depend on each other and some of their states are given no value, one of these would begin at 0, and
/// which one is a matter of causality: of the order of the file. Instead they take the values at which those of the
/// group together store least, as what is given and the sources let them: where they get from 0 by a jump. With e and
/// q of each (f and p of an inertia), and x the states that are open: sum of e ∂q/∂x = 0, but for what `values` leave
/// no choice of, by Newton's method. Where others than C and I are among them, or it finds nothing, they stay as they
/// are. `open`: by state. Returns whether the values are met; the states are as before where not.
bool take_least_energy(Evaluator& evaluator, Point& point, const std::vector<bool>& open, const ValuesToMeet& values);

}  // namespace bondgraph::simulation
