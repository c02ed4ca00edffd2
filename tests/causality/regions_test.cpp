// Meshes too large for a table of their own.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;

/// n × n nodes, neighbours joined by branches; `branch` and `node` are the elements there, a source drives the first
/// node through a resistor.
std::string grid(std::size_t n, const std::string& branch, const std::string& node, const std::string& more = "",
                 const std::string& more_bonds = "") {
    std::string components = "components:\n";
    std::string bonds = "bonds:\n";
    const auto join = [&](const std::string& name, const std::string& from, const std::string& to) {
        components += fmt::format("  j{}: {{type: 1}}\n  b{}: {{{}}}\n", name, name, branch);
        bonds += fmt::format("  - {} -> j{}\n  - j{} -> {}\n  - j{} -> b{}\n", from, name, name, to, name, name);
    };
    const auto name = [](std::size_t i, std::size_t k) { return fmt::format("n{}_{}", i, k); };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            components += fmt::format("  {}: {{type: 0, domain: electrical}}\n", name(i, k));
            if (!node.empty()) {
                components += fmt::format("  c{}_{}: {{{}}}\n", i, k, node);
                bonds += fmt::format("  - {} -> c{}_{}\n", name(i, k), i, k);
            }
            if (i + 1 < n) join(fmt::format("v{}_{}", i, k), name(i, k), name(i + 1, k));
            if (k + 1 < n) join(fmt::format("h{}_{}", i, k), name(i, k), name(i, k + 1));
        }
    }
    return components + "  V: {type: Se, e: 1 V}\n  jV: {type: 1}\n  RV: {type: R, R: 1 ohm}\n" + more + bonds +
           "  - V -> jV\n  - jV -> RV\n  - jV -> n0_0\n" + more_bonds;
}

std::size_t strokes_missing(const causality::CausalGraph& causal) {
    return static_cast<std::size_t>(std::ranges::count(causal.strokes, causality::Stroke::open));
}

/// Resistors that answer with an effort.
std::size_t efforts_of(const causality::CausalGraph& causal, char first_letter) {
    std::size_t count = 0;
    for (const auto& e : causal.graph->elements) {
        if (e.name.front() != first_letter || e.ports.size() != 1) continue;
        const auto& p = e.ports[0];
        if (!causal.effort_in(p.first_effort / 2, p.at_head)) ++count;
    }
    return count;
}

TEST(Regions, AGridWithCapacitorsHasAllOfThemAsStates) {
    Pipeline p(grid(20, "type: R, R: 1 ohm", "type: C, C: 1 F"));
    const auto& causal = p.causal();
    EXPECT_EQ(causal.dependent_storage_count(), 0U);
    EXPECT_EQ(causal.storages.size(), 400U);
    EXPECT_EQ(strokes_missing(causal), 0U);
    EXPECT_TRUE(causal.loops.empty());
}

TEST(Regions, ResistorsThatGiveEffortsAreASpanningTree) {
    constexpr std::size_t n = 12;
    Pipeline p(grid(n, "type: R, R: 1 ohm", "", "  RL: {type: R, R: 1 ohm}\n", "  - n11_11 -> RL\n"));
    const auto& causal = p.causal();
    EXPECT_EQ(strokes_missing(causal), 0U);
    EXPECT_EQ(efforts_of(causal, 'b'), n * n - 1);
    EXPECT_EQ(causal.loops.size(), 1U);
}

TEST(Regions, CapacitorsInBranchesAreStatesAsFarAsNoLoopClosesThem) {
    constexpr std::size_t n = 11;  // n² nodes: n² − 1 voltages between them
    Pipeline p(grid(n, "type: C, C: 1 F", "", "  RL: {type: R, R: 1 ohm}\n", "  - n10_10 -> RL\n"));
    EXPECT_EQ(p.causal().storages.size() - p.causal().dependent_storage_count(), n * n - 1);
}

