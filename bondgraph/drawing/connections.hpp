#pragma once

#include <optional>
#include <string>

#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::drawing {

/// The junction that joins connectors to each other: the connector after which it is named, "motor.p"; nothing for
/// other elements.
std::optional<std::string> connector_joined_at(const model::BondGraph& graph, const model::Model& model,
                                               const model::Element& element);

/// Whether a bond ends at a connector that shares position and orientation: it is one of several that together join
/// frames.
bool ends_at_frame(const model::BondGraph& graph, model::ElementId id, std::uint32_t port);

/// The outermost component that an element is in, or the element itself: "motor" of "motor.emf.gy".
std::string outermost_name(const std::string& name);

/// How many outermost components a junction's bonds lead to, its own one included where one leads there.
std::size_t components_joined(const model::BondGraph& graph, const model::Element& junction);

}  // namespace bondgraph::drawing
