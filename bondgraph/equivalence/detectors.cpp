#include "bondgraph/equivalence/detectors.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/graph_expressions.hpp"
#include "bondgraph/model/remove_elements.hpp"

namespace bondgraph::equivalence {
namespace {

using expression::Expr;
using expression::Node;
using expression::Op;
using model::Bond;
using model::BondGraph;
using model::BondId;
using model::Element;
using model::ElementId;
using model::Port;
using model::Structure;

/// It hands on effort and flow, and tells something.
bool is_power_detector(const Element& e) {
    return e.type->structure == Structure::wiring && !e.type->outputs.empty() && e.ports.size() == 2;
}

ElementId beyond(const BondGraph& graph, const Port& port) {
    const Bond& b = graph.bonds[port.bond.index()];
    return port.at_head ? b.from : b.to;
}

/// Which of its variables a detector holds at 0.
bool gives(const Element& e, model::PortCausality what) { return e.type->causality(e, 0, 0) == what; }

/// Whether a detector leaves the junction it is at as it was: what it has of no effort is one of a sum, and likewise
/// what it has of no flow.
bool leaves_junction(const BondGraph& graph, const Element& e) {
    if (!is_detector(e)) return false;
    const bool no_effort = gives(e, model::PortCausality::effort_out);
    const Element& far = graph.elements[beyond(graph, e.ports[0]).index()];
    return !far.owner.valid() && far.type->structure == (no_effort ? Structure::junction1 : Structure::junction0);
}

/// The junction that a detector holds at 0 to see a sum there, such as the difference of two voltages, where that is
/// all that the junction is for: its other bonds lead to junctions of the other kind, from which they take nothing.
ElementId probed_junction(const BondGraph& graph, const Element& e) {
    if (!is_detector(e)) return {};
    const bool no_flow = gives(e, model::PortCausality::flow_out);
    const ElementId id = beyond(graph, e.ports[0]);
    const Element& junction = graph.elements[id.index()];
    if (junction.owner.valid() || junction.type->structure != (no_flow ? Structure::junction1 : Structure::junction0))
        return {};
    for (const Port& p : junction.ports) {
        const Element& far = graph.elements[beyond(graph, p).index()];
        const bool other_kind = far.type->structure == (no_flow ? Structure::junction0 : Structure::junction1);
        if (far.name != e.name && (far.owner.valid() || !other_kind)) return {};
    }
    return id;
}

/// Detectors with the junctions that they hold at 0.
using Probes = std::vector<std::pair<std::size_t, std::size_t>>;

Probes probes_of(const BondGraph& graph) {
    Probes result;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        if (const ElementId junction = probed_junction(graph, graph.elements[i]); junction.valid())
            result.emplace_back(i, junction.index());
    }
    return result;
}

/// Whether its two bonds can be made one.
bool stands_in_a_bond(const Element& e) {
    if (!is_power_detector(e)) return false;
    const Port& in = e.ports[0];
    const Port& out = e.ports[1];
    return in.at_head && !out.at_head && in.sign == 1 && out.sign == 1 && in.bond.index() != out.bond.index();
}

bool is_plain_block(const Element& e) {
    return e.type->structure == Structure::block && e.ports.empty() && e.connectors.empty() &&
           e.type->build == nullptr && !e.sample && !e.delay;
}

/// What may be left out if nothing reads it.
std::vector<bool> candidates(const BondGraph& graph, const Probes& probes) {
    std::vector<bool> result;
    for (const Element& e : graph.elements) {
        const bool of_its_own = !e.owner.valid() && !e.steady && e.initial_equations.empty() &&
                                e.given_updates.empty() && e.motions.empty();
        result.push_back(of_its_own && !graph.steady &&
                         (leaves_junction(graph, e) || stands_in_a_bond(e) || is_plain_block(e) ||
                          probed_junction(graph, e).valid()));
    }
    for (const auto& [detector, junction] : probes) result[junction] = result[detector];
    const auto keep = [&](ElementId id) {
        if (id.valid()) result[id.index()] = false;
    };
    for (const model::DiscreteVariable& d : graph.discretes) keep(d.element);
    for (const model::When& w : graph.whens) keep(w.element);
    return result;
}

/// The leaves that what stays depends on.
std::vector<Node> leaves_read(BondGraph graph, const std::vector<bool>& gone) {
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        Element& e = graph.elements[i];
        if (gone[i]) e = Element{.name = e.name, .type = e.type};
    }
    graph.handed_signals.clear();  // they only give names to what others read
    std::vector<std::uint32_t> roots;
    model::for_each_expression(graph, [&](Expr& e) {
        if (!e.is_literal()) roots.push_back(e.node());
    });
    std::vector<Node> result;
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
        const Node& node = (*graph.expressions)[n];
        if (node.op == Op::variable || node.op == Op::derivative) result.push_back(node);
    }
    return result;
}

class Removal {
   public:
    Removal(BondGraph& graph, const std::vector<bool>& gone)
        : g_(graph), gone_(gone), bond_gone_(graph.bonds.size()), same_as_(graph.bonds.size()) {
        for (std::uint32_t b = 0; b < same_as_.size(); ++b) same_as_[b] = b;
    }

