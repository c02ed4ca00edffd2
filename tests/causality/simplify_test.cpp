// Bond graphs simplified by the textbook rules: the same elements with the same efforts and flows.

#include "bondgraph/causality/simplify.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "bondgraph/compile/compiled_model.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::causality {
namespace {

using model::BondGraph;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string bond_text(const BondGraph& g, const model::Bond& b) {
    return g.elements[b.from.index()].name + " -> " + g.elements[b.to.index()].name;
}

std::vector<std::string> bonds_of(const BondGraph& g) {
    std::vector<std::string> bonds;
    for (const model::Bond& b : g.bonds) bonds.push_back(bond_text(g, b));
    return bonds;
}

std::vector<std::string> texts_of(const Simplified& simplified) {
    std::vector<std::string> texts;
    for (const SimplificationStep& s : simplified.steps) texts.push_back(s.text);
    return texts;
}

std::vector<std::string> rules_told(const Simplified& simplified) {
    std::vector<std::string> rules;
    for (const SimplificationStep& s : simplified.steps) rules.emplace_back(rule_name(s.rule));
    return rules;
}

Simplified simplified_text(std::string_view text) {
    test::Pipeline p(text);
    return simplify(p.graph());
}

constexpr const char* kDivider = R"(
import: [electrical]
components:
  V1: {type: ConstantVoltage, V: 12 V}
  R1: {type: Resistor, R: 1 kohm}
  R2: {type: Resistor, R: 3 kohm}
  C1: {type: Capacitor, C: 1 uF}
  gnd: {type: Ground}
connect:
  - V1.p -- R1.p
  - R1.n -- R2.p -- C1.p
  - V1.n -- R2.n -- C1.n -- gnd
)";

// ---- words ----------------------------------------------------------------------------------------------------------

TEST(Simplify, ACircuitOfPartsBecomesWhatOneDrawsByHand) {
    const Simplified s = simplified_text(kDivider);
    std::set<std::string> elements;
    for (const model::Element& e : s.graph.elements) {
        if (!e.is_junction()) elements.insert(e.name);
    }
    EXPECT_THAT(elements, UnorderedElementsAre("V1.source", "R1.cold", "R2.cold", "C1.c"));
    // Source and R1 on a 1-junction, the node with R2 and C1 behind it.
    EXPECT_EQ(s.graph.elements.size(), 6U);
    EXPECT_EQ(s.graph.bonds.size(), 5U);
    EXPECT_EQ(rules_told(s)[0], "grounded node");
    EXPECT_THAT(s.steps[0].text, HasSubstr("'gnd.earth' holds the effort of 0-junction"));
    EXPECT_THAT(s.steps[0].removed, testing::Contains("gnd.earth"));
}

TEST(Simplify, SaysWhatEachRuleDoesAndWhy) {
    const Simplified s = simplified_text(R"(
components:
  battery: {type: Se, e: 6 V}
  short: {type: Se, e: 0 V}
  a: {type: 1}
  b: {type: 1}
  wire: {type: 0}
  R1: {type: R, R: 2}
  C1: {type: C, C: 3}
  L1: {type: I, I: 4}
bonds: [battery -> a, short -> a, a -> R1, a -> wire, wire -> b, b -> C1, b -> L1]
)");
    EXPECT_THAT(
        texts_of(s),
        ElementsAre("'short' gives 1-junction 'a' no effort: it moves no power and is removed",
                    "0-junction 'wire' has two bonds, and power passes through it: 'a' and 'b' are bonded directly",
                    "1-junction 'a' and its neighbour 'b' have one flow together: they become one junction"));
    EXPECT_THAT(bonds_of(s.graph), ElementsAre("battery -> a", "a -> R1", "a -> C1", "a -> L1"));
}

TEST(Simplify, ARingBecomesAPair) {
    const Simplified s = simplified_text(R"(
components:
  right: {type: I, I: 2 kg}
  m1: {type: I, I: 3 kg}
  a: {type: 1}
  b: {type: 1}
  s: {type: 0}
  d: {type: 0}
  spring: {type: C, K: 5 N/m}
  damper: {type: R, R: 7 N.s/m}
  load: {type: R, R: 1 N.s/m}
bonds: [m1 -> a, a -> load, a -> s, s -> b, s -> spring, a -> d, d -> b, d -> damper, b -> right]
)");
    EXPECT_THAT(texts_of(s), testing::Contains(HasSubstr("'s' and 'd' lie side by side between 'a' and 'b'")));
}

