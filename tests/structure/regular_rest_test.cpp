#include "bondgraph/structure/regular_rest.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

/// A square system whose numbers are known, matched as structure happens to do it.
struct Case {
    Eigen::MatrixXd numbers;
    std::vector<bool> rate;
    Matching start;

    Incidence pattern() const {
        Incidence result;
        for (Eigen::Index r = 0; r < numbers.rows(); ++r) {
            std::vector<std::uint32_t> row;
            for (Eigen::Index c = 0; c < numbers.cols(); ++c) {
                if (numbers(r, c) != 0.0) row.push_back(static_cast<std::uint32_t>(c));
            }
            result.add_row(row);
        }
        return result;
    }
    Matching better(const Incidence& preferred) const {
        const RowJacobian rows = [&](std::span<const std::uint32_t> which) {
            Eigen::MatrixXd part(static_cast<Eigen::Index>(which.size()), numbers.cols());
            for (std::size_t k = 0; k < which.size(); ++k)
                part.row(static_cast<Eigen::Index>(k)) = numbers.row(which[k]);
            return Eigen::SparseMatrix<double, Eigen::RowMajor>(part.sparseView());
        };
        return with_regular_rest(pattern(), preferred, start, rate, rows);
    }
    Matching better() const { return better({std::vector<std::uint32_t>(rate.size() + 1, 0), {}}); }
    /// The rest by the rows that are not the rates'.
    double determinant(const Matching& m) const {
        std::vector<Eigen::Index> rows;
        std::vector<Eigen::Index> columns;
        for (std::size_t c = 0; c < rate.size(); ++c) {
            if (rate[c]) continue;
            rows.push_back(m.row_of[c]);
            columns.push_back(static_cast<Eigen::Index>(c));
        }
        return Eigen::MatrixXd(numbers(rows, columns)).determinant();
    }
};

/// Rate a; forces e, x, y of which e and x stand in rows 1 to 3 as e - x only, and in row 0 e = 2 a.
Case difference() {
    Case c;
    c.numbers.resize(4, 4);
    c.numbers << -2, 1, 0, 0,  //
        3, 0.5, -0.5, 0.2,     //
        1, 0.7, -0.7, -0.4,    //
        2, -0.3, 0.3, 0.9;
    c.rate = {true, false, false, false};
    c.start = {{0, 1, 2, 3}, {0, 1, 2, 3}};
    return c;
}

// With other factors than 1 the columns of e and x are multiples of each other but for rounding.
TEST(RegularRest, RowsThatOnlyRatesTellApartAreExchanged) {
    for (const double factor : {1.0, 3.0, 0.1}) {
        Case c = difference();
        c.numbers.col(2) *= factor;
        ASSERT_NEAR(c.determinant(c.start), 0.0, 1e-15);
        const Matching better = c.better();
        EXPECT_EQ(better.size(), 4U);
        EXPECT_GT(std::abs(c.determinant(better)), 0.1 * factor);
        EXPECT_NE(better.row_of[0], 0U) << "row 0 is needed for e";
    }
}

// Rates a and b; b's row could serve as well as one of those that determine the rest already.
TEST(RegularRest, NoMoreRowsAreExchangedThanHaveToBe) {
    Case c;
    c.numbers.resize(5, 5);
    c.numbers << -2, 0, 1, 0, 0,  //
        0, 1, 0, 1, 0,            //
        3, 0, 0.5, -0.5, 0.2,     //
        1, 0, 0.7, -0.7, -0.4,    //
        2, 0, -0.3, 0.3, 0.9;
    c.rate = {true, true, false, false, false};
    c.start = {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}};
    const Matching better = c.better();
    EXPECT_GT(std::abs(c.determinant(better)), 0.01);
    EXPECT_NE((better.row_of[0] < 2), (better.row_of[1] < 2)) << "one of the rates keeps a row of rates";
}

// Rate a, of which e follows; x and y stand in rows 2 and 3 as a difference beside e, and their sum is z, which alone
// ties them to the rate's row.
TEST(RegularRest, BlocksAreReachedByRatesAndMendedThroughOthers) {
    Case c;
    c.numbers.resize(5, 5);
    c.numbers << 1, 0, 0, 0, 1,  //
        -2, 1, 0, 0, 0,          //
        0, 3, 0.5, -0.5, 0,      //
        0, 1, 0.7, -0.7, 0,      //
        0, 0, 1, 1, -1;
    c.rate = {true, false, false, false, false};
    c.start = {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}};
    ASSERT_NEAR(c.determinant(c.start), 0.0, 1e-15);
    EXPECT_GT(std::abs(c.determinant(c.better())), 0.1);
}

TEST(RegularRest, PreferredPairsAreTakenAmongTheRowsThatServe) {
    const Case c = difference();
    const Matching any = c.better();
    std::vector<std::vector<std::uint32_t>> preferred(4);
    preferred[any.row_of[2]] = {3};
    preferred[any.row_of[3]] = {2};
    const Matching other = c.better(incidence(preferred));
    EXPECT_EQ(other.row_of[2], any.row_of[3]);
    EXPECT_EQ(other.row_of[3], any.row_of[2]);
}

TEST(RegularRest, WhatIsRegularStays) {
    Case c = difference();
    c.numbers(3, 2) = 0.4;
    const Matching same = c.better();
    EXPECT_EQ(same.row_of, c.start.row_of);
}

TEST(RegularRest, WhatNoExchangeMendsStays) {
    Case c = difference();
    c.numbers(0, 1) = 0.0;  // the difference is all there is
    const Matching same = c.better();
    EXPECT_EQ(same.row_of, c.start.row_of);
}

}  // namespace
}  // namespace bondgraph::structure
