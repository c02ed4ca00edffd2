#include "bondgraph/model/modes.hpp"

#include <array>
#include <cmath>
#include <map>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/companions.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::Op;

std::vector<Update> updates_of(const BondGraph& graph) {
    std::vector<Update> updates;
    if (graph.discretes.empty()) return updates;
    std::vector<Equation> unused;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const Element& e = graph.elements[i];
        if (e.type->law == nullptr || (e.type->discretes.empty() && e.given_updates.empty())) continue;
        LawContext context(graph, ElementId(i), unused, &updates);
        e.type->law(context);
        unused.clear();
    }
    return updates;
}

namespace {

/// What is known of a model before anything is solved for: discrete variables by their starts and updates, and signals
/// that depend on nothing but them, parameters and time.
class KnownAtStart {
   public:
    explicit KnownAtStart(const BondGraph& graph) : graph_(graph), discretes_(graph.discretes.size(), 0.0) {
        for (std::size_t d = 0; d < discretes_.size(); ++d)
            discretes_[d] = value(graph.discretes[d].start).value_or(0.0);
    }

    std::vector<double> run() {
        const std::vector<Update> updates = updates_of(graph_);
        if (!take(updates)) find_signals();
        // A block may switch by what another one puts out.
        for (int round = 0; round < kMostRounds && !signals_.empty(); ++round) {
            evaluate_signals();
            const std::vector<double> before = discretes_;
            take(updates);
            if (discretes_ == before) break;
        }
        return discretes_;
    }

    /// After run().
    [[nodiscard]] std::vector<std::size_t> open() const {
        std::vector<std::size_t> result;
        for (const Update& u : updates_of(graph_)) {
            if (!is_left_to_events(u) && !value(u.value)) result.push_back(u.discrete);
        }
        return result;
    }

   private:
    // Longer chains are left to the search for a consistent start.
    static constexpr int kMostRounds = 100;

    struct Signal {
        std::uint32_t variable = 0;
        Expr value;
    };

    /// The state of a state machine: that it starts with.
    bool is_left_to_events(const Update& u) const {
        return graph_.discretes[u.discrete].at_events_only && graph_.elements[u.element.index()].declaration != nullptr;
    }

    /// Whether all of them are known.
    bool take(const std::vector<Update>& updates) {
        bool all = true;
        for (const Update& u : updates) {
            if (is_left_to_events(u)) continue;
            const auto next = value(u.value);
            if (next) discretes_[u.discrete] = *next;
            all = all && next;
        }
        return all;
    }

    /// Equations "variable = expression" of components without ports.
    void find_signals() {
        std::vector<Equation> equations;
        for (std::size_t i = 0; i < graph_.elements.size(); ++i) {
            const Element& e = graph_.elements[i];
            if (!e.ports.empty() || e.type->law == nullptr || e.type->build != nullptr) continue;
            LawContext context(graph_, ElementId(i), equations);
            e.type->law(context);
        }
        for (const Equation& q : equations) {
            if (q.lhs.is_literal()) continue;
            const expression::Node& node = (*graph_.expressions)[q.lhs.node()];
            if (node.op == Op::variable) signals_.push_back({node.a, q.rhs});
        }
    }

    void evaluate_signals() {
        known_.clear();
        bool progress = true;
        for (int round = 0; progress && round < kMostRounds; ++round) {
            progress = false;
            for (const Signal& s : signals_) {
                if (known_.contains(s.variable)) continue;
                if (const auto found = value(s.value)) progress = known_.emplace(s.variable, *found).second;
            }
        }
    }

    std::optional<double> value(Expr e) const {
        if (!e.is_literal()) {
            const std::array roots{e};
            e = expression::substitute(*graph_.expressions, roots,
                                       [&](std::uint32_t n) { return leaf((*graph_.expressions)[n]); })[0];
        }
        if (!e.is_constant() || !std::isfinite(e.constant())) return std::nullopt;
        return e.constant();
    }

    std::optional<Expr> leaf(const expression::Node& node) const {
        if (node.op == Op::time) return Expr(graph_.start_time);
        if (node.op == Op::held && node.a < 2 * discretes_.size()) return Expr(discretes_[node.a / 2]);
        if (node.op == Op::held && node.a < graph_.first_free())
            return Expr(graph_.adjustable[node.a - graph_.first_adjustable()].value);
        if (node.op != Op::variable) return std::nullopt;
        if (const auto d = graph_.discrete_of(VariableId(std::size_t{node.a}))) return Expr(discretes_[*d]);
        if (const auto known = known_.find(node.a); known != known_.end()) return Expr(known->second);
        return std::nullopt;
    }

    const BondGraph& graph_;
    std::vector<double> discretes_;
    std::vector<Signal> signals_;
    std::map<std::uint32_t, double> known_;
};

}  // namespace

std::vector<double> start_modes(const BondGraph& graph) {
    return graph.discretes.empty() ? std::vector<double>{} : KnownAtStart(graph).run();
}

std::vector<std::size_t> open_at_start(const BondGraph& graph) {
    KnownAtStart known(graph);
    known.run();
    return known.open();
}

PortCausality demanded_causality(const BondGraph& graph, std::span<const double> modes, ElementId element,
                                 std::size_t port, std::size_t component) {
    const Element& e = graph.elements[element.index()];
    // Of a two-port computed one way, the far port gives the flow and the near one the effort.
    if (e.directed) return *e.directed == (port == 0) ? PortCausality::effort_out : PortCausality::flow_out;
    if (e.type->mode_causality != nullptr) {
        std::vector<double> own;
        for (const Element::Slot& s : e.slots) {
            if (s.kind == Element::Slot::Kind::discrete) own.push_back(modes[s.first_discrete]);
        }
        const bool at_rest = e.type->rests && own.front() == *e.type->rests;
        if (at_rest && rests_beside_another(graph, element, modes)) return PortCausality::effort_out;
        return e.type->mode_causality(e, port, component, own);
    }
    return e.type->causality == nullptr ? PortCausality::free : e.type->causality(e, port, component);
}

}  // namespace bondgraph::model
