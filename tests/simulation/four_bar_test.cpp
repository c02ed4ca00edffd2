// Four-bars of point masses whose loop is closed by conditions of an own type: which equations determine rates and
// which forces, and positions in which the links lie in line.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

struct FourBar {
    std::array<double, 3> length;
    std::array<double, 3> mass{1, 1, 1};
    std::array<double, 2> end;  ///< where the third link's end is held
    double angle = 0.0;
    double speed = 0.0;
    std::array<double, 2> guess;
    double gravity = 9.81;
};

std::string text_of(const FourBar& f) {
    std::string text = fmt::format(R"(
types:
  Cut: {{parameters: {{at: 0}}, inputs: [x], outputs: [F], equations: ["x = at"]}}
components:
  world: {{type: World, g: {}}}
  cut1: {{type: Cut, at: {}}}
  cut2: {{type: Cut, at: {}}}
  tip: {{type: WorldForce, f: [0, 0, 0]}}
)",
                                   f.gravity, f.end[0], f.end[1]);
    std::string connect;
    std::string before = "world";
    for (std::size_t k = 0; k < 3; ++k) {
        const std::string start = k == 0 ? fmt::format("initial: {{phi: {}, w: {}}}", f.angle, f.speed)
                                         : fmt::format("guess: {{phi: {}}}", f.guess[k - 1]);
        text += fmt::format(
            "  h{0}: {{type: Revolute, n: [0, 0, 1], {1}}}\n"
            "  r{0}: {{type: FixedTranslation, r: [{2}, 0, 0]}}\n"
            "  b{0}: {{type: PointMass, m: {3}}}\n",
            k, start, f.length[k], f.mass[k]);
        connect += fmt::format("  - [{}.frame_b, h{}.frame_a]\n", before, k);
        connect += fmt::format("  - [h{0}.frame_b, r{0}.frame_a]\n  - [r{0}.frame_b, b{0}.frame_a]\n", k);
        before = fmt::format("r{}", k);
    }
    return text + "connect:\n" + connect +
           "  - [r2.frame_b, tip.frame_b]\n"
           "signals: [\"r2.frame_b.x[1] -> cut1.x\", \"cut1.F -> tip.f[1]\", \"r2.frame_b.x[2] -> cut2.x\", "
           "\"cut2.F -> tip.f[2]\"]\n";
}

simulation::Run run_of(const FourBar& f, double stop, double tolerance) {
    Pipeline p(text_of(f));
    return p.run({.stop = stop, .tolerance = tolerance, .interval = 0.1}, {"h0.phi", "h1.phi", "h2.phi"});
}

// The force on the tip and the inertia of the last mass stand in all equations of the loop as one difference. The
// angles after 0.1 s by multipliers and DOP853 at 1e-12, in Python.
TEST(FourBar, ForcesThatOnlyRatesTellApartAreFoundWithThem) {
    const FourBar f{.length = {1.0911671140805055, 1.4596898029618646, 0.7832172919030704},
                    .end = {1.0601124410637937, 0},
                    .angle = 4.448916170585687,
                    .speed = 0.6292466672238595,
                    .guess = {2.7725058892139893, -1.527931815864986}};
    const auto run = run_of(f, 0.1, 1e-9);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.summary.recoveries, 0);
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 4.51515812, 1e-7);
    EXPECT_NEAR(run.result.at(last, 1), 2.956785, 1e-7);
    EXPECT_NEAR(run.result.at(last, 2), -1.56042867, 1e-7);
}

FourBar turning(double ground) {
    return {.length = {0.5, 0.8, 0.6}, .end = {ground, 0}, .angle = 0.9, .speed = 2, .guess = {-1, -1.2}, .gravity = 0};
}

// 0.5 + 0.9 = 0.8 + 0.6: the links come to lie in line at an angle of the first of pi, and may go on either way.
TEST(FourBar, OneThatFoldsIntoLineIsWarnedOf) {
    for (const double tolerance : {1e-5, 1e-8}) {
        const auto summary = run_of(turning(0.9), 6.0, tolerance).summary;
        if (summary.failure) continue;  // which says so itself
        ASSERT_TRUE(summary.branching) << tolerance;
        EXPECT_EQ(summary.branching->coordinates, (std::vector<std::string>{"h0.phi", "h1.phi", "h2.phi"}));
        EXPECT_NEAR(summary.branching->time, 1.28875, 1e-3);
    }
}

// By 1e-7 of its length it clears the line, which steps at 1e-5 don't tell: they lead to another branch.
TEST(FourBar, OneThatClearsTheLineByLessThanStepsTellIsWarnedOf) {
    EXPECT_TRUE(run_of(turning(0.8999999), 6.0, 1e-5).summary.branching);
    EXPECT_FALSE(run_of(turning(0.8999999), 6.0, 1e-9).summary.branching);
}

TEST(FourBar, OneThatClearsTheLineIsNot) {
    for (const double ground : {0.85, 0.95}) {
        const auto summary = run_of(turning(ground), 6.0, 1e-6).summary;
        ASSERT_FALSE(summary.failure) << summary.failure->message;
        EXPECT_FALSE(summary.branching) << ground << " at " << summary.branching->time;
    }
}

