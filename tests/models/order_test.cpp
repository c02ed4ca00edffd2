// The order in which a file lists its parts is no part of the model: verdicts and results don't depend on it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "bondgraph/io/load_model.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

void shuffle(model::Body& body, std::mt19937& random) {
    std::ranges::shuffle(body.components, random);
    std::ranges::shuffle(body.bonds, random);
    std::ranges::shuffle(body.signals, random);
    std::ranges::shuffle(body.connects, random);
}

model::Model shuffled(model::Model model, std::uint32_t seed) {
    std::mt19937 random(seed);
    shuffle(model.body, random);
    for (model::TypeDeclaration& type : model.types) shuffle(type.body, random);
    return model;
}

/// What the sizes of a component's efforts, flows and states are measured by: of results that are zero but for rounding
/// nothing is compared.
struct Rows {
    std::vector<std::string> names;
    simulation::Run run;
};

Rows run_of(model::Model model, const std::vector<std::string>& names = {}) {
    Pipeline p(std::move(model));
    Rows rows;
    rows.names = names.empty() ? test::component_results(p.graph()) : names;
    simulation::Settings settings = p.settings();
    settings.interval = (settings.stop - settings.start) / 4;  // the last row is compared, the others keep runs honest
    rows.run = p.run(settings, rows.names);
    return rows;
}

/// The largest difference at the end beside the largest value the model shows in the same kind of result.
double difference(const Rows& a, const Rows& b, std::string& where) {
    const std::size_t last = a.run.result.time.size() - 1;
    const std::size_t other = b.run.result.time.size() - 1;
    double worst = 0.0;
    double largest = 0.0;
    for (std::size_t k = 0; k < a.names.size(); ++k) {
        for (std::size_t row = 0; row <= last; ++row) largest = std::max(largest, std::abs(a.run.result.at(row, k)));
    }
    const auto kind = [](const std::string& name) {
        const std::string tail = name.substr(name.rfind('.'));
        return tail.substr(0, tail.find('['));
    };
    for (std::size_t k = 0; k < a.names.size(); ++k) {
        if (kind(a.names[k]) == ".on") continue;  // the end may be an instant of switching
        double size = 1e-9 * largest;
        for (std::size_t j = 0; j < a.names.size(); ++j) {
            if (kind(a.names[j]) != kind(a.names[k])) continue;
            for (std::size_t row = 0; row <= last; ++row) size = std::max(size, std::abs(a.run.result.at(row, j)));
        }
        const double apart = std::abs(a.run.result.at(last, k) - b.run.result.at(other, k));
        if (!(apart <= worst * size) && size > 0.0) {
            worst = apart / size;
            where = a.names[k];
        }
    }
    return worst;
}

/// Sensitive to rounding by their nature: neighbouring runs part, however exact each is.
bool chaotic(const std::string& file) {
    constexpr std::array kChaotic{"chua_circuit.yaml", "lorenz", "driven_pendulum", "double_pendulum"};
    return std::ranges::any_of(kChaotic, [&](const char* name) { return file.find(name) != std::string::npos; });
}

TEST(Order, ShippedModelsRunAlikeInAnyOrder) {
    std::uint32_t compared = 0;
    for (const std::string& file : test::model_files()) {
        if (file.ends_with("engine_v6.yaml")) continue;  // minutes under sanitizers; engine_v6_analytic stands for it
        const model::Model model = test::load_file(file);
        if (test::must_fail(model) || chaotic(file)) continue;
        const Rows plain = run_of(model);
        if (plain.run.summary.failure) continue;  // models that show a failure
        const std::uint32_t seed = ++compared;
        const Rows other = run_of(shuffled(model, seed), plain.names);
        ASSERT_FALSE(other.run.summary.failure) << file << ": " << other.run.summary.failure->message;
        std::string where;
        // The default tolerance is 1e-6 a step, and errors of both runs add up over many of them.
        EXPECT_LT(difference(plain, other, where), 1e-3) << file << " with seed " << seed << " at " << where;
    }
    EXPECT_GT(BONDGRAPH_SWEEP * compared, 150U);
}

