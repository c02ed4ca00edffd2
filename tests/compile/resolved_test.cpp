// What compilation makes of dependent storages, loops and meshes, and what it refuses.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <random>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/simulation/evaluator.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

TEST(Compilation, TwoCapacitorsInParallelAreOneState) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, l: {type: 1}, r: {type: R, R: 1}, n: {type: 0}, a: {type: C, C: 1, initial: {q: 0}}, b: {type: C, C: 2}}
bonds: [s -> l, l -> r, l -> n, n -> a, n -> b]
)");
    EXPECT_EQ(p.compiled().state_count, 1u);
    EXPECT_EQ(p.compiled().size(), 1u);
    EXPECT_TRUE(p.compiled().linear);
    EXPECT_NEAR(p.linear().A(0, 0), -1.0 / 3.0, 1e-12);
}

TEST(Compilation, ALinearDividerIsTornToOneUnknownAtMost) {
    Pipeline p(R"(
components: {s: {type: Se, e: 12}, j: {type: 1}, a: {type: R, R: 1}, b: {type: R, R: 3}}
bonds: [s -> j, j -> a, j -> b]
)");
    EXPECT_EQ(p.causal().loops.size(), 1u);
    EXPECT_LE(p.compiled().size(), 1u);
    EXPECT_NEAR(p.run({}, {"b.e"}).result.at(0, 0), 9.0, 1e-9);
}

// f³ + f over one resistor of law e = f^3 + f, and 2 f over the other: e = f³ + 3 f, with f = 2 for e = 14.
TEST(Compilation, ANonlinearDividerIsSolved) {
    Pipeline p(R"(
components: {s: {type: Se, e: 14}, j: {type: 1}, a: {type: R, law: e = f^3 + f}, b: {type: R, R: 2}}
bonds: [s -> j, j -> a, j -> b]
)");
    EXPECT_FALSE(p.compiled().linear);
    const auto run = p.run({}, {"a.f", "a.e"});
    EXPECT_NEAR(run.result.at(0, 0), 2.0, 1e-7);
    EXPECT_NEAR(run.result.at(0, 1), 10.0, 1e-6);
}

// Coupled by a millionth, with 1e8 V beside 1 V: f = (1 - 1e-6*1e8)/(1 - 1e-12).
TEST(Compilation, ASmallEntryOfASolvedLoopCountsWhereWhatItMultipliesIsLarge) {
    Pipeline p(R"(
components: {a: {type: Se, e: 1 V}, b: {type: Se, e: 1e8 V}, R: {type: RF, R: [[1, 1e-6], [1e-6, 1]]}}
bonds: [a -> R.p1, b -> R.p2]
)");
    const auto run = p.run({}, {"a.f", "b.f"});
    EXPECT_NEAR(run.result.at(0, 0), -99.0 / (1.0 - 1e-12), 1e-9);
    EXPECT_NEAR(run.result.at(0, 1), (1e8 - 1e-6) / (1.0 - 1e-12), 1e-6);
}

// The inverse of this R is 0.3 on the diagonal, -0.1 beside it and 0 in the corners, which elimination misses by
// rounding: 1e300 V across one of the ends must not be seen at the other.
TEST(Compilation, AZeroOfASolvedLoopIsAZero) {
    Pipeline p(R"(
components:
  a: {type: Se, e: 1 V}
  b: {type: Se, e: 0 V}
  c: {type: Se, e: 1e300 V}
  R: {type: RF, R: [[80/21, 10/7, 10/21], [10/7, 30/7, 10/7], [10/21, 10/7, 80/21]]}
bonds: [a -> R.p1, b -> R.p2, c -> R.p3]
)");
    EXPECT_NEAR(p.run({}, {"a.f"}).result.at(0, 0), 0.3, 1e-12);
}

