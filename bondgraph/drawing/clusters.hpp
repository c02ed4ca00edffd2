#pragma once

#include <vector>

#include "bondgraph/drawing/circuit_layout.hpp"
#include "bondgraph/drawing/stances.hpp"

namespace bondgraph::drawing {

/// Parts that are placed as one: a part with the grounds at its pins and what stands straight above or below it.
struct Cluster {
    struct Member {
        std::uint32_t part = 0;
        Point offset;  ///< of its middle from the cluster's origin
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

/// The label of a part as it stands, from its middle; nothing where there is nothing to write. `used`: the ways in which
/// wires leave.
std::optional<PartLabel> label_beside(const Part& part, const Box& box, const std::vector<Point>& used);

/// Stances of what is put above or below others, and of their grounds, are changed to suit.
std::vector<Cluster> cluster(const Schematic& schematic, Stances& stances);

/// The extent of a part's symbol, from its middle.
Box standing_box(const Part& part, const Stance& stance);

}  // namespace bondgraph::drawing
