#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/expression/print.hpp"
#include "bondgraph/model/law_context.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using model::WhenAction;
using test::Pipeline;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An expression in the user's names; held values as pre(…), free(…), sample(…).
std::string text(const model::BondGraph& g, const expression::Expr& e) {
    return expression::to_text(e, [&](const expression::Node& leaf) -> std::string {
        const std::size_t discretes = 2 * g.discretes.size();
        if (leaf.op == expression::Op::held) {
            if (leaf.a < discretes) {
                const std::string name = g.variable_name(g.discretes[leaf.a / 2].variable);
                return leaf.a % 2 == 0 ? name : "pre(" + name + ")";
            }
            const std::size_t rest = leaf.a - discretes;
            if (rest < g.free_parameters.size()) return "free(" + g.free_parameters[rest].name + ")";
            const model::Sample& s = g.samples.at(rest - g.free_parameters.size());
            return fmt::format("sample({:g}, {:g})", s.start, s.period);
        }
        const std::string name = g.variable_name(model::VariableId(std::size_t{leaf.a}));
        return leaf.op == expression::Op::derivative ? "der(" + name + ")" : name;
    });
}

const model::Element& element(const model::BondGraph& g, const std::string& name) {
    return g.elements[g.element_by_name.at(name).index()];
}

std::vector<std::string> texts(const model::BondGraph& g, const std::vector<model::GivenEquation>& equations) {
    std::vector<std::string> result;
    for (const auto& q : equations) result.push_back(text(g, q.lhs) + " = " + text(g, q.rhs));
    return result;
}

std::vector<std::string> texts(const model::BondGraph& g, const model::When& when) {
    std::vector<std::string> result{"if " + text(g, when.condition)};
    for (const WhenAction& a : when.actions) {
        result.push_back(fmt::format("{} {}: {} := {}", a.kind == WhenAction::Kind::reinit ? "reinit" : "set", a.name,
                                     text(g, a.target), text(g, a.value)));
    }
    return result;
}

// A mass in free fall whose type keeps its height.
const std::string kBall = R"(
parameters: {loss: 0.8}
types:
  Body:
    ports: {p: {domain: translational}}
    variables: {h: {unit: m, start: 1}}
    equations: [der(h) = p.f, p.e = 0]
components:
  weight: {type: Se, e: -9.81 N}
  j: {type: 1}
  ball: {type: I, I: 1 kg}
  height: {type: Body}
bonds: [weight -> j, fall: j -> ball, j -> height.p]
)";

const std::string kCounting = R"(
types:
  Counter:
    inputs: [u]
    outputs: {n: {type: integer, start: 3}}
    variables: {on: {type: boolean}, x: {start: 0}}
    equations:
      - on = u > 0.5
      - n = pre(n) + (if edge(on) then 1 else 0)
      - der(x) = if on then 1 else 0
components:
  wave: {type: Sine, amplitude: 1, frequency: 1 Hz}
  c: {type: Counter}
signals: [wave.y -> c.u]
)";

std::string type_with(const std::string& body) { return "types:\n  T:\n" + body + "components: {t: {type: T}}\n"; }

TEST(When, OfTheModelNamesResultsParametersAndBonds) {
    Pipeline p(kBall + "when: [{if: height.h < 0 and fall.power < 1, reinit: {ball.f: -loss*ball.f}}]\n");
    const auto& g = p.graph();
    ASSERT_EQ(g.whens.size(), 1U);
    EXPECT_THAT(texts(g, g.whens[0]),
                ElementsAre("if height.h < 0 and ball.e*ball.f < 1", "reinit ball.f: ball.f := -0.8*ball.f"));
    EXPECT_EQ(g.whens[0].text, "height.h < 0 and fall.power < 1");
    EXPECT_FALSE(g.whens[0].element.valid());
    EXPECT_EQ(g.whens[0].position.line, 15U);
}

