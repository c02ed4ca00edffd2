#include "bondgraph/model/coarse_mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace bondgraph::model {
namespace {

using testing::ElementsAre;

/// A ball of radius 1 around a point, of `rings` rings with twice as many corners; the upper half in another colour.
Mesh ball(std::uint32_t rings, float x = 0.0F) {
    Mesh mesh{"ball", {}, {{std::array<std::uint8_t, 3>{255, 0, 0}, {}}, {std::nullopt, {}}}};
    const std::uint32_t around = 2 * rings;
    for (std::uint32_t i = 0; i <= rings; ++i) {
        for (std::uint32_t j = 0; j < around; ++j) {
            const double up = std::numbers::pi * i / rings;
            const double turn = 2.0 * std::numbers::pi * j / around;
            mesh.vertices.push_back({x + static_cast<float>(std::sin(up) * std::cos(turn)),
                                     static_cast<float>(std::sin(up) * std::sin(turn)),
                                     static_cast<float>(std::cos(up))});
        }
    }
    for (std::uint32_t i = 0; i < rings; ++i) {
        for (std::uint32_t j = 0; j < around; ++j) {
            const std::uint32_t a = i * around + j;
            const std::uint32_t b = i * around + (j + 1) % around;
            auto& triangles = mesh.parts[i < rings / 2 ? 0 : 1].triangles;
            triangles.push_back({a, a + around, b});
            triangles.push_back({b, a + around, b + around});
        }
    }
    return mesh;
}

double volume(const Mesh& mesh) {
    double six_fold = 0.0;
    for (const MeshPart& part : mesh.parts) {
        for (const auto& t : part.triangles) {
            const auto& a = mesh.vertices[t[0]];
            const auto& b = mesh.vertices[t[1]];
            const auto& c = mesh.vertices[t[2]];
            six_fold += double{a[0]} * (double{b[1]} * c[2] - double{b[2]} * c[1]) +
                        double{a[1]} * (double{b[2]} * c[0] - double{b[0]} * c[2]) +
                        double{a[2]} * (double{b[0]} * c[1] - double{b[1]} * c[0]);
        }
    }
    return six_fold / 6.0;
}

TEST(CoarseMesh, IsTheSameSolidWithFewerTriangles) {
    const Mesh fine = ball(60);
    const double whole = 4.0 / 3.0 * std::numbers::pi;
    ASSERT_NEAR(volume(fine), whole, 0.01);
    for (const std::size_t most : {10'000U, 4'000U, 1'000U, 300U}) {
        const Mesh coarse = coarsened(fine, most);
        EXPECT_LE(coarse.triangles(), most);
        EXPECT_GE(coarse.triangles(), most / 3);
        EXPECT_NEAR(volume(coarse), whole, most < 1'000 ? 1.0 : 0.4) << most;
        EXPECT_EQ(coarse.parts.size(), 2U);
        EXPECT_EQ(coarse.parts[0].colour, fine.parts[0].colour);
        EXPECT_EQ(coarse.file, "ball");
        std::vector<bool> used(coarse.vertices.size());
        for (const MeshPart& part : coarse.parts) {
            for (const auto& t : part.triangles) {
                for (const std::uint32_t v : t) used.at(v) = true;
                EXPECT_TRUE(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
            }
        }
        EXPECT_TRUE(std::ranges::all_of(used, [](bool u) { return u; }));
    }
}

TEST(CoarseMesh, OfFewTrianglesIsItself) {
    const Mesh fine = ball(10);
    const Mesh same = coarsened(fine, fine.triangles());
    EXPECT_EQ(same.vertices, fine.vertices);
    EXPECT_LE(coarsened(fine, fine.triangles() - 1).triangles(), fine.triangles() - 1);
}

TEST(CoarseMesh, HasATriangleAlways) {
    EXPECT_EQ(coarsened(ball(10), 1).triangles(), 1U);
    Mesh point = ball(10);
    for (auto& v : point.vertices) v = {1, 2, 3};
    EXPECT_EQ(coarsened(point, 5).triangles(), 1U);
    EXPECT_EQ(coarsened(point, 5).vertices.size(), 3U);
}

TEST(CoarseMesh, DoesNotDependOnWhereItIs) {
    const Mesh here = coarsened(ball(30), 500);
    const Mesh there = coarsened(ball(30, 64.0F), 500);
    EXPECT_NEAR(static_cast<double>(here.triangles()), static_cast<double>(there.triangles()), 60.0);
    EXPECT_NEAR(volume(here), volume(there), 0.2);
}

TEST(CoarseMesh, SmallOnesKeepTheirsAndTheOthersShareTheRest) {
    const auto most = [](std::vector<std::size_t> counts, std::size_t all) { return most_of_each(counts, all); };
    EXPECT_EQ(most({10, 500, 1000}, 200), 95U);
    EXPECT_EQ(most({1000, 10, 500}, 200), 95U);
    EXPECT_GE(most({50, 50, 100}, 200), 100U);
    EXPECT_EQ(most({101, 50, 50}, 200), 100U);
    EXPECT_EQ(most({300}, 200), 200U);
    EXPECT_EQ(most({5, 5, 5}, 2), 1U);
    EXPECT_GE(most({}, 2), 2U);
}

TEST(MeshOfAFile, LosesVerticesThatNothingHas) {
    const Mesh mesh{"m",
                    {{0, 0, 0}, {9, 9, 9}, {1, 0, 0}, {0, 1, 0}},
                    {{std::array<std::uint8_t, 3>{1, 2, 3}, {}}, {std::nullopt, {{0, 3, 2}}}}};
    const Mesh kept = without_unused(mesh);
    ASSERT_EQ(kept.vertices.size(), 3U);
    ASSERT_EQ(kept.parts.size(), 1U);
    EXPECT_EQ(kept.vertices[kept.parts[0].triangles[0][1]], (std::array<float, 3>{0, 1, 0}));
}

}  // namespace
}  // namespace bondgraph::model
