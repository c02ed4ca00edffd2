// What models become when they are compiled, and their transfer functions in closed form.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

TEST(ApiStructure, CountsWhatACircuitConsistsOf) {
    const auto structure = parsed(kCharging).structure();
    ASSERT_TRUE(structure) << structure.error().text();
    EXPECT_THAT(structure->states, ElementsAre("C1.q"));
    EXPECT_THAT(structure->dependent_storages, IsEmpty());
    EXPECT_THAT(structure->algebraic_loops, IsEmpty());
    EXPECT_THAT(structure->modes, IsEmpty());
    EXPECT_EQ(structure->components, 4U);
    EXPECT_EQ(structure->parts, 0U);
    EXPECT_EQ(structure->bonds, 3U);
    EXPECT_EQ(structure->integrated, 1U);
    EXPECT_EQ(structure->integrated_states, 1U);
    EXPECT_GE(structure->unknowns, 7U);  // two of each bond and the state
}

// Two masses on one rod have one momentum between them.
TEST(ApiStructure, OfTwoMassesOnARodOneDependsOnTheOther) {
    const auto structure = parsed(R"(
model: m
components: {S: {type: Se, e: 1 N}, rod: {type: 1}, m1: {type: I, I: 1 kg}, m2: {type: I, I: 2 kg}}
bonds: [S -> rod, rod -> m1, rod -> m2]
)")
                               .structure();
    ASSERT_TRUE(structure) << structure.error().text();
    EXPECT_EQ(structure->states.size(), 1U);
    ASSERT_EQ(structure->dependent_storages.size(), 1U);
    EXPECT_EQ(structure->dependent_storages[0].name, "m2");
    EXPECT_THAT(structure->dependent_storages[0].depends_on, ElementsAre("m1"));
}

TEST(ApiStructure, TellsOfALinkageItsFreedomAndWhereItIsClosed) {
    const auto linkage =
        Model::load(test::source_folder() + "/models/mechanics3d/crank_rocker.yaml").value().structure();
    ASSERT_TRUE(linkage) << linkage.error().text();
    ASSERT_EQ(linkage->closed_loops.size(), 1U);
    EXPECT_EQ(linkage->closed_loops[0].freedoms(), 1);
    EXPECT_EQ(linkage->closed_loops[0].joints.size(), 3U);
    EXPECT_FALSE(linkage->closed_loops[0].position.empty());
    EXPECT_GT(linkage->parts, 0U);
}

TEST(ApiStructure, HasTheModesOfTheStart) {
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
    const auto on = model.structure();
    const auto off = model.structure({{"closed", -1}});
    ASSERT_TRUE(on && off);
    ASSERT_EQ(on->modes.size(), 1U);
    ASSERT_EQ(off->modes.size(), 1U);
    EXPECT_TRUE(on->modes[0].boolean);
    EXPECT_NE(on->modes[0].text(), off->modes[0].text());
}

TEST(ApiTransfer, OfAnRCCircuitIsALowPass) {
    const auto transfers = parsed(kCharging).transfer_functions();
    ASSERT_TRUE(transfers) << transfers.error().text();
    ASSERT_EQ(transfers->size(), 1U);
    const Transfer& h = transfers->front();
    EXPECT_EQ(h.input, "source.e");
    EXPECT_EQ(h.output, "C1.e");
    EXPECT_EQ(h.output_unit, "V");
    ASSERT_EQ(h.poles.size(), 1U);
    EXPECT_NEAR(h.poles[0].value.real(), -1000.0, 1e-9);
    EXPECT_EQ(h.poles[0].value.imag(), 0.0);
    EXPECT_EQ(h.poles[0].multiplicity, 1U);
    EXPECT_THAT(h.zeros, IsEmpty());
    EXPECT_NEAR(h.gain, 1000.0, 1e-9);
    ASSERT_TRUE(h.static_gain);
    EXPECT_NEAR(*h.static_gain, 1.0, 1e-12);
    EXPECT_EQ(h.high_frequency_gain, 0.0);
    ASSERT_EQ(h.denominator.size(), 2U);
    EXPECT_EQ(h.denominator[0], 1.0);
    EXPECT_NEAR(h.denominator[1], 1000.0, 1e-9);
    EXPECT_NEAR(h.numerator.back(), 1000.0, 1e-9);
}

