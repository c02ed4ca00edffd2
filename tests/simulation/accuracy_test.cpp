// Trajectories against closed forms: close at the usual tolerance, and much closer at a hundredth of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>

#include "bondgraph/simulation/foresight.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

struct ClosedForm {
    const char* name;
    const char* model;
    const char* result;
    double stop;
    std::function<double(double)> value;
};

std::vector<ClosedForm> closed_forms() {
    const double w = std::sqrt(4.0 - 0.0625);
    const double wd = std::sqrt(0.75);
    return {
        {"RcCharging", R"(
components: {s: {type: Se, e: 10}, j: {type: 1}, r: {type: R, R: 1000}, c: {type: C, C: 1e-6, initial: {q: 0}}}
bonds: [s -> j, j -> r, j -> c]
)",
         "c.e", 5e-3, [](double t) { return 10.0 * (1.0 - std::exp(-1000.0 * t)); }},
        {"SeriesRlc", R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1, initial: {p: 0}}, c: {type: C, C: 1, initial: {q: 0}}}
bonds: [s -> j, j -> r, j -> l, j -> c]
)",
         "c.e", 20.0,
         [wd](double t) { return 1.0 - std::exp(-0.5 * t) * (std::cos(wd * t) + 0.5 / wd * std::sin(wd * t)); }},
        {"MassSpringDamper", R"(
components: {j: {type: 1}, m: {type: I, I: 1 kg, initial: {f: 0 m/s}}, b: {type: R, R: 0.5 N.s/m}, k: {type: C, K: 4 N/m, initial: {q: 1 m}}}
bonds: [j -> m, j -> b, j -> k]
)",
         "k.q", 10.0, [w](double t) { return std::exp(-0.25 * t) * (std::cos(w * t) + 0.25 / w * std::sin(w * t)); }},
        {"UndampedOscillator", R"(
components: {j: {type: 1}, m: {type: I, I: 2, initial: {f: 3}}, k: {type: C, K: 8, initial: {q: 0}}}
bonds: [j -> m, j -> k]
)",
         "m.f", 15.0, [](double t) { return 3.0 * std::cos(2.0 * t); }},
        {"DrivenCoil", R"(
components: {s: {type: Se, e: sin(3*time)}, j: {type: 1}, r: {type: R, R: 2}, l: {type: I, I: 0.5, initial: {f: 0}}}
bonds: [s -> j, j -> r, j -> l]
)",
         "l.f", 5.0,
         [](double t) {
             return (2.0 * std::sin(3.0 * t) - 1.5 * std::cos(3.0 * t) + 1.5 * std::exp(-4.0 * t)) / 6.25;
         }},
        {"DcMotorWithoutInductance", R"(
components: {s: {type: Se, e: 12}, j1: {type: 1}, r: {type: R, R: 0.5}, g: {type: GY, r: 0.05}, j2: {type: 1}, j: {type: I, I: 1e-3, initial: {f: 0}}}
bonds: [s -> j1, j1 -> r, j1 -> g.p1, g.p2 -> j2, j2 -> j]
)",
         "j.f", 1.0, [](double t) { return 240.0 * (1.0 - std::exp(-5.0 * t)); }},
        {"NonlinearDischarge", R"(
components: {c: {type: C, C: 1, initial: {q: 1}}, j: {type: 0}, r: {type: R, law: f = e^2}}
bonds: [j -> c, j -> r]
)",
         "c.e", 10.0, [](double t) { return 1.0 / (1.0 + t); }},
        {"RampedSource", R"(
components: {u: {type: Ramp, height: 1, duration: 10, start: 0}, s: {type: Se, e: u.y}, j: {type: 1}, r: {type: R, R: 1}, c: {type: C, C: 1, initial: {q: 0}}}
bonds: [s -> j, j -> r, j -> c]
)",
         "c.e", 10.0, [](double t) { return 0.1 * (t - 1.0 + std::exp(-t)); }},
    };
}

void PrintTo(const ClosedForm& c, std::ostream* out) { *out << c.name; }

class Accuracy : public testing::TestWithParam<ClosedForm> {};

// The largest error over the run, as a share of the signal's range.
double error_at(const ClosedForm& c, double tolerance) {
    Pipeline p(c.model);
    simulation::Settings settings{.stop = c.stop, .tolerance = tolerance};
    const simulation::Run run = p.run(settings, {c.result});
    EXPECT_FALSE(run.summary.failure);
    EXPECT_EQ(run.result.time.back(), c.stop);
    double error = 0.0;
    double range = 0.0;
    for (std::size_t i = 0; i < run.result.time.size(); ++i) {
        const double exact = c.value(run.result.time[i]);
        error = std::max(error, std::abs(run.result.at(i, 0) - exact));
        range = std::max(range, std::abs(exact));
    }
    return error / range;
}

