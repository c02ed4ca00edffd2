#include "bondgraph/model/companions.hpp"

#include <algorithm>
#include <set>

namespace bondgraph::model {
namespace {

/// What is bonded to a port of an element; invalid where nothing is.
ElementId beyond(const BondGraph& graph, ElementId element, const Port& port) {
    if (!port.bond.valid()) return {};
    const Bond& bond = graph.bonds[port.bond.index()];
    return bond.from == element ? bond.to : bond.from;
}

const Element::Slot& first_discrete(const Element& e) {
    return *std::ranges::find(e.slots, Element::Slot::Kind::discrete, &Element::Slot::kind);
}

}  // namespace

std::vector<ElementId> resting_at_flow_of(const BondGraph& graph, ElementId element) {
    std::vector<ElementId> found{element};
    const ElementId start = beyond(graph, element, graph.elements[element.index()].ports.front());
    if (!start.valid() || graph.elements[start.index()].type->structure != Structure::junction1) return found;
    std::set<std::uint32_t> seen{start.value};
    std::vector<ElementId> open{start};
    while (!open.empty()) {
        const ElementId at = open.back();
        open.pop_back();
        for (const Port& port : graph.elements[at.index()].ports) {
            const ElementId next = beyond(graph, at, port);
            if (!next.valid() || next == element) continue;
            const ComponentType& type = *graph.elements[next.index()].type;
            if (type.rests) found.push_back(next);
            if (type.structure == Structure::junction1 && seen.insert(next.value).second) open.push_back(next);
        }
    }
    std::ranges::sort(found, {}, &ElementId::value);
    return found;
}

bool rests_beside_another(const BondGraph& graph, ElementId element, std::span<const double> modes) {
    for (const ElementId other : resting_at_flow_of(graph, element)) {
        if (other == element) return false;
        const Element& e = graph.elements[other.index()];
        if (modes[first_discrete(e).first_discrete] == *e.type->rests) return true;
    }
    return false;
}

}  // namespace bondgraph::model
