// What names stand for in a scope: parameters, records, variables of parts, bonds.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/alternatives.hpp"
#include "bondgraph/model/choices.hpp"
#include "bondgraph/model/handed_signals.hpp"
#include "bondgraph/model/optional_connectors.hpp"
#include "bondgraph/model/parameter_checks.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

const Value* Flattening::overridden(const std::string& path, const Value* value) {
    if (overrides.empty()) return value;
    const auto found = overrides.find(path);
    if (found == overrides.end()) return value;
    used_overrides.insert(path);
    return found->second;
}

namespace {

void add_fields(const Flattening& work, std::uint32_t record, const std::string& prefix,
                std::vector<std::string>& names) {
    for (const auto& [field, value] : work.scopes[record].values) names.push_back(prefix + field);
    for (const auto& [name, member] : work.scopes[record].members)
        add_fields(work, member.scope, prefix + name + ".", names);
}

}  // namespace

std::vector<std::string> visible_names(const Flattening& work, std::uint32_t scope) {
    const Scope& s = work.scopes[scope];
    std::vector<std::string> names{"time", "pi"};
    for (const auto& [name, value] : s.values) {
        names.push_back(name);
        if (value.declaration == nullptr) continue;
        for (const Text& word : value.declaration->choices) names.push_back(name + "." + word.text);
    }
    const auto connectors = s.declaration == nullptr ? std::vector<ConnectorDeclaration>{} : s.declaration->connectors;
    for (const ConnectorDeclaration& c : connectors) {
        const auto place = work.connector_by_name.find(s.prefix + c.name.text);
        if (place == work.connector_by_name.end() || work.connectors[place->second].kind == nullptr) continue;
        for (const VariableDeclaration& signal : work.connectors[place->second].kind->signals)
            names.push_back(c.name.text + "." + signal.name.text);
    }
    if (s.self.valid()) {
        const auto own = element_variable_names(work.graph, s.self);
        names.insert(names.end(), own.begin(), own.end());
    }
    for (const auto& [name, member] : s.members) {
        if (member.scope != Id<void>::kNone && work.scopes[member.scope].declaration->record)
            add_fields(work, member.scope, name + ".", names);
        if (!member.element.valid() || s.members.size() > 1000) continue;
        for (const std::string& rest : element_variable_names(work.graph, member.element))
            names.push_back(name + "." + rest);
    }
    for (const BondDeclaration& bond : s.body->bonds) {
        if (!bond.name || s.body->bonds.size() > 1000) continue;
        for (const char* what : {".e", ".f", ".power"}) names.push_back(bond.name->text + what);
    }
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

/// Values that need each other are evaluated one inside the other; far fewer than a thread's stack has room for.
constexpr std::size_t kLongestChain = 1000;

/// How many records are around a scope until another one.
std::size_t levels_up(const Flattening& work, std::uint32_t scope, std::uint32_t outer) {
    std::size_t levels = 0;
    for (; scope != outer; scope = work.scopes[scope].outer) ++levels;
    return levels;
}

std::uint32_t up(const Flattening& work, std::uint32_t scope, std::size_t levels) {
    for (; levels > 0; --levels) scope = work.scopes[scope].outer;
    return scope;
}

/// What a record computes from its own parameters is computed anew in one that it is handed to: others may have been
/// given there. Anything else is the value of the one it comes from.
std::optional<Quantity> handed_value(Flattening& work, std::uint32_t scope, const std::string& name,
                                     const ScopeValue& entry) {
    std::vector<std::uint32_t> records{scope};
    const ScopeValue* source = &entry;
    while (source->handed && source->signal == nullptr) {
        const std::uint32_t from = source->evaluated_in;
        const auto found = work.scopes[from].values.find(name);
        const bool circle = std::find(records.begin(), records.end(), from) != records.end();
        if (circle || found == work.scopes[from].values.end()) return lookup(work, entry.evaluated_in, name);
        records.push_back(from);
        source = &found->second;
    }
    const auto value = lookup(work, entry.evaluated_in, name);
    if (!source->of_record || source->signal != nullptr || source->free || source->adjustable ||
        source->driven.size() > 0 || !value || is_unknown(*value))
        return value;
    // The text stands in the record itself, or in one around it that has been handed on as a whole.
    const std::size_t levels = levels_up(work, records.back(), source->evaluated_in);
    for (std::uint32_t& record : records) record = up(work, record, levels);
    for (std::size_t k = 0; k + 1 < records.size(); ++k) {
        if (work.scopes[records[k]].handed_from != records[k + 1]) return value;
    }
    EvaluationScope names = scope_of(work, records.front());
    names.lookup = [&](const std::string& other) -> std::optional<Quantity> {
        for (const std::uint32_t record : records) {  // one that extends may have more parameters
            if (auto found = lookup(work, record, other)) return found;
        }
        return std::nullopt;
    };
    return evaluate_value(work, *source->value, records.front(), &names);
}

SourcePosition position_of(const Flattening::Evaluating& e) {
    if (e.value->value != nullptr) return e.value->value->position();
    return e.value->signal != nullptr ? e.value->signal->position : e.used;
}

/// Told at the first value of the circle that is given where the record is used. Where the record itself says them all,
/// it is used in vain, and who uses it may not have written it.
void report_circle(Flattening& work, const std::string& full) {
    const auto begin = std::ranges::find(work.evaluating, full, &Flattening::Evaluating::name);
    std::string path;
    for (auto e = begin; e != work.evaluating.end(); ++e) path += fmt::format("'{}' needs ", e->name);
    const auto given = std::find_if(begin, work.evaluating.end(), [](const auto& e) { return !e.value->of_record; });
    const SourcePosition inside = position_of(*begin);
    const bool only_record = given == work.evaluating.end();
    const SourcePosition position = only_record ? begin->used : position_of(*given);
    std::vector<DiagnosticNote> notes;
    if (only_record)
        notes.push_back({"where", fmt::format("the record says so in {}", work.graph.line_text(inside, position))});
    work.diagnostics.error("BG-M015", position, fmt::format("'{}' depends on itself: {}'{}'", full, path, full),
                           std::move(notes));
}

std::optional<Quantity> scope_value(Flattening& work, std::uint32_t scope, const std::string& name) {
    const auto found = work.scopes[scope].values.find(name);
    if (found == work.scopes[scope].values.end()) return std::nullopt;
    ScopeValue& entry = found->second;
    if (entry.state == ScopeValue::State::done) return entry.result;
    const SourcePosition position = entry.value != nullptr    ? entry.value->position()
                                    : entry.signal != nullptr ? entry.signal->position
                                                              : work.scopes[scope].position;
    if (entry.state == ScopeValue::State::evaluating) {
        report_circle(work, work.scopes[scope].prefix + name);
        return unknown_quantity();
    }
    if (work.evaluating.size() > kLongestChain) {
        work.diagnostics.error("BG-M060", position,
                               fmt::format("'{}' is needed by more than {} values in a chain",
                                           work.scopes[scope].prefix + name, kLongestChain),
                               {{"because", "each value of the chain has to wait for the next"},
                                {"try", "write a chain this long as one list, or as a formula of its index"}});
        return unknown_quantity();
    }
    entry.state = ScopeValue::State::evaluating;
    work.evaluating.push_back({work.scopes[scope].prefix + name, &entry, work.scopes[scope].position});
    std::optional<Quantity> result;
    if (entry.declaration != nullptr && !entry.declaration->choices.empty()) {
        result = chosen(work, scope, name, entry);
    } else if (entry.signal != nullptr) {
        Value text;
        text.scalar = *entry.signal;
        result = evaluate_value(work, text, entry.evaluated_in);
    } else if (entry.instead != nullptr) {
        work.diagnostics.error(
            "BG-M003", position,
            fmt::format("'{}' has no value: '{}' is given in its place", work.scopes[scope].prefix + name,
                        entry.instead->text),
            {{"because", "the type says of them that one is given, and not how this one follows from it"},
             {"try", fmt::format("give '{}' a formula as its value in the type, or use it in parts with 'if: {}.given'",
                                 name, name)}});
    } else if (entry.handed) {
        result = handed_value(work, scope, name, entry);
    } else if (entry.value != nullptr) {
        const Text* declared =
            entry.declaration != nullptr && entry.declaration->unit ? &*entry.declaration->unit : entry.unit;
        result = evaluate_value(work, *entry.value, entry.evaluated_in, nullptr,
                                declared != nullptr ? units_like(work.units, declared->text) : UnitFits{});
    }
    if (entry.driven.size() > 0 && (result || entry.value == nullptr))
        result = with_components(work, result, entry.driven, work.scopes[scope].prefix + name);
    // References into the map stay valid: nothing is inserted while values are evaluated.
    entry.result = result ? *std::move(result) : unknown_quantity();
    // What comes without a dimension has the one declared where it is used.
    const auto unit = entry.unit != nullptr ? work.units.parse(entry.unit->text) : std::nullopt;
    if (unit && !entry.result.measure.known() && !is_unknown(entry.result)) entry.result.measure = Measure::of(*unit);
    const bool word = entry.declaration != nullptr && !entry.declaration->choices.empty();
    if (word) {
        // a choice is never free, which has been reported
    } else if (entry.free && entry.number >= work.graph.free_parameters.size()) {
        work.diagnostics.error(
            "BG-M074", position,
            fmt::format("'{}' is free, but decides what the model consists of", work.scopes[scope].prefix + name),
            {{"because", "its value is found at the start, and the parts have to be known before"}});
        entry.result = unknown_quantity();
    } else if (entry.free) {
        entry.result = free_value(work, entry.number, entry.result, position);
    } else if (entry.adjustable) {
        entry.result = adjustable_value(work, *entry.adjustable, entry.result, position);
    }
    entry.state = ScopeValue::State::done;
    // One from the command line is first compared with what it replaces.
    if (work.check_declared && entry.replaced == nullptr) check_declared(work, scope, entry);
    work.evaluating.pop_back();
    return entry.result;
}

}  // namespace

