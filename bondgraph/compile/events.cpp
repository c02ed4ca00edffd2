#include "bondgraph/compile/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "bondgraph/compile/delays.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::compile {

using expression::Node;
using expression::Op;
using model::BondGraph;
using model::VariableId;

namespace {

bool is_inequality(Op op) {
    return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
}

/// Constant between jumps of its value, which are found as relations are: of such an argument.
bool is_step(Op op) { return op == Op::floor || op == Op::ceil || op == Op::sign; }

bool without_events(Op op) { return op == Op::no_event || op == Op::smooth; }

struct Root {
    Expr value;
    model::ElementId element;
    SourcePosition position;
    bool in_equations = false;
};

class Collection {
   public:
    explicit Collection(const BondGraph& g) : g_(g), graph_(*g.expressions) { table_.held_count = g.held_count(); }

    EventTable run() {
        std::vector<model::Update> updates;
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            if (g_.elements[i].type->law == nullptr) continue;
            std::vector<model::Equation> equations;
            std::vector<model::Update> own;
            model::LawContext context(g_, model::ElementId(i), equations, &own);
            g_.elements[i].type->law(context);
            for (const model::Equation& q : equations) {
                find({q.lhs, q.element, q.position, true});
                find({q.rhs, q.element, q.position, true});
            }
            for (const model::Update& u : own) find({u.value, u.element, u.position, false});
            updates.insert(updates.end(), own.begin(), own.end());
        }
        for (const model::When& w : g_.whens) {
            find({w.condition, w.element, w.position, false});
            for (const model::WhenAction& a : w.actions) find({a.value, w.element, a.position, false});
        }
        hold_steps();
        for (Relation& r : table_.relations) r.difference = freeze(g_, table_, r.difference);
        for (model::Update& u : updates) u.value = freeze(g_, table_, u.value);
        table_.updates = std::move(updates);
        table_.whens = g_.whens;
        for (model::When& w : table_.whens) {
            w.condition = freeze(g_, table_, w.condition);
            for (model::WhenAction& a : w.actions) a.value = freeze(g_, table_, a.value);
        }
        return std::move(table_);
    }

   private:
    struct HeldStep {
        std::uint32_t node = 0;
        Root root;
    };

    // What a relation's truth depends on: only continuous quantities need to be watched.
    bool continuous(std::uint32_t node) const {
        const std::array roots{node};
        bool time = false;
        bool held = false;
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            const Node& x = graph_[n];
            if (x.op == Op::derivative) return true;
            if (x.op == Op::variable && !g_.discrete_of(VariableId(std::size_t{x.a}))) return true;
            held = held || x.op == Op::variable || x.op == Op::held;
            time = time || x.op == Op::time;
        }
        return time && held;
    }

    /// Whether a value is taken at sampling instants only.
    bool sampled(std::uint32_t condition) const {
        const std::array roots{condition};
        return std::ranges::any_of(expression::reachable(graph_, roots), [&](std::uint32_t n) {
            return graph_[n].op == Op::held && graph_[n].a >= g_.first_sample() && graph_[n].a < g_.held_count();
        });
    }

    // Steps of states in laws are passed by step control. In what is evaluated at events only, nobody would see them.
    void find(const Root& root) {
        if (root.value.is_literal()) return;
        const Node& top = graph_[root.value.node()];
        if (top.op == Op::variable || top.op == Op::derivative) return;
        const std::array roots{root.value.node()};
        const auto nodes = expression::reachable(graph_, roots);
        const auto any = std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
            return is_inequality(graph_[n].op) || is_step(graph_[n].op);
        });
        if (!any) return;
        std::unordered_map<std::uint32_t, bool> active{{root.value.node(), true}};
        std::unordered_map<std::uint32_t, bool> asked{{root.value.node(), true}};  // between sampling instants, too
        std::vector<std::uint32_t> found;
        std::vector<std::uint32_t> steps;
        for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
            const Node node = graph_[*n];
            if (!active[*n] || without_events(node.op)) continue;
            const bool only_samples = node.op == Op::if_else && sampled(node.a);
            for (const std::uint32_t child : node.operands()) {
                active[child] = true;
                asked[child] = asked[child] || (asked[*n] && !(only_samples && child == node.b));
            }
            if (is_inequality(node.op) && continuous(*n)) found.push_back(*n);
            if (is_step(node.op) && asked[*n] && continuous(*n)) steps.push_back(*n);
        }
        std::reverse(found.begin(), found.end());
        for (const std::uint32_t n : found) add(n, root);
        for (const std::uint32_t n : steps) {
            if (root.in_equations) in_laws_.insert(n);
            if (!root.in_equations && std::ranges::find(steps_, n, &HeldStep::node) == steps_.end())
                steps_.push_back({n, root});
        }
    }

    // Their values are held, behind the truth of all relations, of which each has two more: that its value is too
    // large, and too small.
    void hold_steps() {
        auto held = static_cast<std::uint32_t>(table_.held_count + 2 * steps_.size());
        for (const HeldStep& step : steps_) {
            const Op op = graph_[step.node].op;
            const Expr u = graph_.at(graph_[step.node].a);
            const Expr value = graph_.held(held);
            leave(step, op == Op::sign ? u : op == Op::floor ? u - value : u - (value - 1.0));
            leave(step, op == Op::sign ? -u : op == Op::floor ? value + 1.0 - u : value - u);
            table_.held_of.emplace(step.node, held++);
        }
        table_.held_count += steps_.size();
    }

    void leave(const HeldStep& step, Expr difference) {
        table_.relations.push_back({step.node, difference, static_cast<std::uint32_t>(table_.held_count++),
                                    step.root.element, step.root.position, in_laws_.contains(step.node)});
    }

    void add(std::uint32_t n, const Root& root) {
        const auto [at, fresh] = table_.held_of.emplace(n, static_cast<std::uint32_t>(table_.held_count));
        if (!fresh) {
            Relation& known = table_.relations[at->second - g_.held_count()];
            known.in_equations = known.in_equations || root.in_equations;
            return;
        }
        ++table_.held_count;
        const Node& node = graph_[n];
        const bool less = node.op == Op::less || node.op == Op::less_equal;
        const Expr a = graph_.at(node.a);
        const Expr b = graph_.at(node.b);
        table_.relations.push_back(
            {n, less ? a - b : b - a, at->second, root.element, root.position, root.in_equations});
    }

    const BondGraph& g_;
    expression::Graph& graph_;
    EventTable table_;
    std::vector<HeldStep> steps_;
    std::unordered_set<std::uint32_t> in_laws_;  ///< steps that stand in equations as well
};

}  // namespace

