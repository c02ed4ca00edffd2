#include "bondgraph/api/abbreviations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "tests/expression/evaluate.hpp"

namespace bondgraph::api {
namespace {

using expression::Expr, expression::Graph, expression::Op;

/// An angle that is turned again and again: each turn stands twice in the next.
Expr turned(Graph& g, int times) {
    Expr x = g.variable(0);
    for (int k = 0; k < times; ++k) x = x * cos(g.variable(1)) + sin(x) * g.variable(0);
    return x;
}

TEST(Abbreviations, PutBackGiveTheEquation) {
    Graph g;
    const Expr whole = turned(g, 12);
    ReadableSystem system;
    system.states.push_back({model::VariableId(std::size_t{0}), whole, {}});
    const std::vector<Expr> values = abbreviate(system, g);
    ASSERT_GT(values.size(), 5U);
    std::vector<Expr> back;  // of each name, in variables
    const auto written_out = [&](Expr e) {
        const std::array roots{e};
        return expression::substitute(g, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            if (g[n].op != Op::parameter) return std::nullopt;
            const std::size_t name = g[n].a - kFirstAbbreviation;
            EXPECT_LT(name, back.size()) << "used before it is computed";
            return name < back.size() ? std::optional(back[name]) : std::nullopt;
        })[0];
    };
    for (const Expr value : values) back.push_back(written_out(value));
    EXPECT_NE(system.states[0].value, whole);
    EXPECT_EQ(written_out(system.states[0].value), whole);
}

TEST(Abbreviations, OfShortEquationsThereAreNone) {
    Graph g;
    const Expr whole = turned(g, 2);
    ReadableSystem system;
    system.states.push_back({model::VariableId(std::size_t{0}), whole, {}});
    EXPECT_TRUE(abbreviate(system, g).empty());
    EXPECT_EQ(system.states[0].value, whole);
}

TEST(Abbreviations, KeepTheLinesOfAMechanismReadable) {
    std::string text = "model: chain\ncomponents:\n  world: {type: World}\n";
    std::string wiring = "connect:\n";
    std::string carrier = "world";
    for (int k = 1; k <= 3; ++k) {
        const std::string n = std::to_string(k);
        text +=
            "  j" + n + ": {type: Spherical}\n  l" + n + ": {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1}\n";
        wiring += "  - [" + carrier + ".frame_b, j" + n + ".frame_a]\n  - [j" + n + ".frame_b, l" + n + ".frame_a]\n";
        carrier = "l" + n;
    }
    const auto equations = Model::parse(text + wiring)->equations();
    ASSERT_TRUE(equations) << equations.error().text();
    const std::string& shown = equations->text;
    EXPECT_NE(shown.find("Abbreviations"), std::string::npos);
    std::size_t longest = 0;
    for (std::size_t at = 0; at < shown.size();) {
        const std::size_t end = std::min(shown.find('\n', at), shown.size());
        longest = std::max(longest, end - at);
        at = end + 1;
    }
    EXPECT_LT(longest, 1000U);
}

}  // namespace
}  // namespace bondgraph::api
