// Frictions whose flows are multiples of each other through transformers: they are stuck together as well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// How a friction is joined to the shaft 'w' of the machine by a gear of the given modulus.
struct GearForm {
    double m = 3.0;         ///< its speed over that of the shaft
    bool backward = false;  ///< the gear's p2 is at the shaft
    bool turned = false;    ///< arrows towards the shaft
    bool bare = false;      ///< no junction between gear and friction
    bool housed = false;    ///< 0-junctions on both sides, with the ground at each
    bool first = false;     ///< the friction comes before all others in the file
};

const std::string kGearedTorque = "3.6*sin(1.3*time) + 0.8*sin(5*time)";

/// The shaft, with a friction on it and another one behind a gear.
std::string geared(const std::string& torque, const std::string& on_shaft, const std::string& behind,
                   const GearForm& form) {
    std::string components = "  drive: {type: MSe, e: '" + torque +
                             "', domain: rotational}\n  w: {type: 1}\n  J: {type: I, I: 1 kg.m^2, initial: {f: 0}}\n"
                             "  a: {" +
                             on_shaft + "}\n";
    const std::string friction = "  b: {" + behind + "}\n";
    components = form.first ? friction + components : components + friction;
    std::string bonds = "bonds:\n  - drive -> w\n  - w -> J\n  - w -> a\n";
    const auto bond = [&](const std::string& from, const std::string& to, bool may_turn = true) {
        bonds += "  - " + (form.turned && may_turn ? to + " -> " + from : from + " -> " + to) + "\n";
    };
    components += "  gear: {type: TF, m: " + fmt::format("{:.17g}", form.backward ? 1.0 / form.m : form.m) + "}\n";
    const std::string at_shaft = form.backward ? "gear.p2" : "gear.p1";
    const std::string beyond = form.backward ? "gear.p1" : "gear.p2";
    if (form.housed) {
        components +=
            "  za: {type: 0}\n  zb: {type: 0}\n  ga: {type: Sf, f: 0}\n  h: {type: 1}\n  gh: {type: Sf, f: 0}\n  v: "
            "{type: 1}\n";
        bonds += "  - ga -> za\n  - gh -> h\n";
        bond("w", "za");
        bonds += "  - za -> " + at_shaft + "\n  - " + beyond + " -> zb\n";
        bond("zb", "v");
        bond("zb", "h");
        bond("v", "b", false);
    } else if (form.bare) {
        bonds += "  - w -> " + at_shaft + "\n  - " + beyond + " -> b\n";
    } else {
        components += "  v: {type: 1}\n";
        bond("w", at_shaft);
        bond(beyond, "v");
        bond("v", "b", false);
    }
    return "components:\n" + components + bonds;
}

simulation::Run geared_run(const std::string& model, double stop, double interval,
                           const std::vector<std::string>& results) {
    Pipeline p(model);
    return p.run({.stop = stop, .tolerance = 1e-9, .interval = interval}, results);
}

std::vector<GearForm> gear_forms() {
    std::vector<GearForm> forms;
    for (const double m : {3.0, -0.4}) {
        for (int k = 0; k < 16; ++k) {
            GearForm form{.m = m, .backward = (k & 1) != 0, .turned = (k & 2) != 0, .first = (k & 4) != 0};
            form.housed = (k & 8) != 0;
            forms.push_back(form);
        }
        forms.push_back({.m = m, .bare = true});
        forms.push_back({.m = m, .backward = true, .bare = true, .first = true});
    }
    return forms;
}

std::string words_of(const GearForm& f) {
    return "m " + std::to_string(f.m) + (f.backward ? " backward" : "") + (f.turned ? " turned" : "") +
           (f.bare ? " bare" : "") + (f.housed ? " housed" : "") + (f.first ? " first" : "");
}

