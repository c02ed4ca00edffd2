// Parameters that are set while a simulation is on its way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::string& text) {
    auto model = Model::parse(text);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(model).value();
}

Model shipped_model(const std::string& file) { return Model::load(test::source_folder() + "/models/" + file).value(); }

constexpr const char* kDischarge = R"(
model: decay
components:
  j: {type: 0}
  C: {type: C, C: 2, initial: {q: 6}}
  R: {type: R, R: 1}
bonds: [j -> C, j -> R]
outputs: [C.q, C.e, R.f]
experiment: {stop: 4 s, tolerance: 1e-9}
)";

TEST(ApiSet, AResistanceChangesTheRateOfDecay) {
    const Model model = model_of(kDischarge);
    Simulation s = model.start({.values = {{"R.R", 1.0}}}).value();
    ASSERT_TRUE(s.advance(1.0));
    const auto after = s.set({{"R.R", 2.0}});
    ASSERT_TRUE(after) << after.error().text();
    const double there = 6.0 * std::exp(-0.5);
    EXPECT_NEAR((*after)[0], there, 1e-7);
    EXPECT_NEAR((*after)[2], there / 4.0, 1e-7);  // at once
    ASSERT_TRUE(s.advance(3.0));
    EXPECT_NEAR(s.values()[0], there * std::exp(-0.5), 1e-7);
    EXPECT_EQ(model.compilations(), 1U);
    const auto run = s.finish();
    EXPECT_EQ(std::ranges::count(run.series.time(), 1.0), 2);
    EXPECT_NEAR(run.energy.imbalance, 0.0, 1e-6);
}

// Displacement stays, effort and energy become others: what it takes to draw the plates apart is no bond's energy.
TEST(ApiSet, ACapacitanceKeepsItsCharge) {
    const Model model = model_of(kDischarge);
    Simulation s = model.start({.values = {{"C.C", 2.0}}}).value();
    ASSERT_TRUE(s.advance(2.0));
    const double charge = s.values()[0];
    ASSERT_TRUE(s.set({{"C.C", 0.5}}));
    EXPECT_NEAR(s.values()[0], charge, 1e-12);
    EXPECT_NEAR(s.values()[1], 2.0 * charge, 1e-11);
    ASSERT_TRUE(s.advance(4.0));
    EXPECT_NEAR(s.values()[0], charge * std::exp(-4.0), 1e-7);
    const Energy e = s.finish().energy;
    EXPECT_NEAR(e.events, 0.25 * charge * charge - charge * charge, 1e-6);
    EXPECT_NEAR(e.imbalance, 0.0, 1e-6);
}

TEST(ApiSet, TextsAreInUnitsAndSeveralGoTogether) {
    const Model model = model_of(kDischarge);
    Simulation s = model.start({.values = {{"C.C", 2.0}, {"R.R", 1.0}}}).value();
    ASSERT_TRUE(s.set({{"R.R", 2.0}, {"C.C", 1.0}}));
    ASSERT_TRUE(s.set({}));
    ASSERT_TRUE(s.advance(2.0));
    EXPECT_NEAR(s.values()[0], 6.0 * std::exp(-1.0), 1e-7);
}

// The same way as that of a model in which the parameter is a function of time.
TEST(ApiSet, GivesWhatAFunctionOfTimeGives) {
    const std::string text = R"(
model: rectifier
parameters: {r: 50}
components:
  S: {type: Se, e: 10*sin(30*time)}
  s: {type: 1}
  Rs: {type: R, R: 1}
  D: {type: D}
  j: {type: 0}
  C: {type: C, C: 1e-3, initial: {q: 0}}
  RL: {type: R, law: 'e = r*f'}
bonds: [S -> s, s -> Rs, s -> D, s -> j, j -> C, j -> RL]
experiment: {stop: 2 s, tolerance: 1e-8}
outputs: [C.q, D.f]
)";
    Simulation s = model_of(text).start({.values = {{"r", 50.0}}}).value();
    ASSERT_TRUE(s.advance(0.7));
    ASSERT_TRUE(s.set({{"r", 20.0}}));
    std::string timed = text;
    timed.replace(timed.find("r*f"), 3, "(if time < 0.7 then 50 else 20)*f");
    Simulation other = model_of(timed).start().value();
    for (double t = 0.8; t < 2.0; t += 0.1) {
        ASSERT_TRUE(s.advance(t));
        ASSERT_TRUE(other.advance(t));
        EXPECT_NEAR(s.values()[0], other.values()[0], 1e-8) << t;
    }
}

