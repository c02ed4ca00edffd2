#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <stdexcept>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

// The row and column of a state by its name: their order is the library's own.
std::size_t place(const std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return static_cast<std::size_t>(at - names.begin());
}

double entry(const Eigen::MatrixXd& m, std::size_t row, std::size_t column) {
    return m(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
}

TEST(Linearize, AnRcIsWhatTheBookSays) {
    Pipeline p(R"(
components: {s: {type: Se, e: 10}, j: {type: 1}, r: {type: R, R: 1000}, c: {type: C, C: 1e-6}}
bonds: [s -> j, j -> r, j -> c]
)");
    const auto l = p.linear({}, {"c.e", "r.f"});
    EXPECT_THAT(l.states, testing::ElementsAre("c.q"));
    EXPECT_THAT(l.inputs, testing::ElementsAre("s.e"));
    EXPECT_NEAR(l.A(0, 0), -1000.0, 1e-9);
    EXPECT_NEAR(l.B(0, 0), 1e-3, 1e-15);
    EXPECT_NEAR(l.C(0, 0), 1e6, 1e-6);
    EXPECT_NEAR(l.C(1, 0), -1000.0, 1e-9);
    EXPECT_NEAR(l.D(0, 0), 0.0, 1e-15);
    EXPECT_NEAR(l.D(1, 0), 1e-3, 1e-15);
    EXPECT_NEAR(l.eigenvalues.at(0).real(), -1000.0, 1e-9);
}

TEST(Linearize, ASeriesRlcIsWhatTheBookSays) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 2}, l: {type: I, I: 4}, c: {type: C, C: 8}}
bonds: [s -> j, j -> r, j -> l, j -> c]
)");
    const auto l = p.linear({"s"}, {"l.f"});
    const auto q = place(l.states, "c.q");
    const auto m = place(l.states, "l.p");
    EXPECT_DOUBLE_EQ(entry(l.A, q, q), 0.0);
    EXPECT_DOUBLE_EQ(entry(l.A, q, m), 0.25);
    EXPECT_DOUBLE_EQ(entry(l.A, m, q), -0.125);
    EXPECT_DOUBLE_EQ(entry(l.A, m, m), -0.5);
    EXPECT_DOUBLE_EQ(entry(l.B, q, 0), 0.0);
    EXPECT_DOUBLE_EQ(entry(l.B, m, 0), 1.0);
    EXPECT_DOUBLE_EQ(entry(l.C, 0, m), 0.25);
    EXPECT_DOUBLE_EQ(entry(l.D, 0, 0), 0.0);
}

TEST(Linearize, AMotorIsWhatTheBookSays) {
    Pipeline p(test::load_file(test::model_path("electromechanical/motor_step_response.yaml")));
    const auto l = p.linear({}, {"rotor.f"});
    const auto coil = place(l.states, "coil.p");
    const auto rotor = place(l.states, "rotor.p");
    EXPECT_NEAR(entry(l.A, coil, coil), -1.0 / 0.5, 1e-12);
    EXPECT_NEAR(entry(l.A, coil, rotor), -0.01 / 0.01, 1e-12);
    EXPECT_NEAR(entry(l.A, rotor, coil), 0.01 / 0.5, 1e-12);
    EXPECT_NEAR(entry(l.A, rotor, rotor), -0.1 / 0.01, 1e-12);
    // The gain at rest: −C A⁻¹ B.
    EXPECT_NEAR((-l.C * l.A.inverse() * l.B + l.D)(0, 0), 0.01 / (1.0 * 0.1 + 0.01 * 0.01), 1e-12);
}

TEST(Linearize, AnAlgebraicLoopIsSolvedOnTheWay) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, a: {type: R, R: 1}, n: {type: 0}, b: {type: R, R: 3}, k: {type: 1}, d: {type: R, R: 4}, c: {type: C, C: 1}}
bonds: [s -> j, j -> a, j -> n, n -> b, n -> k, k -> d, k -> c]
)");
    // Thévenin: 0.75 of the source behind 0.75 Ω, in series with 4 Ω.
    const auto l = p.linear();
    EXPECT_NEAR(l.A(0, 0), -1.0 / 4.75, 1e-12);
    EXPECT_NEAR(l.B(0, 0), 0.75 / 4.75, 1e-12);
}

TEST(Linearize, ASourceWhoseDerivativeMattersIsRefused) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, n: {type: 0}, c: {type: C, C: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1}}
bonds: [s -> n, n -> c, n -> j, j -> r, j -> l]
)");
    EXPECT_THAT(test::errors_of([&] { p.linear({"s"}, {"c.f"}); }), testing::ElementsAre("BG-L001"));
}

// The current into a capacitor on a source is C times the source's rate, whether or not the model has states.
TEST(Linearize, ASourceWhoseDerivativeMattersIsRefusedWithoutStatesToo) {
    constexpr std::string_view kModel = R"(
components: {s: {type: Se, e: 1}, n: {type: 0}, c: {type: C, C: 2}, r: {type: R, R: 4}}
bonds: [s -> n, n -> c, n -> r]
)";
    Pipeline p(kModel);
    EXPECT_THAT(test::errors_of([&] { p.linear({}, {"s.f"}); }), testing::ElementsAre("BG-L001"));
    Pipeline without(kModel);
    EXPECT_EQ(without.linear().A.size(), 0);
}

TEST(Linearize, UnknownNamesAreReported) {
    Pipeline p(
        "components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1}}\nbonds: [s -> j, j -> "
        "r, j -> l]\n");
    EXPECT_THROW(p.linear({"S"}), std::invalid_argument);
    EXPECT_THROW(p.linear({}, {"l.x"}), std::invalid_argument);
}

}  // namespace
}  // namespace bondgraph
