// What rows determine one variable after the other.

#include "bondgraph/compile/forward_substitution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::compile {
namespace {

using expression::Expr;
using testing::ElementsAre;

class Following : public testing::Test {
   protected:
    /// What follows from rows (0 = row), the variables in each of which are listed beside it.
    std::vector<double> follow(const std::vector<std::pair<Expr, std::vector<std::uint32_t>>>& rows,
                               const std::set<std::size_t>& assumed, std::vector<double> values) {
        std::vector<Expr> list;
        structure::Incidence pattern;
        for (const auto& [row, variables] : rows) {
            list.push_back(row);
            pattern.add_row(variables);
        }
        std::vector<bool> taken(values.size());
        for (const std::size_t v : assumed) taken[v] = true;
        const ForwardSubstitution substitution(g, list, pattern, taken, 0, 0);
        substitution.apply(values, 2.0, {});
        return values;
    }

    expression::Graph g;
    Expr a = g.variable(0);
    Expr b = g.variable(1);
    Expr c = g.variable(2);
    Expr d = g.variable(3);
};

TEST_F(Following, EachRowGivesItsLastUnknownWhateverTheirOrder) {
    EXPECT_THAT(follow({{c + b - 10.0, {1, 2}}, {b - 2.0 * a, {0, 1}}, {a - 3.0, {0}}}, {}, {0, 0, 0, 7}),
                ElementsAre(3, 6, 4, 7));
}

TEST_F(Following, WhatIsAssumedStaysUnlessRowsGiveIt) {
    // a and c are assumed; rows alone give a, and d follows from c as it is.
    EXPECT_THAT(follow({{a - 3.0, {0}}, {d + c - 1.0, {2, 3}}}, {0, 2}, {100, 0, 5, 0}), ElementsAre(3, 0, 5, -4));
}

TEST_F(Following, AVariableWithoutAConstantFactorIsNotSolvedFor) {
    EXPECT_THAT(follow({{a * b - 6.0, {0, 1}}, {c * c - 4.0, {2}}}, {0}, {3, 1, 1, 0}), ElementsAre(3, 1, 1, 0));
}

TEST_F(Following, WhatIsNoNumberStaysAsItWas) {
    EXPECT_THAT(follow({{b - Expr(1.0) / a, {0, 1}}, {c - g.time(), {2}}}, {0}, {0, 8, 9, 0}), ElementsAre(0, 8, 2, 0));
}

}  // namespace
}  // namespace bondgraph::compile