TEST(When, OfATypeSpeaksOfEachInstance) {
    Pipeline p(R"(
types:
  Tank:
    parameters: {full: 2}
    variables: {h: {start: 0}}
    equations: [der(h) = 1]
    when: {if: h > full, reinit: {h: 0}}
  Pair:
    components: {a: {type: Tank}, b: {type: Tank, full: 5}}
    when: [{if: a.h > b.h, reinit: {b.h: a.h}}]
components: {two: {type: Pair}}
)");
    const auto& g = p.graph();
    ASSERT_EQ(g.whens.size(), 3U);
    EXPECT_THAT(texts(g, g.whens[0]), ElementsAre("if two.a.h > two.b.h", "reinit two.b.h: two.b.h := two.a.h"));
    EXPECT_FALSE(g.whens[0].element.valid());
    EXPECT_THAT(texts(g, g.whens[1]), ElementsAre("if two.a.h > 2", "reinit two.a.h: two.a.h := 0"));
    EXPECT_EQ(g.whens[1].element, g.element_by_name.at("two.a"));
    EXPECT_THAT(texts(g, g.whens[2]), ElementsAre("if two.b.h > 5", "reinit two.b.h: two.b.h := 0"));
}

TEST(When, GivesEachComponentOfAVectorItsValue) {
    Pipeline p(R"(
components: {s: {type: Se, e: [1, 2]}, j: {type: 1, size: 2}, c: {type: I, I: 1}}
bonds: [s -> j, j -> c]
when: [{if: "c.f[1] > 1", reinit: {c.f: [3, 4]}}, {if: "c.f[1] > 2", reinit: {"c.p[2]": 5}}]
)");
    const auto& g = p.graph();
    ASSERT_EQ(g.whens.size(), 2U);
    EXPECT_THAT(texts(g, g.whens[0]),
                ElementsAre("if c.f[1] > 1", "reinit c.f[1]: c.f[1] := 3", "reinit c.f[2]: c.f[2] := 4"));
    EXPECT_THAT(texts(g, g.whens[1]), ElementsAre("if c.f[1] > 2", "reinit c.p[2]: c.p[2] := 5"));
}

TEST(When, SetsDiscreteVariablesOfComponents) {
    Pipeline p(R"(
types:
  Memory: {outputs: {m: {type: integer}}, when: [{if: 'sample(0, 1)', set: {m: pre(m) + 1}}]}
components: {a: {type: Memory}, b: {type: Memory}}
when: {if: a.m > 3 and change(a.m), set: {b.m: pre(b.m) + a.m}}
)");
    const auto& g = p.graph();
    ASSERT_EQ(g.whens.size(), 3U);
    EXPECT_THAT(texts(g, g.whens[0]), ElementsAre("if a.m > 3 and a.m != pre(a.m)", "set b.m: b.m := a.m + pre(b.m)"));
    EXPECT_THAT(texts(g, g.whens[1]), ElementsAre("if sample(0, 1)", "set a.m: a.m := pre(a.m) + 1"));
}

TEST(When, UnitsOfNewValuesAreThoseOfTheirTargets) {
    EXPECT_EQ(test::message_in(kBall + "when: [{if: height.h < 0, reinit: {ball.f: 2 N}}]\n"),
              "'ball.f' is in m/s, not N");
}

TEST(When, NeedsACondition) {
    EXPECT_THAT(test::errors_in(kBall + "when: [{if: height.h, reinit: {ball.f: 0}}]\n"), ElementsAre("BG-M044"));
    EXPECT_THAT(test::errors_in(kBall + "when: [{if: 2, reinit: {ball.f: 0}}]\n"), ElementsAre("BG-M044"));
}

TEST(Discrete, EquationsOfOwnTypesAreUpdates) {
    Pipeline p(kCounting);
    const auto& g = p.graph();
    const auto& c = element(g, "c");
    EXPECT_THAT(texts(g, c.given_equations), ElementsAre("der(c.x) = if c.on then 1 else 0"));
    EXPECT_THAT(texts(g, c.given_updates),
                ElementsAre("c.on = wave.y > 0.5", "c.n = pre(c.n) + (if c.on and not pre(c.on) then 1 else 0)"));
    std::vector<model::Equation> equations;
    std::vector<model::Update> updates;
    model::LawContext context(g, g.element_by_name.at("c"), equations, &updates);
    c.type->law(context);
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_EQ(g.variable_name(g.discretes[updates[0].discrete].variable), "c.on");
    EXPECT_EQ(g.variable_name(g.discretes[updates[1].discrete].variable), "c.n");
    EXPECT_EQ(equations.size(), 1U);
}

