// Runs taken step by step, and runs of one model in several threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/falling_ball.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;

const std::string kModels = test::source_folder() + "/models/";

Model shipped(const std::string& file) { return Model::load(kModels + file).value(); }

TEST(ApiSimulation, GoesWhereItIsAsked) {
    const Model motor = shipped("electromechanical/dc_motor.yaml");
    auto simulation = motor.start();
    ASSERT_TRUE(simulation) << simulation.error().text();
    EXPECT_EQ(simulation->time(), 0.0);
    EXPECT_EQ(simulation->values()[0], 0.0);
    for (const double t : {0.05, 0.5, 0.5, 2.0}) {
        const auto values = simulation->advance(t);
        ASSERT_TRUE(values) << values.error().text();
        EXPECT_EQ(simulation->time(), t);
        if (t == 0.05) {
            EXPECT_NEAR((*values)[1], 49.98823, 50.0 * 1e-4);
        }
        if (t == 0.5) {
            EXPECT_NEAR((*values)[0], 2.288366, 20.0 * 1e-4);
        }
        EXPECT_EQ(simulation->done(), t == 2.0);
    }
    const auto back = simulation->advance(1.0);
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().kind, Error::Kind::usage);
    const api::Run run = simulation->finish();
    EXPECT_FALSE(run.failure);
    EXPECT_EQ(run.series.rows(), 4U);
    EXPECT_TRUE(run.energy.known);
}

TEST(ApiSimulation, StepsWithEventsGiveWhatAWholeRunGives) {
    for (const std::string file : {"electrical/buck_converter.yaml", "translational/bouncing_ball.yaml",
                                   "translational/stick_slip.yaml", "signals/sampled_control.yaml"}) {
        const Model model = shipped(file);
        const auto whole = model.run();
        ASSERT_TRUE(whole) << whole.error().text();
        auto simulation = model.start();
        ASSERT_TRUE(simulation) << simulation.error().text();
        const double stop = whole->series.time().back();
        for (int k = 1; k <= 7; ++k) ASSERT_TRUE(simulation->advance(stop * k / 7.0)) << file;
        EXPECT_TRUE(simulation->done());
        for (std::size_t c = 0; c < whole->series.columns().size(); ++c) {
            const auto column = whole->series.column(c);
            double most = 0.0;
            for (const double x : column) most = std::max(most, std::abs(x));
            EXPECT_NEAR(simulation->values()[c], column.back(), 1e-4 * most + 1e-12)
                << file << ' ' << whole->series.columns()[c].name;
        }
        const api::Run run = simulation->finish();
        EXPECT_EQ(run.statistics.state_events, whole->statistics.state_events) << file;
    }
}

// Closer together than the integrator would step, and odd: each is where it says it is, and before what comes behind
// it.
TEST(ApiSimulation, ManyShortStepsAreExact) {
    const Model model = Model::parse(R"(
model: charging
components:
  S: {type: Se, e: 1}
  s: {type: 1}
  R: {type: R, R: 1}
  C: {type: C, C: 1, initial: {q: 0}}
bonds: [S -> s, s -> R, s -> C]
experiment: {stop: 1 s, tolerance: 1e-8}
outputs: [C.q]
)")
                            .value();
    for (const int count : {3, 50, 1000}) {
        Simulation simulation = model.start().value();
        for (int k = 1; k <= count; ++k) {
            const double t = k == count ? 1.0 : static_cast<double>(k) / count;
            EXPECT_FALSE(simulation.done());
            const auto values = simulation.advance(t);
            ASSERT_TRUE(values) << values.error().text();
            EXPECT_EQ(simulation.time(), t);
            ASSERT_NEAR((*values)[0], 1.0 - std::exp(-t), 1e-6) << t;
        }
        EXPECT_TRUE(simulation.done());
        EXPECT_EQ(simulation.finish().series.rows(), static_cast<std::size_t>(count) + 1);
    }
}

double ball_height(double t) {
    double begin = 0.0;
    double up = 0.0;  // velocity with which a flight begins
    double y = 1.0;
    for (double length = std::sqrt(2.0 / 9.81); t > begin + length; length = 2.0 * up / 9.81) {
        up = begin == 0.0 ? 0.8 * std::sqrt(2.0 * 9.81) : 0.8 * up;
        begin += length;
        y = 0.0;
    }
    const double s = t - begin;
    return y + up * s - 0.5 * 9.81 * s * s;
}

TEST(ApiSimulation, WhatComesBehindHasNotHappened) {
    const Model model = Model::parse(kBall).value();
    for (const double step : {0.03, 0.07, 0.3}) {
        std::vector<double> told;
        RunOptions options;
        options.on_event = [&](const Event& e) { told.push_back(e.time); };
        Simulation simulation = model.start(options).value();
        while (!simulation.done()) {
            const auto values = simulation.advance(simulation.time() + step);
            ASSERT_TRUE(values) << values.error().text();
            EXPECT_NEAR((*values)[0], ball_height(simulation.time()), 1e-5) << simulation.time();
            if (!told.empty()) {
                EXPECT_LE(told.back(), simulation.time());
            }
        }
        EXPECT_GE(told.size(), 2U);
    }
}