// A body held by friction slides once the friction no longer holds it, and sticks again when it does.
TEST(ApiSet, FrictionLetsGoAndHolds) {
    const Model model = model_of(R"(
model: sliding
parameters: {level: 20 N}
components:
  F: {type: Se, e: 10 N}
  j: {type: 1}
  m: {type: I, I: 2 kg, initial: {f: 0 m/s}}
  b: {type: Friction, level: level}
bonds: [F -> j, j -> m, j -> b]
outputs: [m.f, b.e]
experiment: {stop: 5 s, tolerance: 1e-9}
)");
    Simulation s = model.start({.values = {{"level", 20.0}}}).value();
    ASSERT_TRUE(s.advance(1.0));
    EXPECT_NEAR(s.values()[0], 0.0, 1e-12);
    EXPECT_NEAR(s.values()[1], 10.0, 1e-9);
    ASSERT_TRUE(s.set({{"level", 4.0}}));
    ASSERT_TRUE(s.advance(2.0));
    EXPECT_NEAR(s.values()[0], 3.0, 1e-7);
    EXPECT_NEAR(s.values()[1], 4.0, 1e-9);
    ASSERT_TRUE(s.set({{"level", 16.0}}));
    ASSERT_TRUE(s.advance(2.5));
    EXPECT_NEAR(s.values()[0], 1.5, 1e-7);
    ASSERT_TRUE(s.advance(4.0));  // at rest since 3 s
    EXPECT_NEAR(s.values()[0], 0.0, 1e-9);
    EXPECT_NEAR(s.values()[1], 10.0, 1e-9);
    EXPECT_NEAR(s.finish().energy.imbalance, 0.0, 1e-6);
}

// A threshold that moves past a signal is an event like one that the signal crosses.
TEST(ApiSet, ThresholdsMove) {
    const Model model = model_of(R"(
model: threshold
parameters: {limit: 2}
components:
  S: {type: Sf, f: 1}
  C: {type: C, C: 1, initial: {q: 0}}
  on: {type: Greater, threshold: limit}
bonds: [S -> C]
signals: [C.e -> on.u]
outputs: [C.q, on.y]
experiment: {stop: 5 s}
)");
    std::vector<double> times;
    Simulation s =
        model.start({.values = {{"limit", 2.0}}, .on_event = [&](const Event& e) { times.push_back(e.time); }}).value();
    ASSERT_TRUE(s.advance(1.0));
    EXPECT_EQ(s.values()[1], 0.0);
    ASSERT_TRUE(s.set({{"limit", 0.5}}));
    EXPECT_EQ(s.values()[1], 1.0);
    ASSERT_TRUE(s.set({{"limit", 3.0}}));
    EXPECT_EQ(s.values()[1], 0.0);
    ASSERT_TRUE(s.advance(2.9));
    EXPECT_EQ(s.values()[1], 0.0);
    ASSERT_TRUE(s.advance(3.1));
    EXPECT_EQ(s.values()[1], 1.0);
    ASSERT_EQ(times.size(), 3U);
    EXPECT_NEAR(times[2], 3.0, 1e-9);
}

