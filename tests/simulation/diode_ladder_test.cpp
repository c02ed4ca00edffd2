// Diodes in a ladder, up to a thousand, whose every switching instant is known in closed form.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "tests/simulation/event_times.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// A source behind a resistance feeds a chain of nodes, `series` between neighbours; from node k a diode leads to
/// ground that conducts beyond k·knee.
struct DiodeLadder {
    int stages = 1000;
    double amplitude = 50.0;  ///< of a sine of 1 rad/s
    double inner = 100.0;     ///< resistance of the source
    double series = 1.0;
    double on = 1e5;     ///< resistance of a conducting diode
    double off = 1e-8;   ///< conductance of a blocking one
    double knee = 0.01;  ///< first threshold and distance of all others

    [[nodiscard]] double threshold(int k) const { return knee * k; }
};

std::string text_of(const DiodeLadder& l) {
    std::string components = fmt::format(
        "  s: {{type: Se, e: {:.17g}*sin(time)}}\n  j0: {{type: 1}}\n  r0: {{type: R, R: {}}}\n", l.amplitude, l.inner);
    std::string bonds = "  - s -> j0\n  - j0 -> r0\n  - j0 -> n1\n";
    for (int k = 1; k <= l.stages; ++k) {
        components += fmt::format("  n{0}: {{type: 0}}\n  d{0}: {{type: D, Ron: {1}, Goff: {2}, e_knee: {3:.17g}}}\n",
                                  k, l.on, l.off, l.threshold(k));
        bonds += fmt::format("  - n{0} -> d{0}\n", k);
        if (k == l.stages) break;
        components += fmt::format("  j{0}: {{type: 1}}\n  r{0}: {{type: R, R: {1}}}\n", k, l.series);
        bonds += fmt::format("  - n{0} -> j{0}\n  - j{0} -> r{0}\n  - j{0} -> n{1}\n", k, k + 1);
    }
    return "components:\n" + components + "bonds:\n" + bonds;
}

/// The efforts of the source at which the diodes begin to conduct, and stop. Every node rises with the source and the
/// thresholds rise along the chain, so that the diodes before diode k conduct and those behind it block when it is at
/// its threshold. From there the chain is added up towards the source.
std::vector<double> switching_efforts(const DiodeLadder& l) {
    // What blocking diodes from node k on conduct together.
    std::vector<double> conductance(static_cast<std::size_t>(l.stages) + 2, 0.0);
    for (int k = l.stages; k > 0; --k) {
        const double behind = conductance[static_cast<std::size_t>(k) + 1];
        conductance[static_cast<std::size_t>(k)] = l.off + behind / (1.0 + l.series * behind);
    }
    std::vector<double> efforts;
    for (int k = 1; k <= l.stages; ++k) {
        double e = l.threshold(k);
        double f = conductance[static_cast<std::size_t>(k)] * e;
        for (int j = k - 1; j > 0; --j) {
            e += l.series * f;
            f += l.off * l.threshold(j) + (e - l.threshold(j)) / l.on;
        }
        efforts.push_back(e + l.inner * f);
    }
    return efforts;
}

// Every diode closes once while the source rises and opens once at the same effort while it falls: with E_k the effort
// for diode k at asin(E_k/A) and π − asin(E_k/A).
std::vector<double> switching_times(const DiodeLadder& l) {
    const std::vector<double> efforts = switching_efforts(l);
    std::vector<double> times;
    for (const double e : efforts) times.push_back(std::asin(e / l.amplitude));
    for (auto e = efforts.rbegin(); e != efforts.rend(); ++e)
        times.push_back(std::numbers::pi - std::asin(*e / l.amplitude));
    return times;
}

/// Nothing but events in the run: no rows of the output between them say where to look.
void expect_to_switch_as_calculated(const DiodeLadder& ladder) {
    const std::vector<double> expected = switching_times(ladder);
    Pipeline p(text_of(ladder));
    const simulation::Settings settings{
        .stop = std::numbers::pi, .tolerance = 1e-10, .interval = std::numbers::pi, .energy = false};
    const simulation::Run run = p.run(settings, {"n1.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message << " at " << run.summary.failure->time;
    EXPECT_EQ(run.summary.state_events, 2 * ladder.stages);
    const std::vector<double> times = event_times(run.result);
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], 1e-9) << "event " << k + 1;
}

// From the recursion above, worked out elsewhere as well: E_1 = 0.01001 V, E_501 = 8.9388 V, E_1000 = 48.1003 V.
TEST(DiodeLadder, OfAThousandStagesHasTheThresholdsCalculatedElsewhere) {
    const std::vector<double> efforts = switching_efforts(DiodeLadder{});
    EXPECT_NEAR(efforts[0], 0.010009966849114704, 1e-12);
    EXPECT_NEAR(efforts[500], 8.938803318892736, 1e-9);
    EXPECT_NEAR(efforts[999], 48.10031247647706, 1e-9);
}

// The thousand take minutes: they run where BONDGRAPH_LONG_TESTS is set, two hundred otherwise.
TEST(DiodeLadder, SwitchesTwicePerStageAsCalculated) {
    DiodeLadder ladder;
    if (std::getenv("BONDGRAPH_LONG_TESTS") == nullptr) {
        ladder.stages = 200;
        ladder.amplitude = 1.05 * switching_efforts(ladder).back();
    }
    expect_to_switch_as_calculated(ladder);
}

// The source goes beyond the last threshold by a thousandth to a tenth of itself: the last diodes close and open again
// within a short time that nothing announces.
TEST(DiodeLadder, ThresholdsNearThePeakAreNotPassedOver) {
    for (const int stages : {1, 3, 5, 8, 20}) {
        for (const double beyond : {1.001, 1.01, 1.03, 1.1}) {
            for (const double on : {10.0, 1e3, 1e5}) {
                DiodeLadder ladder{.stages = stages, .on = on, .knee = 10.0 / stages};
                ladder.amplitude = beyond * switching_efforts(ladder).back();
                SCOPED_TRACE(fmt::format("{} stages, Ron {}, beyond {}", stages, on, beyond));
                expect_to_switch_as_calculated(ladder);
            }
        }
    }
}

}  // namespace
}  // namespace bondgraph
