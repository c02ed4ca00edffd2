// Strokes and what follows from them, of graphs whose causality can be told by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Stroke = CausalBond::Stroke;

const CausalBond& bond_named(const Causality& causality, std::string_view name) {
    return *std::ranges::find(causality.bonds, name, &CausalBond::name);
}

TEST(ApiCausality, TellsEveryStrokeWithItsReason) {
    const auto causality = parsed(kCharging).causality();
    ASSERT_TRUE(causality) << causality.error().text();
    ASSERT_EQ(causality->bonds.size(), 3U);
    const CausalBond& source = causality->bonds[0];
    EXPECT_EQ(source.from, "source");
    EXPECT_EQ(source.to, "loop");
    EXPECT_EQ(source.size, 1U);
    EXPECT_EQ(source.stroke, Stroke::at_to);
    EXPECT_EQ(source.kind, "source");
    EXPECT_EQ(source.reason, "Se 'source' fixes its effort");
    const CausalBond& feed = bond_named(*causality, "feed");
    EXPECT_EQ(feed.stroke, Stroke::at_from);  // the capacitor gives the effort
    EXPECT_EQ(feed.kind, "integral");
    EXPECT_EQ(feed.reason, "C 'C1' takes integral causality");
    EXPECT_FALSE(causality->wrapped);
    EXPECT_THAT(causality->algebraic_loops, IsEmpty());
}

TEST(ApiCausality, PathsAndLoopsHaveTheirGains) {
    const auto causality = parsed(kCharging).causality();
    ASSERT_TRUE(causality);
    ASSERT_EQ(causality->paths.size(), 4U);
    const CausalPath& back = causality->paths[3];
    EXPECT_EQ(back.from, "C1");
    EXPECT_EQ(back.to, "R1");
    EXPECT_THAT(back.variables, ElementsAre("C1.e", "R1.e"));
    EXPECT_EQ(back.gain, "-1");
    ASSERT_TRUE(causality->causal_loops);
    ASSERT_EQ(causality->causal_loops->size(), 1U);
    EXPECT_EQ(causality->causal_loops->front().gain, "-1/(R1*C1*s)");
    EXPECT_THAT(causality->causal_loops->front().nodes, ElementsAre("R1.e", "R1.f", "C1.q", "C1.e"));
    ASSERT_EQ(causality->parameters.size(), 2U);
    EXPECT_EQ(causality->parameters[1].path, "C1.C");
    EXPECT_EQ(causality->parameters[1].value, 1e-6);
    EXPECT_TRUE(causality->parameters[1].occurs);
    EXPECT_EQ(parsed(kCharging).causality({.most_paths = 2})->paths.size(), 2U);
}

TEST(ApiCausality, AStorageBesideASourceIsDerivative) {
    const auto causality = parsed(R"(
model: m
components: {S: {type: Se, e: 1}, j: {type: 0}, C1: {type: C, C: 1}, R: {type: R, R: 1}}
bonds: [S -> j, j -> C1, j -> R]
)")
                               .causality();
    ASSERT_TRUE(causality) << causality.error().text();
    ASSERT_EQ(causality->storages.size(), 1U);
    EXPECT_EQ(causality->storages[0].name, "C1");
    EXPECT_FALSE(causality->storages[0].integral);
    EXPECT_THAT(causality->storages[0].depends_on, ElementsAre("S"));
    EXPECT_TRUE(parsed(kDecay).causality()->storages.at(0).integral);
}

// The middle of a divider: neither resistor is told its effort or flow by anything else.
TEST(ApiCausality, TwoResistorsInADividerAreAnAlgebraicLoop) {
    const auto causality = parsed(R"(
model: m
components:
  S: {type: Se, e: 1}
  one: {type: 1}
  R1: {type: R, R: 1}
  R2: {type: R, R: 3}
bonds: [S -> one, one -> R1, one -> R2]
)")
                               .causality();
    ASSERT_TRUE(causality) << causality.error().text();
    ASSERT_EQ(causality->algebraic_loops.size(), 1U);
    EXPECT_THAT(causality->algebraic_loops[0].elements, testing::IsSupersetOf({"R1", "R2"}));
    EXPECT_GE(causality->algebraic_loops[0].path.size(), 2U);
}

TEST(ApiCausality, OfASwitchIsThatOfTheStart) {
    const Model model = parsed(R"(
model: m
parameters: {closed: 1}
components:
  S: {type: Se, e: 1}
  one: {type: 1}
  sw: {type: Sw, open: closed < 0}
  R: {type: R, R: 1}
bonds: [S -> one, one -> sw, one -> R]
)");
    const auto on = model.causality();
    ASSERT_TRUE(on) << on.error().text();
    const auto off = model.causality({.values = {{"closed", -1}}});
    ASSERT_TRUE(off) << off.error().text();
    EXPECT_NE(bond_named(*on, "sw").stroke, bond_named(*off, "sw").stroke);
}

TEST(ApiCausality, InsideAJointIsShownWhereItIsAskedFor) {
    const Model arm = Model::load(test::source_folder() + "/models/mechanics3d/robot_arm.yaml").value();
    const auto outside = arm.causality();
    const auto inside = arm.causality({.expand = true});
    ASSERT_TRUE(outside && inside);
    EXPECT_TRUE(outside->wrapped);
    EXPECT_LT(outside->bonds.size(), inside->bonds.size());
    EXPECT_TRUE(std::ranges::any_of(outside->bonds, &CausalBond::frames));
    EXPECT_FALSE(std::ranges::any_of(inside->bonds, &CausalBond::frames));
}

TEST(ApiCausality, AConflictIsAnError) {
    const auto causality = parsed(R"(
model: m
components: {S1: {type: Se, e: 1}, j: {type: 0}, S2: {type: Se, e: 2}}
bonds: [S1 -> j, j -> S2]
)")
                               .causality();
    ASSERT_FALSE(causality);
    EXPECT_EQ(causality.error().kind, Error::Kind::model);
    EXPECT_THAT(causality.error().text(), HasSubstr("[BG-C"));
}

}  // namespace
}  // namespace bondgraph::api
