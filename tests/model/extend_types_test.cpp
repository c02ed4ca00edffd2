// What a type extends is in it.

#include "bondgraph/io/extend_types.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Codes = std::vector<std::string>;

const std::string kTypes = R"(
types:
  TwoPins:
    doc: two pins and a current between them
    parameters: {scale: {value: 2, min: 0, doc: how much}}
    connectors: {p: pin, n: pin}
    components:
      loop: {type: 1, domain: electrical}
    bonds: [p -> loop, loop -> n]
  Resistor:
    extends: TwoPins
    parameters: {R: 3 ohm}
    components:
      r: {type: R, R: R*scale}
    bonds: [loop -> r]
  Larger:
    extends: Resistor
    parameters: {scale: 5}
  Diode:
    extends: Resistor
    parameters: {k: 0.5 ohm}
    components:
      r: {type: R, law: e = k*f}
  Nominal:
    extends: Resistor
    components:
      r: {R: 7 ohm}
components:
  battery: {type: Se, e: 12 V}
  ground: {type: Se, e: 0 V}
  x: {type: TYPE}
bonds: [battery -> x.p, ground -> x.n]
)";

double current_of(const std::string& type, const std::string& set = {}) {
    std::string text = kTypes;
    text.replace(text.find("TYPE"), 4, type);
    Pipeline p(text);
    if (!set.empty()) p.set(set);
    return p.run({.stop = 1.0}, {"x.loop.f"}).result.at(0, 0);
}

TEST(Extends, TakesPortsPartsAndLawsAndChangesDefaults) {
    EXPECT_NEAR(current_of("Resistor"), 12.0 / 6.0, 1e-12);
    EXPECT_NEAR(current_of("Larger"), 12.0 / 15.0, 1e-12);
    EXPECT_NEAR(current_of("Larger", "x.R=1 ohm"), 12.0 / 5.0, 1e-12);
    EXPECT_NEAR(current_of("Diode"), 24.0, 1e-12);
    EXPECT_NEAR(current_of("Nominal"), 12.0 / 7.0, 1e-12);
}

TEST(Extends, KeepsTheBoundsOfItsBase) {
    const auto with = [](const std::string& k) {
        return test::errors_in(
            "types:\n  A: {ports: {p: {}}, parameters: {k: {value: 2, min: 0}}, equations: [p.e = k*p.f]}\n"
            "  B: {extends: A, parameters: {k: " +
            k + "}}\ncomponents:\n  s: {type: Se, e: 8}\n  x: {type: B}\nbonds: [s -> x.p]\n");
    };
    EXPECT_EQ(with("4"), Codes{});
    EXPECT_EQ(with("-4"), Codes{"BG-M013"});
}

TEST(Extends, AddsEquationsAndVariables) {
    Pipeline p(R"(
types:
  Load:
    ports: {p: {}}
    parameters: {k: 2}
    variables: {loss: {}}
    equations: [p.e = k*p.f]
  Counted:
    extends: Load
    parameters: {k: 4}
    variables: {work: {start: 1}}
    equations: [loss = p.e*p.f, der(work) = loss]
components:
  s: {type: Se, e: 8}
  x: {type: Counted}
bonds: [s -> x.p]
)");
    const auto r = p.run({.stop = 1.0, .tolerance = 1e-8}, {"x.loss", "x.work"}).result;
    EXPECT_NEAR(r.at(0, 0), 16.0, 1e-9);
    EXPECT_NEAR(r.at(r.time.size() - 1, 1), 17.0, 1e-6);
}

TEST(OwnTypesOfManyVariables, FindEachByItsName) {
    // A chain of 40 first-order lags, each with its own start value; the last ones are also given from outside.
    std::string variables;
    std::string equations;
    for (int k = 1; k <= 40; ++k) {
        variables += fmt::format("      x{}: {{start: {}}}\n", k, k);
        equations += fmt::format("      - der(x{0}) = -{0}*x{0}\n", k);
    }
    Pipeline p("types:\n  Lags:\n    ports: {p: {}}\n    variables:\n" + variables + "    equations:\n" + equations +
               "      - p.e = p.f + x40\n"
               "components:\n  s: {type: Se, e: 1}\n  lags: {type: Lags, initial: {x39: -5}}\nbonds: [s -> lags.p]\n");
    const auto r = p.run({.stop = 0.1, .tolerance = 1e-9}, {"lags.x1", "lags.x17", "lags.x39", "lags.x40"}).result;
    const std::size_t last = r.time.size() - 1;
    EXPECT_NEAR(r.at(last, 0), std::exp(-0.1), 1e-7);
    EXPECT_NEAR(r.at(last, 1), 17.0 * std::exp(-1.7), 1e-6);
    EXPECT_NEAR(r.at(last, 2), -5.0 * std::exp(-3.9), 1e-6);
    EXPECT_NEAR(r.at(last, 3), 40.0 * std::exp(-4.0), 1e-6);
}