TEST(ApiSet, ModelsWithoutStatesAndMechanisms) {
    Simulation bridge = shipped_model("electrical/wheatstone_bridge.yaml").start({.values = {{"U", 5.0}}}).value();
    ASSERT_TRUE(bridge.advance(0.3));
    const double current = bridge.values()[0];
    ASSERT_NE(current, 0.0);
    ASSERT_TRUE(bridge.set({{"U", 10.0}}));
    EXPECT_NEAR(bridge.values()[0], 2.0 * current, 1e-9 * std::abs(current));
    // Without weight a pendulum turns on at the speed it has.
    const Model pendulum = shipped_model("nonlinear/pendulum.yaml");
    Simulation s = pendulum.start({.values = {{"g", 9.81}}, .outputs = {"bob.f", "angle.y"}}).value();
    ASSERT_TRUE(s.advance(0.4));
    ASSERT_TRUE(s.set({{"g", 1e-12}}));
    const double speed = s.values()[0];
    const double angle = s.values()[1];
    ASSERT_TRUE(s.advance(1.0));
    EXPECT_NEAR(s.values()[0], speed, 1e-8);
    EXPECT_NEAR(s.values()[1], angle + 0.6 * speed, 1e-7);
}

// The same way with and without what was refused.
TEST(ApiSet, WhatIsRefusedChangesNothing) {
    const Model model = model_of(R"(
model: decay
parameters: {r: {value: 1, min: 0.5}}
components:
  j: {type: 0}
  C: {type: C, C: 2, initial: {q: 6}}
  R: {type: R, R: r}
bonds: [j -> C, j -> R]
outputs: [C.q]
experiment: {stop: 4 s}
)");
    const RunOptions options{.values = {{"r", 1.0}, {"C.q", 6.0}}};
    Simulation alone = model.start(options).value();
    Simulation s = model.start(options).value();
    ASSERT_TRUE(alone.advance(1.0));
    ASSERT_TRUE(s.advance(1.0));
    const auto refused = [&](const Values& values, const std::string& text) {
        const auto result = s.set(values);
        ASSERT_FALSE(result);
        EXPECT_THAT(result.error().text(), HasSubstr(text));
    };
    refused({{"r", 0.1}}, "it must be at least 0.5");
    refused({{"r", 0.0}}, "can't be set to 0");
    refused({{"C.q", 1.0}}, "is a start value");
    refused({{"C.C", 1.0}}, "give it a value in those of start()");
    refused({{"rr", 1.0}}, "the model has no parameter 'rr'; did you mean 'r'?");
    refused({{"r", "3 kg"}}, "takes a single number");
    refused({{"r", "[1, 2]"}}, "it takes a single number");
    refused({{"r", 2.0}, {"C.C", 1.0}}, "give it a value");
    refused({{"r", std::nan("")}}, "has to be a finite number");
    ASSERT_TRUE(alone.advance(3.0));
    ASSERT_TRUE(s.advance(3.0));
    EXPECT_EQ(s.values()[0], alone.values()[0]);
    (void)s.finish();
    refused({{"r", 2.0}}, "has been finished");
}

// A mass in derivative causality would have to jump with its momentum: the simulation goes on without that.
TEST(ApiSet, WhatHasNoWayOnIsRefusedAndTheWayGoesOn) {
    const Model model = model_of(R"(
model: lever
components:
  F: {type: Se, e: 2}
  j: {type: 1}
  m: {type: I, I: 1, initial: {f: 0}}
  l: {type: TF, m: 2}
  k: {type: 1}
  n: {type: I, I: 3}
bonds: [F -> j, j -> m, j -> l.p1, l.p2 -> k, k -> n]
outputs: [m.f]
experiment: {stop: 4 s, tolerance: 1e-9}
)");
    const RunOptions options{.values = {{"n.I", 3.0}}};
    Simulation alone = model.start(options).value();
    Simulation s = model.start(options).value();
    ASSERT_TRUE(alone.advance(1.0) && s.advance(1.0));
    const double before = s.values()[0];
    const auto refused = s.set({{"n.I", 5.0}});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text(),
                HasSubstr("with what is set there is no way on at t = 1 s: 'n.p' would have to jump"));
    EXPECT_FALSE(s.done());
    EXPECT_EQ(s.values()[0], before);
    ASSERT_TRUE(s.set({{"n.I", 3.0}}));
    ASSERT_TRUE(alone.advance(3.0) && s.advance(3.0));
    EXPECT_NEAR(s.values()[0], alone.values()[0], 1e-7);
    const auto run = s.finish();
    EXPECT_FALSE(run.failure);
    EXPECT_TRUE(run.energy.known);
    EXPECT_NEAR(run.energy.imbalance, 0.0, 1e-6);
    EXPECT_NEAR(run.energy.events, 0.0, 1e-9);
    EXPECT_EQ(std::ranges::count(run.series.time(), 1.0), 2);  // of the value that was taken
}

