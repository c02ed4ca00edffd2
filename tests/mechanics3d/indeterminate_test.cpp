// Closed loops held by more than it takes: which loads across them are said to be undetermined, against statics and
// against the same loop cut elsewhere; and locks of what is held already.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using simulation::IndeterminateLoad;
using test::Pipeline;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kWeightPerMass = 9.81;

/// A slider-crank in the plane of x and y, masses 1, 0.8 and 0.5 kg.
struct SliderCrank {
    std::string world = "g: 9.81, n: [0, -1, 0]";
    std::string big = "{type: Revolute, guess: {phi: -40 deg}}";
    std::string small = "{type: Revolute, guess: {phi: 10 deg}}";
    std::string more_components, more_connections;
    std::string base = "world.frame_b", onto_big = "crank.frame_b", onto_small = "rod.frame_b";
    std::string main = "main", lock_main, lock_guide;
    unsigned shuffled = 0;

    [[nodiscard]] std::string text() const {
        std::vector<std::string> components{
            "world: {type: World, " + world + "}",
            main + ": {type: Revolute, initial: {phi: 30 deg, w: 3 rad/s}" + lock_main + "}",
            "crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 1, I_22: 1e-3, I_33: 1e-3}",
            "big: " + big,
            "rod: {type: BodyShape, r: [0.3, 0, 0], r_CM: [0.15, 0, 0], m: 0.8, I_22: 6e-3, I_33: 6e-3}",
            "small: " + small,
            "guide: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.4}" + lock_guide + "}",
            "slider: {type: Body, m: 0.5}"};
        if (!more_components.empty()) components.push_back(more_components);
        std::vector<std::string> connections{fmt::format("[{}, {}.frame_a, guide.frame_a]", base, main),
                                             "[" + main + ".frame_b, crank.frame_a]",
                                             "[" + onto_big + ", big.frame_a]",
                                             "[big.frame_b, rod.frame_a]",
                                             "[" + onto_small + ", small.frame_a]",
                                             "[small.frame_b, slider.frame_a, guide.frame_b]"};
        if (!more_connections.empty()) connections.push_back(more_connections);
        if (shuffled != 0) {
            std::mt19937 random(shuffled);
            std::shuffle(components.begin(), components.end(), random);
            std::shuffle(connections.begin(), connections.end(), random);
        }
        std::string text = "components:\n";
        for (const std::string& c : components) text += "  " + c + "\n";
        text += "connect:\n";
        for (const std::string& c : connections) text += "  - " + c + "\n";
        return text;
    }
};

const std::string kAcross = "g: 9.81, n: [0, -1, -1]";

simulation::Run run_of(const std::string& text, const std::vector<std::string>& names = {}, double stop = 0.5) {
    Pipeline p(text);
    auto run = p.run({.stop = stop, .tolerance = 1e-9, .interval = stop / 50}, names);
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    return run;
}

std::vector<IndeterminateLoad> loads_in(const std::string& text, double stop = 0.5) {
    return run_of(text, {}, stop).summary.indeterminate;
}

const IndeterminateLoad::Joint& joint(const IndeterminateLoad& load, const std::string& name) {
    return *std::ranges::find(load.joints, name, &IndeterminateLoad::Joint::name);
}

std::vector<std::string> names_of(const IndeterminateLoad& load) {
    std::vector<std::string> names;
    for (const auto& j : load.joints) names.push_back(j.name);
    std::ranges::sort(names);
    return names;
}

TEST(IndeterminateReactions, AreNotSpokenOfWhereALoopIsLoadedInItsPlane) {
    EXPECT_THAT(loads_in(SliderCrank{}.text()), IsEmpty());
    // The plane lies anyhow, loaded by its own motion and by a torque.
    EXPECT_THAT(loads_in(SliderCrank{.world = "gravity: none",
                                     .more_components = "tilt: {type: FixedRotation, n: [1, 2, 3], angle: 40 deg}",
                                     .more_connections = "[world.frame_b, tilt.frame_a]",
                                     .base = "tilt.frame_b"}
                             .text()),
                IsEmpty());
}

