#include "bondgraph/io/symbol_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace bondgraph::io {
namespace {

using model::Symbol;
using testing::HasSubstr;

std::vector<Symbol::Line> lines_of_path(std::string_view text) {
    return std::get<std::vector<Symbol::Line>>(read_path(text));
}

TEST(SymbolPath, StraightLinesByAllLetters) {
    const auto lines = lines_of_path("M1,2 L3,4 H5 V6");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].points, (std::vector<Symbol::Place>{{1, 2}, {3, 4}, {5, 4}, {5, 6}}));
}

TEST(SymbolPath, LettersNeedNotBeRepeatedNorNumbersParted) {
    EXPECT_EQ(lines_of_path("M0,0 L1,2 3,4")[0].points, lines_of_path("M 0 0 L 1 2 L 3 4")[0].points);
    EXPECT_EQ(lines_of_path("M0,0 1,2")[0].points, lines_of_path("M0,0L1,2")[0].points);
    EXPECT_EQ(lines_of_path("M0-1L2-3")[0].points, lines_of_path("M0,-1 L2,-3")[0].points);
}

TEST(SymbolPath, ClosingLeadsBackAndWhatComesThenIsAnotherLine) {
    const auto lines = lines_of_path("M0,0 H2 V2 Z M5,5 H6");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].points.back(), lines[0].points.front());
    EXPECT_EQ(lines[1].points, (std::vector<Symbol::Place>{{5, 5}, {6, 5}}));
}

TEST(SymbolPath, ArcsLieOnTheirCircle) {
    // half a circle around the origin, once above and once below (y points down)
    for (const auto& [text, side] : {std::pair("M-5,0 A5,5 0 0 1 5,0", -1.0), std::pair("M-5,0 A5,5 0 0 0 5,0", 1.0)}) {
        const auto points = lines_of_path(text)[0].points;
        EXPECT_GT(points.size(), 8U);
        for (const auto& [x, y] : points) EXPECT_NEAR(std::hypot(x, y), 5.0, 1e-12);
        EXPECT_NEAR(points[points.size() / 2][1], 5.0 * side, 1e-12);
    }
}

TEST(SymbolPath, TheLargeArcGoesTheOtherWay) {
    const auto points = lines_of_path("M5,0 A5,5 0 1 1 0,-5")[0].points;  // three quarters, clockwise on paper
    double length = 0.0;
    for (std::size_t k = 1; k < points.size(); ++k)
        length += std::hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]);
    EXPECT_NEAR(length, 5.0 * 1.5 * std::acos(-1.0), 0.1);
}

TEST(SymbolPath, ACurveEndsWhereItSaysAndBendsToItsPoints) {
    const auto points = lines_of_path("M0,0 C0,4 4,4 4,0")[0].points;
    EXPECT_EQ(points.back(), (Symbol::Place{4, 0}));
    EXPECT_NEAR(points[points.size() / 2][1], 3.0, 1e-12);  // of this curve, three quarters of the way
}

TEST(SymbolPath, MistakesSayWhere) {
    const auto mistake = [](std::string_view text) { return std::get<PathMistake>(read_path(text)); };
    EXPECT_EQ(mistake("M0,0 h5").offset, 5U);
    EXPECT_THAT(mistake("M0,0 h5").message, HasSubstr("'h' is none of the letters"));
    EXPECT_EQ(mistake("M0,0 L5").offset, 7U);
    EXPECT_THAT(mistake("M0,0 L5").message, HasSubstr("ends where a number of L is missing"));
    EXPECT_EQ(mistake("H5").offset, 1U);
    EXPECT_THAT(mistake("M0,0 H5000").message, HasSubstr("from -1000 to 1000"));
}

}  // namespace
}  // namespace bondgraph::io
