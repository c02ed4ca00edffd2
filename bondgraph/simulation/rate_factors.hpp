#pragma once

#include <vector>

#include "bondgraph/simulation/start_factors.hpp"

namespace bondgraph::simulation {

/// A factorized Jacobian by rates and algebraic unknowns. Beside the point it is of, Newton's steps with it converge as
/// well: it is kept from one solve_rates() to the next.
struct RateFactors {
    explicit RateFactors(const structure::Incidence& pattern) : lu(pattern) {}

    ScaledFactors lu;
    std::vector<double> entries;  ///< of the Jacobian
    std::vector<double> held;     ///< the held values it is of
};

}  // namespace bondgraph::simulation
