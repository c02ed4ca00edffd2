// Parameters of which one is given and makes the others.

#include "bondgraph/model/alternatives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bondgraph/expression/syntax.hpp"

namespace bondgraph::model {
namespace {

using Group = std::vector<Text>;

bool is_in(const Group& group, std::string_view name) {
    return std::ranges::any_of(group, [&](const Text& t) { return t.text == name; });
}

/// Whether a value, as written, is computed from parameters of the group.
bool names_one(const Value& value, const Group& group) {
    if (value.is_list) return std::ranges::any_of(value.items, [&](const Value& v) { return names_one(v, group); });
    try {
        const expression::Syntax syntax = expression::parse_expression(value.scalar.text);
        return std::ranges::any_of(syntax.nodes, [&](const expression::SyntaxNode& node) {
            return node.kind == expression::SyntaxKind::name && is_in(group, node.text);
        });
    } catch (const expression::SyntaxError&) {  // a number with its unit
        return false;
    }
}

std::string quoted(const Group& group, std::string_view between) {
    std::vector<std::string> names;
    for (const Text& name : group) names.push_back(fmt::format("'{}'", name.text));
    return fmt::format("{}", fmt::join(names, between));
}

class Settling {
   public:
    Settling(Flattening& work, std::uint32_t scope) : work_(work), scope_(work.scopes[scope]), number_(scope) {}

    void settle(const Group& group) {
        Group given;
        bool handed = false;
        for (const Text& name : group) {
            ScopeValue& value = value_of(name);
            value.alternative = true;
            if (value.given) given.push_back(name);
            handed = handed || value.handed;
            if (value.unknown) return leave_open(group);
        }
        if (given.empty() && handed) return;  // the record that it comes from has settled it
        if (given.empty()) given = by_type(group);
        if (given.empty()) return report_none(group);
        if (given.size() > 1) return report_several(group, given);
        value_of(given.front()).given = true;
        for (const Text& name : group) {
            if (name.text != given.front().text) follow(name, group, given.front());
        }
    }

   private:
    /// Nobody knows which of them was meant, for a reason that is reported: formulas that need each other have no
    /// values.
    void leave_open(const Group& group) {
        for (const Text& name : group) {
            ScopeValue& value = value_of(name);
            value.alternative = true;
            if (!value.given) value.value = nullptr;
        }
    }

    ScopeValue& value_of(const Text& name) { return scope_.values.at(name.text); }

    /// Those that the type gives a value which is none of the others'.
    Group by_type(const Group& group) {
        Group result;
        for (const Text& name : group) {
            const auto& written = value_of(name).declaration->value;
            if (written && !names_one(*written, group)) result.push_back(name);
        }
        return result;
    }

    void follow(const Text& name, const Group& group, const Text& given) {
        ScopeValue& value = value_of(name);
        const auto& written = value.declaration->value;
        value.handed = false;
        value.evaluated_in = number_;
        value.of_record = scope_.declaration != nullptr && scope_.declaration->record;
        value.value = written && names_one(*written, group) ? &*written : nullptr;
        if (value.value == nullptr) value.instead = &value_of(given).declaration->name;
    }

    void report_several(const Group& group, const Group& given) {
        work_.diagnostics.error(
            "BG-M004", scope_.position,
            fmt::format("'{}' has {}: give one of {}", name_of_scope(), quoted(given, " and "), quoted(group, " or ")),
            {{"because", "each of them follows from the others"}});
        for (const Text& name : group) value_of(name).value = nullptr;
    }

    void report_none(const Group& group) {
        work_.diagnostics.error(
            "BG-M003", scope_.position,
            fmt::format("'{}' needs {}: one of them has to be given", name_of_scope(), quoted(group, " or ")));
        for (const Text& name : group) value_of(name).value = nullptr;
    }

    [[nodiscard]] std::string name_of_scope() const {
        return scope_.prefix.empty() ? "the model" : scope_.prefix.substr(0, scope_.prefix.size() - 1);
    }

    Flattening& work_;
    Scope& scope_;
    std::uint32_t number_;
};

}  // namespace

bool is_alternative(const Body& body, std::string_view parameter) {
    return std::ranges::any_of(body.alternatives, [&](const Group& group) { return is_in(group, parameter); });
}

void settle_alternatives(Flattening& work, std::uint32_t scope) {
    Settling settling(work, scope);
    for (const Group& group : work.scopes[scope].body->alternatives) settling.settle(group);
}

std::optional<Quantity> is_given(Flattening& work, std::uint32_t scope, const std::string& name) {
    constexpr std::string_view kWord = ".given";
    if (!name.ends_with(kWord)) return std::nullopt;
    const std::string parameter = name.substr(0, name.size() - kWord.size());
    const ScopeValue* value = nullptr;
    for (std::size_t steps = 0; steps <= work.scopes.size(); ++steps) {  // from record to record it may have come
        const auto found = work.scopes[scope].values.find(parameter);
        if (found == work.scopes[scope].values.end() || found->second.declaration == nullptr) return std::nullopt;
        value = &found->second;
        if (!value->handed) break;
        scope = value->evaluated_in;
    }
    return Quantity::scalar(expression::Expr(value->given ? 1.0 : 0.0));
}

}  // namespace bondgraph::model
