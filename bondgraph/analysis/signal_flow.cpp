#include "bondgraph/analysis/signal_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::analysis {
namespace {

using expression::Expr;
using expression::Op;
using Node = std::uint32_t;
using EdgeMap = std::map<std::pair<Node, Node>, Laurent>;

constexpr Node kNoFlowNode = static_cast<Node>(-1);

// Nodes reachable from `from` along edges (against them with `back`).
std::vector<bool> reachable(const EdgeMap& edges, std::size_t nodes, const std::vector<Node>& from, bool back) {
    std::vector<bool> seen(nodes, false);
    std::vector<Node> open = from;
    for (const Node n : from) seen[n] = true;
    while (!open.empty()) {
        const Node n = open.back();
        open.pop_back();
        for (const auto& [ends, gain] : edges) {
            const auto [a, b] = back ? std::pair(ends.second, ends.first) : ends;
            if (a != n || seen[b]) continue;
            seen[b] = true;
            open.push_back(b);
        }
    }
    return seen;
}

class Building {
   public:
    Building(const causality::CausalGraph& causal, const NamedParameters& parameters, Dynamics dynamics)
        : causal_(causal), g_(*causal.graph), graph_(*g_.expressions), dynamics_(dynamics) {
        flow_.symbols = parameters.symbols();
        for (const Symbol& s : flow_.symbols) flow_.latex.push_back(expression::latex_name(s.name));
    }

    SignalFlow run(std::span<const FlowOutput> outputs) {
        if (!g_.discretes.empty() || !g_.whens.empty() || !g_.samples.empty())
            throw NoGains("the model changes at events");
        if (!g_.delays.empty()) throw NoGains("the model has delays, whose gain is no quotient of polynomials");
        equations_ = compile::gather_equations(causal_, true, std::make_shared<compile::EventTable>());
        try {
            compile::match_equations(equations_);
        } catch (const ModelError&) {
            throw NoGains("the strokes alone don't determine all variables");
        }
        for (Node v = 0; v < g_.variable_count(); ++v) {
            flow_.nodes.push_back(g_.variable_name(model::VariableId(std::size_t{v})));
            rate_.push_back(kNoFlowNode);
        }
        for (const compile::InputChannel& input : equations_.inputs) {
            flow_.inputs.push_back(static_cast<Node>(flow_.nodes.size()));
            flow_.nodes.push_back(input.name);
        }
        for (Node i = 0; i < equations_.equations.size(); ++i) define(i);
        for (const FlowOutput& o : outputs) output(o);
        // Nodes of rates come as they are asked for; each may ask for others.
        for (std::size_t k = 0; k < wanted_.size(); ++k) differentiate(wanted_[k]);
        sources_first(dynamics_ == Dynamics::transfer && !outputs.empty());
        return finish();
    }

   private:
    /// Sources are the inputs; signal blocks, which transfer functions may ask for, follow where they are kept.
    void sources_first(bool keep_signals) {
        std::vector<Node> sources;
        std::vector<Node> signals;
        for (std::size_t k = 0; k < equations_.inputs.size(); ++k) {
            const model::Element& e = g_.elements[equations_.inputs[k].element.index()];
            (e.type->is_source() ? sources : signals).push_back(flow_.inputs[k]);
        }
        if (keep_signals) sources.insert(sources.end(), signals.begin(), signals.end());
        flow_.inputs = std::move(sources);
    }

    void edge(Node from, Node to, const Laurent& gain) {
        const auto [at, fresh] = edges_.emplace(std::pair(from, to), gain);
        if (!fresh) at->second += gain;
    }

    // The node of a leaf: a variable, its rate, or a source's value.
    Node node_of(const expression::Node& leaf) {
        if (leaf.op == Op::variable) return leaf.a;
        if (leaf.op == Op::parameter) return flow_.inputs[leaf.a];
        return rate_node(leaf.a);
    }

    Node rate_node(Node v) {
        if (rate_[v] != kNoFlowNode) return rate_[v];
        rate_[v] = static_cast<Node>(flow_.nodes.size());
        flow_.nodes.push_back(fmt::format("der({})", flow_.nodes[v]));
        if (equations_.is_state[v]) {
            flow_.states.push_back(v);
            if (dynamics_ == Dynamics::transfer) edge(rate_[v], v, Laurent::symbol(kFrequency, -1));
        } else if (dynamics_ == Dynamics::transfer) {
            edge(v, rate_[v], Laurent::symbol(kFrequency));
        } else {
            wanted_.push_back(v);
        }
        return rate_[v];
    }

    struct Term {
        expression::Node leaf;
        Laurent gain;
    };

    [[noreturn]] void refuse(const std::string& what) const {
        throw NoGains(fmt::format("{} is not linear with constant coefficients", what));
    }

