// Start values that types of the file take under names of their own (`starts:`).

#include "bondgraph/model/start_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/arrays.hpp"
#include "bondgraph/model/shown_unit.hpp"
#include "bondgraph/model/start_checks.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::Op;

StartNames::StartNames(Flattening& work) : work_(work) {
    for (std::uint32_t s = 1; s < work.scopes.size(); ++s) {
        const Scope& scope = work.scopes[s];
        if (scope.declaration == nullptr || scope.declaration->starts.empty()) continue;
        scope_of_.emplace(scope.prefix.substr(0, scope.prefix.size() - 1), s);
    }
}

std::optional<NamedStart> StartNames::find(const std::string& component, const std::string& name) const {
    const auto scope = scope_of_.find(component);
    if (scope == scope_of_.end()) return std::nullopt;
    for (const StartDeclaration& d : work_.scopes[scope->second].declaration->starts) {
        // what goes by the name of a variable has been reported, and means that
        if (d.name.text == name && d.value.text != name)
            return NamedStart{scope->second, &d, component + "." + name, component + "." + name};
    }
    return std::nullopt;
}

std::vector<std::string> StartNames::of(const std::string& component) const {
    std::vector<std::string> names;
    const auto scope = scope_of_.find(component);
    if (scope == scope_of_.end()) return names;
    for (const StartDeclaration& d : work_.scopes[scope->second].declaration->starts) {
        if (d.value.text != d.name.text) names.push_back(d.name.text);
    }
    return names;
}

bool StartNames::leads_to_itself(const std::string& component, const std::string& name) const {
    const auto scope = scope_of_.find(component);
    if (scope == scope_of_.end()) return false;
    return std::ranges::any_of(work_.scopes[scope->second].declaration->starts,
                               [&](const StartDeclaration& d) { return d.name.text == name && d.value.text == name; });
}

/// "cell[n].e" → "cell[4].e": names take numbers only.
Text StartNames::with_numbers(const NamedStart& start) const {
    Text text = start.declaration->value;
    if (!has_open_index(text.text)) return text;
    const auto number = [&](const IndexedText::Index& index, const Text& part) -> std::optional<std::string> {
        if (!index.inner || whole_number(part.text)) return part.text;
        const auto n = known_number(work_, start.scope, part, "which part is meant");
        return n ? std::optional(fmt::format("{:.0f}", *n)) : std::nullopt;
    };
    if (auto settled = IndexedText(text).with(number)) text.text = *std::move(settled);
    return text;
}

StartPlace StartNames::place(const NamedStart& start, const std::string& name) const {
    const std::string& prefix = work_.scopes[start.scope].prefix;
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return {prefix.substr(0, prefix.size() - 1), name};
    return {prefix + name.substr(0, dot), name.substr(dot + 1)};
}

std::vector<StartPlace> StartNames::places(const NamedStart& start) {
    const Text& text = start.declaration->value;
    const auto names = names_in(text.text);
    if (names.size() != 1 || names.front() != text.text) return {};
    const IndexedText indexed(text);
    if (indexed.names(kIndexNames[0]) || indexed.names(kIndexNames[1])) return places_in_arrays(start, text);
    return {place(start, with_numbers(start).text)};
}

/// How many numbers an index stands for: the most parts that an array has where it stands.
std::optional<std::size_t> StartNames::count_of(const NamedStart& start, const IndexedText& text,
                                                std::string_view index) const {
    std::optional<std::size_t> count;
    for (const IndexedText::Index& one : text.indices) {
        const std::string array = work_.scopes[start.scope].prefix + one.array;
        for (std::size_t d = 0; d < one.parts.size(); ++d) {
            if (!names_index(one.parts[d].text, index)) continue;
            const auto found = work_.graph.arrays.find(array);
            if (found == work_.graph.arrays.end() || d >= found->second.size()) continue;
            count = std::max(count.value_or(0), found->second[d]);
        }
    }
    return count;
}

