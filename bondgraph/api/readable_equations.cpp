#include "bondgraph/api/readable_equations.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <unordered_map>

#include "bondgraph/api/abbreviations.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/modes.hpp"

namespace bondgraph::api {
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

namespace {

/// Expressions with relations and discrete variables in place of the values that are held for them between events.
std::vector<Expr> as_written(const SortedSystem& system, std::vector<Expr> roots) {
    if (!system.events || system.events->held_count == 0) return roots;
    const model::BondGraph& g = system.graph();
    expression::Graph& graph = *g.expressions;
    std::unordered_map<std::uint32_t, std::uint32_t> node_of;
    for (const auto& [node, held] : system.events->held_of) node_of.emplace(held, node);
    const auto written = [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = graph[n];
        if (node.op != Op::held) return std::nullopt;
        if (const auto stands = node_of.find(node.a); stands != node_of.end()) return graph.at(stands->second);
        if (node.a < 2 * g.discretes.size() && node.a % 2 == 0)
            return graph.variable(g.discretes[node.a / 2].variable.value);
        return std::nullopt;
    };
    return expression::substitute(graph, roots, written);
}

class Reading {
   public:
    explicit Reading(const SortedSystem& system) : system_(system), aliases_(system) {}

    ReadableSystem run() {
        add(system_.assignments, [](const compile::Assignment& a) { return a.value; });
        add(system_.state_equations, [](const compile::StateEquation& s) { return s.rate; });
        const std::vector<model::Update> updates = model::updates_of(system_.graph());
        add(updates, [](const model::Update& u) { return u.value; });
        for (const model::When& when : system_.graph().whens) {
            roots_.push_back(when.condition);
            add(when.actions, [](const model::WhenAction& a) { return a.value; });
        }
        values_ = aliases_.replaced(as_written(system_, std::move(roots_)));
        for (std::size_t i = 0; i < system_.assignments.size(); ++i) assignment(i);
        for (const compile::StateEquation& s : system_.state_equations)
            (s.implicit ? result_.implicit : result_.states).push_back({s.state, next(), s.element, s.implicit});
        for (const model::Update& u : updates)
            result_.updates.push_back({system_.graph().discretes[u.discrete].variable, next(), u.element});
        for (const model::When& when : system_.graph().whens) result_.whens.push_back(reading(when));
        return std::move(result_);
    }

   private:
    template <class List, class Get>
    void add(const List& list, const Get& get) {
        for (const auto& item : list) roots_.push_back(get(item));
    }

    Expr next() { return values_[at_++]; }

    void assignment(std::size_t i) {
        const compile::Assignment& a = system_.assignments[i];
        const Expr value = next();
        // held between events: what it becomes there stands with the updates
        if (aliases_.contains(a.target) || system_.graph().discrete_of(a.target)) return;
        if (a.implicit || system_.torn[i]) {
            expression::Graph& graph = *system_.graph().expressions;
            const Expr residual = a.implicit ? value : value - graph.variable(a.target.value);
            result_.implicit.push_back({a.target, residual, a.element});
        } else {
            result_.assignments.push_back({a.target, value, a.element});
        }
    }

    ReadableWhen reading(const model::When& when) {
        ReadableWhen readable{.condition = next(), .reinit = {}, .set = {}, .element = when.element};
        for (const model::WhenAction& a : when.actions) {
            auto& list = a.kind == model::WhenAction::Kind::set ? readable.set : readable.reinit;
            list.push_back({a.name, next()});
        }
        return readable;
    }

    const SortedSystem& system_;
    Aliases aliases_;
    std::vector<Expr> roots_;
    std::vector<Expr> values_;
    std::size_t at_ = 0;
    ReadableSystem result_;
};

}  // namespace

ReadableSystem without_aliases(const SortedSystem& system) { return Reading(system).run(); }

namespace {

/// Whether an element is part of a wrapped component or one itself.
bool is_wrapped(const model::BondGraph& graph, model::ElementId id) {
    if (!id.valid()) return false;
    const model::Element& e = graph.elements[id.index()];
    return e.owner.valid() || e.type->build != nullptr;
}

class Hidden {
   public:
    explicit Hidden(const compile::CompiledModel& model) : model_(model), graph_(model.graph()) {
        is_unknown_.assign(model.values.size(), false);
        for (const compile::Unknown& u : model.unknowns) is_unknown_[u.variable.index()] = true;
    }

