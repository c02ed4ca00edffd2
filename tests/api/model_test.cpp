// The library's interface as its users see it: only its public header.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/decay.hpp"
#include "tests/api/falling_ball.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kMotor = test::source_folder() + "/models/electromechanical/dc_motor.yaml";

Model loaded(const std::string& file) { return Model::load(file).value(); }

TEST(ApiModel, RunsAShippedModelToItsPublishedValues) {
    const Model motor = loaded(kMotor);
    EXPECT_EQ(motor.name(), "dc_motor");
    EXPECT_THAT(motor.description(), HasSubstr("DC motor"));
    const auto run = motor.run();
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_FALSE(run->failure);
    EXPECT_EQ(run->series.rows(), 401U);
    EXPECT_EQ(run->series.time().back(), 2.0);
    EXPECT_NEAR(last(*run, "J.f"), 235.28689, 235.0 * 1e-5);  // as the file expects
    EXPECT_EQ(run->series.columns()[1].unit, "rad/s");
    EXPECT_TRUE(run->energy.known);
    EXPECT_NEAR(run->energy.supplied, run->energy.stored + run->energy.dissipated, 1e-3 * run->energy.supplied);
    EXPECT_GT(run->statistics.steps, 10);
    EXPECT_EQ(motor.compilations(), 1U);
}

TEST(ApiModel, ListsWhatCanBeSetWithValueUnitAndPlace) {
    const auto parameters = loaded(kMotor).parameters();
    std::vector<std::string> names;
    for (const Parameter& p : parameters) names.push_back(p.name);
    EXPECT_THAT(names, ElementsAre("U", "k", "source.e", "Ra.R", "La.I", "emf.r", "J.I", "b.R"));
    EXPECT_EQ(parameters[0].value, 12.0);
    EXPECT_EQ(parameters[0].unit, "V");
    EXPECT_EQ(parameters[0].place.line, 5);
    EXPECT_EQ(parameters[5].value, 0.05);  // an expression of a parameter
}

TEST(ApiModel, ParametersOfInstancesHaveTheirFullNames) {
    const Model model = parsed(R"(
model: m
types:
  Cell:
    parameters: {R: 2 ohm}
    ports: {p: {}}
    components: {j: {type: 0}, R1: {type: R, R: R}, C1: {type: C, C: 0.5}}
    bonds: [p -> j, j -> R1, j -> C1]
components: {S: {type: Se, e: 1 V}, cell: {type: Cell}}
bonds: [S -> cell]
)");
    std::vector<std::string> names;
    for (const Parameter& p : model.parameters()) names.push_back(p.name);
    EXPECT_THAT(names, ElementsAre("cell.R", "S.e", "cell.R1.R", "cell.C1.C"));
}

TEST(ApiModel, AParameterIsAnInputOfWhatWasCompiled) {
    const Model model = parsed(kDecay);
    for (const double r : {0.5, 1.0, 2.0, 3.5}) {
        for (const double q : {1.0, -4.0}) {
            const auto run = model.run({.values = {{"R.R", r}, {"q0", q}}});
            ASSERT_TRUE(run) << run.error().text();
            EXPECT_NEAR(last(*run, "C.q"), q * std::exp(-1.0 / (r * 0.5)), 1e-7 * std::abs(q));
        }
    }
    EXPECT_EQ(model.compilations(), 1U);
    EXPECT_THAT(model.deciding(), IsEmpty());
}

TEST(ApiModel, ARunSaysNothingToTheNext) {
    const Model model = parsed(kDecay);
    const double before = last(*model.run(), "C.q");
    (void)model.run({.values = {{"R.R", 9.0}}});
    EXPECT_EQ(last(*model.run(), "C.q"), before);
    EXPECT_EQ(model.compilations(), 2U);
}

TEST(ApiModel, StartValuesCanBeSet) {
    const Model model = parsed(kDecay);
    const auto run = model.run({.values = {{"C.q", 5.0}}});
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_NEAR(last(*run, "C.q"), 5.0 * std::exp(-1.0), 1e-6);
}

