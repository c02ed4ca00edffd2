// Pass of flattening for wrapped connectors: the parts of wrapped components, and the junctions a connection becomes.

#include <algorithm>

#include "bondgraph/model/connection_sets.hpp"
#include "bondgraph/model/cut_at_joints.hpp"
#include "bondgraph/model/handed_signals.hpp"
#include "bondgraph/model/parts.hpp"

namespace bondgraph::model {
namespace {

class ConnectorJunctions {
   public:
    explicit ConnectorJunctions(Flattening& work) : work_(work) {}

    void run(const ConnectionSets& sets) {
        build();
        for (const auto& members : sets.nodes) join(members);
    }

   private:
    void build() {
        const auto count = static_cast<std::uint32_t>(work_.graph.elements.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!asks_for_others(i)) build(i);
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            if (asks_for_others(i)) build(i);
        }
    }

    /// The orientation of a point mass is free where something exchanges power with it.
    bool asks_for_others(std::uint32_t i) const {
        const Element& e = work_.graph.elements[i];
        return e.root && e.type->root == RootKind::at_last;
    }

    void build(std::uint32_t i) {
        const ComponentType& type = *work_.graph.elements[i].type;
        if (type.build == nullptr) return;
        PartsBuilder parts(work_, ElementId(i));
        type.build(parts);
    }

    struct End {
        RawEnd raw;
        bool junction = false;
        bool given = true;
        ElementId element;
        std::size_t connector = 0;
    };

    void join(const std::vector<std::uint32_t>& members) {
        const ConnectorType& type = *work_.connectors[members.front()].type;
        for (std::size_t b = 0; b < type.bonds.size(); ++b) join(members, type, b);
    }

    void join(const std::vector<std::uint32_t>& members, const ConnectorType& type, std::size_t bond) {
        std::vector<PartEnd> ends;
        std::vector<std::uint32_t> places;
        for (const std::uint32_t k : members) {
            const ConnectorPlace& c = work_.connectors[k];
            if (!c.ends.empty()) {
                work_.disconnected = work_.disconnected || !c.ends[bond];
                if (members.size() > 1 && c.ends[bond]) {
                    ends.push_back({});
                    places.push_back(k);
                }
                continue;
            }
            if (c.part && members.size() > 1) {
                ends.push_back({work_.graph.element_by_name.at(c.name)});
                places.push_back(k);
            }
            if (!c.element.valid()) continue;
            const auto found = work_.inner_ends.find({c.element, c.index, bond});
            if (found == work_.inner_ends.end()) continue;
            const bool source = !work_.graph.elements[c.element.index()].connectors[c.index].given;
            ends.insert(source ? ends.begin() : ends.end(), found->second);
            places.insert(source ? places.begin() : places.end(), k);
        }
        if (ends.empty()) return;
        const ConnectorPlace& first = work_.connectors[places[0]];
        if (ends.size() == 1 && (!first.ends.empty() || first.part)) return;  // an ordinary port
        if (ends.size() == 2 && !type.signals.empty() && direction(places[0]) != direction(places[1]) &&
            (is_junction(ends[0]) || is_junction(ends[1]))) {
            const std::size_t tail = direction(places[0]) == PortDirection::out ? 0 : 1;
            const RawEnd a = raw_end(work_, ends[tail]);
            const RawEnd b = raw_end(work_, ends[1 - tail]);
            note(places[tail], bond, a);
            note(places[1 - tail], bond, b);
            add_raw_bond(work_, a, b, position(places[1]), kNone);
            return;
        }
        const PartEnd middle = node_part(places.front(), type, bond, ends.size() == 1);
        for (const std::uint32_t k : members) {
            const ConnectorPlace& c = work_.connectors[k];
            if (!c.element.valid() && c.ends.empty())
                work_.node_of_connector.emplace(std::pair(k, bond), middle.element);
        }
        for (std::size_t k = 0; k < ends.size(); ++k) {
            const auto& fixed = work_.connectors[places[k]].ends;
            const RawEnd own = fixed.empty() ? raw_end(work_, ends[k]) : *fixed[bond];
            const RawEnd at = raw_end(work_, middle);
            note(places[k], bond, own);
            const bool into_node = direction(places[k]) == PortDirection::out;
            add_raw_bond(work_, into_node ? own : at, into_node ? at : own, position(places[k]), kNone);
        }
    }

    bool is_junction(const PartEnd& end) const {
        return end.element.valid() && work_.graph.elements[end.element.index()].type->pattern == PortPattern::junction;
    }

    PortDirection direction(std::uint32_t place) const {
        const ConnectorPlace& c = work_.connectors[place];
        if (!c.element.valid()) return PortDirection::in;
        return work_.graph.elements[c.element.index()].type->connectors[c.index].direction;
    }

    SourcePosition position(std::uint32_t place) const { return work_.connectors[place].position; }

    void note(std::uint32_t place, std::size_t bond, const RawEnd& end) {
        const ConnectorPlace& c = work_.connectors[place];
        if (!c.element.valid()) return;
        auto& ends = work_.graph.elements[c.element.index()].connectors[c.index].ends;
        if (ends.size() <= bond) ends.resize(bond + 1);
        ends[bond] = {end.element, end.port};
    }

    // The junction a connection becomes. Where a connector joined to nothing ends, no force acts: a detector stands for
    // who isn't there, behind a junction like that of any other connection, so that half arrows and with them the signs
    // of velocities are the same in both.
    PartEnd node_part(std::uint32_t place, const ConnectorType& type, std::size_t number, bool free_end) {
        const ConnectorPlace& c = work_.connectors[place];
        const ConnectorBond& bond = type.bonds[number];
        PartsBuilder parts(work_, c.element);
        const std::string local =
            c.element.valid() ? c.name.substr(c.name.rfind('.') + 1) + "." + bond.name : node_name(c.name, type, bond);
        const PartEnd node = bond.common_flow ? parts.junction1(local, bond.size, bond.domain)
                                              : parts.junction0(local, bond.size, bond.domain);
        if (!c.element.valid()) work_.graph.elements[node.element.index()].position = c.position;
        if (free_end)
            parts.bond(node, parts.add(local + "_end", *work_.catalogue.find(bond.common_flow ? "Df" : "De")));
        return node;
    }

    /// Of a type's own connector, whose bonds are ports: of several "axle.turn" is such a port, and no junction may
    /// have its name.
    static std::string node_name(const std::string& connector, const ConnectorType& type, const ConnectorBond& bond) {
        std::string name = connector + "." + bond.name;
        if (type.bonds.size() == 1) return name;
        const auto taken = [&](const ConnectorBond& b) { return name == connector + "." + b.name; };
        for (name += "_node"; std::ranges::any_of(type.bonds, taken);) name += '_';
        return name;
    }

    Flattening& work_;
};

}  // namespace

void connect_connectors(Flattening& work) {
    const std::size_t before = work.diagnostics.error_count();
    ConnectionSets sets = connection_sets(work);
    join_handed_signals(work, sets);
    if (work.diagnostics.error_count() == before && sets.complete && !work.disconnected) {
        cut_at_joints(work, sets);
        span_frames(work, sets);
    }
    work.disconnected = work.disconnected || work.diagnostics.error_count() > before || !sets.complete;
    if (!work.disconnected) report_loose_joints(work);
    ConnectorJunctions(work).run(sets);
}

}  // namespace bondgraph::model
