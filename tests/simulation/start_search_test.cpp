// Which starts there are and which there are not, told apart by closed forms.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// Two angles or lengths a and b with two initial equations.
std::string two_unknowns(const std::string& first, const std::string& second, double guess_a, double guess_b) {
    return fmt::format(R"yaml(
components:
  a: {{type: Integrator, guess: {{y: {}}}}}
  b: {{type: Integrator, guess: {{y: {}}}}}
  s: {{type: Constant, k: 0}}
signals: [s.y -> a.u, s.y -> b.u]
initial: ["{}", "{}"]
)yaml",
                       guess_a, guess_b, first, second);
}

struct Found {
    bool any = false;
    double a = 0.0;
    double b = 0.0;
};

Found start_of(const std::string& text) {
    Pipeline p(text);
    try {
        p.start();
        const auto run = p.run({.stop = 1e-6}, {"a.y", "b.y"});
        return {true, run.result.at(0, 0), run.result.at(0, 1)};
    } catch (const ModelError& e) {
        EXPECT_EQ(e.diagnostics().front().code, "BG-I003") << text;
    }
    return {};
}

// An arm of two links reaches what is neither further than both together nor nearer than their difference.
TEST(StartSearch, TellsReachableTargetsOfAnArmFromOthers) {
    std::mt19937 random(3);
    const auto any = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    int reachable = 0;
    for (int k = 0; k < 400; ++k) {
        const double l1 = any(0.3, 2);
        const double l2 = any(0.3, 2);
        const double r = any(0, 1.5 * (l1 + l2));
        const double to_edge = std::min(std::abs(r - (l1 + l2)), std::abs(r - std::abs(l1 - l2)));
        if (to_edge < 1e-3 * (l1 + l2)) continue;
        const bool reached = r < l1 + l2 && r > std::abs(l1 - l2);
        reachable += reached ? 1 : 0;
        const double way = any(-3.14, 3.14);
        const double x = r * std::cos(way);
        const double y = r * std::sin(way);
        const Found found =
            start_of(two_unknowns(fmt::format("{}*cos(a.y) + {}*cos(a.y + b.y) = {}", l1, l2, x),
                                  fmt::format("{}*sin(a.y) + {}*sin(a.y + b.y) = {}", l1, l2, y), 0, any(-2, 2)));
        ASSERT_EQ(found.any, reached) << k << ": " << l1 << " " << l2 << " at " << x << " " << y;
        if (!found.any) continue;
        EXPECT_NEAR(l1 * std::cos(found.a) + l2 * std::cos(found.a + found.b), x, 1e-8 * (l1 + l2));
        EXPECT_NEAR(l1 * std::sin(found.a) + l2 * std::sin(found.a + found.b), y, 1e-8 * (l1 + l2));
    }
    EXPECT_GT(reachable, 100);
    EXPECT_LT(reachable, 300);
}

// An arm of three links with one angle to spare, nearly stretched out: with the third angle as it was guessed none of
// the targets is reached, so that all three give way.
TEST(StartSearch, ReachesWithASpareAngleWhatItsGuessForbids) {
    for (const double way : {0.4, 2.0, -1.1}) {
        for (const double short_of : {1e-3, 1e-4, 1e-5, 1e-6, -1e-6, -1e-3}) {
            const double x = 3 * (1 - short_of) * std::cos(way);
            const double y = 3 * (1 - short_of) * std::sin(way);
            Pipeline p(fmt::format(R"yaml(
components:
  a: {{type: Integrator, guess: {{y: 0.3}}}}
  b: {{type: Integrator, guess: {{y: 0.2}}}}
  c: {{type: Integrator, guess: {{y: -0.1}}}}
  s: {{type: Constant, k: 0}}
signals: [s.y -> a.u, s.y -> b.u, s.y -> c.u]
initial: ["cos(a.y) + cos(a.y + b.y) + cos(a.y + b.y + c.y) = {}", "sin(a.y) + sin(a.y + b.y) + sin(a.y + b.y + c.y) = {}"]
)yaml",
                                   x, y));
            if (short_of < 0.0) {
                EXPECT_THAT(test::errors_of([&] { p.start(); }), testing::ElementsAre("BG-I003")) << short_of;
                continue;
            }
            const auto start = p.start();
            const double a = start.y[0];
            const double b = a + start.y[1];
            const double c = b + start.y[2];
            EXPECT_NEAR(std::cos(a) + std::cos(b) + std::cos(c), x, 1e-11) << short_of;
            EXPECT_NEAR(std::sin(a) + std::sin(b) + std::sin(c), y, 1e-11) << short_of;
            EXPECT_GE(start.moved.size(), 2U) << "guesses that gave way are told";
        }
    }
}

