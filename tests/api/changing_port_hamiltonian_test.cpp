// Port-Hamiltonian forms of models whose J, R or G change: entries as expressions, against those found by hand, and
// their numbers against the model's own rates wherever it starts.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/port_hamiltonian_report.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

PortHamiltonian changing_form_of(const std::string& text) {
    auto model = Model::parse("model: m\n" + text);
    if (!model) throw std::runtime_error(model.error().text());
    auto form = model->port_hamiltonian();
    if (!form) throw std::runtime_error(form.error().text());
    // At any start the rates and outputs are those of the model: of sums of a few terms, rounding is left.
    EXPECT_LT(form->imbalance, 1e-12);
    EXPECT_LT(form->reciprocity, 1e-12);
    EXPECT_LT(form->skewness, 1e-12);
    EXPECT_LT(form->asymmetry, 1e-12);
    return *form;
}

std::string why_none(const std::string& text) {
    auto model = Model::parse("model: m\n" + text);
    if (!model) return "not read: " + model.error().text();
    auto form = model->port_hamiltonian();
    if (form) return "";
    EXPECT_EQ(form.error().kind, Error::Kind::usage);
    return form.error().text();
}

std::string pendulum(double degrees, double speed) {
    return fmt::format(R"(components:
  swing: {{type: 1}}
  bob: {{type: I, I: 0.5, initial: {{f: {}}}}}
  hinge: {{type: R, R: 0.2}}
  angle: {{type: Dq, initial: {{y: {} deg}}}}
  rod: {{type: TF, m: 0.5*sin(angle.y)}}
  rise: {{type: 1}}
  weight: {{type: Se, e: -20}}
bonds: [swing -> bob, swing -> hinge, swing -> angle, swing -> rod.p1, rod.p2 -> rise, weight -> rise]
)",
                       speed, degrees);
}

TEST(ChangingPortHamiltonian, OfAPendulumTheAngleIsAStateWithoutEnergy) {
    for (const auto& [degrees, speed] : {std::pair{60.0, 0.0}, {10.0, 2.0}, {-200.0, -3.0}}) {
        const PortHamiltonian f = changing_form_of(pendulum(degrees, speed));
        EXPECT_FALSE(f.constant);
        EXPECT_THAT(f.states, ElementsAre("bob.p", "angle.y"));
        EXPECT_THAT(f.without_energy, ElementsAre("angle.y"));
        EXPECT_THAT(f.entries.J, ElementsAre("0", "-1", "1", "0"));
        EXPECT_THAT(f.entries.R, ElementsAre("0.2", "0", "0", "0"));
        EXPECT_THAT(f.entries.G, ElementsAre("0.5*sin(angle.y)", "0"));
        EXPECT_THAT(f.entries_latex.G, ElementsAre(HasSubstr("\\sin"), "0"));
        EXPECT_NEAR(f.G[0], 0.5 * std::sin(degrees * 3.14159265358979323846 / 180.0), 1e-12);
        EXPECT_THAT(f.J, ElementsAre(0.0, -1.0, 1.0, 0.0));
        EXPECT_TRUE(f.positive());
        EXPECT_TRUE(f.passive());
        EXPECT_THAT(f.left_out, IsEmpty());
    }
}

TEST(ChangingPortHamiltonian, AResistorsLawIsEffortOverFlow) {
    const auto with = [](double q) {
        return changing_form_of(fmt::format(R"(components:
  n: {{type: 0}}
  c: {{type: C, C: 2, initial: {{q: {}}}}}
  r: {{type: R, law: f = 3*e + e^3}}
bonds: [n -> c, n -> r]
)",
                                            q));
    };
    EXPECT_THAT(with(1.0).entries.R, ElementsAre("r.f/r.e"));
    EXPECT_NEAR(with(1.0).R[0], 3.25, 1e-12);  // 3 + e² at e = 1/2
    EXPECT_NEAR(with(0.0).R[0], 3.0, 1e-12);   // the slope at rest
}

