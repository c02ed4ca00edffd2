// Which storages depend on each other, and by which states.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/simulation/least_energy_start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;

namespace {

/// A storage's state and what goes with it, in unknowns.
struct StorageVariables {
    compile::VariableId variable;
    Expr state = 0.0;
    Expr other = 0.0;
    bool usable = false;
};

/// What all storages of one element have in common, so that a multibond of many components is looked at once.
struct ElementVariables {
    std::optional<model::ElementId> element;
    Expr all_states = 0.0;
    std::vector<Expr> others;  ///< by component; empty where it is no C or I
};

ElementVariables element_variables(const CompiledModel& m, model::ElementId id) {
    const model::BondGraph& g = m.graph();
    const model::Element& e = g.elements[id.index()];
    ElementVariables result{.element = id, .all_states = 0.0, .others = {}};
    for (const model::Element::Slot& slot : e.slots) {  // of others than C and I, what they depend on
        for (std::uint32_t k = 0; k < slot.size && slot.kind == model::Element::Slot::Kind::state; ++k)
            result.all_states += m.values[g.slot_variable(slot.first + k).index()];
    }
    if (e.ports.size() != 1 || e.type->states.size() != 1 || e.slots.empty()) return result;
    const std::string_view covariable = e.type->states[0].covariable;
    if (covariable != "e" && covariable != "f") return result;
    std::vector<model::Equation> none;
    const model::LawContext context(g, id, none);
    const auto other = covariable == "e" ? context.effort(0) : context.flow(0);
    result.others = m.in_unknowns(std::vector<Expr>(other.begin(), other.end()));
    return result;
}

StorageVariables variables_of(const CompiledModel& m, const causality::StorageCausality& s,
                              const ElementVariables& element) {
    const model::BondGraph& g = m.graph();
    const model::Element& e = g.elements[s.element.index()];
    StorageVariables result{.variable = {}, .state = element.all_states, .other = 0.0, .usable = false};
    if (s.number >= element.others.size()) return result;
    const model::Element::Slot* slot = e.slot(e.type->states[0].name);
    if (slot == nullptr || s.number >= slot->size) return result;
    result.variable = g.slot_variable(slot->first + s.number);
    result.state = m.values[result.variable.index()];
    result.other = element.others[s.number];
    result.usable = true;
    return result;
}

/// The equations without rates that dependent storages are found by where these depend on algebraic unknowns.
void find_rows(const CompiledModel& m, const std::vector<TiedStorages::Storage>& dependent,
               std::vector<TiedStorages::Row>& rows) {
    std::vector<bool> needed(m.size(), false);
    bool any = false;
    for (const TiedStorages::Storage& s : dependent) {
        for (const std::uint32_t j : s.states) {
            if (j >= m.state_count) needed[j] = any = true;
        }
    }
    if (!any) return;
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, 2 * m.size(), true);
    const auto depends = m.residual.dependencies(wanted);
    std::vector<bool> taken(depends.size(), false);
    for (bool more = true; std::exchange(more, false);) {
        for (std::uint32_t r = 0; r < depends.size(); ++r) {
            const auto is_needed = [&](std::uint32_t in) {
                return in <= m.size() && in > m.state_count && needed[in - 1];
            };
            const bool has_rates = std::ranges::any_of(depends[r], [&](std::uint32_t in) { return in > m.size(); });
            if (taken[r] || has_rates || std::ranges::none_of(depends[r], is_needed)) continue;
            taken[r] = more = true;
            TiedStorages::Row row{r, {}};
            for (const std::uint32_t in : depends[r]) {
                row.unknowns.push_back(in - 1);
                if (in > m.state_count) needed[in - 1] = true;
            }
            rows.push_back(std::move(row));
        }
    }
}

}  // namespace

TiedStorages::TiedStorages(const CompiledModel& m) : independent(m.state_count) {
    std::vector<Expr> outputs;
    const auto& storages = m.causal->storages;
    const bool any = std::ranges::any_of(storages, [](const auto& s) { return !s.integral; });
    std::map<std::uint32_t, std::uint32_t> numbers;  // of states, by variable
    for (std::uint32_t j = 0; j < m.state_count; ++j) numbers.emplace(m.unknowns[j].variable.value, j);
    ElementVariables element;
    for (const causality::StorageCausality& s : storages) {
        if (!any || m.reduced) break;
        if (element.element != s.element) element = element_variables(m, s.element);
        const StorageVariables v = variables_of(m, s, element);
        Storage storage{.output = static_cast<std::uint32_t>(outputs.size()), .states = {}, .usable = v.usable};
        outputs.insert(outputs.end(), {v.state, v.other});
        if (!s.integral)
            dependent.push_back(std::move(storage));
        else if (const auto state = numbers.find(v.variable.value); v.usable && state != numbers.end())
            independent[state->second] = std::move(storage);
    }
    tape = m.tape(outputs);
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, 2 * m.size(), true);
    const auto depends = tape.dependencies(wanted);
    const auto note = [&](Storage& s) {
        for (const std::uint32_t k : {s.output, s.output + 1}) {
            for (const std::uint32_t in : depends[k]) {
                s.usable = s.usable && in <= m.size();
                if (in <= m.size()) s.states.push_back(in - 1);
            }
        }
        std::ranges::sort(s.states);
        s.states.erase(std::unique(s.states.begin(), s.states.end()), s.states.end());
    };
    for (Storage& s : dependent) note(s);
    find_rows(m, dependent, rows);
    for (Storage& s : independent) {
        if (s.usable) note(s);
    }
}

}  // namespace bondgraph::simulation
