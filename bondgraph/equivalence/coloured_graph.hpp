#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bondgraph::equivalence {

/// A directed graph whose vertices and arcs have colours.
struct ColouredGraph {
    struct Arc {
        std::uint32_t to = 0;
        std::uint32_t label = 0;
        friend auto operator<=>(const Arc&, const Arc&) = default;
    };
    std::vector<std::uint32_t> colours;  ///< one per vertex
    std::vector<std::vector<Arc>> arcs;  ///< those that leave it

    std::uint32_t add(std::uint32_t colour) {
        colours.push_back(colour);
        arcs.emplace_back();
        return static_cast<std::uint32_t>(colours.size() - 1);
    }
};

/// What a search has found out.
struct Matching {
    /// Per vertex of the first graph the one of the second that takes its place; nothing: there is no such map.
    std::optional<std::vector<std::uint32_t>> map;
    bool given_up = false;  ///< no map was found in so many attempts as were allowed: there may be one
};

/// A map of vertices that keeps the colours of vertices and arcs: colour refinement of both graphs together, and a
/// choice with backtracking among what that can't tell apart. What is found has been checked arc by arc.
Matching isomorphism(const ColouredGraph& first, const ColouredGraph& second, std::size_t attempts = 1000);

/// Colours that refinement ends with, in the same numbers for both graphs.
struct StableColours {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> second;
};
StableColours stable_colours(const ColouredGraph& first, const ColouredGraph& second);

/// Refinement round by round, a vertex being told from another in round k by what is k arcs away.
struct FirstDifference {
    std::size_t round = 0;
    StableColours colours;  ///< of the first round in which one graph has more vertices of some colour than the other
    StableColours before;   ///< of the round before; in round 0 all the same
};
/// The vertices whose colours are counted.
struct Watched {
    std::vector<bool> first;
    std::vector<bool> second;
};
/// Nothing where no round tells the graphs apart by all vertices, or by those that are watched.
std::optional<FirstDifference> first_difference(const ColouredGraph& first, const ColouredGraph& second,
                                                const Watched* watched = nullptr);

}  // namespace bondgraph::equivalence