// The law can be solved for neither variable by symbols.
TEST(ChangingPortHamiltonian, ALawThatIsSolvedByNumbersIsARatioToo) {
    const PortHamiltonian f = changing_form_of(R"(components:
  n: {type: 0}
  c: {type: C, C: 2, initial: {q: 4}}
  r: {type: R, law: e = f + f^3 + sin(f)/2}
bonds: [n -> c, n -> r]
)");
    EXPECT_THAT(f.entries.R, ElementsAre("r.f/r.e"));
    // f + f³ + sin(f)/2 = 2
    double flow = 1.0;
    for (int k = 0; k < 50; ++k)
        flow -=
            (flow + flow * flow * flow + std::sin(flow) / 2.0 - 2.0) / (1.0 + 3.0 * flow * flow + std::cos(flow) / 2.0);
    EXPECT_NEAR(f.R[0], flow / 2.0, 1e-8);  // solved to the tolerance of the start
}

TEST(ChangingPortHamiltonian, AModulatedGyratorIsInJAlone) {
    // A rigid body in its own axes: J x = x × (its opposite), Euler's equations.
    const PortHamiltonian f = changing_form_of(R"(components:
  spin: {type: 1, size: 3}
  body: {type: I, I: [1, 2, 3], initial: {f: [0.1, 2, 0.2]}}
  gyro: {type: GY, r: [[0, "-0.5*body.p[3]", "0.5*body.p[2]"], ["0.5*body.p[3]", 0, "-0.5*body.p[1]"], ["-0.5*body.p[2]", "0.5*body.p[1]", 0]]}
bonds: [spin -> body, spin -> gyro.p1, gyro.p2 -> spin]
)");
    EXPECT_THAT(f.entries.J, ElementsAre("0", "-body.p[3]", "body.p[2]", "body.p[3]", "0", "-body.p[1]", "-body.p[2]",
                                         "body.p[1]", "0"));
    for (const double r : f.R) EXPECT_EQ(r, 0.0);
    const std::vector<double> wanted{0.0, -0.6, 4.0, 0.6, 0.0, -0.1, -4.0, 0.1, 0.0};
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(f.J[k], wanted[k], 1e-12) << k;
}

TEST(ChangingPortHamiltonian, ALoopOfResistorsIsSolved) {
    // Two in series between the capacitors, one of them changing: the conductance is 1/(5 + 2 + sin(t)).
    const PortHamiltonian f = changing_form_of(R"(components:
  a: {type: C, C: 1, initial: {e: 3}}
  b: {type: C, C: 2, initial: {e: 1}}
  na: {type: 0}
  nm: {type: 0}
  nb: {type: 0}
  l: {type: 1}
  r: {type: 1}
  r1: {type: R, R: 5}
  r2: {type: R, R: 2 + sin(time)}
bonds: [na -> a, nb -> b, na -> l, l -> r1, l -> nm, nm -> r, r -> r2, r -> nb]
)");
    EXPECT_NEAR(f.R[0], 1.0 / 7.0, 1e-12);
    EXPECT_NEAR(f.R[1], -1.0 / 7.0, 1e-12);
    EXPECT_THAT(f.entries.R[0], HasSubstr("time"));
    EXPECT_EQ(f.entries.J, std::vector<std::string>(4, "0"));
    EXPECT_NEAR(f.least_loss, 0.0, 1e-12);
}

TEST(ChangingPortHamiltonian, AnOwnTypeOfOnePortIsAResistorToo) {
    const PortHamiltonian f = changing_form_of(R"(types:
  Orifice:
    ports: {p: {}}
    equations: [p.f = 2*sign(p.e)*sqrt(abs(p.e))]
components:
  n: {type: 0}
  c: {type: C, C: 1, initial: {e: 16}}
  o: {type: Orifice}
bonds: [n -> c, n -> o]
)");
    EXPECT_NEAR(f.R[0], 2.0 * 4.0 / 16.0, 1e-12);
    EXPECT_TRUE(f.passive());
}

TEST(ChangingPortHamiltonian, WhatGivesPowerIsNamed) {
    const PortHamiltonian f = changing_form_of(R"(components:
  j: {type: 1}
  m: {type: I, I: 2, initial: {f: 0.5}}
  s: {type: C, C: 1}
  r: {type: R, law: e = f^3/3 - f}
bonds: [j -> m, j -> s, j -> r]
)");
    EXPECT_FALSE(f.passive());
    EXPECT_THAT(f.active, ElementsAre("r"));
    EXPECT_NEAR(f.R[0], 0.25 / 3.0 - 1.0, 1e-12);
}