TEST(ApiModel, TextsAreInUnits) {
    const Model motor = loaded(kMotor);
    const auto in_units = motor.run({.values = {{"Ra.R", "0.0007 kohm"}}});
    const auto in_si = motor.run({.values = {{"Ra.R", 0.7}}});
    ASSERT_TRUE(in_units && in_si);
    EXPECT_EQ(last(*in_units, "J.f"), last(*in_si, "J.f"));
    EXPECT_EQ(motor.compilations(), 1U);
    const auto wrong = motor.run({.values = {{"Ra.R", "3 m"}}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, Error::Kind::model);
    EXPECT_EQ(wrong.error().messages.front().code, "BG-U002");
}

TEST(ApiModel, WhatDecidesTheEquationsCompilesAgain) {
    const Model model = parsed(R"(
model: ladder
parameters: {n: 3, r: 1 ohm}
components:
  S: {type: Se, e: 1 V}
  in: {type: 1}
  R0: {type: R, R: r}
  j[n]: {type: 0}
  C[n]: {type: C, C: 1 F}
  s[n-1]: {type: 1}
  R[n-1]: {type: R, R: r}
bonds: [S -> in, in -> R0, "in -> j[1]", "j[i] -> C[i]", "j[i] -> s[i]", "s[i] -> R[i]", "s[i] -> j[i+1]"]
outputs: ["C[1].q"]
)");
    const auto three = model.run({.values = {{"n", 3}, {"r", 2.0}}});
    ASSERT_TRUE(three) << three.error().text();
    const auto five = model.run({.values = {{"n", 5}, {"r", 2.0}}});
    ASSERT_TRUE(five) << five.error().text();
    const std::size_t compiled = model.compilations();
    ASSERT_TRUE(model.run({.values = {{"n", 5}, {"r", 3.0}}}));
    EXPECT_EQ(model.compilations(), compiled) << "r alone is an input";
    EXPECT_THAT(model.deciding(), ElementsAre("n"));
    EXPECT_NE(last(*five, "C[1].q"), last(*three, "C[1].q"));
}

TEST(ApiModel, ValuesOfLoadingAreLikeThoseOfTheFile) {
    LoadOptions options;
    options.values = {{"R.R", 3.0}, {"q0", "4"}};
    const Model model = parsed(kDecay, options);
    EXPECT_EQ(model.parameters()[0].value, 4.0);
    EXPECT_NEAR(last(*model.run(), "C.q"), 4.0 * std::exp(-1.0 / 1.5), 1e-7);
    EXPECT_NEAR(last(*model.run({.values = {{"q0", 1.0}}}), "C.q"), std::exp(-1.0 / 1.5), 1e-7);
}

TEST(ApiModel, StartValuesOfOneStateContradictEachOther) {
    const auto both = parsed(kDecay).run({.values = {{"C.q", 1.0}, {"C.e", 3.0}}});
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().messages.front().code, "BG-I001");
    EXPECT_TRUE(parsed(kDecay).run({.values = {{"C.q", 1.0}, {"C.e", 2.0}}})) << "they agree";
}

TEST(ApiModel, MessagesPointIntoTheValueOfTheCall) {
    const auto negative = parsed(kDecay).run({.values = {{"R.R", -1.0}}});
    ASSERT_FALSE(negative);
    EXPECT_EQ(negative.error().messages.front().place.file, "value of R.R");
    const auto tolerance = parsed(kDecay).run({.tolerance = 2.0});
    ASSERT_FALSE(tolerance);
    EXPECT_EQ(tolerance.error().kind, Error::Kind::usage);
    EXPECT_THAT(tolerance.error().text(), HasSubstr("the tolerance is 2"));
}

