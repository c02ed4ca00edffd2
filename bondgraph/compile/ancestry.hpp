#pragma once

#include <map>
#include <utility>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::compile {

/// Ways of connectors to the root of their tree, each by the one it is computed from.
class Ancestry {
   public:
    explicit Ancestry(const model::BondGraph& graph);

    /// The last connector on the ways to both, or nothing.
    [[nodiscard]] const model::Connector* common(const model::Connector& a, const model::Connector& b) const;

    /// The components between a connector and one on its way (null: the root), each of which computes a connector from
    /// the next.
    [[nodiscard]] std::vector<model::ElementId> between(const model::Connector& connector,
                                                        const model::Connector* end) const;
    /// Parallel: the connectors that these compute, from a connector on; the end is none of them.
    [[nodiscard]] std::vector<const model::Connector*> way(const model::Connector& connector,
                                                           const model::Connector* end) const;

   private:
    [[nodiscard]] const model::Connector* origin(const model::Connector& k) const;
    /// The connector from which another one is computed.
    [[nodiscard]] const model::Connector* before(const model::Connector& computed) const;

    const model::BondGraph& g_;
    std::map<std::vector<std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> computed_;
};

}  // namespace bondgraph::compile
