// New values of states in mechanisms with closed loops: which of the rates are states is the solver's choice, and must
// not show.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;

using Values = std::map<std::string, double>;

std::string new_values(const Values& values) {
    std::string text;
    for (const auto& [name, value] : values)
        text += fmt::format("{}{}: {:.17g}", text.empty() ? "" : ", ", name, value);
    return "when: [{if: time > 0.1, reinit: {" + text + "}}]\n";
}

/// Two cranks and two rods: two freedoms. `preferred`: joints whose coordinates shall be the states.
std::string five_bar(const std::string& when, std::array<std::string, 2> preferred = {"", ""}) {
    const auto states = [&](const char* joint) {
        return joint == preferred[0] || joint == preferred[1] ? ", states: prefer" : "";
    };
    const char* const link = "{type: BodyBox, r: [";
    return fmt::format(R"(
components:
  world: {{type: World, n: [0, -1, 0]}}
  bed: {{type: FixedTranslation, r: [0.6, 0, 0]}}
  a: {{type: Revolute, initial: {{phi: 70 deg, w: 1}}{0}}}
  b: {{type: Revolute, initial: {{w: -0.5}}{1}}}
  c: {{type: Revolute, initial: {{phi: 110 deg}}{2}}}
  d: {{type: Revolute{3}}}
  e: {{type: Revolute}}
  crank_a: {5}0.3, 0, 0], width: 0.03}}
  rod_b: {5}0.5, 0, 0], width: 0.03}}
  crank_c: {5}0.3, 0, 0], width: 0.03}}
  rod_d: {5}0.5, 0, 0], width: 0.03}}
connect:
  - [world, a.frame_a, bed.frame_a]
  - [a.frame_b, crank_a.frame_a]
  - [crank_a.frame_b, b.frame_a]
  - [b.frame_b, rod_b.frame_a]
  - [bed.frame_b, c.frame_a]
  - [c.frame_b, crank_c.frame_a]
  - [crank_c.frame_b, d.frame_a]
  - [d.frame_b, rod_d.frame_a]
  - [rod_b.frame_b, e.frame_a]
  - [e.frame_b, rod_d.frame_b]
{4})",
                       states("a"), states("b"), states("c"), states("d"), when, link);
}

const std::vector<std::string> kNames{"a.w", "b.w", "c.w", "d.w", "a.phi", "b.phi", "c.phi", "d.phi"};

/// Right after the new values, and at the end.
struct Ran {
    Values after;
    Values end;
    double imbalance = 0.0;
};

Ran ran(const std::string& text) {
    Pipeline p(text);
    const auto run = p.run({.stop = 0.15, .tolerance = 1e-9, .interval = 0.05}, kNames);
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message << text;
    Ran result;
    for (std::size_t row = 1; row < run.result.time.size(); ++row) {
        for (std::size_t k = 0; k < kNames.size(); ++k) {
            if (run.result.time[row] == run.result.time[row - 1]) result.after[kNames[k]] = run.result.at(row, k);
            result.end[kNames[k]] = run.result.at(row, k);
        }
    }
    const auto& energy = run.summary.energy;
    result.imbalance = energy.imbalance / energy.moved;
    EXPECT_FALSE(result.after.empty());
    return result;
}

void expect_same(const Ran& one, const Ran& other, const std::string& text) {
    for (const auto& [name, value] : one.after) EXPECT_NEAR(other.after.at(name), value, 1e-6) << name << text;
    for (const auto& [name, value] : one.end) EXPECT_NEAR(other.end.at(name), value, 1e-5) << name << text;
    EXPECT_LT(std::abs(other.imbalance), 1e-6) << text;
}

TEST(NewValues, OfRatesAroundALoopAreTheSameWhicheverAreGiven) {
    const Ran first = ran(five_bar(new_values({{"a.w", 2.0}, {"c.w", 1.0}})));
    EXPECT_NEAR(first.after.at("a.w"), 2.0, 1e-12);
    EXPECT_NEAR(first.after.at("c.w"), 1.0, 1e-12);
    const std::array<std::string, 4> joints{"a", "b", "c", "d"};
    for (std::size_t i = 0; i < joints.size(); ++i) {
        for (std::size_t k = i + 1; k < joints.size(); ++k) {
            const std::string x = joints[i] + ".w";
            const std::string y = joints[k] + ".w";
            const std::string when = new_values({{x, first.after.at(x)}, {y, first.after.at(y)}});
            expect_same(first, ran(five_bar(when)), when);
            for (const std::array<std::string, 2>& states :
                 {std::array<std::string, 2>{"a", "c"}, {"b", "d"}, {"a", "b"}})
                expect_same(first, ran(five_bar(when, states)), when + states[0] + states[1]);
        }
    }
}

TEST(NewValues, OfCoordinatesAroundALoopKeepRatesThatAreGivenToo) {
    const Values given{{"a.phi", 1.7}, {"c.phi", 3.0}, {"a.w", 0.5}, {"c.w", -1.0}};
    const Ran first = ran(five_bar(new_values(given)));
    for (const auto& [name, value] : given) EXPECT_NEAR(first.after.at(name), value, 1e-9) << name;
    Values others;
    for (const char* name : {"b.phi", "d.phi", "b.w", "d.w"}) others[name] = first.after.at(name);
    expect_same(first, ran(five_bar(new_values(others))), "others");
}

