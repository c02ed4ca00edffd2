#pragma once

#include <memory>

#include "bondgraph/expression/tape.hpp"

namespace bondgraph::expression {

/// A tape's values together with their derivatives in many directions (lanes) at once: forward mode as with jets
/// (Griewank, Walther: Evaluating Derivatives, 2nd ed., ch. 3), but only instructions that a seeded input reaches carry
/// derivatives, and only in the range of lanes that can be different from 0. For Jacobians with many columns, and for
/// the columns of a few inputs only. Derivatives are those of Jet, 0·∞ = 0 included.
class Tangents {
   public:
    /// Input `input` moves along direction `lane`.
    struct Seed {
        std::uint32_t input;
        std::uint32_t lane;
    };

    /// `tape` must outlive it. At most one seed per input. Copies share what the tape's structure says. Throws
    /// std::length_error for lanes beyond 65 534.
    Tangents(const Tape& tape, std::vector<Seed> seeds);

    /// Evaluates the tape at `inputs`; along its lane, each seeded input moves by the entry of `speeds` for that seed.
    void evaluate(std::span<const double> inputs, std::span<const double> speeds);
    [[nodiscard]] double value(std::size_t output) const { return values_[plan_->outputs[output]]; }
    /// The derivative of an output along a lane.
    [[nodiscard]] double slope(std::size_t output, std::size_t lane) const {
        const Range r = plan_->output_ranges[output];
        return lane >= r.from && lane < r.to ? slopes_[plan_->outputs[output] * plan_->lanes + lane] : 0.0;
    }
    /// The derivatives of an output along all lanes.
    void slopes(std::size_t output, double* into) const;
    [[nodiscard]] const std::vector<Seed>& seeds() const { return plan_->seeds; }

   private:
    /// Lanes outside are 0. As small as the plan of a long tape has to be: it is read with every evaluation.
    struct Range {
        std::uint16_t from = 0;
        std::uint16_t to = 0;
        [[nodiscard]] bool empty() const { return from == to; }
        [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(to - from); }
        [[nodiscard]] bool has(std::size_t lane) const { return lane >= from && lane < to; }
    };
    /// How an instruction passes derivatives on: operands that carry none are left out.
    struct Flow {
        Range result;
        std::uint16_t count = 0;  ///< of operands that carry derivatives
        struct Operand {
            std::uint16_t index = 0;  ///< which of the instruction's operands
            Range range;
        };
        std::array<Operand, 3> operand;
    };
    using Partials = std::array<double, 3>;

    static Range hull(Range a, Range b);
    void propagate(const Tape::Instruction& i, const Flow& flow, const Partials& partials);

    struct Plan {
        std::vector<Seed> seeds;
        std::size_t lanes = 0;
        std::vector<Flow> flows;             // per instruction
        std::vector<std::uint32_t> outputs;  // registers
        std::vector<Range> output_ranges;
    };

    const Tape* tape_;
    std::shared_ptr<const Plan> plan_;
    std::vector<double> values_;  // by register; made with the first evaluation
    std::vector<double> slopes_;  // by register and lane
};

}  // namespace bondgraph::expression
