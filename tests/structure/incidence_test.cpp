#include "bondgraph/structure/incidence.hpp"

#include <gmock/gmock.h>

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Incidence example() {
    Incidence rows;
    rows.add_row(std::vector<std::uint32_t>{3, 0});
    rows.add_row({});
    rows.add_row(std::vector<std::uint32_t>{0, 1, 3});
    return rows;
}

TEST(Incidence, StartsWithoutRows) { EXPECT_EQ(Incidence{}.rows(), 0U); }

TEST(Incidence, KeepsRowsAsAdded) {
    const Incidence rows = example();
    ASSERT_EQ(rows.rows(), 3U);
    EXPECT_THAT(rows.row(0), ElementsAre(3, 0));
    EXPECT_THAT(rows.row(1), IsEmpty());
    EXPECT_THAT(rows.row(2), ElementsAre(0, 1, 3));
}

TEST(Incidence, TransposedListsRowsByColumnAscending) {
    const Incidence columns = example().transposed(5);
    ASSERT_EQ(columns.rows(), 5U);
    EXPECT_THAT(columns.row(0), ElementsAre(0, 2));
    EXPECT_THAT(columns.row(1), ElementsAre(2));
    EXPECT_THAT(columns.row(2), IsEmpty());
    EXPECT_THAT(columns.row(3), ElementsAre(0, 2));
    EXPECT_THAT(columns.row(4), IsEmpty());
}

TEST(Incidence, TransposedTwiceIsTheSameWithSortedRows) {
    const Incidence twice = example().transposed(4).transposed(3);
    ASSERT_EQ(twice.rows(), 3U);
    EXPECT_THAT(twice.row(0), ElementsAre(0, 3));
    EXPECT_THAT(twice.row(1), IsEmpty());
    EXPECT_THAT(twice.row(2), ElementsAre(0, 1, 3));
}

}  // namespace
}  // namespace bondgraph::structure
