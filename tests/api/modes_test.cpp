// Structures of models that switch: of the mode at a time, of given modes, and which modes a run was in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A capacitor that a switch joins to another from 50 to 150 ms; the second one depends on the first then.
constexpr const char* kJoined = R"(
model: joined
components:
  source: {type: Se, e: 10 V}
  feed: {type: 1}
  R: {type: R, R: 10 ohm}
  a: {type: 0}
  first: {type: C, C: 2 mF, initial: {e: 1 V}}
  link: {type: 1}
  gate: {type: Pulse, start: 0.05 s, width: 0.1 s, period: 1 s}
  switch: {type: Sw, open: gate.y < 0.5}
  node: {type: 0}
  second: {type: C, C: 1 mF, initial: {e: 1 V}}
  load: {type: R, R: 100 ohm}
bonds: [source -> feed, feed -> R, feed -> a, a -> first, a -> link, link -> switch, link -> node, node -> second, node -> load]
outputs: [first.e, switch.closed]
experiment: {stop: 0.2 s}
)";

/// The same with all lines of the lists the other way round and the chain of junctions in a type of its own.
constexpr const char* kWrapped = R"(
model: wrapped
types:
  Link:
    ports: {p: {domain: electrical}, n: {domain: electrical}}
    components:
      link: {type: 1}
      switch: {type: Sw, open: gate.y < 0.5}
      gate: {type: Pulse, period: 1 s, width: 0.1 s, start: 0.05 s}
    bonds: [link -> switch, link -> n, p -> link]
components:
  load: {type: R, R: 100 ohm}
  second: {type: C, initial: {e: 1 V}, C: 1 mF}
  node: {type: 0}
  by: {type: Link}
  first: {type: C, initial: {e: 1 V}, C: 2 mF}
  a: {type: 0}
  R: {type: R, R: 10 ohm}
  feed: {type: 1}
  source: {type: Se, e: 10 V}
bonds: [node -> load, node -> second, by.n -> node, a -> by.p, a -> first, feed -> a, feed -> R, source -> feed]
outputs: [first.e, by.switch.closed]
experiment: {stop: 0.2 s}
)";

Model read(const std::string& text) {
    auto model = Model::parse(text);
    if (!model) throw std::runtime_error(model.error().text());
    return std::move(*model);
}

using Strokes = std::map<std::string, CausalBond::Stroke>;

Strokes strokes_at(const Model& model, const WhichMode& mode) {
    const auto causality = model.causality({.values = {}, .expand = true, .mode = mode});
    if (!causality) throw std::runtime_error(causality.error().text());
    Strokes strokes;
    for (const CausalBond& bond : causality->bonds) strokes[bond.name] = bond.stroke;
    return strokes;
}

std::size_t dependent_at(const Model& model, const WhichMode& mode) {
    const auto causality = model.causality({.values = {}, .expand = true, .mode = mode});
    return causality
               ? static_cast<std::size_t>(std::ranges::count(causality->storages, false, &CausalStorage::integral))
               : 99U;
}

const WhichMode kSwitchClosed{.values = {{"switch.closed", 1.0, true}}};
const WhichMode kSwitchOpen{.values = {{"switch.closed", 0.0, true}}};

TEST(ApiModes, AreThoseOfTheTimeAskedFor) {
    const Model model = read(kJoined);
    EXPECT_EQ(strokes_at(model, {}), strokes_at(model, kSwitchOpen));
    EXPECT_EQ(strokes_at(model, {.at = 0.1}), strokes_at(model, kSwitchClosed));
    EXPECT_EQ(strokes_at(model, {.at = 0.18}), strokes_at(model, kSwitchOpen));
    EXPECT_NE(strokes_at(model, kSwitchClosed), strokes_at(model, kSwitchOpen));
    EXPECT_EQ(dependent_at(model, {.at = 0.04}), 0U);
    EXPECT_EQ(dependent_at(model, {.at = 0.1}), 1U);
    EXPECT_EQ(dependent_at(model, {.at = 0.19}), 0U);
}

TEST(ApiModes, AtAnEventIsTheOneAfterIt) {
    const Model model = read(kJoined);
    EXPECT_EQ(strokes_at(model, {.at = 0.05}), strokes_at(model, kSwitchClosed));
    EXPECT_EQ(strokes_at(model, {.at = 0.05 + 0.1}), strokes_at(model, kSwitchOpen));
}

TEST(ApiModes, DoNotDependOnTheOrderOfLinesOrOnTypes) {
    const Model wrapped = read(kWrapped);
    EXPECT_EQ(dependent_at(wrapped, {.at = 0.1}), 1U);
    EXPECT_EQ(dependent_at(wrapped, {.at = 0.18}), 0U);
    const Model plain = read(kJoined);
    for (const double t : {0.0, 0.1, 0.18}) {
        const auto one = strokes_at(plain, {.at = t});
        const auto other = strokes_at(wrapped, {.at = t});
        for (const char* bond : {"R", "source"}) EXPECT_EQ(one.at(bond), other.at(bond)) << bond << " at " << t;
        EXPECT_EQ(one.at("switch"), other.at("by.switch")) << t;
    }
}

