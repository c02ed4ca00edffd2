#include "bondgraph/structure/matching.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsEmpty;

Lists random_lists(std::mt19937& random, std::size_t rows, std::size_t columns, std::size_t entries) {
    Lists lists(rows);
    for (std::size_t k = 0; k < entries; ++k) {
        lists[random() % rows].push_back(static_cast<std::uint32_t>(random() % columns));
    }
    return lists;
}

void expect_valid(const Incidence& rows, std::size_t column_count, const Matching& matching) {
    ASSERT_EQ(matching.column_of.size(), rows.rows());
    ASSERT_EQ(matching.row_of.size(), column_count);
    std::size_t pairs = 0;
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        const std::uint32_t column = matching.column_of[r];
        if (column == kUnmatched) continue;
        ++pairs;
        ASSERT_LT(column, column_count);
        EXPECT_EQ(matching.row_of[column], r);
        EXPECT_NE(std::ranges::find(rows.row(r), column), rows.row(r).end());
    }
    EXPECT_EQ(pairs, column_count - static_cast<std::size_t>(std::ranges::count(matching.row_of, kUnmatched)));
    EXPECT_EQ(matching.size(), pairs);
}

/// By dynamic programming over sets of columns: the largest set size reachable with the rows so far.
std::size_t brute_force_size(const Lists& lists, std::size_t column_count) {
    std::vector<bool> reachable(std::size_t{1} << column_count, false);
    reachable[0] = true;
    for (const auto& list : lists) {
        std::vector<bool> extended = reachable;
        for (std::size_t set = 0; set < reachable.size(); ++set) {
            if (!reachable[set]) continue;
            for (const std::uint32_t column : list) extended[set | (std::size_t{1} << column)] = true;
        }
        // A row given twice the same column would not grow the set, so the size counts matched rows correctly.
        reachable = std::move(extended);
    }
    std::size_t best = 0;
    for (std::size_t set = 0; set < reachable.size(); ++set) {
        if (reachable[set]) best = std::max(best, static_cast<std::size_t>(__builtin_popcountll(set)));
    }
    return best;
}

/// König: a matching is maximum if some set of as many rows and columns touches all entries. Columns enter the cover
/// when an alternating path from an unmatched row leads to them, rows when none does; found here by plain iteration.
bool has_cover_of_its_size(const Incidence& rows, const Matching& matching) {
    std::vector<bool> row_reached(rows.rows(), false);
    std::vector<bool> column_reached(matching.row_of.size(), false);
    for (std::size_t r = 0; r < rows.rows(); ++r) row_reached[r] = matching.column_of[r] == kUnmatched;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t r = 0; r < rows.rows(); ++r) {
            if (!row_reached[r]) continue;
            for (const std::uint32_t column : rows.row(r)) {
                if (column_reached[column]) continue;
                column_reached[column] = changed = true;
                if (matching.row_of[column] != kUnmatched) row_reached[matching.row_of[column]] = true;
            }
        }
    }
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (const std::uint32_t column : rows.row(r)) {
            if (row_reached[r] && !column_reached[column]) return false;
        }
    }
    const auto cover = std::ranges::count(row_reached, false) + std::ranges::count(column_reached, true);
    return static_cast<std::size_t>(cover) == matching.size();
}

TEST(MaximumMatching, OfNothingIsEmpty) {
    const Matching matching = maximum_matching(Incidence{}, 0);
    EXPECT_EQ(matching.size(), 0U);
    EXPECT_THAT(matching.row_of, IsEmpty());
}

TEST(MaximumMatching, LeavesRowsWithoutColumnsUnmatched) {
    const Matching matching = maximum_matching(incidence({{}, {1}}), 3);
    EXPECT_THAT(matching.column_of, ElementsAre(kUnmatched, 1));
    EXPECT_THAT(matching.row_of, ElementsAre(kUnmatched, 1, kUnmatched));
}

