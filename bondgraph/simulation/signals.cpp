#include <unordered_set>

#include "bondgraph/model/impulse_names.hpp"
#include "bondgraph/model/signal_outputs.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

std::optional<Signal> find_signal(model::NameLookup& names, const std::string& name) {
    const auto found = names.resolve(name);
    if (!found) return std::nullopt;
    return Signal{name, found->unit, found->description, found->value};
}

std::optional<Signal> find_impulse(const model::BondGraph& graph, const std::string& name) {
    const auto found = model::resolve_impulse(graph, name);
    if (!found) return std::nullopt;
    return Signal{name, found->unit, found->description, found->value, true};
}

std::vector<std::string> default_outputs(const CompiledModel& model) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.state_count; ++i) {
        const model::VariableId state = model.unknowns[i].variable;
        // A rate that is a state beside what it is the rate of (of a quaternion in a loop) is no result by itself.
        if (state.index() < model.graph().variable_count()) names.push_back(model.name(state));
    }
    const model::BondGraph& graph = model.graph();
    if (!graph.bonds.empty()) {
        for (std::string& name : model::default_bond_outputs(graph)) names.push_back(std::move(name));
        return names;
    }
    const std::unordered_set<std::string> states(names.begin(), names.end());
    for (std::string& name : model::default_signal_outputs(graph)) {
        if (!states.contains(name)) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace bondgraph::simulation
