// Which elements that may rest have multiples of one flow.

#include "bondgraph/model/companions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph::model {
namespace {

using test::Pipeline;
using testing::ElementsAre;

/// "a+ b-": what may rest at the flow of `a`, with the sense.
std::vector<std::string> beside_a(const std::string& components, const std::string& bonds) {
    Pipeline p("components:\n  a: {type: Friction, level: 1}\n  b: {type: Friction, level: 1}\n" + components +
               "bonds: [" + bonds + "]\n");
    const BondGraph& graph = p.graph();
    std::vector<std::string> result;
    for (const Resting& r : resting_at_flow_of(graph, graph.element_by_name.at("a")))
        result.push_back(graph.elements[r.element.index()].name + (r.sense > 0 ? "+" : "-"));
    return result;
}

const std::string kTwoShafts = "  v: {type: 1}\n  w: {type: 1}\n";

TEST(Companions, AreBehindTransformers) {
    const auto joined = [](const std::string& gear) {
        return beside_a(kTwoShafts + "  g: {type: TF, " + gear + "}\n", "v -> a, v -> g.p1, g.p2 -> w, w -> b");
    };
    EXPECT_THAT(joined("m: 3"), ElementsAre("a+", "b+"));
    EXPECT_THAT(joined("m: -3"), ElementsAre("a+", "b-"));
    EXPECT_THAT(joined("m: 3 + time"), ElementsAre("a+")) << "a modulus that changes";
    EXPECT_THAT(joined("m: 0"), ElementsAre("a+"));
    EXPECT_THAT(beside_a(kTwoShafts + "  g: {type: GY, r: 3}\n", "v -> a, v -> g.p1, g.p2 -> w, w -> b"),
                ElementsAre("a+"));
}

TEST(Companions, AreBehindSeveralTransformers) {
    const std::string gears = "  g: {type: TF, m: -3}\n  h: {type: TF, m: -2}\n";
    const std::string three = gears + kTwoShafts + "  u: {type: 1}\n";
    EXPECT_THAT(beside_a(three, "v -> a, v -> g.p1, g.p2 -> u, u -> h.p1, h.p2 -> w, w -> b"), ElementsAre("a+", "b+"));
    EXPECT_THAT(beside_a(gears + kTwoShafts, "v -> a, v -> g.p1, g.p2 -> h.p1, h.p2 -> w, w -> b"),
                ElementsAre("a+", "b+"))
        << "with nothing between";
    EXPECT_THAT(beside_a(three, "u -> h.p1, h.p2 -> v, v -> a, u -> g.p1, g.p2 -> w, w -> b"), ElementsAre("a+", "b+"))
        << "on two shafts of a third";
    EXPECT_THAT(beside_a(gears + "  u: {type: 1}\n", "u -> h.p1, h.p2 -> a, u -> g.p1, g.p2 -> b"),
                ElementsAre("a+", "b+"))
        << "on the gears themselves";
}

TEST(Companions, OfARingOfGearsHaveTheFlowThatItLeaves) {
    const auto ring = [](const std::string& other) {
        return beside_a(kTwoShafts + "  g: {type: TF, m: 3}\n  h: {type: TF, m: " + other + "}\n",
                        "v -> a, v -> g.p1, g.p2 -> w, w -> b, v -> h.p1, h.p2 -> w");
    };
    EXPECT_THAT(ring("3"), ElementsAre("a+", "b+"));
    EXPECT_THAT(ring("4"), ElementsAre("a+")) << "none: nothing is said of it";
}

TEST(Companions, AreBehindNodesWithNoOtherFlow) {
    const std::string node = kTwoShafts + "  z: {type: 0}\n  h: {type: 1}\n  s: {type: Sf, f: 0}\n";
    const std::string still = "s -> h, h -> z";
    EXPECT_THAT(beside_a(node, "v -> a, v -> z, z -> w, w -> b, " + still), ElementsAre("a+", "b+"));
    EXPECT_THAT(beside_a(node, "v -> a, v -> z, w -> z, w -> b, " + still), ElementsAre("a+", "b-"));
    EXPECT_THAT(beside_a(node + "  r: {type: R, R: 1}\n", "v -> a, v -> z, z -> w, w -> b, z -> r, " + still),
                ElementsAre("a+"))
        << "what flows through r is between them";
    EXPECT_THAT(beside_a(node + "  u: {type: 1}\n", "v -> a, v -> z, z -> w, w -> b, z -> u, " + still),
                ElementsAre("a+"));
    EXPECT_THAT(beside_a(node, "v -> a, v -> z, z -> w, w -> b, h -> v, s -> h"), ElementsAre("a+"))
        << "what stands still has no companions";
}

TEST(Companions, OfRelativeFlowsHaveTheSameSum) {
    const std::string plain = kTwoShafts + "  y: {type: 0}\n  z: {type: 0}\n";
    const std::string shafts = plain + "  g: {type: TF, m: 2}\n  u: {type: 1}\n";
    EXPECT_THAT(beside_a(plain, "v -> y, y -> w, y -> a, v -> z, z -> w, z -> b"), ElementsAre("a+", "b+"));
    EXPECT_THAT(beside_a(plain, "v -> y, y -> w, y -> a, w -> z, z -> v, z -> b"), ElementsAre("a+", "b-"));
    EXPECT_THAT(beside_a(shafts, "v -> y, y -> w, y -> a, v -> g.p1, g.p2 -> u, u -> z, z -> w, z -> b"),
                ElementsAre("a+"))
        << "v - w and 2 v - w";
    EXPECT_THAT(beside_a(shafts + "  h: {type: TF, m: 2}\n  t: {type: 1}\n",
                         "v -> y, y -> w, y -> a, v -> g.p1, g.p2 -> u, u -> z, w -> h.p1, h.p2 -> t, z -> t, z -> b"),
                ElementsAre("a+", "b+"))
        << "v - w and 2 v - 2 w";
}

}  // namespace
}  // namespace bondgraph::model
