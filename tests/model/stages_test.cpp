#include "bondgraph/model/stages.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "mechanics3d/catalogue.hpp"
#include "tests/support/pipeline.hpp"

// Each stage of flattening by itself: what a model consists of after it.
namespace bondgraph {
namespace {

using model::Stage;
using test::Pipeline;

constexpr const char* kLine = R"(
types:
  Section:
    parameters: {R: 2 ohm, C: {unit: F}}
    connectors: {a: pin, b: pin}
    components:
      j: {type: 1}
      n: {type: 0}
      r: {type: R, R: R}
      c: {type: C, C: C}
    bonds: [a -> j, j -> r, j -> n, n -> c, n -> b]
parameters: {C: 1 uF}
components:
  u: {type: Se}
  s[2]: {type: Section, C: C*i}
  wave: {type: Sine, amplitude: 3}
  load: {type: R, R: 50 ohm}
bonds:
  - feed: u -> s[1].a
  - s[2].b -> load
connect:
  - s[1].b -- s[2].a
signals: [wave.y -> u.e]
)";

std::string after(Stage stage, std::string_view text = kLine) {
    Pipeline p(text);
    return model::text_after(stage, p.model(), mechanics3d::full_catalogue(), p.units());
}

TEST(Stages, InstancesAreTypesAndArraysWrittenOut) {
    EXPECT_EQ(after(Stage::instances), R"(components
  s[1]: Section
  s[2]: Section
  u: Se
  s[1].j: 1
  s[1].n: 0
  s[1].r: R
  s[1].c: C
  s[2].j: 1
  s[2].n: 0
  s[2].r: R
  s[2].c: C
  wave: Sine
  load: R
)");
}

TEST(Stages, ConnectionsAreBondsFromPortToPortAndJunctions) {
    EXPECT_EQ(after(Stage::connected), R"(components
  s[1]: Section
  s[2]: Section
  u: Se
  s[1].j: 1
  s[1].n: 0
  s[1].r: R
  s[1].c: C
  s[2].j: 1
  s[2].n: 0
  s[2].r: R
  s[2].c: C
  wave: Sine
  load: R
  s[1].b.p: 0
bonds
  s[1].n -> s[1].b.p
  s[1].b.p -> s[2].j
  feed: u -> s[1].j
  s[2].n -> load
  s[1].j -> s[1].r
  s[1].j -> s[1].n
  s[1].n -> s[1].c
  s[2].j -> s[2].r
  s[2].j -> s[2].n
  s[2].n -> s[2].c
signals
  wave.y -> u.e
)");
}

TEST(Stages, SizesBelongToBonds) {
    EXPECT_EQ(after(Stage::sized, R"(
components:
  pull: {type: Se, e: [1, 2, 3]}
  mass: {type: I, I: 2 kg}
  j: {type: 1}
  parts: {type: Decompose}
  r[3]: {type: R, R: 1}
bonds:
  - pull -> j
  - j -> mass
  - j -> parts.p
  - parts.p1 -> r[1]
  - parts.p2 -> r[2]
  - parts.p3 -> r[3]
)"),
              R"(components
  pull: Se
  mass: I
  j: 1
  parts: Decompose
  r[1]: R
  r[2]: R
  r[3]: R
bonds
  pull -> j (3)
  j -> mass (3)
  j -> parts.p (3)
  parts.p1 -> r[1] (1)
  parts.p2 -> r[2] (1)
  parts.p3 -> r[3] (1)
)");
}

TEST(Stages, EvaluatedIsTheBondGraph) {
    EXPECT_EQ(after(Stage::evaluated), R"(components
  s[1]: Section
  s[2]: Section
  u: Se (e = wave.y)
  s[1].j: 1
  s[1].n: 0
  s[1].r: R (R = 2 ohm)
  s[1].c: C (C = 1e-6 F)
  s[2].j: 1
  s[2].n: 0
  s[2].r: R (R = 2 ohm)
  s[2].c: C (C = 2e-6 F)
  wave: Sine (amplitude = 3, frequency = 1, phase = 0, offset = 0, start = 0)
  load: R (R = 50 ohm)
  s[1].b.p: 0
bonds
  s[1].n -> s[1].b.p (1, electrical)
  s[1].b.p -> s[2].j (1, electrical)
  feed: u -> s[1].j (1, electrical)
  s[2].n -> load (1, electrical)
  s[1].j -> s[1].r (1, electrical)
  s[1].j -> s[1].n (1, electrical)
  s[1].n -> s[1].c (1, electrical)
  s[2].j -> s[2].r (1, electrical)
  s[2].j -> s[2].n (1, electrical)
  s[2].n -> s[2].c (1, electrical)
signals
  wave.y -> u.e
)");
}

TEST(Stages, WhatIsDeclaredIsToldByTheFile) { EXPECT_THROW(after(Stage::declared), std::invalid_argument); }

TEST(Stages, MistakesOfAStageAreThoseFoundUpToIt) {
    const char* const text = R"(
components: {s: {type: Se, e: 1 V}, j: {type: 1}, r: {type: R, R: x}}
bonds: [s -> j, j -> r]
)";
    EXPECT_NO_THROW(after(Stage::sized, text));
    EXPECT_THROW(after(Stage::evaluated, text), ModelError);
}

}  // namespace
}  // namespace bondgraph
