// Constraints between states: what is differentiated, which states remain, and that the result moves as it must.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bondgraph/structure/verify.hpp"
#include "tests/compile/reduction.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using test::Reduction;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(IndexReduction, ThePendulumHasOnePositionAndItsVelocityAsStates) {
    Pipeline p(test::pendulum("initial: {x: 0.6, vx: 0}, guess: {y: -1}"));
    const Reduction r(p);
    EXPECT_TRUE(structure::is_dummy_choice(r.system.plan, r.choice.details));
    EXPECT_THAT(r.states(), UnorderedElementsAre("bob.x", "bob.vx"));
    EXPECT_NEAR(r.value("bob.y"), -0.8, 1e-12);
    // At rest the rod carries the weight's part along it: lambda·L = m·g·cos.
    EXPECT_NEAR(r.value("bob.lambda"), 9.81 * 0.8, 1e-9);
    EXPECT_LT(r.violation(), 1e-10);
    EXPECT_THAT(r.choice.removed, IsEmpty());
}

// Near the side y is the state, by the numbers alone.
TEST(IndexReduction, WhereThePendulumIsDecidesItsState) {
    Pipeline p(test::pendulum("initial: {y: -0.1, vy: 0}, guess: {x: 1}"));
    const Reduction r(p);
    EXPECT_THAT(r.states(), UnorderedElementsAre("bob.y", "bob.vy"));
    compile::ChoicePoint side = r.start;
    EXPECT_LT(compile::choice_gain(r.system, r.choice, side), 1.0);
    // At the bottom x → 0: y no longer determines it.
    for (std::size_t v = 0; v < side.values.size(); ++v) {
        const std::string name = r.system.name(compile::VariableId(v));
        if (name == "bob.x") side.values[v] = 1e-4;
        if (name == "bob.y") side.values[v] = -1.0;
    }
    EXPECT_GT(compile::choice_gain(r.system, r.choice, side), 1e3);
}