TEST(StartSearch, TellsLinesThatMeetACircleFromOthers) {
    std::mt19937 random(5);
    const auto any = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    for (int k = 0; k < 300; ++k) {
        const double r = std::pow(10, any(-4, 4));
        const double way = any(-3.14, 3.14);
        const double distance = any(0, 2) * r;
        if (std::abs(distance - r) < 1e-3 * r) continue;
        const Found found =
            start_of(two_unknowns(fmt::format("a.y^2 + b.y^2 = {}", r * r),
                                  fmt::format("{}*a.y + {}*b.y = {}", std::cos(way), std::sin(way), distance),
                                  any(-1, 1) * r, any(-1, 1) * r));
        ASSERT_EQ(found.any, distance < r) << k << ": radius " << r << " distance " << distance;
        if (found.any) {
            EXPECT_NEAR(std::hypot(found.a, found.b), r, 1e-7 * r);
        }
    }
}

// x⁴ + c x = d has two roots above its least value and none below.
TEST(StartSearch, TellsQuarticsWithRootsFromOthers) {
    std::mt19937 random(9);
    const auto any = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    for (int k = 0; k < 300; ++k) {
        const double c = any(-5, 5);
        const double least_at = std::cbrt(-c / 4);
        const double least = std::pow(least_at, 4) + c * least_at;
        const double d = least + (k % 2 == 0 ? 1 : -1) * std::pow(10, any(-2, 1));
        const Found found =
            start_of(two_unknowns(fmt::format("a.y^4 + ({})*a.y = {}", c, d), "b.y = 2*a.y", any(-2, 2), 0));
        ASSERT_EQ(found.any, d > least) << k << ": c " << c << " d " << d;
        if (found.any) {
            EXPECT_NEAR(std::pow(found.a, 4) + c * found.a, d, 1e-8 * (1 + std::abs(d)));
        }
    }
}

TEST(StartSearch, ThatEndsInASingularPositionSaysHowNearItCame) {
    const std::string text = R"yaml(
parameters: {x: 1.5, y: 1.5}
components:
  a: {type: Integrator}
  b: {type: Integrator, guess: {y: 1.5}}
  s: {type: Constant, k: 0}
signals: [s.y -> a.u, s.y -> b.u]
initial: ["cos(a.y) + cos(a.y + b.y) = x", "sin(a.y) + sin(a.y + b.y) = y"]
)yaml";
    EXPECT_THAT(test::errors_in(text), testing::ElementsAre("BG-I003"));
    try {
        Pipeline(text).start();
        FAIL();
    } catch (const ModelError& e) {
        std::string notes;
        for (const auto& note : e.diagnostics().front().notes) notes += note.text + "\n";
        // Stretched out towards the target: 2/√2 in each direction, 1.5 − √2 = 0.0858 too short.
        EXPECT_THAT(notes, testing::HasSubstr("makes its sides 1.41"));
        EXPECT_THAT(notes, testing::HasSubstr("and 1.5, 0.08"));
    }
}

// Charges of 1e-11 C that differ by 1e-5 of that, beside efforts of 1e-5 V: each is judged in its own unit.
TEST(StartSearch, TellsSmallValuesThatContradictEachOtherInOtherUnits) {
    const auto tied = [](double charge) {
        return test::errors_in(fmt::format(R"yaml(
components:
  node: {{type: 0}}
  loss: {{type: R, R: 1}}
  a: {{type: C, C: 4e-4, initial: {{e: 1.5e-5}}}}
  b: {{type: C, C: 4e-6, initial: {{q: {}}}}}
bonds: [node -> loss, node -> a, node -> b]
)yaml",
                                           charge));
    };
    EXPECT_THAT(tied(6e-11), testing::IsEmpty());
    EXPECT_THAT(tied(6e-11 * (1 + 1e-5)), testing::ElementsAre("BG-I001"));
}

