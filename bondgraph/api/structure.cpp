#include "bondgraph/api/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::api {

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

namespace {

std::unordered_set<std::uint32_t> states_of(const compile::SortedSystem& system) {
    std::unordered_set<std::uint32_t> states;
    for (const model::VariableId state : system.states) states.insert(state.value);
    return states;
}

/// The state variable of a storage's component: its states stand one after the other as its ports do.
std::optional<model::VariableId> variable_of(const model::BondGraph& graph,
                                             const causality::StorageCausality& storage) {
    std::uint32_t number = storage.number;
    for (const model::Element::Slot& slot : graph.elements[storage.element.index()].slots) {
        if (slot.kind != model::Element::Slot::Kind::state) continue;
        if (number < slot.size) return graph.slot_variable(slot.first + number);
        number -= slot.size;
    }
    return std::nullopt;
}

}  // namespace

std::vector<DependentStorage> dependent_storages(const compile::SortedSystem& system) {
    const causality::CausalGraph& causal = *system.causal;
    const auto states = states_of(system);
    std::vector<DependentStorage> result;
    for (const causality::StorageCausality& storage : causal.storages) {
        // chosen by numbers, the states need not be those that the strokes suggest
        const auto variable = system.choice ? variable_of(*causal.graph, storage) : std::nullopt;
        if (variable ? states.contains(variable->value) : storage.integral) continue;
        result.push_back({storage_name(*causal.graph, storage), element_names(*causal.graph, storage.depends_on)});
    }
    return result;
}

std::vector<std::string> dependent_variables(const compile::SortedSystem& system) {
    const model::BondGraph& graph = system.graph();
    const auto states = states_of(system);
    std::unordered_set<std::uint32_t> storages;
    for (const causality::StorageCausality& storage : system.causal->storages) {
        if (const auto variable = variable_of(graph, storage)) storages.insert(variable->value);
    }
    std::vector<std::string> names;
    for (const model::Element& element : graph.elements) {
        if (element.owner.valid()) continue;  // inside a joint or body: nobody's choice
        for (const model::Element::Slot& slot : element.slots) {
            if (slot.kind != model::Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < slot.size; ++k) {
                const model::VariableId id = graph.slot_variable(slot.first + k);
                if (!states.contains(id.value) && !storages.contains(id.value)) names.push_back(system.name(id));
            }
        }
    }
    return names;
}

std::vector<RemovedConstraint> removed_constraints(const compile::SortedSystem& system) {
    std::vector<RemovedConstraint> result;
    if (!system.choice) return result;
    const model::BondGraph& graph = system.graph();
    for (const compile::RemovedConstraint& removed : system.choice->removed) {
        const std::string name = removed.element.valid() ? graph.elements[removed.element.index()].name : "";
        result.push_back({name, element_names(graph, removed.implied_by)});
    }
    return result;
}

std::vector<std::string> released_variables(const compile::SortedSystem& system) {
    std::vector<std::string> names;
    if (!system.choice) return names;
    for (const model::VariableId id : system.reduced->released) names.push_back(system.reduced->name(id));
    for (const model::VariableId id : system.choice->released) names.push_back(system.reduced->name(id));
    return names;
}

namespace {

/// Where the loops of a mechanism are closed, in the order in which its coordinates are declared. What is nothing but
/// rounding, beside 1 for angles and beside the longest of its lengths for others, is 0.
std::vector<ClosedCoordinate> position_of(const compile::SortedSystem& system,
                                          const compile::ClosedMechanism& mechanism) {
    constexpr double kRounding = 1e-9;  // to what loops are closed
    std::vector<const compile::ClosedLoops::Coordinate*> own;
    for (const compile::ClosedLoops::Coordinate& c : system.reduced->loops->position) {
        if (std::ranges::any_of(mechanism.closures, [&](const compile::Closure& closure) {
                return std::ranges::find(closure.coordinates, c.variable) != closure.coordinates.end();
            }))
            own.push_back(&c);
    }
    double longest = 0.0;
    for (const auto* c : own) {
        if (!c->number) longest = std::max({longest, std::abs(c->value), std::abs(c->before)});
    }
    std::vector<ClosedCoordinate> result;
    for (const auto* c : own) {
        const double size = c->number ? 1.0 : longest;
        const auto rounded = [&](double value) { return std::abs(value) <= kRounding * size ? 0.0 : value; };
        result.push_back({system.reduced->name(model::VariableId(std::size_t{c->variable})), rounded(c->before),
                          rounded(c->value), c->given, c->number});
    }
    return result;
}

}  // namespace