TEST(Simplify, WhatIsWrittenAgainstItsArrowKeepsItsJunction) {
    const std::string text = R"(
components:
  v: {type: Se, e: 6 V}
  node: {type: 0}
  r: {type: R, R: 2 ohm}
bonds: [v -> node, r -> node]
)";
    EXPECT_TRUE(simplified_text(text).steps.empty());
}

// ---- the same in other words ----------------------------------------------------------------------------------------

TEST(Simplify, TheOrderOfLinesAndWhatStandsBesideChangeNothing) {
    const auto shape = [](const Simplified& s) {
        std::multiset<std::string> bonds;  // by types
        for (const model::Bond& b : s.graph.bonds) {
            const auto end = [&](model::ElementId id) {
                const model::Element& e = s.graph.elements[id.index()];
                return e.is_junction() ? std::string(e.type->name) : e.name;
            };
            bonds.insert(end(b.from) + " -> " + end(b.to));
        }
        return bonds;
    };
    const auto whole = shape(simplified_text(kDivider));
    const auto shuffled = shape(simplified_text(R"(
import: [electrical]
components:
  gnd: {type: Ground}
  C1: {type: Capacitor, C: 1 uF}
  R2: {type: Resistor, R: 3 kohm}
  V1: {type: ConstantVoltage, V: 12 V}
  R1: {type: Resistor, R: 1 kohm}
connect:
  - gnd -- C1.n -- V1.n -- R2.n
  - C1.p -- R2.p -- R1.n
  - R1.p -- V1.p
)"));
    EXPECT_EQ(shuffled, whole);
    const std::string parts = kDivider;
    const std::size_t place = parts.find("  V1:");
    auto beside =
        shape(simplified_text(parts.substr(0, place) +
                              "  x: {type: Se, e: 1 V}\n  y: {type: 1}\n  z: {type: R, R: 1}\n  u: {type: R, R: 2}\n" +
                              parts.substr(place) + "bonds: [x -> y, y -> z, y -> u]\n"));
    for (const char* bond : {"x -> 1", "1 -> z", "1 -> u"}) EXPECT_EQ(beside.erase(bond), 1U) << bond;
    EXPECT_EQ(beside, whole);
}

TEST(Simplify, PartsWrappedInATypeAreSimplifiedAcrossIt) {
    const Simplified s = simplified_text(R"(
import: [electrical]
types:
  Load:
    connectors: {p: pin, n: pin}
    components:
      R2: {type: Resistor, R: 3 kohm}
      C1: {type: Capacitor, C: 1 uF}
    connect: [p -- R2.p -- C1.p, n -- R2.n -- C1.n]
components:
  V1: {type: ConstantVoltage, V: 12 V}
  R1: {type: Resistor, R: 1 kohm}
  load: {type: Load}
  gnd: {type: Ground}
connect: [V1.p -- R1.p, R1.n -- load.p, V1.n -- load.n -- gnd]
)");
    EXPECT_EQ(s.graph.elements.size(), 6U);
    EXPECT_EQ(s.graph.bonds.size(), 5U);
}

// ---- the same behaviour
// -----------------------------------------------------------------------------------------------

// A graph taken through the stages that follow.
struct Taken {
    explicit Taken(const BondGraph& graph) : causal(assign_causality(graph)), sorted(compile::sort_start(causal)) {
        compiled.emplace(compile::compile(sorted));
    }
    CausalGraph causal;
    compile::SortedSystem sorted;
    std::optional<compile::CompiledModel> compiled;

    simulation::Result run(const simulation::Settings& settings, const std::vector<std::string>& names) const {
        model::NameLookup lookup(*causal.graph);
        std::vector<simulation::Signal> signals;
        for (const std::string& name : names) signals.push_back(*simulation::find_signal(lookup, name));
        return simulation::simulate(*compiled, settings, std::move(signals)).result;
    }
};

// The largest difference of a column, as a share of what the largest of its kind reach: a voltage that is 0 but for
// rounding has no size of its own.
double difference(const simulation::Result& a, const simulation::Result& b, std::string& worst) {
    const std::size_t columns = a.signals.size();
    std::map<std::string, double> scale;
    for (std::size_t c = 0; c < columns; ++c) {
        double& s = scale[a.signals[c].unit];
        for (std::size_t row = 0; row < a.time.size(); ++row) s = std::max(s, std::abs(a.at(row, c)));
    }
    double most = 0.0;
    for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t row = 0; row < std::min(a.time.size(), b.time.size()); ++row) {
            const double by = std::abs(a.at(row, c) - b.at(row, c)) / std::max(scale[a.signals[c].unit], 1e-300);
            if (by > most) worst = a.signals[c].name;
            most = std::max(most, by);
        }
    }
    return most;
}