// By statics, both bearings together carry what the gravity of all parts has across the plane.
TEST(IndeterminateReactions, AreNamedWhereALoopIsLoadedAcrossItsPlane) {
    const auto loads = loads_in(SliderCrank{.world = kAcross}.text());
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_EQ(loads[0].time, 0.0);
    EXPECT_EQ(loads[0].conditions, 3U);
    EXPECT_THAT(names_of(loads[0]), ElementsAre("big", "guide", "main", "small"));
    for (const auto& j : loads[0].joints)
        EXPECT_EQ(j.directions, "forces along [0, 0, 1], torques across [0, 0, 1]") << j.name;
    EXPECT_NEAR(joint(loads[0], "main").force + joint(loads[0], "guide").force, 2.3 * kWeightPerMass / std::sqrt(2.0),
                1e-9);
    // Lines in another order: the same in every digit but rounding.
    const auto shuffled = loads_in(SliderCrank{.world = kAcross, .shuffled = 4}.text());
    ASSERT_EQ(shuffled.size(), 1U);
    EXPECT_EQ(names_of(shuffled[0]), names_of(loads[0]));
    EXPECT_NEAR(joint(shuffled[0], "main").force, joint(loads[0], "main").force, 1e-9);
}

// Turned with its gravity, the same loop has no condition that says nothing by itself.
TEST(IndeterminateReactions, AreTheSameInAPlaneThatLiesAnyhow) {
    const Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, 3.0).normalized();
    const Eigen::Vector3d n = Eigen::AngleAxisd(40.0 * std::numbers::pi / 180.0, axis) * Eigen::Vector3d(0, -1, -1);
    const auto turned =
        loads_in(SliderCrank{.world = fmt::format("g: 9.81, n: [{:.17g}, {:.17g}, {:.17g}]", n.x(), n.y(), n.z()),
                             .more_components = "tilt: {type: FixedRotation, n: [1, 2, 3], angle: 40 deg}",
                             .more_connections = "[world.frame_b, tilt.frame_a]",
                             .base = "tilt.frame_b"}
                     .text());
    const auto upright = loads_in(SliderCrank{.world = kAcross}.text());
    ASSERT_EQ(turned.size(), 1U);
    ASSERT_EQ(upright.size(), 1U);
    EXPECT_EQ(turned[0].conditions, upright[0].conditions);
    EXPECT_EQ(names_of(turned[0]), names_of(upright[0]));
    EXPECT_NEAR(joint(turned[0], "main").force + joint(turned[0], "guide").force,
                joint(upright[0], "main").force + joint(upright[0], "guide").force, 1e-9);
}

// The oracle: what is said to be undetermined is what changes with the joint at which the loop is cut.
TEST(IndeterminateReactions, AreThoseThatChangeWithThePlaceOfTheCut) {
    const std::vector<std::string> names{"guide.frame_a.f[1]", "guide.frame_a.f[2]", "guide.frame_a.t[3]",
                                         "guide.frame_a.f[3]", "guide.frame_a.t[2]"};
    for (const bool across : {false, true}) {
        SliderCrank at_big{.big = "{type: CutRevolute}"};
        SliderCrank at_small{.small = "{type: CutRevolute}"};
        if (across) at_big.world = at_small.world = kAcross;
        const auto one = run_of(at_big.text(), names), other = run_of(at_small.text(), names);
        const std::size_t last = one.result.time.size() - 1;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const double apart = std::abs(one.result.at(last, k) - other.result.at(last, k));
            if (across && k >= 3)
                EXPECT_GT(apart, 0.1) << names[k];
            else
                EXPECT_LT(apart, 1e-5) << names[k];
        }
        EXPECT_EQ(one.summary.indeterminate.size(), across ? 1U : 0U);
        EXPECT_EQ(other.summary.indeterminate.size(), across ? 1U : 0U);
        if (!across) continue;
        // The joint that closes the loop is one of those that share the load.
        EXPECT_THAT(names_of(one.summary.indeterminate[0]), ElementsAre("big", "guide", "main", "small"));
    }
}