// A motion over which small errors grow, at a tolerance that is too large for it.
TEST(ApiModel, RunsWarnOfWhatIsNotToBeTrusted) {
    const Model model = Model::load(test::source_folder() + "/models/mechanics3d/double_pendulum.yaml").value();
    RunOptions options;
    options.stop = 20.0;
    options.tolerance = 1e-4;
    const auto run = model.run(options);
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_EQ(run->warnings.size(), 1U);
    EXPECT_EQ(run->warnings.front().code, "BG-S005");
    EXPECT_TRUE(run->warnings.front().warning);
    options.look_again = false;
    EXPECT_THAT(model.run(options)->warnings, IsEmpty());
    EXPECT_THAT(parsed(kDecay).run()->warnings, IsEmpty());
}

TEST(ApiModel, OutputsAreThoseOfTheirRun) {
    const Model motor = loaded(kMotor);
    EXPECT_EQ(motor.run({.outputs = {"J.f"}})->series.columns().front().name, "J.f");
    EXPECT_EQ(motor.run({.outputs = {"La.f", "J.f"}})->series.columns().size(), 2U);
    EXPECT_EQ(motor.compilations(), 1U);
}

TEST(ApiModel, AsManyOutputsAreNotTheSameOutputs) {
    const Model motor = loaded(kMotor);
    const auto both = motor.run({.outputs = {"La.f", "J.f"}});
    ASSERT_TRUE(both);
    EXPECT_EQ(last(*motor.run({.outputs = {"La.f"}}), "La.f"), last(*both, "La.f"));
    EXPECT_EQ(last(*motor.run({.outputs = {"J.f"}}), "J.f"), last(*both, "J.f"));
}

TEST(ApiModel, WrongCallsAreErrorsOfUse) {
    const Model motor = loaded(kMotor);
    const auto parameter = motor.run({.values = {{"Ra.r", 1.0}}});
    ASSERT_FALSE(parameter);
    EXPECT_EQ(parameter.error().kind, Error::Kind::usage);
    EXPECT_THAT(parameter.error().text(), HasSubstr("Ra.R"));
    const auto output = motor.run({.outputs = {"J.g"}});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, Error::Kind::usage);
    EXPECT_THAT(output.error().text(), HasSubstr("J.g"));
    const auto file = Model::load("/no/such/file.yaml");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, Error::Kind::usage);
    EXPECT_THROW((void)file.value(), std::runtime_error);
    EXPECT_THROW((void)motor.run()->series["x"], std::out_of_range);
}

TEST(ApiModel, MistakesOfAModelHavePlaceCodeAndNotes) {
    const auto model = Model::parse("model: m\ncomponents:\n  R1: {type: R, r: 1}\n", "wrong.yaml");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().kind, Error::Kind::model);
    const Message& first = model.error().messages.front();
    EXPECT_EQ(first.place.file, "wrong.yaml");
    EXPECT_EQ(first.place.line, 3);
    EXPECT_THAT(first.code, HasSubstr("BG-"));
    EXPECT_THAT(first.shown, HasSubstr("wrong.yaml:3:"));
}

TEST(ApiModel, OptionsOfARunReplaceThoseOfTheExperiment) {
    const Model model = parsed(kDecay);
    const auto short_run = model.run({.outputs = {"R.e"}, .stop = 0.5, .interval = 0.1});
    ASSERT_TRUE(short_run) << short_run.error().text();
    EXPECT_EQ(short_run->series.rows(), 6U);
    EXPECT_EQ(short_run->series.time().back(), 0.5);
    EXPECT_NEAR(last(*short_run, "R.e"), 4.0 * std::exp(-0.5), 1e-7);
    const auto backwards = model.run({.stop = -1.0});
    ASSERT_FALSE(backwards);
    EXPECT_EQ(backwards.error().messages.front().code, "BG-S001");
    EXPECT_FALSE(model.run({.energy = false})->energy.known);
}

