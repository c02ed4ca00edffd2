#include "bondgraph/structure/index_reduction.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "bondgraph/structure/verify.hpp"
#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Section 5.1 of the paper, a reactor whose concentration is prescribed: x = (C, T, R, Tc), equations
// C' = … − R, T' = … + R − Tc, R = R(C, T), C = u(t). Columns: C, T, R, Tc, C', T'.
TEST(IndexReduction, TheReactorOfThePaper) {
    const Incidence rows = incidence({{0, 2, 4}, {1, 2, 3, 5}, {0, 1, 2}, {0}});
    const std::vector<std::uint32_t> derivative_of{4, 5, no, no, no, no};
    const IndexReduction plan = reduce_index(rows, derivative_of);
    EXPECT_THAT(plan.differentiations, ElementsAre(1, 0, 1, 2));
    EXPECT_TRUE(is_index_reduction(rows, derivative_of, plan));
}

// Section 5.2, the pendulum: x' = w, y' = z, w' = T x, z' = T y − g, x² + y² = L².
// Columns: x, y, w, z, T, x', y', w', z'.
TEST(IndexReduction, ThePendulumOfThePaper) {
    const Incidence rows = incidence({{5, 2}, {6, 3}, {7, 4, 0}, {8, 4, 1}, {0, 1}});
    const std::vector<std::uint32_t> derivative_of{5, 6, 7, 8, no, no, no, no, no};
    const IndexReduction plan = reduce_index(rows, derivative_of);
    EXPECT_THAT(plan.differentiations, ElementsAre(1, 1, 0, 0, 2));
    EXPECT_TRUE(is_index_reduction(rows, derivative_of, plan));
    EXPECT_EQ(plan.derivative_of.size(), 11u);  // x'' and y'' are new
}

// The same with second derivatives and chains given: x'' = T x, y'' = T y − g.
TEST(IndexReduction, ChainsOfDerivatives) {
    const Incidence rows = incidence({{4, 0, 6}, {5, 1, 6}, {0, 1}});
    const std::vector<std::uint32_t> derivative_of{2, 3, 4, 5, no, no, no};
    const IndexReduction plan = reduce_index(rows, derivative_of);
    EXPECT_THAT(plan.differentiations, ElementsAre(0, 0, 2));
    EXPECT_TRUE(is_index_reduction(rows, derivative_of, plan));
}

TEST(IndexReduction, AnOrdinarySystemStaysAsItIs) {
    const Incidence rows = incidence({{2, 1}, {3, 0}});
    const std::vector<std::uint32_t> derivative_of{2, 3, no, no};
    const IndexReduction plan = reduce_index(rows, derivative_of);
    EXPECT_THAT(plan.differentiations, ElementsAre(0, 0));
    EXPECT_TRUE(is_index_reduction(rows, derivative_of, plan));
}

// Two equations for x alone: no differentiation helps. y = … is fine.
TEST(IndexReduction, AStructurallySingularSystemNamesItsEquations) {
    const Incidence rows = incidence({{0}, {1, 2}, {2, 0}});
    const std::vector<std::uint32_t> derivative_of{2, no, no};
    const IndexReduction plan = reduce_index(rows, derivative_of);
    EXPECT_THAT(plan.singular_equations, ElementsAre(0, 2));
    EXPECT_THAT(plan.undetermined_columns, IsEmpty());
    EXPECT_EQ(plan.rows.rows(), 0u);
}

struct System {
    Lists rows;
    std::vector<std::uint32_t> derivative_of;
};