bool StartNames::names_empty_array(const NamedStart& start) const {
    const auto is_empty = [&](const IndexedText::Index& one) {
        const auto array = work_.graph.arrays.find(work_.scopes[start.scope].prefix + one.array);
        return array != work_.graph.arrays.end() && std::ranges::find(array->second, 0U) != array->second.end();
    };
    const Text& text = start.declaration->value;
    return std::ranges::any_of(names_in(text.text), [&](const std::string& name) {
        Text one = text;
        one.text = name;
        return std::ranges::any_of(IndexedText(one).indices, is_empty);
    });
}

bool StartNames::is_of_empty_array(const NamedStart& start) const {
    const Text& text = start.declaration->value;
    const auto names = names_in(text.text);
    if (names.size() != 1 || names.front() != text.text) return false;
    const IndexedText indexed(text);
    return (indexed.names(kIndexNames[0]) || indexed.names(kIndexNames[1])) && names_empty_array(start);
}

/// `cell[i].e`: for every part that is there.
std::vector<StartPlace> StartNames::places_in_arrays(const NamedStart& start, const Text& text) const {
    const IndexedText indexed(text);
    const std::size_t rows = count_of(start, indexed, kIndexNames[0]).value_or(0);
    const std::size_t columns = count_of(start, indexed, kIndexNames[1]).value_or(0);
    const PartIndex size{indexed.names(kIndexNames[0]) ? rows : 1, indexed.names(kIndexNames[1]) ? columns : 1};
    std::vector<StartPlace> all;
    for (std::size_t i = 1; i <= size.i; ++i) {
        for (std::size_t j = 1; j <= size.j; ++j) {
            const auto number = [&](const IndexedText::Index&, const Text& part) -> std::optional<std::string> {
                Text one = part;
                one.text = with_index(part.text, {i, j});
                const auto n = known_number(work_, start.scope, one, "which part is meant");
                return n ? std::optional(fmt::format("{:.0f}", *n)) : std::nullopt;
            };
            const auto name = indexed.with(number);
            if (!name) return {};
            StartPlace one = place(start, *name);
            if (work_.graph.element_by_name.contains(one.component) || find(one.component, one.variable))
                all.push_back(std::move(one));
        }
    }
    return all;
}

bool StartNames::leads_to_absent(const NamedStart& start) const {
    const Scope& scope = work_.scopes[start.scope];
    if (scope.written_out == nullptr) return false;
    const auto names = names_in(start.declaration->value.text);
    return std::ranges::any_of(names, [&](const std::string& name) {
        return scope.written_out->absent.contains(name.substr(0, name.find('.')));
    });
}

bool StartNames::enter(const NamedStart& start) {
    std::string path;
    const auto circle = std::ranges::find(followed_, start.name, &NamedStart::name);
    for (auto name = circle; name != followed_.end(); ++name) path += fmt::format("'{}' needs ", name->name);
    const bool known = reported_.contains(start.declaration);
    for (auto name = circle; name != followed_.end(); ++name) reported_.insert(name->declaration);
    followed_.push_back(start);
    if (path.empty()) return true;
    if (!known) {
        work_.diagnostics.error("BG-M015", start.declaration->value.position,
                                fmt::format("'{0}' depends on itself: {1}'{0}'", start.name, path));
    }
    return false;
}

namespace {

/// Whether a variable occurs in an expression, one that changes at events or not.
bool any_variable(const BondGraph& graph, Expr e) {
    if (e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) {
        const Op op = (*graph.expressions)[n].op;
        return op == Op::variable || op == Op::derivative || op == Op::held;
    });
}

/// Whether `value` in place of the leaf makes the expression `given`, but for rounding.
Expr holds_with(expression::Graph& graph, Expr expression, Expr given, Expr leaf, Expr value) {
    constexpr double kRounded = 1e-6;  // of what is given
    constexpr double kStep = 1e-9;     // of the variable: an expression may be the small difference of large ones
    const auto at = [&](Expr x) {
        const std::array roots{expression};
        return expression::substitute(graph, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            if (n == leaf.node()) return x;
            return std::nullopt;
        })[0];
    };
    const Expr found = at(value);
    if (!found.is_literal() && !given.is_literal() && found.node() == given.node()) return Expr(1.0);
    const Expr allowed = Expr(kRounded) * (abs(found) + abs(given)) + abs(at(value * Expr(1.0 + kStep)) - found);
    return apply(Op::less_equal, abs(found - given), allowed);
}

}  // namespace

