// Where the energy of a run went, against the closed form of an RC circuit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;

constexpr double kWhole = 1e-6 * 10.0 * 10.0;  // C U^2

const EnergyRow& row_of(const std::vector<EnergyRow>& rows, std::string_view name) {
    return *std::ranges::find(rows, name, &EnergyRow::name);
}

TEST(ApiEnergyAccount, OfAChargedCapacitorTheSourceGivesTwiceWhatIsStored) {
    const auto run = parsed(kCharging).run({.energy_account = true});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->account);
    const EnergyAccount& account = *run->account;
    EXPECT_EQ(account.from, 0.0);
    EXPECT_EQ(account.to, 0.02);
    EXPECT_TRUE(account.balance.known);
    const double left = std::exp(-20.0);  // of the difference to U
    EXPECT_NEAR(account.balance.supplied, kWhole * (1.0 - left), 1e-7 * kWhole);
    ASSERT_EQ(account.components.size(), 4U);
    EXPECT_EQ(account.components[0].name, "source");
    const EnergyRow& source = row_of(account.components, "source");
    EXPECT_EQ(source.type, "Se");
    EXPECT_NEAR(source.supplied, kWhole, 1e-6 * kWhole);
    EXPECT_NEAR(source.out, kWhole, 1e-6 * kWhole);
    EXPECT_NEAR(row_of(account.components, "R1").dissipated, 0.5 * kWhole, 1e-6 * kWhole);
    EXPECT_NEAR(row_of(account.components, "C1").stored, 0.5 * kWhole, 1e-6 * kWhole);
    const EnergyRow& loop = row_of(account.components, "loop");
    EXPECT_TRUE(loop.passes_on);
    EXPECT_FALSE(source.passes_on);
    EXPECT_NEAR(loop.in, kWhole, 1e-6 * kWhole);
    EXPECT_NEAR(loop.out, kWhole, 1e-6 * kWhole);
    for (const EnergyRow& row : account.components) EXPECT_NEAR(row.residual, 0.0, 1e-6 * kWhole) << row.name;
}

TEST(ApiEnergyAccount, FlowsLeadAlongBondsFromWhoGaveToWhoTook) {
    const auto run = parsed(kCharging).run({.energy_account = true});
    ASSERT_TRUE(run && run->account);
    const EnergyAccount& account = *run->account;
    ASSERT_EQ(account.flows.size(), 3U);
    const EnergyFlow& feed = account.flows[2];
    EXPECT_EQ(feed.bond, "feed");
    EXPECT_EQ(feed.domain, "electrical");
    EXPECT_EQ(account.components[feed.from].name, "loop");
    EXPECT_EQ(account.components[feed.to].name, "C1");
    EXPECT_NEAR(feed.energy, 0.5 * kWhole, 1e-6 * kWhole);
    ASSERT_EQ(account.domains.size(), 1U);
    EXPECT_EQ(account.domains[0].name, "electrical");
    EXPECT_NEAR(account.domains[0].dissipated, 0.5 * kWhole, 1e-6 * kWhole);
}

TEST(ApiEnergyAccount, AMotorHandsEnergyFromOneDomainToAnother) {
    const auto motor = Model::load(test::source_folder() + "/models/electromechanical/dc_motor.yaml");
    const auto run = motor->run({.energy_account = true});
    ASSERT_TRUE(run && run->account);
    const EnergyRow& electrical = row_of(run->account->domains, "electrical");
    const EnergyRow& rotational = row_of(run->account->domains, "rotational");
    EXPECT_GT(rotational.in, 0.0);
    EXPECT_NEAR(electrical.out, rotational.in, 1e-9 * rotational.in);
    const double speed = run->series["J.f"].back();
    EXPECT_NEAR(rotational.stored, 0.5 * 1e-3 * speed * speed, 1e-6 * rotational.stored);  // half J w^2
}

TEST(ApiEnergyAccount, OfAWindowIsWhatWentThroughInIt) {
    const std::pair window{1e-3, 2.5e-3};
    const Model model = parsed(kCharging);
    const auto run = model.run({.energy_account = true, .account_window = window});
    ASSERT_TRUE(run && run->account);
    const double a = std::exp(-1.0);
    const double b = std::exp(-2.5);
    EXPECT_EQ(run->account->from, window.first);
    EXPECT_EQ(run->account->to, window.second);
    EXPECT_NEAR(run->account->balance.supplied, kWhole * (a - b), 1e-6 * kWhole);
    EXPECT_NEAR(row_of(run->account->components, "C1").stored,
                0.5 * kWhole * ((1.0 - b) * (1.0 - b) - (1.0 - a) * (1.0 - a)), 1e-6 * kWhole);
    EXPECT_NEAR(row_of(run->account->components, "R1").dissipated, 0.5 * kWhole * (a * a - b * b), 1e-6 * kWhole);
    // The run's own books are of all of it.
    EXPECT_NEAR(run->energy.supplied, kWhole, 1e-6 * kWhole);
    EXPECT_TRUE(run->energy.elements.empty());
    EXPECT_GT(run->energy.moved, 0.9 * kWhole);
}

TEST(ApiEnergyAccount, FollowsTheValuesOfItsRun) {
    const Model model = parsed(kCharging);
    for (const double voltage : {5.0, 20.0}) {
        const auto run = model.run({.values = {{"U", voltage}}, .energy_account = true});
        ASSERT_TRUE(run && run->account);
        EXPECT_NEAR(run->account->balance.supplied, 1e-6 * voltage * voltage, 1e-12 * voltage * voltage);
    }
}

TEST(ApiEnergyAccount, OfASimulationStepByStepGoesAsFarAsItCame) {
    Simulation simulation = parsed(kCharging).start({.energy_account = true}).value();
    ASSERT_TRUE(simulation.advance(2e-3));
    const auto run = simulation.finish();
    ASSERT_TRUE(run.account);
    EXPECT_EQ(run.account->to, 2e-3);
    EXPECT_NEAR(run.account->balance.supplied, kWhole * (1.0 - std::exp(-2.0)), 1e-6 * kWhole);
}

TEST(ApiEnergyAccount, IsNotThereUnasked) { EXPECT_FALSE(parsed(kCharging).run()->account); }

TEST(ApiEnergyAccount, AWindowThatIsNoPartOfTheRunIsAnError) {
    const Model model = parsed(kCharging);
    for (const std::pair<double, double>& window :
         {std::pair{1e-3, 1e-3}, {-1e-3, 1e-3}, {1e-3, 1.0}, {0.0, std::nan("")}}) {
        const auto run = model.run({.energy_account = true, .account_window = window});
        ASSERT_FALSE(run) << window.first;
        EXPECT_EQ(run.error().kind, Error::Kind::usage);
        EXPECT_THAT(run.error().text(), HasSubstr("is no part of the run, which goes from 0 s to 0.02 s"));
    }
    const auto without = model.run({.account_window = std::pair{0.0, 1e-3}});
    ASSERT_FALSE(without);
    EXPECT_EQ(without.error().kind, Error::Kind::usage);
}

TEST(ApiEnergyAccount, OfARunThatFailsThereIsNone) {
    int calls = 0;
    const auto run = parsed(kCharging).run({.energy_account = true, .progress = [&](double) { return ++calls < 3; }});
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->failure);
    EXPECT_FALSE(run->account);
}

}  // namespace
}  // namespace bondgraph::api
