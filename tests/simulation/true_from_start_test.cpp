// What is so from the start has not become so: edge(), change() and pre() of another variable there.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// What a type's `k` is at the start and at the end, 0.4 s later; u is a capacitor's effort of 1 V that rises by 1 V/s.
std::pair<double, double> counted(const std::string& equations, const std::string& wrapped = "") {
    Pipeline p(fmt::format(R"yaml(
types:
  Count:
    inputs: [u]
    variables: {{b: {{type: boolean}}, n: {{type: integer}}, k: {{type: integer}}}}
    equations: [{}]
  Box:
    inputs: [u]
    components: {{inside: {{type: Count}}}}
    signals: [u -> inside.u]
components:
  s: {{type: Sf, f: 1}}
  c: {{type: C, C: 1, initial: {{q: 1}}}}
  j: {{type: 0}}
  r: {{type: {}}}
bonds: [s -> j, j -> c]
signals: [c.e -> r.u]
)yaml",
                           equations, wrapped.empty() ? "Count" : "Box"));
    const auto run = p.run({.stop = 0.4, .interval = 0.1}, {"r." + wrapped + "k"});
    EXPECT_FALSE(run.summary.failure);
    return {run.result.at(0, 0), run.result.at(run.result.time.size() - 1, 0)};
}

using Counts = std::pair<double, double>;

TEST(TrueFromStart, IsNoEdgeWhateverItDependsOn) {
    for (const std::string condition : {"u > 0.5", "time > -1", "u > 0.5 and time > -1", "true"}) {
        for (const bool shuffled : {false, true}) {
            const std::string b = fmt::format("b = {}", condition);
            const std::string k = "k = if edge(b) then pre(k) + 1 else pre(k)";
            const std::string rest = ", n = pre(n)";
            EXPECT_EQ(counted((shuffled ? k + ", " + b : b + ", " + k) + rest), Counts(0, 0)) << condition << shuffled;
            EXPECT_EQ(counted(b + ", " + k + rest, "inside."), Counts(0, 0)) << condition;
        }
    }
}

TEST(TrueFromStart, IsAnEdgeWhenItComesLater) {
    EXPECT_EQ(counted("b = u > 1.2, k = if edge(b) then pre(k) + 1 else pre(k), n = pre(n)"), Counts(0, 1));
}

// n is not counted up at the start, so that k sees no change of it either.
TEST(TrueFromStart, IsNoChangeDownAChain) {
    EXPECT_EQ(counted("b = u > 0.5, n = if edge(b) then pre(n) + 1 else pre(n), "
                      "k = if change(n) then pre(k) + 1 else pre(k)"),
              Counts(0, 0));
}

// Its own value before is the one it was declared with: in between a latch stays as it was.
TEST(TrueFromStart, LatchesStartAsDeclared) {
    const auto latched = [](const std::string& start) {
        Pipeline p(fmt::format(R"yaml(
types:
  Latch:
    inputs: [u]
    variables: {{on: {{type: boolean, start: {}}}, k: {{type: integer}}}}
    equations: ["on = u > 2 or pre(on) and u > 0.5", "k = if change(on) then pre(k) + 1 else pre(k)"]
components:
  s: {{type: Sf, f: 1}}
  c: {{type: C, C: 1, initial: {{q: 1}}}}
  j: {{type: 0}}
  r: {{type: Latch}}
bonds: [s -> j, j -> c]
signals: [c.e -> r.u]
)yaml",
                               start));
        const auto run = p.run({.stop = 1.5, .interval = 0.5}, {"r.on", "r.k"});
        const std::size_t last = run.result.time.size() - 1;
        return std::vector<double>{run.result.at(0, 0), run.result.at(0, 1), run.result.at(last, 0),
                                   run.result.at(last, 1)};
    };
    EXPECT_THAT(latched("false"), testing::ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(latched("true"), testing::ElementsAre(1, 0, 1, 0));
}

TEST(Sampling, PeriodsThatNoTimeTellsApartAreRefused) {
    const auto failure = [](const std::string& period) {
        Pipeline p(fmt::format(R"yaml(
types:
  Counter:
    variables: {{n: {{type: integer}}}}
    equations: ["n = if sample(0, {}) then pre(n) + 1 else pre(n)"]
components:
  c: {{type: Counter}}
bonds: []
)yaml",
                               period));
        const auto run = p.run({.stop = 1e-6}, {"c.n"});
        return run.summary.failure ? run.summary.failure->message : std::string();
    };
    for (const char* period : {"4e-308", "1e-320", "1e-19"}) {
        EXPECT_THAT(failure(period), testing::HasSubstr("can't be told apart")) << period;
    }
    EXPECT_EQ(failure("1e-7"), "");
}

// Three limits that a pressure leaves one after the other, each by less than rounding of what it once was, are three
// events, not a series of one.
TEST(Zeno, IsOfOneRelationNotOfSeveral) {
    for (const bool turned : {false, true}) {
        Pipeline p(fmt::format(R"yaml(
types:
  Limiter:
    inputs: [u]
    outputs: [y]
    equations: ["y = if u < 1 then 1 else u"]
components:
  s: {{type: Sf, f: "if time < 1 then -999998.999999 elseif time < 2 then -2e-6 elseif time < 3 then 2e-6 else 1e-3"}}
  c: {{type: C, C: 1, initial: {{q: 1e6}}}}
  j: {{type: 0}}
  l1: {{type: Limiter}}
  l2: {{type: Limiter}}
  l3: {{type: Limiter}}
bonds: [{}, j -> c]
signals: [c.e -> l1.u, c.e^1.1 -> l2.u, c.e^1.2 -> l3.u]
)yaml",
                               turned ? "j -> s" : "s -> j"));
        const auto run = p.run({.stop = 5.0}, {"l1.y", "l2.y", "l3.y", "c.e"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        const std::size_t last = run.result.time.size() - 1;
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(run.result.at(last, k), std::pow(run.result.at(last, 3), 1.0 + 0.1 * double(k)), 1e-12);
    }
}

}  // namespace
}  // namespace bondgraph
