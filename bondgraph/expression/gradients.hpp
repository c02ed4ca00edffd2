#pragma once

#include "bondgraph/expression/tape.hpp"

namespace bondgraph::expression {

/// Derivatives of single outputs of a tape by all its inputs, in reverse mode (Griewank, Walther: Evaluating
/// Derivatives, 2nd ed., ch. 3): what an output costs follows from the instructions it needs, not from the number of
/// its inputs. For rows of a Jacobian that are full where others are not. As with Jet, 0·∞ = 0.
class Gradients {
   public:
    /// `tape` must outlive it; `outputs` are numbers of its outputs.
    Gradients(const Tape& tape, std::span<const std::uint32_t> outputs);

    /// Evaluates what the outputs need at `inputs`.
    void evaluate(std::span<const double> inputs);
    /// By input, of the output with this place in the list; until the next call.
    [[nodiscard]] std::span<const double> gradient(std::size_t place);

   private:
    /// An instruction; operands refer to inputs, constants, and results of steps, numbered in this order.
    struct Step {
        std::uint32_t instruction = 0;
        std::uint32_t count = 0;
        std::array<std::uint32_t, 3> from{};
        std::array<double, 3> partials{};
    };

    const Tape* tape_;
    std::vector<Step> steps_;
    std::vector<std::vector<std::uint32_t>> needed_;  ///< per output: its steps in order
    std::vector<std::uint32_t> result_;               ///< per output: the value it is
    std::vector<double> values_;                      ///< by register
    std::vector<double> weights_;                     ///< by value: how much the output changes with it
};

}  // namespace bondgraph::expression
