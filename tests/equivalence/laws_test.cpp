// Laws, modulations and signals: what makes no difference to them, and what is said where they differ.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/equivalence/compare.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {
namespace {

using equivalence::Likeness;
using equivalence::Structural;
using testing::HasSubstr;

Structural compared_models(const std::string& mine, const std::string& reference) {
    Pipeline a(mine);
    Pipeline b(reference);
    return equivalence::compare(a.graph(), b.graph());
}

bool equal_models(const std::string& mine, const std::string& reference) {
    const Likeness found = compared_models(mine, reference).likeness;
    return found == Likeness::same || found == Likeness::simplified;
}

struct Swing {
    std::string ratio = "0.5*sin(angle.y)";
    double weight = -19.62;
    double start = 60.0;
    bool other_side = false;  ///< the transformer from its other side
    bool integrator = false;
};

std::string pendulum(const Swing& s) {
    const std::string angle =
        fmt::format("{{type: {}, initial: {{y: {} deg}}}}", s.integrator ? "Integrator" : "Dq", s.start);
    return fmt::format(
        "components:\n  swing: {{type: 1, domain: rotational}}\n  bob: {{type: I, I: 0.5 kg.m2}}\n  angle: {}\n"
        "  rod: {{type: TF, m: \"{}\"}}\n  rise: {{type: 1}}\n  weight: {{type: Se, e: {} N}}\n"
        "bonds: [swing -> bob, {}{}, weight -> rise]\n{}",
        angle, s.ratio, s.weight, s.integrator ? "" : "swing -> angle, ",
        s.other_side ? "rise -> rod.p1, rod.p2 -> swing" : "swing -> rod.p1, rod.p2 -> rise",
        s.integrator ? "signals: [bob.f -> angle.u]\n" : "");
}

// J dω/dt = −m(φ)·G with m = c·f(φ): the same motion, or its mirror image φ → −φ, where c·G is the same and the start,
// or the start has the other sign and c·G·f(−φ) is −c·G·f(φ).
TEST(Laws, SignsOfAModulatedTransformerAreThoseOfThePendulum) {
    const Swing reference;
    std::size_t accepted = 0;
    for (const bool integrator : {false, true}) {
        for (const double ratio : {0.5, -0.5}) {
            for (const double weight : {-19.62, 19.62}) {
                for (const double start : {60.0, -60.0}) {
                    for (const bool even : {false, true}) {
                        const std::string law = fmt::format("{}*{}(angle.y)", ratio, even ? "cos" : "sin");
                        const Swing mine{law, weight, start, false, integrator};
                        Swing model = reference;
                        model.integrator = integrator;
                        if (even) model.ratio = "0.5*cos(angle.y)";
                        const bool same_force = ratio * weight < 0.0;
                        const bool equal = start > 0.0 ? same_force : same_force != even;
                        EXPECT_EQ(equal_models(pendulum(mine), pendulum(model)), equal)
                            << law << " " << weight << " " << start << " " << integrator;
                        accepted += equal ? 1 : 0;
                    }
                }
            }
        }
    }
    EXPECT_EQ(accepted, 16U);
}

TEST(Laws, AModulatedTransformerMayBeWrittenFromEitherSide) {
    const Swing reference{"(2 + sin(angle.y))/(4*cos(angle.y))"};
    const auto turned = [&](const std::string& ratio, double weight) {
        return equal_models(pendulum({ratio, weight, 60.0, true}), pendulum(reference));
    };
    // f2 = m f1 along arrows from p1 to p2: the other way round it is f1 = f2/m, with the same sign.
    EXPECT_TRUE(turned("4*cos(angle.y)/(2 + sin(angle.y))", -19.62));
    EXPECT_TRUE(turned("-4*cos(angle.y)/(2 + sin(angle.y))", 19.62));
    EXPECT_FALSE(turned("4*cos(angle.y)/(2 + sin(angle.y))", 19.62));
    EXPECT_FALSE(turned("(2 + sin(angle.y))/(4*cos(angle.y))", -19.62));
    EXPECT_FALSE(turned("8*cos(angle.y)/(2 + sin(angle.y))", -19.62));
}

// e1 = r f2, e2 = r f1 along arrows from p1 to p2: with the sides exchanged the arrows point the other way, and r has
// the other sign. Turning what is on one side turns r and the source there.
TEST(Laws, SignsOfAModulatedGyratorAreThoseOfItsSources) {
    const auto machine = [](double r, double u, double w, bool other_side) {
        return fmt::format(
            "components:\n  U: {{type: Se, e: {} V}}\n  a: {{type: 1}}\n  g: {{type: GY, r: \"{}*cos(x.y)\"}}\n"
            "  b: {{type: 1}}\n  J: {{type: I, I: 2 kg.m2}}\n  x: {{type: Dq}}\n  W: {{type: Se, e: {} N.m}}\n"
            "  R: {{type: R, R: 3 ohm}}\nbonds: [U -> a, a -> R, {}, b -> J, b -> x, W -> b]\n",
            u, r, w, other_side ? "b -> g.p1, g.p2 -> a" : "a -> g.p1, g.p2 -> b");
    };
    const std::string reference = machine(0.4, 5, 7, false);
    for (const double r : {0.4, -0.4}) {
        for (const double u : {5.0, -5.0}) {
            for (const double w : {7.0, -7.0}) {
                for (const bool other_side : {false, true})
                    EXPECT_EQ(equal_models(machine(r, u, w, other_side), reference), (r * u * w > 0.0) != other_side)
                        << r << " " << u << " " << w << " " << other_side;
            }
        }
    }
}

std::string driven(const std::string& law) {
    return "parameters: {a: 2, b: 3}\ncomponents:\n  u: {type: Se, e: \"" + law +
           "\", domain: electrical}\n  i: {type: 1}\n  R: {type: R, R: 2 ohm}\n  L: {type: I, I: 5 mH}\n"
           "bonds: [u -> i, i -> R, i -> L]\n";
}

TEST(Laws, NumbersOfProductsAndSumsMayStandAnywhere) {
    for (const auto& [mine, reference] :
         {std::pair{"a*sin(time)*b", "a*b*sin(time)"}, std::pair{"sin(time)/a/b", "sin(time)/(a*b)"},
          std::pair{"sin(time)/(a/b)", "b*sin(time)/a"}, std::pair{"-a*-sin(time)*(-b)", "-a*b*sin(time)"},
          std::pair{"1/(b*time*exp(time))/a", "1/b/exp(time)/(time*a)"},
          std::pair{"a + sin(time) + b", "a + b + sin(time)"}, std::pair{"a - (sin(time) - b)", "(a + b) - sin(time)"},
          std::pair{"sqrt(1 + time)", "(time + 1)^0.5"}})
        EXPECT_TRUE(equal_models(driven(mine), driven(reference))) << mine;
    for (const auto& [mine, reference] :
         {std::pair{"a*sin(time)*a", "a*b*sin(time)"}, std::pair{"a/sin(1 + time)", "a*sin(1 + time)"},
          std::pair{"a*exp(time)/time", "a*time/exp(time)"}, std::pair{"a + sin(time) - b", "a + b + sin(time)"},
          std::pair{"sqrt(1 + time)", "(time + 1)^1.5"}, std::pair{"sin(a*b*time)", "a*b*sin(time)"}})
        EXPECT_FALSE(equal_models(driven(mine), driven(reference))) << mine;
}

TEST(Laws, LongProductsTurnWithEachOfTheirFactors) {
    const auto coupled = [](double k, double c, const std::string& f) {
        const std::string factors = fmt::format(
            "(1 + (u*m.f)^2)*sin({0}*u*m.f)*sin(2*{0}*u*m.f)*sin(3*{0}*u*m.f)*sin(4*{0}*u*m.f)*"
            "sin(5*{0}*u*m.f)*sin(6*{0}*u*m.f)*sin(7*{0}*u*m.f)",
            f);
        return fmt::format(
            "parameters: {{u: 1 s/m, n: 1 N}}\ncomponents:\n  F: {{type: Se, e: {} N}}\n  v: {{type: 1}}\n  m: {{type: "
            "I, I: 1 kg}}\n"
            "  d: {{type: R, law: \"e = {}*n*{}\"}}\nbonds: [F -> v, v -> m, v -> d]\n",
            k, c, factors);
    };
    EXPECT_TRUE(equal_models(coupled(1, 2, "1"), coupled(1, 2, "1")));
    EXPECT_TRUE(equal_models(coupled(-1, 2, "1"), coupled(1, 2, "1")));
    EXPECT_TRUE(equal_models(coupled(1, -2, "-1"), coupled(1, 2, "1")));
    EXPECT_FALSE(equal_models(coupled(1, -2, "1"), coupled(1, 2, "1")));
}

TEST(Laws, TheElementWhoseLawDiffersIsNamed) {
    Swing cosine;
    cosine.ratio = "0.5*cos(angle.y)";
    for (const bool integrator : {false, true}) {
        Swing reference;
        reference.integrator = cosine.integrator = integrator;
        EXPECT_EQ(compared_models(pendulum(cosine), pendulum(reference)).difference.text,
                  "The law of your transformer 'rod' is another one than that of the transformer in its place in the "
                  "reference.");
    }
    EXPECT_EQ(compared_models(driven("20*cos(50*time)"), driven("20*sin(50*time)")).difference.text,
              "The law of your voltage source 'u' is another one than that of the voltage source in its place in the "
              "reference.");
    EXPECT_EQ(compared_models(driven("20*sin(50*time)"), driven("20*sin(2*pi*50*time)")).difference.text,
              "A number in the law of your voltage source 'u' is another one than in that of the voltage source in its "
              "place in the reference. It is off by a factor of 2π: turns and radians, or Hz and rad/s, are mixed.");
}

TEST(Laws, ALawInPlaceOfANumberIsNamed) {
    const auto pushed = [](const std::string& damper) {
        return "parameters: {b: 3 N.s2/m2}\ncomponents:\n  F: {type: Se, e: 10 N}\n  v: {type: 1}\n  m: {type: I, I: 2 "
               "kg}\n  d: {type: R, " +
               damper + "}\nbonds: [F -> v, v -> m, v -> d]\n";
    };
    EXPECT_THAT(compared_models(pushed("R: 3 N.s/m"), pushed("law: \"e = b*f*abs(f)\"")).difference.text,
                HasSubstr("The law of your damper 'd' is another one"));
}

TEST(Laws, ASignalFromElsewhereIsNamed) {
    const auto fed = [](const std::string& from) {
        return "components:\n  F: {type: Se, e: 10 N}\n  v: {type: 1}\n  m: {type: I, I: 2 kg}\n  k: {type: C, K: 3 "
               "N/m}\n"
               "  g: {type: Gain, k: 0.1}\n  w: {type: 1, domain: translational}\n  G: {type: Se, domain: "
               "translational}\n  n: {type: I, I: 5 kg}\n"
               "bonds: [F -> v, v -> m, v -> k, G -> w, w -> n]\nsignals: [" +
               from + " -> g.u, g.y -> G.e]\n";
    };
    EXPECT_THAT(compared_models(fed("m.p"), fed("k.q")).difference.text,
                HasSubstr("The signal that goes into your component of type Gain 'g' is another one"));
}

// ---- signs ----------------------------------------------------------------------------------------------------------

TEST(Laws, OfSignsThatWouldDoTheOneThatIsWrittenOtherwiseIsNamed) {
    Swing upwards;
    upwards.weight = 19.62;
    const auto text = [](const Swing& s) { return compared_models(pendulum(s), pendulum({})).difference.text; };
    EXPECT_THAT(text(upwards), HasSubstr("The force of your force source 'weight' counts the other way round"));
    EXPECT_THAT(text({"-0.5*sin(angle.y)"}), HasSubstr("Your transformer 'rod' turns the sign round"));
    // A constant hoist: flipping the battery would do as well.
    const auto hoist = [](int battery, int weight) {
        return fmt::format(
            "components:\n  U: {{type: Se, e: {} V}}\n  a: {{type: 1}}\n  M: {{type: GY, r: 0.1 N.m/A}}\n  b: {{type: "
            "1}}\n  J: {{type: I, I: 1 kg.m2}}\n  drum: {{type: TF, m: 0.05 m}}\n  G: {{type: Se, e: {} N}}\n"
            "bonds: [U -> a, a -> M.p1, M.p2 -> b, b -> J, b -> drum.p1, G -> drum.p2]\n",
            battery, weight);
    };
    EXPECT_THAT(compared_models(hoist(24, 30), hoist(24, -30)).difference.text, HasSubstr("force source 'G'"));
    EXPECT_THAT(compared_models(hoist(-24, -30), hoist(24, -30)).difference.text, HasSubstr("voltage source 'U'"));
}

TEST(Laws, ASignWithinALawIsNoArrow) {
    const std::string text = compared_models(driven("a + sin(time) - 7"), driven("a - sin(time) - 7")).difference.text;
    EXPECT_EQ(text, "A sign in the law of your voltage source 'u' is the other one than in the reference.");
}

// ---- domains --------------------------------------------------------------------------------------------------------

std::string press(const std::string& first, const std::string& second, const std::string& end = "I: 3 kg") {
    return "components:\n  U: {type: Se, e: 10 bar}\n  p: {type: 0}\n  C: {type: C, C: 1e-12 m3/Pa}\n  q: {type: 1}\n"
           "  R: {type: R, R: 1e9 Pa.s/m3}\n  A: {type: TF, m: " +
           first + "}\n  B: {type: TF, m: " + second + "}\n  v: {type: 1}\n  m: {type: I, " + end +
           "}\nbonds: [U -> q, q -> R, q -> p, p -> C, p -> A.p1, A.p2 -> B.p1, B.p2 -> v, v -> m]\n";
}

TEST(Domains, WhatIsLeftOpenFitsAny) {
    EXPECT_EQ(compared_models(press("50", "2"), press("50 1/m2", "2")).likeness, Likeness::same);
    EXPECT_EQ(compared_models(press("50 1/m2", "2"), press("50", "2")).likeness, Likeness::same);
    EXPECT_EQ(compared_models(press("50", "2"), press("50", "2")).likeness, Likeness::same);
    // Nothing at all may tell it.
    const auto bare = [](const std::string& i, const std::string& r) {
        return "components:\n  v: {type: 1}\n  m: {type: I, I: " + i + ", initial: {f: 1}}\n  d: {type: R, R: " + r +
               "}\nbonds: [v -> m, v -> d]\n";
    };
    EXPECT_EQ(compared_models(bare("2", "3"), bare("2 kg", "3 N.s/m")).likeness, Likeness::same);
    EXPECT_THAT(compared_models(bare("2", "4"), bare("2 kg", "3 N.s/m")).difference.text,
                HasSubstr("differs from that of"));
    EXPECT_EQ(compared_models(bare("2 H", "3 ohm"), bare("2 kg", "3 N.s/m")).likeness, Likeness::different);
}

TEST(Domains, ThoseOfATransformerAreNamed) {
    const std::string by_force = press("50 1/m2", "2");
    const std::string by_torque = press("50 1/m3", "2 m");
    EXPECT_EQ(compared_models(by_torque, by_force).difference.text,
              "Your transformer 'A' joins the hydraulic domain and the rotational domain; in the reference no "
              "transformer does.");
    EXPECT_EQ(compared_models(by_force, by_torque).difference.text,
              "Your transformer 'A' joins the hydraulic domain and the translational domain; in the reference no "
              "transformer does.");
}

}  // namespace
}  // namespace bondgraph::test