/// n variables with up to two derivatives each, and n equations.
System random_system(std::mt19937& random, std::uint32_t n, int density) {
    System s;
    s.derivative_of.assign(n, no);
    for (std::uint32_t v = 0; v < n; ++v) {
        std::uint32_t last = v;
        for (std::uint32_t k = random() % 3; k > 0; --k) {
            s.derivative_of[last] = static_cast<std::uint32_t>(s.derivative_of.size());
            last = s.derivative_of[last];
            s.derivative_of.push_back(no);
        }
    }
    s.rows.resize(n);
    for (auto& row : s.rows) {
        for (std::uint32_t k = 1 + random() % static_cast<std::uint32_t>(density); k > 0; --k)
            row.push_back(static_cast<std::uint32_t>(random() % s.derivative_of.size()));
        std::ranges::sort(row);
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    return s;
}

/// Which counts make the highest derivatives matchable, tried one after the other by their sum; nothing below `limit`.
std::optional<std::vector<std::uint32_t>> by_brute_force(const System& s, std::uint32_t limit) {
    const std::size_t n = s.rows.size();
    std::vector<std::uint32_t> variable(s.derivative_of.size(), 0);
    std::vector<std::uint32_t> order(s.derivative_of.size(), 0);
    std::vector<std::uint32_t> declared(n, 0);
    for (std::uint32_t v = 0; v < n; ++v) {
        std::uint32_t k = 0;
        for (std::uint32_t c = v; c != no; c = s.derivative_of[c]) {
            variable[c] = v;
            order[c] = k++;
        }
        declared[v] = k - 1;
    }
    std::optional<std::vector<std::uint32_t>> best;
    std::vector<std::uint32_t> count(n, 0);
    for (;;) {
        std::vector<std::uint32_t> d = declared;
        for (std::size_t i = 0; i < n; ++i) {
            for (const std::uint32_t c : s.rows[i]) d[variable[c]] = std::max(d[variable[c]], order[c] + count[i]);
        }
        std::vector<std::size_t> permutation(n);
        std::iota(permutation.begin(), permutation.end(), 0u);
        bool found = false;
        do {
            found = true;
            for (std::size_t i = 0; i < n && found; ++i) {
                const auto j = static_cast<std::uint32_t>(permutation[i]);
                found = std::ranges::any_of(
                    s.rows[i], [&](std::uint32_t c) { return variable[c] == j && order[c] + count[i] == d[j]; });
            }
        } while (!found && std::ranges::next_permutation(permutation).found);
        const auto sum = [](const auto& list) { return std::accumulate(list.begin(), list.end(), 0u); };
        if (found && (!best || sum(count) < sum(*best))) best = count;
        std::size_t k = 0;
        while (k < n && ++count[k] > limit) count[k++] = 0;
        if (k == n) return best;
    }
}

TEST(IndexReduction, RandomSystemsGetTheSmallestCounts) {
    std::mt19937 random(7);
    int solved = 0;
    int differentiated = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const std::uint32_t n = 2 + trial % 3;
        const System s = random_system(random, n, 4);
        const IndexReduction plan = reduce_index(incidence(s.rows), s.derivative_of);
        const auto expected = by_brute_force(s, 6);
        if (!plan.singular_equations.empty()) {
            EXPECT_FALSE(expected) << "trial " << trial;
            continue;
        }
        ASSERT_TRUE(expected) << "trial " << trial;
        EXPECT_EQ(plan.differentiations, *expected) << "trial " << trial;
        EXPECT_TRUE(is_index_reduction(incidence(s.rows), s.derivative_of, plan)) << "trial " << trial;
        ++solved;
        differentiated += std::ranges::any_of(*expected, [](std::uint32_t k) { return k > 0; }) ? 1 : 0;
    }
    EXPECT_GT(solved, 100);
    EXPECT_GT(differentiated, 50);
}

TEST(IndexReduction, LargerRandomSystemsPassTheCertificate) {
    std::mt19937 random(11);
    int solved = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const System s = random_system(random, 20 + trial % 30, 9);
        const Incidence rows = incidence(s.rows);
        const IndexReduction plan = reduce_index(rows, s.derivative_of);
        if (!plan.singular_equations.empty()) {
            // In terms of variables, whatever their derivatives, the subset violates Hall's condition.
            std::vector<std::uint32_t> base(s.derivative_of.size());
            for (std::uint32_t v = 0; v < s.rows.size(); ++v)
                for (std::uint32_t c = v; c != no; c = s.derivative_of[c]) base[c] = v;
            Lists chains = s.rows;
            for (auto& row : chains)
                for (std::uint32_t& c : row) c = base[c];
            EXPECT_TRUE(is_hall_violator(incidence(chains), s.derivative_of.size(), plan.singular_equations));
            continue;
        }
        ++solved;
        EXPECT_TRUE(is_index_reduction(rows, s.derivative_of, plan)) << "trial " << trial;
    }
    EXPECT_GT(solved, 30);
}

TEST(IndexReduction, TheCertificateRefusesWrongPlans) {
    const Incidence rows = incidence({{5, 2}, {6, 3}, {7, 4, 0}, {8, 4, 1}, {0, 1}});
    const std::vector<std::uint32_t> derivative_of{5, 6, 7, 8, no, no, no, no, no};
    const IndexReduction plan = reduce_index(rows, derivative_of);
    IndexReduction wrong = plan;
    --wrong.differentiations[4];
    EXPECT_FALSE(is_index_reduction(rows, derivative_of, wrong));
    wrong = plan;
    wrong.matching.column_of.assign(wrong.matching.column_of.size(), no);
    EXPECT_FALSE(is_index_reduction(rows, derivative_of, wrong));
    // A plan of more differentiations than needed: the plan of the system whose algebraic variable has a derivative.
    const Incidence ordinary = incidence({{1, 0}});
    const IndexReduction more = reduce_index(ordinary, std::vector<std::uint32_t>{2, no, no});
    EXPECT_THAT(more.differentiations, ElementsAre(0));
}

}  // namespace
}  // namespace bondgraph::structure
