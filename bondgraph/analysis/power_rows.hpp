#pragma once

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/compile/sorted_system.hpp"

namespace bondgraph::analysis {

/// A combination of co-energy variables and of what sources give: coefficients by number. What is not there is 0.
using PowerRow = std::map<std::size_t, expression::Expr>;

/// A variable that a source gives, or its negative.
struct PowerBase {
    std::uint32_t variable = 0;
    std::size_t number = 0;
    double sign = 1.0;
};

/// The slope of an element's stored energy by one of its states, a co-energy variable.
struct PowerSlope {
    model::ElementId element;
    expression::Expr value;
    std::size_t number = 0;
};

/// The law of a resistor with one port, written as effort = chord · flow or the reverse: `leaf` stands for `value`,
/// whose limit it takes where both are 0.
struct Chord {
    expression::Expr leaf;
    expression::Expr ratio;  ///< of the two variables
    expression::Expr value;
};

/// Why the equations of a model are no combinations of that kind.
struct NoPowerRows : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Efforts and flows as combinations of co-energy variables (the slopes of the stored energy) and of what sources give,
/// with coefficients that may change with states, time and signals: all that modulates an element is held while its
/// equation is taken apart by the efforts and flows at its own ports, so that coefficients are those of the junction
/// structure, however its transformers and gyrators are modulated. Algebraic loops of a few unknowns are solved.
class PowerRows {
   public:
    /// Throws NoPowerRows, naming the element: a law has a part that is neither of its efforts and flows nor the slope
    /// of what it stores; a law of several ports is not linear in their efforts and flows; a loop has more unknowns
    /// than can be solved by symbols.
    PowerRows(const compile::SortedSystem& system, std::span<const PowerBase> sources,
              std::span<const PowerSlope> slopes);

    /// Of an expression that is linear in efforts and flows. Throws NoPowerRows otherwise.
    [[nodiscard]] PowerRow row_of(expression::Expr value, const std::string& of) const;

    [[nodiscard]] const std::vector<Chord>& chords() const { return chords_; }

    /// With signals replaced by what they are of states, time and variables at ports.
    [[nodiscard]] std::vector<expression::Expr> in_states(std::span<const expression::Expr> all) const;

    [[nodiscard]] bool is_power(std::uint32_t variable) const { return variable < power_variables_; }

   private:
    void take(const compile::Assignment& a, const compile::Loop* loop);
    void take_law(const compile::Assignment& a, const std::vector<std::uint32_t>& own);
    [[nodiscard]] PowerRow stored_part(const compile::Assignment& a, expression::Expr rest) const;
    void take_chord(const compile::Assignment& a, std::uint32_t other);
    void solve_loop(const compile::Loop& loop);
    void drop_cancelled(const compile::Loop& loop);
    [[nodiscard]] bool is_own(const model::Element& e, std::uint32_t variable) const;
    [[nodiscard]] PowerRow sum(std::span<const std::uint32_t> variables, std::span<const expression::Expr> by) const;
    [[noreturn]] void refuse(model::ElementId element, const std::string& why) const;

    const compile::SortedSystem& system_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    std::span<const PowerSlope> slopes_;
    std::uint32_t power_variables_ = 0;
    std::map<std::uint32_t, PowerRow> rows_;
    std::map<std::uint32_t, expression::Expr> signals_;
    std::vector<Chord> chords_;
};

/// Whether expressions are 0 wherever they have a value: at numbers taken by chance for all that stands in them, but
/// for what rounding makes of them there.
std::vector<bool> vanish(expression::Graph& graph, std::span<const expression::Expr> all);

}  // namespace bondgraph::analysis
