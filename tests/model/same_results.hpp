#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph::test {

/// Runs both and compares the results row by row.
inline void expect_same(Pipeline& one, const std::vector<std::string>& of_one, Pipeline& other,
                        const std::vector<std::string>& of_other, double tolerance = 0.0) {
    const simulation::Settings settings{.stop = 1.0, .tolerance = 1e-8, .interval = 0.1};
    const auto a = one.run(settings, of_one).result;
    const auto b = other.run(settings, of_other).result;
    ASSERT_EQ(a.time.size(), b.time.size());
    for (std::size_t row = 0; row < a.time.size(); ++row) {
        for (std::size_t k = 0; k < of_one.size(); ++k)
            EXPECT_NEAR(a.at(row, k), b.at(row, k), tolerance) << of_one[k] << " at " << a.time[row];
    }
}

}  // namespace bondgraph::test