TEST(IndeterminateReactions, AreNoneWhereNoMoreIsHeldThanItTakes) {
    const std::string universal = "{type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0], guess: {phi_a: -40 deg}}";
    EXPECT_THAT(loads_in(SliderCrank{.world = kAcross, .small = "{type: CutRevolute2D}"}.text()), IsEmpty());
    EXPECT_THAT(loads_in(SliderCrank{.world = kAcross, .big = universal, .small = "{type: CutSpherical}"}.text(), 0.1),
                IsEmpty());
    // A ball alone leaves one condition too many: the bearings' tilt about the line between its ends.
    EXPECT_EQ(loads_in(SliderCrank{.world = kAcross, .small = "{type: CutSpherical}"}.text(), 0.1).size(), 1U);
}

TEST(IndeterminateReactions, AreNamedFromWhenTheLoadBegins) {
    const auto loads = loads_in(SliderCrank{.more_components = "push: {type: WorldForce, f: [0, 0, 2*(time > 0.3)]}",
                                            .more_connections = "[push.frame_b, rod.frame_b]"}
                                    .text());
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_GE(loads[0].time, 0.3);
    EXPECT_LT(loads[0].time, 0.35);
    EXPECT_NEAR(joint(loads[0], "main").force + joint(loads[0], "guide").force, 2.0, 1e-9);
}

// Rods that run in different planes tilt each other's bearings, with all loads along the planes.
TEST(IndeterminateReactions, AreNamedWhereRodsLieInPlanesOfTheirOwn) {
    const auto loads =
        loads_in(SliderCrank{.more_components = "pin: {type: FixedTranslation, r: [0, 0, 0.05]}\n"
                                                "  back: {type: FixedTranslation, r: [0, 0, -0.05]}",
                             .more_connections = "[crank.frame_b, pin.frame_a]\n  - [rod.frame_b, back.frame_a]",
                             .onto_big = "pin.frame_b",
                             .onto_small = "back.frame_b"}
                     .text());
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_EQ(joint(loads[0], "guide").force, 0.0);
    EXPECT_GT(joint(loads[0], "guide").torque, 0.01);
}

TEST(IndeterminateReactions, NameTheAxlesOfAWagon) {
    const std::string axle =
        "type: RollingWheelSet, radius: 0.3, track: 0.6, m: 2, I_axis: 0.12, I_long: 0.06, "
        "n: [0, 0, 1], n_x: [1, 0, 0]";
    const auto loads = loads_in(
        "components:\n"
        "  world: {type: World, n: [0, 0, -1]}\n"
        "  rear: {" +
        axle +
        ", initial: {x: 0, y: 0, phi: 0}, guess: {w_1: 1, w_2: 1}}\n"
        "  frame: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 85, I_11: 9.2, "
        "I_22: 11, I_33: 2.8}\n"
        "  steer: {type: Revolute, n: [0, 0, 1], locked: true, initial: {phi: 0.3}}\n"
        "  front: {" +
        axle +
        ", guess: {x: 1}}\n"
        "connect:\n"
        "  - [rear.frame_middle, frame.frame_a]\n"
        "  - [frame.frame_b, steer.frame_a]\n"
        "  - [steer.frame_b, front.frame_middle]\n");
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_THAT(names_of(loads[0]), testing::IsSupersetOf({"front", "rear"}));
}

