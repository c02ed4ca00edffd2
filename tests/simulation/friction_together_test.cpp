// Several frictions at one flow: they are stuck together, and break loose at the sum of their levels.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

struct Part {
    std::string name;
    std::string what;
};

/// How the same parts are written down.
struct Form {
    bool apart = false;     ///< every other one at a junction of its own
    bool outwards = false;  ///< half arrows out of every other one
    bool behind = false;    ///< each behind a 0-junction of its own, with the ground beyond that
    bool turned = false;    ///< every other one there counts its flow the other way round
};

/// A shaft of 1 kg.m2 with frictions, driven by a torque.
std::string shaft(const std::string& torque, const std::vector<Part>& frictions, Form form = {}) {
    std::string components =
        "components:\n  drive: {type: MSe, e: '" + torque +
        "', domain: rotational}\n  w: {type: 1}\n  J: {type: I, I: 1 kg.m^2, initial: {f: 0}}\n  x: {type: 1}\n";
    std::string bonds = "bonds:\n  - drive -> w\n  - w -> J\n  - w -> x\n";
    for (std::size_t k = 0; k < frictions.size(); ++k) {
        components += "  " + frictions[k].name + ": {" + frictions[k].what + "}\n";
        const std::string at = form.apart && k % 2 == 1 ? "x" : "w";
        const bool out = form.outwards && k % 2 == 0;
        if (form.behind) {
            const std::string z = "z" + std::to_string(k);
            components += "  " + z + ": {type: 0}\n  g" + z + ": {type: Sf, f: 0}\n";
            bonds += form.turned && k % 2 == 1 ? "  - " + z + " -> " + at : "  - " + at + " -> " + z;
            bonds += "\n  - " + z + " -> " + frictions[k].name + "\n  - g" + z + " -> " + z + "\n";
            continue;
        }
        bonds += "  - " + (out ? frictions[k].name + " -> " + at : at + " -> " + frictions[k].name) + "\n";
    }
    return components + bonds;
}

const std::string kSwinging = "3.6*sin(1.3*time) + 0.8*sin(5*time)";

constexpr double kTolerance = 1e-8;

simulation::Run speeds(const std::string& model, const std::vector<std::string>& results = {"J.f"}) {
    Pipeline p(model);
    return p.run({.stop = 12.0, .tolerance = kTolerance, .interval = 0.05}, results);
}

void expect_same(const std::string& one, const std::string& several, const std::string& what) {
    SCOPED_TRACE(what);
    const auto a = speeds(one);
    const auto b = speeds(several);
    ASSERT_FALSE(a.summary.failure) << a.summary.failure->message;
    ASSERT_FALSE(b.summary.failure) << b.summary.failure->message;
    double most = 0.0;
    std::size_t at_rest = 0;
    for (double t = 0.0; t < 11.99; t += 0.05) {
        const auto row = [&](const auto& run) {
            return static_cast<std::size_t>(std::ranges::lower_bound(run.result.time, t - 1e-9) -
                                            run.result.time.begin());
        };
        const double f = a.result.at(row(a), 0);
        most = std::max(most, std::abs(f - b.result.at(row(b), 0)));
        at_rest += f == 0.0 ? 1 : 0;
    }
    EXPECT_LE(most, 100.0 * kTolerance);  // of speeds about 1, each run with errors of its own
    EXPECT_GT(at_rest, 4U);
    EXPECT_LT(at_rest, 200U);
}

const Part kLoose{"a", "type: Friction, level: 0.5 N.m, static: 1 N.m"};
const Part kTight{"b", "type: Friction, level: 1 N.m, static: 2 N.m"};

