#include "bondgraph/analysis/mason.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bondgraph/analysis/single_channel.hpp"
#include "bondgraph/analysis/transfer_function.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using analysis::Dynamics;
using analysis::FlowEdge;
using analysis::Laurent;
using analysis::SignalFlow;
using test::Pipeline;

const std::vector<std::string> kNames{"a", "b", "c", "d", "e", "f", "g"};

Laurent s(int power = 1) { return Laurent::symbol(analysis::kFrequency, power); }
Laurent x(std::uint32_t index, int power = 1) { return Laurent::symbol(index, power); }

TEST(Laurent, PrintsProductsAndQuotientsAsAReaderWritesThem) {
    EXPECT_EQ(analysis::text(-(x(1, -1) * x(2, -1) * s(-1)), kNames), "-1/(a*b*s)");
    EXPECT_EQ(analysis::text(x(1) * s(2) + Laurent(2.5) * x(2, -1), kNames), "a*s^2 + 2.5/b");
    EXPECT_EQ(analysis::text((x(1) + x(2)) * s() - 1.0, kNames), "(a + b)*s - 1");
    EXPECT_EQ(analysis::text((x(1) + x(2)) * s(-1), kNames), "(a + b)/s");
    EXPECT_EQ(analysis::text(Laurent(), kNames), "0");
    EXPECT_EQ(analysis::text(x(1, 2), kNames), "a^2");
}

TEST(Laurent, PrintsLatexAsFractions) {
    using expression::PrintStyle;
    EXPECT_EQ(analysis::text(-(x(1) * x(2, -1) * s(-1)), kNames, PrintStyle::latex), "-\\frac{a}{b\\,s}");
    EXPECT_EQ(analysis::text(analysis::LaurentRatio{x(1), x(2) + 1.0}, kNames, PrintStyle::latex), "\\frac{a}{1 + b}");
}

TEST(Laurent, WhatCancelsIsGone) {
    EXPECT_TRUE((x(1) - x(1)).is_zero());
    EXPECT_TRUE((x(1) * x(1, -1)).is_number(1.0));
    EXPECT_TRUE((Laurent(0.1) + 0.2 - 0.3).is_zero());
}

TEST(Laurent, ARatioIsClearedOfNegativePowersAndCommonMonomials) {
    // (1/(a s)) / (1 + b/(a s)) = 1/(a s + b)
    const auto ratio = analysis::cleared(x(1, -1) * s(-1), Laurent(1.0) + x(2) * x(1, -1) * s(-1));
    EXPECT_EQ(analysis::text(ratio, kNames), "1/(a*s + b)");
}

SignalFlow graph(std::size_t nodes, std::vector<FlowEdge> edges) {
    SignalFlow flow;
    for (std::size_t k = 0; k < nodes; ++k) flow.nodes.push_back("x" + std::to_string(k + 1));
    std::sort(edges.begin(), edges.end(),
              [](const FlowEdge& p, const FlowEdge& q) { return std::pair(p.from, p.to) < std::pair(q.from, q.to); });
    flow.edges = std::move(edges);
    flow.names = kNames;
    return flow;
}

TEST(Mason, TwoLoopsThatDontTouchMultiply) {
    // x1 → x2 → x3 → x4 → x5 with loops x2 ⇄ x3 (a) and x4 self-loop (b): H = 1/((1 − a)(1 − b)).
    const SignalFlow flow = graph(5, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 1, x(1)}, {2, 3, 1.0}, {3, 3, x(2)}, {3, 4, 1.0}});
    const auto m = analysis::mason(flow, 0, 4);
    ASSERT_TRUE(m);
    EXPECT_EQ(m->loops.size(), 2U);
    EXPECT_THAT(m->non_touching, testing::ElementsAre(testing::ElementsAre(0, 1)));
    EXPECT_EQ(analysis::text(m->determinant, kNames), "1 - a + a*b - b");
    EXPECT_EQ(m->paths.size(), 1U);
}

