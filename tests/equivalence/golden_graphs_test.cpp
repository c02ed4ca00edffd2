// Textbook systems, written twice by different habits.

#include <gtest/gtest.h>

#include "bondgraph/equivalence/compare.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {
namespace {

using equivalence::Likeness;

Likeness likeness(const std::string& mine, const std::string& reference) {
    Pipeline a(mine);
    Pipeline b(reference);
    return equivalence::compare(a.graph(), b.graph()).likeness;
}

TEST(GoldenGraphs, AWallOfTwoLayersWithAndWithoutJunctionsThatPassOn) {
    const std::string reference =
        "components:\n  T: {type: Se, e: 1, domain: thermal_pseudo}\n  a: {type: 1}\n  Ra: {type: R, R: 1}\n  n: "
        "{type: 0}\n"
        "  C1: {type: C, C: 1}\n  b: {type: 1}\n  Rb: {type: R, R: 2}\n  C2: {type: C, C: 3}\n"
        "bonds: [T -> a, a -> Ra, a -> n, n -> C1, n -> b, b -> Rb, b -> C2]\n";
    const std::string mine =
        "components:\n  out: {type: Se, e: 1, domain: thermal_pseudo}\n  q1: {type: 1}\n  first: {type: R, G: 1}\n  "
        "mid: {type: 0}\n"
        "  store: {type: C, K: 1}\n  q2: {type: 1}\n  second: {type: R, G: 0.5}\n  far: {type: 0}\n  last: {type: C, "
        "C: 3}\n"
        "bonds: [out -> q1, q1 -> first, q1 -> mid, mid -> store, mid -> q2, q2 -> second, q2 -> far, far -> last]\n";
    EXPECT_EQ(likeness(mine, reference), Likeness::simplified);
    EXPECT_EQ(likeness(reference, reference), Likeness::same);
}

TEST(GoldenGraphs, TwoMassesJoinedByATransformerFromEitherSide) {
    const std::string reference =
        "components:\n  v1: {type: 1}\n  m1: {type: I, I: 1 kg}\n  s: {type: C, C: 1 m/N}\n  t: {type: TF, m: 2}\n  "
        "v2: {type: 1}\n  m2: {type: I, I: 4 kg}\n"
        "bonds: [v1 -> m1, v1 -> s, v1 -> t.p1, t.p2 -> v2, v2 -> m2]\n";
    const std::string mine =
        "components:\n  w: {type: 1}\n  M: {type: I, I: 4 kg}\n  lever: {type: TF, m: 0.5}\n  u: {type: 1}\n  k: "
        "{type: C, K: 1 N/m}\n  m: {type: I, I: 1000 g}\n"
        "bonds: [w -> M, w -> lever.p1, lever.p2 -> u, u -> k, u -> m]\n";
    EXPECT_EQ(likeness(mine, reference), Likeness::same);
    std::string wrong = mine;
    wrong.replace(wrong.find("m: 0.5"), 6, "m: 2.0");
    EXPECT_EQ(likeness(wrong, reference), Likeness::different);
}

TEST(GoldenGraphs, AHalfCarWithTheRoadAtRestAndWithoutIt) {
    const std::string reference =
        "components:\n  v: {type: 1}\n  M: {type: I, I: 1000 kg}\n  w: {type: 1}\n  J: {type: I, I: 1500 kg.m2}\n"
        "  f: {type: 0}\n  r: {type: 0}\n  fs: {type: 1}\n  rs: {type: 1}\n"
        "  kf: {type: C, K: 20000 N/m}\n  cf: {type: R, R: 1500 N.s/m}\n  kr: {type: C, K: 20000 N/m}\n  cr: {type: R, "
        "R: 1500 N.s/m}\n"
        "  a: {type: TF, m: 1.2 m}\n  b: {type: TF, m: -1.5 m}\n"
        "bonds: [v -> M, w -> J, v -> f, v -> r, w -> a.p1, a.p2 -> f, w -> b.p1, b.p2 -> r, f -> fs, fs -> kf, fs -> "
        "cf, r -> rs, rs -> kr, rs -> cr]\n";
    // The road as sources of no velocity, which the rules remove; pitching counted the other way.
    const std::string mine =
        "components:\n  body: {type: 1}\n  M: {type: I, I: 1000 kg}\n  pitch: {type: 1}\n  J: {type: I, I: 1500 "
        "kg.m2}\n"
        "  f: {type: 0}\n  r: {type: 0}\n  fs: {type: 1}\n  rs: {type: 1}\n  road: {type: Sf, f: 0 m/s}\n"
        "  kf: {type: C, K: 20 kN/m}\n  cf: {type: R, R: 1500 N.s/m}\n  kr: {type: C, K: 20 kN/m}\n  cr: {type: R, R: "
        "1500 N.s/m}\n"
        "  a: {type: TF, m: -1.2 m}\n  b: {type: TF, m: 1.5 m}\n"
        "bonds: [body -> M, pitch -> J, body -> f, body -> r, pitch -> a.p1, a.p2 -> f, pitch -> b.p1, b.p2 -> r, f -> "
        "fs, fs -> kf, fs -> cf, r -> rs, rs -> kr, rs -> cr, road -> f]\n";
    EXPECT_EQ(likeness(mine, reference), Likeness::simplified);
    std::string wrong = mine;
    wrong.replace(wrong.find("m: 1.5 m"), 8, "m: -1.5 m");
    EXPECT_EQ(likeness(wrong, reference), Likeness::different);
}

}  // namespace
}  // namespace bondgraph::test
