// One mechanism described in several ways: its loop closed by an ordinary connection, by constraint joints of all
// kinds, or by an assembly in place of joints. All move alike and hold with the same forces.

#include "tests/mechanics3d/ways_of_closing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "tests/support/pipeline.hpp"
#include "tests/support/places.hpp"

namespace bondgraph {
namespace {

using test::ClosedMechanism;
using test::Pipeline;
using test::WayOfClosing;

std::vector<ClosedMechanism> mechanisms() {
    return test::closed_mechanisms(test::source_folder() + "/models/mechanics3d");
}

std::vector<std::vector<double>> rows_of(const WayOfClosing& way, double stop) {
    std::vector<std::string> names = way.coordinates;
    names.insert(names.end(), way.velocities.begin(), way.velocities.end());
    names.insert(names.end(), way.forces.begin(), way.forces.end());
    Pipeline p(way.text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-10, .interval = stop / 20, .energy = false}, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    return test::rows_at(run.result, stop / 20);
}

class WaysOfClosing : public testing::TestWithParam<ClosedMechanism> {};

TEST_P(WaysOfClosing, MoveAlikeAndHoldWithTheSameForces) {
    const ClosedMechanism& m = GetParam();
    const auto first = rows_of(m.ways[0], m.stop);
    const std::size_t coordinates = m.ways[0].coordinates.size();
    for (std::size_t c = 0; c < first[0].size(); ++c) {
        double range = 0.0;
        for (const auto& row : first) range = std::max(range, std::abs(row[c] - first[0][c]));
        EXPECT_GT(range, 1e-2) << "result " << c << " stays as it is";
    }
    for (std::size_t k = 1; k < m.ways.size(); ++k) {
        SCOPED_TRACE(m.ways[k].name);
        const auto rows = rows_of(m.ways[k], m.stop);
        ASSERT_EQ(rows.size(), first.size());
        EXPECT_LT(test::largest_difference(rows, first, 0, coordinates), 1e-6);
        EXPECT_LT(test::largest_difference(rows, first, coordinates, first[0].size()), 1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, WaysOfClosing, testing::ValuesIn(mechanisms()), [](const auto& info) {
    std::string name;
    for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
});

}  // namespace
}  // namespace bondgraph