// A result without a value is found when all else is settled.
TEST(ApiSet, WhatIsRefusedLateLeavesTheBooksAsTheyWere) {
    const Model model = model_of(R"(
model: late
types:
  Odd: {parameters: {k: 3}, inputs: [u], outputs: [y], equations: [y = u/(k - 2)]}
components:
  j: {type: 0}
  C: {type: C, C: 2, initial: {q: 6}}
  R: {type: R, R: 1}
  odd: {type: Odd}
bonds: [j -> C, j -> R]
signals: [C.e -> odd.u]
outputs: [C.q, odd.y]
experiment: {stop: 4 s, tolerance: 1e-9}
)");
    Simulation s = model.start({.values = {{"C.C", 2.0}, {"odd.k", 3.0}}}).value();
    ASSERT_TRUE(s.advance(1.0));
    const double charge = s.values()[0];
    ASSERT_FALSE(s.set({{"C.C", 1.0}, {"odd.k", 2.0}}));
    EXPECT_EQ(s.values()[0], charge);
    ASSERT_TRUE(s.advance(3.0));
    EXPECT_NEAR(s.values()[0], 6.0 * std::exp(-1.5), 1e-7);
    const auto run = s.finish();
    EXPECT_FALSE(run.failure);
    EXPECT_NEAR(run.energy.events, 0.0, 1e-9);
    EXPECT_NEAR(run.energy.imbalance, 0.0, 1e-6);
    EXPECT_EQ(std::ranges::count(run.series.time(), 1.0), 1);
}

TEST(ApiSet, AModeThatIsRefusedIsLeftAgain) {
    const Model model = shipped_model("electrical/freewheeling.yaml");
    const double source = 10.0;
    const RunOptions options{.values = {{"U", source}}, .outputs = {"coil.f"}};
    Simulation alone = model.start(options).value();
    Simulation s = model.start(options).value();
    const double there = 0.3 * model.run(options)->series.time().back();
    ASSERT_TRUE(alone.advance(there) && s.advance(there));
    const auto refused = s.set({{"U", -source}});
    ASSERT_FALSE(refused);
    while (!s.done()) {
        ASSERT_TRUE(s.advance(s.time() + 0.1 * there) && alone.advance(alone.time() + 0.1 * there));
        EXPECT_NEAR(s.values()[0], alone.values()[0], 1e-6 * std::abs(alone.values()[0]) + 1e-9);
    }
}

TEST(ApiSet, IsToldByItsOwnName) {
    std::vector<Event> events;
    const Model model = model_of(kDischarge);
    Simulation s =
        model.start({.values = {{"R.R", 1.0}}, .on_event = [&](const Event& e) { events.push_back(e); }}).value();
    ASSERT_TRUE(s.advance(1.0));
    ASSERT_TRUE(s.set({{"R.R", 3.0}}));
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().cause, "'R.R' is set to 3");
    EXPECT_FALSE(events.back().of_time);
}