// While all diodes block, 1 pS beside each is all that tells where the load is against ground: what rounding leaves of
// the balance of 0.2 A there moves it by microvolts, in whatever unknowns the loop is solved.
TEST(Order, ABridgeOfDiodesWithASmoothingCapacitorRunsInAnyOrder) {
    SourceMap sources;
    const model::Model model = io::load_model_text(R"(
model: smoothed
import: [electrical, semiconductors]
components:
  earth: {type: Ground}
  source: {type: SineVoltage, V: 12 V, f: 50 Hz}
  line: {type: Resistor, R: 0.2 ohm}
  load: {type: Resistor, R: 50 ohm}
  c: {type: Capacitor, C: 1 mF, initial: {v0: 0 V}}
  d1: {type: Diode, Is: 1 nA, N: 1.6, R_s: 50 mohm}
  d2: {type: Diode, Is: 1 nA, N: 1.6, R_s: 50 mohm}
  d3: {type: Diode, Is: 1 nA, N: 1.6, R_s: 50 mohm}
  d4: {type: Diode, Is: 1 nA, N: 1.6, R_s: 50 mohm}
connect:
  - [source.n, earth]
  - [source.p, line.p]
  - [line.n, d1.p, d3.n]
  - [d2.p, d4.n, earth]
  - [d1.n, d2.n, load.p, c.p]
  - [d3.p, d4.p, load.n, c.n]
experiment: {stop: 0.08 s, tolerance: 1e-5, interval: 0.8 ms}
)",
                                                   "smoothed", sources);
    const std::vector<std::string> names{"c.v", "source.i"};
    const Rows plain = run_of(model, names);
    ASSERT_FALSE(plain.run.summary.failure) << plain.run.summary.failure->message;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const Rows other = run_of(shuffled(model, seed), names);
        ASSERT_FALSE(other.run.summary.failure) << seed << ": " << other.run.summary.failure->message;
        EXPECT_EQ(other.run.summary.recoveries, 0) << seed;
        std::string where;
        EXPECT_LT(difference(plain, other, where), 1e-3) << "seed " << seed << " at " << where;
    }
}

/// A three-phase diode bridge with line inductances, whose third current follows from two; its diodes as they are, or
/// inside a type of the file.
std::string bridge(bool nested) {
    std::string text = R"(
types:
  Valve:
    connectors: {p: pin, n: pin}
    components: {j: {type: 1}, t: {type: D, Ron: 1 mohm, Goff: 1e-5 S, e_knee: 0.7 V}}
    bonds: [p -> j, j -> t, j -> n]
components:
  gnd: {type: Se, e: 0 V}
  star: {type: 0}
  p: {type: 0}
  n: {type: 0}
  dc: {type: 1}
  load: {type: I, I: 10 mH}
  r: {type: R, R: 50 ohm}
)";
    std::string bonds = "bonds:\n  - gnd -> star\n  - p -> dc\n  - dc -> n\n  - dc -> load\n  - dc -> r\n";
    const std::array phases{"0", "-2*pi/3", "2*pi/3"};
    for (int k = 0; k < 3; ++k) {
        text +=
            fmt::format("  v{0}: {{type: Se, e: 325*sin(314*time + 0.3 + {1}), domain: electrical}}\n", k, phases[k]);
        text += fmt::format("  s{0}: {{type: 1}}\n  m{0}: {{type: 0}}\n  l{0}: {{type: 1}}\n", k);
        text += fmt::format("  L{0}: {{type: I, I: 1 mH}}\n  x{0}: {{type: 0}}\n", k);
        bonds += fmt::format("  - star -> s{0}\n  - v{0} -> s{0}\n  - s{0} -> m{0}\n  - m{0} -> l{0}\n", k);
        bonds += fmt::format("  - l{0} -> L{0}\n  - l{0} -> x{0}\n", k);
        for (const bool upper : {true, false}) {
            const std::string valve = fmt::format("{}{}", upper ? "u" : "d", k);
            const std::string from = upper ? fmt::format("x{}", k) : "n";
            const std::string to = upper ? "p" : fmt::format("x{}", k);
            if (nested) {
                text += fmt::format("  {}: {{type: Valve}}\n", valve);
                bonds += fmt::format("  - {} -> {}.p\n  - {}.n -> {}\n", from, valve, valve, to);
            } else {
                text += fmt::format(
                    "  {0}: {{type: D, Ron: 1 mohm, Goff: 1e-5 S, e_knee: 0.7 V}}\n  j{0}: {{type: 1}}\n", valve);
                bonds += fmt::format("  - {1} -> j{0}\n  - j{0} -> {0}\n  - j{0} -> {2}\n", valve, from, to);
            }
        }
    }
    return text + bonds + "experiment: {stop: 20 ms}\n";
}

