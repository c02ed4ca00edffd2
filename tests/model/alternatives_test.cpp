// Parameters of which one is given and makes the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;

const std::string kLosses = R"(
types:
  Loss:
    parameters:
      R: {unit: ohm, value: 1/G, above: 0 ohm}
      G: {unit: S, value: 1/R, max: 100 S}
    alternatives: [[R, G]]
    ports: {p: {domain: electrical}}
    components:
      j: {type: 1}
      r: {type: R, R: R}
    bonds: [p -> j, j -> r]
  Copper: {extends: Loss, parameters: {R: 4 ohm}}
  Chosen:
    parameters: {R: {unit: ohm}, knee: {unit: A}, U: 8 V}
    alternatives: [R, knee]
    ports: {p: {domain: electrical}}
    components:
      j: {type: 1}
      r: {type: R, R: R, if: R.given}
      k: {type: R, law: e = U*f/knee, if: knee.given}
    bonds: [p -> j, j -> r, j -> k]
  Outer:
    parameters: {R: {unit: ohm, value: 1/G}, G: {unit: S, value: 1/R}}
    alternatives: [[R, G]]
    ports: {p: {domain: electrical}}
    components: {x: {type: Loss, R: R}}
    bonds: [p -> x.p]
  Bare:
    parameters: {R: {unit: ohm}, G: {unit: S}}
    alternatives: [[R, G]]
    ports: {p: {domain: electrical}}
    equations: [p.f = G*p.e]
records:
  Wire:
    parameters: {R: {unit: ohm, value: 1/G}, G: {unit: S, value: 1/R}, double: {value: 2*R, unit: ohm}}
    alternatives: [[R, G]]
  Thick: {extends: Wire, parameters: {G: 2 S}}
components:
  s: {type: Se, e: 12 V}
  x: {COMPONENT}
bonds: [s -> x.p]
)";

std::string losses_with(const std::string& component) {
    std::string text = kLosses;
    text.replace(text.find("COMPONENT"), 9, component);
    return text;
}

double loss_current(const std::string& component, const std::string& set = {}) {
    Pipeline p(losses_with(component));
    if (!set.empty()) p.set(set);
    return p.run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0);
}

std::string refusal_of(const std::string& text) {
    try {
        Pipeline(text).graph();
    } catch (const ModelError& e) {
        std::string all;
        for (const Diagnostic& d : e.diagnostics()) {
            all += d.code + " " + d.message + "\n";
            for (const auto& note : d.notes) all += note.text + "\n";
        }
        return all;
    }
    return "no error";
}

TEST(Alternatives, MakeEachOther) {
    EXPECT_NEAR(loss_current("type: Loss, R: 3 ohm"), 4.0, 1e-12);
    EXPECT_NEAR(loss_current("type: Loss, G: 2 S"), 24.0, 1e-12);
    EXPECT_NEAR(loss_current("type: Outer, R: 3 ohm"), 4.0, 1e-12);
    EXPECT_NEAR(loss_current("type: Outer, G: 2 S"), 24.0, 1e-12);
    EXPECT_NEAR(loss_current("type: Loss, G: 2 S", "x.G=4 S"), 48.0, 1e-12);
}

TEST(Alternatives, MayHaveOneInTheType) {
    EXPECT_NEAR(loss_current("type: Copper"), 3.0, 1e-12);
    EXPECT_NEAR(loss_current("type: Copper, R: 3 ohm"), 4.0, 1e-12);
    // what the type has is not what makes the one that is given
    EXPECT_NEAR(loss_current("type: Copper, R: 3 ohm", "x.R=6 ohm"), 2.0, 1e-12);
    EXPECT_THAT(refusal_of(losses_with("type: Copper, G: 2 S")),
                HasSubstr("'x.R' has no value: 'G' is given in its place"));
}

TEST(Alternatives, DecideBetweenParts) {
    EXPECT_NEAR(loss_current("type: Chosen, R: 3 ohm"), 4.0, 1e-12);
    EXPECT_NEAR(loss_current("type: Chosen, knee: 2 A"), 3.0, 1e-12);
}

