#include "bondgraph/model/optional_connectors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/arrays.hpp"

namespace bondgraph::model {
namespace {

/// Whether an entry of a scope names the connector, or one of its bonds: "r.heat", "r.axle.turn". A component whose
/// only connector it is may stand for it.
bool is_named(const std::unordered_set<std::string>& named, const std::string& instance,
              const ConnectorDeclaration& connector, const TypeDeclaration& type) {
    if (named.contains(instance + "." + connector.name.text)) return true;
    return type.connectors.size() == 1 && type.ports.empty() && named.contains(instance);
}

/// A scope further out may name a part of a part as well.
bool connected_from_outside(Flattening& work, std::uint32_t scope, const ConnectorDeclaration& connector) {
    const TypeDeclaration& type = *work.scopes[scope].declaration;
    std::string instance = work.scopes[scope].instance->name.text;
    for (std::uint32_t around = work.scopes[scope].outer;;) {
        if (is_named(connected_names(work, around), instance, connector, type)) return true;
        if (around == 0) return false;
        instance = work.scopes[around].instance->name.text + "." + instance;
        around = work.scopes[around].outer;
    }
}

bool leads_inside(const TypeDeclaration& type, const std::string& connector) {
    const auto is_it = [&](const Text& t) { return t.text == connector || t.text.starts_with(connector + "."); };
    return std::ranges::any_of(type.body.bonds, [&](const auto& b) { return is_it(b.from) || is_it(b.to); }) ||
           std::ranges::any_of(type.body.connects,
                               [&](const auto& c) { return std::ranges::any_of(c.members, is_it); });
}

void check_inside(Flattening& work, const TypeDeclaration& type, const ConnectorDeclaration& connector) {
    const Gaps& gaps = type.body.gaps;
    if (leads_inside(type, connector.name.text) || gaps.connections() || gaps.bonds || gaps.any()) return;
    if (!work.flawed_optional_connectors.insert(&connector).second) return;
    work.diagnostics.error(
        "BG-M087", connector.name.position,
        fmt::format("no bond or connection in type '{}' leads to its optional connector '{}'", type.name.text,
                    connector.name.text),
        {{"because",
          "it is left out where nothing is connected to it: equations could not do without its effort and flow"},
         {"try", fmt::format("a part that it leads to, as in 'bonds: [part -> {}]', or delete 'optional: true'",
                             connector.name.text)}});
}

}  // namespace

void settle_optional_connectors(Flattening& work, std::uint32_t scope) {
    const TypeDeclaration& type = *work.scopes[scope].declaration;
    for (const ConnectorDeclaration& c : type.connectors) {
        if (!c.optional) continue;
        check_inside(work, type, c);
        if (connected_from_outside(work, scope, c)) continue;
        work.scopes[scope].unconnected.insert(c.name.text);
        work.graph.left_out.insert(work.scopes[scope].prefix + c.name.text);
    }
}

std::optional<Quantity> is_connected(const Flattening& work, std::uint32_t scope, const std::string& name) {
    constexpr std::string_view kWord = ".connected";
    const Scope& s = work.scopes[scope];
    if (!name.ends_with(kWord) || s.declaration == nullptr) return std::nullopt;
    const std::string connector = name.substr(0, name.size() - kWord.size());
    const bool optional = std::ranges::any_of(s.declaration->connectors, [&](const ConnectorDeclaration& c) {
        return c.optional && c.name.text == connector;
    });
    if (!optional) return std::nullopt;
    return Quantity::scalar(expression::Expr(s.unconnected.contains(connector) ? 0.0 : 1.0));
}

}  // namespace bondgraph::model
