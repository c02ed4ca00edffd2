#include "bondgraph/model/companions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace bondgraph::model {
namespace {

/// A flow as a sum of multiples of the flows of 1-junctions, of which no two are known to be multiples of each other.
using Flow = std::map<std::uint32_t, double>;

/// Products and quotients of moduli that are equal but for rounding.
bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

class Flows {
   public:
    explicit Flows(const BondGraph& graph) : graph_(graph) {}

    /// Of an element's first port, in its own direction; nothing where it can't be told from junctions and transformers
    /// alone.
    std::optional<Flow> of(ElementId element) {
        const Port& port = at(element).ports.front();
        if (!port.bond.valid()) return std::nullopt;
        open_.clear();
        auto flow = through(port.bond, beyond(element, port));
        if (flow) scale(*flow, port.sign);
        return flow;
    }

    /// Elements that may rest at 1-junctions whose flow is a multiple of this one's, and at the 0-junctions beside
    /// them.
    [[nodiscard]] std::vector<ElementId> near(std::uint32_t junction) const {
        return multiples_of(ElementId(std::size_t{junction})).rests;
    }

   private:
    /// What has a multiple of a 1-junction's flow.
    struct Multiples {
        std::map<std::uint32_t, double> junctions;  ///< by how much, of 1-junctions
        std::vector<ElementId> rests;               ///< elements that may rest there, and at the 0-junctions beside
        bool stands = false;                        ///< the flow is 0
        bool apart = false;                         ///< one of them would be two multiples
    };

    /// A bond with what is at one end of it, and its flow.
    struct Way {
        BondId bond;
        ElementId end;
        double times = 1.0;
    };

    [[nodiscard]] const Element& at(ElementId id) const { return graph_.elements[id.index()]; }
    [[nodiscard]] bool is(ElementId id, Structure structure) const { return at(id).type->structure == structure; }
    static int into(const Port& port) { return port.at_head ? 1 : -1; }

    /// What is bonded to a port of an element; invalid where nothing is.
    [[nodiscard]] ElementId beyond(ElementId element, const Port& port) const {
        if (!port.bond.valid()) return {};
        const Bond& bond = graph_.bonds[port.bond.index()];
        return bond.from == element ? bond.to : bond.from;
    }

    static void scale(Flow& flow, double by) {
        for (auto& [junction, times] : flow) times *= by;
    }

    [[nodiscard]] bool gives_no_flow(ElementId id) const {
        const Element& e = at(id);
        if (!e.type->is_source() || e.type->causality == nullptr ||
            e.type->causality(e, 0, 0) != PortCausality::flow_out)
            return false;
        const Quantity* f = e.parameter("f");
        return f != nullptr && f->is_scalar() && f->value(0, 0).is_constant(0.0);
    }

    /// Whether a bond that ends there has the flow 0: at such a source, or at 1-junctions with one.
    [[nodiscard]] bool stands_still(ElementId end) const {
        if (!is(end, Structure::junction1)) return gives_no_flow(end);
        std::set<std::uint32_t> seen{end.value};
        std::vector<ElementId> open{end};
        while (!open.empty()) {
            const ElementId here = open.back();
            open.pop_back();
            for (const Port& port : at(here).ports) {
                const ElementId next = beyond(here, port);
                if (!next.valid()) continue;
                if (gives_no_flow(next)) return true;
                if (is(next, Structure::junction1) && seen.insert(next.value).second) open.push_back(next);
            }
        }
        return false;
    }

    /// Through a transformer of constant modulus, to what is at its other port; the flow there over this one.
    [[nodiscard]] std::optional<Way> through_transformer(BondId bond, ElementId end) const {
        const Element& e = at(end);
        if (e.type->structure != Structure::transformer || e.ports.size() != 2 || e.ports[0].size != 1) return {};
        const Quantity* m = e.parameter("m");
        if (m == nullptr || !m->is_scalar() || !m->value(0, 0).is_constant()) return {};
        const double modulus = m->value(0, 0).constant();
        if (!std::isfinite(modulus) || modulus == 0.0) return {};
        const bool forward = e.ports[0].bond == bond;
        const Port& other = e.ports[forward ? 1 : 0];
        if (!other.bond.valid() || other.bond == bond) return {};
        const int signs = e.ports[0].sign * e.ports[1].sign;
        return Way{other.bond, beyond(end, other), signs * (forward ? modulus : 1.0 / modulus)};
    }

    /// Through a 0-junction of whose other bonds all but one have the flow 0.
    [[nodiscard]] std::optional<Way> through_node(BondId bond, ElementId end) const {
        if (!is(end, Structure::junction0)) return {};
        const Port* other = nullptr;
        int own = 1;
        for (const Port& port : at(end).ports) {
            if (port.bond == bond) own = into(port);
            if (port.bond == bond || !port.bond.valid() || stands_still(beyond(end, port))) continue;
            if (other != nullptr) return {};
            other = &port;
        }
        if (other == nullptr) return {};
        return Way{other->bond, beyond(end, *other), static_cast<double>(-own * into(*other))};
    }

