// What values under `initial:`, `guess:` and `nominal:` may be.

#include "bondgraph/model/start_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

using expression::Expr;

std::string StartChecks::target_of(const Element& e, const std::string& key) {
    if (const StartAlias* alias = alias_of(e, key)) return std::string(alias->target);
    for (const StateSpec& s : e.type->states) {
        if (s.covariable == key) return std::string(s.name);
    }
    return key;
}

std::vector<std::string> StartChecks::names(const Element& e) const {
    std::vector<std::string> result;
    for (const Element::Slot& s : e.slots) {
        const bool kept = s.kind == Element::Slot::Kind::state || s.kind == Element::Slot::Kind::discrete;
        const bool wrapped = e.type->build != nullptr && s.name.find('.') == std::string::npos;
        if (kept || wrapped || e.declaration != nullptr) result.push_back(s.name);
    }
    for (const StateSpec& s : e.type->states) {
        if (!s.covariable.empty()) result.emplace_back(s.covariable);
    }
    for (const StartAlias& a : e.type->start_aliases) {
        if (e.slot(a.target) != nullptr) result.emplace_back(a.name);
    }
    return result;
}

bool StartChecks::states_unknown(const Element& e) const {
    return (!work_.joined && e.type->pattern != PortPattern::fixed) ||
           (e.declaration != nullptr && e.declaration->body.gaps.any());
}

void StartChecks::report_length(const Element& e, const std::string& key, Eigen::Index size, Eigen::Index given,
                                SourcePosition position) {
    work_.diagnostics.error("BG-M010", position,
                            fmt::format("'{}' of '{}' has {} component{}, the list has {}", key, e.name, size,
                                        size == 1 ? "" : "s", given));
}

bool StartChecks::measures_fit(std::uint32_t i, const std::string& key, const Quantity& given, const Value& value) {
    const std::vector<Measure> wanted = component_measures(work_.graph, ElementId(i), key);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (!fits(work_.graph.elements[i], key, k, wanted[k], given, value)) return false;
    }
    return true;
}

bool StartChecks::units_fit(const Element& e, const std::string& key, const Value& value, std::uint32_t scope) {
    const ElementId id = work_.graph.element_by_name.at(e.name);
    const std::vector<Measure> measures = component_measures(work_.graph, id, key);
    bool fit = true;
    for (std::size_t k = 0; k < value.items.size(); ++k) {
        const Value& item = value.items[k];
        const auto q = item.is_list ? std::nullopt : evaluate_value(work_, item, scope);
        Measure wanted = measures.empty() ? Measure::of(Dimension{}) : Measure{};
        if (k < measures.size()) wanted = measures[k];
        if (q) fit = fits(e, key, k, wanted, *q, item) && fit;
    }
    return fit;
}

bool StartChecks::fits(const Element& e, const std::string& key, std::size_t component, const Measure& wanted,
                       const Quantity& given, const Value& value) {
    if (!given.measure.known() || !wanted.known()) return true;
    const bool angular = alias_of(e, key) != nullptr && std::string_view(alias_of(e, key)->unit) == "rad/s";
    Measure place = wanted;
    if (angular) place.turns = Turns::angle;
    if (!differ(given.measure, place)) return true;
    const auto named = resolve_name(work_.graph, fmt::format("{}.{}[{}]", e.name, key, component + 1));
    std::string unit = named && !named->unit.empty() ? named->unit : unit_name(place);
    if (e.slot(key) == nullptr && alias_of(e, key) != nullptr) unit = alias_of(e, key)->unit;
    work_.diagnostics.error("BG-U002", value.position(),
                            fmt::format("'{}' of '{}' is in {}, not {}", key, e.name, unit, written_unit(value, given)),
                            turns_notes(value.scalar.text, given.measure, place));
    return false;
}

bool StartChecks::normalize(const Element& e, const std::string& key, Quantity& q, SourcePosition position) {
    const Element::Slot* slot = e.slot(key);
    if (slot == nullptr || !slot->unit_length) return true;
    double length = 0.0;
    for (const Expr& x : q.value.reshaped()) {
        if (!x.is_constant()) return true;
        length += x.constant() * x.constant();
    }
    if (length == 0.0) {
        work_.diagnostics.error("BG-M013", position,
                                fmt::format("the quaternion '{}' of '{}' has length 0", key, e.name),
                                {{"because", "it stands for no orientation"},
                                 {"try", "give [0, 0, 0, 1] for none, or angles in its place"}});
        return false;
    }
    for (Expr& x : q.value.reshaped()) x = Expr(x.constant() / std::sqrt(length));
    return true;
}