TEST(Mason, ALoopApartFromAPathStaysInItsCofactor) {
    // Two ways from x1 to x4: over x2 (gain a, with a loop c at x2) and over x3 (gain b, loop d at x3).
    const SignalFlow flow =
        graph(4, {{0, 1, x(1)}, {1, 1, x(3)}, {1, 3, 1.0}, {0, 2, x(2)}, {2, 2, x(4)}, {2, 3, 1.0}});
    const auto m = analysis::mason(flow, 0, 3);
    ASSERT_TRUE(m);
    ASSERT_EQ(m->paths.size(), 2U);
    EXPECT_EQ(analysis::text(m->cofactors[0], kNames), "1 - d");
    EXPECT_EQ(analysis::text(m->cofactors[1], kNames), "1 - c");
    const std::vector<double> values{2.0, 3.0, 0.25, 0.5, 1.0, 1.0, 1.0};
    EXPECT_NEAR(analysis::value(m->transfer, 0.0, values).real(), 2.0 / 0.75 + 3.0 / 0.5, 1e-12);
}

TEST(Mason, LoopsBesideTheWayAreLeftOut) {
    const SignalFlow flow = graph(4, {{0, 1, x(1)}, {2, 3, x(2)}, {3, 2, x(3)}});
    const auto m = analysis::mason(flow, 0, 1);
    ASSERT_TRUE(m);
    EXPECT_TRUE(m->loops.empty());
    EXPECT_EQ(analysis::text(m->transfer, kNames), "a");
}

TEST(Mason, TooManyLoopsAreGivenUp) {
    // Every node with every other.
    std::vector<FlowEdge> edges;
    for (std::uint32_t i = 0; i < 8; ++i) {
        for (std::uint32_t j = 0; j < 8; ++j) {
            if (i != j) edges.push_back({i, j, 1.0});
        }
    }
    EXPECT_FALSE(analysis::mason(graph(8, edges), 0, 7));
}

// The pipeline's own graph, whose parameters get names for a while.
model::BondGraph& named_graph(Pipeline& p) { return const_cast<model::BondGraph&>(p.graph()); }

// The model's signal-flow graph to these outputs.
SignalFlow flow_of(Pipeline& p, const std::vector<std::string>& outputs, Dynamics dynamics) {
    std::vector<analysis::FlowOutput> values;
    for (const std::string& name : outputs) values.push_back({name, model::resolve_name(p.graph(), name)->value});
    const analysis::NamedParameters parameters(named_graph(p), p.model());
    return analysis::signal_flow(p.causal(), parameters, values, dynamics);
}

std::string mason_of(const std::string& file, const std::string& output, std::size_t input = 0) {
    Pipeline p(test::load_file(test::model_path(file)));
    const SignalFlow flow = flow_of(p, {output}, Dynamics::transfer);
    const auto m = analysis::mason(flow, flow.inputs.at(input), flow.outputs.at(0));
    return m ? analysis::text(m->transfer, flow.names) : "too many";
}

TEST(Mason, GivesTheTextbooksTransferFunctionsInTheUsersNames) {
    EXPECT_EQ(mason_of("electrical/rc.yaml", "capacitor.e"), "1/(R*Cap*s + 1)");
    EXPECT_EQ(mason_of("electrical/series_rlc.yaml", "coil.f"), "Cap*s/(L*Cap*s^2 + R*Cap*s + 1)");
    EXPECT_EQ(mason_of("electrical/voltage_divider.yaml", "lower.e"), "R2/(R1 + R2)");
    EXPECT_EQ(mason_of("electromechanical/motor_step_response.yaml", "rotor.f"),
              "K/(L*J*s^2 + (R*J + L*b)*s + R*b + K^2)");
}

TEST(Mason, GivesDerivativeCausalityAsALoopThroughADifferentiation) {
    // The mass on the rope adds m r² to the rotor's inertia.
    EXPECT_EQ(mason_of("electromechanical/hoist.yaml", "rotor.f"),
              "K/((L*J + L*radius^2*m)*s^2 + (R*J + R*radius^2*m)*s + K^2)");
}

TEST(Symbols, AreNamesOfTheModelOfElementsOrBoth) {
    Pipeline p(R"(
parameters: {Rs: 2, other: 5}
components:
  s: {type: Se, e: 1}
  j: {type: 1}
  r: {type: R, R: Rs}
  q: {type: R, R: 2*Rs}
  other: {type: R, R: 3}
  zero: {type: R, R: 0}
  field: {type: CF, C: [[2, 1], [1, 3]]}
bonds: [s -> j, j -> r, j -> q, j -> other, j -> zero, j -> field.p1, j -> field.p2]
)");
    const analysis::NamedParameters parameters(named_graph(p), p.model());
    std::vector<std::string> names;
    for (const auto& symbol : parameters.symbols()) names.push_back(symbol.name);
    EXPECT_THAT(names, testing::ElementsAre("Rs", "q", "other.R", "field.C[1,1]", "field.C[1,2]", "field.C[2,2]"));
    EXPECT_EQ(parameters.symbols()[1].value, 4.0);
}