    // e as Σ gain · leaf + what doesn't depend on leaves.
    std::vector<Term> terms(Expr e, const std::string& what) {
        std::vector<Term> result;
        if (e.is_literal()) return result;
        std::vector<Expr> leaves;
        const std::array roots{e.node()};
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            const expression::Node& node = graph_[n];
            const bool source = node.op == Op::parameter && node.a < NamedParameters::kFirstSymbol;
            if (node.op == Op::variable || node.op == Op::derivative || source) leaves.push_back(graph_.at(n));
            if (node.op == Op::held) refuse(what);
        }
        const std::vector<Expr> slopes = expression::gradient(e, leaves);
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            Laurent gain = coefficient(slopes[k], what);
            if (!gain.is_zero()) result.push_back({graph_[leaves[k].node()], std::move(gain)});
        }
        return result;
    }

    Laurent coefficient(Expr e, const std::string& what) {
        if (e.is_constant()) return e.constant();
        const std::array roots{e.node()};
        std::map<std::uint32_t, Laurent> values;
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            const expression::Node& node = graph_[n];
            const auto of = [&](std::uint32_t child) -> const Laurent& { return values.at(child); };
            switch (node.op) {
                case Op::constant:
                    values[n] = node.number();
                    break;
                case Op::negate:
                    values[n] = -of(node.a);
                    break;
                case Op::add:
                    values[n] = of(node.a) + of(node.b);
                    break;
                case Op::subtract:
                    values[n] = of(node.a) - of(node.b);
                    break;
                case Op::multiply:
                    values[n] = of(node.a) * of(node.b);
                    break;
                case Op::divide:
                    values[n] = of(node.a) * inverse(of(node.b), what);
                    break;
                case Op::parameter:
                    if (node.a < NamedParameters::kFirstSymbol) refuse(what);
                    values[n] = Laurent::symbol(1 + node.a - NamedParameters::kFirstSymbol);
                    break;
                default:
                    refuse(what);
            }
        }
        return values.at(e.node());
    }

    // The parameters that have names stand in laws as factors, so that what is divided by has one term.
    [[nodiscard]] Laurent inverse(const Laurent& divisor, const std::string& what) const {
        if (!divisor.is_single()) refuse(what);
        return divisor.inverse();
    }

    static std::vector<std::string> names_of(const std::vector<Symbol>& symbols) {
        std::vector<std::string> names;
        for (const Symbol& s : symbols) names.push_back(s.name);
        return names;
    }
    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> result;
        for (const Symbol& s : flow_.symbols) result.push_back(s.value);
        return result;
    }

    // What a law without gains determines is of no matter as long as nothing that is asked for depends on it.
    void define(Node i) {
        const compile::OrientedEquation& q = equations_.equations[i];
        const Node v = q.target.value;
        const Node target = equations_.is_state[v] ? rate_node(v) : v;
        try {
            solve(q, target);
        } catch (const NoGains& e) {
            refused_.emplace(target, e.what());
        }
    }

    void solve(const compile::OrientedEquation& q, Node target) {
        const std::string what = fmt::format("the law of '{}'", g_.elements[q.element.index()].name);
        const std::vector<Term> sum = terms(q.lhs - q.rhs, what);
        Laurent own;
        for (const Term& t : sum) {
            if (node_of(t.leaf) == target) own = t.gain;
        }
        if (own.is_zero()) {
            throw NoGains(fmt::format("'{}' is determined by constraints, not along the strokes", flow_.nodes[target]));
        }
        const Laurent factor = -inverse(own, what);
        for (const Term& t : sum) {
            if (const Node from = node_of(t.leaf); from != target) edge(from, target, t.gain * factor);
        }
    }

    void output(const FlowOutput& o) {
        const std::vector<Term> sum = terms(o.value, fmt::format("'{}'", o.name));
        if (sum.size() == 1 && sum[0].leaf.op == Op::variable && sum[0].gain.is_number(1.0)) {
            flow_.outputs.push_back(sum[0].leaf.a);
            return;
        }
        flow_.outputs.push_back(static_cast<Node>(flow_.nodes.size()));
        flow_.nodes.push_back(o.name);
        const Node node = flow_.outputs.back();
        for (const Term& t : sum) edge(node_of(t.leaf), node, t.gain);
    }

    // der(v) from what v is the sum of.
    void differentiate(Node v) {
        if (const auto at = refused_.find(v); at != refused_.end()) refused_.emplace(rate_[v], at->second);
        std::vector<std::pair<Node, Laurent>> into;
        for (const auto& [ends, gain] : edges_) {
            if (ends.second == v) into.emplace_back(ends.first, gain);
        }
        for (const auto& [from, gain] : into) {
            edge(from < g_.variable_count() ? rate_node(from) : beyond(from), rate_[v], gain);
        }
    }

    // The derivative of a source's value, or the second one of a variable: nothing of a state space may depend on it.
    Node beyond(Node node) {
        const auto [at, fresh] = beyond_.emplace(node, static_cast<Node>(flow_.nodes.size()));
        if (fresh) flow_.nodes.push_back(fmt::format("der({})", flow_.nodes[node]));
        return at->second;
    }

    void check_proper() const {
        std::vector<Node> ends = flow_.outputs;
        ends.insert(ends.end(), flow_.rates.begin(), flow_.rates.end());
        const auto to_end = reachable(edges_, flow_.nodes.size(), ends, true);
        for (const auto& [of, derivative] : beyond_) {
            if (to_end[derivative]) throw NoGains(fmt::format("it depends on the derivative of '{}'", flow_.nodes[of]));
        }
    }

    /// What has no gain must lead to no output, or where there are none, to nothing at all.
    void check_refused() const {
        std::vector<Node> ends = flow_.outputs;
        ends.insert(ends.end(), flow_.rates.begin(), flow_.rates.end());
        for (const auto& [node, reason] : refused_) {
            const auto from = reachable(edges_, flow_.nodes.size(), {node}, false);
            const bool leads = ends.empty()
                                   ? std::count(from.begin(), from.end(), true) > 1
                                   : std::any_of(ends.begin(), ends.end(), [&](Node end) { return from[end]; });
            if (leads) throw NoGains(reason);
        }
    }

    SignalFlow finish() {
        std::sort(flow_.states.begin(), flow_.states.end());
        if (dynamics_ == Dynamics::state_space) {
            for (const Node v : flow_.states) flow_.rates.push_back(rate_[v]);
            check_proper();
        }
        check_refused();
        for (auto& [ends, gain] : edges_) {
            if (!gain.is_zero()) flow_.edges.push_back({ends.first, ends.second, gain});
        }
        flow_.names = names_of(flow_.symbols);
        flow_.values = values();
        return std::move(flow_);
    }

    const causality::CausalGraph& causal_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    Dynamics dynamics_;
    compile::EquationSystem equations_;
    SignalFlow flow_;
    EdgeMap edges_;
    std::vector<Node> rate_;
    std::vector<Node> wanted_;
    std::map<Node, Node> beyond_;
    std::map<Node, std::string> refused_;  ///< nodes whose law has no gains, and why
};

}  // namespace

