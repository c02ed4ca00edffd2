#include "bondgraph/structure/block_triangular.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "bondgraph/structure/verify.hpp"
#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

BlockTriangular decompose(const Incidence& rows, std::size_t columns) {
    return block_triangular(rows, columns, maximum_matching(rows, columns));
}

// Row 2 alone gives column 1; rows 0 and 3 need each other's columns 0 and 2; row 1 comes last.
TEST(BlockTriangular, ARegularMatrixFallsIntoBlocksInOrder) {
    const Incidence rows = incidence({{0, 2, 1}, {3, 0}, {1}, {0, 2}});
    const BlockTriangular order = decompose(rows, 4);
    ASSERT_EQ(order.rows.rows(), 3u);
    EXPECT_THAT(order.rows.row(0), ElementsAre(2));
    EXPECT_THAT(order.columns.row(0), ElementsAre(1));
    EXPECT_THAT(order.rows.row(1), ElementsAre(0, 3));
    EXPECT_THAT(order.rows.row(2), ElementsAre(1));
    EXPECT_TRUE(is_block_triangular(rows, 4, order));
}

// All three parts at once: rows 0, 1 determine column 0 twice; row 2 gives column 1; columns 2, 3 share row 3.
TEST(BlockTriangular, SingularPartsStayOutsideTheBlocks) {
    const Incidence rows = incidence({{0}, {0}, {0, 1}, {1, 2, 3}});
    const BlockTriangular order = decompose(rows, 4);
    EXPECT_THAT(order.parts.overdetermined_rows, ElementsAre(0, 1));
    EXPECT_THAT(order.parts.underdetermined_columns, ElementsAre(2, 3));
    ASSERT_EQ(order.rows.rows(), 1u);
    EXPECT_THAT(order.rows.row(0), ElementsAre(2));
    EXPECT_TRUE(is_block_triangular(rows, 4, order));
}

TEST(BlockTriangular, TheEmptyMatrixHasNoBlocks) {
    const BlockTriangular order = decompose(Incidence{}, 0);
    EXPECT_EQ(order.rows.rows(), 0u);
    EXPECT_TRUE(is_block_triangular(Incidence{}, 0, order));
}

TEST(BlockTriangular, RandomMatricesOfAllShapes) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 500; ++trial) {
        const std::size_t row_count = 1 + random() % 12;
        const std::size_t columns = 1 + random() % 12;
        Lists lists(row_count);
        for (auto& row : lists) {
            for (std::size_t k = random() % 4; k > 0; --k)
                row.push_back(static_cast<std::uint32_t>(random() % columns));
        }
        const Incidence rows = incidence(lists);
        EXPECT_TRUE(is_block_triangular(rows, columns, decompose(rows, columns))) << "trial " << trial;
    }
}

TEST(BlockTriangular, TheCheckerRefusesWrongOrders) {
    const Incidence rows = incidence({{0}, {0, 1}});
    BlockTriangular order = decompose(rows, 2);
    ASSERT_TRUE(is_block_triangular(rows, 2, order));
    BlockTriangular merged;
    merged.rows = incidence({{0, 1}});
    merged.columns = incidence({{0, 1}});
    EXPECT_FALSE(is_block_triangular(rows, 2, merged));  // it can be split
    BlockTriangular swapped;
    swapped.rows = incidence({{1}, {0}});
    swapped.columns = incidence({{1}, {0}});
    EXPECT_FALSE(is_block_triangular(rows, 2, swapped));
    order.columns.columns.clear();
    order.columns.starts.assign(3, 0);
    EXPECT_FALSE(is_block_triangular(rows, 2, order));
}

TEST(Verify, AMatchingThatCouldGrowIsNotMaximum) {
    const Incidence rows = incidence({{0, 1}, {0}});
    Matching matching = maximum_matching(rows, 2);
    EXPECT_TRUE(is_maximum_matching(rows, 2, matching));
    matching.column_of = {0, kUnmatched};
    matching.row_of = {0, kUnmatched};
    EXPECT_TRUE(is_matching(rows, 2, matching));
    EXPECT_FALSE(is_maximum_matching(rows, 2, matching));
    matching.column_of = {1, 1};
    EXPECT_FALSE(is_matching(rows, 2, matching));
}

TEST(Verify, AnUnmatchedRowHasAHallViolator) {
    const Incidence rows = incidence({{0, 1}, {0, 1}, {0, 1}, {2}});
    const auto parts = singular_parts(rows, 3, maximum_matching(rows, 3));
    EXPECT_TRUE(is_hall_violator(rows, 3, parts.overdetermined_rows));
    EXPECT_FALSE(is_hall_violator(rows, 3, std::vector<std::uint32_t>{0, 1}));
    EXPECT_FALSE(is_hall_violator(rows, 3, std::vector<std::uint32_t>{3, 3}));
}

TEST(Verify, ATearingMustBreakAllCycles) {
    const Incidence ring = incidence({{1}, {2}, {0}});
    const std::vector<std::uint32_t> all{0, 1, 2};
    const Tearing tearing = tear(ring, all, {}, {});
    EXPECT_TRUE(leaves_no_cycle(ring, all, tearing));
    EXPECT_FALSE(leaves_no_cycle(ring, all, {{}, {0, 1, 2}}));
    EXPECT_FALSE(leaves_no_cycle(ring, all, {{0}, {1, 2}}));  // 1 needs 2 first
    EXPECT_FALSE(leaves_no_cycle(ring, all, {{0}, {2}}));
}

}  // namespace
}  // namespace bondgraph::structure
