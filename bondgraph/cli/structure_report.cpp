#include "bondgraph/cli/structure_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace bondgraph::cli {

std::vector<std::string> state_names(const compile::SortedSystem& system) {
    std::vector<std::string> names;
    for (const model::VariableId state : system.states) names.push_back(system.name(state));
    return names;
}

std::string storage_name(const model::BondGraph& graph, const causality::StorageCausality& storage) {
    const model::Element& element = graph.elements[storage.element.index()];
    std::uint32_t components = 0;
    for (const model::Port& port : element.ports) components += port.size;
    return components > 1 ? fmt::format("{}[{}]", element.name, storage.number + 1) : element.name;
}

std::vector<std::string> element_names(const model::BondGraph& graph, const std::vector<model::ElementId>& ids) {
    std::vector<std::string> names;
    for (const model::ElementId id : ids) names.push_back(graph.elements[id.index()].name);
    return names;
}

std::vector<DependentStorage> dependent_storages(const causality::CausalGraph& causal) {
    std::vector<DependentStorage> result;
    for (const causality::StorageCausality& storage : causal.storages) {
        if (storage.integral) continue;
        result.push_back({storage_name(*causal.graph, storage), element_names(*causal.graph, storage.depends_on)});
    }
    return result;
}

std::vector<LoopNames> algebraic_loops(const compile::SortedSystem& system) {
    const model::BondGraph& graph = system.graph();
    std::unordered_map<model::VariableId, model::ElementId> computed_by;
    for (const compile::Assignment& a : system.assignments) computed_by.emplace(a.target, a.element);
    std::vector<LoopNames> result;
    for (const compile::Loop& loop : system.loops) {
        std::vector<model::ElementId> elements;
        for (const model::VariableId variable : loop.variables) {
            const auto found = computed_by.find(variable);
            if (found != computed_by.end() && found->second.valid()) elements.push_back(found->second);
        }
        std::sort(elements.begin(), elements.end());
        elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
        std::vector<model::ElementId> without_junctions = elements;
        std::erase_if(without_junctions, [&](model::ElementId id) { return graph.elements[id.index()].is_junction(); });
        LoopNames names{element_names(graph, without_junctions.empty() ? elements : without_junctions), {}};
        for (const model::VariableId variable : loop.torn) names.torn.push_back(system.name(variable));
        result.push_back(std::move(names));
    }
    return result;
}

}  // namespace bondgraph::cli
