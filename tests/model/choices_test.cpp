// Parameters of own types whose values are words, and bounds that they may not reach.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Codes = std::vector<std::string>;

const std::string kModel = R"(
types:
  Load:
    parameters:
      kind: {choices: [light, heavy, both], value: light}
      k: {value: 1, above: 0, below: 10}
    ports: {p: {}}
    components:
      j: {type: 1}
      a: {type: R, R: k, if: kind.light or kind.both}
      b: {type: R, R: "if kind.both then 5*k else 4*k", if: not kind.light}
    bonds: [p -> j, j -> a, j -> b]
  Outer:
    parameters: {sort: {choices: [both, heavy], value: heavy}}
    ports: {p: {}}
    components: {x: {type: Load, kind: sort}}
    bonds: [p -> x.p]
  ByLaw:
    parameters: {kind: {choices: [stiff, soft], value: soft}}
    ports: {p: {}}
    equations: [p.e = (if kind.stiff then 100 else 1)*p.f]
components:
  s: {type: Se, e: 12}
  x: {COMPONENT}
bonds: [s -> x.p]
)";

std::string with(const std::string& component) {
    std::string text = kModel;
    text.replace(text.find("COMPONENT"), 9, component);
    return text;
}

double current(const std::string& component, const std::string& set = {}) {
    Pipeline p(with(component));
    if (!set.empty()) p.set(set);
    return p.run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0);
}

TEST(Choices, DecideBetweenPartsAndInExpressions) {
    EXPECT_NEAR(current("type: Load"), 12.0, 1e-12);
    EXPECT_NEAR(current("type: Load, kind: heavy"), 3.0, 1e-12);
    EXPECT_NEAR(current("type: Load, kind: both"), 2.0, 1e-12);
    EXPECT_NEAR(current("type: Load, kind: both, k: 2"), 1.0, 1e-12);
    EXPECT_NEAR(current("type: Load", "x.kind=heavy"), 3.0, 1e-12);
    EXPECT_NEAR(current("type: ByLaw"), 12.0, 1e-12);
    EXPECT_NEAR(current("type: ByLaw, kind: stiff"), 0.12, 1e-12);
}

TEST(Choices, AreHandedOnByWord) {
    EXPECT_NEAR(current("type: Outer"), 3.0, 1e-12);
    EXPECT_NEAR(current("type: Outer, sort: both"), 2.0, 1e-12);
    EXPECT_NEAR(current("type: Outer", "x.sort=both"), 2.0, 1e-12);
}

TEST(Choices, AreRefusedWhereTheyAreNone) {
    EXPECT_EQ(test::errors_in(with("type: Load, kind: heavi")), Codes{"BG-M077"});
    EXPECT_EQ(test::errors_in(with("type: Load, kind: 2")), Codes{"BG-M077"});
    EXPECT_EQ(test::errors_in(with("type: Load, kind: {value: light, free: true}")), Codes{"BG-M077"});
    EXPECT_EQ(test::errors_in(with("type: Load, kind: [light]")), Codes{"BG-M077"});
    EXPECT_EQ(test::errors_in(with("type: Outer, sort: light")), Codes{"BG-M077"});
    EXPECT_EQ(test::errors_in(with("type: Load") + "signals: [time -> x.kind]\n"), Codes{"BG-M074"});
    EXPECT_EQ(test::errors_in(with("type: ByLaw") + "signals: [time -> x.kind]\n"), Codes{"BG-M077"});
    std::string unknown = with("type: Load");
    unknown.replace(unknown.find("kind.light or"), 13, "kind.lihgt or");
    EXPECT_EQ(test::errors_in(unknown), Codes{"BG-X001"});
}

TEST(Choices, AreWordsThatCanBeToldApart) {
    const auto declared = [](const std::string& parameter) {
        return test::errors_in(
            fmt::format("types: {{T: {{parameters: {{k: {{{}}}}}, ports: {{p: {{}}}}, equations: [p.e = p.f]}}}}\n"
                        "components: {{s: {{type: Se, e: 1}}, x: {{type: T}}}}\nbonds: [s -> x.p]\n",
                        parameter));
    };
    EXPECT_EQ(declared("choices: [a, b], value: a"), Codes{});
    EXPECT_EQ(declared("choices: [a, a], value: a"), Codes{"BG-M077"});
    EXPECT_EQ(declared("choices: [a], value: a"), Codes{"BG-M077"});
    EXPECT_EQ(declared("choices: [a b, c], value: c"), Codes{"BG-M017"});
    EXPECT_EQ(declared("choices: [a, b], value: a, unit: V"), Codes{"BG-M077"});
    EXPECT_EQ(declared("choices: [a, b]"), Codes{"BG-M003"});
}

TEST(Bounds, MayBeLeftOut) {
    EXPECT_EQ(test::errors_in(with("type: Load, k: 0.1")), Codes{});
    EXPECT_EQ(test::errors_in(with("type: Load, k: 0")), Codes{"BG-M013"});
    EXPECT_EQ(test::errors_in(with("type: Load, k: -1")), Codes{"BG-M013"});
    EXPECT_EQ(test::errors_in(with("type: Load, k: 10")), Codes{"BG-M013"});
    EXPECT_EQ(test::errors_in(with("type: Load, k: 9.99")), Codes{});
}

}  // namespace
}  // namespace bondgraph