namespace {

/// Whether an element may get a variable of this name once it is bonded: by its domain, or at a port that a bond makes.
bool may_get_variable(const Element& e, std::string_view name) {
    if (e.type->pattern != PortPattern::fixed) return true;
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return std::any_of(domains().begin(), domains().end(),
                       [&](const Domain& d) { return last == d.effort || last == d.flow; });
}

std::optional<Quantity> variable_of(const Flattening& work, ElementId id, const std::string& name) {
    auto value = element_variable(work.graph, id, name);
    if (!value && !work.joined && may_get_variable(work.graph.elements[id.index()], name)) return unknown_quantity();
    return value;
}

/// Of a named bond of a scope, which has a size only if all are joined.
std::optional<Quantity> value_of_bond(const Flattening& work, const Scope& s, const std::string& name,
                                      const std::string& rest) {
    if (!work.joined) {
        const bool declared = std::any_of(s.body->bonds.begin(), s.body->bonds.end(),
                                          [&](const BondDeclaration& b) { return b.name && b.name->text == name; });
        if (declared || s.boundary_ports.contains(name)) return unknown_quantity();
        return std::nullopt;
    }
    const auto bond = work.graph.bond_by_name.find(s.prefix + name);
    if (bond == work.graph.bond_by_name.end()) return std::nullopt;
    return bond_variable(work.graph, bond->second, rest);
}

/// What another component gives at a connector that is joined.
std::optional<Quantity> value_at_connector(Flattening& work, std::uint32_t scope, const std::string& name) {
    const auto handed = handed_signal(work, scope, name);
    if (!handed || handed->second >= work.connectors[handed->first].kind->signals.size()) return std::nullopt;
    const auto giver = giver_of(work, handed->first, handed->second);
    return giver ? scope_value(work, giver->first, giver->second) : unknown_quantity();
}

std::optional<Quantity> find_name(Flattening& work, std::uint32_t scope, const std::string& name) {
    if (auto value = scope_value(work, scope, name)) return value;
    if (auto value = value_at_connector(work, scope, name)) return value;
    if (auto value = is_chosen(work, scope, name)) return value;
    if (auto value = is_given(work, scope, name)) return value;
    if (auto value = is_connected(work, scope, name)) return value;
    const Scope& s = work.scopes[scope];
    if (s.self.valid()) {
        if (auto value = variable_of(work, s.self, name)) return value;
    }
    const auto dot = name.find('.');
    const auto found = s.members.find(name.substr(0, dot));
    if (dot == std::string::npos) return std::nullopt;
    const std::string rest = name.substr(dot + 1);
    if (found == s.members.end()) {
        const auto last = name.rfind('.');  // the port of a connector's bond has a dot in its name
        return value_of_bond(work, s, name.substr(0, last), name.substr(last + 1));
    }
    const Member member = found->second;
    if (member.scope != Id<void>::kNone) return lookup(work, member.scope, rest);
    // Its type is unknown, which has been reported: what its variables are can't be said.
    if (!member.element.valid()) return unknown_quantity();
    return variable_of(work, member.element, rest);
}

}  // namespace

std::optional<Quantity> lookup(Flattening& work, std::uint32_t scope, const std::string& name) {
    auto found = find_name(work, scope, name);
    if (!found && work.gaps(scope).names()) return unknown_quantity();
    return found;
}

EvaluationScope scope_of(Flattening& work, std::uint32_t scope) {
    return {.lookup = [&work, scope](const std::string& name) { return lookup(work, scope, name); },
            .derivative = {},
            .candidates = [&work, scope] { return visible_names(work, scope); },
            .number = scope};
}

}  // namespace bondgraph::model
