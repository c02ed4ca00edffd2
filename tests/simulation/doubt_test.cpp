// When a run looks a second time, and what it says then.

#include "bondgraph/simulation/doubt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/simulation/charging.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;

constexpr const char* kLorenz = R"(
types:
  Lorenz:
    variables: {x: {start: 1}, y: {start: 1}, z: {start: 1}}
    equations: [der(x) = 10*(y - x), der(y) = x*(28 - z) - y, der(z) = x*y - 8/3*z]
components:
  l: {type: Lorenz}
)";

// A point mass on a rod that turns over: an error of the energy is one of the phase that grows with the square of time.
constexpr const char* kTurningOver = R"(
types:
  Pendulum:
    variables: {x: {start: 1}, y: {start: 0}, vx: {start: 0}, vy: {start: 7}, T: {}}
    equations: [der(x) = vx, der(y) = vy, der(vx) = -T*x, der(vy) = -T*y - 9.81, x^2 + y^2 = 1]
components:
  bob: {type: Pendulum}
)";

constexpr const char* kOscillator = R"(
components:
  m: {type: I, I: 1 kg, initial: {f: 1 m/s}}
  k: {type: C, K: 1 N/m}
  j: {type: 1}
bonds: [j -> m, j -> k]
)";

struct Looked {
    simulation::Run run;
    std::optional<Doubt> doubt;
};

Looked looked_twice(const char* model, const std::vector<std::string>& names, double stop, double tolerance) {
    Pipeline p(model);
    const Settings settings{.stop = stop, .tolerance = tolerance};
    Looked result{p.run(settings, names), {}};
    EXPECT_FALSE(result.run.summary.failure);
    result.doubt = look_again(p.compiled(), settings, result.run);
    return result;
}

/// A result of one or more columns by functions of time, 501 rows over 1 s.
template <class... Column>
Result table(Column... column) {
    Result r;
    for (std::size_t k = 0; k < sizeof...(column); ++k) r.signals.push_back({.name = std::string(1, 'a' + char(k))});
    for (int row = 0; row <= 500; ++row) {
        const double t = row / 500.0;
        r.time.push_back(t);
        (r.data.push_back(column(t)), ...);
    }
    return r;
}

TEST(Doubt, ACircuitThatSettlesGivesNoReasonToLookAgain) {
    const Looked l = looked_twice(test::kChargingCapacitor, {"C1.e"}, 5e-3, 1e-6);
    EXPECT_FALSE(suspicious(l.run));
    EXPECT_GT(l.run.summary.errors.local, 0.0);
    EXPECT_GT(l.run.summary.errors.energy, 0.0);
}

TEST(Doubt, AnOscillatorLooksAgainAfterManySwingsAndIsFoundRight) {
    EXPECT_FALSE(suspicious(looked_twice(kOscillator, {"m.f"}, 20.0, 1e-6).run));
    const Looked l = looked_twice(kOscillator, {"m.f"}, 1000.0, 1e-6);
    EXPECT_TRUE(suspicious(l.run));
    EXPECT_FALSE(l.doubt);
    for (std::size_t row = 0; row < l.run.result.time.size(); ++row)
        EXPECT_NEAR(l.run.result.at(row, 0), std::cos(l.run.result.time[row]), 1e-3);
}

TEST(Doubt, AnOscillatorThatHasLostItsPhaseIsDoubted) {
    const Looked l = looked_twice(kOscillator, {"m.f"}, 10000.0, 1e-3);
    double worst = 0.0;
    for (std::size_t row = 0; row < l.run.result.time.size(); ++row)
        worst = std::max(worst, std::abs(l.run.result.at(row, 0) - std::cos(l.run.result.time[row])));
    EXPECT_GT(worst, 0.3);
    ASSERT_TRUE(l.doubt);
    EXPECT_EQ(l.doubt->signal, "m.f");
}

TEST(Doubt, AModelWithoutEnergyIsDoubtedByItsStates) {
    EXPECT_FALSE(looked_twice(kTurningOver, {"bob.x", "bob.y"}, 3.0, 1e-6).doubt);
    const auto doubt = looked_twice(kTurningOver, {"bob.x", "bob.y"}, 30.0, 1e-4).doubt;
    ASSERT_TRUE(doubt);
    EXPECT_GT(doubt->share, 0.3);
    EXPECT_EQ(doubt->tolerance, 1e-5);
}

