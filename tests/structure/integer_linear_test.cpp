#include "bondgraph/structure/integer_linear.hpp"

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Equations = std::vector<IntegerEquation>;
using Integers = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Coefficient matrices: unknowns·x + givens·g = 0.
struct Matrices {
    Integers unknowns;
    Integers givens;
};

Matrices matrices(const Equations& equations, Eigen::Index unknown_count, Eigen::Index given_count) {
    const auto rows = static_cast<Eigen::Index>(equations.size());
    Matrices result{Integers::Zero(rows, unknown_count), Integers::Zero(rows, given_count)};
    for (Eigen::Index r = 0; r < rows; ++r) {
        const IntegerEquation& equation = equations[static_cast<std::size_t>(r)];
        for (const auto& [unknown, coefficient] : equation.unknowns) result.unknowns(r, unknown) += coefficient;
        for (const auto& [given, coefficient] : equation.givens) result.givens(r, given) += coefficient;
    }
    return result;
}

Eigen::Index rank(const Integers& matrix) {
    if (matrix.size() == 0) return 0;
    return Eigen::FullPivLU<Eigen::MatrixXd>(matrix.cast<double>()).rank();
}

Integers stacked(const Integers& above, const Integers& below) {
    Integers result(above.rows() + below.rows(), above.cols());
    result << above, below;
    return result;
}

void expect_form(const IntegerSolution& solution, std::size_t unknown_count) {
    std::vector<bool> is_free(unknown_count, false);
    for (const std::uint32_t unknown : solution.free_unknowns) is_free[unknown] = true;
    EXPECT_EQ(solution.solved.size() + solution.free_unknowns.size(), unknown_count);
    EXPECT_TRUE(std::ranges::is_sorted(solution.free_unknowns));
    EXPECT_TRUE(std::ranges::is_sorted(solution.solved, {}, &IntegerSolution::Row::unknown));
    for (const auto& row : solution.solved) {
        EXPECT_GT(row.denominator, 0);
        EXPECT_FALSE(is_free[row.unknown]);
        std::int64_t divisor = row.denominator;
        for (const auto& [index, coefficient] : row.givens) divisor = std::gcd(divisor, coefficient);
        for (const auto& [unknown, coefficient] : row.free_unknowns) {
            EXPECT_TRUE(is_free[unknown]);
            EXPECT_NE(coefficient, 0);
            divisor = std::gcd(divisor, coefficient);
        }
        EXPECT_EQ(divisor, 1);
    }
}

/// The general solution put into the equations with a common denominator, in exact integers: no free unknown may remain
/// and no given, but for combinations of the residues. As many unknowns are solved as the rank, which is Eigen's.
void expect_solves(const Equations& equations, std::size_t unknown_count, std::size_t given_count,
                   const IntegerSolution& solution) {
    ASSERT_FALSE(solution.overflow);
    expect_form(solution, unknown_count);
    const auto [a, b] =
        matrices(equations, static_cast<Eigen::Index>(unknown_count), static_cast<Eigen::Index>(given_count));
    ASSERT_EQ(static_cast<Eigen::Index>(solution.solved.size()), rank(a));
    ASSERT_EQ(solution.residues.size(), equations.size() - solution.solved.size());

    std::int64_t common = 1;
    for (const auto& row : solution.solved) common = std::lcm(common, row.denominator);
    Integers by_given = Integers::Zero(a.cols(), b.cols());  // common·x = by_given·g + by_free·x
    Integers by_free = Integers::Zero(a.cols(), a.cols());
    for (const std::uint32_t unknown : solution.free_unknowns) by_free(unknown, unknown) = common;
    for (const auto& row : solution.solved) {
        const std::int64_t factor = common / row.denominator;
        for (const auto& [given, coefficient] : row.givens) by_given(row.unknown, given) = factor * coefficient;
        for (const auto& [free, coefficient] : row.free_unknowns) by_free(row.unknown, free) = factor * coefficient;
    }
    EXPECT_TRUE((a * by_free).isZero(0));

    const auto residue_count = static_cast<Eigen::Index>(solution.residues.size());
    Integers weights = Integers::Zero(residue_count, a.rows());
    Integers residue_givens = Integers::Zero(residue_count, b.cols());
    for (Eigen::Index k = 0; k < residue_count; ++k) {
        const auto& residue = solution.residues[static_cast<std::size_t>(k)];
        ASSERT_FALSE(residue.equations.empty());
        EXPECT_GT(residue.equations.front().second, 0);
        for (const auto& [equation, weight] : residue.equations) weights(k, equation) = weight;
        for (const auto& [given, coefficient] : residue.givens) residue_givens(k, given) = coefficient;
    }
    EXPECT_TRUE((weights * a).isZero(0));
    EXPECT_EQ(weights * b, residue_givens);
    EXPECT_EQ(rank(weights), residue_count) << "the combinations are not independent";
    const Integers left_over = a * by_given + common * b;
    EXPECT_EQ(rank(stacked(residue_givens, left_over)), rank(residue_givens));
    if (residue_count == 0) {
        EXPECT_TRUE(left_over.isZero(0));
    }
}

