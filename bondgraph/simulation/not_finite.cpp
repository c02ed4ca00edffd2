// What has no finite value at a point, in the words of who wrote it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/expression/operations.hpp"
#include "bondgraph/expression/print.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

// The part of an equation that is `node` once everything is put in that others determine.
std::optional<std::uint32_t> written_part(const CompiledModel& m, const model::GivenEquation& equation,
                                          std::uint32_t node) {
    const expression::Graph& graph = *m.graph().expressions;
    for (const expression::Expr& side : {equation.lhs, equation.rhs}) {
        if (side.is_literal()) continue;
        const std::array roots{side.node()};
        for (const std::uint32_t n : expression::reachable(graph, roots)) {
            if (graph[n].op != graph[node].op) continue;
            const expression::Expr put_in = m.in_unknowns(m.graph().expressions->at(n));
            if (!put_in.is_literal() && put_in.node() == node) return n;
        }
    }
    return std::nullopt;
}

// The component in whose parameters or law the expression stands as it was written; of parts of wrapped components
// also as it reads when what others compute has been put in (the length of a spring, by the angles of the joints).
bool find_origin(const CompiledModel& m, std::uint32_t node, NotFinite& result) {
    const model::BondGraph& g = m.graph();
    const auto holds = [&](const expression::Expr& x) {
        if (x.is_literal()) return false;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(*g.expressions, roots);
        return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    };
    const auto blame = [&](const model::Element& e, SourcePosition position) {
        result.component = fmt::format("'{}' ({})", e.name, e.type->name);
        result.two_port = e.type->is_two_port() && !e.owner.valid();
        result.position = position.known() ? position : e.position;
        return true;
    };
    for (const model::Element& e : g.elements) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k]) continue;
            for (const auto& x : e.parameters[k]->value.reshaped()) {
                if (holds(x)) return blame(e, e.parameter_positions[k]);
            }
        }
        for (const auto& equation : e.given_equations) {
            if (holds(equation.lhs) || holds(equation.rhs)) return blame(e, equation.position);
        }
    }
    // A law in terms of its own effort or flow, which others determine: as it was written.
    for (const model::Element& e : g.elements) {
        if (e.owner.valid()) continue;
        for (const auto& equation : e.given_equations) {
            const auto part = written_part(m, equation, node);
            if (!part) continue;
            result.written = part;
            return blame(e, equation.position);
        }
    }
    for (const model::Element& e : g.elements) {
        if (!e.owner.valid()) continue;
        const model::Element& owner = g.elements[e.owner.index()];
        for (const auto& parameter : e.parameters) {
            if (!parameter) continue;
            for (const auto& x : parameter->value.reshaped()) {
                if (!x.is_constant() && holds(m.in_unknowns(x))) return blame(owner, owner.position);
            }
        }
    }
    return false;
}

std::string cut(std::string text) {
    constexpr std::size_t kMost = 200;
    return text.size() > kMost ? fmt::format("{}…", std::string_view(text).substr(0, kMost)) : text;
}

double value_at(Evaluator& ev, std::uint32_t node, const Point& point) {
    const std::array wanted{ev.model().graph().expressions->at(node)};
    const expression::Tape tape = ev.model().tape(wanted);
    std::vector<double> work = tape.make_workspace<double>();
    double value = 0.0;
    ev.run(tape, work, point.time, point.y, point.yp, {&value, 1});
    return value;
}