TEST(ApiModel, LinearizesLikeTheProgram) {
    const Model motor = loaded(kMotor);
    const auto linear = motor.linearize();
    ASSERT_TRUE(linear) << linear.error().text();
    ASSERT_EQ(linear->eigenvalues.size(), 2U);
    EXPECT_NEAR(linear->eigenvalues[0].real(), -244.8936586, 1e-5);
    EXPECT_NEAR(linear->eigenvalues[1].real(), -5.206341428, 1e-7);
    EXPECT_EQ(linear->A.size(), 4U);
    EXPECT_THAT(linear->inputs, ElementsAre("source.e"));
    const auto slower = motor.linearize({.values = {{"J.I", 2e-3}}, .at = 0.1, .outputs = {"J.f"}});
    ASSERT_TRUE(slower) << slower.error().text();
    EXPECT_GT(slower->eigenvalues[1].real(), -3.0);
    EXPECT_EQ(slower->C.size(), 2U);
    const auto wrong = motor.linearize({.inputs = {"Ra"}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, Error::Kind::usage);
}

TEST(ApiModel, LinearizingWhereNoRunGetsIsAnError) {
    const Model blow = parsed(R"(
model: blow
types: {X: {variables: {x: {start: 1}}, equations: [der(x) = x^2]}}
components: {a: {type: X}}
)");
    const auto late = blow.linearize({.at = 5.0});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, Error::Kind::run);
    for (const double at : {std::nan(""), HUGE_VAL, -1.0})
        EXPECT_EQ(blow.linearize({.at = at}).error().kind, Error::Kind::usage);
}

TEST(ApiModel, NumbersHaveToBeFinite) {
    const Model model = parsed(kDecay);
    for (const double x : {std::nan(""), HUGE_VAL}) {
        EXPECT_EQ(model.run({.values = {{"R.R", x}}}).error().kind, Error::Kind::usage);
        EXPECT_EQ(model.run({.stop = x}).error().kind, Error::Kind::usage);
    }
    EXPECT_EQ(model.run({.values = {{"", 1.0}}}).error().kind, Error::Kind::usage);
    EXPECT_EQ(model.run({.stop = 0.5, .interval = 1e9})->series.time().back(), 0.5);
}

TEST(ApiModel, ChecksWithoutRunning) {
    EXPECT_TRUE(loaded(kMotor).check());
    const auto wrong = parsed(R"(
model: m
components: {S: {type: Sf, f: 1 A}, T: {type: Sf, f: 2 A}, j: {type: 1}, L: {type: I, I: 1 H}}
bonds: [S -> j, T -> j, j -> L]
)")
                           .check();
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().messages.front().code, "BG-C002");
}

TEST(ApiModel, TextsImportFromBesideTheNameTheyGoBy) {
    const auto model = Model::parse("model: m\nimport: [no_such_file]\n", kMotor);
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().text(), HasSubstr("no_such_file"));
}

// While nothing moves, nothing tells how large a storage's state will be: what it is taken for then must not count
// later.
TEST(ApiModel, ToleranceHoldsForWhatRestsUntilAnEvent) {
    const Model model = parsed(R"(
model: rest
parameters: {U: 5 V, T: 10 ms, V0: 0 V}
components:
  s: {type: Se, e: if time >= T then U else V0}
  j: {type: 1}
  r: {type: R, R: 1 kohm}
  c: {type: C, C: 1 uF, initial: {e: V0}}
bonds: [s -> j, j -> r, j -> c]
experiment: {stop: 20 ms, interval: 1 ms}
outputs: [c.e]
)");
    for (const double u : {5.0, 1e-6, 1e-12, 1e9}) {
        for (const double before : {0.0, 0.25 * u}) {
            const auto run = model.run({.values = {{"U", u}, {"V0", before}}});
            ASSERT_TRUE(run) << run.error().text();
            const auto time = run->series.time();
            for (std::size_t k = 0; k < time.size(); ++k) {
                const double exact = time[k] <= 10e-3 ? before : u - (u - before) * std::exp(-(time[k] - 10e-3) / 1e-3);
                EXPECT_NEAR(run->series["c.e"][k], exact, 1e-5 * u) << time[k];
            }
        }
    }
}