TEST(Order, ABridgeWithADependentCurrentRunsInAnyOrderFlatAndNested) {
    SourceMap sources;
    const std::vector<std::string> names{"load.f", "L0.f", "L1.f", "L2.f"};
    const auto rows = [&](bool nested, std::uint32_t seed) {
        Pipeline p(bridge(nested));
        return run_of(shuffled(p.model(), seed), names);
    };
    const Rows first = rows(false, 0);
    ASSERT_FALSE(first.run.summary.failure) << first.run.summary.failure->message;
    const std::size_t last = first.run.result.time.size() - 1;
    EXPECT_NEAR(first.run.result.at(last, 1) + first.run.result.at(last, 2) + first.run.result.at(last, 3), 0.0, 1e-6);
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        const Rows other = rows(seed % 2 == 0, seed);
        ASSERT_FALSE(other.run.summary.failure) << seed << ": " << other.run.summary.failure->message;
        std::string where;
        EXPECT_LT(difference(first, other, where), 1e-4) << seed << " at " << where;
    }
}

/// Links in space one behind the other, with what ties the torques of the first and the last joint together by one
/// condition on their speeds.
std::string tied_chain(int links, const std::string& experiment = "{stop: 0.5 s, tolerance: 1e-9}") {
    std::string text = "components:\n  world: {type: World}\n  lock: {type: rSe}\n  z: {type: 0}\n";
    std::string connect = "connect:\n";
    std::string before = "world.frame_b";
    for (int k = 1; k <= links; ++k) {
        const bool dependent = k == links;
        text += fmt::format("  j{}: {{type: Revolute, n: [0, {}, {}], initial: {{phi: {}{}}}}}\n", k,
                            k % 2 == 0 ? 1 : 0, k % 2, 0.1 * (k % 9 + 1), dependent ? "" : ", w: 0");
        text += fmt::format(
            "  l{}: {{type: BodyShape, r: [0.5, 0.1, 0], r_CM: [0.25, 0, 0], m: 1, I_11: 0.01, I_22: 0.08, "
            "I_33: 0.08}}\n",
            k);
        connect += fmt::format("  - [{}, j{}.frame_a]\n  - [j{}.frame_b, l{}.frame_a]\n", before, k, k, k);
        before = fmt::format("l{}.frame_b", k);
    }
    return text + connect +
           fmt::format(
               "bonds:\n  - z -> lock\n  - z -> j1.axis\n  - z -> j{}.axis\n"
               "experiment: {}\n",
               links, experiment);
}

// The order decides which bonds stand for the others and which unknowns are torn: neither may change what a run costs.
// Some orders of these took a thousand times the steps of others.
TEST(Order, TiedChainsTakeTheSameStatesAndStepsInAnyOrder) {
    for (const int links : {5, 7}) {
        const Pipeline plain(tied_chain(links));
        const std::vector<std::string> names{"j1.phi", "j3.phi", fmt::format("j{}.phi", links), "j2.w"};
        const Rows first = run_of(plain.model(), names);
        ASSERT_FALSE(first.run.summary.failure) << first.run.summary.failure->message;
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            const Rows other = run_of(shuffled(plain.model(), seed), names);
            ASSERT_FALSE(other.run.summary.failure) << other.run.summary.failure->message;
            std::string where;
            EXPECT_LT(difference(first, other, where), 1e-7) << links << " links, seed " << seed << " at " << where;
            EXPECT_LT(other.run.summary.steps, first.run.summary.steps * 3 / 2) << links << " links, seed " << seed;
            EXPECT_EQ(other.run.summary.reselections, 0U) << links << " links, seed " << seed;
        }
    }
}

// Where torques jump by what the first iteration has corrected speeds by, the second one corrects most: steps with a
// Jacobian of their own are not to be given up for it.
TEST(Order, LongTiedChainsNeedFewJacobians) {
    for (const int links : {28, 46}) {
        Pipeline p(tied_chain(links, "{stop: 1 s}"));
        const simulation::Run run = p.run(p.settings(), {"j1.phi"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_LT(run.summary.jacobian_evaluations, run.summary.steps / 6) << links << " links";
    }
}

}  // namespace
}  // namespace bondgraph