// What one run asked for with an expression or a list says nothing of numbers.
TEST(ApiSet, DoesNotDependOnWhatOtherRunsAskedFor) {
    const Model model = model_of(kDischarge);
    ASSERT_TRUE(model.run({.values = {{"R.R", "1 + time"}}}));
    EXPECT_TRUE(model.deciding().empty());
    Simulation s = model.start({.values = {{"R.R", 1.0}}}).value();
    ASSERT_TRUE(s.set({{"R.R", 2.0}}));
    const std::size_t before = model.compilations();
    for (const double r : {1.0, 2.0, 3.0}) ASSERT_TRUE(model.run({.values = {{"R.R", r}}}));
    EXPECT_EQ(model.compilations(), before);
    ASSERT_TRUE(model.run({.values = {{"R.R", "1 + 2*time"}}}));
    EXPECT_EQ(model.compilations(), before + 1);
}

TEST(ApiSet, AZeroInWordsSaysNothingOfNumbers) {
    const Model model = model_of(R"(
model: source
components: {S: {type: Se, e: 1 V}, j: {type: 1}, R: {type: R, R: 1 ohm}, C: {type: C, C: 1 F}}
bonds: [S -> j, j -> R, j -> C]
outputs: [C.e]
experiment: {stop: 1 s}
)");
    ASSERT_TRUE(model.run({.values = {{"S.e", "0 V"}}}));
    EXPECT_TRUE(model.deciding().empty());
    Simulation s = model.start({.values = {{"S.e", 1.0}}}).value();
    EXPECT_TRUE(s.set({{"S.e", 2.0}}));
}

// What jumps at the start has jumped there, also where an input says when.
TEST(ApiSet, AJumpAtTheStartFollowsAnInput) {
    const Model model = model_of(R"(
model: step
parameters: {t0: 1}
components: {S: {type: Se, e: 'ceil(time/t0)'}, j: {type: 1}, R: {type: R, R: 1}, C: {type: C, C: 1}}
bonds: [S -> j, j -> R, j -> C]
outputs: [R.f]
experiment: {start: 1 s, stop: 2 s}
)");
    EXPECT_EQ(model.run()->series["R.f"].front(), 2.0);
    EXPECT_EQ(model.run({.values = {{"t0", 1.0}}})->series["R.f"].front(), 2.0);
    EXPECT_EQ(model.run({.values = {{"t0", 0.5}}})->series["R.f"].front(), 3.0);
}

// An input below time, where whole numbers are looked for before the run begins.
TEST(ApiSet, AnInputMayDivideTime) {
    const Model model = model_of(R"(
model: steps
parameters: {p: 2}
components:
  s: {type: Sf, f: 'floor(time/p) + 0*abs(time/p - 1)'}
  j: {type: 0}
  c: {type: C, C: 1, initial: {q: 0}}
bonds: [s -> j, j -> c]
outputs: [c.q]
experiment: {stop: 10 s}
)");
    const auto run = model.run({.values = {{"p", 2.0}}});
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_NEAR(run->series["c.q"].back(), 20.0, 1e-6);
    EXPECT_NEAR(model.run({.values = {{"p", 1.0}}})->series["c.q"].back(), 45.0, 1e-6);
}

// A search for what follows looks at `cancel`; the simulation itself looks at it in its next step.
TEST(ApiSet, ASearchThatIsCancelledIsARefusal) {
    const Model model = model_of(R"(
model: square
parameters: {p: 0.5}
components: {S: {type: Se, e: 1}, j: {type: 1}, R: {type: R, law: e = f^2 + p}}
bonds: [S -> j, j -> R]
outputs: [R.f]
experiment: {stop: 1 s}
)");
    std::atomic<bool> cancel = false;
    Simulation s = model.start({.values = {{"p", 0.5}}, .cancel = &cancel}).value();
    ASSERT_TRUE(s.advance(0.5));
    const double before = s.values()[0];
    const auto refused = s.set({{"p", 200.0}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::run);
    cancel = true;
    const auto cancelled = s.set({{"p", 200.0}});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().kind, Error::Kind::cancelled);
    cancel = false;
    ASSERT_TRUE(s.advance(1.0));
    EXPECT_NEAR(s.values()[0], before, 1e-9);
    EXPECT_FALSE(s.finish().failure);
}

