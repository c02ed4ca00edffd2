#pragma once

#include <optional>
#include <vector>

#include "bondgraph/drawing/circuit_layout.hpp"
#include "bondgraph/drawing/stances.hpp"

namespace bondgraph::drawing {

/// Parts that are placed as one: a part with the grounds at its pins and what stands straight above or below it.
struct Cluster {
    struct Member {
        std::uint32_t part = 0;
        Point offset;                         ///< of its middle from the cluster's origin
        std::optional<PartLabel> label = {};  ///< as far from the cluster's origin
    };
    /// A pin from which wires lead on to other clusters.
    struct Exit {
        std::uint32_t net = 0;
        Point at;   ///< a step outside of the pin, from the cluster's origin
        Point out;  ///< the way the wire leaves
    };
    std::vector<Member> members;  ///< the first is in its origin
    std::vector<Exit> exits;
    Box box;  ///< what it needs, from its origin
};

/// Stances of what is put above or below others, and of their grounds, are changed to suit.
std::vector<Cluster> cluster(const Schematic& schematic, Stances& stances);

/// The extent of a part's symbol, from its middle.
Box standing_box(const Part& part, const Stance& stance);

}  // namespace bondgraph::drawing