IntegerSolution solve_checked(const Equations& equations, std::size_t unknown_count, std::size_t given_count) {
    IntegerSolution solution = solve_integer_linear(equations, unknown_count);
    expect_solves(equations, unknown_count, given_count, solution);
    return solution;
}

IntegerTerms random_terms(std::mt19937& random, std::size_t index_count, std::size_t terms, std::int64_t largest) {
    IntegerTerms result;
    for (; terms > 0; --terms) {
        const auto coefficient = static_cast<std::int64_t>(random() % (2 * largest + 1)) - largest;
        result.emplace_back(static_cast<std::uint32_t>(random() % index_count), coefficient);
    }
    return result;
}

TEST(IntegerLinear, NoEquationsLeaveAllUnknownsFree) {
    const IntegerSolution solution = solve_checked({}, 3, 0);
    EXPECT_THAT(solution.free_unknowns, ElementsAre(0, 1, 2));
}

TEST(IntegerLinear, AnAliasWithASignIsResolved) {
    const IntegerSolution solution = solve_checked({{{{0, 1}, {1, 1}}, {}}, {{{1, -1}}, {{0, 3}}}}, 2, 1);
    ASSERT_EQ(solution.solved.size(), 2U);
    EXPECT_THAT(solution.solved[0].givens, ElementsAre(Pair(0, -3)));
    EXPECT_THAT(solution.solved[1].givens, ElementsAre(Pair(0, 3)));
}

TEST(IntegerLinear, FractionsStayExactAndReduced) {
    // 6 x0 − 4 g0 = 0, x1 − x0 + g1 = 0
    const IntegerSolution solution = solve_checked({{{{0, 6}}, {{0, -4}}}, {{{1, 1}, {0, -1}}, {{1, 1}}}}, 2, 2);
    EXPECT_EQ(solution.solved[0].denominator, 3);
    EXPECT_THAT(solution.solved[0].givens, ElementsAre(Pair(0, 2)));
    EXPECT_EQ(solution.solved[1].denominator, 3);
    EXPECT_THAT(solution.solved[1].givens, ElementsAre(Pair(0, 2), Pair(1, -3)));
}

TEST(IntegerLinear, TheUnitCoefficientIsThePivot) {
    const IntegerSolution solution = solve_checked({{{{0, 2}, {1, -1}, {2, 3}}, {}}}, 3, 0);
    ASSERT_EQ(solution.solved.size(), 1U);
    EXPECT_EQ(solution.solved[0].unknown, 1U);
    EXPECT_EQ(solution.solved[0].denominator, 1);
    EXPECT_THAT(solution.solved[0].free_unknowns, ElementsAre(Pair(0, 2), Pair(2, 3)));
}