TEST(ApiModes, EquationsAreThoseOfAModelThatIsAlwaysInThatMode) {
    const Model model = read(kJoined);
    std::string text = kJoined;
    text.replace(text.find("gate.y < 0.5"), 12, "gate.y < -1.");  // closed from the beginning
    const Model closed = read(text);
    const auto there = model.equations({.values = {}, .format = EquationsOptions::Format::json, .mode = {.at = 0.1}});
    const auto always = closed.equations({.values = {}, .format = EquationsOptions::Format::json});
    ASSERT_TRUE(there) << there.error().text();
    ASSERT_TRUE(always);
    const auto without_switch = [](std::string json) { return json.substr(0, json.find("\"discrete\"")); };
    EXPECT_EQ(without_switch(there->text), without_switch(always->text));
    const auto state_space = [](std::string json) { return json.substr(json.find("\"state_space\"")); };
    EXPECT_EQ(state_space(there->text), state_space(always->text));
    EXPECT_THAT(state_space(there->text), HasSubstr("\"A\""));
    const auto at_start = model.equations({.values = {}, .format = EquationsOptions::Format::json});
    EXPECT_NE(without_switch(there->text), without_switch(at_start->text));
}

TEST(ApiModes, TheDrawingMarksWhatDependsThere) {
    const Model model = read(kJoined);
    const auto marked = [&](const WhichMode& mode, bool picture) {
        const auto drawing = model.draw({.values = {}, .picture = picture, .mode = mode});
        EXPECT_TRUE(drawing) << drawing.error().text();
        EXPECT_EQ(drawing->text.empty(), !picture);
        return std::ranges::count(drawing->nodes, true, &DrawnNode::derivative);
    };
    EXPECT_EQ(marked({.at = 0.1}, true), 1);
    EXPECT_EQ(marked(kSwitchClosed, false), 1);
    EXPECT_EQ(marked({}, true), 0);
    EXPECT_THAT(model.draw({.values = {}, .mode = {.at = 0.1}})->text, HasSubstr("switch.closed = true"));
}

TEST(ApiModes, OfARunAreTold) {
    const Model model = read(kJoined);
    const auto run = model.run({.modes = true});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->modes);
    const ModeCourse& course = *run->modes;
    ASSERT_THAT(course.modes, SizeIs(2));
    EXPECT_EQ(course.modes[0][0].name, "switch.closed");
    EXPECT_THAT(course.mode, ElementsAre(0U, 1U, 0U));
    ASSERT_THAT(course.time, SizeIs(3));
    EXPECT_EQ(course.time[0], 0.0);
    EXPECT_NEAR(course.time[1], 0.05, 1e-12);
    EXPECT_NEAR(course.time[2], 0.15, 1e-12);
    EXPECT_FALSE(model.run()->modes);
}

TEST(ApiModes, WhatLastsNoTimeIsNoMode) {
    // It moves into its floor at the start: the impact is an event of the start.
    const auto run = read(R"(
model: falls
components:
  weight: {type: Se, e: -5 N}
  ball: {type: 1}
  mass: {type: I, I: 0.5 kg, initial: {f: -1 m/s}}
  floor: {type: EndStop, lower: 0 m, initial: {q: 0 m}}
bonds: [weight -> ball, ball -> mass, ball -> floor]
experiment: {stop: 1 s}
)")
                         .run({.modes = true});
    ASSERT_TRUE(run && run->modes);
    ASSERT_THAT(run->modes->modes, SizeIs(1));
    EXPECT_EQ(run->modes->modes[0][0].value, -2.0);
    EXPECT_THAT(run->modes->time, ElementsAre(0.0));
    EXPECT_THAT(run->modes->mode, ElementsAre(0U));
}

/// Of models with a chattering of modes that last no time as well: every row is in the mode that the course tells.
TEST(ApiModes, OfARunAreThoseOfItsRows) {
    for (const char* name :
         {"electrical/buck_converter.yaml", "electrical/boost_converter.yaml", "electrical/three_phase_rectifier.yaml",
          "rotational/drill_string.yaml", "rotational/flywheel_bus.yaml", "translational/elevator.yaml"}) {
        const auto model = Model::load(test::source_folder() + "/models/" + name);
        ASSERT_TRUE(model) << model.error().text();
        RunOptions options{.modes = true};
        const auto structure = model->structure();
        ASSERT_TRUE(structure);
        for (const ModeValue& m : structure->modes) options.outputs.push_back(m.name);
        const auto run = model->run(options);
        ASSERT_TRUE(run) << run.error().text();
        ASSERT_TRUE(run->modes) << name;
        const ModeCourse& course = *run->modes;
        EXPECT_GT(course.modes.size(), 1U) << name;
        EXPECT_TRUE(std::ranges::is_sorted(course.time)) << name;
        EXPECT_EQ(std::ranges::adjacent_find(course.time), course.time.end()) << name;
        EXPECT_EQ(std::ranges::adjacent_find(course.mode), course.mode.end()) << name;
        std::vector<bool> lasts(course.modes.size(), false);
        for (const std::uint32_t m : course.mode) lasts[m] = true;
        EXPECT_EQ(std::ranges::count(lasts, false), 0) << name;
        const Series& series = run->series;
        std::size_t compared = 0;
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const double t = series.time()[row];
            if (row + 1 < series.rows() && series.time()[row + 1] == t) continue;  // before an event
            const auto after = std::ranges::upper_bound(course.time, t);
            const auto& modes = course.modes[course.mode[static_cast<std::size_t>(after - course.time.begin()) - 1]];
            for (std::size_t c = 0; c < modes.size(); ++c)
                EXPECT_EQ(series.column(c)[row], modes[c].value) << name << ' ' << modes[c].name << " at " << t;
            ++compared;
        }
        EXPECT_GT(compared, 100U);
    }
}

