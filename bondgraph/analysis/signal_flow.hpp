#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/analysis/laurent.hpp"
#include "bondgraph/analysis/symbols.hpp"
#include "bondgraph/compile/sorted_system.hpp"

namespace bondgraph::analysis {

struct FlowEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Laurent gain;
};

/// A signal-flow graph: every node is the sum of gain · node over the edges that lead to it.
struct SignalFlow {
    std::vector<std::string> nodes;  ///< names
    std::vector<FlowEdge> edges;     ///< ascending by (from, to), no two alike
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;
    std::vector<std::uint32_t> states;
    std::vector<std::uint32_t> rates;  ///< of the states; only without integrators
    std::vector<Symbol> symbols;       ///< of the gains: symbol i + 1 of a Laurent is symbols[i]
    std::vector<std::string> names;    ///< theirs
    std::vector<std::string> latex;    ///< theirs in LaTeX
    std::vector<double> values;        ///< theirs
};

/// The model has no gains: what is said is why.
class NoGains : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// Whether states are reached from their rates by 1/s, and rates of other variables from these by s; or rates of states
/// are where the graph ends, states where it begins, and other rates follow from differentiated laws.
enum class Dynamics : std::uint8_t { transfer, state_space };

/// A result of the model: a sum of variables.
struct FlowOutput {
    std::string name;
    expression::Expr value;
};

/// The laws as the strokes orient them, each solved for what it determines, as a signal-flow graph. The parameters must
/// have been given names in `causal`'s graph. Inputs are the sources; what they give at rest is left out. Node i stands
/// for variable i, further nodes for sources, rates and outputs that are sums. Throws NoGains: an output, or a law that
/// one (or a state) depends on, is not linear with constant coefficients, or states are tied by constraints that
/// strokes don't show.
SignalFlow signal_flow(const causality::CausalGraph& causal, const NamedParameters& parameters,
                       std::span<const FlowOutput> outputs, Dynamics dynamics);

/// Without nodes that only pass a value (or its negative) on, and without those that are on no way from an input (or
/// state) to an output (or rate). Where there are neither outputs nor rates, everything counts as one.
SignalFlow simplified(const SignalFlow& flow);

}  // namespace bondgraph::analysis