TEST(MaximumMatching, EqualsBruteForceOnSmallRandomPatterns) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 3000; ++trial) {
        const std::size_t row_count = 1 + random() % 8;
        const std::size_t column_count = 1 + random() % 8;
        const Lists lists = random_lists(random, row_count, column_count, random() % (2 * row_count + 3));
        const Incidence rows = incidence(lists);
        const Matching matching = maximum_matching(rows, column_count);
        expect_valid(rows, column_count, matching);
        ASSERT_EQ(matching.size(), brute_force_size(lists, column_count)) << "trial " << trial;
    }
}

TEST(MaximumMatching, HasACoverOfItsSizeOnLargerRandomPatterns) {
    std::mt19937 random(2);
    for (const std::size_t entries : {500U, 1500U, 2500U, 4000U, 20000U}) {
        const Incidence rows = incidence(random_lists(random, 1000, 1100, entries));
        const Matching matching = maximum_matching(rows, 1100);
        expect_valid(rows, 1100, matching);
        EXPECT_TRUE(has_cover_of_its_size(rows, matching)) << entries << " entries";
    }
}

TEST(MaximumMatching, ExtendsAnyPartialStartToTheSameSize) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 500; ++trial) {
        const Incidence rows = incidence(random_lists(random, 30, 30, 60));
        const std::size_t expected = maximum_matching(rows, 30).size();
        Matching start{std::vector<std::uint32_t>(30, kUnmatched), std::vector<std::uint32_t>(30, kUnmatched)};
        for (std::uint32_t r = 0; r < 30; ++r) {
            if (rows.row(r).empty()) continue;
            const std::uint32_t column = rows.row(r)[random() % rows.row(r).size()];
            if (start.row_of[column] != kUnmatched) continue;
            start.row_of[column] = r;
            start.column_of[r] = column;
        }
        const Matching matching = maximum_matching(rows, 30, start);
        expect_valid(rows, 30, matching);
        ASSERT_EQ(matching.size(), expected);
        for (std::uint32_t k = 0; k < 30; ++k) {
            if (start.column_of[k] != kUnmatched) {
                EXPECT_NE(matching.column_of[k], kUnmatched);
            }
            if (start.row_of[k] != kUnmatched) {
                EXPECT_NE(matching.row_of[k], kUnmatched);
            }
        }
    }
}

TEST(MaximumMatching, KeepsPairsOfTheStartThatNeedNotGiveWay) {
    // Both rows could have either column; without a start row 0 takes column 0.
    const Incidence rows = incidence({{0, 1}, {0, 1}, {2}});
    const Matching matching = maximum_matching(rows, 3, {{kUnmatched, 0, kUnmatched}, {1, kUnmatched, kUnmatched}});
    EXPECT_THAT(matching.column_of, ElementsAre(1, 0, 2));
}

TEST(MaximumMatching, GivesUpPairsOfTheStartWhereItMust) {
    const Incidence rows = incidence({{0, 1}, {0}});
    const Matching matching = maximum_matching(rows, 2, {{0, kUnmatched}, {0, kUnmatched}});
    EXPECT_THAT(matching.column_of, ElementsAre(1, 0));
}

TEST(MaximumMatching, FollowsAnAugmentingPathOfAHundredThousandRows) {
    constexpr std::uint32_t kRows = 100'000;
    Incidence rows;
    Matching start;
    for (std::uint32_t r = 0; r + 1 < kRows; ++r) {
        rows.add_row(std::vector<std::uint32_t>{r, r + 1});
        start.column_of.push_back(r);
        start.row_of.push_back(r);
    }
    rows.add_row(std::vector<std::uint32_t>{0});
    const Matching matching = maximum_matching(rows, kRows, start);
    EXPECT_EQ(matching.size(), kRows);
    EXPECT_EQ(matching.column_of.front(), 1U);
    EXPECT_EQ(matching.column_of.back(), 0U);
}

TEST(SingularParts, AreEmptyForASquareMatchedPattern) {
    const Incidence rows = incidence({{0, 1}, {1, 2}, {0, 2}});
    const SingularParts parts = singular_parts(rows, 3, maximum_matching(rows, 3));
    EXPECT_THAT(parts.overdetermined_rows, IsEmpty());
    EXPECT_THAT(parts.overdetermined_columns, IsEmpty());
    EXPECT_THAT(parts.underdetermined_rows, IsEmpty());
    EXPECT_THAT(parts.underdetermined_columns, IsEmpty());
}