TEST(Alternatives, OfRecordsAreHandedOn) {
    const auto wired = [](const std::string& record, const std::string& handed) {
        std::string text = losses_with("type: Wired, " + handed);
        text.replace(text.find("records:"), 0,
                     "  Wired:\n    parameters: {w: {record: Wire}}\n    ports: {p: {domain: electrical}}\n"
                     "    equations: ['p.f = p.e/w.double*(if w.G.given then 1 else 2)']\n");
        return text + "parameters: {mine: " + record + "}\n";
    };
    const auto flow = [&](const std::string& record, const std::string& handed) {
        return Pipeline(wired(record, handed)).run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0);
    };
    EXPECT_NEAR(flow("{record: Wire, R: 3 ohm}", "w: mine"), 4.0, 1e-12);
    EXPECT_NEAR(flow("{record: Wire, G: 0.5 S}", "w: mine"), 3.0, 1e-12);
    EXPECT_NEAR(flow("{record: Thick}", "w: mine"), 12.0, 1e-12);
    // a single one given beside a whole record comes before it, and what followed from the other follows from it
    EXPECT_NEAR(flow("{record: Wire, R: 3 ohm}", "w: mine, w.G: 0.25 S"), 1.5, 1e-12);
    EXPECT_NEAR(flow("{record: Wire, R: 3 ohm}", "w: {R: 6 ohm}"), 2.0, 1e-12);
}

TEST(Alternatives, AreExactlyOne) {
    EXPECT_THAT(refusal_of(losses_with("type: Loss")),
                HasSubstr("BG-M003 'x' needs 'R' or 'G': one of them has to be given"));
    EXPECT_THAT(refusal_of(losses_with("type: Loss, R: 2 ohm, G: 3 S")), HasSubstr("BG-M004 'x' has 'R' and 'G'"));
    EXPECT_THAT(refusal_of(losses_with("type: Outer")), HasSubstr("'x' needs 'R' or 'G'"));
    // bounds hold for what follows from the one that is given
    EXPECT_THAT(refusal_of(losses_with("type: Loss, R: 1 mohm")), HasSubstr("BG-M013 'G' must be at most 100 S"));
    // of the others' formulas a mistake in what is given is no further mistake
    EXPECT_EQ(refusal_of(losses_with("type: Loss, R: 2 V")).find("'G'"), std::string::npos)
        << refusal_of(losses_with("type: Loss, R: 2 V"));
    EXPECT_THAT(refusal_of(losses_with("type: Bare, R: 2 ohm")), HasSubstr("BG-M003 'x.G' has no value"));
    EXPECT_NEAR(loss_current("type: Bare, G: 2 S"), 24.0, 1e-12);
}

TEST(Alternatives, ArePartsOfArraysToo) {
    const std::string text = losses_with("type: Loss, R: 1 ohm") + "";
    std::string array = text;
    array.replace(array.find("x: {type: Loss, R: 1 ohm}"), 25,
                  "n: {type: 0}\n  y[2]: {type: Loss, G: i*unit}\n  x: {type: Loss, R: 1 ohm}");
    array.replace(array.find("bonds: [s -> x.p]"), 17, "bonds: [s -> n, n -> x.p, \"n -> y[i].p\"]");
    Pipeline p(array + "parameters: {unit: 1 S}\n");
    EXPECT_NEAR(p.run({.stop = 1.0}, {"y[2].p.f"}).result.at(0, 0), 24.0, 1e-12);
}

TEST(Alternatives, MayHaveFormulasInQuotes) {
    for (const auto& [given, flow] : {std::pair{"R: 3 ohm", 4.0}, std::pair{"G: 2 S", 24.0}}) {
        std::string text = losses_with(std::string("type: Loss, ") + given);
        text.replace(text.find("value: 1/G"), 10, "value: \"1/G\"");
        text.replace(text.find("value: 1/R"), 10, "value: '1/R'");
        Pipeline p(text);
        EXPECT_NEAR(p.run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0), flow, 1e-12);
    }
}

TEST(Alternatives, AreDrivenByNoSignal) {
    for (const std::string given : {", R: 7 ohm", ""}) {
        const std::string text =
            losses_with("type: Loss" + given + "}\n  c: {type: Constant, k: 0.25") + "signals: [c.y -> x.G]\n";
        EXPECT_THAT(refusal_of(text), HasSubstr(given.empty() ? "BG-M003" : "BG-M082 'G' is one of several"));
    }
}

TEST(Alternatives, NameParameters) {
    const auto wrong = [](const std::string& list) {
        std::string text = losses_with("type: Loss, R: 3 ohm");
        text.replace(text.find("[[R, G]]"), 8, list);
        return refusal_of(text);
    };
    EXPECT_THAT(wrong("[[R, g]]"), HasSubstr("BG-M082 'g' under 'alternatives:' is no parameter of 'Loss'"));
    EXPECT_THAT(wrong("[[R, G], [R, G]]"), HasSubstr("BG-M082 'R' stands under 'alternatives:' of 'Loss' twice"));
    EXPECT_THAT(wrong("[[R]]"), HasSubstr("BG-M082 alternatives are two parameters or more"));
    EXPECT_THAT(wrong("{R: G}"), HasSubstr("alternatives"));
}

}  // namespace
}  // namespace bondgraph