TEST(IntegerLinear, RepeatedTermsAddUpAndMayCancel) {
    const IntegerSolution solution = solve_checked({{{{1, 2}, {0, 5}, {1, -1}, {0, -5}}, {{0, 1}, {0, 1}}}}, 2, 1);
    EXPECT_THAT(solution.free_unknowns, ElementsAre(0));
    ASSERT_EQ(solution.solved.size(), 1U);
    EXPECT_THAT(solution.solved[0].givens, ElementsAre(Pair(0, -2)));
    EXPECT_THAT(solution.solved[0].free_unknowns, IsEmpty());
}

TEST(IntegerLinear, ARedundantEquationIsAResidueWithoutGivens) {
    const Equations equations{{{{0, 1}, {1, -1}}, {{0, 1}}}, {{{1, 2}, {0, -2}}, {{0, -2}}}};
    const IntegerSolution solution = solve_checked(equations, 2, 1);
    ASSERT_EQ(solution.residues.size(), 1U);
    EXPECT_THAT(solution.residues[0].givens, IsEmpty());
    EXPECT_THAT(solution.residues[0].equations, ElementsAre(Pair(0, 2), Pair(1, 1)));
}

TEST(IntegerLinear, AnEmptyEquationIsRedundantByItself) {
    const IntegerSolution solution = solve_checked({{{{0, 1}, {0, -1}}, {}}}, 1, 0);
    ASSERT_EQ(solution.residues.size(), 1U);
    EXPECT_THAT(solution.residues[0].equations, ElementsAre(Pair(0, 1)));
}

TEST(IntegerLinear, AContradictionNamesTheEquationsAndGivensInvolved) {
    // Two sources on one junction: x0 = g0, x0 = x1, x1 = g1; the last equation has nothing to do with it.
    const Equations equations{
        {{{0, 1}}, {{0, -1}}}, {{{0, 1}, {1, -1}}, {}}, {{{1, 1}}, {{1, -1}}}, {{{2, 1}}, {{0, -1}}}};
    const IntegerSolution solution = solve_checked(equations, 3, 2);
    ASSERT_EQ(solution.residues.size(), 1U);
    EXPECT_THAT(solution.residues[0].equations, ElementsAre(Pair(0, 1), Pair(1, -1), Pair(2, -1)));
    EXPECT_THAT(solution.residues[0].givens, ElementsAre(Pair(0, -1), Pair(1, 1)));
}

/// Two 0-junctions joined by two 1-junctions: flow may circulate in the ring, and what enters at one side leaves at the
/// other. Unknown: flows of the four bonds of the ring; given: the flows into the first and out of the second junction.
TEST(IntegerLinear, FlowsInARingOfJunctionsLeaveOneFreeAndTieTheSources) {
    const Equations equations{{{{0, 1}, {1, -1}}, {}},
                              {{{2, 1}, {3, -1}}, {}},
                              {{{0, -1}, {2, -1}}, {{0, 1}}},
                              {{{1, 1}, {3, 1}}, {{1, -1}}}};
    const IntegerSolution solution = solve_checked(equations, 4, 2);
    EXPECT_EQ(solution.free_unknowns.size(), 1U);
    ASSERT_EQ(solution.residues.size(), 1U);
    EXPECT_THAT(solution.residues[0].givens, ElementsAre(Pair(0, 1), Pair(1, -1)));
    EXPECT_THAT(solution.residues[0].equations, ElementsAre(Pair(0, 1), Pair(1, 1), Pair(2, 1), Pair(3, 1)));
}

/// The efforts of the same ring: around it the drops at the two 1-junctions (given) must agree.
TEST(IntegerLinear, EffortsInARingOfJunctionsTieTheDrops) {
    const Equations equations{{{{0, 1}, {2, -1}}, {}},
                              {{{1, 1}, {3, -1}}, {}},
                              {{{0, 1}, {1, -1}}, {{0, -1}}},
                              {{{2, 1}, {3, -1}}, {{1, -1}}}};
    const IntegerSolution solution = solve_checked(equations, 4, 2);
    EXPECT_EQ(solution.free_unknowns.size(), 1U);
    ASSERT_EQ(solution.residues.size(), 1U);
    EXPECT_THAT(solution.residues[0].givens, ElementsAre(Pair(0, 1), Pair(1, -1)));
}