// Weights stand between the legs: 240 N on a square table, and what is added to two legs across from each other is
// taken from the other two.
TEST(IndeterminateReactions, NameTheLegsOfATable) {
    for (const bool fourth : {false, true}) {
        std::string text =
            "components:\n"
            "  world: {type: World, g: 10, n: [0, 0, -1]}\n"
            "  lift: {type: Prismatic, n: [0, 0, 1], guess: {s: 0.7}}\n"
            "  tilt: {type: Universal, n_a: [1, 0, 0], n_b: [0, 1, 0]}\n"
            "  top: {type: Body, m: 24, r_CM: [-0.1, -0.05, 0], I_11: 1, I_22: 1, I_33: 2}\n";
        std::string connections =
            "connect:\n  - [world.frame_b, lift.frame_a]\n  - [lift.frame_b, tilt.frame_a]\n"
            "  - [tilt.frame_b, top.frame_a]\n";
        for (int k = 0; k < (fourth ? 4 : 3); ++k) {
            text += fmt::format(
                "  leg{0}: {{type: FixedTranslation, r: [{1}, {2}, -0.7]}}\n"
                "  foot{0}: {{type: CutJoint, holds: [z]}}\n",
                k, k < 2 ? -0.4 : 0.4, k == 0 || k == 3 ? 0.4 : -0.4);
            connections += fmt::format(
                "  - [top.frame_a, leg{0}.frame_a]\n  - [world.frame_b, foot{0}.frame_a]\n"
                "  - [leg{0}.frame_b, foot{0}.frame_b]\n",
                k);
        }
        const auto loads = loads_in(text + connections);
        ASSERT_EQ(loads.size(), fourth ? 1U : 0U);
        if (!fourth) continue;
        EXPECT_THAT(names_of(loads[0]), ElementsAre("foot0", "foot1", "foot2", "foot3"));
        double sum = 0.0;
        for (const auto& j : loads[0].joints) {
            EXPECT_EQ(j.directions, "forces along [0, 0, 1]");
            sum += j.force;
        }
        EXPECT_NEAR(sum, 240.0, 1e-9);
    }
}

// ---- joints for loops in a plane ------------------------------------------------------------------------------------

std::vector<std::string> errors_with_guide(const SliderCrank& m, const std::string& guide) {
    std::string text = m.text();
    const std::string old = "{type: Prismatic, n: [1, 0, 0], guess: {s: 0.4}}";
    text.replace(text.find(old), old.size(), guide);
    return test::errors_in(text);
}

TEST(PlanarCuts, AreRefusedInLoopsThatLeaveTheirPlane) {
    const SliderCrank tilted{.more_components = "tilt: {type: FixedRotation, n: [1, 2, 3], angle: 40 deg}",
                             .more_connections = "[world.frame_b, tilt.frame_a]",
                             .base = "tilt.frame_b"};
    for (SliderCrank m : {SliderCrank{}, SliderCrank{.shuffled = 7}, tilted}) {
        m.small = "{type: CutRevolute2D}";
        EXPECT_THAT(test::errors_in(m.text()), IsEmpty());
        m.small = "{type: CutRevolute2D, n: [1, 0, 0]}";
        EXPECT_THAT(test::errors_in(m.text()), ElementsAre("BG-I008"));
        m.small = "{type: CutRevolute2D, n: [0, 0.02, 1]}";
        EXPECT_THAT(test::errors_in(m.text()), ElementsAre("BG-I008"));
        m.small = "{type: CutRevolute2D}";
        m.big = "{type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}";  // the rod may leave the plane
        EXPECT_THAT(test::errors_in(m.text()), ElementsAre("BG-I008"));
        m.big = SliderCrank{}.big;
        m.small = SliderCrank{}.small;
        EXPECT_THAT(errors_with_guide(m, "{type: CutPrismatic2D}"), IsEmpty());
        EXPECT_THAT(errors_with_guide(m, "{type: CutPrismatic2D, n: [1, 0, -0.02], n_z: [0.02, 0, 1]}"),
                    ElementsAre("BG-I008"));
    }
}

// ---- locks of what is held already ----------------------------------------------------------------------------------

constexpr double kCrank = 0.1, kRod = 0.3;

/// How far the slider moves for a turn of the crank.
double lever(double phi) {
    const double s = kCrank * std::sin(phi);
    return -s - s * kCrank * std::cos(phi) / std::sqrt(kRod * kRod - s * s);
}

