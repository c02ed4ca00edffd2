#include "bondgraph/io/take_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bondgraph::io {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(TakeOut, OfListsInLinesTheLinesGo) {
    EXPECT_EQ(without_components(R"(model: m
# first
components:
  a: {type: R, R: 1}   # goes

  # stays
  b:
    type: C   # of b
    C: 2

  # stays, too
  c: {type: I,
      I: 3}
bonds:
- j -> a
- named: j -> b.p
-   "j -> c"
)",
                                 {"a", "b"}),
              R"(model: m
# first
components:

  # stays

  # stays, too
  c: {type: I,
      I: 3}
bonds:
-   "j -> c"
)");
}

TEST(TakeOut, OfAComponentInSeveralLinesAllGo) {
    EXPECT_EQ(without_components("components:\n  c: {type: I,\n  I: 3}\n  d: {type: 1}\n", {"c"}),
              "components:\n  d: {type: 1}\n");
    EXPECT_EQ(without_components("components:\n  d: {type: 1}\n  c:\n    type: R\n    law:\n    - e = f", {"c"}),
              "components:\n  d: {type: 1}\n");
}

// What is said behind an entry in its line goes with it; what is said of the one before stays, whatever is in it.
TEST(TakeOut, OfListsInBracketsTheRemarkBehindAnEntryGoesWithIt) {
    const std::string text = R"(bonds:
  [s -> j, j -> r,
   # remark before the coil
   j -> l,   # the coil
   p: j -> c]
outputs: [c.e,
  l.f,  # current, not much
  c.q]   # all
)";
    EXPECT_EQ(without_components(text, {"l"}), R"(bonds:
  [s -> j, j -> r,
   # remark before the coil
   p: j -> c]
outputs: [c.e,
  c.q]   # all
)");
    EXPECT_EQ(without_components(text, {"c"}), R"(bonds:
  [s -> j, j -> r,
   # remark before the coil
   j -> l   # the coil
]
outputs: [
  l.f  # current, not much
]   # all
)");
    EXPECT_EQ(without_components("bonds: [a -> j,   # first, [of all]\n  j -> b  # second\n  ]\n", {"b"}),
              "bonds: [a -> j   # first, [of all]\n\n  ]\n");
    EXPECT_EQ(without_components("bonds: [a -> j, j -> b,   # of both\n  j -> c]\n", {"b"}),
              "bonds: [a -> j, # of both\n  j -> c]\n");
}

TEST(TakeOut, OfListsInBracketsTheEntryGoesWithOneComma) {
    const std::string text = "bonds: [u -> j, j -> a, j -> b , j -> c]\noutputs: [a.f, \"b.p[2]\", c.f]\n";
    EXPECT_EQ(without_components(text, {"a"}), "bonds: [u -> j, j -> b , j -> c]\noutputs: [\"b.p[2]\", c.f]\n");
    EXPECT_EQ(without_components(text, {"c"}), "bonds: [u -> j, j -> a, j -> b ]\noutputs: [a.f, \"b.p[2]\"]\n");
    EXPECT_EQ(without_components(text, {"b", "c"}), "bonds: [u -> j, j -> a]\noutputs: [a.f]\n");
    EXPECT_EQ(without_components("components: {a: {type: R, R: 1}, b: {type: '1, 2'}}\n", {"a"}),
              "components: {b: {type: '1, 2'}}\n");
    EXPECT_EQ(without_components("components: {a: {doc: \"x, ]\"}, b: {type: 1}}\n", {"b"}),
              "components: {a: {doc: \"x, ]\"}}\n");
    EXPECT_EQ(without_components("bonds: [\n  j -> a,  # to a\n  j -> b,\n  j -> c\n]\n", {"b"}),
              "bonds: [\n  j -> a,  # to a\n  j -> c\n]\n");
}

TEST(TakeOut, WhatNamesNothingElseGoesAsAWhole) {
    EXPECT_EQ(without_components(R"(outputs: [a.f]
plots:
  - {title: A, y: [a.e, a.f]}
  - title: both
    y: [a.e, c.e]
layout:
  rows: [[a], [c, a]]
  rings: [[a]]
expect:
  - {at: 1 s, c.e: 2}
experiment: {stop: 1 s}
)",
                                 {"a"}),
              R"(plots:
  - title: both
    y: [c.e]
layout:
  rows: [[c]]
experiment: {stop: 1 s}
)");
}

TEST(TakeOut, ResultsOfBondsThatAreGoneGoToo) {
    EXPECT_EQ(without_components("bonds:\n  - feed: j -> a\n  - j -> c\noutputs: [feed.power, j->a.e, c.e, feeder.e]\n",
                                 {"a"}),
              "bonds:\n  - j -> c\noutputs: [c.e, feeder.e]\n");
}

TEST(TakeOut, LettersOfSeveralBytesAndLinesOfWindowsAreNoObstacle) {
    EXPECT_EQ(without_components("bonds: [ü → ä, ü → ö, ü → é]\r\noutputs: [ä.f, é.f]\r\n", {"ö", "é"}),
              "bonds: [ü → ä]\r\noutputs: [ä.f]\r\n");
    EXPECT_EQ(without_components("components:\r\n  ä: {type: R}\r\n  b: {type: C}\r\n", {"ä"}),
              "components:\r\n  b: {type: C}\r\n");
}

TEST(TakeOut, NamesInUseAreThoseWhoseResultsAreNamedElsewhere) {
    const std::string text = R"(components:
  a: {type: R, R: 1 + 2*b.q}
  b: {type: C, C: 1, initial: {q: b.x}}
  c: {type: I, I: a}
  d: {type: I, I: 1}
bonds: [j -> a, j -> d]
signals: ["3*c.f + x.d.f -> a.R"]
outputs: [d.f]
)";
    EXPECT_THAT(names_in_use(text, {"a", "b", "c", "d"}),
                UnorderedElementsAre(Pair("a", "'signals:'"), Pair("b", "'a'"), Pair("c", "'signals:'")));
    EXPECT_THAT(bonds_at("bonds: [j -> a, {x: a.p1 -> k}, {y: k -> l}]\n", {"a"}), ElementsAre("x"));
}

}  // namespace
}  // namespace bondgraph::io