// A ground on which something stays has less to bring than before.
std::vector<std::string> results_of_what_stays(const BondGraph& graph) {
    std::set<std::string> grounds;
    for (const model::Element& e : graph.elements) {
        for (const char* value : {"e", "f"}) {
            const model::Quantity* zero = e.type->is_source() ? e.parameter(value) : nullptr;
            if (zero != nullptr && zero->value(0, 0).is_constant(0.0)) grounds.insert(e.name);
        }
    }
    std::vector<std::string> names = test::component_results(graph);
    std::erase_if(names, [&](const std::string& n) { return grounds.contains(n.substr(0, n.rfind('.'))); });
    return names;
}

// Both run with a tolerance of 1e-8, by equations in another order: what they differ by is what each errs by, a few
// dozen tolerances over a run.
constexpr double kApart = 1e-5;

TEST(Simplify, ShippedModelsBehaveAsBefore) {
    std::size_t simplified = 0;
    std::size_t steps = 0;
    for (const std::string& file : test::model_files()) {
        const model::Model model = test::load_file(file);
        if (test::must_fail(model) || file.find("/library/") != std::string::npos) continue;
        test::Pipeline p(model);
        const Simplified s = simplify(p.graph());
        if (s.steps.empty()) continue;
        steps += s.steps.size();
        ++simplified;
        simulation::Settings settings = p.settings();
        settings.tolerance = 1e-8;
        settings.stop = settings.start + (settings.stop - settings.start) / 100;
        settings.interval = (settings.stop - settings.start) / 10;
        settings.energy = false;
        const std::vector<std::string> names = results_of_what_stays(s.graph);
        const Taken taken(s.graph);
        EXPECT_EQ(taken.causal.dependent_storage_count(), p.causal().dependent_storage_count()) << file;
        EXPECT_EQ(taken.causal.loops.size(), p.causal().loops.size()) << file;
        const simulation::Result before = p.run(settings, names).result;
        const simulation::Result after = taken.run(settings, names);
        ASSERT_EQ(before.time.size(), after.time.size()) << file;
        std::string worst;
        EXPECT_LT(difference(before, after, worst), kApart) << file << ": " << worst;
    }
    EXPECT_GT(BONDGRAPH_SWEEP * simplified, 50U);
    EXPECT_GT(BONDGRAPH_SWEEP * steps, 200U);
}

// The simplified graph as one would write it: elements with what they have in the circuit, and its junctions and bonds.
std::string written(const BondGraph& g, const std::map<std::string, std::string>& elements) {
    const auto plain = [](std::string name) {
        std::ranges::replace(name, '.', '_');
        return name;
    };
    std::string text = "components:\n";
    for (const model::Element& e : g.elements)
        text += fmt::format("  {}: {}\n", plain(e.name),
                            e.is_junction() ? fmt::format("{{type: {}}}", e.type->name) : elements.at(e.name));
    text += "bonds:\n";
    for (const model::Bond& b : g.bonds)
        text +=
            fmt::format("  - {} -> {}\n", plain(g.elements[b.from.index()].name), plain(g.elements[b.to.index()].name));
    return text;
}

