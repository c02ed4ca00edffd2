// Arrays of components and conditional ones are what the same lines written out by hand are.

#include "bondgraph/model/arrays.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/model/results.hpp"
#include "tests/model/same_results.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using Codes = std::vector<std::string>;

std::string ladder_by_hand(int n, const std::string& prefix = {}, double source = 5.0) {
    std::string text = fmt::format("components:\n  {}source: {{type: Se, e: {}}}\n", prefix, source);
    std::string bonds = fmt::format("bonds:\n  - {0}source -> {0}loop_1\n", prefix);
    for (int i = 1; i <= n; ++i) {
        text += fmt::format(
            "  {0}loop_{1}: {{type: 1}}\n  {0}node_{1}: {{type: 0}}\n  {0}r_{1}: {{type: R, R: {2}}}\n"
            "  {0}c_{1}: {{type: C, C: 0.1, initial: {{e: {3}}}}}\n",
            prefix, i, 1.0 + 0.5 * i, 0.1 * i);
        bonds += fmt::format(
            "  - {0}loop_{1} -> {0}r_{1}\n  - {0}loop_{1} -> {0}node_{1}\n  - {0}node_{1} -> {0}c_{1}\n", prefix, i);
        if (i < n) bonds += fmt::format("  - {0}node_{1} -> {0}loop_{2}\n", prefix, i, i + 1);
    }
    return text + bonds;
}

const std::string kLadder = R"(
parameters: {n: 4}
components:
  source: {type: Se, e: 5}
  loop[n]: {type: 1}
  node[n]: {type: 0}
  r[n]: {type: R, R: 1 + 0.5*i}
  c[n]: {type: C, C: 0.1, initial: {e: 0.1*i}}
bonds:
  - source -> loop[1]
  - loop[i] -> r[i]
  - wire: loop[i] -> node[i]
  - node[i] -> c[i]
  - node[i] -> loop[i+1]
)";

TEST(Arrays, AreTheSameAsWrittenOut) {
    Pipeline array(kLadder);
    Pipeline flat(ladder_by_hand(4));
    expect_same(array, {"c[1].e", "c[4].e", "r[2].f", "wire[3].f"}, flat,
                {"c_1.e", "c_4.e", "r_2.f", "loop_3->node_3.f"}, 1e-12);
}

TEST(Arrays, HaveAsManyPartsAsTheCommandLineSays) {
    for (const int n : {1, 2, 7}) {
        Pipeline array(kLadder);
        array.set(fmt::format("n={}", n));
        Pipeline flat(ladder_by_hand(n));
        expect_same(array, {fmt::format("c[{}].e", n)}, flat, {fmt::format("c_{}.e", n)}, 1e-12);
    }
}

TEST(Arrays, DontDependOnTheOrderOfLines) {
    Pipeline array(R"(
parameters: {m: 2, n: 2*m}
components:
  c[n]: {type: C, C: 0.1, initial: {e: 0.1*i}}
  r[2*m]: {type: R, R: 1 + 0.5*i}
  node[n]: {type: 0}
  loop[4]: {type: 1}
  source: {type: Se, e: 5}
bonds:
  - node[i-1] -> loop[i]
  - node[i] -> c[i]
  - loop[n+1-i] -> r[n+1-i]
  - loop[i] -> node[i]
  - source -> loop[n-3]
)");
    Pipeline flat(ladder_by_hand(4));
    expect_same(array, {"c[1].e", "c[4].e", "r[2].f"}, flat, {"c_1.e", "c_4.e", "r_2.f"}, 1e-6);
}

TEST(Arrays, StandInTypesAndAreMadeOfThem) {
    Pipeline array(R"(
types:
  Section:
    parameters: {R: {unit: "1"}, e0: 0}
    ports: {in: {}, out: {}}
    components:
      loop: {type: 1}
      node: {type: 0}
      r: {type: R, R: R}
      c: {type: C, C: 0.1, initial: {e: e0}}
    bonds: [in -> loop, loop -> r, loop -> node, node -> c, node -> out]
  Line:
    parameters: {n: 3, v: 5}
    components:
      source: {type: Se, e: v}
      s[n]: {type: Section, R: 1 + 0.5*i, e0: 0.1*i}
      end: {type: Sf, f: 0}
    bonds:
      - source -> s[1].in
      - s[i].out -> s[i+1].in
      - end -> s[n].out
components:
  line[2]: {type: Line, n: 1 + 2*i, v: 4 + i}
bonds: []
)");
    Pipeline three(ladder_by_hand(3, "", 5.0));
    Pipeline five(ladder_by_hand(5, "", 6.0));
    expect_same(array, {"line[1].s[3].c.e", "line[1].s[1].r.f"}, three, {"c_3.e", "r_1.f"}, 1e-6);
    Pipeline again(five.model());
    Pipeline second(array.model());
    expect_same(second, {"line[2].s[5].c.e", "line[2].s[2].r.f"}, again, {"c_5.e", "r_2.f"}, 1e-6);
}

