#pragma once

#include "bondgraph/analysis/signal_flow.hpp"

namespace bondgraph::analysis {

/// A way along the edges of a signal-flow graph that meets no node twice; of a loop the first node is not repeated.
struct FlowPath {
    std::vector<std::uint32_t> nodes;
    Laurent gain;
};

/// Mason's rule for one input and one output: H = Σ gain_k · cofactor_k / determinant (Mason: Feedback theory: further
/// properties of signal flow graphs, Proc. IRE 44, 1956).
struct Mason {
    std::vector<FlowPath> paths;
    std::vector<FlowPath> loops;
    /// Sets of loops no two of which share a node, of two loops and more, by size: indices into `loops`, ascending.
    std::vector<std::vector<std::uint32_t>> non_touching;
    Laurent determinant{1.0};        ///< 1 − Σ loops + Σ pairs − Σ triples …
    std::vector<Laurent> cofactors;  ///< parallel to paths: the determinant without the loops that touch the path
    LaurentRatio transfer;
};

/// More loops or paths explain nothing to a reader.
inline constexpr std::size_t kMostLoops = 12;
inline constexpr std::size_t kMostForwardPaths = 50;

/// The loops of the graph, shortest first; nothing where there are more than `limit`.
std::optional<std::vector<FlowPath>> loops_of(const SignalFlow& flow, std::size_t limit);

/// Mason's rule from a node to another in what of the graph lies between them. Nothing where there are more loops or
/// paths than the limits above.
std::optional<Mason> mason(const SignalFlow& flow, std::uint32_t from, std::uint32_t to);

/// dx/dt = A x + B u, y = C x + D u in symbols, entry by entry; row-major.
struct SymbolicStateSpace {
    std::vector<LaurentRatio> A, B, C, D;
};
/// Of a graph with Dynamics::state_space. Nothing where algebraic loops are too many for Mason's rule.
std::optional<SymbolicStateSpace> symbolic_state_space(const SignalFlow& flow);

}  // namespace bondgraph::analysis