// One model in several writings: what is set on the way, and refused, is the same.
TEST(ApiSet, GivesTheSameHoweverTheModelIsWritten) {
    const std::string head = "model: slide\nparameters: {hold: 3 N, k: 40 N/m}\n";
    const std::string tail = "outputs: [OUT.f]\nexperiment: {stop: 3 s, tolerance: 1e-10}\n";
    const std::string plain = R"(
components:
  F: {type: Se, e: '5*sin(4*time)'}
  j: {type: 1}
  m: {type: I, I: 1.5 kg, initial: {f: 1 m/s}}
  c: {type: C, K: k}
  b: {type: Friction, level: hold}
bonds: [F -> j, j -> m, j -> c, j -> b]
)";
    const std::string shuffled = R"(
bonds: [j -> b, j -> c, F -> j, j -> m]
components:
  b: {type: Friction, level: hold}
  m: {initial: {f: 1 m/s}, I: 1.5 kg, type: I}
  c: {type: C, K: k}
  j: {type: 1}
  F: {type: Se, e: '5*sin(4*time)'}
)";
    const std::string wrapped = R"(
types:
  Block:
    parameters: {level: 1 N, stiffness: 1 N/m}
    components:
      F: {type: Se, e: '5*sin(4*time)'}
      j: {type: 1}
      m: {type: I, I: 1.5 kg, initial: {f: 1 m/s}}
      c: {type: C, K: stiffness}
      b: {type: Friction, level: level}
    bonds: [F -> j, j -> m, j -> c, j -> b]
components:
  x: {type: Block, level: hold, stiffness: k}
)";
    std::string beside = plain;
    beside.insert(beside.find("bonds:"),
                  "  U: {type: Se, e: 'sin(50*time)'}\n  l: {type: 1}\n  d: {type: D}\n  r: {type: R, R: 2}\n");
    beside.replace(beside.rfind("]"), 1, ", U -> l, l -> d, l -> r]");
    const auto way = [&](const std::string& body, const std::string& output, double hold) {
        std::string text = head + body + tail;
        text.replace(text.find("OUT"), 3, output);
        Simulation s = model_of(text).start({.values = {{"hold", 3.0}, {"k", 40.0}}}).value();
        EXPECT_TRUE(s.advance(1.0));
        EXPECT_FALSE(s.set({{"hold", 0.0}}));
        EXPECT_TRUE(s.set({{"hold", hold}, {"k", 25.0}}));
        EXPECT_TRUE(s.advance(2.0));
        EXPECT_TRUE(s.set({{"k", 60.0}}));
        EXPECT_TRUE(s.advance(3.0));
        const double speed = s.values()[0];
        EXPECT_NEAR(s.finish().energy.imbalance, 0.0, 1e-6);
        return speed;
    };
    const double expected = way(plain, "m", 1.0);
    EXPECT_NEAR(way(shuffled, "m", 1.0), expected, 1e-7);
    EXPECT_NEAR(way(wrapped, "x.m", 1.0), expected, 1e-7);
    EXPECT_NEAR(way(beside, "m", 1.0), expected, 1e-7);
    EXPECT_GT(std::abs(way(plain, "m", 2.0) - expected), 1e-3);
}

TEST(ApiSet, OtherSimulationsStayAsTheyAre) {
    const Model model = model_of(kDischarge);
    const RunOptions options{.values = {{"R.R", 1.0}}};
    const double alone = model.run(options)->series["C.q"].back();
    Simulation a = model.start(options).value();
    Simulation b = model.start(options).value();
    ASSERT_TRUE(a.advance(1.0) && b.advance(1.0));
    ASSERT_TRUE(a.set({{"R.R", 5.0}}));
    ASSERT_TRUE(a.advance(4.0) && b.advance(4.0));
    EXPECT_NEAR(b.values()[0], alone, 1e-8);
    EXPECT_GT(a.values()[0], 2.0 * alone);
    EXPECT_EQ(model.run(options)->series["C.q"].back(), alone);
}

}  // namespace
}  // namespace bondgraph::api
