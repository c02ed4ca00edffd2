#include "bondgraph/model/close_loop.hpp"

#include <algorithm>

namespace bondgraph::model {
namespace {

ElementId add_closure(Flattening& work, ElementId at, const ComponentType& type) {
    const ElementId id(work.graph.elements.size());
    const Element& opened = work.graph.elements[at.index()];
    Element closure;
    closure.name = opened.name + "_closure";
    for (int n = 2; work.graph.element_by_name.contains(closure.name); ++n)
        closure.name = opened.name + "_closure" + std::to_string(n);
    closure.type = &type;
    closure.position = opened.position;
    for (const ConnectorSpec& spec : type.connectors) closure.connectors.push_back({std::string(spec.name), spec.type});
    ComponentDeclaration declaration;
    declaration.name = {closure.name, closure.position};
    declaration.type = {std::string(type.name), closure.position};
    work.part_declarations.push_back(std::move(declaration));
    work.origins.push_back({.declaration = &work.part_declarations.back(), .scope = work.origins[at.index()].scope});
    work.graph.element_by_name.emplace(closure.name, id);
    work.graph.elements.push_back(std::move(closure));
    return id;
}

}  // namespace

std::uint32_t close_loop(Flattening& work, ConnectionSets& sets, ElementId element, std::size_t connector) {
    const std::uint32_t joined = sets.node_at[element.index()][connector];
    const auto own = static_cast<std::uint32_t>(sets.nodes.size());
    auto& members = sets.nodes[joined];
    const auto place = std::find_if(members.begin(), members.end(), [&](std::uint32_t k) {
        return work.connectors[k].element == element && work.connectors[k].index == connector;
    });
    const ConnectorPlace opened = work.connectors[*place];
    sets.nodes.push_back({*place});
    sets.nodes[joined].erase(std::find(sets.nodes[joined].begin(), sets.nodes[joined].end(), sets.nodes[own].front()));
    sets.node_at[element.index()][connector] = own;

    const ElementId closure = add_closure(work, element, *work.catalogue.find(opened.type->closure));
    sets.node_at.resize(work.graph.elements.size());
    for (const std::uint32_t node : {joined, own}) {
        const std::uint32_t side = node == joined ? 0 : 1;
        const auto number = static_cast<std::uint32_t>(work.connectors.size());
        ConnectorPlace end{.name = work.graph.elements[closure.index()].name + "." +
                                   work.graph.elements[closure.index()].connectors[side].name,
                           .type = opened.type,
                           .element = closure,
                           .index = side,
                           .position = opened.position};
        work.connector_by_name.emplace(end.name, number);
        work.connected.insert(end.name);
        work.connectors.push_back(std::move(end));
        sets.nodes[node].push_back(number);
        sets.node_at[closure.index()].push_back(node);
    }
    return own;
}

}  // namespace bondgraph::model