bool is_number(const BondGraph& graph, Expr e) {
    if (e.is_constant()) return true;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::none_of(nodes, [&](std::uint32_t n) {
        const Op op = (*graph.expressions)[n].op;
        return op == Op::variable || op == Op::derivative || op == Op::held || op == Op::time || op == Op::parameter;
    });
}

std::optional<Quantity> StartNames::look_up(const NamedStart& start, const std::string& name) {
    const StartPlace meant = place(start, name);
    const auto other = find(meant.component, meant.variable);
    if (!other) {
        auto found = lookup(work_, start.scope, name);
        const auto varies = [&](const Expr& x) { return any_variable(work_.graph, x); };
        met_variable_ = met_variable_ || (found && std::ranges::any_of(found->value.reshaped(), varies));
        return found;
    }
    auto found = value(*other);
    return found ? found : unknown_quantity();
}

std::optional<Quantity> StartNames::value(const NamedStart& start) {
    if (reported_.contains(start.declaration)) return std::nullopt;
    const std::size_t errors = work_.diagnostics.error_count();
    const bool begun = enter(start);
    std::optional<Quantity> q;
    if (begun) {
        EvaluationScope names = scope_of(work_, start.scope);
        names.lookup = [&](const std::string& name) { return look_up(start, name); };
        Value text;
        text.scalar = with_numbers(start);
        q = evaluate_value(work_, text, start.scope, &names);
    }
    leave();
    if (work_.diagnostics.error_count() > errors) reported_.insert(start.declaration);
    if (!q || !start.declaration->unit) return q;
    if (!has_declared_unit(start, q->measure)) return std::nullopt;
    q->measure = Measure::of(*work_.units.parse(start.declaration->unit->text));
    return q;
}

bool StartNames::has_declared_unit(const NamedStart& start, const Measure& measure) {
    const Text& declared = *start.declaration->unit;
    if (!work_.units.parse(declared.text)) {
        if (reported_.insert(start.declaration).second) parse_unit(work_, declared);
        return false;
    }
    if (!differ(measure, Measure::of(*work_.units.parse(declared.text)))) return true;
    if (reported_.insert(start.declaration).second) {
        work_.diagnostics.error("BG-U002", declared.position,
                                fmt::format("'{}' is declared in {}, but '{}' is in {}", start.name, declared.text,
                                            start.declaration->value.text, unit_name(measure)));
    }
    return false;
}

namespace {

/// The only variable in an expression; nothing where there is none, several, or a derivative.
std::optional<VariableId> only_variable(const BondGraph& graph, Expr e) {
    if (e.is_literal()) return std::nullopt;
    std::optional<VariableId> found;
    const std::array roots{e.node()};
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
        const expression::Node& node = (*graph.expressions)[n];
        if (node.op == Op::derivative || (node.op == Op::variable && found)) return std::nullopt;
        if (node.op == Op::variable) found = VariableId(std::size_t{node.a});
    }
    return found;
}

/// The component and the name by which a variable gets start values.
std::optional<std::pair<ElementId, std::string>> owner_of(const BondGraph& graph, VariableId id) {
    const std::size_t bonds = 2 * std::size_t{graph.bond_components};
    if (id.index() >= bonds) {
        const SlotVariable& v = graph.slot_variables[id.index() - bonds];
        const Element::Slot& slot = graph.elements[v.element.index()].slots[v.slot];
        if (slot.size != 1 || slot.kind == Element::Slot::Kind::discrete) return std::nullopt;
        return std::pair(v.element, slot.name);
    }
    const Bond& bond = graph.bonds[graph.bond_of_component(id.value / 2).index()];
    if (bond.size != 1) return std::nullopt;
    const std::string_view what = id.value % 2 == 0 ? "e" : "f";
    for (const ElementId end : {bond.from, bond.to}) {
        const Element& e = graph.elements[end.index()];
        const auto& states = e.type->states;
        if (e.ports.size() == 1 && std::ranges::find(states, what, &StateSpec::covariable) != states.end())
            return std::pair(end, std::string(what));
    }
    return std::nullopt;
}

}  // namespace