TEST(Extends, WorksInAnyOrderOfTypes) {
    const std::string body = R"(
components:
  s: {type: Se, e: 8}
  x: {type: C}
bonds: [s -> x.p]
)";
    const std::string a = "  A:\n    ports: {p: {}}\n    parameters: {k: 2}\n    equations: [p.e = k*p.f]\n";
    const std::string b = "  B: {extends: A, parameters: {k: 4}}\n";
    const std::string c = "  C: {extends: B}\n";
    for (const std::string& order : {a + b + c, c + b + a, b + c + a, c + a + b}) {
        Pipeline p("types:\n" + order + body);
        EXPECT_NEAR(p.run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0), 2.0, 1e-12) << order;
    }
}

Codes errors_of_types(const std::string& types, const std::string& used = "A") {
    return test::errors_in("types:\n" + types + "components:\n  s: {type: Se, e: 8}\n  x: {type: " + used +
                           "}\nbonds: [s -> x.p]\n");
}

TEST(Extends, IsRefusedWhereItLeadsNowhere) {
    const std::string base = "  A: {ports: {p: {}}, equations: [p.e = 2*p.f]}\n";
    EXPECT_EQ(errors_of_types(base), Codes{});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: AA}\n"), Codes{"BG-M001"});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: R}\n"), Codes{"BG-M001"});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: B}\n"), Codes{"BG-M076"});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: C}\n  C: {extends: B}\n"), Codes{"BG-M076"});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: A, components: {r: {R: 2}}}\n"), Codes{"BG-M032"});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: A, parameters: {p2: 1}, inputs: {p2: {}}}\n"), Codes{"BG-M017"});
}

TEST(Extends, FromATypeThatIsOnlyABaseNeedsContent) {
    const std::string base = "  Base: {ports: {p: {}}, parameters: {k: 2}}\n";
    const std::string a = "  A: {extends: Base, equations: [p.e = k*p.f]}\n";
    EXPECT_EQ(errors_of_types(base + a), Codes{});
    EXPECT_EQ(errors_of_types(base + a, "Base"), Codes{"BG-M034"});
    EXPECT_EQ(errors_of_types(a + base + "  Alone: {parameters: {k: 2}}\n"), Codes{"BG-M034"});
}

TEST(Extends, HasArraysAndConditionsOfItsBase) {
    Pipeline p(R"(
types:
  Loads:
    parameters: {n: 2, more: false}
    ports: {p: {}}
    components:
      j: {type: 1}
      r[n]: {type: R, R: i}
      extra: {type: R, R: 10, if: more}
    bonds: [p -> j, "j -> r[i]", j -> extra]
  Three:
    extends: Loads
    parameters: {n: 3, more: true}
    components:
      r[n]: {R: 2*i}
components:
  s: {type: Se, e: 22}
  x: {type: Three}
bonds: [s -> x.p]
)");
    EXPECT_NEAR(p.run({.stop = 1.0}, {"x.j.f"}).result.at(0, 0), 1.0, 1e-12);
    const std::string base =
        "  A: {ports: {p: {}}, components: {j: {type: 1}, 'r[2]': {type: R, R: 1}}, "
        "bonds: [p -> j, 'j -> r[i]']}\n";
    EXPECT_EQ(errors_of_types(base + "  B: {extends: A, components: {'r[1]': {R: 2}}}\n", "B"), Codes{"BG-M074"});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: A, components: {r: {R: 2, if: i > 1}}}\n", "B"), Codes{});
    EXPECT_EQ(errors_of_types(base + "  B: {extends: A, components: {'r[2]': {R: 2, if: i > 1}}}\n", "B"), Codes{});
}

}  // namespace
}  // namespace bondgraph
