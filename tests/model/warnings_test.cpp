// What is allowed, but hardly ever meant.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

std::string warnings_of(const std::string& text) {
    Pipeline p(text);
    std::string all;
    for (const Diagnostic& d : p.graph().warnings) all += render(d, p.sources());
    return all;
}

TEST(SeparateParts, OfTwoGraphsSideBySideAreNamed) {
    EXPECT_THAT(warnings_of(R"(model: two
components:
  battery: {type: Se, e: 12 V}
  loop: {type: 1}
  lamp: {type: R, R: 3 ohm}
  spare: {type: Se, e: 6 V}
  ring: {type: 1}
  bulb: {type: R, R: 1 ohm}
bonds: [battery -> loop, loop -> lamp, spare -> ring, ring -> bulb]
)"),
                testing::HasSubstr(R"(:6:3: warning: the model falls into 2 parts that nothing joins [BG-M068]
    6 |   spare: {type: Se, e: 6 V}
      |   ^
  where:   part 1: 'battery', 'loop', 'lamp'
  where:   part 2: 'spare', 'ring', 'bulb'
  try:     a bond or a signal that is missing; parts that have nothing to do with each other run faster in files of their own
)"));
}

TEST(SeparateParts, AreOneWhereASignalOrANamedResultJoinsThem) {
    const std::string parts = R"(
components:
  battery: {type: Se, e: 12 V}
  loop: {type: 1}
  lamp: {type: R, R: 3 ohm}
  meter: {type: Df}
  drive: {type: Sf, domain: rotational%1}
  ring: {type: 1}
  wheel: {type: R, R: 1 N.m.s}
bonds: [battery -> loop, loop -> lamp, loop -> meter, drive -> ring, ring -> wheel]
)";
    const auto with = [&](const std::string& value, const std::string& rest) {
        std::string text = parts;
        text.replace(text.find("%1"), 2, value);
        return warnings_of(text + rest);
    };
    EXPECT_THAT(with(", f: 3", ""), testing::HasSubstr("BG-M068"));
    EXPECT_EQ(with("", "signals: [k*meter.y -> drive.f]\nparameters: {k: 1 rad/(A.s)}\n"), "");
    EXPECT_EQ(with(", f: k*lamp.f", "parameters: {k: 1 rad/(A.s)}\n"), "");
}

TEST(SeparateParts, OneComponentOfAnOwnTypeIsOnePart) {
    EXPECT_EQ(warnings_of(R"(
types:
  Twin:
    components: {a: {type: Se, e: 1}, r: {type: R, R: 1}, b: {type: Se, e: 1}, s: {type: R, R: 1}}
    bonds: [a -> r, b -> s]
components: {twin: {type: Twin}}
)"),
              "");
}

