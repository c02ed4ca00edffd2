#include "bondgraph/model/companions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace bondgraph::model {
namespace {

/// A flow as a sum of the flows of 1-junctions bonded to each other, by the first of these.
using Flow = std::map<std::uint32_t, int>;

class Flows {
   public:
    explicit Flows(const BondGraph& graph) : graph_(graph) {}

    /// Of an element's first port, in its own direction; nothing where it can't be told from junctions alone.
    std::optional<Flow> of(ElementId element) {
        const Port& port = at(element).ports.front();
        if (!port.bond.valid()) return std::nullopt;
        open_.clear();
        auto flow = through(port.bond, beyond(element, port));
        if (flow) scale(*flow, port.sign);
        return flow;
    }

    /// Elements that may rest at 1-junctions bonded to this one and at the 0-junctions beside them.
    [[nodiscard]] std::vector<ElementId> near(std::uint32_t junction) const {
        std::vector<ElementId> found;
        const auto on = [&](ElementId here, ElementId next) {
            if (at(next).type->rests) found.push_back(next);
            return is(next, Structure::junction0) || both_of_flow(here, next);
        };
        walk(ElementId(std::size_t{junction}), on);
        return found;
    }

   private:
    [[nodiscard]] const Element& at(ElementId id) const { return graph_.elements[id.index()]; }
    [[nodiscard]] bool is(ElementId id, Structure structure) const { return at(id).type->structure == structure; }

    /// What is bonded to a port of an element; invalid where nothing is.
    [[nodiscard]] ElementId beyond(ElementId element, const Port& port) const {
        if (!port.bond.valid()) return {};
        const Bond& bond = graph_.bonds[port.bond.index()];
        return bond.from == element ? bond.to : bond.from;
    }

    static void scale(Flow& flow, int by) {
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

    /// Of a bond, by what is at one end of it.
    std::optional<Flow> through(BondId bond, ElementId end) {
        if (gives_no_flow(end)) return Flow{};
        if (is(end, Structure::junction1)) return common(end);
        if (!is(end, Structure::junction0) || !open_.insert(end.value).second) return std::nullopt;
        const auto into = [](const Port& port) { return port.at_head ? 1 : -1; };
        Flow sum;  // of all the others, into the junction
        int own = 1;
        for (const Port& port : at(end).ports) {
            if (port.bond == bond) own = into(port);
            if (port.bond == bond || !port.bond.valid()) continue;
            const auto other = through(port.bond, beyond(end, port));
            if (!other) return std::nullopt;
            for (const auto& [junction, times] : *other) sum[junction] += times * into(port);
        }
        std::erase_if(sum, [](const auto& term) { return term.second == 0; });
        scale(sum, -own);
        return sum;
    }

    /// Of a 1-junction.
    [[nodiscard]] Flow common(ElementId junction) const {
        std::uint32_t first = junction.value;
        bool stands = false;
        walk(junction, [&](ElementId here, ElementId next) {
            stands = stands || gives_no_flow(next);
            if (!both_of_flow(here, next)) return false;
            first = std::min(first, next.value);
            return true;
        });
        return stands ? Flow{} : Flow{{first, 1}};
    }

    [[nodiscard]] bool both_of_flow(ElementId a, ElementId b) const {
        return is(a, Structure::junction1) && is(b, Structure::junction1);
    }

    /// Along bonds as far as `on` says, which sees both ends of each.
    template <class On>
    void walk(ElementId start, const On& on) const {
        std::set<std::uint32_t> seen{start.value};
        std::vector<ElementId> open{start};
        while (!open.empty()) {
            const ElementId here = open.back();
            open.pop_back();
            for (const Port& port : at(here).ports) {
                const ElementId next = beyond(here, port);
                if (next.valid() && on(here, next) && seen.insert(next.value).second) open.push_back(next);
            }
        }
    }

    const BondGraph& graph_;
    std::set<std::uint32_t> open_;  // 0-junctions whose sums are looked at
};

const Element::Slot& first_discrete(const Element& e) {
    return *std::ranges::find(e.slots, Element::Slot::Kind::discrete, &Element::Slot::kind);
}

}  // namespace

std::vector<Resting> resting_at_flow_of(const BondGraph& graph, ElementId element) {
    Flows flows(graph);
    const auto own = flows.of(element);
    if (!own || own->empty()) return {{element, 1}};
    Flow turned = *own;
    for (auto& [junction, times] : turned) times = -times;
    std::vector<Resting> found;
    for (const ElementId other : flows.near(own->begin()->first)) {
        const auto flow = flows.of(other);
        if (flow && (*flow == *own || *flow == turned)) found.push_back({other, *flow == *own ? 1 : -1});
    }
    std::ranges::sort(found, {}, [](const Resting& r) { return r.element.value; });
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