TEST(IntegerLinear, SmallRandomSystemsAreSolvedExactly) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 3000 && !HasFailure(); ++trial) {
        SCOPED_TRACE(trial);
        const std::size_t unknown_count = 1 + random() % 6;
        const std::size_t given_count = 1 + random() % 3;
        const std::int64_t largest = trial % 2 == 0 ? 1 : 3;
        Equations equations(1 + random() % 7);
        for (auto& [unknowns, givens] : equations) {
            unknowns = random_terms(random, unknown_count, random() % 5, largest);
            givens = random_terms(random, given_count, random() % 3, largest);
        }
        solve_checked(equations, unknown_count, given_count);
    }
}

/// Rows that are combinations of others by construction, so that histories with several divisions are walked back.
TEST(IntegerLinear, CombinationsOfDependentRandomRowsAreRecovered) {
    std::mt19937 random(2);
    for (int trial = 0; trial < 1000 && !HasFailure(); ++trial) {
        SCOPED_TRACE(trial);
        Equations equations(6);
        for (std::size_t r = 0; r < 3; ++r) {
            equations[r].unknowns = random_terms(random, 6, 4, 4);
            equations[r].givens = random_terms(random, 3, 2, 4);
        }
        for (std::size_t r = 3; r < 6; ++r) {
            for (std::size_t k = 0; k < 3; ++k) {
                const auto factor = static_cast<std::int64_t>(random() % 5) - 2;
                for (const auto& [i, c] : equations[k].unknowns) equations[r].unknowns.emplace_back(i, factor * c);
                for (const auto& [i, c] : equations[k].givens) equations[r].givens.emplace_back(i, factor * c);
            }
            if (r == 5) equations[r].givens.emplace_back(0, 1);
        }
        std::ranges::shuffle(equations, random);
        const IntegerSolution solution = solve_checked(equations, 6, 3);
        EXPECT_GE(solution.residues.size(), 3U);
        const auto contradictory =
            std::ranges::count_if(solution.residues, [](const auto& r) { return !r.givens.empty(); });
        EXPECT_GE(contradictory, 1);
    }
}

TEST(IntegerLinear, ResultsThatLeave64BitsAreFlagged) {
    // x_{k+1} = 10 x_k: 10^19 is more than 64 bits hold, 10^18 is not.
    const auto powers = [](std::uint32_t count) {
        Equations equations{{{{0, 1}}, {{0, -1}}}};
        for (std::uint32_t k = 0; k < count; ++k) equations.push_back({{{k, 10}, {k + 1, -1}}, {}});
        return solve_integer_linear(equations, count + 1);
    };
    const IntegerSolution fits = powers(18);
    ASSERT_FALSE(fits.overflow);
    EXPECT_THAT(fits.solved.back().givens, ElementsAre(Pair(0, 1'000'000'000'000'000'000)));
    const IntegerSolution overflows = powers(19);
    EXPECT_TRUE(overflows.overflow);
    EXPECT_THAT(overflows.solved, IsEmpty());
}

TEST(ExactLinear, NothingOverflows) {
    std::vector<ExactEquation> equations{{{{0, ExactNumber(1.0)}}, {{0, ExactNumber(-1.0)}}}};
    for (std::uint32_t k = 0; k < 40; ++k)
        equations.push_back({{{k, ExactNumber(10.0)}, {k + 1, ExactNumber(-1.0)}}, {}});
    const ExactSolution solution = solve_exact_linear(equations, 41);
    ASSERT_EQ(solution.solved.size(), 41U);
    EXPECT_NEAR(solution.solved.back().givens.front().second.value(), 1e40, 1e26);
}

