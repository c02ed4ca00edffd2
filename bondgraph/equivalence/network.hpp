#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

/// The junctions and ports of a bond graph and the edges between them, with the signs that normal_form.hpp explains.
/// Each junction is a node, and each port of every other element.
struct Network {
    struct Edge {
        std::uint32_t x = 0;
        std::uint32_t y = 0;
        int sign = 1;
        std::uint32_t bond = 0;  ///< one of those it stands for
        bool gone = false;
    };
    std::vector<std::uint32_t> first_node;  ///< per element: its junction, or its first port
    std::vector<std::uint32_t> element_of;  ///< per node
    std::vector<bool> gone;                 ///< per node
    std::vector<Edge> edges;

    [[nodiscard]] std::uint32_t node(const model::BondGraph& graph, model::ElementId element,
                                     std::uint32_t port) const {
        return first_node[element.index()] + (graph.elements[element.index()].is_junction() ? 0 : port);
    }
};

Network network_of(const model::BondGraph& graph);

/// Removes junctions of two bonds, which pass power on or turn a sign round, and makes one of neighbouring junctions of
/// a kind. Nodes that are to be `kept` stay.
void reduce(Network& network, const model::BondGraph& graph, const std::vector<bool>& kept);

}  // namespace bondgraph::equivalence
