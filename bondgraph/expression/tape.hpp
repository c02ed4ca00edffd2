#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/expression/expr.hpp"
#include "bondgraph/expression/jet.hpp"

namespace bondgraph::expression {

/// Where each kind of leaf finds its value in a tape's inputs; kNoNode = that leaf may not occur.
struct InputLayout {
    std::uint32_t time = kNoNode;
    std::vector<std::uint32_t> variable;    ///< by variable index
    std::vector<std::uint32_t> derivative;  ///< by variable index
    std::vector<std::uint32_t> parameter;   ///< by parameter index
    std::vector<std::uint32_t> held;        ///< by index of the held value
    std::uint32_t size = 0;                 ///< number of inputs

    [[nodiscard]] std::uint32_t slot(const Node& leaf) const;
};

/// A straight-line program: registers are [inputs | constants | temporaries], temporaries are reused after their last
/// use. Evaluation is one loop with one switch: no calls through pointers, no allocation.
class Tape {
   public:
    struct Instruction {
        Op op;
        std::uint32_t target;
        std::uint32_t a;
        std::uint32_t b;
        std::uint32_t c;

        /// The registers that are read (a table's a is the table's index).
        [[nodiscard]] std::span<const std::uint32_t> operands() const {
            return {op >= Op::table1 ? &b : &a, static_cast<std::size_t>(operand_count(op))};
        }
    };

    Tape() = default;
    /// Throws std::logic_error when an output depends on a leaf that has no slot in the layout.
    Tape(const Graph& graph, std::span<const Expr> outputs, const InputLayout& layout);

    [[nodiscard]] std::size_t input_count() const { return inputs_; }
    [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
    [[nodiscard]] std::size_t register_count() const { return registers_; }
    [[nodiscard]] std::span<const Instruction> instructions() const { return code_; }
    [[nodiscard]] std::span<const std::uint32_t> output_registers() const { return outputs_; }

    [[nodiscard]] const Tables& tables() const { return tables_; }

    /// Scratch space of the size and with the constants that evaluate() needs; make it once, use it for every call.
    template <class T>
    [[nodiscard]] std::vector<T> make_workspace() const;

    /// outputs = program(inputs). T is double or Jet<K>.
    template <class T>
    void evaluate(std::span<const T> inputs, std::span<T> outputs, std::vector<T>& workspace) const;

    /// For each output the ascending list of inputs it depends on, for the columns for which `wanted` is true.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> dependencies(const std::vector<bool>& wanted) const;

    /// After an evaluation that gave something not finite: the graph node of the first instruction whose operands
    /// were finite and whose result is not, or kNoNode. Only instructions whose result reached an output that isn't
    /// finite count: what happens in branches not taken is no reason.
    [[nodiscard]] std::uint32_t first_not_finite(std::span<const double> inputs) const;

    /// For each output a bound on what rounding may have made of it, the inputs taken as exact: a running error
    /// analysis (Higham: Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.3), to first order.
    [[nodiscard]] std::vector<double> rounding(std::span<const double> inputs) const;

    /// The outputs with what rounding takes from sums, differences, products and quotients put back to first order
    /// (Langlois: Automatic linear correction of rounding errors, BIT Numer. Math. 41, 2001). `further`: digits of the
    /// inputs beyond those of `inputs`.
    [[nodiscard]] std::vector<double> corrected(std::span<const double> inputs, std::span<const double> further) const;

    /// All it consists of, for archives.
    template <class Archive>
    void serialize(Archive& archive) {
        archive(inputs_, registers_, constants_, code_, source_node_, outputs_, tables_);
    }

   private:
    std::uint32_t inputs_ = 0;
    std::uint32_t registers_ = 0;
    std::vector<double> constants_;
    std::vector<Instruction> code_;
    std::vector<std::uint32_t> source_node_;  // per instruction
    std::vector<std::uint32_t> outputs_;      // registers
    Tables tables_;
};

}  // namespace bondgraph::expression
