// What is written where a model has no `outputs:`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::ElementsAre;

const std::string kBlocks = R"(
types:
  Six:
    inputs: [u]
    outputs: [y]
    components: {a: {type: Gain, k: 2}, b: {type: Gain, k: 3}}
    signals: [u -> a.u, a.y -> b.u, b.y -> y]
  Two:
    inputs: [u]
    outputs: {y: {}, count: {type: integer, start: 3}}
    variables: [inner]
    equations: [y = inner + 1, inner = 2*u, count = pre(count)]
components:
  w: {type: Sine, amplitude: 2, frequency: 1 Hz}
  six: {type: Six}
  i: {type: Integrator}
  two: {type: Two}
  g[2]: {type: Gain, k: i}
  silent: {type: Constant, k: 1}
signals:
  - w.y -> six.u
  - w.y -> i.u
  - w.y -> two.u
  - w.y -> g[i].u
)";

std::vector<std::string> columns_of(const std::string& text) {
    Pipeline p(text);
    return simulation::default_outputs(p.compiled());
}

TEST(DefaultOutputs, OfSignalsAloneAreThoseOfTheModelsOwnComponents) {
    const auto names = columns_of(kBlocks);
    EXPECT_THAT(names, ElementsAre("i.y", "w.y", "six.y", "two.y", "two.count", "g[1].y", "g[2].y", "silent.y"));
    Pipeline p(kBlocks);
    const auto run = p.run({.stop = 0.25, .tolerance = 1e-6}, names);
    ASSERT_FALSE(run.summary.failure);
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 2), 12.0, 1e-9) << "six times an amplitude of 2";
    EXPECT_EQ(run.result.at(last, 4), 3.0);
}

TEST(DefaultOutputs, OfABondGraphAreStatesEffortsAndFlows) {
    const std::string graph = R"(
components:
  w: {type: Sine, amplitude: 2, frequency: 1 Hz}
  s: {type: Se}
  c: {type: C, C: 1 F, initial: {q: 0}}
  r: {type: R, R: 1 ohm}
  j: {type: 1}
bonds: [s -> j, j -> c, j -> r]
signals: [w.y -> s.e]
)";
    EXPECT_THAT(columns_of(graph), ElementsAre("c.q", "s.e", "s.f", "c.e", "c.f", "r.e", "r.f"));
}

}  // namespace
}  // namespace bondgraph
