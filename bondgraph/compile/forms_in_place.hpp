#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/compile/closed_forms.hpp"

namespace bondgraph::compile {

/// An equation that keeps a loop closed, as matched.
struct LoopRow {
    model::ElementId owner;    ///< component that holds the loop together
    std::uint32_t order = 0;   ///< how often it was differentiated
    Expr residual;             ///< rates of states are leaves
    std::uint32_t target = 0;  ///< variable that it is to determine
    Expr leaf;                 ///< stands for it
};

/// Closed forms at the places that close loops, and their rates and accelerations, in place of the conditions there.
class FormsInPlace {
   public:
    /// Both must outlive it.
    FormsInPlace(const ReducedSystem& system, const ChoicePoint& at);

    /// At each place where what its conditions determine has closed forms.
    void find(std::span<const LoopRow> rows);
    void clear();
    [[nodiscard]] bool empty() const { return values_.empty(); }
    /// What the conditions at the places found determine.
    [[nodiscard]] std::set<std::uint32_t> determined(std::span<const LoopRow> rows) const;
    /// Rates and accelerations, where the rows at a place found determine those of its coordinates.
    void differentiate(std::span<const LoopRow> rows, const std::function<Expr(Expr)>& with_rates);

    /// Of a variable: a coordinate, its rate, or the rate of that.
    [[nodiscard]] std::optional<Expr> value(std::uint32_t variable) const;
    [[nodiscard]] const std::vector<ClosedForm>& forms() const { return forms_; }
    /// Equations of rates and the unknowns that they determine wherever the mechanism goes.
    using Regular = std::pair<std::vector<Expr>, std::vector<Expr>>;
    [[nodiscard]] const std::vector<Regular>& regular() const { return regular_; }
    [[nodiscard]] const ClosedForms& closed_forms() const { return closed_forms_; }

   private:
    [[nodiscard]] Expr rate_of(Expr value, const ClosedForm& f) const;

    const ReducedSystem& s_;
    ClosedForms closed_forms_;
    std::vector<ClosedForm> forms_;
    std::map<std::uint32_t, model::ElementId> owner_;  ///< of the place, by coordinate
    std::set<model::ElementId> owners_;
    std::map<std::uint32_t, Expr> values_;
    std::vector<Regular> regular_;
};

}  // namespace bondgraph::compile