TEST(Arrays, HaveRowsAndColumns) {
    // A plate of 2 x 3 nodes, heated at one corner.
    Pipeline array(R"(
components:
  heat: {type: Sf, f: 1}
  node[2, 3]: {type: 0}
  c[2, 3]: {type: C, C: i + 10*j}
  across[2, 2]: {type: 1}
  ra[2, 2]: {type: R, R: i}
  down[1, 3]: {type: 1}
  rd[1, 3]: {type: R, R: 2*j}
bonds:
  - heat -> node[1,1]
  - node[i,j] -> c[i,j]
  - node[i,j] -> across[i,j]
  - across[i,j] -> ra[i,j]
  - across[i,j] -> node[i,j+1]
  - node[i,j] -> down[i,j]
  - down[i,j] -> rd[i,j]
  - down[i,j] -> node[i+1,j]
)");
    std::string text = "components:\n  heat: {type: Sf, f: 1}\n";
    std::string bonds = "bonds:\n  - heat -> n11\n";
    for (int i = 1; i <= 2; ++i) {
        for (int j = 1; j <= 3; ++j) {
            text += fmt::format("  n{0}{1}: {{type: 0}}\n  c{0}{1}: {{type: C, C: {2}}}\n", i, j, i + 10 * j);
            bonds += fmt::format("  - n{0}{1} -> c{0}{1}\n", i, j);
            if (j < 3) {
                text += fmt::format("  a{0}{1}: {{type: 1}}\n  ra{0}{1}: {{type: R, R: {0}}}\n", i, j);
                bonds += fmt::format("  - n{0}{1} -> a{0}{1}\n  - a{0}{1} -> ra{0}{1}\n  - a{0}{1} -> n{0}{2}\n", i, j,
                                     j + 1);
            }
            if (i < 2) {
                text += fmt::format("  d{0}{1}: {{type: 1}}\n  rd{0}{1}: {{type: R, R: {2}}}\n", i, j, 2 * j);
                bonds += fmt::format("  - n{0}{1} -> d{0}{1}\n  - d{0}{1} -> rd{0}{1}\n  - d{0}{1} -> n2{1}\n", i, j);
            }
        }
    }
    Pipeline flat(text + bonds);
    expect_same(array, {"c[1,1].e", "c[2,3].e", "ra[1,2].f"}, flat, {"c11.e", "c23.e", "ra12.f"}, 1e-8);
}

TEST(Arrays, AreConnectedAndDriven) {
    Pipeline array(R"(
parameters: {n: 3, lengths: [1, 0.5, 0.25]}
components:
  world: {type: World}
  hinge[n]: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.1*i, w: 0}}
  rod[n]: {type: FixedTranslation, r: ["lengths[i]", 0, 0]}
  mass[n]: {type: PointMass, m: 1}
  torque[n]: {type: Se}
  drive[n]: {type: Sine, amplitude: i, frequency: 0.5}
connect:
  - world.frame_b -- hinge[1].frame_a
  - hinge[i].frame_b -- rod[i].frame_a
  - ["rod[i].frame_b", "hinge[i+1].frame_a"]
  - rod[i].frame_b -- mass[i].frame_a
bonds:
  - torque[i] -> hinge[i].axis
signals:
  - drive[i].y -> torque[i].e
)");
    Pipeline flat(R"(
components:
  world: {type: World}
  h1: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.1, w: 0}}
  h2: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.2, w: 0}}
  h3: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.3, w: 0}}
  r1: {type: FixedTranslation, r: [1, 0, 0]}
  m1: {type: PointMass, m: 1}
  r2: {type: FixedTranslation, r: [0.5, 0, 0]}
  m2: {type: PointMass, m: 1}
  r3: {type: FixedTranslation, r: [0.25, 0, 0]}
  m3: {type: PointMass, m: 1}
  t1: {type: Se}
  t2: {type: Se}
  t3: {type: Se}
  d1: {type: Sine, amplitude: 1, frequency: 0.5}
  d2: {type: Sine, amplitude: 2, frequency: 0.5}
  d3: {type: Sine, amplitude: 3, frequency: 0.5}
connect:
  - [world.frame_b, h1.frame_a]
  - [h1.frame_b, r1.frame_a]
  - [h2.frame_b, r2.frame_a]
  - [h3.frame_b, r3.frame_a]
  - [r1.frame_b, h2.frame_a, m1.frame_a]
  - [r2.frame_b, h3.frame_a, m2.frame_a]
  - [r3.frame_b, m3.frame_a]
