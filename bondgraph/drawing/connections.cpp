#include "bondgraph/drawing/connections.hpp"

#include <algorithm>
#include <set>

#include "bondgraph/drawing/declarations.hpp"

namespace bondgraph::drawing {
namespace {

using model::BondGraph;
using model::Element;
using model::ElementId;

bool has_connector(const model::TypeDeclaration* declared, const std::string& connector) {
    return declared != nullptr &&
           std::any_of(declared->connectors.begin(), declared->connectors.end(),
                       [&](const model::ConnectorDeclaration& c) { return c.name.text == connector; });
}

}  // namespace

std::optional<std::string> connector_joined_at(const BondGraph& graph, const model::Model& model,
                                               const Element& element) {
    if (!element.is_junction()) return std::nullopt;
    const auto before_bond = element.name.rfind('.');
    if (before_bond == std::string::npos) return std::nullopt;
    const std::string connector = element.name.substr(0, before_bond);
    const auto before_connector = connector.rfind('.');
    if (before_connector == std::string::npos) return std::nullopt;
    const std::string component = connector.substr(0, before_connector);
    const std::string local = connector.substr(before_connector + 1);
    if (!element.owner.valid())
        return has_connector(declared_type(model, component), local) ? std::optional(connector) : std::nullopt;
    const Element& owner = graph.elements[element.owner.index()];
    const bool known = owner.name == component && owner.connector(local) != nullptr;
    return known ? std::optional(connector) : std::nullopt;
}

bool ends_at_frame(const BondGraph& graph, ElementId id, std::uint32_t port) {
    const Element& part = graph.elements[id.index()];
    if (!part.owner.valid()) return false;
    const Element& owner = graph.elements[part.owner.index()];
    return std::any_of(owner.connectors.begin(), owner.connectors.end(), [&](const model::Connector& c) {
        if (c.type->signals.empty()) return false;
        const std::string name = owner.name + "." + c.name;
        const bool ends_here = std::any_of(c.ends.begin(), c.ends.end(), [&](const model::Connector::End& e) {
            return e.element == id && e.port == port;
        });
        return ends_here || part.name == name || part.name.starts_with(name + ".");
    });
}

std::string outermost_name(const std::string& name) { return name.substr(0, name.find('.')); }

std::size_t components_joined(const BondGraph& graph, const Element& junction) {
    std::set<std::string> names;
    for (const model::Port& port : junction.ports) {
        const model::Bond& bond = graph.bonds[port.bond.index()];
        const Element& other = graph.elements[(port.at_head ? bond.from : bond.to).index()];
        names.insert(outermost_name(other.name));
    }
    return names.size();
}

}  // namespace bondgraph::drawing
