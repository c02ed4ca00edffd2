#pragma once

#include <Eigen/LU>
#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::simulation {

/// The algebraic unknowns that stand nonlinearly in their own equations, in the order in which these determine them:
/// each loop a few equations for as many unknowns. They are solved for by themselves, to rounding, as functions of
/// time, states, rates and the other unknowns: a loop of one unknown safeguarded by its signs, others by damped Newton
/// steps with the matrix of the point. Loops that are linear, or larger than kLargest, are left to who integrates.
///
/// So are loops that are linear in their own unknowns and determine these only together with rates of states: forces
/// and accelerations of a mechanism. Given the rates, forces need not follow: where a link doesn't turn for an instant,
/// its balance says nothing of them, and they would have a pole there.
class AlgebraicLoops {
   public:
    /// Larger loops cost more than they gain here.
    static constexpr std::size_t kLargest = 12;

    explicit AlgebraicLoops(const compile::CompiledModel& model);

    [[nodiscard]] bool empty() const { return unknowns_.empty(); }
    /// All unknowns of loops, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& unknowns() const { return unknowns_; }
    /// Unknowns of loops that are linear in them and determine them together with rates.
    [[nodiscard]] const std::vector<std::uint32_t>& with_rates() const { return with_rates_; }
    /// Whether algebraic unknowns stand nonlinearly in any equations, those of neither kind among them.
    [[nodiscard]] bool any() const { return !empty() || !with_rates_.empty() || others_; }

    /// Solves for the unknowns among `inputs`, the inputs of the residual's tape, beginning with the values they have
    /// there, then with those of the last solution. False where a loop has no solution near these: `inputs` then are
    /// as they were.
    bool solve(std::span<double> inputs);
    /// The first equation (row of F) of the loop that had no solution last.
    [[nodiscard]] std::uint32_t unsolved() const { return unsolved_; }
    /// Magnitudes of the unknowns of the model, as a run has seen them.
    void learn(std::span<const double> sizes);

   private:
    struct Loop {
        std::vector<std::uint32_t> rows;      ///< of F
        std::vector<std::uint32_t> columns;   ///< of y
        std::vector<std::uint32_t> code;      ///< instructions, ascending: all that the rows depend on
        std::vector<std::uint32_t> moved;     ///< of these those that depend on the columns …
        std::vector<std::uint32_t> prepared;  ///< … and those that don't, unless an earlier loop has run them
        std::vector<std::uint32_t> constant;  ///< registers that `moved` reads and that no column moves
        bool linear = false;                  ///< in its own columns
        bool factored = false;
        Eigen::PartialPivLU<Eigen::MatrixXd> lu{};  ///< where it was last linearized
    };

    void find_loops();
    void renumber();
    void find_code(Loop& loop, std::uint32_t number);
    void prepare(const Loop& loop);
    void evaluate(const Loop& loop);
    template <int K>
    void evaluate_jets(const Loop& loop, std::size_t first, std::vector<expression::Jet<K>>& jets);
    void find_rounding(const Loop& loop);
    bool solve(Loop& loop, std::span<const double> start);
    bool solve_scalar(const Loop& loop, double start);
    bool solve_together(Loop& loop, std::span<const double> start);
    bool refine(Loop& loop);
    bool linearize(Loop& loop);
    bool evaluate_rows(const Loop& loop);
    [[nodiscard]] double length(const Loop& loop, const Eigen::VectorXd& step) const;
    [[nodiscard]] bool drowned(const Loop& loop);
    /// Whether `step_`, from the present values, is no more than what rounding of the rows makes of it.
    [[nodiscard]] bool step_is_rounding(const Loop& loop);

    [[nodiscard]] double& value(std::uint32_t column) { return registers_[1 + column]; }

    const compile::CompiledModel& m_;
    const expression::Tape& tape_;
    std::vector<Loop> loops_;
    std::vector<expression::Tape::Instruction> code_;  ///< the tape's, each with a register of its own
    std::vector<std::uint32_t> outputs_;               ///< registers, per row of F
    std::vector<std::uint32_t> seen_by_;               ///< per instruction: the last loop that found it
    std::vector<bool> prepared_;                       ///< per instruction: by one of the loops
    std::vector<std::uint32_t> unknowns_;
    std::vector<std::uint32_t> with_rates_;
    bool others_ = false;
    std::vector<double> sizes_;  ///< by unknown of the model
    std::vector<double> last_;   ///< by position in unknowns_; the last solution
    std::vector<std::uint32_t> place_;
    bool solved_ = false;
    std::uint32_t unsolved_ = 0;
    std::vector<double> registers_;
    std::vector<expression::Jet<1>> jet_;
    std::vector<expression::Jet<4>> jets_;
    std::vector<double> errors_;
    Eigen::VectorXd f_, step_, next_, x_;
    Eigen::MatrixXd matrix_;
};

}  // namespace bondgraph::simulation