/// The first example of Pothen and Fan: Computing the block triangular form of a sparse matrix, ACM Trans. Math. Softw.
/// 16, 1990. Counted from 0 here. Its horizontal (under-determined) part is rows 0–2 × columns 0–4, the square part
/// rows 3–6 × columns 5–8, the vertical (over-determined) part rows 7–11 × columns 9–10.
TEST(SingularParts, AreThoseOfPothenAndFansExample) {
    const Incidence rows = incidence({{0, 1, 2, 3, 4, 5},
                                      {3, 4, 6, 7, 9},
                                      {0, 2, 4},
                                      {5, 6, 10},
                                      {5, 6, 8},
                                      {7, 8},
                                      {7, 8, 9},
                                      {9, 10},
                                      {10},
                                      {9},
                                      {9, 10},
                                      {10}});
    const Matching matching = maximum_matching(rows, 11);
    EXPECT_EQ(matching.size(), 9U);
    const SingularParts parts = singular_parts(rows, 11, matching);
    EXPECT_THAT(parts.underdetermined_rows, ElementsAre(0, 1, 2));
    EXPECT_THAT(parts.underdetermined_columns, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(parts.overdetermined_rows, ElementsAre(7, 8, 9, 10, 11));
    EXPECT_THAT(parts.overdetermined_columns, ElementsAre(9, 10));
}

/// A row is over-determined exactly when the rest can be matched as well without it; columns likewise.
TEST(SingularParts, AreWhatSomeMaximumMatchingCanSpare) {
    std::mt19937 random(4);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t row_count = 1 + random() % 7;
        const std::size_t column_count = 1 + random() % 7;
        const Lists lists = random_lists(random, row_count, column_count, random() % (2 * row_count + 3));
        const Incidence rows = incidence(lists);
        const std::size_t full = brute_force_size(lists, column_count);

        std::vector<std::uint32_t> spare_rows;
        std::vector<std::uint32_t> spare_columns;
        for (std::uint32_t r = 0; r < row_count; ++r) {
            Lists without = lists;
            without[r].clear();
            if (brute_force_size(without, column_count) == full) spare_rows.push_back(r);
        }
        for (std::uint32_t column = 0; column < column_count; ++column) {
            Lists without = lists;
            for (auto& list : without) std::erase(list, column);
            if (brute_force_size(without, column_count) == full) spare_columns.push_back(column);
        }
        const SingularParts parts = singular_parts(rows, column_count, maximum_matching(rows, column_count));
        EXPECT_THAT(parts.overdetermined_rows, Eq(spare_rows));
        EXPECT_THAT(parts.underdetermined_columns, Eq(spare_columns));
    }
}

TEST(SingularParts, DoNotDependOnTheMatching) {
    std::mt19937 random(5);
    for (int trial = 0; trial < 100; ++trial) {
        const Incidence rows = incidence(random_lists(random, 40, 40, 70));
        Matching start{std::vector<std::uint32_t>(40, kUnmatched), std::vector<std::uint32_t>(40, kUnmatched)};
        for (std::uint32_t r = 40; r-- > 0;) {  // greedy from the other end
            for (const std::uint32_t column : rows.row(r)) {
                if (start.row_of[column] != kUnmatched || start.column_of[r] != kUnmatched) continue;
                start.row_of[column] = r;
                start.column_of[r] = column;
            }
        }
        const SingularParts a = singular_parts(rows, 40, maximum_matching(rows, 40));
        const SingularParts b = singular_parts(rows, 40, maximum_matching(rows, 40, start));
        EXPECT_EQ(a.overdetermined_rows, b.overdetermined_rows);
        EXPECT_EQ(a.overdetermined_columns, b.overdetermined_columns);
        EXPECT_EQ(a.underdetermined_rows, b.underdetermined_rows);
        EXPECT_EQ(a.underdetermined_columns, b.underdetermined_columns);
    }
}

}  // namespace
}  // namespace bondgraph::structure
