// Components that are there only where a condition on parameters holds.

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

const std::string kWithLeak = R"(
types:
  Tank:
    parameters: {leaks: false}
    ports: {p: {}}
    components:
      node: {type: 0}
      c: {type: C, C: 1, initial: {e: 2}}
      hole: {type: R, R: 3, if: leaks}
      lid: {type: R, R: 100, if: not leaks}
      probe: {type: De, if: leaks}
    bonds: [p -> node, node -> c, node -> hole, node -> lid, node -> probe]
components:
  in: {type: Sf, f: 1}
  a: {type: Tank, leaks: true}
bonds: [in -> a.p]
)";

TEST(Conditional, PartsAreThereOnlyWhereTheirConditionHolds) {
    const std::string by_hand = R"(
components:
  in: {{type: Sf, f: 1}}
  node: {{type: 0}}
  c: {{type: C, C: 1, initial: {{e: 2}}}}
  r: {{type: R, R: {}}}
bonds: [in -> node, node -> c, node -> r]
)";
    Pipeline leaking(kWithLeak);
    Pipeline open(fmt::format(fmt::runtime(by_hand), 3));
    expect_same(leaking, {"a.c.e"}, open, {"c.e"}, 1e-8);
    Pipeline tight(leaking.model());
    tight.set("a.leaks=false");
    Pipeline closed(fmt::format(fmt::runtime(by_hand), 100));
    expect_same(tight, {"a.c.e"}, closed, {"c.e"}, 1e-8);
    EXPECT_FALSE(tight.graph().element_by_name.contains("a.hole"));
    EXPECT_FALSE(tight.graph().element_by_name.contains("a.probe"));
    EXPECT_TRUE(leaking.graph().element_by_name.contains("a.probe"));
}

TEST(Conditional, PartsOfArraysAreLeftOutOneByOne) {
    Pipeline array(R"(
components:
  source: {type: Se, e: 1}
  loop: {type: 1}
  r[5]: {type: R, R: i, if: i < 2 or i > 4}
bonds:
  - source -> loop
  - loop -> r[i]
)");
    EXPECT_EQ(array.graph().elements.size(), 4U);
    EXPECT_NEAR(array.run({.stop = 1.0}, {"r[5].f"}).result.at(0, 0), 1.0 / 6.0, 1e-12);
}

TEST(Conditional, MembersLeaveTheirConnectionsAndTheOthersStay) {
    Pipeline p(R"(
parameters: {brake: false}
components:
  world: {type: World}
  hinge: {type: Revolute, n: [0, 0, 1], initial: {phi: 0, w: 1}}
  body: {type: Body, m: 1, r_CM: [0.5, 0, 0], I_33: 1}
  extra: {type: PointMass, m: 5, if: brake}
connect:
  - world.frame_b -- hinge.frame_a
  - hinge.frame_b -- extra.frame_a -- body.frame_a
)");
    EXPECT_EQ(p.graph().element_by_name.count("extra"), 0U);
    EXPECT_NO_THROW(p.run({.stop = 0.1}, {"hinge.phi"}));
}

TEST(Conditional, PartsOfOneNumberLeaveTheOthersJoined) {
    const std::string text = R"(
components:
  s: {type: Sf, f: 1}
  a[2]: {type: TYPES}
  m[2]: {type: Mass}
  tip[2]: {type: Mass, if: i == 2}
types:
  Mass:
    connectors: {p: flange}
    components: {m: {type: I, I: 1}}
    bonds: [p -> m]
  Push:
    connectors: {p: flange}
    components: {f: {type: Se, e: 2}}
    bonds: [f -> p]
connect:
  - a[i].p -- m[i].p -- tip[i].p
)";
    std::string with = text;
    with.replace(with.find("TYPES"), 5, "Push");
    with.erase(with.find("  s: {"), with.find("  a[2]") - with.find("  s: {"));
    Pipeline p(with);
    const auto r = p.run({.stop = 1.0, .tolerance = 1e-8}, {"m[1].m.f", "m[2].m.f"}).result;
    EXPECT_NEAR(r.at(r.time.size() - 1, 0), 2.0, 1e-6);
    EXPECT_NEAR(r.at(r.time.size() - 1, 1), 1.0, 1e-6);
    for (const Diagnostic& d : p.graph().warnings) EXPECT_NE(d.code, "BG-M075") << d.message;
}

TEST(Conditional, ResultsOfWhatIsNotThereAreLeftOut) {
    Pipeline p(kWithLeak);
    p.set("a.leaks=false");
    EXPECT_TRUE(model::is_left_out(p.graph(), "a.hole.e"));
    EXPECT_FALSE(model::is_left_out(p.graph(), "a.lid.e"));
}

TEST(Conditional, AreDecidedByConditionsOnly) {
    const auto with_if = [](const std::string& condition) {
        return test::errors_in(
            "parameters: {n: 2, has: true}\ncomponents:\n  s: {type: Se, e: 1}\n"
            "  r: {type: R, R: 1}\n  j: {type: 1}\n  x: {type: R, R: 1, if: " +
            condition + "}\nbonds: [s -> j, j -> r, j -> x]\n");
    };
    using Codes = std::vector<std::string>;
    EXPECT_EQ(with_if("has"), Codes{});
    EXPECT_EQ(with_if("n > 1 and not has"), Codes{});
    EXPECT_EQ(with_if("n"), Codes{"BG-M074"});
    EXPECT_EQ(with_if("5 V"), Codes{"BG-M074"});
    EXPECT_EQ(with_if("0.5"), Codes{"BG-M074"});
}

TEST(Conditional, PartsAreNotMissedInASumOfSignals) {
    // Without the part it would be another signal: that is said, and nothing is left to a default.
    const auto with = [](const std::string& source, const std::string& has) {
        return test::errors_in("parameters: {has: " + has + "}\n" + R"(
components:
  a: {type: Constant, k: 1}
  b: {type: Constant, k: 2, if: has}
  s: {type: Se}
  r: {type: R, R: 1}
  spare: {type: Constant, k: 3, if: not has}
bonds: [s -> r]
signals:
)" + source);
    };
    EXPECT_EQ(with("  - a.y + b.y -> s.e\n", "true"), Codes{});
    EXPECT_EQ(with("  - a.y + b.y -> s.e\n", "false"), Codes{"BG-M074"});
    EXPECT_EQ(with("  - 2*b.y -> s.e\n  - spare.y -> s.e\n", "true"), Codes{});
    EXPECT_EQ(with("  - 2*b.y -> s.e\n  - spare.y -> s.e\n", "false"), Codes{});
}

}  // namespace
}  // namespace bondgraph
