#include "bondgraph/cli/readable_equations.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::cli {
namespace {

using compile::SortedSystem;
using expression::Expr;
using expression::Op;
using expression::PrintStyle;
using model::VariableId;

/// What stands for a variable: another leaf, perhaps with the opposite sign.
struct Alias {
    std::uint32_t leaf = 0;  ///< node of a variable or a derivative
    bool negative = false;
};

std::optional<Alias> as_alias(const expression::Graph& graph, Expr value) {
    if (value.is_literal()) return std::nullopt;
    const bool negative = graph[value.node()].op == Op::negate;
    const std::uint32_t leaf = negative ? graph[value.node()].a : value.node();
    if (graph[leaf].op != Op::variable && graph[leaf].op != Op::derivative) return std::nullopt;
    return Alias{leaf, negative};
}

class Aliases {
   public:
    explicit Aliases(const SortedSystem& system) : graph_(*system.graph().expressions) {
        for (std::size_t i = 0; i < system.assignments.size(); ++i) {
            const compile::Assignment& a = system.assignments[i];
            if (a.implicit || system.torn[i]) continue;
            if (const auto alias = as_alias(graph_, a.value)) aliases_.emplace(a.target.value, represented(*alias));
        }
    }

    [[nodiscard]] bool contains(VariableId id) const { return aliases_.contains(id.value); }

    [[nodiscard]] std::vector<Expr> replaced(const std::vector<Expr>& roots) const {
        return expression::substitute(graph_, roots, [&](std::uint32_t node) -> std::optional<Expr> {
            const Alias alias = represented({node, false});
            if (alias.leaf == node) return std::nullopt;
            const Expr leaf = graph_.at(alias.leaf);
            return alias.negative ? -leaf : leaf;
        });
    }

   private:
    /// Followed to the end: inside a loop an alias may come before what it refers to is known to be one. Torn
    /// variables, which are no aliases, cut every cycle.
    [[nodiscard]] Alias represented(Alias alias) const {
        while (graph_[alias.leaf].op == Op::variable) {
            const auto found = aliases_.find(graph_[alias.leaf].a);
            if (found == aliases_.end()) break;
            alias = {found->second.leaf, found->second.negative != alias.negative};
        }
        return alias;
    }

    expression::Graph& graph_;
    std::unordered_map<std::uint32_t, Alias> aliases_;
};

}  // namespace

ReadableSystem without_aliases(const SortedSystem& system) {
    const Aliases aliases(system);
    std::vector<Expr> roots;
    for (const compile::Assignment& a : system.assignments) roots.push_back(a.value);
    for (const compile::StateEquation& s : system.state_equations) roots.push_back(s.rate);
    const std::vector<Expr> values = aliases.replaced(roots);
    expression::Graph& graph = *system.graph().expressions;
    ReadableSystem result;
    for (std::size_t i = 0; i < system.assignments.size(); ++i) {
        const compile::Assignment& a = system.assignments[i];
        if (aliases.contains(a.target)) continue;
        if (a.implicit || system.torn[i]) {
            const Expr residual = a.implicit ? values[i] : values[i] - graph.variable(a.target.value);
            result.implicit.push_back({a.target, residual, a.element});
        } else {
            result.assignments.push_back({a.target, values[i], a.element});
        }
    }
    for (std::size_t k = 0; k < system.state_equations.size(); ++k) {
        const compile::StateEquation& s = system.state_equations[k];
        result.states.push_back({s.state, values[system.assignments.size() + k], s.element});
    }
    return result;
}

std::string variable_text(const SortedSystem& system, VariableId id, PrintStyle style) {
    if (style == PrintStyle::text) return system.name(id);
    const std::size_t variables = system.graph().variable_count();
    if (id.index() < variables) return expression::latex_name(system.name(id));
    return derivative_text(system, system.derived[id.index() - variables], style);
}

std::string derivative_text(const SortedSystem& system, VariableId id, PrintStyle style) {
    const std::string name = system.name(id);
    if (style == PrintStyle::text) return fmt::format("der({})", name);
    return fmt::format("\\frac{{\\mathrm{{d}}{}}}{{\\mathrm{{d}}t}}", expression::latex_name(name));
}

std::string equation_text(const SortedSystem& system, Expr e, PrintStyle style) {
    const auto leaf_name = [&](const expression::Node& leaf) -> std::string {
        const VariableId id{std::size_t{leaf.a}};
        if (leaf.op == Op::derivative) return derivative_text(system, id, style);
        if (leaf.op == Op::parameter)
            return style == PrintStyle::text ? fmt::format("u{}", leaf.a + 1) : fmt::format("u_{{{}}}", leaf.a + 1);
        return variable_text(system, id, style);
    };
    return expression::to_text(e, leaf_name, style);
}

}  // namespace bondgraph::cli