/// The storages whose states an expression needs: "'m'".
std::vector<std::string> storages_in(const CompiledModel& m, std::uint32_t node) {
    const model::BondGraph& g = m.graph();
    std::vector<std::string> names;
    const std::array roots{node};
    for (const std::uint32_t n : expression::reachable(*g.expressions, roots)) {
        const expression::Node& leaf = (*g.expressions)[n];
        if (leaf.op != expression::Op::variable || leaf.a < 2 * g.bond_components || leaf.a >= g.variable_count())
            continue;
        const model::Element& e = g.elements[g.slot_variables[leaf.a - 2 * g.bond_components].element.index()];
        const std::string name = fmt::format("'{}'", e.name);
        if (e.type->is_storage() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

std::string quoted_name(const CompiledModel& m, model::ElementId e) {
    return fmt::format("'{}'", m.graph().elements[e.index()].name);
}

/// The storages that are no states because one of these decides them: "'J'".
std::vector<std::string> dependent_on(const CompiledModel& m, const std::vector<std::string>& states) {
    const auto among = [&](model::ElementId e) {
        return std::find(states.begin(), states.end(), quoted_name(m, e)) != states.end();
    };
    std::vector<std::string> names;
    for (const causality::StorageCausality& s : m.causal->storages) {
        if (s.integral || std::none_of(s.depends_on.begin(), s.depends_on.end(), among)) continue;
        const std::string name = quoted_name(m, s.element);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

// The expression itself, who wrote it, where that can be found, and what is impossible about it.
void blame_node(Evaluator& ev, std::uint32_t node, const Point& point, NotFinite& result) {
    const CompiledModel& m = ev.model();
    result.because = "it divides by zero, takes a root or logarithm of a value that has none, or overflows";
    result.remedy = "check the parameters there, or start from another value (initial:)";
    if (node == expression::kNoNode) return;
    const auto name = [&](const expression::Node& leaf) {
        const std::string v =
            leaf.op == expression::Op::parameter ? "input" : m.name(compile::VariableId(std::size_t{leaf.a}));
        return leaf.op == expression::Op::derivative ? fmt::format("der({})", v) : v;
    };
    result.expression = expression::to_text(m.graph().expressions->at(node), name);
    const expression::Node culprit = (*m.graph().expressions)[node];
    // A modulus or a resistance of 0 is divided by where causality wants it, not where it was written.
    if (!find_origin(m, node, result) && culprit.op == expression::Op::divide) find_origin(m, culprit.b, result);
    const auto text_of = [&](std::uint32_t n) { return cut(expression::to_text(m.graph().expressions->at(n), name)); };
    result.expression = result.written ? text_of(*result.written) : cut(std::move(result.expression));
    const expression::Node shown = result.written ? (*m.graph().expressions)[*result.written] : culprit;
    if (const std::string_view what = expression::operation(culprit.op).required; !what.empty()) {
        result.because = fmt::format("there is no {} of {}, which is {:g} there", what, text_of(shown.a),
                                     value_at(ev, culprit.a, point));
    }
    if (culprit.op != expression::Op::divide || value_at(ev, culprit.b, point) != 0.0) return;
    result.because = fmt::format("it divides by {}, which is 0 there", text_of(shown.b));
    const std::vector<std::string> states = storages_in(m, culprit.a);
    if (!result.two_port || states.empty()) return;
    result.because += fmt::format(": from {}, a state, nothing follows for the other side of {}",
                                  fmt::join(states, ", "), result.component);
    const std::vector<std::string> others = dependent_on(m, states);
    result.remedy = fmt::format(
        "let {} be the state ('states: prefer' there, not at {}), or start from another position (initial:)",
        others.empty() ? "a storage on its other side" : fmt::format("{}", fmt::join(others, " or ")),
        fmt::join(states, ", "));
}

}  // namespace

NotFinite explain_not_finite(Evaluator& ev, const expression::Tape& tape, const Point& point) {
    const auto hold = ev.model().hold();
    NotFinite result;
    blame_node(ev, tape.first_not_finite(ev.inputs(point.time, point.y, point.yp)), point, result);
    return result;
}

NotFinite explain_not_finite(Evaluator& ev, double time, std::span<const double> y, std::span<const double> yp) {
    const auto hold = ev.model().hold();
    const CompiledModel& m = ev.model();
    const auto inputs = ev.inputs(time, y, yp);
    NotFinite result;
    const std::uint32_t node = m.residual.first_not_finite(inputs);
    std::vector<double> f(m.size());
    ev.residual(time, y, yp, f);
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (std::isfinite(f[i])) continue;
        const auto& e = m.graph().elements[m.rows[i].element.index()];
        result.component = fmt::format("'{}' ({})", e.name, e.type->name);
        result.position = m.rows[i].position.known() ? m.rows[i].position : e.position;
        break;
    }
    blame_node(ev, node, {time, {y.begin(), y.end()}, {yp.begin(), yp.end()}}, result);
    return result;
}

}  // namespace bondgraph::simulation