// 1 N.m/s: at 3 s both let go, and w = (t^2 - 9)/2 - 1.5 (t - 3) from there.
TEST(FrictionsTogether, BreakLooseAtTheSumOfTheirStaticLevels) {
    for (const bool turned : {false, true}) {
        const std::vector<Part> parts = turned ? std::vector{kTight, kLoose} : std::vector{kLoose, kTight};
        Pipeline p(shaft("time", parts));
        const auto run = p.run({.stop = 4.0, .tolerance = 1e-9, .interval = 0.25}, {"J.f", "a.e", "b.e"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 2.0, 1e-8);
        std::size_t shared = 0;
        for (std::size_t k = 0; k < run.result.time.size(); ++k) {
            const double t = run.result.time[k];
            if (t > 2.99) continue;
            EXPECT_EQ(run.result.at(k, 0), 0.0);
            EXPECT_NEAR(run.result.at(k, 1), t / 3.0, 1e-12);
            EXPECT_NEAR(run.result.at(k, 2), 2.0 * t / 3.0, 1e-12);
            ++shared;
        }
        EXPECT_GE(shared, 11U);
    }
}

TEST(FrictionsTogether, AreOneOfTheSumOfTheirLevels) {
    const std::string one = shaft(kSwinging, {{"c", "type: Friction, level: 1.5 N.m, static: 3 N.m"}});
    expect_same(one, shaft(kSwinging, {kLoose, kTight}), "as written");
    expect_same(one, shaft(kSwinging, {kTight, kLoose}), "in the other order");
    expect_same(one, shaft(kSwinging, {kLoose, kTight}, {.apart = true}), "at two junctions");
    expect_same(one, shaft(kSwinging, {kLoose, kTight}, {.outwards = true}), "with an arrow turned round");
    expect_same(one, shaft(kSwinging, {kTight, kLoose}, {.apart = true, .outwards = true}), "all at once");
}

TEST(FrictionsTogether, MayBeMoreThanTwoAndViscous) {
    const Part third{"d", "type: Friction, level: 0.2 N.m, R: 0.1 N.m.s/rad"};
    const std::string one =
        shaft(kSwinging, {{"c", "type: Friction, level: 1.7 N.m, static: 3.2 N.m, R: 0.1 N.m.s/rad"}});
    expect_same(one, shaft(kSwinging, {kLoose, kTight, third}), "last");
    expect_same(one, shaft(kSwinging, {third, kTight, kLoose}), "first");
    expect_same(one, shaft(kSwinging, {kTight, third, kLoose}, {.apart = true}), "between");
}

TEST(FrictionsTogether, MayDifferBackward) {
    const Part a{"a", "type: Friction, level: 0.5 N.m, static: 1 N.m, backward: 0.8 N.m"};
    const Part b{"b", "type: Friction, level: 1 N.m, static: 2 N.m, backward: 0.9 N.m"};
    const std::string one =
        shaft(kSwinging, {{"c", "type: Friction, level: 1.5 N.m, static: 3 N.m, backward: 1.7 N.m"}});
    expect_same(one, shaft(kSwinging, {a, b}), "as written");
    expect_same(one, shaft(kSwinging, {b, a}), "in the other order");
}

// The 0-junctions say that the flow of a friction is that of the shaft less that of the housing, which stands still.
TEST(FrictionsTogether, StandBehindJunctionsOfOneEffort) {
    const std::string one = shaft(kSwinging, {{"c", "type: Friction, level: 1.5 N.m, static: 3 N.m"}});
    expect_same(one, shaft(kSwinging, {kLoose, kTight}, {.behind = true}), "as written");
    expect_same(one, shaft(kSwinging, {kTight, kLoose}, {.behind = true}), "in the other order");
    expect_same(one, shaft(kSwinging, {kTight, kLoose}, {.behind = true, .turned = true}), "one turned round");
}

TEST(FrictionsTogether, OneMayCountItsFlowTheOtherWayRound) {
    const Part a{"a", "type: Friction, level: 0.5 N.m, static: 1 N.m, backward: 0.8 N.m"};
    const Part b{"b", "type: Friction, level: 0.9 N.m, backward: 1 N.m"};
    const std::string one =
        shaft(kSwinging, {{"c", "type: Friction, level: 1.5 N.m, static: 2 N.m, backward: 1.7 N.m"}});
    expect_same(one, shaft(kSwinging, {a, b}, {.behind = true, .turned = true}), "the second");
    const Part a2{"a", "type: Friction, level: 0.8 N.m, static: 0.8 N.m, backward: 1 N.m"};
    const Part b2{"b", "type: Friction, level: 1 N.m, static: 2 N.m, backward: 0.9 N.m"};
    const std::string other =
        shaft(kSwinging, {{"c", "type: Friction, level: 2 N.m, static: 3 N.m, backward: 1.7 N.m"}});
    expect_same(other, shaft(kSwinging, {b2, a2}, {.behind = true, .turned = true}), "and the first holds");
}

// Two clutches side by side, each at the difference of the same two speeds.
TEST(FrictionsTogether, JoinTheSameTwoShafts) {
    const auto shafts = [](const std::vector<Part>& between) {
        std::string components =
            "components:\n  drive: {type: MSe, e: '" + kSwinging +
            "', domain: rotational}\n  u: {type: 1}\n  v: {type: 1}\n  I: {type: I, I: 0.5 kg.m^2, initial: {f: 0}}\n"
            "  J: {type: I, I: 0.6 kg.m^2, initial: {f: 0}}\n  R: {type: R, R: 0.3 N.m.s/rad}\n";
        std::string bonds = "bonds:\n  - drive -> u\n  - u -> I\n  - v -> J\n  - v -> R\n";
        for (const Part& part : between) {
            components += "  " + part.name + ": {" + part.what + "}\n  d" + part.name + ": {type: 0}\n";
            bonds += "  - u -> d" + part.name + "\n  - d" + part.name + " -> v\n  - d" + part.name + " -> " +
                     part.name + "\n";
        }
        return components + bonds;
    };
    const auto slip = [&](const std::vector<Part>& between) {
        auto run = speeds(shafts(between), {"I.f", "J.f"});
        EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
        std::vector<double> result;
        for (std::size_t k = 0; k < run.result.time.size(); ++k) {
            const bool first = k == 0 || run.result.time[k] != run.result.time[k - 1];
            const double in_steps = run.result.time[k] / 0.05;
            if (first && std::abs(in_steps - std::round(in_steps)) < 1e-9)
                result.push_back(run.result.at(k, 0) - run.result.at(k, 1));
        }
        return result;
    };
    const auto one = slip({{"c", "type: Friction, level: 0.5 N.m, static: 1 N.m"}});
    const Part a{"a", "type: Friction, level: 0.2 N.m, static: 0.3 N.m"};
    const Part b{"b", "type: Clutch, fn_max: 3 N, mu: 0.1, peak: 2.333333333333333333"};
    EXPECT_GT(std::ranges::count(one, 0.0), 4);
    for (const auto& several : {slip({a, b}), slip({b, a})}) {
        ASSERT_EQ(several.size(), one.size());
        for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(several[k], one[k], 100.0 * kTolerance) << k;
    }
}

// A brake that is put on and taken off beside the friction of a bearing. Open, it holds nothing.
TEST(FrictionsTogether, ABrakeAndABearing) {
    const std::string on = "if sin(0.9*time) > 0 then 1 else 0";
    const Part brake{"k", "type: Clutch, fn_max: 10 N, cgeo: 0.2 m, mu: 0.5, peak: 2, engagement: '" + on + "'"};
    const std::string one =
        shaft(kSwinging, {{"c", "type: Friction, level: 1 N.m, static: 2 N.m, load: '0.5 + (" + on + ")'"}});
    expect_same(one, shaft(kSwinging, {kLoose, brake}), "bearing first");
    expect_same(one, shaft(kSwinging, {brake, kLoose}), "brake first");
}

TEST(FrictionsTogether, OneWithoutALevelHoldsNothing) {
    const Part none{"n", "type: Friction, level: 0 N.m"};
    const Part other{"b", "type: Friction, level: 1 N.m, static: 3 N.m"};
    const std::string one = shaft(kSwinging, {other});
    expect_same(one, shaft(kSwinging, {none, other}), "first");
    expect_same(one, shaft(kSwinging, {other, none}), "last");
}

TEST(FrictionsTogether, SomethingUnrelatedBesideThemChangesNothing) {
    const std::string alone = shaft(kSwinging, {kLoose, kTight});
    std::string beside = alone;
    beside.insert(beside.find("bonds:"),
                  "  V: {type: MSe, e: sin(7*time), domain: electrical}\n  u: {type: 1}\n  D: {type: D}\n"
                  "  R: {type: R, R: 1 ohm}\n");
    beside += "  - V -> u\n  - u -> D\n  - u -> R\n";
    expect_same(alone, beside, "a rectifier");
}

}  // namespace
}  // namespace bondgraph
