// How results depend on parameters, against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ParameterSensitivity& of(const Sensitivities& found, std::string_view name) {
    return *std::ranges::find(found.parameters, name, &ParameterSensitivity::parameter);
}

double share(const Sensitivities& found, std::string_view name, double RunMeasures::*measure) {
    const ParameterSensitivity& p = of(found, name);
    return (p.more[0].*measure - p.less[0].*measure) / (2.0 * found.step * found.now[0].*measure);
}

// x(T) = q0 exp(-T/(R C)): d ln x/d ln q0 = 1, of R and C each T/(R C) = 1.
TEST(ApiSensitivities, OfADecayAreThoseOfItsClosedForm) {
    const auto found = sensitivities(parsed(kDecay), {.results = {"C.q"}});
    ASSERT_TRUE(found) << found.error().text();
    // Central differences leave a sixth of the third derivative times the square of the step, some 1e-4.
    EXPECT_NEAR(share(*found, "q0", &RunMeasures::end), 1.0, 1e-6);
    EXPECT_NEAR(share(*found, "R.R", &RunMeasures::end), 1.0, 3e-4);
    EXPECT_NEAR(share(*found, "C.C", &RunMeasures::end), 1.0, 3e-4);
    EXPECT_NEAR(found->now[0].end, 2.0 * std::exp(-1.0), 1e-8);
    EXPECT_EQ(found->now[0].largest, 2.0);
    EXPECT_NEAR(share(*found, "R.R", &RunMeasures::largest), 0.0, found->noise);
    EXPECT_EQ(of(*found, "R.R").value, 2.0);
    EXPECT_EQ(found->results[0].name, "C.q");
}

TEST(ApiSensitivities, OneSetOfRunsServesAllResultsInTheirOrder) {
    std::size_t done = 0;
    std::size_t all = 0;
    SensitivityOptions options{.results = {"R1.f", "C1.e"}};
    options.progress = [&](std::size_t d, std::size_t a) { done = d, all = a; };
    const auto found = sensitivities(parsed(kCharging), options);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(done, all);
    EXPECT_EQ(all, 1 + 2 * found->parameters.size());
    EXPECT_EQ(found->results[1].name, "C1.e");
    EXPECT_NEAR(found->now[1].end, 10.0, 1e-5);
    EXPECT_EQ(found->now[0].largest, 0.01);
    EXPECT_NEAR(of(*found, "U").more[1].end, 10.1, 1e-5);
    EXPECT_NEAR(of(*found, "U").less[1].end, 9.9, 1e-5);
}

TEST(ApiSensitivities, OfNamesThatAreNoResultOrSeveralOnesWrongUsage) {
    const auto unknown = sensitivities(parsed(kDecay), {.results = {"C.nothing"}});
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().text(), HasSubstr("C.nothing"));
    const auto several = sensitivities(parsed(R"(model: two
components:
  j: {type: 0, size: 2}
  C: {type: C, C: [1, 2], initial: {q: [1, 1]}}
  R: {type: R, R: [1, 1]}
bonds: [j -> C, j -> R]
experiment: {stop: 1 s}
)"),
                                       {.results = {"C.q"}});
    ASSERT_FALSE(several);
    EXPECT_EQ(several.error().kind, Error::Kind::usage);
    EXPECT_THAT(several.error().text(), HasSubstr("2 components: a sensitivity is of one of them, as 'C.q[1]'"));
}

TEST(ApiSensitivities, ZeroParametersAndFailingRunsAreTold) {
    const auto found = sensitivities(parsed(R"(model: told
parameters: {offset: 0, n: 3}
components:
  j: {type: 0}
  C: {type: C, C: 1, initial: {q: 1 + offset}}
  R: {type: R, R: 1}
require:
  - {condition: n == 3, message: n has to be 3}
bonds: [j -> C, j -> R]
experiment: {stop: 1 s}
outputs: [C.q]
)"),
                                     {.results = {"C.q"}});
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_THAT(found->zero, ElementsAre("offset"));
    EXPECT_THAT(of(*found, "n").failure, Not(IsEmpty()));
    EXPECT_THAT(of(*found, "n").less, IsEmpty());
    EXPECT_THAT(of(*found, "R.R").failure, IsEmpty());
}

TEST(ApiSensitivities, ValuesOfTheCallAndTheMostAreKept) {
    const auto found = sensitivities(parsed(kDecay), {.values = {{"R.R", 4.0}}, .results = {"C.q"}, .most = 2});
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->parameters.size(), 2U);
    EXPECT_GT(found->left_out, 0U);
    EXPECT_NEAR(found->now[0].end, 2.0 * std::exp(-0.5), 1e-8);
}

TEST(ApiSensitivities, CanBeEnded) {
    const std::atomic<bool> asked{true};
    const auto found = sensitivities(parsed(kDecay), {.results = {"C.q"}, .cancel = &asked});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, Error::Kind::cancelled);
}

}  // namespace
}  // namespace bondgraph::api
