#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "bondgraph/drawing/draw_circuit.hpp"
#include "bondgraph/drawing/stances.hpp"
#include "bondgraph/drawing/theme.hpp"
#include "tests/drawing/circuits.hpp"
#include "tests/support/pipeline.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sweep.hpp"

namespace bondgraph::drawing {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kLowPass = R"(model: low_pass
import: electrical
components:
  u: {type: ConstantVoltage, V: 5 V}
  r: {type: Resistor, R: 1 kohm}
  c: {type: Capacitor, C: 1 uF}
  load: {type: Resistor, R: 10 kohm}
  earth: {type: Ground}
connect:
  - [u.p, r.p]
  - [r.n, c.p, load.p]
  - [u.n, c.n, load.n, earth]
)";

// The lines of a section of the text in another order.
std::string shuffled(const std::string& text, const std::string& section, unsigned seed) {
    const std::size_t begin = text.find(section + ":\n") + section.size() + 2;
    std::vector<std::string> lines;
    std::size_t at = begin;
    while (at < text.size() && text[at] == ' ') {
        const std::size_t end = text.find('\n', at) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    std::mt19937 random(seed);
    std::ranges::shuffle(lines, random);
    std::string result = text.substr(0, begin);
    for (const std::string& line : lines) result += line;
    return result + text.substr(at);
}

TEST(Circuit, WhatConnectJoinsIsOneNet) {
    EXPECT_THAT(joined(circuit_of_text(kLowPass)), ElementsAre("c.n earth.p load.n u.n", "c.p load.p r.n", "r.p u.p"));
}

TEST(Circuit, EntriesWithACommonMemberAreOneNet) {
    const model::Circuit circuit = circuit_of_text(R"(model: m
import: electrical
components:
  a: {type: Resistor, R: 1 ohm}
  b: {type: Resistor, R: 1 ohm}
  c: {type: Resistor, R: 1 ohm}
  e: {type: Ground}
connect: [[a.p, b.p], [c.p, b.p], [a.n, b.n, c.n, e]]
)");
    EXPECT_THAT(joined(circuit), ElementsAre("a.n b.n c.n e.p", "a.p b.p c.p"));
}

TEST(Circuit, TheOrderOfLinesChangesNoNet) {
    const auto nets = joined(circuit_of_text(kLowPass));
    for (unsigned seed = 0; seed < 5; ++seed) {
        const std::string text = shuffled(shuffled(kLowPass, "components", seed), "connect", seed + 7);
        const model::Circuit circuit = circuit_of_text(text);
        EXPECT_EQ(joined(circuit), nets);
        const Schematic schematic = schematic_of(circuit);
        EXPECT_THAT(flaws_of(schematic, lay_out(schematic)), IsEmpty()) << text;
    }
}

TEST(Circuit, ArraysAndConditionsAreWrittenOut) {
    const model::Circuit circuit = circuit_of_text(R"(model: m
import: electrical
parameters: {n: 3}
components:
  u: {type: ConstantVoltage, V: 1 V}
  "r[n]": {type: Resistor, R: 1 ohm}
  extra: {type: Resistor, R: 1 ohm, if: n > 5}
  e: {type: Ground}
connect:
  - [u.p, "r[1].p"]
  - ["r[i].n", "r[i+1].p"]
  - ["r[3].n", u.n, e]
  - [u.p, extra.p]
  - [u.n, extra.n]
)");
    EXPECT_EQ(circuit.parts.size(), 5U);
    EXPECT_THAT(joined(circuit), ElementsAre("e.p r[3].n u.n", "r[1].n r[2].p", "r[1].p u.p", "r[2].n r[3].p"));
}

TEST(Circuit, AnExpressionIsABlockAndAResultAWire) {
    const model::Circuit circuit = circuit_of_text(R"(model: m
components:
  ramp: {type: Ramp, height: 1, duration: 1 s}
  k: {type: Gain, k: 2}
  s: {type: Se, e: 3*k.y}
  node: {type: 1}
  r: {type: R, R: 1}
bonds: [s -> node, node -> r]
signals: [ramp.y -> k.u]
)");
    EXPECT_THAT(joined(circuit), ElementsAre("(3*k.y).k.y k.y", "(3*k.y).y s.e", "k.u ramp.y", "node. r.", "node. s."));
}

TEST(Circuit, ADefaultIsNoValueAndAGivenOneIsShort) {
    const model::Circuit circuit = circuit_of_text(R"(model: m
import: electrical
parameters: {R0: 3 ohm}
components:
  a: {type: Resistor, R: 1 kohm, alpha: 0.004 1/K}
  b: {type: Resistor, R: R0}
  c: {type: Resistor, R: R0*(1 + 2*3*4*5*6*7*8)}
  e: {type: Ground}
connect: [[a.p, b.p, c.p], [a.n, b.n, c.n, e]]
)");
    EXPECT_EQ(circuit.parts[0].value, "1 kohm");
    EXPECT_EQ(circuit.parts[1].value, "R = R0");
    EXPECT_EQ(circuit.parts[2].value, "");
}

TEST(Stance, TurnsCounterClockwiseAfterMirroring) {
    const Point right{1, 0};
    EXPECT_EQ((Stance{.turns = 1}.of(right)).y, -1.0);  // up
    EXPECT_EQ((Stance{.turns = 2}.of(right)).x, -1.0);
    EXPECT_EQ((Stance{.turns = 3}.of(right)).y, 1.0);
    EXPECT_EQ((Stance{.turns = 1, .mirrored = true}.of(right)).y, 1.0);  // left, then down
}

TEST(Schematic, EachPinOnAGroundHasItsOwnSymbol) {
    const Schematic schematic = schematic_of(circuit_of_text(kLowPass));
    std::vector<std::string> grounded;
    for (const Part& part : schematic.parts) {
        if (part.ground_of) grounded.push_back(schematic.parts[*part.ground_of].name);
    }
    EXPECT_THAT(grounded, testing::UnorderedElementsAre("u", "c", "load"));
    EXPECT_EQ(schematic.parts.size(), 7U);
}

TEST(Schematic, AGroundWithAPlaceStaysOne) {
    std::string text = kLowPass;
    text.replace(text.find("{type: Ground}"), 14, "{type: Ground, at: [0, -2]}");
    const Schematic schematic = schematic_of(circuit_of_text(text));
    EXPECT_EQ(schematic.parts.size(), 5U);
    EXPECT_EQ(schematic.nets.size(), 3U);
}

TEST(Stances, WhatLeadsToAGroundHangs) {
    const Schematic schematic = schematic_of(circuit_of_text(kLowPass));
    const Stances stances = stand_up(schematic);
    const auto way_down = [&](const char* name, std::uint32_t pin) {
        const std::uint32_t part = part_named(schematic, name);
        return stances.of[part].of(schematic.parts[part].pins[pin].out).y;
    };
    EXPECT_EQ(way_down("u", 1), 1.0);
    EXPECT_EQ(way_down("c", 1), 1.0);
    EXPECT_EQ(way_down("load", 1), 1.0);
    EXPECT_EQ(way_down("r", 0), 0.0);
}

TEST(CircuitLayout, ALadderHasAStraightRail) {
    const Schematic schematic = schematic_of(circuit_of_text(kLowPass));
    const CircuitLayout layout = lay_out(schematic);
    const double c = layout.parts[part_named(schematic, "c")].centre.y;
    EXPECT_EQ(layout.parts[part_named(schematic, "u")].centre.y, c);
    EXPECT_EQ(layout.parts[part_named(schematic, "load")].centre.y, c);
    const double x = layout.parts[part_named(schematic, "r")].centre.x;
    EXPECT_LT(layout.parts[part_named(schematic, "u")].centre.x, x);
    EXPECT_GT(layout.parts[part_named(schematic, "c")].centre.x, x);
}

TEST(CircuitLayout, ADotWhereThreeWiresMeetAndNoOther) {
    const Schematic schematic = schematic_of(circuit_of_text(kLowPass));
    const CircuitLayout layout = lay_out(schematic);
    for (std::size_t n = 0; n < schematic.nets.size(); ++n)
        EXPECT_EQ(layout.wiring.dots[n].size(), schematic.nets[n].ends.size() - 2);
}

TEST(CircuitLayout, PlacesAndTurnsAreObeyed) {
    const Schematic schematic = schematic_of(circuit_of_text(R"(model: m
import: electrical
components:
  u: {type: ConstantVoltage, V: 5 V, at: [0, 0], turn: 270}
  r: {type: Resistor, R: 1 kohm, at: [2, 1]}
  c: {type: Capacitor, C: 1 uF, at: [4, 0], turn: 90, mirror: true}
  load: {type: Resistor, R: 10 kohm}
  earth: {type: Ground}
connect:
  - [u.p, r.p]
  - [r.n, c.p, load.p]
  - [u.n, c.n, load.n, earth]
)"));
    const CircuitLayout layout = lay_out(schematic);
    const auto& u = layout.parts[part_named(schematic, "u")];
    const auto& r = layout.parts[part_named(schematic, "r")];
    const auto& c = layout.parts[part_named(schematic, "c")];
    const double step = (c.centre.x - u.centre.x) / 4;
    EXPECT_GE(step, 60.0 - 1e-9);
    EXPECT_NEAR(c.centre.y, u.centre.y, 1e-9);
    EXPECT_NEAR(r.centre.x - u.centre.x, 2 * step, kCircuitGrid);
    EXPECT_NEAR(r.centre.y - u.centre.y, -step, kCircuitGrid);
    EXPECT_EQ(u.stance.turns, 3);
    EXPECT_FALSE(u.stance.mirrored);
    EXPECT_EQ(c.stance.turns, 1);
    EXPECT_TRUE(c.stance.mirrored);
    EXPECT_THAT(flaws_of(schematic, layout), IsEmpty());
}

TEST(CircuitLayout, StepsGrowUntilNothingLiesOnAnything) {
    const Schematic schematic = schematic_of(circuit_of_text(R"(model: m
import: electrical
components:
  u: {type: ConstantVoltage, V: 5 V, at: [0, 0], turn: 270}
  r: {type: Resistor, R: 1 kohm, at: [0.3, 0.2]}
  c: {type: Capacitor, C: 1 uF, at: [0.6, 0], turn: 270}
  earth: {type: Ground}
connect: [[u.p, r.p], [r.n, c.p], [u.n, c.n, earth]]
)"));
    EXPECT_THAT(flaws_of(schematic, lay_out(schematic)), IsEmpty());
}

TEST(CircuitLayout, IsTheSameEachTime) {
    const Schematic schematic = schematic_of(circuit_of_text(kLowPass));
    const Theme theme = theme_named(ThemeName::colour);
    EXPECT_EQ(to_svg(draw_circuit(schematic, lay_out(schematic), theme)),
              to_svg(draw_circuit(schematic, lay_out(schematic), theme)));
}

TEST(CircuitLayout, SomethingUnrelatedBesideItAddsNoFlaw) {
    std::string text = kLowPass;
    text.insert(text.find("connect:"), "  u2: {type: ConstantVoltage, V: 5 V}\n  r2: {type: Resistor, R: 1 kohm}\n");
    text += "  - [u2.p, r2.p]\n  - [u2.n, r2.n]\n";
    const Schematic schematic = schematic_of(circuit_of_text(text));
    EXPECT_THAT(flaws_of(schematic, lay_out(schematic)), IsEmpty());
}

TEST(DrawnCircuit, ShowsSymbolsNamesAndValues) {
    const Schematic schematic = schematic_of(circuit_of_text(kLowPass));
    const Sheet sheet = draw_circuit(schematic, lay_out(schematic), theme_named(ThemeName::colour));
    std::vector<std::string> texts;
    for (const Shape& shape : sheet.shapes) {
        if (shape.kind == ShapeKind::text) texts.push_back(shape.text);
    }
    for (const char* text : {"u", "5 V", "r", "1 kΩ", "c", "1 µF", "load", "10 kΩ"}) EXPECT_THAT(texts, Contains(text));
    EXPECT_THAT(texts, testing::Not(Contains("Resistor")));
}

/// Shipped models that are made of parts of the library.
std::vector<std::string> models_of_parts() {
    std::vector<std::string> models;
    for (const std::string& file : test::model_files()) {
        if (file.find("/library/") != std::string::npos) continue;
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with("import:")) {
                models.push_back(file);
                break;
            }
        }
    }
    return models;
}

TEST(CircuitLayout, NoShippedModelOfPartsHasAFlaw) {
    const std::vector<std::string> models = models_of_parts();
    EXPECT_GT(BONDGRAPH_SWEEP * models.size(), 40U);
    for (const std::string& file : models) {
        SCOPED_TRACE(file);
        const Schematic schematic = schematic_of(circuit_of_file(file));
        EXPECT_THAT(flaws_of(schematic, lay_out(schematic)), IsEmpty());
    }
}

TEST(LibrarySymbols, HaveAPlaceForEveryConnectorThatHasToBeConnected) {
    SourceMap sources;
    std::string text = "model: all\ncomponents: {}\nimport:\n";
    for (const char* file : {"electrical", "semiconductors", "machines", "converters", "hydraulic", "pneumatic",
                             "rotational", "translational", "thermal", "magnetic", "chemical"})
        text += std::string("  ") + file + ": " + file + "\n";
    // every type is read that the text has a word for
    for (const auto& file : std::filesystem::directory_iterator(test::model_path("library"))) {
        std::ifstream in(file.path());
        for (std::string line; std::getline(in, line);) {
            if (line.size() > 3 && line.starts_with("  ") && line[2] != ' ' && line.ends_with(":"))
                text += "# " + line.substr(2, line.size() - 3) + "\n";
        }
    }
    const std::vector<std::filesystem::path> nowhere;
    const io::ReadModel read = io::read_model_text(text, std::filesystem::path("all.yaml"), sources, nowhere);
    EXPECT_GT(read.layout.symbols.size(), 300U);
    for (const auto& [number, symbol] : read.layout.symbols) {
        const model::TypeDeclaration& type = read.model.types[number];
        SCOPED_TRACE(type.name.text);
        for (const model::ConnectorDeclaration& c : type.connectors) {
            const auto place =
                std::ranges::find_if(symbol.connectors, [&](const auto& one) { return one.name.text == c.name.text; });
            EXPECT_TRUE(c.optional || place != symbol.connectors.end()) << c.name.text;
        }
        for (const auto& a : symbol.connectors) {
            for (const auto& b : symbol.connectors)
                EXPECT_TRUE(&a == &b || a.at != b.at) << a.name.text << " and " << b.name.text;
        }
    }
}

TEST(LibrarySymbols, OfChemistryStandForEveryPart) {
    std::size_t parts = 0;
    for (const std::string& file : test::model_files_below(test::source_folder() + "/tests/models/library/chemical")) {
        const std::string type = std::filesystem::path(file).stem().string();
        const model::Circuit circuit = circuit_of_file(file);
        for (const model::CircuitPart& part : circuit.parts) {
            if (part.type != type) continue;
            EXPECT_TRUE(part.symbol.has_value()) << part.name << " of " << type;
            ++parts;
        }
    }
    EXPECT_GT(BONDGRAPH_SWEEP * parts, 16U);
}

}  // namespace
}  // namespace bondgraph::drawing