TEST(Discrete, StartValuesAreExpressionsOfParametersAndTime) {
    Pipeline p(R"(
parameters: {first: 4}
types:
  T:
    parameters: {k: 2}
    variables: {n: {type: integer, start: 3*k}, on: {type: boolean, start: true}, x: {type: real, start: time + k},
                z: {type: real}}
    equations: [n = pre(n), on = pre(on), x = pre(x)]
components: {a: {type: T}, b: {type: T, k: 5, initial: {on: false, n: first}}}
)");
    const auto& g = p.graph();
    std::vector<std::string> starts;
    for (const auto& d : g.discretes) starts.push_back(g.variable_name(d.variable) + " " + text(g, d.start));
    EXPECT_THAT(starts,
                ElementsAre("a.n 6", "a.on 1", "a.x time + 2", "a.z 0", "b.n 4", "b.on 0", "b.x time + 5", "b.z 0"));
    EXPECT_THAT(element(g, "b").starts, IsEmpty());
}

TEST(Discrete, ChangeIsADifferenceFromThePreviousValue) {
    Pipeline p(
        type_with("    variables: {n: {type: integer}, m: {type: integer}}\n"
                  "    equations: [n = if time > 1 then 1 else 0, m = if change(n) then pre(m) + 1 else pre(m)]\n"));
    EXPECT_THAT(texts(p.graph(), element(p.graph(), "t").given_updates).at(1),
                AllOf(HasSubstr("t.n"), HasSubstr("!="), HasSubstr("pre(t.n)")));
}

TEST(Discrete, SamplingInstantsAreSharedBetweenEqualOnes) {
    Pipeline p(R"(
parameters: {T: 10 ms, k: {value: 1, free: true}}
types:
  Hold:
    inputs: [u]
    parameters: {T: {unit: s}}
    outputs: {y: {type: real}}
    equations: ['y = if sample(0, T) then u else pre(y)']
components: {a: {type: Hold, T: T, u: k}, b: {type: Hold, T: 10 ms, u: 2}, c: {type: Hold, T: 20 ms, u: 3}}
)");
    const auto& g = p.graph();
    ASSERT_EQ(g.samples.size(), 2U);
    EXPECT_EQ(g.samples[0].period, 0.01);
    EXPECT_EQ(g.samples[1].period, 0.02);
    EXPECT_THAT(texts(g, element(g, "a").given_updates),
                ElementsAre("a.y = if sample(0, 0.01) then free(k) else pre(a.y)"));
    EXPECT_THAT(texts(g, element(g, "c").given_updates), ElementsAre("c.y = if sample(0, 0.02) then 3 else pre(c.y)"));
}

TEST(Discrete, MayStandBesidePartsWhoseSignalsAreOutputs) {
    Pipeline p(R"(
types:
  T:
    components: {gain: {type: Gain, k: 2}}
    inputs: [u]
    outputs: [y]
    variables: {n: {type: integer}}
    signals: [u -> gain.u, gain.y -> y]
    when: {if: gain.y > 1, set: {n: pre(n) + 1}}
components: {t: {type: T, u: time}, seen: {type: Gain, k: 1}}
signals: [t.y -> seen.u]
)");
    const auto& g = p.graph();
    EXPECT_EQ(text(g, element(g, "seen").inputs.at(0).second.value(0, 0)), "t.gain.y");
    ASSERT_EQ(g.whens.size(), 1U);
    EXPECT_EQ(g.discretes.size(), 1U);
}

TEST(Discrete, IsNoUnknownOfItsType) {
    EXPECT_EQ(test::message_in(type_with("    variables: {n: {type: integer}, x: {}}\n    equations: [n = 1]\n")),
              "type 'T' has 0 equations for 1 unknown");
}