TEST_P(Accuracy, IsWhatTheToleranceAsksForAndFollowsIt) {
    const double usual = error_at(GetParam(), 1e-6);
    const double strict = error_at(GetParam(), 1e-8);
    EXPECT_LT(usual, 1e-4);
    EXPECT_LT(strict, usual / 10.0) << "at 1e-6 the error is " << usual;
}

INSTANTIATE_TEST_SUITE_P(ClosedForms, Accuracy, testing::ValuesIn(closed_forms()),
                         [](const auto& info) { return std::string(info.param.name); });

// Tiny and huge magnitudes beside each other need no tuning.
TEST(Magnitudes, PicofaradsAndMegaohmsKeepTheUsualAccuracy) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1 mV}, j: {type: 1}, r: {type: R, R: 1 Mohm}, c: {type: C, C: 1 pF, initial: {q: 0 C}}}
bonds: [s -> j, j -> r, j -> c]
)");
    const simulation::Run run = p.run({.stop = 5e-6}, {"c.q"});
    for (std::size_t i = 0; i < run.result.time.size(); ++i) {
        EXPECT_NEAR(run.result.at(i, 0), 1e-15 * (1.0 - std::exp(-run.result.time[i] / 1e-6)), 1e-19);
    }
}

TEST(Magnitudes, ASmallChamberUnderHighPressureKeepsTheUsualAccuracy) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1e5}, j: {type: 1}, r: {type: R, R: 1e9}, c: {type: C, C: 1e-12, initial: {e: 0}}}
bonds: [s -> j, j -> r, j -> c]
)");
    const simulation::Run run = p.run({.stop = 5e-3}, {"c.e"});
    for (std::size_t i = 0; i < run.result.time.size(); ++i) {
        EXPECT_NEAR(run.result.at(i, 0), 1e5 * (1.0 - std::exp(-run.result.time[i] / 1e-3)), 10.0);
    }
}

constexpr const char* kStepped = R"(
components: {u: {type: Step, height: 1, start: 0.3}, s: {type: Se, e: u.y}, j: {type: 1}, r: {type: R, R: 1}, c: {type: C, C: 0.1, initial: {q: 0}}}
bonds: [s -> j, j -> r, j -> c]
)";

TEST(TimeEvents, AStepIsHitExactly) {
    Pipeline p(kStepped);
    simulation::Kinks kinks(p.compiled().timely, 0.0, 1.0);
    ASSERT_EQ(kinks.around(0.0).size(), 1U);
    EXPECT_EQ(kinks.around(0.0)[0].first, 0.3);
    EXPECT_EQ(kinks.around(0.0)[0].last, 0.3);
    const simulation::Run run = p.run({.stop = 1.0, .tolerance = 1e-7, .interval = 0.01}, {"c.e"});
    EXPECT_EQ(run.summary.time_events, 1);
    for (std::size_t i = 0; i < run.result.time.size(); ++i) {
        const double t = run.result.time[i];
        const double exact = t < 0.3 ? 0.0 : 1.0 - std::exp(-(t - 0.3) / 0.1);
        EXPECT_NEAR(run.result.at(i, 0), exact, 1e-5) << "at " << t;
    }
}

TEST(LinearSolvers, DenseAndSparseGiveTheSame) {
    for (const char* file : {"electrical/rc_ladder_picofarad.yaml", "translational/half_car.yaml",
                             "electromechanical/loudspeaker.yaml", "hydraulic/pipe_in_sections.yaml"}) {
        Pipeline p(test::load_file(test::model_path(file)));
        simulation::Settings settings = p.settings();
        const auto names = simulation::default_outputs(p.compiled());
        const simulation::Run dense = p.run((settings.dense_limit = 1000, settings), names);
        const simulation::Run sparse = p.run((settings.dense_limit = 0, settings), names);
        ASSERT_EQ(dense.result.time, sparse.result.time);
        for (std::size_t k = 0; k < names.size(); ++k) {
            double range = 0.0;
            double apart = 0.0;
            for (std::size_t i = 0; i < dense.result.time.size(); ++i) {
                range = std::max(range, std::abs(dense.result.at(i, k)));
                apart = std::max(apart, std::abs(dense.result.at(i, k) - sparse.result.at(i, k)));
            }
            EXPECT_LE(apart, 1e-4 * range) << file << " " << names[k];
        }
    }
}

}  // namespace
}  // namespace bondgraph