// Both hold from 0.3 s to 0.4 s; what one of them alone would take the other one is spared.
TEST(LocksInALoop, HoldTogether) {
    const std::string crank_name[] = {"main", "amain"};  // after and before 'guide'
    for (const unsigned shuffled : {0U, 1U, 2U}) {
        for (const std::string& name : crank_name) {
            SliderCrank m{.main = name,
                          .lock_main = ", locked: time > 0.2 and time < 0.4",
                          .lock_guide = ", locked: time > 0.3 and time < 0.45",
                          .shuffled = shuffled};
            const auto run =
                run_of(m.text(), {name + ".phi", name + ".w", "guide.v", name + ".lock.e", "guide.lock.e"}, 0.5);
            double before = 0.0, phi = 0.0;
            for (std::size_t k = 0; k < run.result.time.size(); ++k) {
                const double time = run.result.time[k];
                if (time > 0.21 && time < 0.44) {
                    EXPECT_EQ(run.result.at(k, 1), 0.0);
                    EXPECT_NEAR(run.result.at(k, 2), 0.0, 1e-15);
                    phi = run.result.at(k, 0);
                }
                if (time > 0.21 && time < 0.29) before = run.result.at(k, 3);
                if (time > 0.31 && time < 0.39) {
                    const bool crank_idle = name == "main";
                    EXPECT_NEAR(run.result.at(k, 3), crank_idle ? 0.0 : before, 1e-9);
                    EXPECT_NEAR(run.result.at(k, 4), crank_idle ? before / lever(phi) : 0.0, 1e-8);
                }
                if (time > 0.41 && time < 0.44) {
                    EXPECT_NEAR(run.result.at(k, 4), before / lever(phi), 1e-8);
                }
            }
            EXPECT_NE(before, 0.0);
            EXPECT_GT(std::abs(run.result.at(run.result.time.size() - 1, 1)), 0.1);  // let go
            ASSERT_EQ(run.summary.idle_locks.size(), 1U);
            EXPECT_EQ(run.summary.idle_locks[0].lock, name == "main" ? "main.lock" : "guide.lock");
            EXPECT_NEAR(run.summary.idle_locks[0].time, 0.3, 1e-12);
        }
    }
}

// From full motion both stop it at once, and from the start on they hold what stands still; something else switches.
TEST(LocksInALoop, MayBeginTogether) {
    const std::string beside =
        "lamp: {type: Sw, open: time > 0.25}\n  battery: {type: Se, e: 12}\n"
        "  filament: {type: R, R: 3}\n  line: {type: 1}";
    SliderCrank m{.more_components = beside,
                  .lock_main = ", locked: time > 0.2",
                  .lock_guide = ", locked: time > 0.2 and time < 0.3"};
    const auto run = run_of(m.text() + "bonds: [battery -> line, line -> lamp, line -> filament]\n",
                            {"main.w", "guide.v", "main.lock.e", "guide.lock.e", "main.phi"}, 0.5);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double time = run.result.time[k];
        if (time < 0.21) continue;
        EXPECT_NEAR(run.result.at(k, 0), 0.0, 1e-15);
        EXPECT_NEAR(run.result.at(k, 1), 0.0, 1e-15);
        if (time > 0.21 && time < 0.29) {
            EXPECT_EQ(run.result.at(k, 2), 0.0);
        }
        if (time < 0.31) continue;
        EXPECT_EQ(run.result.at(k, 3), 0.0);
        EXPECT_NE(run.result.at(k, 2), 0.0);
    }
    EXPECT_EQ(run.summary.idle_locks.size(), 1U);
}

TEST(LocksInALoop, AndADriveAgreeAtRestOnly) {
    for (const double speed : {0.0, 5.0, 1e-6}) {
        const std::string drive = fmt::format("motor: {{type: Sf, f: {}}}", speed);
        SliderCrank m{.more_components = drive, .lock_guide = ", locked: true"};
        std::string text = m.text() + "bonds: [motor -> main.axis]\n";
        text.replace(text.find(", w: 3 rad/s"), 12, "");
        Pipeline p(text);
        const auto run = p.run({.stop = 0.1, .tolerance = 1e-9, .interval = 0.05}, {"main.phi", "motor.e"});
        if (speed == 0.0) {
            EXPECT_FALSE(run.summary.failure);
            ASSERT_EQ(run.summary.idle_locks.size(), 1U);
            EXPECT_EQ(run.summary.idle_locks[0].lock, "guide.lock");
            continue;
        }
        ASSERT_TRUE(run.summary.failure);
        EXPECT_EQ(run.summary.failure->time, 0.0);
        const double by = speed * std::abs(lever(std::acos(-1.0) / 6));
        EXPECT_EQ(
            run.summary.failure->message,
            fmt::format("'guide.lock' locks what other locks and sources of flow move through the closed loop, at "
                        "{:.6g} m/s",
                        by));
    }
}

}  // namespace
}  // namespace bondgraph