    void run() {
        for (std::size_t i = 0; i < gone_.size(); ++i) {
            if (!gone_[i]) continue;
            if (is_power_detector(g_.elements[i])) {
                join_bonds(g_.elements[i]);
            } else {
                for (const Port& p : g_.elements[i].ports) bond_gone_[p.bond.index()] = true;
            }
        }
        read_elsewhere();
        remove_bonds();
        model::remove_elements(g_, gone_);
        g_.handed_signals.clear();
    }

   private:
    /// The bond into it goes on to where the one out of it leads.
    void join_bonds(const Element& e) {
        const std::uint32_t in = e.ports[0].bond.value;
        const std::uint32_t out = e.ports[1].bond.value;
        Bond& b = g_.bonds[in];
        b.to = g_.bonds[out].to;
        b.to_port = g_.bonds[out].to_port;
        Port& port = g_.elements[b.to.index()].ports[b.to_port];
        port.bond = BondId(std::size_t{in});
        port.first_effort = 2 * b.first;
        bond_gone_[out] = true;
        same_as_[out] = in;
    }

    /// Efforts and flows of bonds that have become part of others.
    void read_elsewhere() {
        std::map<std::uint32_t, std::uint32_t> moved;  // bond components
        for (std::uint32_t b = 0; b < same_as_.size(); ++b) {
            std::uint32_t last = b;
            while (same_as_[last] != last) last = same_as_[last];
            for (std::uint32_t k = 0; last != b && k < g_.bonds[b].size; ++k)
                moved[g_.bonds[b].first + k] = g_.bonds[last].first + k;
        }
        if (moved.empty()) return;
        std::vector<Expr*> places;
        std::vector<Expr> roots;
        model::for_each_expression(g_, [&](Expr& e) {
            if (e.is_literal()) return;
            places.push_back(&e);
            roots.push_back(e);
        });
        const auto replacement = [&](std::uint32_t number) -> std::optional<Expr> {
            const Node node = (*g_.expressions)[number];
            if (node.op != Op::variable && node.op != Op::derivative) return std::nullopt;
            const auto found = node.a < 2 * g_.bond_components ? moved.find(node.a / 2) : moved.end();
            if (found == moved.end()) return std::nullopt;
            const std::uint32_t index = 2 * found->second + node.a % 2;
            return node.op == Op::variable ? g_.expressions->variable(index) : g_.expressions->derivative(index);
        };
        const std::vector<Expr> renewed = expression::substitute(*g_.expressions, roots, replacement);
        for (std::size_t i = 0; i < places.size(); ++i) *places[i] = renewed[i];
    }

    void remove_bonds() {
        std::vector<std::size_t> moved(g_.bonds.size());
        std::vector<Bond> bonds;
        for (std::size_t b = 0; b < g_.bonds.size(); ++b) {
            if (bond_gone_[b]) continue;
            moved[b] = bonds.size();
            bonds.push_back(g_.bonds[b]);
        }
        std::erase_if(g_.bond_by_name, [&](const auto& named) { return bond_gone_[named.second.bond.index()]; });
        for (auto& [name, named] : g_.bond_by_name) named.bond = BondId(moved[named.bond.index()]);
        g_.bonds = std::move(bonds);
        for (std::size_t i = 0; i < gone_.size(); ++i) {
            if (gone_[i]) continue;
            std::vector<Port>& ports = g_.elements[i].ports;
            std::erase_if(ports, [&](const Port& p) { return bond_gone_[p.bond.index()]; });
            for (std::uint32_t k = 0; k < ports.size(); ++k) {
                ports[k].bond = BondId(moved[ports[k].bond.index()]);
                Bond& b = g_.bonds[ports[k].bond.index()];
                (ports[k].at_head ? b.to_port : b.from_port) = k;
            }
        }
    }

    BondGraph& g_;
    const std::vector<bool>& gone_;
    std::vector<bool> bond_gone_;
    std::vector<std::uint32_t> same_as_;
};

}  // namespace

bool is_detector(const Element& e) {
    return e.type->is_sensor() && e.ports.size() == 1 && e.connectors.empty() && e.type->causality != nullptr;
}

std::vector<bool> unread(const BondGraph& graph) {
    const Probes probes = probes_of(graph);
    std::vector<bool> result = candidates(graph, probes);
    // What reads a candidate may be one that nothing reads.
    for (bool changed = std::ranges::count(result, true) > 0; changed;) {
        changed = false;
        const auto keep = [&](ElementId id) {
            if (!id.valid() || !result[id.index()]) return;
            result[id.index()] = false;
            changed = true;
        };
        for (const Node& node : leaves_read(model::copy_of(graph), result)) {
            if (node.a >= 2 * graph.bond_components) {
                keep(graph.slot_variables[node.a - 2 * graph.bond_components].element);
                continue;
            }
            const Bond& b = graph.bonds[graph.bond_of_component(node.a / 2).index()];
            for (const ElementId end : {b.from, b.to}) {
                // What is read at a power detector is there without it.
                if (!is_power_detector(graph.elements[end.index()])) keep(end);
            }
        }
        for (const auto& [detector, junction] : probes) {
            if (result[detector] == result[junction]) continue;
            result[detector] = result[junction] = false;
            changed = true;
        }
    }
    return result;
}

BondGraph without(const BondGraph& graph, const std::vector<bool>& gone) {
    BondGraph result = model::copy_of(graph);
    if (std::ranges::count(gone, true) > 0) Removal(result, gone).run();
    return result;
}

}  // namespace bondgraph::equivalence