// A torque of t N.m against 1 N.m on the shaft and 2/3 N.m behind a gear of three times its speed: both let go at 3 s,
// and slide at 0.5 + 3·(1/3) N.m from there: w = (t² − 9)/2 − 1.5 (t − 3).
TEST(FrictionsBehindGears, BreakLooseAtTheSumOfTheirStaticLevels) {
    for (GearForm form : gear_forms()) {
        SCOPED_TRACE(words_of(form));
        const std::string share = fmt::format("{:.17g}", 1.0 / std::abs(form.m));
        const auto run = geared_run(geared("time", "type: Friction, level: 0.5 N.m, static: 1 N.m",
                                           "type: Friction, level: " + share + " N.m, static: 2*" + share, form),
                                    4.0, 0.25, {"J.f", "a.e", "b.e", "b.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        const std::size_t last = run.result.time.size() - 1;
        EXPECT_NEAR(run.result.at(last, 0), 2.0, 1e-8);  // at a tolerance of 1e-9
        EXPECT_NEAR(std::abs(run.result.at(last, 3)), 2.0 * std::abs(form.m), 1e-8);
        for (std::size_t k = 0; k < run.result.time.size(); ++k) {
            const double t = run.result.time[k];
            if (t > 2.99) continue;
            EXPECT_EQ(run.result.at(k, 0), 0.0);
            EXPECT_NEAR(run.result.at(k, 1), t / 3.0, 1e-8);
            EXPECT_NEAR(std::abs(run.result.at(k, 2)), 2.0 / 3.0 * t / std::abs(form.m), 1e-8);
        }
    }
}

// Of one friction with the sum of the levels: swinging, stuck and loose again and again.
TEST(FrictionsBehindGears, AreOneOfTheSumOfTheirLevels) {
    const std::string one = "components:\n  drive: {type: MSe, e: '" + kGearedTorque +
                            "', domain: rotational}\n  w: {type: 1}\n  J: {type: I, I: 1 kg.m^2, initial: {f: 0}}\n"
                            "  c: {type: Friction, level: 1.5 N.m, static: 3 N.m}\n"
                            "bonds: [drive -> w, w -> J, w -> c]\n";
    const auto a = geared_run(one, 12.0, 0.05, {"J.f"});
    ASSERT_FALSE(a.summary.failure);
    for (const double m : {4.0, -0.25}) {
        for (const bool housed : {false, true}) {
            const GearForm form{.m = m, .housed = housed};
            SCOPED_TRACE(words_of(form));
            const std::string share = fmt::format("{:.17g}", 1.0 / std::abs(m));
            const auto b = geared_run(geared(kGearedTorque, "type: Friction, level: 0.5 N.m, static: 1 N.m",
                                             "type: Friction, level: " + share + " N.m, static: 2*" + share, form),
                                      12.0, 0.05, {"J.f"});
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
            EXPECT_LE(most, 1e-6);  // of speeds about 1, at a tolerance of 1e-9 with errors of its own each
            EXPECT_GT(at_rest, 4U);
        }
    }
}

// Of a modulus that a signal changes nothing is known: one holds, the other keeps what it slid with. It still ends.
TEST(FrictionsBehindGears, OfAChangingModulusAreToldApart) {
    const std::string model =
        "components:\n  drive: {type: MSe, e: time, domain: rotational}\n  w: {type: 1}\n  v: {type: 1}\n"
        "  J: {type: I, I: 1 kg.m^2, initial: {f: 0}}\n  a: {type: Friction, level: 0.5 N.m, static: 1 N.m}\n"
        "  b: {type: Friction, level: 0.5 N.m, static: 1 N.m}\n  gear: {type: TF, m: 2 + 0*time}\n"
        "bonds: [drive -> w, w -> J, w -> a, w -> gear.p1, gear.p2 -> v, v -> b]\n";
    const auto run = geared_run(model, 4.0, 0.25, {"J.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_GT(run.result.at(run.result.time.size() - 1, 0), 0.0);
}

}  // namespace
}  // namespace bondgraph
