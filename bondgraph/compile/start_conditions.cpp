#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "bondgraph/compile/facts.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/print.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using expression::Node;
using expression::Op;

namespace {

constexpr std::size_t kLongestText = 80;

class StartConditions {
   public:
    explicit StartConditions(const CompiledModel& m) : m_(m), g_(m.graph()), graph_(*g_.expressions) {
        state_.assign(g_.variable_count(), false);
        for (const Unknown& u : m.unknowns) {
            if (u.differential && u.variable.index() < state_.size()) state_[u.variable.index()] = true;
        }
        for (std::size_t i = 0; i < m.derived.size(); ++i)
            derived_.emplace(m.derived[i].index(), m.values[g_.variable_count() + i]);
        if (!m.reduced) return;
        const std::vector<std::uint32_t>& derivative = m.reduced->derivative_of;
        for (std::size_t v = 0; v < derivative.size(); ++v) {
            if (derivative[v] != Id<void>::kNone) derived_.emplace(v, m.values[derivative[v]]);
        }
    }

    std::vector<StartCondition> run() {
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            const model::ElementId id(i);
            const model::Element& e = g_.elements[i];
            for (const model::StartValue& s : e.starts) value(id, s);
            for (const model::GivenEquation& q : e.initial_equations) equation(id, q);
            if (e.steady && !g_.steady) steady(id);
        }
        for (const model::GivenEquation& q : g_.initial_equations) equation({}, q);
        if (g_.steady) {
            for (std::size_t i = 0; i < m_.state_count; ++i) {
                const VariableId state = m_.unknowns[i].variable;
                rest(state, {}, g_.variable_position(state));
            }
        }
        diagnostics_.throw_if_errors();
        return std::move(list_);
    }

   private:
    void value(model::ElementId id, const model::StartValue& s) {
        const auto variable = model::element_variable(g_, id, s.variable);
        for (Eigen::Index k = 0; k < variable->value.size(); ++k) {
            const std::string index = variable->value.size() > 1 ? fmt::format("[{}]", k + 1) : "";
            list_.push_back({m_.in_unknowns(variable->value.data()[k]), m_.in_unknowns(s.value.value.data()[k]),
                             g_.elements[id.index()].name + "." + s.variable + index, id, s.position, s.fixed,
                             StartCondition::Kind::value, s.by_default});
        }
    }

    void equation(model::ElementId id, const model::GivenEquation& q) {
        const std::string text = short_text(q.lhs) + " = " + short_text(q.rhs);
        list_.push_back({with_rates(q.lhs, q.position), with_rates(q.rhs, q.position), text, id, q.position, true,
                         StartCondition::Kind::equation});
    }

    void steady(model::ElementId id) {
        const model::Element& e = g_.elements[id.index()];
        for (const model::Element::Slot& s : e.slots) {
            if (s.kind != model::Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < s.size; ++k) rest(g_.slot_variable(s.first + k), id, e.position);
        }
    }

    void rest(VariableId state, model::ElementId id, SourcePosition position) {
        list_.push_back({with_rates(graph_.derivative(state.value), position), 0.0,
                         fmt::format("der({})", m_.name(state)), id, position, true, StartCondition::Kind::steady});
    }

    // In unknowns, derivatives among them: a state's is an unknown itself, another variable's follows from the states'.
    Expr with_rates(Expr e, SourcePosition position) {
        if (e.is_literal()) return e;
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const Node node = graph_[n];
            if (node.op == Op::variable) return m_.values[node.a];
            if (node.op == Op::derivative) return rate(node.a, position);
            return std::nullopt;
        })[0];
    }

    Expr rate(std::uint32_t variable, SourcePosition position) {
        if (variable < state_.size() && state_[variable]) return graph_.derivative(variable);
        if (const auto known = derived_.find(variable); known != derived_.end()) return known->second;
        const Expr value = m_.values[variable];
        if (value.is_literal()) return 0.0;
        std::optional<std::uint32_t> missing;
        const std::array roots{value};
        const Expr result = expression::time_derivative(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const Node node = graph_[n];
            if (node.op == Op::derivative) missing = node.a;
            if (node.op != Op::variable) return std::nullopt;
            if (node.a < state_.size() && state_[node.a]) return graph_.derivative(node.a);
            missing = node.a;
            return Expr(0.0);
        })[0];
        if (missing) {
            const std::string name = m_.name(VariableId(std::size_t{variable}));
            diagnostics_.error(
                "BG-I005", position, fmt::format("der({}) is not available at the start", name),
                {{"because", fmt::format("'{}' depends on '{}', which is solved for in a loop and not a state", name,
                                         m_.name(VariableId(std::size_t{*missing})))},
                 {"try", "write the equation in derivatives of states ('bondgraph check' lists them)"}});
        }
        return result;
    }

    std::string short_text(Expr e) const {
        std::string text = expression::to_text(e, [&](const Node& leaf) {
            if (leaf.op == Op::held) return held_text(g_, *m_.events, leaf.a);
            if (leaf.op == Op::parameter) return std::string("input");
            const std::string name = m_.name(VariableId(std::size_t{leaf.a}));
            return leaf.op == Op::derivative ? fmt::format("der({})", name) : name;
        });
        if (text.size() <= kLongestText) return text;
        std::size_t cut = kLongestText;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
        return text.substr(0, cut) + "…";
    }

    const CompiledModel& m_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    std::vector<bool> state_;
    std::unordered_map<std::size_t, Expr> derived_;
    std::vector<StartCondition> list_;
    Diagnostics diagnostics_;
};

}  // namespace

std::vector<StartCondition> start_conditions(const CompiledModel& model) { return StartConditions(model).run(); }

}  // namespace bondgraph::compile