TEST(IntegerLinear, IntermediatesMayLeave64BitsIfTheResultDoesNot) {
    // Elimination multiplies coefficients near 2^61; the regular homogeneous system still has only x = 0.
    const std::int64_t large = std::int64_t{1} << 61;
    const IntegerSolution solution =
        solve_integer_linear(Equations{{{{0, large}, {1, large - 1}}, {}}, {{{0, large - 1}, {1, large}}, {}}}, 2);
    ASSERT_FALSE(solution.overflow);
    EXPECT_THAT(solution.free_unknowns, IsEmpty());
    for (const auto& row : solution.solved) {
        EXPECT_EQ(row.denominator, 1);
        EXPECT_THAT(row.givens, IsEmpty());
    }
}

TEST(IntegerLinear, TheExtremeCoefficientsOverflowOrAreExact) {
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    EXPECT_TRUE(solve_integer_linear(Equations{{{{0, lowest}}, {{0, 1}}}}, 1).overflow);
    const IntegerSolution reduced = solve_integer_linear(Equations{{{{0, lowest}}, {{0, 2}}}}, 1);
    ASSERT_FALSE(reduced.overflow);
    EXPECT_EQ(reduced.solved[0].denominator, std::int64_t{1} << 62);
    EXPECT_THAT(reduced.solved[0].givens, ElementsAre(Pair(0, 1)));
}

constexpr std::uint32_t kLong = 100'000;

/// Equation k: x_{k+1} = x_k.
Equations chain(std::mt19937& random) {
    Equations equations;
    for (std::uint32_t k = 0; k < kLong; ++k) equations.push_back({{{k, -1}, {k + 1, 1}}, {}});
    std::ranges::shuffle(equations, random);
    return equations;
}

TEST(IntegerLinear, AHundredThousandAliasesOfOneGivenAreResolved) {
    std::mt19937 random(3);
    Equations equations = chain(random);
    equations.push_back({{{kLong / 2, 1}}, {{0, -7}}});
    const IntegerSolution solution = solve_integer_linear(equations, kLong + 1);
    ASSERT_FALSE(solution.overflow);
    EXPECT_THAT(solution.residues, IsEmpty());
    ASSERT_EQ(solution.solved.size(), kLong + 1);
    for (const auto& row : solution.solved) ASSERT_THAT(row.givens, ElementsAre(Pair(0, 7)));
}

TEST(IntegerLinear, AHundredThousandAliasesWithoutAGivenFollowOneOfThem) {
    std::mt19937 random(4);
    const IntegerSolution solution = solve_integer_linear(chain(random), kLong + 1);
    ASSERT_FALSE(solution.overflow);
    ASSERT_EQ(solution.free_unknowns.size(), 1U);
    for (const auto& row : solution.solved) {
        ASSERT_THAT(row.free_unknowns, ElementsAre(Pair(solution.free_unknowns.front(), 1)));
    }
}

TEST(IntegerLinear, AHundredThousandRedundantAliasesAreEachTracedToTheirTwin) {
    std::mt19937 random(5);
    Equations equations = chain(random);
    for (std::uint32_t k = 0; k < kLong; ++k) equations.push_back({{{k, 1}, {k + 1, -1}}, {{k, 1}}});
    const IntegerSolution solution = solve_integer_linear(equations, kLong + 1);
    ASSERT_FALSE(solution.overflow);
    ASSERT_EQ(solution.residues.size(), kLong);
    for (const auto& residue : solution.residues) {
        ASSERT_EQ(residue.equations.size(), 2U);
        ASSERT_EQ(residue.givens.size(), 1U);
    }
}

TEST(IntegerLinear, AJunctionOfAHundredThousandBondsIsSummed) {
    // Σ x_k + y = 0, x_k = g_k
    Equations equations(1);
    for (std::uint32_t k = 0; k < kLong; ++k) {
        equations[0].unknowns.emplace_back(k, 1);
        equations.push_back({{{k, 1}}, {{k, -1}}});
    }
    equations[0].unknowns.emplace_back(kLong, 1);
    const IntegerSolution solution = solve_integer_linear(equations, kLong + 1);
    ASSERT_FALSE(solution.overflow);
    ASSERT_EQ(solution.solved.size(), kLong + 1);
    EXPECT_EQ(solution.solved.back().givens.size(), kLong);
    EXPECT_THAT(solution.solved.back().givens.front(), Pair(0, -1));
}