/// A crank of 27 m at an angle of -0.447 and a rod of 11.3 m whose end is held at a height.
std::string slider_crank(double height) {
    return fmt::format(R"yaml(
types:
  Cut: {{parameters: {{at: 0}}, inputs: [x], outputs: [F], equations: ["x = at"]}}
components:
  world: {{type: World}}
  hinge0: {{type: Revolute, n: [0, 0, 1], initial: {{phi: -0.447, w: 0.56}}}}
  rod0: {{type: FixedTranslation, r: [27 m, 0, 0]}}
  ball0: {{type: PointMass, m: 10}}
  hinge1: {{type: Revolute, n: [0, 0, 1], guess: {{phi: 2.35}}}}
  rod1: {{type: FixedTranslation, r: [11.3 m, 0, 0]}}
  ball1: {{type: PointMass, m: 5}}
  tip: {{type: WorldForce, f: [0, 0, 0]}}
  cut: {{type: Cut, at: {}}}
connect:
  - [world.frame_b, hinge0.frame_a]
  - [hinge0.frame_b, rod0.frame_a]
  - [rod0.frame_b, ball0.frame_a, hinge1.frame_a]
  - [hinge1.frame_b, rod1.frame_a]
  - [rod1.frame_b, ball1.frame_a, tip.frame_b]
signals: ["rod1.frame_b.x[2] -> cut.x", "cut.F -> tip.f[2]"]
)yaml",
                       height);
}

// Near a position in which rod and slider are in line rates and forces run away: they are no measure of the place.
TEST(StartSearch, RefusesACrankWhoseRodDoesNotReachTheLineOfTheSlider) {
    const double lowest = 27 * std::sin(-0.447) - 11.3;
    EXPECT_THAT(test::errors_in(slider_crank(lowest + 1.0)), testing::IsEmpty());
    for (const double beyond : {1e-4, 0.1, 11.8}) {
        const std::string text = slider_crank(lowest - beyond);
        EXPECT_THAT(test::errors_in(text),
                    testing::AnyOf(testing::ElementsAre("BG-I001"), testing::ElementsAre("BG-I003")))
            << beyond;
        try {
            Pipeline(text).start();
        } catch (const ModelError& e) {
            std::string notes;
            for (const auto& note : e.diagnostics().front().notes) notes += note.text + "\n";
            EXPECT_THAT(notes, testing::ContainsRegex("the nearest that was found leaves the sides of .* apart"));
        }
    }
}

// The rates of C1 and C2 are one expression: rest determines their sum, and the momentum that carries the source.
TEST(StartSearch, FindsRestWhereRowsAreIndependentOnlyInAnUnknownNobodyMatched) {
    Pipeline p(R"yaml(
components:
  j1: {type: 0, domain: electrical}
  j2: {type: 1, domain: electrical}
  j3: {type: 1, domain: electrical}
  j4: {type: 1, domain: electrical}
  j5: {type: 0, domain: magnetic}
  j6: {type: 1, domain: magnetic}
  j7: {type: 1, domain: magnetic}
  j8: {type: 0, domain: magnetic}
  Se1: {type: Se, e: -1.0}
  C1: {type: C, C: 0.246227}
  C2: {type: C, K: 0.394394}
  I2: {type: I, I: 3.1488}
  GY1: {type: GY, r: 1.0615}
  TF1: {type: TF, m: 0.7252}
  GY2: {type: GY, r: 0.6192}
  C5: {type: C, K: 1.50519}
  GY3: {type: GY, r: -0.8842}
  R5: {type: R, R: 1.44667}
initial: steady
bonds:
  - j2 -> j4
  - j5 -> j6
  - j5 -> j7
  - j5 -> j8
  - Se1 -> j2
  - j6 -> C1
  - j6 -> C2
  - j8 -> I2
  - j4 -> GY1.p1
  - b5: GY1.p2 -> j7
  - j1 -> TF1.p1
  - TF1.p2 -> j5
  - j3 -> GY2.p1
  - GY2.p2 -> C5
  - j5 -> GY3.p1
  - R5 -> GY3.p2
experiment: {stop: 1 s, interval: 0.25 s, tolerance: 1e-9}
)yaml");
    const auto run = p.run(p.settings(), {"I2.f", "j5->j6.e", "C1.f", "I2.e"});
    ASSERT_FALSE(run.summary.failure);
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        EXPECT_NEAR(run.result.at(row, 0), 1 / 1.0615, 1e-9);
        for (const std::size_t column : {1, 2, 3}) EXPECT_NEAR(run.result.at(row, column), 0.0, 1e-12);
    }
}

}  // namespace
}  // namespace bondgraph
