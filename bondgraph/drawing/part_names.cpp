#include "bondgraph/drawing/part_names.hpp"

#include <map>
#include <set>

namespace bondgraph::drawing {
namespace {

using model::BondGraph;
using model::Element;

/// "a", "a.b" of "a.b.c", from the outside in.
std::vector<std::string> around(const std::string& name) {
    std::vector<std::string> result;
    for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
        result.push_back(name.substr(0, dot));
    return result;
}

std::string wrapped_component(const BondGraph& graph, const Element& element) {
    const Element* e = &element;
    while (e->owner.valid()) e = &graph.elements[e->owner.index()];
    return e->name;
}

}  // namespace

std::vector<PartName> part_names(const BondGraph& graph) {
    std::set<std::string> with_bonds;  // components with bonds inside, but those of wrapped parts
    for (const Element& e : graph.elements) {
        const std::string name = wrapped_component(graph, e);
        if (e.ports.empty() && e.type->build == nullptr) continue;
        for (const std::string& outer : around(name)) with_bonds.insert(outer);
    }
    std::vector<PartName> names;
    std::map<std::string, std::set<std::string>> inside;  // nodes that are no junctions
    for (const Element& e : graph.elements) {
        PartName part{.node = wrapped_component(graph, e)};
        part.box = e.owner.valid() || e.type->build != nullptr;
        for (const std::string& outer : around(part.node)) {
            if (with_bonds.contains(outer)) continue;
            part.node = outer;
            part.box = true;
            break;
        }
        const bool counts = !e.is_junction() || part.box;
        for (const std::string& outer : around(part.node)) {
            if (counts) inside[outer].insert(part.node);
        }
        names.push_back(std::move(part));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i].label = names[i].node;
        if (graph.elements[i].is_junction() && !names[i].box) continue;
        for (const std::string& outer : around(names[i].node)) {
            if (inside[outer].size() > 1) continue;
            names[i].label = outer;
            break;
        }
    }
    return names;
}

}  // namespace bondgraph::drawing
