#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// What a run evaluates of a model in one mode, beside its equations.
struct ModeTapes {
    explicit ModeTapes(const compile::CompiledModel& model);

    bool timely = true;             ///< time itself stands in the equations
    expression::Tape variables;     ///< every variable of the bond graph, where the model has events or chosen states
    expression::Tape reduced;       ///< every variable of the reduced system, where states were chosen by numbers
    expression::Tape coefficients;  ///< of the constraints, those that vary
    expression::Tape removed;       ///< left minus right of constraints that were left out, each with its terms' size
    std::vector<std::uint32_t> watched;  ///< unknowns and rates among the inputs of relations
    bool closely = false;                ///< relations depend on what steps give less exactly than the states
};

/// A run's signals.
struct OutputTape {
    expression::Tape tape;
    bool closely = false;  ///< signals depend on rates or algebraic variables, which steps give less exactly
};

/// The tapes of the signals that the last few runs recorded.
class OutputTapes {
   public:
    explicit OutputTapes(const compile::CompiledModel& model) : model_(model) {}
    [[nodiscard]] std::shared_ptr<const OutputTape> of(const std::vector<Signal>& signals) const;

   private:
    struct Kept {
        std::vector<compile::Expr> values;
        std::shared_ptr<const OutputTape> tape;
    };
    const compile::CompiledModel& model_;
    mutable std::mutex guard_;
    mutable std::vector<Kept> kept_;
};

/// Whether a tape's results depend on one of its inputs.
[[nodiscard]] bool reads(const expression::Tape& tape, std::uint32_t input);

}  // namespace bondgraph::simulation
