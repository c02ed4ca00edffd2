#include "bondgraph/model/impulse_names.hpp"

#include <array>

namespace bondgraph::model {
namespace {

/// Of the time integral of an effort or flow.
std::string impulse_unit(const BondGraph& g, VariableId variable) {
    const DomainIndex domain = g.bonds[g.bond_of_component(variable.value / 2).index()].domain;
    if (domain == kGeneric) return "";
    const Domain& d = domains()[domain];
    const bool effort = variable.value % 2 == 0;
    if (d.name == "rotational") return effort ? "N.m.s" : "rad";
    return unit_name((effort ? d.effort_dimension : d.flow_dimension) * Dimension{.second = 1});
}

}  // namespace

std::optional<ResolvedName> resolve_impulse(const BondGraph& g, const std::string& name) {
    constexpr std::string_view kSuffix = ".impulse";
    const auto open = name.ends_with(']') ? name.rfind('[') : name.size();
    if (open == std::string::npos || !std::string_view(name).substr(0, open).ends_with(kSuffix)) return std::nullopt;
    const std::string of = name.substr(0, open - kSuffix.size()) + name.substr(open);
    auto found = resolve_name(g, of);
    if (!found || found->value.is_literal()) return std::nullopt;
    const std::array roots{found->value.node()};
    std::optional<VariableId> any;
    for (const std::uint32_t n : expression::reachable(*g.expressions, roots)) {
        const expression::Node& node = (*g.expressions)[n];
        if (node.op == expression::Op::variable) {
            if (node.a >= 2 * g.bond_components) return std::nullopt;
            any = VariableId(std::size_t{node.a});
        } else if (node.op == expression::Op::multiply) {  // a power
            return std::nullopt;
        } else if (node.op != expression::Op::add && node.op != expression::Op::subtract &&
                   node.op != expression::Op::negate && node.op != expression::Op::constant) {
            return std::nullopt;
        }
    }
    if (!any) return std::nullopt;
    return ResolvedName{found->value, impulse_unit(g, *any), "impulse of " + found->description};
}

std::optional<ResolvedName> resolve_result(const BondGraph& g, const std::string& name) {
    auto found = resolve_name(g, name);
    return found ? std::move(found) : resolve_impulse(g, name);
}

}  // namespace bondgraph::model
