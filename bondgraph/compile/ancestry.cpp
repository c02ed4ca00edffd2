#include "bondgraph/compile/ancestry.hpp"

#include <set>

namespace bondgraph::compile {

using model::Connector;

Ancestry::Ancestry(const model::BondGraph& graph) : g_(graph) {
    for (std::uint32_t i = 0; i < graph.elements.size(); ++i) {
        const auto& connectors = graph.elements[i].connectors;
        for (std::uint32_t c = 0; c < connectors.size(); ++c) {
            if (!connectors[c].given && !connectors[c].signals.empty()) computed_[connectors[c].signals] = {i, c};
        }
    }
}

const Connector* Ancestry::common(const Connector& a, const Connector& b) const {
    std::set<std::vector<std::uint32_t>> on_way;
    for (const Connector* k = origin(a); k != nullptr; k = before(*k)) on_way.insert(k->signals);
    for (const Connector* k = origin(b); k != nullptr; k = before(*k)) {
        if (on_way.contains(k->signals)) return k;
    }
    return nullptr;
}

std::vector<model::ElementId> Ancestry::between(const Connector& connector, const Connector* end) const {
    std::vector<model::ElementId> result;
    for (const Connector* k : way(connector, end)) result.emplace_back(std::size_t{computed_.at(k->signals).first});
    return result;
}

std::vector<const Connector*> Ancestry::way(const Connector& connector, const Connector* end) const {
    std::vector<const Connector*> result;
    for (const Connector* k = origin(connector); k != nullptr && k != end; k = before(*k)) result.push_back(k);
    return result;
}

const Connector* Ancestry::origin(const Connector& k) const {
    const auto at = computed_.find(k.signals);
    return at == computed_.end() ? nullptr : &g_.elements[at->second.first].connectors[at->second.second];
}

const Connector* Ancestry::before(const Connector& computed) const {
    const auto [i, c] = computed_.at(computed.signals);
    const model::Element& e = g_.elements[i];
    if (e.root && c == 0) return nullptr;
    const Connector* near = nullptr;
    for (const model::SignalPath& path : e.type->paths) {
        if (path.from != c && path.to != c) continue;
        const Connector& other = e.connectors[path.from == c ? path.to : path.from];
        if (near == nullptr || other.given) near = &other;
    }
    return near == nullptr ? nullptr : origin(*near);
}

}  // namespace bondgraph::compile
