// Indices in texts.

#include "bondgraph/model/array_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bondgraph {
namespace {

using model::with_index;

TEST(Indices, AreFoundInExpressions) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(model::names_in("2*lag[i].y + x - sin(a.b[2])"), (Names{"lag[i].y", "x", "sin", "a.b[2]"}));
    EXPECT_EQ(model::names_in("cell[i, j+1].p"), Names{"cell[i, j+1].p"});
    EXPECT_EQ(model::names_in("1e3 + 2.5"), Names{});
    EXPECT_EQ(model::names_in("a["), Names{"a["});
    EXPECT_TRUE(model::has_open_index("cell[i].p"));
    EXPECT_TRUE(model::has_open_index("cell[1].x[n]"));
    EXPECT_FALSE(model::has_open_index("cell[2, 3].p"));
    EXPECT_FALSE(model::has_open_index("interpolate(x, [a, b], [-1, 2.5])"));
}

TEST(Indices, ReplaceWholeNamesOnly) {
    EXPECT_EQ(with_index("i", {3, 4}), "3");
    EXPECT_EQ(with_index("i + ii*x.i - j/1e3", {3, 4}), "(3) + ii*x.i - (4)/1e3");
    EXPECT_EQ(with_index("masses[i]", {12, 1}), "masses[12]");
    EXPECT_EQ(with_index("if i < j then sin(i) else pi", {1, 2}), "if (1) < (2) then sin((1)) else pi");
    EXPECT_EQ(with_index("3 m", {1, 1}), "3 m");
    EXPECT_EQ(with_index("10 + i.e - j.f[2]", {1, 2}), "10 + i.e - j.f[2]");
    EXPECT_EQ(with_index("2i + 3 j", {1, 2}), "2i + 3 j");
    EXPECT_EQ(with_index("i%2", {1, 2}), "(1)%2");
    EXPECT_EQ(with_index("[i, lengths[i+1]]", {1, 2}), "[1, lengths[1+1]]");
    EXPECT_EQ(model::declared_name("cell[2,3]"), "cell");
    EXPECT_EQ(model::declared_name("cell"), "cell");
}

TEST(Indices, StandBehindWhatTheyAreOf) {
    const model::IndexedText text(model::Text{"line[2].cell[i, 3].x[j]", {0, 1, 5}});
    ASSERT_EQ(text.indices.size(), 3U);
    EXPECT_EQ(text.indices[1].array, "line[2].cell");
    EXPECT_TRUE(text.indices[1].exact);
    EXPECT_TRUE(text.indices[1].inner);
    EXPECT_EQ(text.indices[1].parts[1].position.column, 5U + 16U);
    EXPECT_EQ(text.indices[2].array, "line[2].cell[1,3].x");
    EXPECT_FALSE(text.indices[2].exact);
    EXPECT_FALSE(text.indices[2].inner);
    EXPECT_EQ(text.with([](const auto&, const model::Text& part) { return std::optional("<" + part.text + ">"); }),
              "line[<2>].cell[<i>,<3>].x[<j>]");
    EXPECT_EQ(model::without_indices("line[2].cell[i, 3].x"), "line.cell.x");
}

}  // namespace
}  // namespace bondgraph