TEST(ApiSimulation, StaysWhereItWasFinished) {
    Simulation simulation = Model::parse(kBall).value().start().value();
    ASSERT_TRUE(simulation.advance(0.4));
    const double y = simulation.values()[0];
    const api::Run run = simulation.finish();
    EXPECT_EQ(simulation.time(), 0.4);
    EXPECT_EQ(simulation.values()[0], y);
    EXPECT_TRUE(simulation.done());
    EXPECT_EQ(simulation.finish().series.rows(), run.series.rows());
    const auto more = simulation.advance(0.5);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().kind, Error::Kind::usage);
}

TEST(ApiSimulation, AnExceptionFromOutsideEndsIt) {
    RunOptions options;
    options.on_event = [](const Event&) { throw std::logic_error("mine"); };
    const Model model = Model::parse(kBall).value();
    Simulation simulation = model.start(options).value();
    EXPECT_THROW((void)simulation.advance(1.0), std::logic_error);
    const auto after = simulation.advance(1.5);
    ASSERT_FALSE(after);
    EXPECT_EQ(after.error().kind, Error::Kind::run);
    EXPECT_TRUE(simulation.finish().failure);
    EXPECT_TRUE(model.run()) << "the model stays good";
}

TEST(ApiSimulation, RowsOfAnIntervalComeBesideThoseAskedFor) {
    const Model motor = shipped("electromechanical/dc_motor.yaml");
    auto simulation = motor.start({.stop = 1.0, .interval = 0.25});
    ASSERT_TRUE(simulation);
    ASSERT_TRUE(simulation->advance(0.6));
    ASSERT_TRUE(simulation->advance(9.0));
    const api::Run run = simulation->finish();
    EXPECT_EQ(std::vector<double>(run.series.time().begin(), run.series.time().end()),
              (std::vector<double>{0.0, 0.25, 0.5, 0.6, 0.75, 1.0}));
}

TEST(ApiSimulation, AWrongStartIsAnErrorAtOnce) {
    const auto model = Model::parse(R"(
model: m
components: {j: {type: 0}, C: {type: C, C: 1, initial: {q: 1}}, D: {type: C, C: 1, initial: {q: 3}}}
bonds: [j -> C, j -> D]
)");
    ASSERT_TRUE(model);
    const auto simulation = model->start();
    ASSERT_FALSE(simulation);
    EXPECT_EQ(simulation.error().kind, Error::Kind::model);
    EXPECT_EQ(simulation.error().messages.front().code, "BG-I001");
}

TEST(ApiSimulation, AStartThatFailsSaysNothingOfItsParameters) {
    const auto model = Model::parse(R"(
model: m
parameters: {a: 1}
types: {X: {parameters: {a: {}}, outputs: [y], variables: {x: {start: 1}, z: {}}, equations: [der(x) = -x, z^2 = a - x, y = z]}}
components: {x: {type: X, a: a}}
outputs: [x.y]
)");
    ASSERT_TRUE(model) << model.error().text();
    ASSERT_TRUE(model->run({.values = {{"a", 2.0}}}));
    const auto none = model->run({.values = {{"a", -2.0}}});
    EXPECT_TRUE(!none || none->failure);
    EXPECT_TRUE(model->deciding().empty()) << model->deciding().front();
}

TEST(ApiSimulation, OutlivesItsModel) {
    std::optional<Result<Simulation>> simulation;
    {
        const Model motor = shipped("electromechanical/dc_motor.yaml");
        simulation = motor.start();
    }
    ASSERT_TRUE((*simulation)->advance(0.5));
    EXPECT_NEAR((*simulation)->values()[0], 2.288366, 20.0 * 1e-4);
}

/// Runs of one model in several threads, each with values of its own, against the same one after another.
void expect_same_in_threads(const Model& model, const std::string& name, const std::vector<double>& values) {
    std::vector<std::vector<double>> alone;
    for (const double v : values) {
        const auto run = model.run({.values = {{name, v}}});
        ASSERT_TRUE(run) << run.error().text();
        ASSERT_FALSE(run->failure) << run->failure->text();
        auto& row = alone.emplace_back();
        for (std::size_t c = 0; c < run->series.columns().size(); ++c) row.push_back(run->series.column(c).back());
    }
    std::vector<std::vector<double>> together(values.size());
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < values.size(); ++k) {
        threads.emplace_back([&, k] {
            for (int again = 0; again < 3; ++again) {
                together[k].clear();
                const auto run = model.run({.values = {{name, values[k]}}});
                if (!run) return;
                for (std::size_t c = 0; c < run->series.columns().size(); ++c)
                    together[k].push_back(run->series.column(c).back());
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(together, alone);
}

TEST(ApiThreads, RunsOfASmoothModel) {
    expect_same_in_threads(shipped("electromechanical/dc_motor.yaml"), "k", {0.05, 0.06, 0.07, 0.08});
}

TEST(ApiThreads, RunsThatCompileModes) {
    const auto model = Model::parse(R"(
model: rectifier
components:
  S: {type: Se, e: 10*sin(300*time)}
  s: {type: 1}
  Rs: {type: R, R: 1}
  D: {type: D}
  j: {type: 0}
  C: {type: C, C: 1e-3}
  RL: {type: R, R: 50}
bonds: [S -> s, s -> Rs, s -> D, s -> j, j -> C, j -> RL]
experiment: {stop: 0.1 s}
outputs: [C.q, D.f]
)");
    ASSERT_TRUE(model) << model.error().text();
    expect_same_in_threads(*model, "RL.R", {20.0, 50.0, 80.0, 110.0});
}

}  // namespace
}  // namespace bondgraph::api
