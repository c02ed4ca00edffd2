// Which drawings with components looked into a page gets.

#include "bondgraph/api/page_openings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Drawing with_components(std::size_t count) {
    Drawing drawing{.text = "folded"};
    for (std::size_t k = 0; k < count; ++k) {
        drawing.nodes.push_back({.name = fmt::format("c{}", k)});
        drawing.nodes.back().kind = "composite";
    }
    return drawing;
}

/// Each component adds so many characters.
DrawOpened drawing_of_size(std::size_t size) {
    return [size](const std::vector<std::string>& names) -> Result<Drawing> {
        return Drawing{.text = "opened" + std::string(size * names.size(), 'x')};
    };
}

std::vector<std::set<std::string>> sets_of(const PageOpenings& page) {
    std::vector<std::set<std::string>> all;
    for (const auto& [key, drawing] : page.opened.items()) {
        std::set<std::string> names;
        for (std::size_t from = 0; from <= key.size();) {
            const std::size_t to = std::min(key.find('\n', from), key.size());
            names.insert(key.substr(from, to - from));
            from = to + 1;
        }
        all.push_back(std::move(names));
    }
    return all;
}

TEST(PageOpenings, OfFewComponentsAreAllCombinations) {
    const PageOpenings page = openings_of(with_components(5), drawing_of_size(10), true);
    EXPECT_THAT(page.opened, SizeIs(31));
    EXPECT_THAT(page.drawn, SizeIs(31));
    EXPECT_THAT(page.closed, IsEmpty());
    EXPECT_TRUE(page.opened.contains("c0\nc1\nc2\nc3\nc4"));
}

TEST(PageOpenings, OfMoreArePairsAndOfManyEachAlone) {
    EXPECT_THAT(openings_of(with_components(7), drawing_of_size(10), true).opened, SizeIs(7 + 21));
    EXPECT_THAT(openings_of(with_components(8), drawing_of_size(10), true).opened, SizeIs(8));
    EXPECT_THAT(openings_of(with_components(30), drawing_of_size(10), true).opened, SizeIs(30));
    EXPECT_THAT(openings_of(with_components(5), drawing_of_size(10), false).opened, SizeIs(5));
}

// From every drawing there is a way back to each with one component less.
TEST(PageOpenings, WhateverIsLeftOutEachOneHasAllSmallerOnes) {
    for (const std::size_t size : {100U, 20'000U, 40'000U, 90'000U, 200'000U, 700'000U}) {
        SCOPED_TRACE(size);
        const PageOpenings page = openings_of(with_components(5), drawing_of_size(size), true);
        const std::vector<std::set<std::string>> all = sets_of(page);
        std::size_t text = 0;
        for (const Drawing& d : page.drawn) text += d.text.size();
        EXPECT_LE(text, 2'500'000U);
        for (const std::set<std::string>& names : all) {
            for (const std::string& name : names) {
                std::set<std::string> less = names;
                less.erase(name);
                EXPECT_TRUE(less.empty() || std::ranges::find(all, less) != all.end()) << name;
            }
        }
    }
}

TEST(PageOpenings, WhatIsTooLargeIsTold) {
    const PageOpenings page = openings_of(with_components(3), drawing_of_size(700'000), true);
    EXPECT_THAT(page.opened, SizeIs(2));
    EXPECT_THAT(page.closed, ElementsAre("c2"));
}

// Names of frames tell which of them is which component's.
TEST(PageOpenings, FramesHaveTheNamesOfTheirComponents) {
    const auto model = Model::parse(R"(model: m
import: [electrical]
components:
  V: {type: ConstantVoltage, V: 1 V}
  R: {type: Resistor, R: 2}
  C: {type: Capacitor, C: 3}
  G: {type: Ground}
connect: [[V.p, R.p], [R.n, C.p], [V.n, C.n, G]]
)");
    ASSERT_TRUE(model) << model.error().text();
    const auto opened = model->draw({.opened = {"C", "R"}, .parts = true});
    ASSERT_TRUE(opened);
    EXPECT_THAT(opened->frames, ::testing::UnorderedElementsAre("R", "C"));
    EXPECT_THAT(model->draw({.parts = true})->frames, IsEmpty());
}

}  // namespace
}  // namespace bondgraph::api
