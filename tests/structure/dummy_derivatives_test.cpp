#include "bondgraph/structure/dummy_derivatives.hpp"

#include <gmock/gmock.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <random>

#include "bondgraph/structure/pivoting.hpp"
#include "bondgraph/structure/verify.hpp"
#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A Jacobian by input equation and variable: ∂(highest equation)/∂(highest derivative).
BlockJacobian by_origin(const IndexReduction& plan, const Eigen::MatrixXd& matrix) {
    std::vector<std::uint32_t> variable(plan.derivative_of.size(), no);
    std::vector<bool> derivative(plan.derivative_of.size(), false);
    for (const std::uint32_t d : plan.derivative_of) {
        if (d != no) derivative[d] = true;
    }
    std::uint32_t number = 0;
    for (std::uint32_t c = 0; c < plan.derivative_of.size(); ++c) {
        if (derivative[c]) continue;
        for (std::uint32_t k = c; k != no; k = plan.derivative_of[k]) variable[k] = number;
        ++number;
    }
    return [variable, matrix, origin = plan.origin](std::span<const std::uint32_t> rows,
                                                    std::span<const std::uint32_t> columns) {
        Eigen::MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (std::size_t c = 0; c < columns.size(); ++c)
                result(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
                    matrix(origin[rows[r]], variable[columns[c]]);
        }
        return result;
    };
}

// Pendulum x'' = T x, y'' = T y − g, x² + y² = 1; columns x, y, T, x', y', x'', y''.
struct Pendulum {
    std::vector<std::uint32_t> derivative_of{3, 4, no, 5, 6, no, no};
    Incidence rows = incidence({{5, 0, 2}, {6, 1, 2}, {0, 1}});
    IndexReduction plan = reduce_index(rows, derivative_of);
    std::vector<DerivativeBlock> blocks = derivative_blocks(plan);

    static Eigen::MatrixXd jacobian(double x, double y) {
        Eigen::MatrixXd m(3, 3);
        m << 1, 0, -x, 0, 1, -y, 2 * x, 2 * y, 0;
        return m;
    }
    DummyChoice choose(double x, double y, const std::vector<StateWish>& wishes = {}) const {
        return choose_dummies(plan, blocks, by_origin(plan, jacobian(x, y)), wishes);
    }
};

// Section 3 of the paper: near x = 0 the position x is the state, near y = 0 it is y.
TEST(DummyDerivatives, ThePendulumTakesTheCoordinateThatDeterminesTheOther) {
    const Pendulum p;
    const DummyChoice bottom = p.choose(0.1, -0.99);
    EXPECT_THAT(bottom.states, ElementsAre(0, 3));
    EXPECT_THAT(bottom.dummies, ElementsAre(4, 6));
    EXPECT_TRUE(is_dummy_choice(p.plan, bottom));
    const DummyChoice side = p.choose(0.99, -0.1);
    EXPECT_THAT(side.states, ElementsAre(1, 4));
    EXPECT_TRUE(is_dummy_choice(p.plan, side));
}

TEST(DummyDerivatives, PreferenceDecidesUntilRankDoes) {
    const Pendulum p;
    std::vector<StateWish> wishes(p.plan.derivative_of.size());
    wishes[0] = wishes[3] = {40, 2};
    EXPECT_THAT(p.choose(0.9, -0.44, wishes).states, ElementsAre(0, 3));
    EXPECT_THAT(p.choose(1.0, 0.0, wishes).states, ElementsAre(1, 4));  // x can't be a state where it turns round
}

// A coordinate that is wanted gives way where it determines the other one so much worse that its wish doesn't count
// for it any more: 3.3 times for nobody's, 11 for causality's, 33 for a preferred and 3 333 for a demanded one.
TEST(DummyDerivatives, AWantedStateIsExchangedWhereItDeterminesTheRestBadly) {
    const Pendulum p;
    const auto x_is_state = [&](StateWish x, StateWish y, double slope) {
        std::vector<StateWish> wishes(p.plan.derivative_of.size());
        wishes[0] = wishes[3] = x;
        wishes[1] = wishes[4] = y;
        const double length = std::hypot(1.0, slope);
        return p.choose(slope / length, -1.0 / length, wishes).states == std::vector<std::uint32_t>{0, 3};
    };
    const StateWish none{};
    for (const auto& [x, y, limit] : {std::tuple{StateWish{1, 0}, none, 3.3},
                                      {StateWish{20, 1}, none, 11.0},
                                      {StateWish{40, 2}, none, 33.0},
                                      {none, StateWish{-40, -2}, 33.0},
                                      {StateWish{40, 2}, StateWish{20, 1}, 33.0}}) {
        EXPECT_TRUE(x_is_state(x, y, 0.98 * limit)) << limit;
        EXPECT_FALSE(x_is_state(x, y, 1.05 * limit)) << limit;
    }
    EXPECT_TRUE(x_is_state({60, 3}, none, 900.0));
}

