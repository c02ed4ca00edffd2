#include "bondgraph/structure/colouring.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace bondgraph::structure {
namespace {

using ::testing::Each;
using ::testing::Eq;
using ::testing::IsEmpty;

/// No colour twice in a row, all colours below the count, and no colour of the count without a column.
void expect_valid(const Incidence& rows, std::size_t column_count, const Colouring& colouring) {
    ASSERT_EQ(colouring.colour.size(), column_count);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        std::set<std::uint32_t> columns(rows.row(r).begin(), rows.row(r).end());
        std::set<std::uint32_t> colours;
        for (const std::uint32_t column : columns) colours.insert(colouring.colour[column]);
        ASSERT_EQ(colours.size(), columns.size()) << "row " << r;
    }
    const std::set<std::uint32_t> used(colouring.colour.begin(), colouring.colour.end());
    EXPECT_EQ(used.size(), colouring.count);
    if (!used.empty()) {
        EXPECT_EQ(*used.rbegin() + 1, colouring.count);
    }
}

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint32_t> result(last - first);
    std::iota(result.begin(), result.end(), first);
    return result;
}

TEST(ColourColumns, NoColumnsNeedNoColour) {
    const Colouring colouring = colour_columns(Incidence{}, 0);
    EXPECT_EQ(colouring.count, 0U);
    EXPECT_THAT(colouring.colour, IsEmpty());
}

TEST(ColourColumns, ADiagonalAndEmptyColumnsNeedOne) {
    Incidence rows;
    for (std::uint32_t r = 0; r < 10; ++r) rows.add_row(range(r, r + 1));
    const Colouring colouring = colour_columns(rows, 15);
    EXPECT_EQ(colouring.count, 1U);
    EXPECT_THAT(colouring.colour, Each(Eq(0U)));
}

TEST(ColourColumns, ATridiagonalPatternNeedsThree) {
    constexpr std::uint32_t kSize = 100'000;
    Incidence rows;
    for (std::uint32_t r = 0; r < kSize; ++r) rows.add_row(range(r == 0 ? 0 : r - 1, std::min(kSize, r + 2)));
    const Colouring colouring = colour_columns(rows, kSize);
    expect_valid(rows, kSize, colouring);
    EXPECT_EQ(colouring.count, 3U);
}

TEST(ColourColumns, ADenseRowNeedsAsManyAsItsColumns) {
    constexpr std::uint32_t kSize = 100'000;
    Incidence rows;
    rows.add_row(range(0, kSize));
    for (std::uint32_t r = 1; r < kSize; ++r) rows.add_row(range(r, r + 1));
    const Colouring colouring = colour_columns(rows, kSize);
    expect_valid(rows, kSize, colouring);
    EXPECT_EQ(colouring.count, kSize);
}

TEST(ColourColumns, ADenseColumnNeedsOneMore) {
    constexpr std::uint32_t kSize = 100'000;
    Incidence rows;
    rows.add_row(range(0, 1));
    for (std::uint32_t r = 1; r < kSize; ++r) rows.add_row(std::vector<std::uint32_t>{0, r});
    const Colouring colouring = colour_columns(rows, kSize);
    expect_valid(rows, kSize, colouring);
    EXPECT_EQ(colouring.count, 2U);
}

/// The dense column takes colour 0 from all others, which are those of the dense row: every search starts at a colour
/// that is free in the long row, but not in the short ones.
TEST(ColourColumns, ADenseRowBesideADenseColumnStaysFast) {
    constexpr std::uint32_t kSize = 100'000;
    Incidence rows;
    rows.add_row(range(1, kSize));
    for (std::uint32_t r = 1; r < kSize; ++r) rows.add_row(std::vector<std::uint32_t>{0, r});
    const Colouring colouring = colour_columns(rows, kSize);
    expect_valid(rows, kSize, colouring);
    EXPECT_EQ(colouring.count, kSize);
}

TEST(ColourColumns, ABandOfAnyWidthNeedsItsWidth) {
    for (const std::uint32_t width : {2U, 5U, 63U, 64U, 65U, 130U}) {
        Incidence rows;
        for (std::uint32_t r = 0; r < 300; ++r) rows.add_row(range(r, r + width));
        const Colouring colouring = colour_columns(rows, 300 + width);
        expect_valid(rows, 300 + width, colouring);
        EXPECT_GE(colouring.count, width);
        EXPECT_LE(colouring.count, 2 * width - 1);  // a column has at most 2·width − 2 neighbours
    }
}

/// The greedy colouring written down from its definition, over all pairs of columns.
std::vector<std::uint32_t> reference_colouring(const Incidence& rows, std::uint32_t column_count) {
    std::vector<std::set<std::uint32_t>> neighbours(column_count);
    std::vector<std::size_t> degree(column_count, 0);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (const std::uint32_t a : rows.row(r)) {
            degree[a] += rows.row(r).size() - 1;
            neighbours[a].insert(rows.row(r).begin(), rows.row(r).end());
        }
    }
    std::vector<std::uint32_t> order = range(0, column_count);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return degree[a] > degree[b]; });
    std::vector<std::uint32_t> colour(column_count, column_count);
    for (const std::uint32_t column : order) {
        std::set<std::uint32_t> taken;
        for (const std::uint32_t other : neighbours[column]) taken.insert(colour[other]);
        std::uint32_t free = 0;
        while (taken.contains(free)) ++free;
        colour[column] = free;
    }
    return colour;
}

TEST(ColourColumns, TakesTheSmallestFreeColourInOrderOfDegree) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 100; ++trial) {
        const std::uint32_t column_count = 1 + random() % 200;
        Incidence rows;
        for (std::size_t r = random() % 60; r > 0; --r) {
            const std::size_t wanted = random() % 8 == 0 ? column_count * 3 / 4 : random() % 5;
            std::set<std::uint32_t> row;
            for (std::size_t k = 0; k < wanted; ++k) row.insert(static_cast<std::uint32_t>(random() % column_count));
            rows.add_row(std::vector<std::uint32_t>(row.begin(), row.end()));
        }
        const Colouring colouring = colour_columns(rows, column_count);
        expect_valid(rows, column_count, colouring);
        ASSERT_EQ(colouring.colour, reference_colouring(rows, column_count)) << "trial " << trial;
    }
}

}  // namespace
}  // namespace bondgraph::structure