/// The rows multiplied by decimals: each coefficient is rounded for itself, so 0.1·3 − 0.3 is not 0 in doubles.
std::vector<ExactEquation> in_decimals(const Equations& equations, std::mt19937& random) {
    std::vector<ExactEquation> result;
    for (const IntegerEquation& q : equations) {
        const double divisor = 10.0 * static_cast<double>(1 + random() % 30);
        const auto terms = [&](const IntegerTerms& from) {
            LinearTerms<ExactNumber> to;
            for (const auto& [index, k] : from) to.emplace_back(index, ExactNumber(static_cast<double>(k) / divisor));
            return to;
        };
        result.push_back({terms(q.unknowns), terms(q.givens)});
    }
    return result;
}

TEST(ExactLinear, DecimalsAreSolvedLikeTheIntegersTheyAreMadeOf) {
    std::mt19937 random(7);
    int dependent = 0;
    for (int trial = 0; trial < 400; ++trial) {
        Equations equations;
        for (std::size_t k = 0; k < 6; ++k)
            equations.push_back({random_terms(random, 6, 3, 3), random_terms(random, 3, 2, 3)});
        // One more that the first two imply, but for its givens.
        IntegerEquation sum = equations[0];
        for (const auto& [u, k] : equations[1].unknowns) sum.unknowns.emplace_back(u, 2 * k);
        equations.push_back(sum);
        const std::vector<std::uint8_t> level{0, 1, 0, 2, 1, 0};
        const IntegerSolution whole = solve_integer_linear(equations, 6, level);
        const std::vector<ExactEquation> decimals = in_decimals(equations, random);
        const ExactSolution exact = solve_exact_linear(decimals, 6, level);
        ASSERT_FALSE(whole.overflow);
        ASSERT_EQ(exact.solved.size(), whole.solved.size()) << "trial " << trial;
        ASSERT_EQ(exact.residues.size(), whole.residues.size());
        dependent += static_cast<int>(whole.residues.size());
        // Other pivots may have been taken: put into the equations, nothing may be left but the free unknowns' zeros.
        Eigen::MatrixXd by_free = Eigen::MatrixXd::Zero(6, 6);
        for (const std::uint32_t u : exact.free_unknowns) by_free(u, u) = 1.0;
        for (const auto& row : exact.solved) {
            for (const auto& [u, k] : row.free_unknowns) by_free(row.unknown, u) = k.value();
        }
        const auto [a, b] = matrices(equations, 6, 3);
        EXPECT_LT((a.cast<double>() * by_free).cwiseAbs().maxCoeff(), 1e-10) << "trial " << trial;
        for (const auto& residue : exact.residues) {
            Eigen::RowVectorXd unknowns = Eigen::RowVectorXd::Zero(6);
            Eigen::RowVectorXd givens = Eigen::RowVectorXd::Zero(3);
            double size = 0.0;
            for (const auto& [q, weight] : residue.equations) {
                size = std::max(size, std::abs(weight.value()));
                for (const auto& [u, k] : decimals[q].unknowns) unknowns(u) += weight.value() * k.value();
                for (const auto& [g, k] : decimals[q].givens) givens(g) += weight.value() * k.value();
            }
            for (const auto& [g, k] : residue.givens) givens(g) -= k.value();
            EXPECT_GT(size, 0.0);
            EXPECT_LT(unknowns.cwiseAbs().maxCoeff(), 1e-12 * size);
            EXPECT_LT(givens.cwiseAbs().maxCoeff(), 1e-12 * size);
        }
    }
    EXPECT_GT(dependent, 400);
}

}  // namespace
}  // namespace bondgraph::structure