/// A four-bar of an own type, by absolute angles from its ground, which is turned. It comes to lie in line where
/// `beyond` is 0; where it is positive it turns back before.
simulation::Run own_linkage(double beyond, double tolerance, double turned = 0.3) {
    Pipeline p(fmt::format(R"(
types:
  FourBar:
    variables: {{p: , q: , r: , u: , v: , w: , F: , G: }}
    equations:
      - der(p) = u
      - der(q) = v
      - der(r) = w
      - der(u) = 0.5*(F*sin(p) - G*cos(p))
      - der(v) = 0.8*(F*sin(q) - G*cos(q))
      - der(w) = 0.6*(F*sin(r) - G*cos(r))
      - 0.5*cos(p) + 0.8*cos(q) + 0.6*cos(r) = (0.9 + {0})*cos({1})
      - 0.5*sin(p) + 0.8*sin(q) + 0.6*sin(r) = (0.9 + {0})*sin({1})
components:
  f: {{type: FourBar, initial: {{p: {2}, u: 2}}, guess: {{q: {3}, r: {4}}}}}
)",
                           beyond, turned, 0.9 + turned, turned - 0.1, turned - 1.3));
    return p.run({.stop = 1.3, .tolerance = tolerance, .interval = 1.3}, {"f.p"});
}

// Closer to the line than steps tell, and farther off, where no coordinate moves far between the last steps before it.
TEST(FourBar, OneThatTurnsBackCloseToTheLineIsWarnedOf) {
    for (const double beyond : {1e-6, 3e-7, 5e-9, 3e-9, 2e-9})
        EXPECT_TRUE(own_linkage(beyond, 1e-6).summary.branching) << beyond;
    for (const double beyond : {1e-2, -1e-2}) EXPECT_FALSE(own_linkage(beyond, 1e-6).summary.branching) << beyond;
}

// Along an axis one of the two conditions says nothing at all there.
TEST(FourBar, OneThatFoldsIntoALineAlongAnAxisIsWarnedOf) {
    for (const double turned : {0.0, 1.5707963267948966, 0.3}) {
        for (const double tolerance : {1e-5, 1e-6, 1e-7}) {
            const auto summary = own_linkage(0.0, tolerance, turned).summary;
            EXPECT_TRUE(summary.branching || summary.failure) << turned << ", " << tolerance;
            const std::string said = summary.failure ? summary.failure->message : "the motion may branch here";
            EXPECT_THAT(said, testing::HasSubstr("the motion may branch here")) << turned << ", " << tolerance;
        }
    }
    EXPECT_FALSE(own_linkage(1e-2, 1e-6, 0.0).summary.branching);
}

TEST(FourBar, ARunThatEndsInTheLineSaysWhy) {
    int ended = 0;
    for (const auto& [beyond, tolerance] : {std::pair{1e-12, 1e-10}, {1e-12, 1e-11}, {1e-11, 1e-9}, {1e-11, 1e-10}}) {
        const auto summary = own_linkage(beyond, tolerance).summary;
        EXPECT_TRUE(summary.failure || summary.branching) << tolerance;
        if (!summary.failure) continue;
        EXPECT_THAT(summary.failure->message, testing::HasSubstr("the motion may branch here")) << tolerance;
        ++ended;
    }
    EXPECT_GT(ended, 0) << "nothing has been tested";
}

// A preferred state is kept until it determines the other coordinate 33 times worse: steps pass over the place where it
// would determine nothing, and another choice there is a good one.
TEST(FourBar, APreferredCoordinateThatTurnsRoundIsNot) {
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        Pipeline p(R"(
types:
  Rope:
    ports: {px: {domain: translational}, py: {domain: translational}}
    variables: {x: {start: 0}, y: {start: -1}, s: {}}
    equations: [der(x) = px.f, der(y) = py.f, x^2 + y^2 = 1, px.e = s*x, py.e = s*y]
components:
  jx: {type: 1}
  jy: {type: 1}
  mx: {type: I, I: 2, initial: {f: 3}, states: prefer}
  my: {type: I, I: 2}
  rope: {type: Rope}
bonds: [jx -> mx, jx -> rope.px, jy -> my, jy -> rope.py]
)");
        const auto run = p.run({.stop = 10.0, .tolerance = tolerance}, {"rope.x"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_FALSE(run.summary.branching) << tolerance << " at " << run.summary.branching->time;
    }
}

// x, then y can't be the state: a bad coordinate, which the run exchanges, and no branching.
TEST(FourBar, APendulumInXAndYThatTurnsOverIsNot) {
    Pipeline p(R"(
types:
  Pendulum:
    variables: {x: {}, y: {}, v: {}, w: {}, F: {}}
    equations: ["der(x) = v", "der(y) = w", "der(v) = -F*x", "der(w) = -F*y - 9.81", "x^2 + y^2 = 1"]
components:
  p: {type: Pendulum, initial: {x: 0, v: 8}, guess: {y: -1}}
)");
    const auto run = p.run({.stop = 5.0}, {"p.x"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_GT(run.summary.reselections, 3);
    EXPECT_FALSE(run.summary.branching);
}

}  // namespace
}  // namespace bondgraph
