#include "bondgraph/model/remove_elements.hpp"

#include <utility>

namespace bondgraph::model {

void remove_elements(BondGraph& graph, const std::vector<bool>& gone) {
    std::vector<ElementId> moved(graph.elements.size());
    std::vector<Element> elements;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        if (gone[i]) continue;
        moved[i] = ElementId(elements.size());
        elements.push_back(std::move(graph.elements[i]));
    }
    graph.elements = std::move(elements);
    const auto move = [&](ElementId& id) {
        if (id.valid()) id = moved[id.index()];
    };
    for (Element& e : graph.elements) {
        move(e.owner);
        for (Connector& c : e.connectors) {
            for (Connector::End& end : c.ends) move(end.element);
        }
    }
    for (Bond& b : graph.bonds) {
        move(b.from);
        move(b.to);
    }
    for (SlotVariable& s : graph.slot_variables) move(s.element);
    for (DiscreteVariable& d : graph.discretes) move(d.element);
    for (Delay& d : graph.delays) move(d.element);
    for (When& w : graph.whens) move(w.element);
    for (auto& [name, shared] : graph.shared_connectors) move(shared.element);
    for (DeclaredShape& s : graph.shapes) {
        move(s.frame.element);
        if (s.to) move(s.to->element);
    }
    graph.element_by_name.clear();
    for (std::size_t i = 0; i < graph.elements.size(); ++i) graph.element_by_name.emplace(graph.elements[i].name, i);
}

}  // namespace bondgraph::model
