// Connector types with signals: the same run as with signals drawn one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/same_results.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using testing::HasSubstr;

std::string in_text(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// A rotor, its control by equations, and a wrapping of the rotor that hands its bus on.
const std::string kBusKinds = R"(
connector_types:
  bus:
    doc: a shaft, and what is known of it
    bonds: {shaft: rotational}
    signals:
      speed: {unit: rad/s, doc: of the shaft}
      wanted: rad/s
      drive: N.m
      spare:
)";
const std::string kBusTypes = R"(
types:
  Motor:
    connectors: {bus: bus}
    components:
      push: {type: Se, e: bus.drive}
      rotor: {type: I, I: 0.2 kg.m2}
      loss: {type: R, R: 0.1 N.m.s}
      j: {type: 1}
    bonds: [bus -> j, push -> j, j -> rotor, j -> loss]
    signals: [rotor.f -> bus.speed]
  Control:
    parameters: {gain: 2 N.m.s}
    connectors: {bus: bus}
    outputs: {y: {unit: N.m}}
    equations: [y = gain*(bus.wanted - bus.speed), bus.e = 0]
    signals: [y -> bus.drive]
  Wrapped:
    connectors: {bus: bus}
    components: {inner: {type: Motor}}
    connect: [[bus, inner.bus]]
)";
const std::string kBusParts = R"(
components:
  motor: {type: Motor}
  control: {type: Control}
  ramp: {type: Ramp, height: 10, duration: 0.5 s}
connect:
  - [motor.bus, control.bus]
signals:
  - ramp.y -> motor.bus.wanted
)";
const std::string kByHand = R"(
components:
  push: {type: Se}
  rotor: {type: I, I: 0.2 kg.m2}
  loss: {type: R, R: 0.1 N.m.s}
  j: {type: 1}
  ramp: {type: Ramp, height: 10, duration: 0.5 s}
bonds: [push -> j, j -> rotor, j -> loss]
parameters: {g: 2 N.m.s}
signals: ["g*(ramp.y - rotor.f) -> push.e"]
)";

std::string bus_model() { return kBusKinds + kBusTypes + kBusParts; }

const std::vector<std::string> kOfTheBus{"motor.bus.speed", "control.bus.drive", "motor.rotor.f"};
const std::vector<std::string> kOfTheHand{"rotor.f", "push.e", "rotor.f"};

void expect_as_by_hand(const std::string& text, const std::vector<std::string>& names = kOfTheBus) {
    Pipeline bus(text);
    Pipeline hand(kByHand);
    expect_same(bus, names, hand, kOfTheHand, 1e-6);
}

TEST(HandedSignals, AreTheSameAsSignalsDrawnOneByOne) { expect_as_by_hand(bus_model()); }

TEST(HandedSignals, GoThroughTypesThatHandTheirConnectorOn) {
    const std::string wrapped = in_text(bus_model(), "motor: {type: Motor}", "motor: {type: Wrapped}");
    expect_as_by_hand(wrapped, {"motor.bus.speed", "motor.inner.bus.drive", "motor.inner.rotor.f"});
}

TEST(HandedSignals, HoldInAnyOrderOfTheFileAndUnderAnyName) {
    expect_as_by_hand(kBusParts + kBusTypes + kBusKinds);
    expect_as_by_hand(in_text(bus_model(), "[motor.bus, control.bus]", "control.bus -- motor.bus"));
    expect_as_by_hand(in_text(bus_model(), "-> motor.bus.wanted", "-> control.bus.wanted"));
    std::string renamed = in_text(in_text(bus_model(), "drive", "antrieb"), "wanted", "soll");
    expect_as_by_hand(renamed, {"motor.bus.speed", "control.bus.antrieb", "motor.rotor.f"});
}

TEST(HandedSignals, NeedNoBondAndReachEveryOneThatIsJoined) {
    std::string text = in_text(bus_model(), "    bonds: {shaft: rotational}\n", "");
    text = in_text(in_text(text, "bonds: [bus -> j, push -> j", "bonds: [push -> j"), ", bus.e = 0", "");
    text = in_text(text, "control: {type: Control}", "control: {type: Control}\n  shown: {type: Shown}");
    text = in_text(text, "[motor.bus, control.bus]", "[motor.bus, shown.bus, control.bus]");
    text =
        in_text(text, "  Wrapped:",
                "  Shown:\n    connectors: {bus: bus}\n    outputs: [y]\n    equations: [y = bus.speed]\n  Wrapped:");
    expect_as_by_hand(text, {"shown.y", "shown.bus.drive", "motor.rotor.f"});
}