TEST(Discrete, HasOneEquationAtMost) {
    const std::string twice = type_with("    variables: {n: {type: integer}}\n    equations: [n = pre(n), n = 2]\n");
    EXPECT_THAT(test::errors_in(twice), ElementsAre("BG-M042"));
    const std::string both = type_with(
        "    variables: {n: {type: integer}}\n    equations: [n = pre(n)]\n    when: {if: time > 1, set: {n: 2}}\n");
    EXPECT_THAT(test::errors_in(both), ElementsAre("BG-M042"));
}

TEST(Discrete, TakesValuesOfItsTypeOnly) {
    for (const char* variable : {"{type: integer, start: 0.5}", "{type: boolean, start: 2}"}) {
        const std::string type = fmt::format("    variables: {{n: {}}}\n    equations: [n = pre(n)]\n", variable);
        EXPECT_THAT(test::errors_in(type_with(type)), ElementsAre("BG-M013")) << variable;
    }
}

TEST(Discrete, FunctionsOfEventsSayWhereTheyBelong) {
    const auto message = [](const std::string& equation) {
        return test::message_in(
            type_with("    variables: {n: {type: integer}, x: {start: 0}}\n    equations: [\"der(x) = 1\", \"" +
                      equation + "\"]\n"));
    };
    EXPECT_THAT(message("n = pre(x)"), HasSubstr("pre() takes a variable that changes at events only"));
    EXPECT_THAT(message("n = if edge(n) then 1 else 2"), HasSubstr("edge() takes a boolean variable"));
    EXPECT_THAT(message("n = sample(0, 0)"), HasSubstr("greater than 0"));
    EXPECT_THAT(message("n = sample(x, 1)"), HasSubstr("known numbers"));
    EXPECT_THAT(message("n = der(n)"), HasSubstr("der() takes"));
    EXPECT_THAT(message("n = pre(n, x)"), HasSubstr("takes 1 argument, not 2"));
    EXPECT_THAT(test::message_in("components: {s: {type: Step, height: pre(time)}}\n"), HasSubstr("pre() stands only"));
}

TEST(Discrete, SamplingHasNoPlaceInAnEquationThatHoldsAlways) {
    EXPECT_THAT(test::message_in(type_with("    variables: {x: {}}\n    equations: [\"x = sample(0, 1)\"]\n")),
                HasSubstr("sample() has no place"));
}

TEST(Parameters, MayBeConditionsOfSignalsBondsAndTime) {
    Pipeline p(R"(
components:
  ctrl: {type: Sine, amplitude: 3, frequency: 1 Hz}
  s: {type: Se, e: 1 V}
  j: {type: 1}
  r: {type: R, R: if ctrl.y > 2 or time < 1 then 10 else 1}
  c: {type: C, C: 1 F}
  i: {type: I, I: if in.power > 0 then 1 else 2}
bonds: [in: s -> j, j -> r, j -> c, j -> i]
)");
    const auto& g = p.graph();
    EXPECT_EQ(text(g, element(g, "r").parameter("R")->value(0, 0)), "if ctrl.y > 2 or time < 1 then 10 else 1");
    EXPECT_EQ(text(g, element(g, "i").parameter("I")->value(0, 0)), "if s.e*s.f > 0 then 1 else 2");
}