std::optional<ElementId> StartChecks::carrier_of(ElementId id) const {
    const auto computes = [&](const Flattening::ComputedSignals& c) {
        return std::any_of(c.joined.begin(), c.joined.end(), [&](const auto& other) { return other.first == id; });
    };
    // Of several connections of a component, the first computed is the one towards the root.
    const auto found = std::find_if(work_.signal_order.begin(), work_.signal_order.end(), computes);
    if (found == work_.signal_order.end()) return std::nullopt;
    const Element& e = work_.graph.elements[found->element.index()];
    if (e.root || !names(e).empty()) return found->element;
    return carrier_of(found->element);
}

bool StartChecks::report_carried(ElementId id, const Setting& setting) {
    const Element& e = work_.graph.elements[id.index()];
    const bool body = e.type->root == RootKind::if_needed || e.type->root == RootKind::at_last;
    const auto carrier = body && !e.root ? carrier_of(id) : std::nullopt;
    if (!carrier) return false;
    const Element& c = work_.graph.elements[carrier->index()];
    std::string all;
    for (const std::string& n : names(c)) all += (all.empty() ? "" : ", ") + n;
    const bool fixed = c.root && c.type->root == RootKind::always && !c.type->free_rates;
    std::vector<DiagnosticNote> notes;
    if (fixed) {
        notes = {{"because", fmt::format("it is fixed to '{}' ({})", c.name, c.type->name)},
                 {"try", "remove the start value, or put a joint (FreeMotion) between them"}};
    } else {
        notes = {{"because", fmt::format("its motion follows from that of '{}' ({})", c.name, c.type->name)},
                 {"try", fmt::format("give start values to '{}': {}", c.name, all)}};
    }
    work_.diagnostics.error("BG-M018", setting.key.position,
                            fmt::format("'{}' ({}) takes no start value '{}': it doesn't move freely", e.name,
                                        e.type->name, setting.key.text),
                            std::move(notes));
    return true;
}

const StartAlias* StartChecks::alias_of(const Element& e, std::string_view key) {
    for (const StartAlias& a : e.type->start_aliases) {
        if (a.name == key && e.slot(key) == nullptr) return &a;
    }
    return nullptr;
}

std::optional<Machine> machine_in(const Text& equation) {
    if (equation.text.find("machine(") == std::string::npos) return std::nullopt;
    try {
        const auto syntax = expression::parse_equation(equation.text);
        const expression::SyntaxNode& call = syntax.nodes[syntax.right];
        if (call.kind != expression::SyntaxKind::call || call.text != "machine" || call.children.size() != 2)
            return std::nullopt;
        const expression::SyntaxNode& count = syntax.nodes[call.children[0]];
        if (count.kind != expression::SyntaxKind::number) return std::nullopt;
        return Machine{syntax.nodes[syntax.root].text, count.number};
    } catch (const expression::SyntaxError&) {
        return std::nullopt;  // reported with the other equations
    }
}

bool is_state_of_machine(Flattening& work, std::size_t discrete, double start, SourcePosition position) {
    const DiscreteVariable& variable = work.graph.discretes[discrete];
    const Element& e = work.graph.elements[variable.element.index()];
    if (e.declaration == nullptr) return true;
    const std::string full = work.graph.variable_name(variable.variable);
    const std::string name = full.substr(e.name.size() + 1);
    std::optional<double> count;
    std::vector<std::string> states;
    for (const Text& text : e.declaration->body.equations) {
        if (const auto machine = machine_in(text); machine && machine->variable == name) count = machine->states;
    }
    if (!count || (start >= 1.0 && start <= *count && start == std::floor(start))) return true;
    for (double k = 1.0; k <= *count; ++k) {
        const std::string is_it = fmt::format(" = {} == {:g}", name, k);
        for (const Text& text : e.declaration->body.equations) {
            if (text.text.ends_with(is_it))
                states.push_back(fmt::format("{:g} ({})", k, text.text.substr(0, text.text.size() - is_it.size())));
        }
    }
    work.diagnostics.error(
        "BG-M089", position, fmt::format("'{}' has no state {:g}", e.name, start),
        {{"try", states.empty() ? fmt::format("a number from 1 to {:g}", *count)
                                : fmt::format("the number of one of its states: {}", fmt::join(states, ", "))}});
    return false;
}

}  // namespace bondgraph::model