TEST(Symbols, OfPartsOfATypeCarryTheInstance) {
    Pipeline p(R"(
types:
  Coil:
    parameters: {Rw: 1}
    ports: {a: {}}
    components: {j: {type: 1}, r: {type: R, R: Rw}, l: {type: I, I: 0.5}}
    bonds: [a -> j, j -> r, j -> l]
components:
  s: {type: Se, e: 1}
  coil: {type: Coil, Rw: 7}
bonds: [s -> coil.a]
)");
    const analysis::NamedParameters parameters(named_graph(p), p.model());
    ASSERT_EQ(parameters.symbols().size(), 2U);
    EXPECT_EQ(parameters.symbols()[0].name, "coil.Rw");
    EXPECT_EQ(parameters.symbols()[0].value, 7.0);
    EXPECT_EQ(parameters.symbols()[1].name, "coil.l");
}

TEST(Symbols, LeaveTheGraphAsItWas) {
    Pipeline p(test::load_file(test::model_path("electromechanical/hoist.yaml")));
    model::BondGraph& graph = named_graph(p);
    const model::Element& winding = graph.elements[graph.element_by_name.at("winding").index()];
    const auto resistance = [&] { return winding.parameter("R")->value(0, 0); };
    EXPECT_TRUE(resistance().is_constant(1.0));
    {
        const analysis::NamedParameters parameters(graph, p.model());
        EXPECT_FALSE(resistance().is_constant());
    }
    EXPECT_TRUE(resistance().is_constant(1.0));
}

TEST(SignalFlow, ANonlinearLawIsNamed) {
    Pipeline p(test::load_file(test::model_path("nonlinear/duffing_oscillator.yaml")));
    try {
        flow_of(p, {}, Dynamics::transfer);
        FAIL();
    } catch (const analysis::NoGains& why) {
        EXPECT_STREQ(why.what(), "the law of 'spring' is not linear with constant coefficients");
    }
}

TEST(SignalFlow, ADerivativeOfASourceThatNothingNeedsDoesNoHarm) {
    // The current of the capacitor on the source is its derivative, but no state and no output sees it.
    const char* text = R"(
components: {s: {type: Se, e: 1}, n: {type: 0}, c: {type: C, C: 1}, j: {type: 1}, l: {type: I, I: 2}, r: {type: R, R: 3}}
bonds: [s -> n, n -> c, n -> j, j -> l, j -> r]
)";
    Pipeline p(text);
    const auto space = analysis::symbolic_state_space(flow_of(p, {"l.f"}, Dynamics::state_space));
    ASSERT_TRUE(space);
    EXPECT_EQ(space->A.size(), 1U);
    EXPECT_THROW(flow_of(p, {"s.f"}, Dynamics::state_space), analysis::NoGains);
    // As a transfer function it exists: C s + 1/(L s + R).
    const SignalFlow flow = flow_of(p, {"s.f"}, Dynamics::transfer);
    const auto m = analysis::mason(flow, flow.inputs.at(0), flow.outputs.at(0));
    ASSERT_TRUE(m);
    EXPECT_EQ(analysis::text(m->transfer, flow.names), "(c*l*s^2 + c*r*s + 1)/(l*s + r)");
}

TEST(SignalFlow, TheCoefficientsOfOwnTypesAreNumbers) {
    Pipeline p(R"(
types:
  Two:
    parameters: {A: 1, B: 2}
    ports: {p: {}}
    equations: [p.e = A*p.f + B*p.f]
components: {s: {type: Se, e: 1}, j: {type: 1}, t: {type: Two}, c: {type: C, C: 4}}
bonds: [s -> j, j -> t, j -> c]
)");
    // Own types' parameters are numbers in their equations: one gain of 3.
    const SignalFlow flow = flow_of(p, {"c.e"}, Dynamics::transfer);
    const auto m = analysis::mason(flow, flow.inputs.at(0), flow.outputs.at(0));
    ASSERT_TRUE(m);
    EXPECT_NEAR(std::abs(analysis::value(m->transfer, {0.0, 1.0}, flow.values) - 1.0 / std::complex(1.0, 12.0)), 0.0,
                1e-15);
}