TEST(LoneVector, OfOneListAmongScalarsIsToldOf) {
    EXPECT_THAT(warnings_of(R"(model: v
components:
  s: {type: Se, e: 12 V}
  j: {type: 1}
  Ra: {type: R, R: [0.5 ohm, 1 ohm]}
  La: {type: I, I: 2 mH}
bonds: [s -> j, j -> Ra, j -> La]
)"),
                testing::HasSubstr(
                    R"(:5:20: warning: 'R' of 'Ra' makes vectors of 2 components of all bonds around it [BG-M069]
    5 |   Ra: {type: R, R: [0.5 ohm, 1 ohm]}
      |                    ^
  because: everything else there is given by single numbers, which then hold for each component
)"));
}

TEST(LoneVector, OfOneSizeAmongScalarsIsToldOf) {
    EXPECT_THAT(warnings_of(R"(
components: {s: {type: Se, e: 12 V}, j: {type: 1, size: 2}, Ra: {type: R, R: 1 ohm}, La: {type: I, I: 2 mH}}
bonds: [s -> j, j -> Ra, j -> La]
)"),
                testing::HasSubstr("warning: 'size' of 'j' makes vectors of 2 components"));
}

TEST(LoneVector, IsMeantWhereAnythingElseKnowsOfComponents) {
    const auto with = [](const std::string& source, const std::string& coil, const std::string& rest) {
        return warnings_of("components: {s: {type: Se, e: " + source + "}, j: {type: 1}, Ra: {type: R, R: [1, 2]}, " +
                           "La: {type: I, I: 1" + coil + "}}\nbonds: [s -> j, j -> Ra, j -> La]\n" + rest);
    };
    EXPECT_THAT(with("1", "", ""), testing::HasSubstr("BG-M069"));
    EXPECT_EQ(with("[1, 0]", "", ""), "");
    EXPECT_EQ(with("1", ", initial: {p: [0, 1]}", ""), "");
    EXPECT_EQ(with("1", "", "outputs: [\"La.f[2]\"]\n"), "");
    EXPECT_EQ(with("1", ", size: 2", ""), "");
    EXPECT_EQ(with("g", "", "parameters: {g: [1, 2]}\n"), "");
}

// A force has components by its nature, masses are scalars.
TEST(LoneVector, OfASourceIsMeant) {
    EXPECT_EQ(warnings_of(R"(
components: {s: {type: Se, e: [0 N, -9 N]}, j: {type: 1}, m: {type: I, I: 2 kg}, d: {type: R, R: 1 N.s/m}}
bonds: [s -> j, j -> m, j -> d]
)"),
              "");
}

TEST(Temperature, OfASourceOrStartBelowAbsoluteZeroIsToldOf) {
    EXPECT_THAT(warnings_of(R"(model: cold
components:
  ice:  {type: Se, e: -5 K, domain: thermal_pseudo}
  wall: {type: R, R: 1 K/W}
  gap:  {type: 1}
  room: {type: 0}
  air:  {type: C, C: 10 J/K, initial: {q: -20 J}}
  node: {type: 0}
bonds: [ice -> node, node -> gap, gap -> wall, gap -> room, room -> air]
)"),
                testing::AllOf(testing::HasSubstr(":3:23: warning: the temperature of 'ice' is -5 K, below absolute "
                                                  "zero [BG-M070]"),
                               testing::HasSubstr("the temperature of 'air' is -2 K, below absolute zero [BG-M070]")));
}

// The manual's way to say that two sources oppose each other.
TEST(Temperature, OfASourceThatOpposesAnotherMayBeNegative) {
    EXPECT_EQ(warnings_of(R"(
components:
  hot:  {type: Se, e: 350 K, domain: thermal_pseudo}
  cold: {type: Se, e: -300 K, domain: thermal_pseudo}
  gap:  {type: 1}
  wall: {type: R, R: 1 K/W}
bonds: [hot -> gap, cold -> gap, gap -> wall]
)"),
              "");
}

// Also one that is no source's and no start value's, by its name and unit; what has been told of is not told of again.
TEST(Temperature, OfAParameterBelowAbsoluteZeroIsToldOf) {
    const auto with = [](const std::string& parameters, const std::string& source, const std::string& own) {
        return warnings_of("model: cold\nparameters: {" + parameters +
                           "}\ntypes:\n  Dep:\n    ports: {p: {domain: electrical}}\n"
                           "    parameters: {T: 300 K, dT: 1 K, k: 1 V/(A.K)}\n    equations: [p.e = k*(T + dT)*p.f]\n"
                           "components:\n  s: {type: Se, e: 5 V}\n  j: {type: 0}\n  d: {type: Dep" +
                           own + "}\n  a: {type: Se, e: " + source +
                           ", domain: thermal_pseudo}\n  n: {type: 0}\n  c: {type: C, C: 1 J/K}\n" +
                           "bonds: [s -> j, j -> d, a -> n, n -> c]\n");
    };
    const std::string told = ": warning: the temperature of '";
    EXPECT_THAT(with("T: -5 K", "300 K", ""), testing::HasSubstr(":2:17" + told + "T' is -5 K, below absolute zero"));
    EXPECT_THAT(with("T_room: {value: -5 K}", "300 K", ""), testing::HasSubstr(told + "T_room' is -5 K"));
    EXPECT_THAT(with("T: 5 K", "300 K", ", T: -3 K"), testing::HasSubstr(":11:21" + told + "d.T' is -3 K"));
    const std::string once = with("T: -5 K", "T", ", T: T");
    EXPECT_THAT(once, testing::HasSubstr(told + "a' is -5 K"));
    EXPECT_EQ(once.find(told), once.rfind(told));
    const std::string alone = with("T: -5 K", "300 K", ", T: T");
    EXPECT_EQ(alone.find(told), alone.rfind(told));
    for (const char* difference : {"dT: -5 K", "Tension: -5 K", "T: -5 V", "T: -5", "T1: 5 K", "a: -20 K"}) {
        const std::string text = with(difference, "300 K", ", dT: -2 K");
        EXPECT_THAT(text, testing::Not(testing::HasSubstr("absolute zero"))) << difference;
    }
}

TEST(FormerNames, AreReadWithAWarningWhereverAParameterIsNamed) {
    const std::string rest = R"(
  x: {type: Sine, amplitude: 3}
signals: [x.y -> relay.u]
)";
    const auto relay = [&](const std::string& settings) {
        return "model: r\ncomponents:\n  relay: {type: Relay, " + settings + "}" + rest;
    };
    EXPECT_EQ(warnings_of(relay("closes_above: 1, opens_below: -1")), "");
    EXPECT_THAT(warnings_of(relay("on: 1, off: -1")),
                testing::HasSubstr(R"(:3:24: warning: 'on' of Relay is now called 'closes_above' [BG-M067]
    3 |   relay: {type: Relay, on: 1, off: -1}
      |                        ^
  because: the next version no longer knows the old name
  try:     write 'closes_above'
)"));
    const auto level = [&](const std::string& override_text, const std::string& settings) {
        Pipeline p(relay(settings));
        p.set(override_text);
        const auto& graph = p.graph();
        return graph.elements[graph.element_by_name.at("relay").index()].parameter("closes_above")->value(0, 0);
    };
    EXPECT_TRUE(level("relay.on=2", "closes_above: 1, opens_below: -1").is_constant(2.0));
    EXPECT_TRUE(level("relay.closes_above=2", "on: 1, off: -1").is_constant(2.0));
}

}  // namespace
}  // namespace bondgraph