TEST(ApiModel, EventsAreTold) {
    std::vector<Event> events;
    const auto model = Model::parse(kBall, "ball.yaml");
    ASSERT_TRUE(model) << model.error().text();
    const auto run = model->run({.on_event = [&](const Event& e) { events.push_back(e); }});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_GE(events.size(), 2U);
    const double fall = std::sqrt(2.0 / 9.81);
    EXPECT_NEAR(events[0].time, fall, 1e-6);
    EXPECT_NEAR(events[1].time, fall * 2.6, 1e-6);  // up and down at 0.8 of the velocity
    EXPECT_TRUE(events[0].jumped);
    EXPECT_FALSE(events[0].of_time);
    EXPECT_THAT(events[0].cause, HasSubstr("height.y"));
    EXPECT_EQ(run->statistics.state_events, static_cast<int>(events.size()));
}

TEST(ApiModel, BooksOfElementsAddUpToThoseOfTheRun) {
    const Model motor = loaded(kMotor);
    const auto run = motor.run({.energy_by_element = true});
    ASSERT_TRUE(run) << run.error().text();
    const Energy& all = run->energy;
    double supplied = 0.0;
    double stored = 0.0;
    double dissipated = 0.0;
    for (const ElementEnergy& e : all.elements) {
        supplied += e.supplied;
        stored += e.stored;
        dissipated += e.dissipated;
        EXPECT_NEAR(e.absorbed + e.supplied, e.stored + e.dissipated + e.other + e.events, 1e-5 * all.supplied)
            << e.name;
    }
    EXPECT_NEAR(supplied, all.supplied, 1e-9 * all.supplied);
    EXPECT_NEAR(stored, all.stored, 1e-9 * all.supplied);
    EXPECT_NEAR(dissipated, all.dissipated, 1e-9 * all.supplied);
    const auto resistance = std::ranges::find(all.elements, "Ra", &ElementEnergy::name);
    ASSERT_NE(resistance, all.elements.end());
    EXPECT_EQ(resistance->type, "R");
    EXPECT_GT(resistance->dissipated, 0.0);
    EXPECT_TRUE(motor.run()->energy.elements.empty());
}

TEST(ApiModel, ProgressAndCancelEndARun) {
    const Model model = loaded(kMotor);
    int calls = 0;
    const auto stopped = model.run({.progress = [&](double) { return ++calls < 3; }});
    ASSERT_TRUE(stopped);
    ASSERT_TRUE(stopped->failure);
    EXPECT_EQ(stopped->failure->kind, Error::Kind::cancelled);
    EXPECT_GT(stopped->series.rows(), 1U);
    EXPECT_LT(stopped->series.time().back(), 2.0);
    const std::atomic<bool> cancel = true;
    const auto cancelled = model.run({.cancel = &cancel});
    ASSERT_TRUE(cancelled);
    EXPECT_EQ(cancelled->failure->kind, Error::Kind::cancelled);
}

TEST(ApiModel, AFailureOnTheWayKeepsTheRows) {
    const auto model = Model::parse(R"(
model: blow
types:
  X:
    variables: {x: {start: 1}}
    equations: [der(x) = x^2]
components: {a: {type: X}}
experiment: {stop: 2 s}
outputs: [a.x]
)");
    ASSERT_TRUE(model) << model.error().text();
    const auto run = model->run();
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->failure);
    EXPECT_EQ(run->failure->kind, Error::Kind::run);
    EXPECT_GT(run->series.rows(), 10U);
    EXPECT_NEAR(run->series.time().back(), 1.0, 1e-2);
    EXPECT_THAT(run->failure->text(), HasSubstr("simulation failed"));
}

}  // namespace
}  // namespace bondgraph::api