TEST(DummyDerivatives, TheGainWarnsOfASingularChoice) {
    const Pendulum p;
    const DummyChoice bottom = p.choose(0.0, -1.0);
    const auto at = [&](double x, double y) {
        return choice_gain(p.plan, by_origin(p.plan, Pendulum::jacobian(x, y)), bottom, {});
    };
    EXPECT_NEAR(at(0.0, -1.0), 0.0, 1e-12);
    EXPECT_NEAR(at(0.6, -0.8), 0.75, 1e-12);
    EXPECT_NEAR(at(0.999, -0.045), 22.2, 1e-9);
    EXPECT_TRUE(std::isinf(at(1.0, 0.0)));
}

// The linear example of the paper (section 4): x1 + x2 + u1 = 0, x1 + x2 + x3 + u2 = 0, x1 + x3' + x4 + u3 = 0,
// 2 x1'' + x2'' + x3'' + x4' + u4 = 0. Columns x1 … x4, x1' … x4', x1'', x2'', x3''.
TEST(DummyDerivatives, TheLinearExampleOfThePaper) {
    const std::vector<std::uint32_t> derivative_of{4, 5, 6, 7, 8, 9, 10, no, no, no, no};
    const Incidence rows = incidence({{0, 1}, {0, 1, 2}, {0, 6, 3}, {8, 9, 10, 7}});
    const IndexReduction plan = reduce_index(rows, derivative_of);
    EXPECT_THAT(plan.differentiations, ElementsAre(2, 2, 1, 0));
    ASSERT_TRUE(is_index_reduction(rows, derivative_of, plan));
    Eigen::MatrixXd g(4, 4);
    g << 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 2, 1, 1, 1;
    const auto blocks = derivative_blocks(plan);
    ASSERT_EQ(blocks.size(), 1u);
    const DummyChoice choice = choose_dummies(plan, blocks, by_origin(plan, g), {});
    EXPECT_TRUE(is_dummy_choice(plan, choice));
    EXPECT_EQ(choice.dummies.size(), 5u);
    // x3 and x4 are determined by the others; x1 or x2 with its derivative remains.
    EXPECT_THAT(choice.states, ::testing::AnyOf(ElementsAre(0, 4), ElementsAre(1, 5)));
    EXPECT_THAT(choice.redundant, IsEmpty());
}

// The pendulum with its rod twice: x'' = (T + S) x, …; columns x, y, T, S, x', y', x'', y''.
TEST(DummyDerivatives, ADoubledConstraintIsRedundantAndFreesOneForce) {
    const std::vector<std::uint32_t> derivative_of{4, 5, no, no, 6, 7, no, no};
    const Incidence rows = incidence({{6, 0, 2, 3}, {7, 1, 2, 3}, {0, 1}, {0, 1}});
    const IndexReduction plan = reduce_index(rows, derivative_of);
    const double x = 0.6;
    const double y = -0.8;
    Eigen::MatrixXd g(4, 4);
    g << 1, 0, -x, -x, 0, 1, -y, -y, 2 * x, 2 * y, 0, 0, 4 * x, 4 * y, 0, 0;
    const auto blocks = derivative_blocks(plan);
    DummyChoice choice = choose_dummies(plan, blocks, by_origin(plan, g), {});
    ASSERT_EQ(choice.redundant.size(), 1u);
    EXPECT_EQ(choice.redundant[0].equation, 3u);
    EXPECT_FALSE(choice.redundant[0].hidden);
    ASSERT_EQ(choice.redundant[0].combination.size(), 2u);
    EXPECT_EQ(choice.redundant[0].combination[0].first, 2u);
    EXPECT_NEAR(choice.redundant[0].combination[0].second, -2.0, 1e-12);
    EXPECT_THAT(choice.free_columns, ElementsAre(3));
    EXPECT_EQ(choice.dummies.size(), 2u);
    EXPECT_TRUE(is_dummy_choice(plan, choice));
    // By wish the other one.
    choice = choose_dummies(plan, blocks, by_origin(plan, g), {}, std::vector<std::int16_t>{0, 0, 1, 0},
                            std::vector<std::int16_t>{0, 0, 1, 0});
    EXPECT_EQ(choice.redundant[0].equation, 2u);
    EXPECT_THAT(choice.free_columns, ElementsAre(2));
}