// Wheatstone: the detector's branch carries (u2 − u1) of its two dividers; nodes and meshes by hand.
TEST(Compilation, ABridgeIsSolved) {
    Pipeline p(R"(
components:
  s: {type: Se, e: 10}
  top: {type: 0}
  l: {type: 0}
  r: {type: 0}
  a: {type: 1}
  b: {type: 1}
  d: {type: 1}
  ra: {type: R, R: 1}
  rb: {type: R, R: 2}
  rd: {type: R, R: 5}
  rl: {type: R, R: 3}
  rr: {type: R, R: 4}
bonds: [s -> top, top -> a, a -> ra, a -> l, top -> b, b -> rb, b -> r, l -> d, d -> rd, d -> r, l -> rl, r -> rr]
)");
    // (10 − u)/1 = u/3 + (u − v)/5 and (10 − v)/2 = v/4 − (u − v)/5
    Eigen::Matrix2d m;
    m << 1.0 + 1.0 / 3.0 + 0.2, -0.2, -0.2, 0.5 + 0.25 + 0.2;
    const Eigen::Vector2d u = m.inverse() * Eigen::Vector2d(10.0, 5.0);
    const auto run = p.run({}, {"rl.e", "rr.e", "rd.f"});
    EXPECT_NEAR(run.result.at(0, 0), u(0), 1e-8);
    EXPECT_NEAR(run.result.at(0, 1), u(1), 1e-8);
    EXPECT_NEAR(run.result.at(0, 2), (u(0) - u(1)) / 5.0, 1e-8);
}

TEST(Refusal, ADiscontinuousVoltageOnACapacitorCannotBeDifferentiated) {
    EXPECT_THAT(test::errors_in(R"(
components: {u: {type: Step, height: 1, start: 0.3}, s: {type: Se, e: u.y}, n: {type: 0}, c: {type: C, C: 1}}
bonds: [s -> n, n -> c]
)"),
                testing::ElementsAre("BG-E003"));
}

TEST(Refusal, AConstraintBetweenTwoStatesNeedsMoreIndexReduction) {
    EXPECT_THAT(test::errors_in(R"(
components: {a: {type: 1}, ma: {type: I, I: 1, states: always}, n: {type: 0}, lock: {type: rSe}, d: {type: 1}, b: {type: 1}, mb: {type: I, I: 2, states: always}}
bonds: [a -> ma, a -> n, n -> d, lock -> d, n -> b, b -> mb]
)"),
                testing::Not(testing::IsEmpty()));
}

// The Jacobian against central differences (only here).
TEST(Jacobian, IsWhatDifferencesSay) {
    for (const char* file :
         {"translational/half_car.yaml", "electromechanical/solenoid.yaml", "nonlinear/rod_pendulum.yaml",
          "thermal/heated_winding.yaml", "hydraulic/hydraulic_ram.yaml", "multibond/free_rigid_body.yaml"}) {
        SCOPED_TRACE(file);
        Pipeline p(test::load_file(test::model_path(file)));
        const auto& m = p.compiled();
        simulation::Evaluator evaluator(m);
        simulation::Point point = p.start();
        std::mt19937_64 engine(3);
        for (double& y : point.y) y += (1e-3 + 1e-2 * std::abs(y)) * static_cast<double>(engine() % 100) / 100.0;
        std::vector<double> entries(m.pattern.columns.size());
        ASSERT_TRUE(evaluator.jacobian(0.01, point.y, point.yp, 1.0, 2.0, entries));
        const Eigen::MatrixXd exact = test::matrix_of(m.pattern, entries);
        const auto n = static_cast<Eigen::Index>(m.size());
        std::vector<double> up(m.size());
        std::vector<double> down(m.size());
        for (Eigen::Index c = 0; c < n; ++c) {
            const auto k = static_cast<std::size_t>(c);
            const double h = 1e-6 * std::max(1e-3, std::abs(point.y[k]));
            auto moved = point;
            moved.y[k] += h;
            moved.yp[k] += 2.0 * h;
            ASSERT_TRUE(evaluator.residual(0.01, moved.y, moved.yp, up));
            moved.y[k] -= 2.0 * h;
            moved.yp[k] -= 4.0 * h;
            ASSERT_TRUE(evaluator.residual(0.01, moved.y, moved.yp, down));
            for (Eigen::Index r = 0; r < n; ++r) {
                const double difference =
                    (up[static_cast<std::size_t>(r)] - down[static_cast<std::size_t>(r)]) / (2.0 * h);
                const double size = std::max(
                    {1.0, std::abs(up[static_cast<std::size_t>(r)]) / h * 1e-9, exact.row(r).cwiseAbs().maxCoeff()});
                EXPECT_NEAR(exact(r, c), difference, 1e-5 * size) << r << ", " << c;
            }
        }
    }
}