TEST(HandedSignals, JoinPartsOfArraysByTheirNumber) {
    std::string text = in_text(bus_model(), "motor: {type: Motor}", "motor[2]: {type: Motor}");
    text = in_text(text, "control: {type: Control}", "control[2]: {type: Control, gain: 2*i}");
    text = in_text(text, "  - [motor.bus, control.bus]", "  - motor[i].bus -- control[i].bus");
    text = in_text(text, "-> motor.bus.wanted", "-> motor[i].bus.wanted");
    expect_as_by_hand(text, {"motor[1].bus.speed", "control[1].bus.drive", "motor[1].rotor.f"});
    Pipeline other(text);
    Pipeline hand(in_text(kByHand, "g: 2 N", "g: 4 N"));
    expect_same(other, {"motor[2].bus.speed"}, hand, {"rotor.f"}, 1e-6);
}

TEST(HandedSignals, HoldBesideAPartThatSwitches) {
    const std::string what = "-> motor.bus.wanted";
    Pipeline bus(in_text(in_text(bus_model(), "ramp.y " + what, "if time > 0.3 then ramp.y else 1 " + what),
                         "loss: {type: R, R: 0.1 N.m.s}",
                         "loss: {type: R, R: \"if bus.speed > 3 then 0.5 else 0.1\"}"));
    Pipeline hand(in_text(in_text(kByHand, "g*(ramp.y", "g*((if time > 0.3 then ramp.y else 1)"), "R: 0.1 N.m.s",
                          "R: \"if rotor.f > 3 then 0.5 else 0.1\""));
    expect_same(bus, kOfTheBus, hand, kOfTheHand, 1e-5);
}

TEST(HandedSignals, MayBeVectorsGivenWholeOrByComponents) {
    const std::string kinds = "connector_types: {list: {signals: [x]}}\n";
    const std::string types = R"(
types:
  Sum:
    connectors: {p: list}
    outputs: [y]
    equations: ["y = p.x[1] + 10*p.x[2]"]
  Give:
    connectors: {p: list}
    outputs: [y]
    equations: [y = 2]
    signals: GIVEN
components: {sum: {type: Sum}, give: {type: Give}}
connect: [[sum.p, give.p]]
)";
    for (const char* given : {"[\"[y, 3*y] -> p.x\"]", "[\"y -> p.x[1]\", \"3*y -> p.x[2]\"]"}) {
        Pipeline p(kinds + in_text(types, "GIVEN", given));
        EXPECT_DOUBLE_EQ(p.run({.stop = 1.0}, {"sum.y"}).result.at(0, 0), 62.0) << given;
    }
}

TEST(HandedSignals, AreGivenOnceWhereTheyAreRead) {
    using Codes = std::vector<std::string>;
    EXPECT_EQ(test::errors_in(in_text(bus_model(), "  - ramp.y -> motor.bus.wanted\n", "")), Codes{"BG-M086"});
    EXPECT_THAT(test::message_in(in_text(bus_model(), "  - ramp.y -> motor.bus.wanted\n", "")),
                HasSubstr("nothing gives 'control.bus.wanted'"));
    EXPECT_EQ(test::errors_in(in_text(bus_model(), "  - [motor.bus, control.bus]", "  - [motor.bus]")).front(),
              "BG-M033");
    EXPECT_EQ(test::errors_in(bus_model() + "  - ramp.y -> control.bus.wanted\n"), Codes{"BG-M086"});
    EXPECT_THAT(test::message_in(bus_model() + "  - ramp.y -> control.bus.wanted\n"), HasSubstr("is given twice"));
    EXPECT_EQ(test::errors_in(bus_model() + "  - ramp.y -> motor.bus.wanted\n"), Codes{"BG-M016"});
    EXPECT_EQ(test::errors_in(bus_model() + "  - ramp.y -> motor.bus.speed\n"), Codes{"BG-M016"});
    EXPECT_EQ(test::errors_in(bus_model() + "  - ramp.y -> motor.bus.sped\n"), Codes{"BG-M086"});
    EXPECT_EQ(test::errors_in(in_text(bus_model(), "e: bus.drive", "e: bus.drave")), Codes{"BG-X001"});
    EXPECT_EQ(test::errors_in(
                  in_text(bus_model(), "rotor.f -> bus.speed", "bus.wanted -> bus.speed, bus.speed -> bus.spare")),
              Codes{});
    EXPECT_EQ(test::errors_in(in_text(bus_model(), "ramp.y -> motor", "2*motor.bus.wanted -> motor")),
              Codes{"BG-M015"});
    EXPECT_EQ(test::errors_in(in_text(bus_model(), "ramp.y -> motor.bus.wanted", "motor.loss.e -> motor.bus.wanted")),
              Codes{"BG-U002"});
}

TEST(HandedSignals, HaveNamesThatNothingElseOfTheirConnectorHas) {
    const auto errors = [](const std::string& name) {
        return test::errors_in(in_text(bus_model(), "      spare:\n", "      " + name + ":\n"));
    };
    for (const char* taken : {"e", "f", "power", "torque", "angular_velocity"})
        EXPECT_EQ(errors(taken), std::vector<std::string>{"BG-M079"}) << taken;
    EXPECT_EQ(errors("shaft"), std::vector<std::string>{});
    EXPECT_EQ(errors("if"), std::vector<std::string>{"BG-M017"});
}

}  // namespace
}  // namespace bondgraph