std::vector<ClosedLoop> closed_loops(const compile::SortedSystem& system) {
    std::vector<ClosedLoop> result;
    if (!system.reduced || !system.reduced->loops) return result;
    const model::BondGraph& g = system.graph();
    const std::size_t bonds = 2 * std::size_t{g.bond_components};
    for (const compile::ClosedMechanism& mechanism : system.reduced->loops->mechanisms) {
        std::vector<model::ElementId> joints, holders, holds;
        for (const compile::Closure& closure : mechanism.closures) {
            holds.push_back(closure.hold);
            holders.push_back(g.elements[closure.hold.index()].owner);
            for (const std::uint32_t v : closure.coordinates) {
                if (v >= bonds) joints.push_back(g.slot_variables[v - bonds].element);
            }
        }
        for (auto* list : {&joints, &holders}) {
            std::ranges::sort(*list);
            list->erase(std::unique(list->begin(), list->end()), list->end());
        }
        const bool by_rates = mechanism.rates > 0;
        ClosedLoop names{element_names(g, joints), element_names(g, holders),
                         by_rates ? mechanism.rates : mechanism.coordinates, mechanism.conditions(),
                         mechanism.redundant()};
        names.by_rates = by_rates;
        for (const compile::Closure& closure : mechanism.closures) {
            const std::uint32_t first = g.elements[closure.hold.index()].ports[0].first_effort;
            for (const std::uint32_t i : closure.redundant)
                names.released.push_back(system.reduced->name(model::VariableId(std::size_t{first + 2 * i})));
        }
        for (const compile::ClosedForm& f : system.closed_forms) {
            const auto holds_it = [&](const compile::Closure& c) {
                return std::ranges::find(c.coordinates, f.variable.value) != c.coordinates.end();
            };
            if (std::ranges::any_of(mechanism.closures, holds_it)) names.closed_form.push_back(system.name(f.variable));
        }
        // Those that depend on others where the loops are closed only, the choice of states leaves out.
        names.redundant += static_cast<std::size_t>(std::ranges::count_if(
            system.choice->removed,
            [&](const compile::RemovedConstraint& r) { return std::ranges::find(holds, r.element) != holds.end(); }));
        names.position = position_of(system, mechanism);
        result.push_back(std::move(names));
    }
    return result;
}

std::string ModeValue::text() const { return boolean ? (value != 0.0 ? "true" : "false") : fmt::format("{:g}", value); }

std::vector<ModeValue> mode_values(const model::BondGraph& graph, const std::vector<double>& values) {
    std::vector<ModeValue> result;
    for (const model::DiscreteVariable& d : graph.discretes) {
        if (!d.structural || result.size() == values.size()) continue;
        result.push_back({graph.variable_name(d.variable), values[result.size()], d.type == model::ValueType::boolean});
    }
    return result;
}

std::vector<ModeValue> mode_of(const causality::CausalGraph& causal) {
    std::vector<double> values;
    for (std::size_t d = 0; d < causal.graph->discretes.size() && d < causal.modes.size(); ++d) {
        if (causal.graph->discretes[d].structural) values.push_back(causal.modes[d]);
    }
    return mode_values(*causal.graph, values);
}

std::vector<SolvedLoop> algebraic_loops(const compile::SortedSystem& system) {
    const model::BondGraph& graph = system.graph();
    std::unordered_map<model::VariableId, model::ElementId> computed_by;
    for (const compile::Assignment& a : system.assignments) computed_by.emplace(a.target, a.element);
    std::vector<SolvedLoop> result;
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
        SolvedLoop names{element_names(graph, without_junctions.empty() ? elements : without_junctions), {}};
        for (const model::VariableId variable : loop.torn) names.torn.push_back(system.name(variable));
        result.push_back(std::move(names));
    }
    return result;
}

Structure structure_of(const Session& session) {
    const compile::SortedSystem& system = *session.system;
    Structure structure;
    structure.states = state_names(system);
    structure.dependent_storages = dependent_storages(system);
    structure.dependent_variables = dependent_variables(system);
    structure.closed_loops = closed_loops(system);
    structure.algebraic_loops = algebraic_loops(system);
    structure.removed_constraints = removed_constraints(system);
    structure.set_to_zero = released_variables(system);
    structure.modes = mode_of(*session.causal);
    const auto& elements = session.graph->elements;
    structure.parts = static_cast<std::size_t>(
        std::ranges::count_if(elements, [](const model::Element& e) { return e.owner.valid(); }));
    structure.components = elements.size() - structure.parts;
    structure.bonds = session.graph->bonds.size();
    structure.equations = session.compiled->equation_count;
    structure.unknowns = session.graph->variable_count();
    structure.integrated = session.compiled->size();
    structure.integrated_states = session.compiled->state_count;
    structure.operations = session.compiled->residual.instructions().size();
    return structure;
}

}  // namespace bondgraph::api