TEST(Doubt, ChaosIsDoubtedOnceItHasGrown) {
    EXPECT_FALSE(looked_twice(kLorenz, {"l.x"}, 5.0, 1e-6).doubt);
    const auto doubt = looked_twice(kLorenz, {"l.x"}, 40.0, 1e-6).doubt;
    ASSERT_TRUE(doubt);
    EXPECT_EQ(doubt->signal, "l.x");
    EXPECT_GT(doubt->share, 0.3);
    EXPECT_EQ(doubt->until, 40.0);
}

TEST(Doubt, ASecondLookEndsAfterTwiceTheSteps) {
    Pipeline p(kLorenz);
    const Settings settings{.stop = 40.0, .tolerance = 1e-6};
    simulation::Run run = p.run(settings, {"l.x"});
    run.summary.steps = run.summary.steps * 9 / 20;  // as if it had been cheaper
    const auto doubt = look_again(p.compiled(), settings, run);
    ASSERT_TRUE(doubt);
    EXPECT_LT(doubt->until, 35.0);
    run.summary.steps = 0;
    EXPECT_FALSE(look_again(p.compiled(), settings, run));
}

TEST(Doubt, AFailedRunIsNotDoubtedBesides) {
    Pipeline p(kLorenz);
    const Settings settings{.stop = 40.0, .tolerance = 1e-6};
    simulation::Run run = p.run(settings, {"l.x"});
    run.summary.failure = Failure{};
    EXPECT_FALSE(look_again(p.compiled(), settings, run));
}

TEST(Doubt, DifferencesAreSharesOfTheRange) {
    const auto ramp = [](double t) { return 5.0 + 2.0 * t; };
    const auto higher = [](double t) { return 5.1 + 2.0 * t; };
    const auto same = [](double t) { return std::sin(t); };
    const auto d = difference(table(same, ramp), table(same, higher));
    ASSERT_TRUE(d);
    EXPECT_EQ(d->signal, "b");
    EXPECT_NEAR(d->share, 0.05, 1e-12);
    EXPECT_EQ(d->until, 1.0);
}

TEST(Doubt, AJumpThatIsALittleLateIsNoDifference) {
    const auto step = [](double t) { return t < 0.5 ? 0.0 : 1.0; };
    const auto late = [](double t) { return t < 0.505 ? 0.0 : 1.0; };
    const auto very_late = [](double t) { return t < 0.6 ? 0.0 : 1.0; };
    EXPECT_EQ(difference(table(step), table(late))->share, 0.0);
    EXPECT_EQ(difference(table(step), table(very_late))->share, 1.0);
}

TEST(Doubt, NoiseOfOtherSignalsIsNoDifference) {
    const auto swing = [](double t) { return 100.0 * std::sin(t); };
    const auto noise = [](double t) { return 1e-6 * std::sin(1e5 * t); };
    const auto other = [](double t) { return 1e-6 * std::cos(1e5 * t); };
    EXPECT_LT(difference(table(swing, noise), table(swing, other))->share, 1e-4);
    const auto kept = [](double t) { return 9.81 + 1e-7 * t; };
    const auto drifts = [](double t) { return 9.81 + 1e-4 * t; };
    EXPECT_LT(difference(table(kept), table(drifts))->share, 2e-3);
}

TEST(Doubt, OnlyRowsOfTheSameTimesAreCompared) {
    const auto ramp = [](double t) { return t; };
    Result cut = table(ramp);
    cut.time.resize(200);
    cut.data.resize(200);
    EXPECT_NEAR(difference(table(ramp), cut)->until, 199 / 500.0, 1e-12);
    Result more = table(ramp);
    more.time.insert(more.time.begin() + 10, 9.5 / 500.0);
    more.data.insert(more.data.begin() + 10, 77.0);
    EXPECT_EQ(difference(table(ramp), more)->share, 0.0);
    cut.time.resize(2);
    EXPECT_FALSE(difference(table(ramp), cut));
}

}  // namespace
}  // namespace bondgraph::simulation
