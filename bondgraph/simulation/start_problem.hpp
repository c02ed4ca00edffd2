#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/start_nonlinear.hpp"

namespace bondgraph::simulation {

/// Everything that shall hold at the start as one system of equations.
///
/// Columns (unknowns): the model's unknowns y, the rates of its states, the free parameters.
/// Rows: the residuals F = 0; the fixed conditions (values, then equations, then states at rest); then, for each
/// column, the row "x keeps the value it would have by itself", which is used where nothing else determines x.
class StartProblem {
   public:
    /// `defaults`: the values that unknowns y have when nothing determines them.
    StartProblem(Evaluator& evaluator, const Point& point, std::span<const double> defaults);

    [[nodiscard]] std::size_t column_count() const { return slot_.size(); }
    [[nodiscard]] std::size_t residual_count() const { return n_; }
    /// Residuals and conditions, without the rows of defaults.
    [[nodiscard]] std::size_t hard_count() const { return n_ + conditions_.size(); }
    [[nodiscard]] std::size_t row_count() const { return hard_count() + column_count(); }
    [[nodiscard]] std::uint32_t default_row(std::uint32_t column) const {
        return static_cast<std::uint32_t>(hard_count()) + column;
    }
    [[nodiscard]] const structure::Incidence& incidence() const { return incidence_; }

    [[nodiscard]] const model::BondGraph& graph() const { return m_.graph(); }
    [[nodiscard]] bool is_state(std::uint32_t column) const { return column < states_; }
    [[nodiscard]] bool is_parameter(std::uint32_t column) const { return column >= n_ + states_; }
    /// The column of the rate of a state.
    [[nodiscard]] std::uint32_t rate(std::uint32_t state) const { return static_cast<std::uint32_t>(n_) + state; }
    [[nodiscard]] std::string column_name(std::uint32_t column) const;
    /// Nothing for residuals and defaults.
    [[nodiscard]] const compile::StartCondition* condition(std::uint32_t row) const;
    /// "der(m.p) = 0", "C1.e", "the equation of La.f at 'La' (I)".
    [[nodiscard]] std::string row_text(std::uint32_t row) const;
    /// The fixed start values the file gives at the component a law belongs to, in the order of the file.
    [[nodiscard]] std::vector<model::StartValue> fixed_starts(std::uint32_t row) const;
    [[nodiscard]] SourcePosition row_position(std::uint32_t row) const;

    [[nodiscard]] double value(std::uint32_t column) const { return in_[slot_[column]]; }
    /// By column, beside what it is small where it may be 0: 1 of the angles of closed loops, 0 where nothing is known.
    [[nodiscard]] std::vector<double> natural_sizes() const;
    [[nodiscard]] double default_value(std::uint32_t column) const { return defaults_[column]; }
    /// The value that the row of defaults keeps from now on; default_value() stays what it was.
    void replace_default(std::uint32_t column, double x) { kept_[column] = x; }
    [[nodiscard]] double kept_value(std::uint32_t column) const { return kept_[column]; }
    void set(std::uint32_t column, double x) { in_[slot_[column]] = x; }
    /// Copies what was found to y, y' and the held values.
    void write(Point& point) const;

    /// A part: these rows for these columns, mostly as many, the others as they are now. Refers to this problem.
    NonlinearSystem block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns);
    /// Both sides of a condition (of other rows: left − right, and 0).
    struct Sides {
        double left = 0.0;
        double right = 0.0;
    };
    Sides sides(std::uint32_t row);
    /// Of each residual and condition how large the terms are that it is made of, inside its expressions as well.
    std::vector<double> terms();
    /// All derivatives, in the order of incidence(); entries that are not finite count as 0.
    std::vector<double> jacobian();

   private:
    struct Colours {
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> columns;
        structure::Incidence pattern;  ///< by positions in rows and columns
        structure::Colouring colouring;
    };
    Colours part(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns);
    bool residual(const Colours& part, std::span<const double> x, std::span<double> f);
    bool jacobian(const Colours& part, std::span<const double> x, std::span<double> entries);
    std::vector<double> rounding(const Colours& part, std::span<const double> x);
    void put(const Colours& part, std::span<const double> x);
    void find_incidence();

    using Jet = expression::Jet<4>;

    const compile::CompiledModel& m_;
    const std::atomic<bool>* interrupted_;
    std::size_t n_;
    std::size_t states_;
    std::vector<const compile::StartCondition*> conditions_;
    expression::Tape tape_;            // of the conditions: left and right in turn
    std::vector<std::uint32_t> slot_;  // per column: its input
    std::vector<double> defaults_;
    std::vector<double> kept_;  // defaults as the rows of defaults have them
    std::vector<double> in_;
    structure::Incidence incidence_;
    std::vector<std::uint32_t> position_;  // scratch: column → position in a part
    std::vector<double> work_, condition_work_, f_, condition_f_;
    std::vector<Jet> jet_in_, jet_work_, jet_condition_work_, jet_f_, jet_condition_f_;
};

/// Solves the start problem of a point block by block: sets y, y' and free parameters, and says what had to be taken by
/// default and what moved. `given`: states that have a guess (their default is kept before that of others).
/// Throws ModelError: BG-I001 conditions that contradict each other, BG-I003 no solution found.
void solve_start_problem(Evaluator& evaluator, Point& point, std::span<const double> defaults,
                         const std::vector<bool>& given);

}  // namespace bondgraph::simulation