    [[nodiscard]] Multiples multiples_of(ElementId junction) const {
        Multiples all;
        all.junctions[junction.value] = 1.0;
        std::set<std::uint32_t> met;    // bonds
        std::set<std::uint32_t> nodes;  // 0-junctions
        std::vector<Way> open = bonds_of(junction, 1.0);
        while (!open.empty()) {
            const Way way = open.back();
            open.pop_back();
            if (!met.insert(way.bond.value).second) continue;
            all.stands = all.stands || gives_no_flow(way.end);
            if (at(way.end).type->rests) all.rests.push_back(way.end);
            if (is(way.end, Structure::junction0)) add_resting_at(way.end, nodes, all.rests);
            if (is(way.end, Structure::junction1)) {
                const auto [known, is_new] = all.junctions.try_emplace(way.end.value, way.times);
                all.apart = all.apart || !same(known->second, way.times);
                if (!is_new) continue;
                for (const Way& next : bonds_of(way.end, way.times)) open.push_back(next);
            }
            auto next = through_transformer(way.bond, way.end);
            if (!next) next = through_node(way.bond, way.end);
            if (next) open.push_back({next->bond, next->end, way.times * next->times});
        }
        return all;
    }

    /// Those of a 1-junction, which has this multiple of some flow.
    [[nodiscard]] std::vector<Way> bonds_of(ElementId junction, double times) const {
        std::vector<Way> ways;
        for (const Port& port : at(junction).ports) {
            if (port.bond.valid()) ways.push_back({port.bond, beyond(junction, port), times});
        }
        return ways;
    }

    /// At a 0-junction and those bonded to it.
    void add_resting_at(ElementId node, std::set<std::uint32_t>& nodes, std::vector<ElementId>& rests) const {
        std::vector<ElementId> open{node};
        if (!nodes.insert(node.value).second) return;
        while (!open.empty()) {
            const ElementId here = open.back();
            open.pop_back();
            for (const Port& port : at(here).ports) {
                const ElementId next = beyond(here, port);
                if (!next.valid()) continue;
                if (at(next).type->rests) rests.push_back(next);
                if (is(next, Structure::junction0) && nodes.insert(next.value).second) open.push_back(next);
            }
        }
    }

    /// Of a bond, by what is at one end of it.
    std::optional<Flow> through(BondId bond, ElementId end) {
        if (gives_no_flow(end)) return Flow{};
        if (is(end, Structure::junction1)) return common(end);
        if (const auto way = through_transformer(bond, end)) {
            if (!open_.insert(end.value).second) return std::nullopt;
            auto other = through(way->bond, way->end);
            if (other) scale(*other, 1.0 / way->times);
            return other;
        }
        if (!is(end, Structure::junction0) || !open_.insert(end.value).second) return std::nullopt;
        Flow sum;  // of all the others, into the junction
        int own = 1;
        for (const Port& port : at(end).ports) {
            if (port.bond == bond) own = into(port);
            if (port.bond == bond || !port.bond.valid()) continue;
            const auto other = through(port.bond, beyond(end, port));
            if (!other) return std::nullopt;
            for (const auto& [junction, times] : *other) {
                double& total = sum.try_emplace(junction, 0.0).first->second;
                const double added = times * into(port);
                total = same(total, -added) ? 0.0 : total + added;
            }
        }
        std::erase_if(sum, [](const auto& term) { return term.second == 0.0; });
        scale(sum, -own);
        return sum;
    }

    /// Of a 1-junction, as a multiple of the flow of the first that it is one of.
    [[nodiscard]] std::optional<Flow> common(ElementId junction) const {
        const Multiples all = multiples_of(junction);
        if (all.stands) return Flow{};
        if (all.apart) return std::nullopt;
        const auto& [first, times] = *all.junctions.begin();
        return Flow{{first, 1.0 / times}};
    }

    const BondGraph& graph_;
    std::set<std::uint32_t> open_;  // 0-junctions and transformers that are gone through
};

/// One flow over another one; nothing where it is no multiple.
std::optional<double> ratio(const Flow& flow, const Flow& over) {
    if (flow.empty() || flow.size() != over.size()) return std::nullopt;
    const double times = flow.begin()->second / over.begin()->second;
    for (auto a = flow.begin(), b = over.begin(); a != flow.end(); ++a, ++b) {
        if (a->first != b->first || !same(a->second, times * b->second)) return std::nullopt;
    }
    return times;
}

const Element::Slot& first_discrete(const Element& e) {
    return *std::ranges::find(e.slots, Element::Slot::Kind::discrete, &Element::Slot::kind);
}

}  // namespace

std::vector<Resting> resting_at_flow_of(const BondGraph& graph, ElementId element) {
    Flows flows(graph);
    const auto own = flows.of(element);
    if (!own || own->empty()) return {{element, 1}};
    std::vector<ElementId> others = flows.near(own->begin()->first);
    std::ranges::sort(others, {}, &ElementId::value);
    const auto repeated = std::ranges::unique(others);
    others.erase(repeated.begin(), repeated.end());
    std::vector<Resting> found;
    for (const ElementId other : others) {
        const auto flow = flows.of(other);
        const auto times = flow ? ratio(*flow, *own) : std::nullopt;
        if (times) found.push_back({other, *times > 0.0 ? 1 : -1});
    }
    return found;
}

bool rests_beside_another(const BondGraph& graph, ElementId element, std::span<const double> modes) {
    for (const Resting& other : resting_at_flow_of(graph, element)) {
        if (other.element == element) return false;
        const Element& e = graph.elements[other.element.index()];
        if (modes[first_discrete(e).first_discrete] == *e.type->rests) return true;
    }
    return false;
}

}  // namespace bondgraph::model
