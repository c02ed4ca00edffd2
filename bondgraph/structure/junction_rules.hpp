#pragma once

#include <cstdint>
#include <vector>

namespace bondgraph::structure {

// The textbook rules that simplify the junction structure of a bond graph, on bare numbers. Karnopp, Margolis,
// Rosenberg: System Dynamics, ch. 4; Borutzky: Bond Graph Methodology, ch. 2.

/// What a node is to the rules.
enum class PowerNode : std::uint8_t {
    zero,         ///< 0-junction
    one,          ///< 1-junction
    zero_effort,  ///< a source of effort 0 with one bond
    zero_flow,    ///< a source of flow 0 with one bond
    other         ///< an element, a two-port, a junction that is to stay: only the far ends of its bonds may change
};

struct PowerEnd {
    std::uint32_t node = 0;
    std::uint32_t port = 0;  ///< the caller's; it stays with the end
};

/// Positive power goes from `from` to `to`; at junctions, efforts or flows of bonds that lead out count against those
/// that lead in.
struct PowerBond {
    PowerEnd from;
    PowerEnd to;
    bool turned = false;  ///< drawn against its direction: as drawn, nothing passes through a junction at its end
};

struct PowerGraph {
    std::vector<PowerNode> nodes;
    std::vector<std::uint32_t> ranks;  ///< per node: of junctions that become one, the lowest stays
    std::vector<PowerBond> bonds;
};

enum class PowerRule : std::uint8_t {
    zero_node,    ///< a 0-junction of effort 0 goes with its bonds to 1-junctions, and likewise a 1-junction of flow 0
    zero_source,  ///< a source of effort 0 on a 1-junction, or of flow 0 on a 0-junction, moves no power and goes
    through,      ///< a junction of two bonds, one leading in and one out, becomes one bond
    same_kind,    ///< two neighbouring junctions of a kind become one
    ring          ///< junctions of a kind between the same two of the other kind: one pair takes the place of the ring
};

struct PowerStep {
    PowerRule rule = PowerRule::through;
    std::uint32_t at = 0;                  ///< the junction it is about; same_kind: the one that stays
    std::vector<std::uint32_t> removed;    ///< nodes
    std::vector<std::uint32_t> remaining;  ///< nodes next to what was removed; ring: its two corners, then its sides
    std::vector<std::uint32_t> made;       ///< ring: the junction between the corners, then that of the sides
    std::size_t bonds = 0;                 ///< how many were removed
};

struct SignedBond {
    std::uint32_t bond = 0;
    int sign = 1;
};

/// A simplified graph, in which nodes and bonds have kept their numbers; those made by rules come last.
struct SimplifiedPower {
    PowerGraph graph;
    std::vector<bool> node_gone;
    std::vector<bool> bond_gone;
    std::vector<PowerStep> steps;

    // Effort and flow of a bond that is gone, as a sum over bonds of which those gone went later (`gone_as`); none: 0.
    std::vector<std::vector<SignedBond>> efforts;
    std::vector<std::vector<SignedBond>> flows;
    std::vector<std::uint32_t> gone_as;

    /// Effort (or flow) of any bond of the graph, or gone from it, as a sum over bonds that are there.
    [[nodiscard]] std::vector<SignedBond> sum(std::uint32_t bond, bool effort) const;
};

/// Applies the rules until none applies any more: junctions at zero, sources of zero, junctions of two bonds, junctions
/// of a kind, rings, in this order and over again. Efforts and flows at all nodes that stay are what they were.
/// Junctions that only turn an effort or a flow round (two bonds that both lead in, or out) stay, as do structures that
/// leave something undetermined.
SimplifiedPower simplify(PowerGraph graph);

}  // namespace bondgraph::structure
