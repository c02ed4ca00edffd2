#pragma once

#include <string>
#include <vector>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::compile {

/// How willingly a variable moves from where the start values leave it (see structure::least_change).
enum Reluctance : std::uint8_t {
    kFollows,   ///< algebraic: takes what it can
    kCarries,   ///< rates of what mechanisms stand on: free bodies and wheels, before those of joints
    kDefaults,  ///< storages, coordinates, rates of joints
    kGuessed
};

/// What a model asks of its start: values that it fixes, values that it guesses, and equations. The unknowns are the
/// variables of the reduced system, then the free parameters.
class StartGivens {
   public:
    struct Condition {
        Expr residual;
        std::string name;
        SourcePosition position;
        bool fixed = true;
        std::string unit = {};  ///< of a value within a mechanism, where it is known: "m", "rad", …
    };

    explicit StartGivens(const ReducedSystem& system);

    [[nodiscard]] const std::vector<Condition>& conditions() const { return conditions_; }
    /// Those that are fixed, or those that are guessed.
    [[nodiscard]] std::vector<Expr> residuals(bool fixed) const;
    /// The equations of the reduced system.
    [[nodiscard]] std::vector<Expr> equations() const;
    /// By unknown.
    [[nodiscard]] const std::vector<std::uint8_t>& reluctance() const { return reluctance_; }
    [[nodiscard]] std::size_t unknown_count() const { return reluctance_.size(); }
    /// Where the free parameters' values begin among the held ones.
    [[nodiscard]] std::size_t first_free() const { return g_.first_free(); }

   private:
    void find_reluctance();
    [[nodiscard]] Reluctance reluctance_of(const model::Element& e, const model::Element::Slot& slot,
                                           std::uint32_t number, std::uint32_t order) const;
    void collect();
    void add(Expr value, Expr target, Condition as, bool by_default = false);
    void rest(const model::Element& e);
    [[nodiscard]] Expr with_free_parameters(Expr e) const;

    const ReducedSystem& s_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    std::vector<std::uint8_t> reluctance_;
    std::vector<Condition> conditions_;
};

}  // namespace bondgraph::compile