TEST(NewValues, OfCoordinatesAloneLeaveTheirOwnRates) {
    Ran first;
    for (const std::array<std::string, 2>& states : {std::array<std::string, 2>{"a", "c"}, {"b", "d"}, {"a", "b"}}) {
        const Ran moved = ran(five_bar(new_values({{"a.phi", 1.7}, {"c.phi", 3.0}}), states));
        if (first.after.empty()) first = moved;
        expect_same(first, moved, states[0] + states[1]);
    }
    const Ran undisturbed = ran(five_bar(new_values({{"a.phi", 1.7}, {"c.phi", 3.0}}), {"a", "c"}));
    const Ran before = ran(five_bar("when: [{if: time > 0.1, reinit: {a.w: a.w, c.w: c.w}}]\n"));
    EXPECT_NEAR(undisturbed.after.at("a.w"), before.after.at("a.w"), 1e-6);
    EXPECT_NEAR(undisturbed.after.at("c.w"), before.after.at("c.w"), 1e-6);
}

std::string failure_of(const std::string& text) {
    Pipeline p(text);
    const auto run = p.run({.stop = 0.15, .interval = 0.05}, {"a.w"});
    return run.summary.failure ? run.summary.failure->message : "";
}

TEST(NewValues, OfOneOfTwoFreedomsAreRefusedWhateverTheStatesAre) {
    for (const std::array<std::string, 2>& states : {std::array<std::string, 2>{"a", "c"}, {"b", "d"}, {"a", "b"}}) {
        EXPECT_THAT(failure_of(five_bar(new_values({{"a.w", 2.0}}), states)),
                    HasSubstr("'a.w' can't be given a new value: closed loops leave 2 of a.w, b.w, c.w, d.w free; give "
                              "2 of them new values that determine the others"));
        EXPECT_THAT(failure_of(five_bar(new_values({{"d.phi", 0.0}}), states)),
                    HasSubstr("closed loops leave 2 of a.phi, b.phi, c.phi, d.phi free"));
    }
    EXPECT_THAT(failure_of(five_bar(new_values({{"a.w", 1.0}, {"b.w", 1.0}, {"c.w", 1.0}}))),
                HasSubstr("of a.w, b.w, c.w that are given at once, 2 determine the rest; they contradict each other"));
    EXPECT_THAT(failure_of(five_bar(new_values({{"a.phi", -1.5}, {"c.phi", -1.6}}))),
                HasSubstr("no states were found that have them"));
}

// With one freedom one rate says all.
TEST(NewValues, OfAnyRateWithOneFreedom) {
    for (const char* given : {"main.w", "big.w", "far.w"}) {
        for (const char* state : {"main", "far"}) {
            const auto text = [&](const std::string& when) {
                return fmt::format(R"(
components:
  world: {{type: World, n: [0, -1, 0]}}
  bed: {{type: FixedTranslation, r: [0.5, 0, 0]}}
  main: {{type: Revolute, initial: {{phi: 80 deg, w: 1}}{}}}
  crank: {{type: BodyBox, r: [0.2, 0, 0], width: 0.03}}
  big: {{type: Revolute, guess: {{phi: -60 deg}}}}
  rod: {{type: BodyBox, r: [0.45, 0, 0], width: 0.03}}
  small: {{type: Revolute}}
  far: {{type: Revolute, guess: {{phi: 100 deg}}{}}}
  rocker: {{type: BodyBox, r: [0.4, 0, 0], width: 0.03}}
connect:
  - [world, main.frame_a, bed.frame_a]
  - [main.frame_b, crank.frame_a]
  - [crank.frame_b, big.frame_a]
  - [big.frame_b, rod.frame_a]
  - [rod.frame_b, small.frame_a]
  - [bed.frame_b, far.frame_a]
  - [far.frame_b, rocker.frame_a]
  - [small.frame_b, rocker.frame_b]
{})",
                                   state == std::string("main") ? ", states: prefer" : "",
                                   state == std::string("far") ? ", states: prefer" : "", when);
            };
            const auto rates = [&](const Values& values) {
                Pipeline p(text(new_values(values)));
                const auto run =
                    p.run({.stop = 0.15, .tolerance = 1e-9, .interval = 0.05}, {"main.w", "big.w", "far.w"});
                EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
                Values after;
                for (std::size_t row = 1; row < run.result.time.size(); ++row) {
                    if (run.result.time[row] != run.result.time[row - 1]) continue;
                    after = {{"main.w", run.result.at(row, 0)},
                             {"big.w", run.result.at(row, 1)},
                             {"far.w", run.result.at(row, 2)}};
                }
                return after;
            };
            const Values all = rates({{"main.w", -3.0}});
            EXPECT_NEAR(all.at("main.w"), -3.0, 1e-12);
            for (const auto& [name, value] : rates({{given, all.at(given)}}))
                EXPECT_NEAR(value, all.at(name), 1e-7) << given << state;
        }
    }
}

// What several states determine can be given if as many values are.
TEST(NewValues, OfSumsAreSolvedForTogether) {
    constexpr std::string_view kText = R"(
components:
  s: {type: Se, e: 2}
  j: {type: 1}
  r: {type: R, R: 1}
  c: {type: C, C: 1}
  d: {type: C, C: 2}
bonds: [s -> j, j -> r, j -> c, j -> d]
when: [{if: time > 0.5, reinit: {r.f: 0, c.e: 1.5}}]
)";
    Pipeline p(kText);
    const auto run = p.run({.stop = 1.0, .interval = 0.5}, {"r.f", "c.e", "d.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 0.0, 1e-12);
    EXPECT_NEAR(run.result.at(last, 1), 1.5, 1e-12);
    EXPECT_NEAR(run.result.at(last, 2), 0.5, 1e-12);
}

}  // namespace
}  // namespace bondgraph