    [[nodiscard]] bool contains(VariableId id) const {
        if (is_unknown_[id.index()]) return false;
        while (id.index() >= graph_.variable_count()) id = model_.derived[id.index() - graph_.variable_count()];
        if (id.value >= 2 * graph_.bond_components)
            return is_wrapped(graph_, graph_.slot_variables[id.value - 2 * graph_.bond_components].element);
        const model::Bond& bond = graph_.bonds[graph_.bond_of_component(id.value / 2).index()];
        return is_wrapped(graph_, bond.from) || is_wrapped(graph_, bond.to);
    }

    void replace(std::vector<ReadableEquation>& equations) const {
        expression::Graph& graph = *graph_.expressions;
        for (ReadableEquation& e : equations) {
            const std::array roots{e.value};
            e.value = expression::substitute(graph, roots, [&](std::uint32_t n) -> std::optional<Expr> {
                if (graph[n].op != Op::variable) return std::nullopt;
                if (!contains(VariableId(std::size_t{graph[n].a}))) return std::nullopt;
                return model_.values[graph[n].a];
            })[0];
        }
    }

   private:
    const compile::CompiledModel& model_;
    const model::BondGraph& graph_;
    std::vector<bool> is_unknown_;
};

}  // namespace

ReadableSystem collapsed(ReadableSystem system, const compile::CompiledModel& model) {
    const Hidden hidden(model);
    std::erase_if(system.assignments, [&](const ReadableEquation& e) { return hidden.contains(e.variable); });
    for (auto* list : {&system.assignments, &system.states, &system.implicit, &system.updates}) hidden.replace(*list);
    return system;
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

namespace {

std::string held_text(const SortedSystem& system, std::uint32_t held, PrintStyle style) {
    const model::BondGraph& graph = system.graph();
    if (style == PrintStyle::text) return compile::held_text(graph, *system.events, held);
    if (held < 2 * graph.discretes.size()) {
        const std::string name = expression::latex_name(graph.variable_name(graph.discretes[held / 2].variable));
        return held % 2 == 0 ? name : fmt::format("\\operatorname{{pre}}({})", name);
    }
    const std::size_t sample = held - graph.first_sample();
    if (sample < graph.samples.size()) {
        return fmt::format("\\operatorname{{sample}}({:g}, {:g})", graph.samples[sample].start,
                           graph.samples[sample].period);
    }
    return expression::latex_name(compile::held_text(graph, *system.events, held));
}

}  // namespace

std::string equation_text(const SortedSystem& system, Expr e, PrintStyle style,
                          std::span<const analysis::Symbol> parameters) {
    const auto leaf_name = [&](const expression::Node& leaf) -> std::string {
        const VariableId id{std::size_t{leaf.a}};
        if (leaf.op == Op::derivative) return derivative_text(system, id, style);
        if (leaf.op == Op::held) return held_text(system, leaf.a, style);
        if (leaf.op == Op::parameter && leaf.a >= kFirstAbbreviation) {
            const std::uint32_t number = leaf.a - kFirstAbbreviation + 1;
            return style == PrintStyle::text ? fmt::format("s{}", number) : fmt::format("s_{{{}}}", number);
        }
        if (leaf.op == Op::parameter && leaf.a >= analysis::NamedParameters::kFirstSymbol) {
            const std::string& name = parameters[leaf.a - analysis::NamedParameters::kFirstSymbol].name;
            return style == PrintStyle::text ? name : expression::latex_name(name);
        }
        if (leaf.op == Op::parameter)
            return style == PrintStyle::text ? fmt::format("u{}", leaf.a + 1) : fmt::format("u_{{{}}}", leaf.a + 1);
        return variable_text(system, id, style);
    };
    return expression::to_text(e, leaf_name, style);
}

}  // namespace bondgraph::api