TEST(ApiTransfer, OutputsMayBeNamedAndValuesSet) {
    const Model model = parsed(kCharging);
    const auto transfers = model.transfer_functions({.values = {{"R1.R", "2 kohm"}}, .outputs = {"R1.e", "C1.q"}});
    ASSERT_TRUE(transfers) << transfers.error().text();
    ASSERT_EQ(transfers->size(), 2U);
    const Transfer& high_pass = (*transfers)[0];  // s/(s + 500)
    ASSERT_EQ(high_pass.zeros.size(), 1U);
    EXPECT_NEAR(std::abs(high_pass.zeros[0].value), 0.0, 1e-9);
    EXPECT_NEAR(high_pass.poles[0].value.real(), -500.0, 1e-9);
    EXPECT_NEAR(high_pass.high_frequency_gain, 1.0, 1e-12);
    EXPECT_NEAR(*high_pass.static_gain, 0.0, 1e-12);
    EXPECT_EQ((*transfers)[1].output_unit, "C");
    const auto unknown = model.transfer_functions({.outputs = {"C9.q"}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, Error::Kind::usage);
}

TEST(ApiTransfer, AnIntegratorHasNoGainAtRest) {
    const auto transfers = parsed(R"(
model: m
components: {S: {type: Se, e: 1 N}, mass: {type: I, I: 4 kg}}
bonds: [S -> mass]
outputs: [mass.f]
)")
                               .transfer_functions();
    ASSERT_TRUE(transfers) << transfers.error().text();
    EXPECT_FALSE(transfers->at(0).static_gain);
    EXPECT_NEAR(transfers->at(0).gain, 0.25, 1e-12);
    EXPECT_EQ(transfers->at(0).poles.at(0).value, std::complex<double>(0.0));
}

TEST(ApiTransfer, BeginsAtASource) {
    const auto transfers = parsed(kDecay).transfer_functions();
    ASSERT_FALSE(transfers);
    EXPECT_EQ(transfers.error().kind, Error::Kind::usage);
    EXPECT_THAT(transfers.error().text(), HasSubstr("begins at a source, and the model has none"));
}

// A capacitor straight at a voltage source takes the current C de/dt.
TEST(ApiTransfer, ASourceThatAStorageFollowsIsNoInput) {
    const std::string text = R"(
model: m
components: {S: {type: Se, e: 1 V}, j: {type: 0}, C1: {type: C, C: 1 F}, R: {type: R, R: 1 ohm}}
bonds: [S -> j, j -> C1, j -> R]
outputs: [S.f]
)";
    const auto linear = parsed(text).linearize({.outputs = {"S.f"}});
    ASSERT_TRUE(linear) << linear.error().text();
    EXPECT_THAT(linear->left_out, ElementsAre("S.e"));
    const auto transfers = parsed(text).transfer_functions();
    ASSERT_FALSE(transfers);
    EXPECT_THAT(transfers.error().text(), HasSubstr("depends on the derivatives of all"));
}

TEST(ApiCheck, RefusesExpectationsThatNoRunCouldMeet) {
    const auto checked = parsed(kCharging + "expect:\n  - {at: -1 s, C1.e: 9}\n  - {at: 1 s, C9.e: 9}\n").check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().kind, Error::Kind::model);
    EXPECT_THAT(checked.error().text(), HasSubstr("test.yaml:15:10: error: 'at' must not be before the start of the "
                                                  "run at 0 s"));
    EXPECT_THAT(checked.error().text(), HasSubstr("C9.e"));
    EXPECT_TRUE(parsed(kCharging + "expect:\n  - {at: 1 ms, C1.e: 9}\n").check());  // which is not so, but might be
}

}  // namespace
}  // namespace bondgraph::api