TEST(FreeParameters, StandForAValueFoundAtTheStart) {
    Pipeline p(R"(
parameters: {K: {value: 100 N/m, free: true}, m: 2 kg}
types:
  Spring:
    ports: {p: {domain: translational}}
    parameters: {k: {value: 7 N/m, free: true}}
    variables: {x: {start: 0}}
    equations: [der(x) = p.f, p.e = k*x]
components:
  w: {type: Se, e: 5 N}
  j: {type: 1}
  a: {type: C, K: K}
  b: {type: Spring}
  c: {type: R, R: {value: 3 N.s/m, free: true}}
  d: {type: Spring, k: 8 N/m}
bonds: [w -> j, j -> a, j -> b.p, j -> c, j -> d.p]
initial: [a.q = 0.02, der(a.q) = 0, "b.x = 2*a.q"]
)");
    p.set("b.k=9");
    const auto& g = p.graph();
    std::vector<std::string> free;
    for (const auto& f : g.free_parameters) free.push_back(fmt::format("{} {:g}", f.name, f.guess));
    EXPECT_THAT(free, ElementsAre("K 100", "b.k 9", "d.k 8", "c.R 3"));
    EXPECT_EQ(text(g, element(g, "a").parameter("K")->value(0, 0)), "free(K)");
    EXPECT_EQ(text(g, element(g, "c").parameter("R")->value(0, 0)), "free(c.R)");
    EXPECT_THAT(texts(g, element(g, "b").given_equations).at(1), "b.e = free(b.k)*b.x");
    EXPECT_THAT(texts(g, g.initial_equations), ElementsAre("a.q = 0.02", "der(a.q) = 0", "b.x = 2*a.q"));
}

TEST(FreeParameters, NeedAKnownNumberAsGuess) {
    EXPECT_THAT(test::errors_in("parameters: {k: {value: 2*time, free: true}}\ncomponents: {}\n"),
                ElementsAre("BG-M043"));
}

TEST(StartAtRest, IsForAComponentATypeOrTheModel) {
    const std::string body = R"(
types:
  Lag: {inputs: [u], variables: {x: {start: 0}}, equations: [der(x) = u - x]}
  Two: {components: {a: {type: Lag, u: 1}, b: {type: Lag, u: 1}}}
  Calm: {inputs: [u], variables: {x: {start: 0}}, equations: [der(x) = u - x], initial: steady}
components:
  lag: {type: Lag, u: 1}
  rest: {type: Lag, u: 1, initial: steady}
  two: {type: Two, initial: steady}
  calm: {type: Calm, u: 2}
)";
    Pipeline p(body);
    std::vector<std::string> steady;
    std::vector<std::string> fixed;
    for (const auto& e : p.graph().elements) {
        if (e.steady) steady.push_back(e.name);
        for (const auto& s : e.starts) {
            if (s.fixed) fixed.push_back(e.name);
        }
    }
    EXPECT_THAT(steady, ElementsAre("rest", "two.a", "two.b", "calm"));
    EXPECT_THAT(fixed, ElementsAre("lag"));
    EXPECT_FALSE(p.graph().steady);
    Pipeline whole("initial: steady\n" + body);
    EXPECT_TRUE(whole.graph().steady);
}

TEST(StartAtRest, NeedsAState) {
    EXPECT_EQ(
        test::message_in("components: {r: {type: R, R: 1 ohm, initial: steady}, j: {type: 1}, s: {type: Se, e: 1 V}}\n"
                         "bonds: [s -> j, j -> r]\n"),
        "'r' (R) has no state that could start at rest");
}

TEST(StartEquations, OfATypeReplaceTheStartValuesOfWhatTheyName) {
    Pipeline p(
        type_with("    variables: {x: {start: 1}, y: {start: 2}}\n    equations: [der(x) = y - x, der(y) = -y]\n"
                  "    initial: [der(x) = 0]\n"));
    const auto& g = p.graph();
    EXPECT_THAT(texts(g, element(g, "t").initial_equations), ElementsAre("der(t.x) = 0"));
    EXPECT_FALSE(element(g, "t").starts.at(0).fixed);
    EXPECT_TRUE(element(g, "t").starts.at(1).fixed);
}

TEST(StartEquations, DifferentiateStatesOnly) {
    EXPECT_THAT(test::message_in(kBall + "initial: [der(ball.f) = 0]\n"), HasSubstr("der()"));
    Pipeline p(kBall + "initial: [height.h = 0.5*height.h]\n");
    EXPECT_THAT(texts(p.graph(), p.graph().initial_equations), ElementsAre("height.h = 0.5*height.h"));
}

}  // namespace
}  // namespace bondgraph
