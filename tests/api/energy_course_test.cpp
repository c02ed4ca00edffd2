// How the energy account of a run came about, against closed forms and accounts of parts of runs.

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

/// Mass on a spring, that a stop throws back with half of its speed whenever it gets there.
constexpr const char* kBouncing = R"(model: bouncing
components:
  j: {type: 1, domain: translational}
  m: {type: I, I: 1 kg, initial: {f: 2 m/s}}
  k: {type: C, C: 0.01 m/N, initial: {q: 0}}
  b: {type: R, R: 0.3 N.s/m}
bonds: [j -> m, j -> k, j -> b]
when:
  - if: k.q > 0.1
    reinit: {m.p: -0.5*m.p}
experiment: {stop: 2 s, tolerance: 1e-9}
outputs: [m.f, k.q]
)";

std::size_t index_of(const EnergyCourse& course, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(course.rows, name, &EnergyRow::name) - course.rows.begin());
}

TEST(ApiEnergyCourse, FollowsTheClosedFormOfAChargedCapacitor) {
    const auto run = parsed(kCharging).run({.energy_account = true, .energy_instants = 100});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->course);
    const EnergyCourse& course = *run->course;
    ASSERT_GT(course.time.size(), 20U);
    EXPECT_LE(course.time.size(), 102U);
    EXPECT_EQ(course.time.front(), 0.0);
    EXPECT_EQ(course.time.back(), 0.02);
    const std::size_t c1 = index_of(course, "C1");
    for (std::size_t k = 0; k < course.time.size(); ++k) {
        const double u = 10.0 * (1.0 - std::exp(-course.time[k] / 1e-3));
        // 1e-6 of C U^2: a hundred tolerances, as elsewhere for this circuit.
        EXPECT_NEAR(course.components[c1].stored[k], 0.5e-6 * u * u, 1e-10) << course.time[k];
        EXPECT_NEAR(course.balance.supplied[k], 1e-6 * 10.0 * u, 1e-10) << course.time[k];
    }
}

TEST(ApiEnergyCourse, EndsAsTheAccountOfTheRunAndBeginsWithNothing) {
    const auto run = parsed(kBouncing).run({.energy_account = true, .energy_instants = 50});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->course && run->account);
    const EnergyCourse& course = *run->course;
    EXPECT_EQ(course.balance.supplied.back(), run->account->balance.supplied);
    EXPECT_EQ(course.balance.events.back(), run->account->balance.events);
    EXPECT_GT(course.balance.events.back(), 0.1);
    ASSERT_EQ(course.rows.size(), run->account->components.size());
    for (std::size_t k = 0; k < course.rows.size(); ++k) {
        EXPECT_EQ(course.components[k].stored.back(), run->account->components[k].stored);
        EXPECT_EQ(course.components[k].dissipated.back(), run->account->components[k].dissipated);
        EXPECT_EQ(course.components[k].dissipated.front(), 0.0);
        EXPECT_EQ(course.components[k].stored.front(), 0.0);
    }
    for (std::size_t f = 0; f < course.flows.size(); ++f) {
        EXPECT_EQ(course.net[f].back(), run->account->flows[f].energy);
        EXPECT_EQ(course.net[f].front(), 0.0);
    }
}

TEST(ApiEnergyCourse, DifferencesAreTheAccountOfThatPartOfTheRun) {
    const Model model = parsed(kBouncing);
    const auto run = model.run({.energy_account = true, .energy_instants = 50});
    ASSERT_TRUE(run && run->course);
    const EnergyCourse& course = *run->course;
    const std::size_t from = course.time.size() / 3;
    const std::size_t to = course.time.size() - 4;
    const auto part = model.run({.energy_account = true, .account_window = {{course.time[from], course.time[to]}}});
    ASSERT_TRUE(part) << part.error().text();
    // The run with a window stops at its ends: its steps are others. Of 2 J, a thousand tolerances.
    constexpr double kSmall = 2e-6;
    const Energy& window = part->account->balance;
    EXPECT_NEAR(course.balance.stored[to] - course.balance.stored[from], window.stored, kSmall);
    EXPECT_NEAR(course.balance.dissipated[to] - course.balance.dissipated[from], window.dissipated, kSmall);
    EXPECT_NEAR(course.balance.events[to] - course.balance.events[from], window.events, kSmall);
    EXPECT_GT(std::abs(window.stored), 0.1);
    const std::size_t m = index_of(course, "m");
    EXPECT_NEAR(course.components[m].stored[to] - course.components[m].stored[from],
                part->account->components[m].stored, kSmall);
}

TEST(ApiEnergyCourse, StaysLevelAtEveryInstantAndHasBothSidesOfAnEvent) {
    const auto run = parsed(kBouncing).run({.energy_account = true, .energy_instants = 50});
    ASSERT_TRUE(run && run->course);
    const EnergyCourse& course = *run->course;
    const EnergyCourse::Part& b = course.balance;
    bool both_sides = false;
    for (std::size_t k = 0; k < course.time.size(); ++k) {
        EXPECT_NEAR(b.supplied[k] - b.stored[k] - b.dissipated[k] - b.other[k] - b.events[k], 0.0, 2e-6) << k;
        if (k == 0 || course.time[k] != course.time[k - 1]) continue;
        both_sides = true;
        EXPECT_GT(b.events[k], b.events[k - 1]);
        EXPECT_NEAR(b.stored[k] - b.stored[k - 1], b.events[k - 1] - b.events[k], 1e-12);
        EXPECT_EQ(b.dissipated[k], b.dissipated[k - 1]);
    }
    EXPECT_TRUE(both_sides);
}

TEST(ApiEnergyCourse, ChangesNothingOfTheRun) {
    const Model model = parsed(kBouncing);
    const auto plain = model.run({.energy_account = true});
    const auto with = model.run({.energy_account = true, .energy_instants = 200});
    ASSERT_TRUE(plain && with);
    EXPECT_FALSE(plain->course);
    EXPECT_TRUE(std::ranges::equal(plain->series.by_column(), with->series.by_column()));
    EXPECT_EQ(plain->account->balance.dissipated, with->account->balance.dissipated);
}

TEST(ApiEnergyCourse, NothingWhereNoBondCarriesPower) {
    const auto run = parsed("model: ramp\ncomponents: {x: {type: Integrator, u: 1}}\nexperiment: {stop: 1 s}\n")
                         .run({.energy_account = true, .energy_instants = 10});
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_FALSE(run->course);
}

// Without states there are no steps of an integrator: books are kept from row to row.
TEST(ApiEnergyCourse, OfAModelWithoutStates) {
    const auto run = parsed(R"(model: heater
components: {s: {type: Se, e: sin(time)}, j: {type: 1}, R: {type: R, R: 2}}
bonds: [s -> j, j -> R]
experiment: {stop: 3 s, interval: 10 ms}
outputs: [R.e]
)")
                         .run({.energy_account = true, .energy_instants = 60});
    ASSERT_TRUE(run && run->course) << run.error().text();
    const EnergyCourse& course = *run->course;
    EXPECT_GT(course.time.size(), 50U);
    for (std::size_t k = 0; k < course.time.size(); ++k) {
        const double t = course.time[k];
        EXPECT_NEAR(course.balance.dissipated[k], 0.25 * t - 0.125 * std::sin(2.0 * t), 1e-9) << t;
    }
}

}  // namespace
}  // namespace bondgraph::api
