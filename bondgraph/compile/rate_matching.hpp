#pragma once

#include <vector>

#include "bondgraph/base/id.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/structure/matching.hpp"

namespace bondgraph::compile {

/// What decides which equation gives which rate, of equations (rows) and unknowns (columns) of a choice of states.
struct RatesAndLaws {
    struct Row {
        bool differentiated = false;
        bool of_loop = false;  ///< it says that a loop stays closed
        model::ElementId element;
    };
    struct Unknown {
        bool rate = false;     ///< of a state
        bool highest = false;  ///< and no variable that is differentiated further: an acceleration, not a velocity
        model::ElementId element;
    };
    std::vector<Row> rows;
    std::vector<Unknown> unknowns;
};

/// A matching of equations with unknowns in which the rate of each state is left to a law of motion as far as that can
/// be. `all`: unknowns that occur in each equation; `safe`: those with a constant coefficient, which can be solved for
/// whatever the values. `by_balances`: always as in mechanisms with closed loops; else where `loops` and a condition of
/// a loop would have to give a rate. May leave rows or unknowns unmatched.
structure::Matching match_rates(const RatesAndLaws& what, const structure::Incidence& all,
                                const structure::Incidence& safe, bool loops, bool by_balances);

}  // namespace bondgraph::compile