TEST(Regions, InductorsAreStatesAsFarAsNoNodeTiesThem) {
    constexpr std::size_t n =
        11;  // 2n(n − 1) branches; each node but the last ties its currents, the driven one is free
    Pipeline p(grid(n, "type: I, I: 1 H", ""));
    EXPECT_EQ(p.causal().storages.size() - p.causal().dependent_storage_count(), 2 * n * (n - 1) - (n * n - 1));
}

TEST(Regions, TwoSourcesThatContradictEachOtherAreNamedAlone) {
    const std::string text = grid(10, "type: R, R: 1 ohm", "type: C, C: 1 F",
                                  "  U1: {type: Se, e: 1 V}\n  U2: {type: Se, e: 2 V}\n  U3: {type: Se, e: 3 V}\n"
                                  "  ja: {type: 1}\n  Fa: {type: Sf, f: 0 A}\n",
                                  "  - n3_4 -> ja\n  - ja -> n7_7\n  - U1 -> n3_4\n  - U2 -> ja\n  - U3 -> n7_7\n");
    const std::string without_flow = [&] {
        std::string t = text;
        t.replace(t.find("  Fa: {type: Sf, f: 0 A}\n"), 25, "");
        return t;
    }();
    EXPECT_THAT(test::errors_in(without_flow), testing::ElementsAre("BG-C001"));
    const std::string message = test::message_in(without_flow);
    EXPECT_THAT(message, HasSubstr("U1 (Se), U2 (Se) and U3 (Se)"));
    EXPECT_THAT(message, testing::Not(HasSubstr("V (Se),")));
}

TEST(Regions, AGridThatFloatsIsToldAsOne) {
    std::string text = grid(10, "type: R, R: 1 ohm", "");
    // The only bond that lets a current into the grid is taken away, and nothing else fixes its potential.
    const std::string bond = "  - jV -> n0_0\n";
    text.replace(text.find(bond), bond.size(), "");
    EXPECT_THAT(test::errors_in(text), testing::ElementsAre("BG-C006"));
    EXPECT_THAT(test::message_in(text), HasSubstr("undetermined"));
}

TEST(Regions, AGridOfResistorsAndCapacitorsChargesAsItsLaplacianSays) {
    constexpr std::size_t n = 9;
    Pipeline p(grid(n, "type: R, R: 1 ohm", "type: C, C: 1 F"));
    const auto run = p.run({.stop = 30.0, .tolerance = 1e-8, .interval = 10.0}, {"c0_0.e", "c4_7.e", "c8_8.e"});
    // dv/dt = −A v + b with A v = b for v = 1 V everywhere.
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n * n, n * n);
    a(0, 0) = 1.0;
    const auto branch = [&](std::size_t from, std::size_t to) {
        const auto x = static_cast<Eigen::Index>(from), y = static_cast<Eigen::Index>(to);
        a(x, x) += 1.0;
        a(y, y) += 1.0;
        a(x, y) -= 1.0;
        a(y, x) -= 1.0;
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            if (i + 1 < n) branch(i * n + k, (i + 1) * n + k);
            if (k + 1 < n) branch(i * n + k, i * n + k + 1);
        }
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(a);
    const Eigen::VectorXd parts = modes.eigenvectors().transpose() * Eigen::VectorXd::Ones(n * n);
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const Eigen::VectorXd decay = (-modes.eigenvalues() * run.result.time[row]).array().exp();
        const Eigen::VectorXd v = Eigen::VectorXd::Ones(n * n) - modes.eigenvectors() * decay.cwiseProduct(parts);
        EXPECT_NEAR(run.result.at(row, 0), v(0), 1e-6);
        EXPECT_NEAR(run.result.at(row, 1), v(4 * n + 7), 1e-6);
        EXPECT_NEAR(run.result.at(row, 2), v(n * n - 1), 1e-6);
    }
}

}  // namespace
}  // namespace bondgraph