EventTable collect_events(const BondGraph& g) {
    // Most models have nothing of the kind: they pay for one look at their expressions.
    const expression::Graph& graph = *g.expressions;
    bool any = g.held_count() > 0 || !g.whens.empty();
    for (std::uint32_t n = 0; n < graph.size() && !any; ++n) any = is_inequality(graph[n].op);
    for (std::size_t i = 0; i < g.elements.size() && !any; ++i) any = g.elements[i].type->relations;
    return any ? Collection(g).run() : EventTable{};
}

Expr freeze(const BondGraph& g, const EventTable& table, Expr e, std::span<const double> modes) {
    if (table.empty() || e.is_literal()) return e;
    expression::Graph& graph = *g.expressions;
    const auto discrete = [&](std::uint32_t n) -> std::optional<Expr> {
        const Node& node = graph[n];
        if (node.op == Op::variable) {
            const auto d = g.discrete_of(VariableId(std::size_t{node.a}));
            if (!d) return std::nullopt;
            if (!modes.empty() && g.discretes[*d].structural) return Expr(modes[*d]);
            return g.held_value(*d);
        }
        if (node.op == Op::held && !modes.empty() && node.a % 2 == 0 && node.a < 2 * g.discretes.size() &&
            g.discretes[node.a / 2].structural)
            return Expr(modes[node.a / 2]);
        return std::nullopt;
    };
    const std::array roots{e};
    return expression::substitute(graph, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        if (auto d = discrete(n)) return d;
        if (without_events(graph[n].op)) {
            const std::array inside{graph.at(n)};
            return expression::substitute(graph, inside, discrete)[0];
        }
        if (const auto held = table.held_of.find(n); held != table.held_of.end()) return graph.held(held->second);
        return std::nullopt;
    })[0];
}

EventExpressions event_expressions(const BondGraph& graph, const EventTable& table, std::span<const double> modes) {
    EventExpressions result;
    const auto in_mode = [&](Expr e) { return freeze(graph, table, e, modes); };
    for (const Relation& r : table.relations) result.differences.push_back(in_mode(r.difference));
    for (const model::Update& u : table.updates) result.updates.push_back(in_mode(u.value));
    for (const model::When& w : table.whens) {
        result.conditions.push_back(in_mode(w.condition));
        for (const model::WhenAction& a : w.actions) result.actions.push_back(in_mode(a.value));
    }
    return result;
}

std::string held_text(const BondGraph& g, const EventTable& table, std::uint32_t held) {
    const std::size_t discretes = g.discretes.size();
    if (held < 2 * discretes) {
        const std::string name = g.variable_name(g.discretes[held / 2].variable);
        return held % 2 == 0 ? name : fmt::format("pre({})", name);
    }
    std::size_t rest = held - 2 * discretes;
    if (rest < g.adjustable.size()) return g.adjustable[rest].name;
    rest -= g.adjustable.size();
    if (rest < g.free_parameters.size()) return g.free_parameters[rest].name;
    rest -= g.free_parameters.size();
    if (rest < g.samples.size())
        return fmt::format("sample({:g}, {:g})", g.samples[rest].start, g.samples[rest].period);
    rest -= g.samples.size();
    if (rest < g.delays.size()) return delayed_text(g, rest);
    rest -= g.delays.size();
    const bool step = rest >= table.relations.size();  // a value, not whether it is left
    const auto of_value = [&](const auto& known) { return step && known.second == held; };
    const auto value = std::ranges::find_if(table.held_of, of_value);
    if (step && value == table.held_of.end()) return "held";
    const auto name = [&](const Node& leaf) -> std::string {
        if (leaf.op == Op::parameter) return "input";
        if (leaf.op == Op::held) return "held";
        const std::string v = g.variable_name(VariableId(std::size_t{leaf.a}));
        return leaf.op == Op::derivative ? fmt::format("der({})", v) : v;
    };
    std::string text = expression::to_text(g.expressions->at(step ? value->first : table.relations[rest].node), name);
    if (text.size() > 120) text = text.substr(0, 120) + "…";
    return text;
}

}  // namespace bondgraph::compile