TEST(ChangingPortHamiltonian, AGainThatKeepsNoPowerIsALoss) {
    // Effort 3 s out of s, flow not the same way back: what is missing is in R, and the type is named as active.
    const PortHamiltonian f = changing_form_of(R"(types:
  Gain:
    ports: {a: {}, b: {}}
    inputs: {s: {}}
    equations: [b.e = s*a.e, a.f = -2*s*b.f]
components:
  n: {type: 0}
  c: {type: C, C: 1, initial: {e: 4}}
  g: {type: Gain}
  j: {type: 1}
  m: {type: I, I: 1, initial: {f: 3}}
bonds: [n -> c, n -> g.a, g.b -> j, j -> m]
signals: [m.p -> g.s]
)");
    EXPECT_THAT(f.active, ElementsAre("g"));
    EXPECT_EQ(f.states, (std::vector<std::string>{"c.q", "m.p"}));
    // Both ports take power inwards: dq/dt = 2 s f, dp/dt = −s e with s = 3.
    EXPECT_NEAR(f.J[1], 4.5, 1e-12);
    EXPECT_NEAR(f.R[1], -1.5, 1e-12);
}

TEST(ChangingPortHamiltonian, StatesOfControllersStayOutside) {
    const PortHamiltonian f = changing_form_of(R"(components:
  u: {type: Se, e: 3}
  j: {type: 1}
  m: {type: I, I: 2, initial: {f: 1}}
  error: {type: Integrator, initial: {y: 0.3}}
  r: {type: R, R: 1 + error.y^2}
bonds: [u -> j, j -> m, j -> r]
signals: [4 - m.f -> error.u]
)");
    EXPECT_THAT(f.states, ElementsAre("m.p"));
    EXPECT_THAT(f.outside, ElementsAre("error.y"));
    EXPECT_THAT(f.left_out, IsEmpty());
    EXPECT_NEAR(f.R[0], 1.09, 1e-12);
    EXPECT_THAT(f.entries.R[0], HasSubstr("error.y"));
}

// ---- The same however it is written

std::map<std::string, double> entries_by_name(const PortHamiltonian& f, const std::string& prefix = "") {
    std::map<std::string, double> all;
    const auto name = [&](const std::string& n) { return n.starts_with(prefix) ? n.substr(prefix.size()) : n; };
    const std::size_t n = f.states.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const std::string at = name(f.states[i]) + "," + name(f.states[j]);
            all["J " + at] = f.J[i * n + j];
            all["R " + at] = f.R[i * n + j];
        }
        for (std::size_t k = 0; k < f.inputs.size(); ++k) all["G " + name(f.states[i])] = f.G[i * f.inputs.size() + k];
    }
    return all;
}

void expect_equal(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [key, value] : a) {
        ASSERT_TRUE(b.contains(key)) << key;
        EXPECT_NEAR(value, b.at(key), 1e-12 * std::max(1.0, std::abs(value))) << key;
    }
}

constexpr const char* kPendulumShuffled = R"(components:
  weight: {type: Se, e: -20}
  rise: {type: 1}
  rod: {type: TF, m: 500e-3*sin(angle.y)}
  angle: {type: Dq, initial: {y: 1.0471975511965976}}
  hinge: {type: R, R: 0.2}
  bob: {type: I, I: 0.5, initial: {f: 2}}
  swing: {type: 1}
bonds: [weight -> rise, rod.p2 -> rise, swing -> rod.p1, swing -> angle, hinge -> swing, bob -> swing]
)";

constexpr const char* kPendulumInAType = R"(types:
  Swing:
    ports: {p: {}}
    components:
      swing: {type: 1}
      bob: {type: I, I: 0.5, initial: {f: 2}}
      hinge: {type: R, R: 0.2}
      angle: {type: Dq, initial: {y: 60 deg}}
      rod: {type: TF, m: 0.5*sin(angle.y)}
    bonds: [swing -> bob, swing -> hinge, swing -> angle, swing -> rod.p1, rod.p2 -> p]
components:
  arm: {type: Swing}
  rise: {type: 1}
  weight: {type: Se, e: -20}
bonds: [arm.p -> rise, weight -> rise]
)";

