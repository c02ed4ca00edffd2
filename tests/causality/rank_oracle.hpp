#pragma once

#include <optional>
#include <set>

#include "tests/causality/random_graph.hpp"

namespace bondgraph::test {

/// One component of a port of a source, storage or resistor.
struct PlainPlace {
    std::size_t node = 0;
    std::size_t number = 0;     ///< component within the node, over all its ports
    std::size_t component = 0;  ///< of the bonds
    bool at_head = false;
};

/// What linear algebra on all junction and two-port equations at once says about a bond graph. Rows 2i and 2i+1 of
/// `ports` are the effort and flow of place i in terms of the null space's coordinates; an input per place is a valid
/// choice exactly when the chosen rows are independent.
struct RankOracle {
    std::vector<PlainPlace> places;
    Eigen::MatrixXd ports;
    bool singular = false;  ///< internal variables stay undetermined

    bool conflict = false;               ///< the rows of the sources depend on each other
    std::vector<std::size_t> dependent;  ///< places of storages in derivative causality, taken in order
    std::size_t dependent_by_rank = 0;   ///< storages − (rank[sources + storages] − rank[sources])
    /// Resistors that need each other's results, one set of nodes per loop.
    std::set<std::set<std::size_t>> loops;

    /// Whether this choice (true: the effort is given to the junction structure) is valid.
    [[nodiscard]] bool valid(const std::vector<bool>& effort_given) const;
    /// The least number of dependent storages over all 2^N choices that respect the sources; nothing when none is
    /// valid.
    [[nodiscard]] std::optional<std::size_t> brute_force(const RandomGraph& graph) const;
};

RankOracle rank_oracle(const RandomGraph& graph);

/// Whether a place's preferred input of the junction structure is its effort: sources' own, the storages' state.
bool gives_effort(Kind kind);

}  // namespace bondgraph::test