bonds: [t1 -> h1.axis, t2 -> h2.axis, t3 -> h3.axis]
signals: [d1.y -> t1.e, d2.y -> t2.e, d3.y -> t3.e]
)");
    expect_same(array, {"hinge[1].phi", "hinge[3].w"}, flat, {"h1.phi", "h3.w"}, 1e-6);
}

TEST(Arrays, AreDrivenByExpressionsOfTheirNumbers) {
    Pipeline p(R"(
components:
  wave[2]: {type: Constant, k: 10*i}
  source[2]: {type: Se}
  load[2]: {type: R, R: 1}
bonds:
  - source[i] -> load[i]
signals:
  - 0.5*wave[i].y + i/4 + wave[3-i].y*interpolate(0.5, [0, i], [1, 1]) -> source[i].e
)");
    const auto r = p.run({.stop = 1.0}, {"load[1].e", "load[2].e"}).result;
    EXPECT_NEAR(r.at(0, 0), 5.0 + 0.25 + 20.0, 1e-12);
    EXPECT_NEAR(r.at(0, 1), 10.0 + 0.5 + 10.0, 1e-12);
}

TEST(Arrays, MayBeEmpty) {
    Pipeline array(R"(
parameters: {n: 0}
components:
  source: {type: Se, e: 1}
  loop: {type: 1}
  r: {type: R, R: 1}
  more[n]: {type: R, R: i}
bonds:
  - source -> loop
  - loop -> r
  - loop -> more[i]
)");
    EXPECT_EQ(array.graph().elements.size(), 3U);
    EXPECT_EQ(array.run({.stop = 1.0}, {"r.f"}).result.at(0, 0), 1.0);
    Pipeline two(array.model());
    two.set("n=2");
    EXPECT_EQ(two.graph().elements.size(), 5U);
    EXPECT_NEAR(two.run({.stop = 1.0}, {"r.f"}).result.at(0, 0), 0.25, 1e-12);
}

TEST(Arrays, HaveResultsByTheirNumbers) {
    Pipeline p(kLadder);
    const auto& g = p.graph();
    using Names = std::vector<std::string>;
    EXPECT_EQ(model::results_of_arrays(g, "c[i].e"), (Names{"c[1].e", "c[2].e", "c[3].e", "c[4].e"}));
    EXPECT_EQ(model::results_of_arrays(g, "c[i+2].e"), (Names{"c[3].e", "c[4].e"}));
    EXPECT_EQ(model::results_of_arrays(g, "wire[n].f"), Names{"wire[4].f"});
    EXPECT_EQ(model::results_of_arrays(g, "wire[2*i].f"), (Names{"wire[2].f", "wire[4].f"}));
    EXPECT_EQ(model::results_of_arrays(g, "source.f"), Names{"source.f"});
    EXPECT_EQ(model::results_of_arrays(g, "c[9].e"), Names{"c[9].e"});  // what it is not is told of elsewhere
    for (const char* none : {"c[i].x", "d[i].e", "c[m].e", "c[i/3+1/4].e", "c[i,j].e", "c[i+].e", "source.f[i]"})
        EXPECT_EQ(model::results_of_arrays(g, none), Names{}) << none;
}

TEST(Arrays, AreRefusedWhereTheirSizeIsNotKnown) {
    const auto with_size = [](const std::string& size, const std::string& more = {}) {
        return test::errors_in(fmt::format(
            "{}\ncomponents:\n  s: {{type: Se, e: 1}}\n  j: {{type: 1}}\n  r[{}]: {{type: R, R: 1}}\nbonds:\n  - s -> "
            "j\n  - j -> r[i]\n",
            more, size));
    };
    EXPECT_EQ(with_size("2"), Codes{});
    EXPECT_EQ(with_size("1.5"), Codes{"BG-M074"});
    EXPECT_EQ(with_size("-1"), Codes{"BG-M074"});
    EXPECT_EQ(with_size("time"), Codes{"BG-M074"});
    EXPECT_EQ(with_size("s.f"), Codes{"BG-M074"});
    EXPECT_EQ(with_size("m"), Codes{"BG-X001"});
    EXPECT_EQ(with_size("[1, 2]"), Codes{"BG-X001"});
    EXPECT_EQ(with_size(""), Codes{"BG-M074"});
    EXPECT_EQ(with_size("1, 2, 3"), Codes{"BG-M074"});
    EXPECT_EQ(with_size("1e9"), Codes{"BG-M059"});
    EXPECT_EQ(with_size("n", "parameters: {n: {value: 2, free: true}}"), Codes{"BG-M074"});
    EXPECT_EQ(with_size("2", "parameters: {i: 2}"), Codes{"BG-M017"});
}

