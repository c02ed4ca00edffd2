#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

double at_start(const char* text, const char* name) {
    Pipeline p(text);
    return p.run({.stop = 1e-6}, {name}).result.at(0, 0);
}

TEST(Start, AValueGivenOnADependentStorageSetsTheStateBehindIt) {
    constexpr const char* kText = R"(
components: {j: {type: 1}, m1: {type: I, I: 1}, t: {type: TF, m: 2}, k: {type: 1}, m2: {type: I, I: 4, initial: {f: 3}}}
bonds: [j -> m1, j -> t.p1, t.p2 -> k, k -> m2]
)";
    EXPECT_NEAR(at_start(kText, "m2.f"), 3.0, 1e-9);
    EXPECT_NEAR(at_start(kText, "m1.f"), 1.5, 1e-9);
}

TEST(Start, ValuesThatAgreeOnBothOfTwoDependentStoragesAreAccepted) {
    EXPECT_NEAR(at_start(R"(
components: {j: {type: 0}, a: {type: C, C: 1, initial: {q: 2}}, b: {type: C, C: 3, initial: {q: 6}}}
bonds: [j -> a, j -> b]
)",
                         "b.e"),
                2.0, 1e-9);
}

TEST(Start, ValuesThatContradictEachOtherAreRefused) {
    EXPECT_THAT(test::errors_in(R"(
components: {j: {type: 0}, a: {type: C, C: 1, initial: {q: 2}}, b: {type: C, C: 3, initial: {q: 5}}}
bonds: [j -> a, j -> b]
)"),
                testing::ElementsAre("BG-I001"));
}

TEST(Start, AStateNobodyGaveAValueIsReported) {
    Pipeline p("components: {j: {type: 1}, m: {type: I, I: 1}, r: {type: R, R: 1}}\nbonds: [j -> m, j -> r]\n");
    const auto start = p.start();
    ASSERT_EQ(start.defaulted.size(), 1u);
    EXPECT_EQ(start.defaulted.front().name, "m.p");
    EXPECT_EQ(start.defaulted.front().value, 0.0);
}

// Two diodes with a breakdown, one turned round: at rest their currents are 1e-75 A, and 1e-22 A by rounding.
TEST(Start, AtRestIsFoundWhereLargeTermsCancel) {
    constexpr const char* kText = R"(
types:
  Breaking:
    ports: {p: {}}
    parameters: {way: 1}
    equations:
      - way*p.f = 1e-6*(exp(way*p.e/0.04) - 1) - 0.7*exp(-(way*p.e + 5.1)/0.03)
components:
  s: {type: Se, e: 10*sin(time)}
  j: {type: 1}
  r: {type: R, R: 20}
  n: {type: 0}
  c: {type: C, C: 1e-7, initial: {q: 0}}
  k: {type: 1}
  a: {type: Breaking}
  b: {type: Breaking, way: -1}
bonds: [s -> j, j -> r, j -> n, n -> c, n -> k, k -> a, k -> b]
)";
    EXPECT_NEAR(at_start(kText, "a.e"), 0.0, 1e-15);
    EXPECT_NEAR(at_start(kText, "a.f"), 0.0, 1e-15);
}

// x' = x², x(0) = 1 is 1/(1 − t).
TEST(Failure, KeepsTheResultsUpToABlowUp) {
    Pipeline p(R"(
types:
  Explosive:
    ports: {p: {}}
    variables: {x: {start: 1}}
    equations: [der(x) = x^2, p.e = 0]
components: {j: {type: 1}, x: {type: Explosive}, s: {type: Sf, f: 0}}
bonds: [s -> j, j -> x]
)");
    const simulation::Run run = p.run({.stop = 2.0, .interval = 0.01, .max_steps = 100'000}, {"x.x"});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_NEAR(run.summary.failure->time, 1.0, 0.02);
    ASSERT_GT(run.result.time.size(), 95u);
    for (std::size_t i = 0; i < 90; ++i) {
        EXPECT_NEAR(run.result.at(i, 0), 1.0 / (1.0 - run.result.time[i]), 1e-3 / (1.0 - run.result.time[i]));
    }
    for (const double v : run.result.data) EXPECT_TRUE(std::isfinite(v));
}

class Energy : public testing::TestWithParam<std::string> {};

TEST_P(Energy, OfEveryModelIsBalanced) {
    model::Model model = test::load_file(GetParam());
    if (test::must_fail(model)) return;
    Pipeline p(std::move(model));
    simulation::Settings settings = p.settings();
    settings.tolerance = 1e-6;
    const simulation::Run run = p.run(settings, {});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    if (!run.summary.energy.any) return;
    const double imbalance = std::abs(run.summary.energy.imbalance);
    if (imbalance < 1e-5 * run.summary.energy.moved + 1e-300) return;
    // Many weakly damped oscillations add up what the tolerance leaves of each: then a hundredth of it tells.
    settings.tolerance = 1e-8;
    const simulation::Run closer = p.run(settings, {});
    EXPECT_LT(std::abs(closer.summary.energy.imbalance), 0.1 * imbalance);
    // The most without many events, 1.12e-4, is what a fast top drifts. Behind an event steps begin with first order,
    // and what the tolerance leaves of each adds up over a thousand commutations.
    const double events = run.summary.time_events + run.summary.state_events;
    EXPECT_LT(imbalance, (1.5e-4 + 1e-6 * events) * run.summary.energy.moved);
}

INSTANTIATE_TEST_SUITE_P(Models, Energy, testing::ValuesIn(test::model_files()), [](const auto& info) {
    const std::string name = info.param.substr(info.param.rfind('/') + 1);
    return name.substr(0, name.find('.')) + "_" + std::to_string(info.index);
});

}  // namespace
}  // namespace bondgraph