TEST(ApiModes, ThatTheModelHasNotAreRefused) {
    const Model model = read(kJoined);
    const auto refused = [&](const WhichMode& mode) {
        const auto causality = model.causality({.values = {}, .mode = mode});
        return causality ? std::string() : causality.error().text();
    };
    EXPECT_THAT(refused({.at = -0.1}), HasSubstr("lies before the start"));
    EXPECT_THAT(refused({.at = std::nan("")}), HasSubstr("finite number"));
    EXPECT_THAT(refused({.values = {{"door.closed", 1.0, true}}}), HasSubstr("'door.closed' is nothing that decides"));
    EXPECT_THAT(refused({.values = {{"switch.closed", 0.5, true}}}), HasSubstr("'switch.closed' can't be 0.5"));
}

TEST(ApiModes, ATimeThatTheRunDoesNotReachSaysWhy) {
    const Model model = read(R"yaml(
model: ends
parameters: {k: 2.5e-3 A/V3}
components:
  node: {type: 0}
  C: {type: C, C: 1 mF, initial: {e: 1 V}}
  grows: {type: R, law: f = -k*e^3}  # e = 1/sqrt(1 - 5 t)
  off: {type: 1}
  switch: {type: Sw, open: time < 1}
  load: {type: R, R: 1 Mohm}
bonds: [node -> C, node -> grows, node -> off, off -> switch, off -> load]
experiment: {stop: 2 s}
)yaml");
    const auto causality = model.causality({.values = {}, .mode = {.at = 0.5}});
    ASSERT_FALSE(causality);
    EXPECT_EQ(causality.error().kind, Error::Kind::run);
    EXPECT_THAT(causality.error().text(), HasSubstr("stopped at time 0.1999"));
}

TEST(ApiLinearAlong, FollowsTheRunAndAgreesWithLinearizingAtItsTimes) {
    const auto model = Model::load(test::source_folder() + "/models/translational/stick_slip.yaml");
    ASSERT_TRUE(model) << model.error().text();
    const auto along = model->linearize_along(9, {.values = {}, .or_states = true});
    ASSERT_TRUE(along) << along.error().text();
    EXPECT_GT(along->size(), 4U);
    EXPECT_EQ(along->front().time, 0.0);
    EXPECT_EQ(along->back().time, model->experiment()->stop);
    for (const LinearModel& linear : *along) {
        const auto there = model->linearize({.values = {}, .at = linear.time, .or_states = true});
        ASSERT_TRUE(there) << there.error().text();
        EXPECT_EQ(there->states, linear.states) << linear.time;
        ASSERT_EQ(there->A.size(), linear.A.size());
        // Two runs, of other steps, are apart by about their tolerance of 1e-6, which friction's slope magnifies.
        for (std::size_t k = 0; k < linear.A.size(); ++k)
            EXPECT_NEAR(there->A[k], linear.A[k], 1e-3 * (1.0 + std::abs(linear.A[k]))) << linear.time;
    }
}

TEST(ApiLinearAlong, OfALinearModelIsOneWithoutModesAndSeveralWithThem) {
    std::string text = kJoined;
    const auto switching = read(text).linearize_along(5);
    ASSERT_TRUE(switching) << switching.error().text();
    std::vector<std::size_t> states;
    for (const LinearModel& linear : *switching) states.push_back(linear.states.size());
    EXPECT_THAT(states, ::testing::Contains(1U));
    EXPECT_THAT(states, ::testing::Contains(2U));
    const auto plain =
        Model::load(test::source_folder() + "/models/electromechanical/dc_motor.yaml")->linearize_along(5);
    ASSERT_TRUE(plain);
    EXPECT_THAT(*plain, SizeIs(1));
}

TEST(ApiLinearAlong, GoesToTheStopThatIsAskedFor) {
    const auto along = read(kJoined).linearize_along(5, {.values = {}, .stop = Value("40 ms")});
    ASSERT_TRUE(along);
    EXPECT_NEAR(along->back().time, 0.04, 1e-12);
}

}  // namespace
}  // namespace bondgraph::api
