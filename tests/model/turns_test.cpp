// Hz counts periods, rad/s measures an angle: where one is taken for the other, and what turns one into the other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::errors_of;
using test::Pipeline;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kParameters =
    "parameters: {f0: 50 Hz, w0: 3 rad/s, n: 2, T: 1 s, k: 6.2832, U: 12 V, c: {value: 2*pi}, angle: 2 rad}\n";

std::vector<std::string> errors_in(const std::string& text) {
    return errors_of([&] { Pipeline(text).graph(); });
}

/// A shaft driven at that angular velocity.
std::vector<std::string> as_flow(const std::string& value) {
    return errors_in(kParameters + ("components:\n  s: {type: Sf, f: \"" + value + "\"}\n" +
                                    "  j: {type: 1}\n  c: {type: C, K: 1 N.m/rad}\nbonds: [s -> j, j -> c]\n"));
}

std::vector<std::string> as_frequency(const std::string& value) {
    return errors_in(kParameters + ("components:\n  s: {type: Sine, frequency: \"" + value + "\"}\n"));
}

TEST(Turns, HzIsNoAngularVelocityWhateverNumberMultipliesIt) {
    for (const char* value : {"f0", "-f0", "2*f0", "f0/2", "n*f0", "f0/n", "w0 + f0", "f0*(1 + 0.1)", "max(f0, 2*f0)",
                              "if time > 1 then f0 else 0"})
        EXPECT_THAT(as_flow(value), testing::Not(IsEmpty())) << value;
}

TEST(Turns, PiTurnsOneIntoTheOther) {
    for (const char* value : {"w0", "2*w0", "2*pi*f0", "f0*2*pi", "2*f0*pi", "k*f0", "c*f0", "6.28*f0", "10*pi*f0",
                              "n*pi/30*f0", "w0 + 2*pi*f0", "1/T", "angle/T", "angle*f0", "2*pi/T"})
        EXPECT_THAT(as_flow(value), IsEmpty()) << value;
    for (const char* value : {"f0", "3*f0", "w0/(2*pi)", "w0/k", "0.159155*w0", "1/T", "f0/n"})
        EXPECT_THAT(as_frequency(value), IsEmpty()) << value;
    for (const char* value : {"w0", "w0/n"}) EXPECT_THAT(as_frequency(value), ElementsAre("BG-U002")) << value;
}

TEST(Turns, ASineTakesAnAngle) {
    const auto source = [](const std::string& value) {
        return errors_in(kParameters + ("components:\n  s: {type: Se, e: \"" + value +
                                        "\"}\n  r: {type: R, R: 1 ohm}\n" + "bonds: [s -> r]\n"));
    };
    EXPECT_THAT(source("U*sin(f0*time)"), ElementsAre("BG-X001"));
    EXPECT_THAT(source("U*cos(time*f0 + 1)"), ElementsAre("BG-X001"));
    for (const char* value : {"U*sin(2*pi*f0*time)", "U*sin(time*f0*2*pi)", "U*sin(w0*time)", "U*sin(314*time)"})
        EXPECT_THAT(source(value), IsEmpty()) << value;
}

TEST(Turns, UnitsMadeOfHzDifferAsMuch) {
    const auto motor = [](const std::string& ratio) {
        return errors_in("components:\n  s: {type: Se, e: 1 V}\n  m: {type: GY, r: " + ratio +
                         "}\n  b: {type: R, R: 1 N.m.s}\nbonds: [s -> m.p1, m.p2 -> b]\n");
    };
    EXPECT_THAT(motor("0.01 V/Hz"), ElementsAre("BG-U002"));
    EXPECT_THAT(motor("0.01 V.s/rad"), IsEmpty());
    EXPECT_THAT(motor("0.01 V.s/rev"), IsEmpty());
}

TEST(Turns, InputsHaveTheUnitTheyDeclare) {
    const auto with = [](const std::string& equation) {
        return errors_in(
            "types:\n  T:\n    inputs: {u: {unit: V}, f: {unit: rad/s}}\n    outputs: {y: {unit: Hz}, "
            "z: {unit: m}}\n    equations: [" +
            equation +
            "]\ncomponents:\n  a: {type: Constant, k: 3}\n  t: {type: T}\nsignals: [a.y -> t.u, a.y -> t.f]\n");
    };
    EXPECT_THAT(with("y = f/(2*pi), z = 0"), IsEmpty());
    EXPECT_THAT(with("y = f, z = 0"), ElementsAre("BG-U002"));
    EXPECT_THAT(with("y = 1, z = u"), ElementsAre("BG-U002"));
}

TEST(Turns, ASignalFromAnAngularVelocityIsNoFrequency) {
    EXPECT_THAT(errors_in("components:\n  s: {type: Sf, f: 10 rad/s}\n  r: {type: R, R: 1 N.m.s}\n"
                          "  w: {type: Sine}\nbonds: [s -> r]\nsignals: [r.f -> w.frequency]\n"),
                ElementsAre("BG-U002"));
}

}  // namespace
}  // namespace bondgraph