TEST(Arrays, AreNotSizedByASignal) {
    EXPECT_EQ(test::errors_in(R"(
types:
  Many:
    inputs: {n: {start: 2}}
    ports: {p: {}}
    components:
      j: {type: 1}
      r[n]: {type: R, R: 1}
    bonds: [p -> j, "j -> r[i]"]
components:
  s: {type: Se, e: 1}
  m: {type: Many}
  two: {type: Constant, k: 2}
bonds: [s -> m.p]
signals: [two.y -> m.n]
)"),
              std::vector<std::string>{"BG-M074"});
}

TEST(Arrays, AreConnectedByNumbersTheyHave) {
    const auto with = [](const std::string& end) {
        return test::errors_in(R"(
parameters: {none: 0}
components:
  s: {type: Se, e: 1}
  j: {type: 1}
  r[2]: {type: R, R: 1}
  q[none]: {type: R, R: 1}
bonds:
  - s -> j
  - j -> r[i]
)" + ("  - j -> " + end + "\n"));
    };
    for (const char* wrong : {"r[3]", "r[0]", "r", "r[i,j]", "r[i/2]", "q[1]"})
        EXPECT_EQ(with(wrong), Codes{"BG-M075"}) << wrong;
    EXPECT_EQ(with("p[i]"), Codes{"BG-M005"});
    EXPECT_EQ(with("q[i]"), Codes{});
}

TEST(Arrays, InsideAreAsLongAsThoseOfTheirInstance) {
    const auto with = [](const std::string& bonds) {
        return test::errors_in(R"(
types:
  Row:
    parameters: {n: 1}
    components:
      j[n]: {type: 1}
      r[n]: {type: R, R: 1}
      p[n]: {type: Pin}
    bonds:
      - p[i].a -> j[i]
      - j[i] -> r[i]
  Pin:
    ports: {a: {}}
    parameters: {e: 1}
    components: {s: {type: Se, e: e}}
    bonds: [s -> a]
components:
  row[2]: {type: Row, n: 2*i - 1}
  g[3]: {type: Gain, k: 1}
  one: {type: Constant, k: 1}
bonds: []
signals:
)" + bonds);
    };
    EXPECT_EQ(with("  - row[2].j[3].f -> g[3].u\n  - one.y -> g[1].u\n  - one.y -> g[2].u\n"), Codes{});
    EXPECT_EQ(with("  - row[2].j[i].f -> g[i].u\n"), Codes{});
    EXPECT_EQ(with("  - row[1].j[3].f -> g[3].u\n  - one.y -> g[1].u\n  - one.y -> g[2].u\n"), Codes{"BG-M075"});
}

TEST(Arrays, WithInnerOnesOfDifferentSizesHaveAllResults) {
    Pipeline p(R"(
types:
  Line:
    parameters: {n: 1}
    ports: {p: {}}
    components:
      j: {type: 1}
      c[n]: {type: C, C: 1}
    bonds:
      - p -> j
      - j -> c[i]
components:
  s[2]: {type: Se, e: 1}
  line[2]: {type: Line, n: 2*i - 1}
bonds:
  - s[i] -> line[i].p
)");
    using Names = std::vector<std::string>;
    EXPECT_EQ(model::results_of_arrays(p.graph(), "line[2].c[i].e"),
              (Names{"line[2].c[1].e", "line[2].c[2].e", "line[2].c[3].e"}));
    EXPECT_EQ(model::results_of_arrays(p.graph(), "line[i].c[j].e").size(), 4U);
}

TEST(Arrays, MayBeNamedByExpressionsInSettings) {
    Pipeline p(R"(
parameters: {n: 3}
components:
  s: {type: Se, e: 6}
  j: {type: 1}
  r[n]: {type: R, R: i}
  last: {type: R, R: "1 + 0*r[n-1].e"}
  g[2]: {type: Gain, k: i, u: "r[i+1].e"}
bonds:
  - s -> j
  - j -> r[i]
  - j -> last
)");
    const auto r = p.run({.stop = 1.0}, {"r[2].e", "g[1].y", "g[2].y"}).result;
    EXPECT_NEAR(r.at(0, 1), r.at(0, 0), 1e-9);
    EXPECT_NEAR(r.at(0, 2), 2.0 * r.at(0, 0) * 1.5, 1e-9);
}

TEST(Arrays, WarnOfConnectionsThatJoinNothing) {
    Pipeline p(R"(
components:
  s: {type: Se, e: 1}
  j: {type: 1}
  r[2]: {type: R, R: 1}
bonds:
  - s -> j
  - j -> r[i]
  - j -> r[i+2]
)");
    const auto& warnings = p.graph().warnings;
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "BG-M075");
}

}  // namespace
}  // namespace bondgraph