TEST(Simplify, RandomCircuitsWrittenDownSimplifiedBehaveAsTheCircuits) {
    std::mt19937 random(11);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::set<std::string> rules;
    for (int round = 0; round < 60; ++round) {
        const std::size_t nodes = 2 + below(4);
        std::vector<std::string> members(nodes);
        std::string components;
        std::map<std::string, std::string> elements;
        const auto add = [&](const std::string& name, std::size_t p, std::size_t n, const std::string& part,
                             const std::string& inside, const std::string& element) {
            components += fmt::format("  {}: {}\n", name, part);
            members[p] += " -- " + name + ".p";
            members[n] += " -- " + name + ".n";
            elements[name + "." + inside] = element;
        };
        const auto number = [&] { return 1.0 + 0.25 * static_cast<double>(below(9)); };
        int count = 0;
        const auto random_part = [&](std::size_t p, std::size_t n) {
            const std::string name = fmt::format("X{}", ++count);
            const double x = number();
            switch (below(3)) {
                case 0:
                    return add(name, p, n, fmt::format("{{type: Resistor, R: {} ohm}}", x), "cold",
                               fmt::format("{{type: R, R: {} ohm}}", x));
                case 1:
                    return add(name, p, n, fmt::format("{{type: Capacitor, C: {} F, initial: {{v0: 0.5 V}}}}", x), "c",
                               fmt::format("{{type: C, C: {} F, initial: {{e: 0.5 V}}}}", x));
                default:
                    return add(name, p, n, fmt::format("{{type: Inductor, L: {} H, initial: {{i0: 0.25 A}}}}", x),
                               "coil", fmt::format("{{type: I, I: {} H, initial: {{f: 0.25 A}}}}", x));
            }
        };
        // A resistor to the ground from everywhere: whatever else there is has a start and a causality.
        for (std::size_t k = 1; k < nodes; ++k) {
            const double x = number();
            add(fmt::format("R{}", k), k, below(k), fmt::format("{{type: Resistor, R: {} ohm}}", x), "cold",
                fmt::format("{{type: R, R: {} ohm}}", x));
        }
        for (std::size_t k = 2 + below(4); k > 0; --k) {
            const std::size_t p = below(nodes);
            random_part(p, (p + 1 + below(nodes - 1)) % nodes);
        }
        add("drive", below(nodes - 1) + 1, 0, "{type: ConstantCurrent, I: 2 A}", "source", "{type: Sf, f: 2 A}");
        std::string text = "import: [electrical]\ncomponents:\n  gnd: {type: Ground}\n" + components + "connect:\n";
        members[0] += " -- gnd";
        for (const std::string& m : members) {
            if (m.find(" -- ", 4) != std::string::npos) text += "  - " + m.substr(4) + "\n";
        }
        SCOPED_TRACE(text);
        test::Pipeline circuit(text);
        if (!test::errors_of([&] { circuit.start(); }).empty()) continue;
        const Simplified s = simplify(circuit.graph());
        for (const std::string& rule : rules_told(s)) rules.insert(rule);
        const std::string by_hand = written(s.graph, elements);
        SCOPED_TRACE(by_hand);
        test::Pipeline simple(by_hand);
        std::vector<std::string> of_circuit;
        std::vector<std::string> of_simple;
        for (const auto& [name, element] : elements) {
            for (const char* what : {".e", ".f"}) {
                of_circuit.push_back(name + what);
                std::string plain = name;
                std::ranges::replace(plain, '.', '_');
                of_simple.push_back(plain + what);
            }
        }
        const simulation::Settings settings{.stop = 2.0, .tolerance = 1e-8, .interval = 0.25, .energy = false};
        std::string worst;
        const auto a = circuit.run(settings, of_circuit).result;
        const auto b = simple.run(settings, of_simple).result;
        ASSERT_EQ(a.time.size(), b.time.size());
        EXPECT_LT(difference(a, b, worst), kApart) << worst;
        if (testing::Test::HasFailure()) break;
    }
    EXPECT_THAT(rules, testing::IsSupersetOf({"grounded node", "two bonds", "same junctions", "ring"}));
}

TEST(Simplify, SignalsReadWhatIsGoneFromWhatIsLeft) {
    // The ground vanishes; what flows into it does not. Meters are elements.
    const std::string text = R"(
import: [electrical]
components:
  V1: {type: ConstantVoltage, V: 12 V}
  A: {type: CurrentSensor}
  R1: {type: Resistor, R: 1 ohm}
  C1: {type: Capacitor, C: 1 F}
  M: {type: VoltageSensor}
  gnd: {type: Ground}
  sum: {type: Sum}
connect: [V1.p -- A.p, A.n -- R1.p, R1.n -- C1.p -- M.p, V1.n -- C1.n -- M.n -- gnd]
signals: [A.i -> sum.u1, M.v -> sum.u2, gnd.i -> sum.u3]
)";
    test::Pipeline p(text);
    const Simplified s = simplify(p.graph());
    for (const model::Element& e : s.graph.elements) {
        EXPECT_FALSE(e.name.starts_with("gnd.")) << e.name;
    }
    const simulation::Settings settings{.stop = 1.0, .tolerance = 1e-9, .interval = 0.1, .energy = false};
    std::string worst;
    EXPECT_LT(difference(p.run(settings, {"sum.y"}).result, Taken(s.graph).run(settings, {"sum.y"}), worst), kApart);
    // v = 12 (1 - exp(-t)), i = 12 exp(-t); nothing flows into the ground.
    const auto result = Taken(s.graph).run(settings, {"sum.y"});
    EXPECT_NEAR(result.at(5, 0), 12.0, 1e-6);
}

TEST(Simplify, WhatTheGraphWasIsLeftAlone) {
    test::Pipeline p(kDivider);
    const std::size_t elements = p.graph().elements.size();
    const std::size_t nodes = p.graph().expressions->size();
    const Simplified s = simplify(p.graph());
    EXPECT_EQ(p.graph().elements.size(), elements);
    EXPECT_EQ(p.graph().expressions->size(), nodes);
    EXPECT_NE(s.graph.expressions.get(), p.graph().expressions.get());
}

}  // namespace
}  // namespace bondgraph::causality