bool has_variable(const BondGraph& graph, Expr e) {
    if (e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) {
        const expression::Node& node = (*graph.expressions)[n];
        return node.op == Op::variable && !graph.discrete_of(VariableId(std::size_t{node.a}));
    });
}

std::optional<SolvedStart> solve_start(Flattening& work, Expr expression, Expr given) {
    const BondGraph& graph = work.graph;
    const auto id = only_variable(graph, expression);
    const auto owner = id ? owner_of(graph, *id) : std::nullopt;
    if (!owner) return std::nullopt;
    const auto variable = element_variable(graph, owner->first, owner->second);
    if (!variable || variable->value.size() != 1) return std::nullopt;
    const Expr leaf = graph.variable(*id);
    const auto by_parameters = [](Expr) { return true; };  // there is no other variable
    const auto solution = expression::solve_for(*graph.expressions, expression, given, leaf, by_parameters);
    if (!solution) return std::nullopt;
    // As the component counts it: a flow may be that of the bond with the other sign.
    const std::array roots{variable->value(0, 0)};
    const auto value = expression::substitute(*graph.expressions, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        if (n == leaf.node()) return *solution;
        return std::nullopt;
    });
    const Expr holds = holds_with(*graph.expressions, expression, given, leaf, *solution);
    return SolvedStart{owner->first, owner->second, value[0], holds};
}

void StartNames::check() {
    std::unordered_set<const StartDeclaration*> checked;
    for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) {
        const TypeDeclaration* type = work_.scopes[s].declaration;
        if (type == nullptr) continue;
        for (const StartDeclaration& d : type->starts) {
            const std::string name = work_.scopes[s].prefix + d.name.text;
            const NamedStart start{s, &d, name, name};
            if (!leads_to_absent(start) && checked.insert(&d).second) check(start);
        }
    }
}

void StartNames::check(const NamedStart& start) {
    if (reported_.contains(start.declaration)) return;
    if (names_empty_array(start)) return;
    const auto all = places(start);
    if (!all.empty() && std::ranges::all_of(all, [&](const StartPlace& p) { return is_start(p); })) {
        const bool begun = enter(start);
        for (const StartPlace& p : all) {
            const auto other = begun ? find(p.component, p.variable) : std::nullopt;
            if (other) check(*other);
        }
        leave();
        const auto element = work_.graph.element_by_name.find(all.front().component);
        if (!start.declaration->unit || !work_.joined || element == work_.graph.element_by_name.end()) return;
        const auto measures = component_measures(work_.graph, element->second, all.front().variable);
        has_declared_unit(start, measures.empty() ? Measure{} : measures.front());
        return;
    }
    met_variable_ = false;
    const auto q = value(start);
    // One that folds away here, as in 0*x, may matter with other parameters.
    if (!q || is_unknown(*q) || met_variable_ || !work_.joined || work_.gaps(start.scope).any()) return;
    reported_.insert(start.declaration);
    work_.diagnostics.error(
        "BG-M084", start.declaration->value.position,
        fmt::format("'{}' is no start value: '{}' names no variable", start.name, start.declaration->value.text),
        {{"try", "the name of a state, or an expression in which one occurs"}});
}

bool StartNames::is_start(const StartPlace& place) const {
    if (find(place.component, place.variable)) return true;
    const auto element = work_.graph.element_by_name.find(place.component);
    if (element == work_.graph.element_by_name.end()) return false;
    const auto known = StartChecks(work_).names(work_.graph.elements[element->second.index()]);
    return std::ranges::find(known, place.variable) != known.end();
}

}  // namespace bondgraph::model