// Wherever Mason's rule applies it gives what the matrices give, and so does the state space in symbols: two ways from
// the laws to numbers that share the strokes only.

std::optional<SignalFlow> flow_if_linear(Pipeline& p, const std::vector<std::string>& outputs, Dynamics dynamics) {
    try {
        return flow_of(p, outputs, dynamics);
    } catch (const analysis::NoGains&) {
        return std::nullopt;
    }
}

bool usable(Pipeline& p) {
    try {
        return !test::must_fail(p.model()) && p.compiled().linear;
    } catch (const ModelError&) {
        return false;
    }
}

/// What is done with the signal flow of every model that is linear and has at most so many states, seen by its states.
void for_linear_models(
    std::size_t most_states, Dynamics dynamics,
    const std::function<void(Pipeline& p, const std::vector<std::string>& outputs, const SignalFlow& flow)>& action) {
    for (const std::string& file : test::model_files()) {
        SCOPED_TRACE(file);
        Pipeline p(test::load_file(file));
        if (!usable(p)) continue;
        std::vector<std::string> outputs;
        for (const auto& state : p.sorted().states) outputs.push_back(p.sorted().name(state));
        if (outputs.empty() || outputs.size() > most_states) continue;
        if (const auto flow = flow_if_linear(p, outputs, dynamics)) action(p, outputs, *flow);
    }
}

TEST(Mason, AgreesWithTheMatricesOfEveryLinearModel) {
    std::size_t compared = 0;
    for_linear_models(6, Dynamics::transfer, [&](Pipeline& p, const auto& outputs, const SignalFlow& flow) {
        const auto linear = p.linear({}, outputs);
        double scale = 1e-3;
        for (const auto& pole : linear.eigenvalues) scale = std::max(scale, std::abs(pole));
        for (std::size_t i = 0; i < linear.inputs.size(); ++i) {
            for (std::size_t o = 0; o < outputs.size(); ++o) {
                const auto m = analysis::mason(flow, flow.inputs[i], flow.outputs[o]);
                if (!m) continue;
                const std::complex<double> at(0.3 * scale, 0.7 * scale);
                const auto expected = analysis::value_at(analysis::channel(linear, i, o), at);
                EXPECT_LE(std::abs(analysis::value(m->transfer, at, flow.values) - expected), 1e-9 * std::abs(expected))
                    << outputs[o] << " / " << linear.inputs[i];
                ++compared;
            }
        }
    });
    EXPECT_GE(BONDGRAPH_SWEEP * compared, 30U);
}

void expect_matrix(const std::vector<analysis::LaurentRatio>& symbols, const Eigen::MatrixXd& numbers,
                   const SignalFlow& flow) {
    ASSERT_EQ(symbols.size(), static_cast<std::size_t>(numbers.size()));
    const double scale = numbers.size() > 0 ? numbers.cwiseAbs().maxCoeff() : 0.0;
    for (Eigen::Index r = 0; r < numbers.rows(); ++r) {
        for (Eigen::Index c = 0; c < numbers.cols(); ++c) {
            const auto& entry = symbols[static_cast<std::size_t>(r * numbers.cols() + c)];
            EXPECT_NEAR(analysis::value(entry, 0.0, flow.values).real(), numbers(r, c),
                        1e-10 * std::abs(numbers(r, c)) + 1e-14 * scale)
                << r << ", " << c << ": " << analysis::text(entry, flow.names);
        }
    }
}

TEST(SymbolicStateSpace, HasTheNumbersOfEveryLinearModel) {
    std::size_t compared = 0;
    for_linear_models(8, Dynamics::state_space, [&](Pipeline& p, const auto& outputs, const SignalFlow& flow) {
        const auto symbols = analysis::symbolic_state_space(flow);
        if (!symbols) return;
        const auto linear = p.linear({}, outputs);
        expect_matrix(symbols->A, linear.A, flow);
        expect_matrix(symbols->B, linear.B, flow);
        expect_matrix(symbols->C, linear.C, flow);
        expect_matrix(symbols->D, linear.D, flow);
        ++compared;
    });
    EXPECT_GE(BONDGRAPH_SWEEP * compared, 15U);
}

}  // namespace
}  // namespace bondgraph