TEST(DummyDerivatives, RandomSystemsGetCompleteRegularChoices) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    int chosen = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const auto n = static_cast<std::uint32_t>(3 + trial % 8);
        std::vector<std::uint32_t> derivative_of(n, no);
        for (std::uint32_t v = 0; v < n; ++v) {
            std::uint32_t last = v;
            for (std::uint32_t k = random() % 3; k > 0; --k) {
                derivative_of[last] = static_cast<std::uint32_t>(derivative_of.size());
                last = derivative_of[last];
                derivative_of.push_back(no);
            }
        }
        Lists lists(n);
        for (auto& row : lists) {
            for (std::uint32_t k = 1 + random() % 5; k > 0; --k)
                row.push_back(static_cast<std::uint32_t>(random() % derivative_of.size()));
            std::ranges::sort(row);
            row.erase(std::unique(row.begin(), row.end()), row.end());
        }
        const IndexReduction plan = reduce_index(incidence(lists), derivative_of);
        if (!plan.singular_equations.empty()) continue;
        Eigen::MatrixXd g = Eigen::MatrixXd::Zero(n, n);
        std::vector<std::uint32_t> base(plan.derivative_of.size());
        for (std::uint32_t v = 0; v < n; ++v)
            for (std::uint32_t c = v; c != no; c = plan.derivative_of[c]) base[c] = v;
        for (std::uint32_t r = 0; r < plan.rows.rows(); ++r) {
            if (plan.equation_derivative[r] != no) continue;
            for (const std::uint32_t c : plan.rows.row(r))
                if (plan.derivative_of[c] == no) g(plan.origin[r], base[c]) = number(random);
        }
        const auto blocks = derivative_blocks(plan);
        const DummyChoice choice = choose_dummies(plan, blocks, by_origin(plan, g), {});
        EXPECT_THAT(choice.redundant, IsEmpty()) << "trial " << trial;
        EXPECT_TRUE(is_dummy_choice(plan, choice)) << "trial " << trial;
        EXPECT_LE(choice_gain(plan, by_origin(plan, g), choice, {}), kExchanged) << "trial " << trial;
        chosen += choice.dummies.empty() ? 0 : 1;
    }
    EXPECT_GT(chosen, 50);
}

TEST(DummyDerivatives, TheCheckerRefusesIncompleteChoices) {
    const Pendulum p;
    DummyChoice choice = p.choose(0.1, -0.99);
    choice.dummies.pop_back();
    EXPECT_FALSE(is_dummy_choice(p.plan, choice));
    choice = p.choose(0.1, -0.99);
    choice.dummies = {3, 6};  // y'' with x': not one variable per order from the top
    EXPECT_FALSE(is_dummy_choice(p.plan, choice));
}

TEST(Pivoting, TheColumnsTakenAreIndependentAndFollowTheClasses) {
    Eigen::MatrixXd m(2, 4);
    m << 1, 2, 0, 1, 0, 0, 1e-5, 1;
    EXPECT_THAT(independent_columns(m, {}, 1e-9, 1e-3), ElementsAre(1, 3));
    EXPECT_THAT(independent_columns(m, std::vector<std::int16_t>{3, 1, 1, 1}, 1e-9, 1e-3), ElementsAre(0, 3));
    EXPECT_THAT(independent_columns(m, std::vector<std::int16_t>{3, 3, 1, 1}, 1e-9, 1e-3), ElementsAre(1, 3));
}

TEST(Pivoting, SingularValues) {
    const Eigen::MatrixXd m = Eigen::Vector2d(1.0, 4.0).asDiagonal();
    EXPECT_DOUBLE_EQ(smallest_singular_value(m), 1.0);
    EXPECT_DOUBLE_EQ(largest_singular_value(m), 4.0);
    EXPECT_EQ(smallest_singular_value(Eigen::MatrixXd::Zero(2, 2)), 0.0);
    EXPECT_EQ(largest_singular_value(Eigen::MatrixXd(0, 2)), 0.0);
}

// U diag(s) Vᵀ with reflections U and V: the singular values are those put in, whatever way they are found.
TEST(Pivoting, SingularValuesOfLargeMatricesAreThoseTheyAreMadeOf) {
    static constexpr Eigen::Index kSize = 80;  // beyond 64 they are estimated
    const auto reflection = [](double phase) {
        Eigen::VectorXd u(kSize);
        for (Eigen::Index i = 0; i < kSize; ++i) u(i) = std::sin(phase + 2.3 * static_cast<double>(i));
        return Eigen::MatrixXd(Eigen::MatrixXd::Identity(kSize, kSize) - 2.0 / u.squaredNorm() * u * u.transpose());
    };
    Eigen::VectorXd s = Eigen::VectorXd::LinSpaced(kSize, 2.0, 4.0);
    s(17) = 25.0;
    s(60) = 1e-3;
    const Eigen::MatrixXd m = reflection(0.0) * s.asDiagonal() * reflection(1.0);
    EXPECT_NEAR(largest_singular_value(m), 25.0, 1e-9);
    EXPECT_NEAR(smallest_singular_value(m), 1e-3, 1e-9);
    EXPECT_NEAR(smallest_singular_value(m.leftCols(70)),
                Eigen::JacobiSVD<Eigen::MatrixXd>(m.leftCols(70)).singularValues()(69), 1e-9);
    Eigen::MatrixXd singular = m;
    singular.row(3) = singular.row(4);
    EXPECT_NEAR(smallest_singular_value(singular), 0.0, 1e-9);
}

TEST(Pivoting, ScalingMakesOneTheLargestOfEachColumnThatIsNotZero) {
    Eigen::MatrixXd m(2, 4);
    m << 1.0, 0.5e-6, 0.0, 3e5, 0.5, -1e-6, 0.0, 2e5;
    const Eigen::VectorXd largest = scaled(m).cwiseAbs().colwise().maxCoeff().transpose();
    EXPECT_THAT(largest, ElementsAre(DoubleEq(1.0), DoubleEq(1.0), 0.0, DoubleEq(1.0)));
}

}  // namespace
}  // namespace bondgraph::structure
