// floor(), ceil() and sign() of states in discrete variables and conditions: found as relations are.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// A capacitor charged by a flow; its effort drives the discrete variable k of a type. `more` stands beside it.
Pipeline charged(const std::string& equation, const std::string& flow, const std::string& more = "") {
    return Pipeline(fmt::format(R"yaml(
types:
  Discrete:
    inputs: [y]
    variables: {{k: {{type: real, start: 0}}}}
    equations:
      - "{}"
components:
  s: {{type: Sf, f: "{}"}}
  c: {{type: C, C: 1, initial: {{q: 0}}}}
  n: {{type: 0}}
  d: {{type: Discrete}}
{}bonds: [s -> n, n -> c]
signals: [c.e -> d.y]
)yaml",
                                equation, flow, more));
}

void expect_in_all_rows(Pipeline& p, double stop, const std::function<double(double)>& of) {
    const auto run = p.run({.stop = stop, .tolerance = 1e-8, .interval = 0.05}, {"c.e", "d.k"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double y = run.result.at(row, 0);
        // Beside a step rounding decides which side a row is on.
        if (of(y - 1e-7) != of(y + 1e-7)) continue;
        EXPECT_EQ(run.result.at(row, 1), of(y)) << run.result.time[row] << " " << y;
    }
}

constexpr const char* kToAndFro = "3*cos(1.3*time)";

TEST(HeldSteps, FollowTheirArgumentBothWays) {
    Pipeline down = charged("k = floor(2*y)", kToAndFro);
    expect_in_all_rows(down, 6.0, [](double y) { return std::floor(2 * y); });
    Pipeline up = charged("k = 10*ceil(y/0.3 - 0.1) + y*0", kToAndFro);
    expect_in_all_rows(up, 6.0, [](double y) { return 10 * std::ceil(y / 0.3 - 0.1); });
    Pipeline side = charged("k = sign(y + 0.4)", kToAndFro);
    expect_in_all_rows(side, 6.0, [](double y) { return y + 0.4 > 0 ? 1.0 : -1.0; });
}

TEST(HeldSteps, StartWhereTheArgumentStarts) {
    const auto at_start = [](const std::string& flow) {
        Pipeline p = charged("k = floor(y + 3) + 100*sign(y)", flow);
        return p.run({.stop = 0.5, .interval = 0.1}, {"d.k"}).result.at(0, 0);
    };
    EXPECT_EQ(at_start("0"), 3.0);
    EXPECT_EQ(at_start("1"), 103.0);  // where it is 0, what it is about to be decides, as of relations
}

TEST(HeldSteps, AreTakenByConditionsAndBySwitches) {
    Pipeline p = charged("k = if floor(y) == 1 then 5 else 7", "1");
    const auto run = p.run({.stop = 3.0, .interval = 0.25}, {"d.k"});
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double t = run.result.time[row];
        if (std::abs(t - 1) < 1e-3 || std::abs(t - 2) < 1e-3) continue;
        EXPECT_EQ(run.result.at(row, 0), t > 1 && t < 2 ? 5.0 : 7.0) << t;
    }
}

// The same expression in an equation: its jump is an event then.
TEST(HeldSteps, HoldInEquationsBesideThem) {
    Pipeline p(R"yaml(
types:
  Stairs:
    inputs: [y]
    outputs: [z]
    variables: {k: {type: real}, x: {start: 0}}
    equations: [k = floor(y), z = floor(y), der(x) = z]
components:
  s: {type: Sf, f: 1}
  c: {type: C, C: 1, initial: {q: 0}}
  n: {type: 0}
  d: {type: Stairs}
bonds: [s -> n, n -> c]
signals: [c.e -> d.y]
)yaml");
    const auto run = p.run({.stop = 3.5, .tolerance = 1e-8}, {"d.x", "d.k"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.summary.state_events, 3);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 1.0 + 2.0 + 1.5, 1e-7);
    EXPECT_EQ(run.result.at(run.result.time.size() - 1, 1), 3.0);
}

// A relation and a value that jump at the same instant: algebraic variables are solved for once more there, and
// rounding leaves them on either side.
TEST(HeldSteps, AgreeWithTheRelationOfTheSameEvent) {
    struct Case {
        const char* flow;
        const char* first;
        const char* second;
        const char* result;
        double C;
    };
    for (const Case& c : {Case{"1", "f = e^3", "e = f + 0.3*f^3", "r1.f", 0.584631},
                          Case{"exp(time)", "e = f + f^3", "e = 0.3*f^3", "r1.e", 1.80966},
                          Case{"exp(time)", "e = f + f^3", "e = 0.3*f^3", "r2.e", 0.316435},
                          Case{"exp(time)", "f = e^3", "e = f + 0.3*f^3", "m.f", 1.8874}}) {
        for (const bool shuffled : {false, true}) {
            SCOPED_TRACE(fmt::format("{} {}", c.result, shuffled));
            const std::string lines = shuffled ? "  r2: {type: R, law: \"" + std::string(c.second) +
                                                     "\"}\n  r1: {type: R, law: \"" + c.first + "\"}\n"
                                               : "  r1: {type: R, law: \"" + std::string(c.first) +
                                                     "\"}\n  r2: {type: R, law: \"" + c.second + "\"}\n";
            Pipeline p(fmt::format(R"yaml(
types:
  Round:
    inputs: [y]
    variables: {{state: {{type: real, start: 0}}}}
    equations: ["state = if y > 0.5 then floor(y + 0.5) else pre(state)"]
components:
{}  s: {{type: Sf, f: "{}"}}
  c: {{type: C, C: {}, initial: {{q: 0}}}}
  n: {{type: 0}}
  m: {{type: 1}}
  r: {{type: Round}}
bonds: [s -> n, {}, n -> m, m -> r2, m -> r1]
signals: ["{} -> r.y"]
)yaml",
                                   lines, c.flow, c.C, shuffled ? "c -> n" : "n -> c", c.result));
            const auto run = p.run({.stop = 3.0, .interval = 0.1}, {c.result, "r.state"});
            ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
            for (std::size_t row = 0; row < run.result.time.size(); ++row) {
                const double y = run.result.at(row, 0);
                if (y < 0.5 + 1e-9 || std::abs(y + 0.5 - std::round(y + 0.5)) < 1e-7) continue;
                EXPECT_EQ(run.result.at(row, 1), std::floor(y + 0.5)) << run.result.time[row] << " " << y;
            }
        }
    }
}

// Converters look at their input at sampling instants only: nothing is looked for in between.
TEST(HeldSteps, AreNotLookedForWhereValuesAreSampled) {
    Pipeline p = charged("k = if sample(0, 1) then floor(1000*y) else pre(k)", "1");
    const auto run = p.run({.stop = 2.5, .tolerance = 1e-8}, {"d.k"});
    EXPECT_EQ(run.summary.state_events, 0);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 2000.0, 1.0);
}

}  // namespace
}  // namespace bondgraph
