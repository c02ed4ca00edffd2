// Frames around the parts of sub-models: what lies in which.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/drawing/layout.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

constexpr const char* kInnerSubModel = R"(
parameters: {A: 20 cm2}
types:
  Sub:
    parameters: {k: {unit: N/m}}
    ports: {p: {domain: translational}}
    components:
      j: {type: 1}
      spring_with_long_name: {type: C, K: k}
      damp: {type: R, R: 100 N.s/m}
      inner: {type: Inner}
    bonds: [p -> j, j -> spring_with_long_name, j -> damp, j -> inner.p]
  Inner:
    ports: {p: {domain: translational}}
    components:
      j: {type: 0}
      c: {type: C, K: 1000 N/m}
      r: {type: R, R: 3 N.s/m}
    bonds: [p -> j, j -> c, j -> r]
components:
  pump: {type: Sf, f: 1 l/min}
  n: {type: 0}
  acc: {type: C, C: 1e-11 m3/Pa}
  leak: {type: R, R: 1e12 Pa.s/m3}
  cyl: {type: TF, m: 1/A}
  v: {type: 1}
  mass: {type: I, I: 100 kg}
  sub: {type: Sub, k: 1 kN/m}
  meas: {type: Df}
  g: {type: Gain, k: 2}
  sine: {type: Sine}
  s2: {type: Sum}
  fs: {type: Se}
bonds: [pump -> n, n -> acc, n -> leak, n -> cyl.p1, cyl.p2 -> v, v -> mass, v -> sub.p, v -> meas, fs -> v]
signals: [meas.y -> g.u, g.y -> s2.u1, sine.y -> s2.u2, s2.y -> fs.e]
)";

constexpr const char* kPins = R"(
types:
  Motor:
    parameters: {k: {unit: N.m/A}, R: 1 ohm, J: {unit: kg.m2, value: 0.01 kg.m2, min: 1e-6, max: 1}}
    connectors: {p: pin, n: pin, f: flange}
    components:
      j: {type: 1}
      r: {type: R, R: R}
      g: {type: GY, r: k}
      v: {type: 1}
      i: {type: I, I: J}
    bonds: [p -> j, j -> n, j -> r, j -> g.p1, g.p2 -> v, v -> i, v -> f]
  Res:
    parameters: {R: {unit: ohm}}
    connectors: {p: pin, n: pin}
    equations: [p.e - n.e = R*p.f, p.f + n.f = 0]
  Src:
    parameters: {U: {unit: V}}
    connectors: {p: pin, n: pin}
    components: {s: {type: Se, e: U}, j: {type: 1}}
    bonds: [s -> j, n -> j, j -> p]
  Gnd:
    connectors: {p: pin}
    equations: [p.e = 0]
components:
  m: {type: Motor, k: 0.1 N.m/A}
  r: {type: Res, R: 2 ohm}
  s: {type: Src, U: 12 V}
  g: {type: Gnd}
  load: {type: R, R: 1e-3 N.m.s/rad}
connect: [[s.p, r.p], [r.n, m.p], [m.n, s.n, g.p]]
bonds: [m.f -> load]
)";

bool is_inside(const Picture& picture, std::uint32_t frame, std::uint32_t outer) {
    while (frame != kNone && frame != outer) frame = picture.frames[frame].parent;
    return frame == outer;
}

// Parts that stick out of the frame of their sub-model, or lie on that of another.
std::vector<std::string> out_of_frame(const Picture& picture) {
    const Layout layout = lay_out(picture);
    std::vector<std::string> names;
    for (const Node& node : picture.nodes) {
        const Box& box = layout.nodes[&node - picture.nodes.data()];
        for (std::uint32_t f = 0; f < picture.frames.size(); ++f) {
            const bool own = is_inside(picture, node.frame, f);
            const Box& frame = layout.frames[f];
            const bool held = frame.contains({box.left(), box.top()}) && frame.contains({box.right(), box.bottom()});
            if (own ? !held : overlap(box, frame)) names.push_back(node.name + " and " + picture.frames[f].name);
        }
    }
    return names;
}

TEST(Layout, PartsLieInsideTheirFrameAndNoOther) {
    std::size_t frames = 0;
    for (const std::string& file : test::model_files()) {
        const Picture picture = picture_of_model(test::load_file(file), {.expand = true});
        EXPECT_THAT(out_of_frame(picture), testing::IsEmpty()) << file;
        frames += picture.frames.size();
    }
    EXPECT_GT(BONDGRAPH_SWEEP * frames, 100U);
}

// What hangs on a junction makes way for the junction's other bonds, but not out of its sub-model.
TEST(Layout, PartsThatMakeWayStayInTheirFrame) {
    EXPECT_THAT(out_of_frame(picture_of_text(kInnerSubModel, {.expand = true})), testing::IsEmpty());
    EXPECT_THAT(out_of_frame(picture_of_text(kInnerSubModel, {.expand = true, .variables = true})), testing::IsEmpty());
    EXPECT_THAT(out_of_frame(picture_of_text(kPins, {.expand = true})), testing::IsEmpty());
}

}  // namespace
}  // namespace bondgraph::drawing
