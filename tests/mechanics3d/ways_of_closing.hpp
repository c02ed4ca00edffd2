#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bondgraph/simulation/simulate.hpp"

// Mechanisms with closed loops, each described in several ways: by ordinary joints and connections, by a constraint
// joint in place of one of them, by an assembly in place of several. For tests, and for the table in docs/accuracy.md.

namespace bondgraph::test {

/// One description of a mechanism, and what its results are called there: the same quantities in the same order.
struct WayOfClosing {
    std::string name;  ///< what closes the loop
    std::string text;
    std::vector<std::string> coordinates, velocities, forces;
};

struct ClosedMechanism {
    std::string name;
    double stop = 0.0;               ///< s
    std::vector<WayOfClosing> ways;  ///< the first by ordinary connections
};

/// Some of them are models of this folder with parts replaced.
std::vector<ClosedMechanism> closed_mechanisms(const std::filesystem::path& models);

/// Rows of a run at equal distances of time. Events have rows of their own: of each instant, the last.
std::vector<std::vector<double>> rows_at(const simulation::Result& result, double interval);

/// The largest difference of rows of results beside those of the first way, each result relative to its range there:
/// between its first value and the farthest from it, or its size where it stays. For columns [from, to).
double largest_difference(const std::vector<std::vector<double>>& rows, const std::vector<std::vector<double>>& first,
                          std::size_t from, std::size_t to);

}  // namespace bondgraph::test