TEST(IndexReduction, ThePendulumSwingsAsTheReferenceDoes) {
    // Small enough that x stays the better state: the exact period of amplitude a is 4 K(sin(a/2)) sqrt(L/g).
    const double a = 0.5;
    Pipeline p(test::pendulum(fmt::format("initial: {{x: {:.17g}, vx: 0}}, guess: {{y: -1}}", std::sin(a))));
    const double period = 4.0 * std::comp_ellint_1(std::sin(a / 2)) * std::sqrt(1.0 / 9.81);
    simulation::Settings settings;
    settings.tolerance = 1e-9;
    settings.stop = period;
    settings.interval = period / 4;
    const auto run = p.run(settings, {"bob.x", "bob.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    ASSERT_EQ(run.result.time.size(), 5u);
    EXPECT_NEAR(run.result.at(1, 0), 0.0, 1e-6);
    EXPECT_NEAR(run.result.at(1, 1), -1.0, 1e-6);
    EXPECT_NEAR(run.result.at(2, 0), -std::sin(a), 1e-6);
    EXPECT_NEAR(run.result.at(4, 0), std::sin(a), 1e-6);
}

// The same with velocities that are no variables of their own in the constraint's chain: u = 2 der(x).
TEST(IndexReduction, SecondDerivativesMayHide) {
    Pipeline p(R"(
types:
  Pendulum:
    variables: {x: {}, y: {}, u: {}, w: {}, force: {}}
    equations:
      - u = 2*der(x)
      - w - der(y) = 0
      - der(u) = -2*force*x
      - der(w) = -force*y - 9.81
      - x^2 + y^2 = 1
components:
  bob: {type: Pendulum, initial: {x: 0.6, u: 0}, guess: {y: -1}}
)");
    const Reduction r(p);
    EXPECT_EQ(r.choice.states.size(), 2u);
    EXPECT_TRUE(structure::is_dummy_choice(r.system.plan, r.choice.details));
    EXPECT_NEAR(r.value("bob.force"), 9.81 * 0.8, 1e-9);
    EXPECT_LT(r.violation(), 1e-10);
    simulation::Settings settings;
    settings.tolerance = 1e-9;
    settings.stop = 0.5;
    const double at_half = p.run(settings, {"bob.x"}).result.data.back();
    Pipeline plain(test::pendulum("initial: {x: 0.6, vx: 0}, guess: {y: -1}"));
    EXPECT_NEAR(at_half, plain.run(settings, {"bob.x"}).result.data.back(), 1e-6);
}

// Nearly is not met.
TEST(IndexReduction, AStartThatMissesTheConstraintByATenThousandthIsRefused) {
    Pipeline guessed(test::pendulum("initial: {x: 0.6, vx: 0}, guess: {y: -0.8002}"));
    EXPECT_NEAR(Reduction(guessed).value("bob.y"), -0.8, 1e-14);
    Pipeline given(test::pendulum("initial: {x: 0.6, y: -0.80002, vx: 0}"));
    EXPECT_THROW(Reduction{given}, ModelError);
}

constexpr const char* kCarAxis = R"(
types:
  CarAxis:
    parameters: {M: 10, eps: 1e-2, L: 1, L0: 0.5, r: 0.1, w: 10}
    variables: {xl: {}, yl: {}, xr: {}, yr: {}, ul: {}, vl: {}, ur: {}, vr: {}, a: {}, b: {}, xb: {}, yb: {}, Ll: {}, Lr: {}}
    equations:
      - yb = r*sin(w*time)
      - xb = sqrt(L^2 - yb^2)
      - Ll = sqrt(xl^2 + yl^2)
      - Lr = sqrt((xr - xb)^2 + (yr - yb)^2)
      - der(xl) = ul
      - der(yl) = vl
      - der(xr) = ur
      - der(yr) = vr
      - M*eps^2/2*der(ul) = (L0 - Ll)*xl/Ll + a*xb + 2*b*(xl - xr)
      - M*eps^2/2*der(vl) = (L0 - Ll)*yl/Ll + a*yb + 2*b*(yl - yr) - M*eps^2/2
      - M*eps^2/2*der(ur) = (L0 - Lr)*(xr - xb)/Lr - 2*b*(xl - xr)
      - M*eps^2/2*der(vr) = (L0 - Lr)*(yr - yb)/Lr - 2*b*(yl - yr) - M*eps^2/2
      - xb*xl + yb*yl = 0
      - (xl - xr)^2 + (yl - yr)^2 = L^2
components:
  axis: {type: CarAxis, initial: {xl: 0, yl: 0.5, xr: 1, yr: 0.5, ul: -0.5, vl: 0, ur: -0.5, vr: 0}}
experiment: {stop: 3}
)";

TEST(IndexReduction, TheCarAxisHasTwoDegreesOfFreedom) {
    Pipeline p(kCarAxis);
    const Reduction r(p);
    EXPECT_EQ(r.choice.states.size(), 4u);
    EXPECT_TRUE(structure::is_dummy_choice(r.system.plan, r.choice.details));
    EXPECT_LT(r.violation(), 1e-9);
}

// End values at t = 3: IVP Test Set, car axis.
TEST(IndexReduction, TheCarAxisEndsWhereItIsPublishedTo) {
    Pipeline p(kCarAxis);
    simulation::Settings settings = p.settings();
    settings.tolerance = 1e-8;
    const auto run = p.run(settings, {"axis.xl", "axis.yl", "axis.xr", "axis.yr", "axis.vr"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 0.0493455784275402809, 1e-6);
    EXPECT_NEAR(run.result.at(last, 1), 0.496989460230171154, 1e-6);
    EXPECT_NEAR(run.result.at(last, 2), 1.04174252488542151, 1e-6);
    EXPECT_NEAR(run.result.at(last, 3), 0.373911027265361257, 1e-6);
    EXPECT_NEAR(run.result.at(last, 4), 0.770341043779252, 2e-5);
}

/// Andrews' squeezing mechanism as seven free bodies in the plane and ten pin joints (IVP Test Set; geometry of the
/// bodies as in its figure): positions of the centres of mass and absolute angles, forces of the joints on both bodies.
class SqueezingMechanism {
   public:
    SqueezingMechanism() {
        const double beta = -0.0617138900142764496;
        const double gamma = 0.455279819163070380;
        const double phi = 0.222668390165885884;
        const double delta = 0.487364979543842550;
        const double epsilon = 1.23054744454982119;
        const int k1 = body(0.04325, 2.194e-6, {0.00092, 0}, {0, 0}, beta);
        const int k2 = body(0.00365, 4.410e-7, {-0.0115, 0}, at(k1, {0.007, 0}), beta);
        const int k3 = body(0.02373, 5.255e-6, {0.01043, -0.01874}, {-0.03635, 0.03273}, gamma);
        const int k5 = body(0.07050, 1.169e-5, {0.02308, 0.00916}, {-0.06934, -0.00227}, delta);
        const int k4 = body(0.00706, 5.667e-7, {0, -0.00579}, at(k5, {0.04, 0}), phi + delta);
        const int k7 = body(0.05498, 1.912e-5, {-0.00449, -0.01228}, {-0.06934, -0.00227}, epsilon);
        const int k6 = body(0.00706, 5.667e-7, {0.00579, 0}, at(k7, {0, -0.04}), epsilon - phi);
        for (const int grounded : {k1, k3, k5, k7}) pin(grounded, {0, 0}, -1, bodies_[grounded].origin);
        pin(k2, {0, 0}, k1, {0.007, 0});
        pin(k4, {0, 0}, k5, {0.04, 0});
        pin(k6, {0, 0}, k7, {0, -0.04});
        pin(k2, {-0.028, 0}, k3, {0, -0.035});
        pin(k4, {0, -0.02}, k3, {0, -0.035});
        pin(k6, {0.02, 0}, k3, {0, -0.035});
        const auto [dx, dy] = point(k3, {0.02, -0.018});
        const std::string stretch = fmt::format("4530*(1 - 0.07785/sqrt(({0} - 0.014)^2 + ({1} - 0.072)^2))", dx, dy);
        force(k3, {0.02, -0.018}, fmt::format("(-{}*({} - 0.014))", stretch, dx),
              fmt::format("(-{}*({} - 0.072))", stretch, dy));
        bodies_[k1].moment += " + 0.033";
    }

    std::string text() const {
        std::string variables;
        std::string equations;
        std::string guesses;
        const auto variable = [&](const std::string& name) { variables += name + ": {}, "; };
        const auto equation = [&](const std::string& e) { equations += "      - " + e + "\n"; };
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            const Body& b = bodies_[i];
            for (const char* name : {"x", "y", "a", "u", "v", "w"}) variable(name + std::to_string(i));
            equation(fmt::format("der(x{0}) = u{0}", i));
            equation(fmt::format("der(y{0}) = v{0}", i));
            equation(fmt::format("der(a{0}) = w{0}", i));
            equation(fmt::format("{:.17g}*der(u{}) = 0{}", b.mass, i, b.fx));
            equation(fmt::format("{:.17g}*der(v{}) = 0{}", b.mass, i, b.fy));
            equation(fmt::format("{:.17g}*der(w{}) = 0{}", b.inertia, i, b.moment));
            const auto centre = at(static_cast<int>(i), b.centre);
            guesses +=
                fmt::format("{}x{}: {:.17g}, y{}: {:.17g}", i > 0 ? ", " : "", i, centre.first, i, centre.second);
            if (i > 0) guesses += fmt::format(", a{}: {:.17g}", i, b.angle);
        }
        for (int k = 0; k < joints_; ++k) {
            variable(fmt::format("fx{}", k));
            variable(fmt::format("fy{}", k));
        }
        variables.resize(variables.size() - 2);
        for (const std::string& c : constraints_) equation(c);
        return fmt::format(
            "types:\n  Mechanism:\n    variables: {{{}}}\n    equations:\n{}components:\n"
            "  m: {{type: Mechanism, initial: {{a0: {:.17g}, w0: 0}}, guess: {{{}}}}}\n",
            variables, equations, bodies_[0].angle, guesses);
    }

   private:
    using Point = std::pair<double, double>;
    struct Body {
        double mass, inertia;
        Point centre;  ///< from the frame's origin, as all points
        Point origin;  ///< at the start
        double angle;
        std::string fx, fy, moment;
    };

    int body(double mass, double inertia, Point centre, Point origin, double angle) {
        bodies_.push_back({mass, inertia, centre, origin, angle, "", "", ""});
        return static_cast<int>(bodies_.size()) - 1;
    }

    Point at(int body, Point p) const {
        const Body& b = bodies_[static_cast<std::size_t>(body)];
        return {b.origin.first + std::cos(b.angle) * p.first - std::sin(b.angle) * p.second,
                b.origin.second + std::sin(b.angle) * p.first + std::cos(b.angle) * p.second};
    }

    /// From the centre of mass to a point, as texts.
    std::pair<std::string, std::string> arm(int body, Point p) const {
        const Body& b = bodies_[static_cast<std::size_t>(body)];
        const double x = p.first - b.centre.first;
        const double y = p.second - b.centre.second;
        return {fmt::format("(({0:.17g})*cos(a{2}) - ({1:.17g})*sin(a{2}))", x, y, body),
                fmt::format("(({0:.17g})*sin(a{2}) + ({1:.17g})*cos(a{2}))", x, y, body)};
    }

    std::pair<std::string, std::string> point(int body, Point p) const {
        const auto [rx, ry] = arm(body, p);
        return {fmt::format("(x{} + {})", body, rx), fmt::format("(y{} + {})", body, ry)};
    }

    void force(int body, Point p, const std::string& fx, const std::string& fy) {
        const auto [rx, ry] = arm(body, p);
        Body& b = bodies_[static_cast<std::size_t>(body)];
        b.fx += " + " + fx;
        b.fy += " + " + fy;
        b.moment += fmt::format(" + {}*{} - {}*{}", rx, fy, ry, fx);
    }

    void pin(int body, Point p, int other, Point q) {
        const std::string fx = fmt::format("fx{}", joints_);
        const std::string fy = fmt::format("fy{}", joints_);
        ++joints_;
        force(body, p, fx, fy);
        const auto [px, py] = point(body, p);
        if (other < 0) {
            constraints_.push_back(fmt::format("{} = {:.17g}", px, q.first));
            constraints_.push_back(fmt::format("{} = {:.17g}", py, q.second));
            return;
        }
        force(other, q, "(-" + fx + ")", "(-" + fy + ")");
        const auto [qx, qy] = point(other, q);
        constraints_.push_back(fmt::format("{} - {} = 0", px, qx));
        constraints_.push_back(fmt::format("{} - {} = 0", py, qy));
    }

    std::vector<Body> bodies_;
    std::vector<std::string> constraints_;
    int joints_ = 0;
};

// Accelerations at the start as published: beta'' and Theta''.
TEST(IndexReduction, TheSqueezingMechanismHasOneDegreeOfFreedom) {
    Pipeline p(SqueezingMechanism().text());
    const Reduction r(p);
    EXPECT_EQ(r.choice.states.size(), 2u);
    EXPECT_THAT(r.choice.removed, IsEmpty());
    EXPECT_TRUE(structure::is_dummy_choice(r.system.plan, r.choice.details));
    EXPECT_NEAR(r.value("der(m.w0)"), 14222.4439199541, 1e-6);
    EXPECT_NEAR(r.value("der(m.w1)"), 14222.4439199541 - 10666.8329399656, 1e-6);
    // As many states and rates solved for as the sorted system has unknowns; it starts where the reduction says.
    const auto start = p.start();
    double worst = 0.0;
    for (std::size_t i = 0; i < p.compiled().size(); ++i) {
        const auto& u = p.compiled().unknowns[i];
        worst = std::max(worst, std::abs(start.y[i] - r.start.values[u.variable.index()]));
    }
    EXPECT_LT(worst, 1e-6);
}

}  // namespace
}  // namespace bondgraph