std::string ladder(int sections) {
    std::string components = "  s: {type: Se, e: 1}\n";
    std::string bonds = "  - s -> l1\n";
    for (int i = 1; i <= sections; ++i) {
        components += fmt::format(
            "  l{0}: {{type: 1}}\n  r{0}: {{type: R, R: 1}}\n  n{0}: {{type: 0}}\n  c{0}: {{type: C, C: 1, initial: "
            "{{q: 0}}}}\n",
            i);
        bonds += fmt::format("  - l{0} -> r{0}\n  - l{0} -> n{0}\n  - n{0} -> c{0}\n", i);
        if (i < sections) bonds += fmt::format("  - n{} -> l{}\n", i, i + 1);
    }
    return "model: ladder\ncomponents:\n" + components + "bonds:\n" + bonds;
}

TEST(Size, OfALaddersProgramGrowsLinearly) {
    Pipeline small(ladder(200));
    Pipeline large(ladder(2000));
    EXPECT_EQ(large.compiled().state_count, 2000u);
    EXPECT_LT(static_cast<double>(large.compiled().residual.instructions().size()),
              10.5 * static_cast<double>(small.compiled().residual.instructions().size()));
    EXPECT_LT(static_cast<double>(large.compiled().pattern.columns.size()),
              10.5 * static_cast<double>(small.compiled().pattern.columns.size()));
    EXPECT_LE(large.compiled().colouring.count, 5u);
}

// A train of masses in rigid contact: without unknowns kept for sparsity every rate would depend on all springs.
TEST(Size, OfThePatternStaysSparseWhereOneVariableDependsOnMany) {
    constexpr int kMany = 400;
    std::string components = "  j: {type: 1}\n  m: {type: I, I: 1, initial: {f: 0}}\n";
    std::string bonds = "  - j -> m\n";
    for (int i = 0; i < kMany; ++i) {
        components += fmt::format(
            "  n{0}: {{type: 0}}\n  k{0}: {{type: C, K: {1}, initial: {{q: 0}}}}\n  d{0}: {{type: 1}}\n  w{0}: {{type: "
            "I, I: 1, initial: {{f: 0}}}}\n",
            i, i + 1);
        bonds += fmt::format("  - j -> n{0}\n  - n{0} -> k{0}\n  - n{0} -> d{0}\n  - d{0} -> w{0}\n", i);
    }
    Pipeline p("model: star\ncomponents:\n" + components + "bonds:\n" + bonds);
    EXPECT_EQ(p.compiled().state_count, static_cast<std::size_t>(2 * kMany + 1));
    EXPECT_LT(p.compiled().pattern.columns.size(), 10u * p.compiled().size());
}

TEST(Orientation, OfAFullFieldIsAlongItsDiagonal) {
    test::Pipeline p(R"(
components:
  mains: {type: Se, e: [1 V, 2 V, 3 V]}
  j: {type: 1, size: 3}
  coils: {type: IF, I: [[5, 1, 1], [1, 5, 1], [1, 1, 5]]}
  r: {type: R, R: 1}
bonds: [mains -> j, j -> coils, j -> r]
)");
    // Row k of the inverse matters most for flow k: its own momentum has the largest coefficient in its equation.
    const auto system = compile::gather_equations(p.causal(), false, p.sorted().events, false);
    std::vector<std::string> rows;
    for (const auto& q : system.equations) {
        if (p.graph().elements[q.element.index()].name != "coils" || !q.target.valid()) continue;
        rows.push_back(p.graph().variable_name(q.target));
    }
    const auto place = [&](const std::string& name) { return std::find(rows.begin(), rows.end(), name); };
    EXPECT_LT(place("coils.f[1]"), place("coils.f[2]"));
    EXPECT_LT(place("coils.f[2]"), place("coils.f[3]"));
    EXPECT_NE(place("coils.f[3]"), rows.end());
}

}  // namespace
}  // namespace bondgraph
