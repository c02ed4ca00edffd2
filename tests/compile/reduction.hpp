#pragma once

#include <string>
#include <vector>

#include "bondgraph/compile/reduce.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {

/// The stages of the general way, one by one.
struct Reduction {
    explicit Reduction(Pipeline& p);

    std::vector<std::string> states() const;
    double value(const std::string& name) const;
    /// The largest residual of all equations, differentiated ones included, at the start.
    double violation() const;

    compile::ReducedSystem system;
    compile::ChoicePoint start;
    compile::StateChoice choice;
};

/// A pendulum in Cartesian coordinates, with the keys of its component and of the model that are given.
std::string pendulum(const std::string& start, const std::string& more = "");

}  // namespace bondgraph::test