SignalFlow signal_flow(const causality::CausalGraph& causal, const NamedParameters& parameters,
                       std::span<const FlowOutput> outputs, Dynamics dynamics) {
    return Building(causal, parameters, dynamics).run(outputs);
}

namespace {

// Puts the only edge into `v` into those that leave it.
bool pass_over(EdgeMap& edges, Node v) {
    std::vector<EdgeMap::iterator> into;
    std::vector<EdgeMap::iterator> out_of;
    for (auto e = edges.begin(); e != edges.end(); ++e) {
        if (e->first.second == v) into.push_back(e);
        if (e->first.first == v) out_of.push_back(e);
    }
    if (into.size() != 1 || into[0]->first.first == v) return false;
    const Laurent gain = into[0]->second;
    if (!gain.is_number(1.0) && !gain.is_number(-1.0)) return false;
    const Node from = into[0]->first.first;
    edges.erase(into[0]);
    for (const auto& e : out_of) {
        const Node to = e->first.second;
        const Laurent through = gain * e->second;
        edges.erase(e);
        const auto [at, fresh] = edges.emplace(std::pair(from, to), through);
        if (!fresh) at->second += through;
        if (at->second.is_zero()) edges.erase(at);
    }
    return true;
}

}  // namespace

SignalFlow simplified(const SignalFlow& flow) {
    EdgeMap edges;
    for (const FlowEdge& e : flow.edges) edges.emplace(std::pair(e.from, e.to), e.gain);
    std::vector<bool> kept(flow.nodes.size(), false);
    for (const auto* list : {&flow.inputs, &flow.outputs, &flow.states, &flow.rates}) {
        for (const Node n : *list) kept[n] = true;
    }
    for (Node v = 0; v < flow.nodes.size(); ++v) {
        if (!kept[v]) pass_over(edges, v);
    }
    std::vector<Node> ends = flow.outputs;
    ends.insert(ends.end(), flow.rates.begin(), flow.rates.end());
    SignalFlow result = flow;
    result.edges.clear();
    std::vector<Node> starts = flow.inputs;
    if (!flow.rates.empty()) starts.insert(starts.end(), flow.states.begin(), flow.states.end());
    const auto from_start = reachable(edges, flow.nodes.size(), starts, false);
    const auto to_end = reachable(edges, flow.nodes.size(), ends, true);
    for (auto& [e, gain] : edges) {
        if (ends.empty() || (from_start[e.first] && to_end[e.second]))
            result.edges.push_back({e.first, e.second, gain});
    }
    return result;
}

}  // namespace bondgraph::analysis
