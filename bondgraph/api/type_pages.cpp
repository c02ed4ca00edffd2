#include "bondgraph/api/type_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <vector>

#include "bondgraph/api/reference_page.hpp"
#include "bondgraph/base/numbers.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::api {
namespace {

using model::ComponentType;
using model::DimensionRule;
using model::DomainIndex;
using model::PortDirection;
using model::PortPattern;

enum class Group : std::uint8_t { power, field, sensor, wiring, signal, mechanics, hidden };
constexpr std::array kGroups{std::pair{Group::power, "Power elements"}, std::pair{Group::field, "Fields"},
                             std::pair{Group::sensor, "Sensors"},       std::pair{Group::wiring, "Wiring"},
                             std::pair{Group::signal, "Signals"},       std::pair{Group::mechanics, "Mechanics"}};

Group group_of(const ComponentType& type) {
    if (type.name.find(' ') != std::string_view::npos) return Group::hidden;  // what files declare, not users name
    if (!type.connectors.empty()) return Group::mechanics;
    if (type.is_sensor()) return Group::sensor;
    if (type.structure == model::Structure::block) return Group::signal;
    if (type.pattern == PortPattern::field) return Group::field;
    // The power detector is wiring to the solver and a sensor to its user.
    if (type.structure == model::Structure::wiring) return type.outputs.empty() ? Group::wiring : Group::sensor;
    return Group::power;
}

std::string factor_text(const char* symbol, int exponent) {
    return exponent == 1 ? symbol : fmt::format("{}^{}", symbol, exponent);
}

/// "e/f", "f.s/e", "e1/e2": a dimension in terms of efforts, flows and the second.
std::string rule_text(const DimensionRule& rule) {
    if (!rule.checked) return "";
    const bool two = rule.uses_second_port();
    const std::array factors{std::pair{two ? "e1" : "e", int{rule.e}}, std::pair{two ? "f1" : "f", int{rule.f}},
                             std::pair{"e2", int{rule.e2}}, std::pair{"f2", int{rule.f2}}, std::pair{"s", int{rule.s}}};
    std::vector<std::string> above;
    std::vector<std::string> below;
    for (const auto& [symbol, exponent] : factors) {
        if (exponent > 0) above.push_back(factor_text(symbol, exponent));
        if (exponent < 0) below.push_back(factor_text(symbol, -exponent));
    }
    if (above.empty() && below.empty()) return "1";
    const std::string top = above.empty() ? "1" : fmt::format("{}", fmt::join(above, "."));
    if (below.empty()) return top;
    return below.size() == 1 ? fmt::format("{}/{}", top, below[0]) : fmt::format("{}/({})", top, fmt::join(below, "."));
}

bool depends_on_domain(const DimensionRule& rule) {
    return rule.checked && (rule.e != 0 || rule.f != 0 || rule.uses_second_port());
}

std::string fixed_unit(const DimensionRule& rule) {
    if (!rule.checked) return "";
    if (depends_on_domain(rule)) return rule_text(rule);
    const auto dimension = rule.in(model::kGeneric);
    return dimension ? unit_name(*dimension) : "";
}

std::string ports_text(const ComponentType& type) {
    switch (type.pattern) {
        case PortPattern::junction:
            return "any number of bonds";
        case PortPattern::field:
            return "either one port p for a multibond, or ports p1 … pn for scalar bonds";
        case PortPattern::compose:
            return "p1 … pn in, p out";
        case PortPattern::decompose:
            return "p in, p1 … pn out";
        case PortPattern::fixed:
            break;
    }
    return "";
}

std::string sign_text(const ComponentType& type) {
    switch (type.pattern) {
        case PortPattern::junction:
            return "The half arrows of the bonds say which way power is positive.";
        case PortPattern::field:
            return "Power is positive into every port.";
        case PortPattern::compose:
        case PortPattern::decompose:
            return "Power is taken in on the one side and given out on the other.";
        case PortPattern::fixed:
            break;
    }
    std::vector<std::string_view> in;
    std::vector<std::string_view> out;
    for (const model::PortSpec& port : type.ports)
        (port.direction == PortDirection::in ? in : out).push_back(port.name);
    if (in.empty() && out.empty()) return "";
    if (out.empty()) return fmt::format("Power is positive into the component at {}.", fmt::join(in, " and "));
    if (in.empty()) return fmt::format("Power is positive out of the component at {}.", fmt::join(out, " and "));
    return fmt::format("Positive power is taken in at {} and given out at {}.", fmt::join(in, " and "),
                       fmt::join(out, " and "));
}

std::string kind_text(const model::ParameterSpec& parameter) {
    switch (parameter.kind) {
        case model::ParameterKind::number:
            return parameter.unit.empty() ? fixed_unit(parameter.dimension) : std::string(parameter.unit);
        case model::ParameterKind::choice:
            return "word";
        case model::ParameterKind::law:
            return "equation";
        case model::ParameterKind::energy:
            return "expression";
        case model::ParameterKind::texts:
            return "word(s)";
        case model::ParameterKind::integers:
            return "integer(s)";
    }
    return "";
}

std::string need_text(const model::ParameterSpec& parameter) {
    std::string text = !parameter.required ? "optional" : parameter.group != 0 ? "one of these" : "required";
    if (parameter.default_value) text = fmt::format("default {}", *parameter.default_value);
    if (parameter.minimum) text += fmt::format(", {} {}", parameter.exclusive_minimum ? ">" : "≥", *parameter.minimum);
    return text;
}

/// A quantity whose unit follows from the domain.
struct Ruled {
    std::string_view name;
    DimensionRule rule;
};

std::vector<Ruled> ruled_quantities(const ComponentType& type) {
    std::vector<Ruled> result;
    for (const model::ParameterSpec& p : type.parameters) {
        if (p.kind == model::ParameterKind::number && depends_on_domain(p.dimension))
            result.push_back({p.name, p.dimension});
    }
    for (const model::StateSpec& s : type.states) {
        if (depends_on_domain(s.dimension)) result.push_back({s.name, s.dimension});
    }
    for (const model::SignalSpec& s : type.outputs) {
        if (depends_on_domain(s.dimension)) result.push_back({s.name, s.dimension});
    }
    return result;
}

/// What the units are in the usual domains, or pairs of domains for two-ports.
std::vector<std::vector<std::string>> unit_rows(const ComponentType& type) {
    const auto quantities = ruled_quantities(type);
    if (quantities.empty()) return {};
    std::vector<std::string> head{"domain"};
    bool two = false;
    for (const Ruled& q : quantities) {
        head.emplace_back(q.name);
        two = two || q.rule.uses_second_port();
    }
    using Pair = std::pair<const char*, const char*>;
    std::vector<Pair> domains = two ? std::vector<Pair>{{"electrical", "electrical"},
                                                        {"electrical", "rotational"},
                                                        {"rotational", "rotational"},
                                                        {"rotational", "translational"},
                                                        {"hydraulic", "translational"}}
                                    : std::vector<Pair>{{"electrical", "electrical"},
                                                        {"translational", "translational"},
                                                        {"rotational", "rotational"},
                                                        {"hydraulic", "hydraulic"}};
    const std::string own(type.ports.empty() ? std::string_view{} : type.ports.front().domain);
    if (!two && !own.empty()) domains = {{own.c_str(), own.c_str()}};
    std::vector<std::vector<std::string>> rows{head};
    for (const auto& [first, second] : domains) {
        const DomainIndex a = model::find_domain(first).value_or(model::kGeneric);
        const DomainIndex b = model::find_domain(second).value_or(model::kGeneric);
        std::vector<std::string> row{two ? fmt::format("{} to {}", first, second) : first};
        for (const Ruled& q : quantities) {
            const auto dimension = q.rule.in(a, b);
            row.push_back(dimension ? model::shown_unit(q.rule, *dimension) : "");
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::vector<std::string>> parameter_rows(const ComponentType& type) {
    std::vector<std::vector<std::string>> rows{{"name", "unit", "", "meaning"}};
    for (const model::ParameterSpec& p : type.parameters) {
        rows.push_back({std::string(p.name), kind_text(p), need_text(p), std::string(p.doc)});
    }
    return rows;
}

std::vector<std::vector<std::string>> state_rows(const ComponentType& type) {
    std::vector<std::vector<std::string>> rows{{"name", "unit", "in initial:", "meaning"}};
    for (const model::StateSpec& s : type.states) {
        const std::string names =
            s.covariable.empty() ? std::string(s.name) : fmt::format("{} or {}", s.name, s.covariable);
        rows.push_back({std::string(s.name), s.unit.empty() ? fixed_unit(s.dimension) : std::string(s.unit), names,
                        std::string(s.doc)});
    }
    for (const model::StartAlias& a : type.start_aliases) {
        const auto listed = [&](const model::StateSpec& s) { return s.name == a.name; };
        if (std::any_of(type.states.begin(), type.states.end(), listed)) continue;
        rows.push_back({std::string(a.name), std::string(a.unit), std::string(a.name), std::string(a.doc)});
    }
    return rows;
}

std::vector<std::vector<std::string>> discrete_rows(const ComponentType& type) {
    std::vector<std::vector<std::string>> rows{{"name", "values", "meaning"}};
    for (const model::DiscreteSpec& d : type.discretes) {
        const char* values = d.type == model::ValueType::boolean   ? "true or false"
                             : d.type == model::ValueType::integer ? "whole numbers"
                                                                   : "numbers";
        rows.push_back({std::string(d.name), values, std::string(d.doc)});
    }
    return rows;
}

std::vector<std::vector<std::string>> signal_rows(const std::vector<model::SignalSpec>& signals) {
    std::vector<std::vector<std::string>> rows{{"name", "unit", "meaning"}};
    for (const model::SignalSpec& s : signals) {
        rows.push_back({s.many ? fmt::format("{0}1, {0}2, …", s.name) : std::string(s.name), fixed_unit(s.dimension),
                        std::string(s.doc)});
    }
    return rows;
}

std::vector<std::vector<std::string>> port_rows(const ComponentType& type) {
    std::vector<std::vector<std::string>> rows{{"name", "direction", "domain", "meaning"}};
    for (const model::PortSpec& port : type.ports) {
        rows.push_back({std::string(port.name), port.direction == PortDirection::in ? "in" : "out",
                        port.domain.empty() ? "any" : std::string(port.domain), std::string(port.doc)});
    }
    return rows;
}

std::vector<std::vector<std::string>> connector_rows(const ComponentType& type) {
    std::vector<std::vector<std::string>> rows{{"name", "kind", "meaning"}};
    for (const model::ConnectorSpec& c : type.connectors)
        rows.push_back({std::string(c.name), std::string(c.type->name),
                        c.optional ? fmt::format("{} (optional)", c.doc) : std::string(c.doc)});
    return rows;
}

std::string other_names(const ComponentType& type, const model::Catalogue& catalogue) {
    std::vector<std::string_view> names;
    for (const ComponentType* other : catalogue.types()) {
        if (other->alias_of == type.name) names.push_back(other->name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

Page make_page(const ComponentType& type, const model::Catalogue& catalogue) {
    Page page{std::string(type.name), std::string(type.summary), {}};
    const auto text = [&](const char* title, std::string_view content, bool code = false) {
        if (!content.empty()) page.sections.push_back({title, std::string(content), {}, code});
    };
    const auto table = [&](const char* title, std::vector<std::vector<std::string>> rows) {
        if (rows.size() > 1) page.sections.push_back({title, "", std::move(rows)});
    };
    text("Also written", other_names(type, catalogue));
    text("Law", type.law_text, true);
    table("Connectors", connector_rows(type));
    text("Ports", ports_text(type));
    if (type.pattern == PortPattern::fixed) table("Ports", port_rows(type));
    if (type.connectors.empty()) text("Sign", sign_text(type));
    table("Parameters", parameter_rows(type));
    table("States", state_rows(type));
    table("Changes at events", discrete_rows(type));
    table("Inputs", signal_rows(type.inputs));
    table("Outputs", signal_rows(type.outputs));
    table("Units by domain", unit_rows(type));
    text("Example", type.example, true);
    text("Source", type.source);
    return page;
}

}  // namespace

std::string type_list(const model::Catalogue& catalogue, const Heading& heading) {
    std::string text;
    for (const auto& [group, title] : kGroups) {
        Table table({Align::left, Align::left});
        for (const ComponentType* type : catalogue.types()) {
            if (!type->alias_of.empty() || group_of(*type) != group) continue;
            const std::string others = other_names(*type, catalogue);
            table.add({others.empty() ? std::string(type->name) : fmt::format("{}, {}", type->name, others),
                       std::string(type->summary)});
        }
        if (!table.empty()) text += heading(title) + table.text();
    }
    return text;
}

std::string type_page(const ComponentType& type, const model::Catalogue& catalogue, const Heading& heading) {
    return terminal_page(make_page(type, catalogue), heading);
}

std::string all_type_pages(const model::Catalogue& catalogue) {
    std::string text = "# Component types\n\n";
    for (const auto& [group, title] : kGroups) {
        text += fmt::format("## {}\n\n", title);
        for (const ComponentType* type : catalogue.types()) {
            if (type->alias_of.empty() && group_of(*type) == group) text += markdown_page(make_page(*type, catalogue));
        }
    }
    return text;
}

std::vector<TypeReference> references(const model::Catalogue& catalogue) {
    std::vector<TypeReference> all;
    for (const auto& [group, title] : kGroups) {
        for (const ComponentType* type : catalogue.types()) {
            if (type->alias_of.empty() && group_of(*type) == group)
                all.push_back(reference_of(make_page(*type, catalogue), title, ""));
        }
    }
    return all;
}

}  // namespace bondgraph::api