TEST(ChangingPortHamiltonian, IsTheSameHoweverTheModelIsWritten) {
    const auto plain = entries_by_name(changing_form_of(pendulum(60.0, 2.0)));
    expect_equal(plain, entries_by_name(changing_form_of(kPendulumShuffled)));
    expect_equal(plain, entries_by_name(changing_form_of(kPendulumInAType), "arm."));
}

TEST(ChangingPortHamiltonian, SomethingUnrelatedThatSwitchesBesideItAddsABlock) {
    std::string text = pendulum(60.0, 2.0);
    text.replace(text.find("bonds: ["), 8, R"(  v: {type: Se, e: 5}
  k: {type: 1}
  gate: {type: Sw, open: time > 1}
  load: {type: R, R: 7}
  coil: {type: I, I: 3}
bonds: [v -> k, k -> gate, k -> load, k -> coil, )");
    const auto more = entries_by_name(changing_form_of(text));
    for (const auto& [key, value] : entries_by_name(changing_form_of(pendulum(60.0, 2.0)))) {
        if (key.starts_with("G")) continue;
        EXPECT_NEAR(more.at(key), value, 1e-12) << key;
    }
    EXPECT_NEAR(more.at("R coil.p,coil.p"), 7.0, 1e-9);
    EXPECT_EQ(more.at("J coil.p,bob.p"), 0.0);
}

// ---- Texts

TEST(ChangingPortHamiltonian, LongEntriesGetNames) {
    const PortHamiltonian f = changing_form_of(R"(components:
  j: {type: 1}
  m: {type: I, I: 2, initial: {f: 0.5}}
  g: {type: GY, r: sin(s.p)*cos(2*s.p)*exp(-m.p) + 3*sqrt(1 + s.p^2)}
  k: {type: 1}
  s: {type: I, I: 1, initial: {f: 0.2}}
bonds: [j -> m, j -> g.p1, g.p2 -> k, k -> s]
)");
    const std::string text = port_hamiltonian_text(f, [](std::string_view title) { return std::string(title) + "\n"; });
    EXPECT_THAT(text, HasSubstr("s1  =  "));
    EXPECT_THAT(text, HasSubstr("-s1"));
    EXPECT_THAT(text, Not(HasSubstr("s2")));
    const auto json = port_hamiltonian_json(f);
    EXPECT_EQ(json["constant"], false);
    EXPECT_EQ(json["entries"]["J"][0][0], "0");
    EXPECT_EQ(json["entries"]["J"][0][1].get<std::string>(), f.entries.J[1]);
    EXPECT_FALSE(json["entries"].contains("Q"));
}

// ---- What has none

TEST(ChangingPortHamiltonian, SaysWhichPartsKeepAModelFromIt) {
    const auto with = [](const std::string& parts, const std::string& more = "") {
        return why_none("components:\n  j: {type: 1}\n  m: {type: I, I: 2, initial: {f: 1}}\n" + parts +
                        "bonds: [j -> m, j -> r" + more + "]\n");
    };
    EXPECT_THAT(with("  r: {type: R, law: e = f^3 + 0.4}\n"),
                HasSubstr("the law of 'r' gives an effort or flow where nothing flows or pulls"));
    EXPECT_THAT(with("  r: {type: R, R: 1 + time}\n  n: {type: I, I: 1}\n", ", j -> n"),
                HasSubstr("in derivative causality"));
    EXPECT_THAT(why_none(R"(components:
  n: {type: 0}
  c: {type: C, C: 1}
  r: {type: R, law: f = sign(e)*sqrt(abs(e))}
bonds: [n -> c, n -> r]
)"),
                HasSubstr("is not finite"));
    EXPECT_THAT(why_none(R"(types:
  Two:
    ports: {a: {}, b: {}}
    equations: [a.e = a.f^2*b.f, b.e = b.f^3]
components:
  j: {type: 1}
  k: {type: 1}
  m: {type: I, I: 1, initial: {f: 1}}
  n: {type: I, I: 1, initial: {f: 1}}
  t: {type: Two}
bonds: [j -> m, k -> n, j -> t.a, k -> t.b]
)"),
                HasSubstr("the law of 't' is not linear in its efforts and flows"));
}

}  // namespace
}  // namespace bondgraph::api
