// Pass 2 of flattening: bonds between ports, through the ports of composites.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/model/bond_ends.hpp"
#include "bondgraph/model/free_points.hpp"
#include "bondgraph/model/given_flows.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/parts.hpp"

namespace bondgraph::model {
namespace {

class BondConnection {
   public:
    explicit BondConnection(Flattening& work) : work_(work) {}

    void run() {
        const std::size_t before = work_.diagnostics.error_count();
        unresolved_ = work_.disconnected;  // what its connectors should have joined would look unconnected
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) {
            unresolved_ = unresolved_ || work_.gaps(s).connections();
            for (const BondDeclaration& bond : work_.scopes[s].body->bonds) raw_bond(s, bond);
        }
        report_doubled();
        // A bond that leads nowhere would make the port it was meant for look unconnected.
        if (unresolved_ || work_.diagnostics.error_count() > before) return;
        for (const BoundaryPort& b : work_.boundary_ports) check_boundary(b);
        if (work_.diagnostics.error_count() > before || work_.unknown_conditions) return;
        build_driven(work_);
        check_free_points(work_);
        if (work_.diagnostics.error_count() > before) return;
        join_by_flow();
        merged_.assign(work_.raw_bonds.size(), false);
        for (std::uint32_t i = 0; i < work_.raw_bonds.size(); ++i) merge_from(i);
        name_handed_connectors(work_);
        check_ports();
        work_.joined = work_.diagnostics.error_count() == before;
    }

   private:
    void raw_bond(std::uint32_t scope, const BondDeclaration& declaration) {
        const auto from = bond_end(work_, scope, declaration.from);
        const auto to = bond_end(work_, scope, declaration.to);
        unresolved_ = unresolved_ || !from || !to;
        if (!from || !to) return;
        RawBond bond{.from = *from,
                     .to = *to,
                     .position = position_for_user(work_, scope, declaration.from.position),
                     .scope = scope};
        if (bond.from.element.valid() && bond.from.element == bond.to.element) {
            work_.diagnostics.error(
                "BG-M009", declaration.from.position,
                fmt::format("this bond joins '{}' to itself", work_.graph.elements[bond.from.element.index()].name));
            return;
        }
        if (declaration.name) name_bond(scope, *declaration.name, bond);
        const auto index = static_cast<std::uint32_t>(work_.raw_bonds.size());
        if (attach(bond.from, index, declaration.from)) attach(bond.to, index, declaration.to);
        work_.raw_bonds.push_back(std::move(bond));  // also one with a mistake: the ports it took name it
    }

    void name_bond(std::uint32_t scope, const Text& name, RawBond& bond) {
        bond.name = work_.scopes[scope].prefix + name.text;
        if (work_.scopes[scope].members.contains(name.text)) {
            work_.diagnostics.error(
                "BG-M017", name.position,
                fmt::format("bond '{}' has the name of a component; their results could not be told apart", name.text));
        } else if (!bond_names_.insert(bond.name).second) {
            work_.diagnostics.error("BG-M017", name.position, fmt::format("two bonds are named '{}'", name.text));
        }
    }

    /// False where the port has a bond already, which is reported at the end.
    bool attach(const RawEnd& end, std::uint32_t bond, const Text& reference) {
        if (end.boundary != kNone) {
            BoundaryPort& b = work_.boundary_ports[end.boundary];
            std::uint32_t& place = end.inside ? b.inner : b.outer;
            if (place != kNone) return twice(reference, place);
            place = bond;
            return true;
        }
        Port& port = work_.graph.elements[end.element.index()].ports[end.port];
        if (port.bond.valid()) return twice(reference, port.bond.value);
        port.bond = BondId(bond);
        port.position = reference.position;
        return true;
    }

    bool twice(const Text& reference, std::uint32_t first) {
        doubled_[first].push_back(&reference);
        return false;
    }

    /// Of a bond both of whose ports have another one, that bond is the mistake; of others the later one.
    void report_doubled() {
        for (const auto& [first, references] : doubled_) {
            const SourcePosition place = work_.raw_bonds[first].position;
            const bool both = references.size() == 2 && references[0]->text != references[1]->text;
            if (both) {
                const auto line = [&](const Text* t) { return work_.graph.line_text(t->position, place); };
                work_.diagnostics.error(
                    "BG-M008", place,
                    fmt::format("this bond takes the ports '{}' and '{}', which have bonds of their own",
                                references[0]->text, references[1]->text),
                    {{"where", fmt::format("in {} and {}", line(references[0]), line(references[1]))},
                     {"try", "a port takes one bond: remove this one, or those and put a 0- or 1-junction between"}});
                continue;
            }
            for (const Text* reference : references) {
                if (work_.raw_bonds[first].scope == kNone) {
                    work_.diagnostics.error("BG-M008", reference->position,
                                            fmt::format("'{}' is joined under 'connect:' already", reference->text),
                                            {{"try", "remove the bond, or the connection"}});
                    continue;
                }
                work_.diagnostics.error("BG-M008", reference->position,
                                        fmt::format("port '{}' has a bond already, in {}", reference->text,
                                                    work_.graph.line_text(place, reference->position)),
                                        {{"try", "a port takes one bond: put a 0- or 1-junction between"}});
            }
        }
    }

    void check_boundary(const BoundaryPort& b) {
        if (b.outer == kNone) report_unconnected(b.name, b.position);
        const Scope& s = work_.scopes[b.scope];
        const std::string& name = b.declaration->name.text;
        const bool left_out = s.written_out != nullptr && s.declaration != nullptr &&
                              std::ranges::any_of(s.declaration->body.bonds, [&](const BondDeclaration& bond) {
                                  return bond.from.text == name || bond.to.text == name;
                              });
        if (b.inner == kNone && left_out && work_.unknown_conditions) return;
        if (b.inner == kNone && left_out) {
            work_.diagnostics.error(
                "BG-M009", b.position, fmt::format("port '{}' leads to a part that is not there", b.name),
                {{"because", "an 'if:' has left out what it is bonded to in its type, or an array is empty"},
                 {"try", "give the type a part for this case, too (an Sf with f: 0, if: not …)"}});
        } else if (b.inner == kNone) {
            work_.diagnostics.error(
                "BG-M009", b.declaration->name.position,
                fmt::format("port '{}' is not used by the bonds of its type", b.declaration->name.text));
        }
    }

    struct Chain {
        RawEnd end;
        std::vector<std::pair<std::uint32_t, bool>> links;  // raw bond, traversed along its arrow
        std::optional<bool> inner_along;  // direction of the innermost bond of a composite at this end
    };

    // Follows boundary ports from one end of a raw bond to the element there.
    Chain follow(std::uint32_t bond, bool forward) {
        Chain chain;
        for (;;) {
            const RawBond& raw = work_.raw_bonds[bond];
            chain.links.emplace_back(bond, forward);
            const RawEnd& end = forward ? raw.to : raw.from;
            if (end.boundary == kNone) {
                chain.end = end;
                return chain;
            }
            const BoundaryPort& b = work_.boundary_ports[end.boundary];
            const std::uint32_t next = end.inside ? b.outer : b.inner;
            const RawBond& other = work_.raw_bonds[next];
            forward = other.from.boundary == end.boundary && other.from.inside != end.inside;
            if (!end.inside) chain.inner_along = forward;
            if (end.inside && chain.inner_along) chain.inner_along = std::nullopt;
            bond = next;
        }
    }

    /// The bond that results and messages go by: the one drawn in the model itself, else one drawn in a type. Those
    /// that `connect:` makes have a direction too, but nobody drew them.
    const std::pair<std::uint32_t, bool>& shown_link(const std::vector<std::pair<std::uint32_t, bool>>& links) const {
        const auto in_model = [&](const auto& link) { return work_.raw_bonds[link.first].scope == 0; };
        const auto drawn = [&](const auto& link) { return work_.raw_bonds[link.first].scope != kNone; };
        auto found = std::find_if(links.begin(), links.end(), in_model);
        if (found == links.end()) found = std::find_if(links.begin(), links.end(), drawn);
        return found == links.end() ? links.front() : *found;
    }

    /// Raw bonds from one element to another, and what each end takes for positive power along them.
    struct Whole {
        RawEnd tail;
        RawEnd head;
        std::vector<std::pair<std::uint32_t, bool>> links;
        std::optional<bool> want_tail = {};
        std::optional<bool> want_head = {};
    };

    Whole whole_of(std::uint32_t start) {
        const Chain head = follow(start, true);
        const Chain tail = follow(start, false);
        // tail's links run backwards from start: turned round, the whole chain runs from tail.end to head.end.
        std::vector<std::pair<std::uint32_t, bool>> links;
        for (auto it = tail.links.rbegin(); it != tail.links.rend(); ++it) links.emplace_back(it->first, !it->second);
        links.insert(links.end(), head.links.begin() + 1, head.links.end());
        const auto demand = [&](const RawEnd& end, bool at_head, bool through, bool along) -> std::optional<bool> {
            const Element& element = work_.graph.elements[end.element.index()];
            if (!element.is_junction()) return (element.ports[end.port].direction == PortDirection::in) == at_head;
            if (through) return along;
            return std::nullopt;
        };
        Whole whole{.tail = tail.end, .head = head.end, .links = std::move(links)};
        const bool inside = whole.links.size() > 1;
        whole.want_head = demand(head.end, true, inside && head.inner_along.has_value(), whole.links.back().second);
        whole.want_tail = demand(tail.end, false, inside && tail.inner_along.has_value(), whole.links.front().second);
        return whole;
    }

    /// Where both ends of a bond take power in, or both give it out, the flow of one is turned. That is as it should be
    /// where efforts are common. At a connector with common flows, such as a flange, the bond is what `connect:` makes
    /// of it: a 1-junction with an arrow for each.
    void join_by_flow() {
        const auto count = static_cast<std::uint32_t>(work_.raw_bonds.size());
        std::vector<bool> seen(count, false);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (seen[i]) continue;
            const Whole whole = whole_of(i);
            for (const auto& [raw, along] : whole.links) seen[raw] = true;
            if (!whole.want_head || !whole.want_tail || *whole.want_head == *whole.want_tail) continue;
            const std::uint32_t shown = shown_link(whole.links).first;
            if (work_.raw_bonds[shown].scope == kNone) continue;
            for (const std::string& port : ports_of(whole)) {
                if (insert_common_flow(port, shown)) break;
            }
        }
    }

    /// Names of the ports that a bond passes, and of those at its ends.
    std::vector<std::string> ports_of(const Whole& whole) const {
        std::vector<std::string> names;
        for (const auto& [raw, along] : whole.links) {
            for (const RawEnd* end : {&work_.raw_bonds[raw].from, &work_.raw_bonds[raw].to}) {
                if (end->boundary != kNone) {
                    names.push_back(work_.boundary_ports[end->boundary].name);
                } else {
                    const Element& e = work_.graph.elements[end->element.index()];
                    if (e.type->is_own_type()) names.push_back(e.name + "." + e.ports[end->port].name);
                }
            }
        }
        return names;
    }

    /// False where the port is of no connector with common flows.
    bool insert_common_flow(const std::string& port, std::uint32_t shown) {
        const ConnectorPlace* place = connector_of(port);
        if (place == nullptr) return false;
        const auto& bonds = place->type->bonds;
        const auto is_meant = [&](const ConnectorBond& b) {
            return bonds.size() == 1 || port.ends_with(fmt::format(".{}", b.name));
        };
        const auto bond = std::ranges::find_if(bonds, is_meant);
        if (bond == bonds.end() || !bond->common_flow) return false;
        const std::string name = bonds.size() == 1 ? fmt::format("{}.{}", port, bond->name) : port + "_node";
        const PartEnd node = PartsBuilder(work_, ElementId{}).junction1(name, bond->size, bond->domain);
        const SourcePosition position = work_.raw_bonds[shown].position;
        work_.graph.elements[node.element.index()].position = position;
        const RawEnd middle = raw_end(work_, node);
        const RawEnd rest = raw_end(work_, node);
        add_raw_bond(work_, rest, work_.raw_bonds[shown].to, position, kNone);
        work_.raw_bonds[shown].to = middle;
        work_.graph.elements[middle.element.index()].ports[middle.port].bond = BondId(shown);
        return true;
    }

    void merge_from(std::uint32_t start) {
        if (merged_[start]) return;
        const Whole whole = whole_of(start);
        const auto& [tail_end, head_end, links, want_tail, want_head] = whole;
        for (const auto& [raw, along] : links) merged_[raw] = true;

        const auto& shown = shown_link(links);
        const bool drawn_along = shown.second;
        bool along = drawn_along;
        if (want_head && want_tail) {
            if (*want_head == *want_tail) along = *want_head;
        } else if (want_head || want_tail) {
            along = want_head ? *want_head : *want_tail;
        }
        add_bond(along ? tail_end : head_end, along ? head_end : tail_end, links, along, shown.first,
                 want_head && *want_head != along ? head_end : RawEnd{},
                 want_tail && *want_tail != along ? tail_end : RawEnd{});
        warn_reversed_source(work_.graph.bonds.back(), drawn_along != along);
    }

    void add_bond(const RawEnd& from, const RawEnd& to, const std::vector<std::pair<std::uint32_t, bool>>& links,
                  bool along, std::uint32_t shown, const RawEnd& against1, const RawEnd& against2) {
        const BondId id(work_.graph.bonds.size());
        Bond bond{.from = from.element, .to = to.element, .from_port = from.port, .to_port = to.port};
        bond.position = work_.raw_bonds[shown].position;
        for (const auto& [raw, direction] : links) {
            const RawBond& r = work_.raw_bonds[raw];
            if (raw == shown) {
                bond.name = r.name;
                bond.reversed = direction != along;
            }
            const BondGraph::NamedBond named{id, direction != along};
            if (!r.name.empty()) work_.graph.bond_by_name.emplace(r.name, named);
            // A port of a type given by parts has the results of the bond inside, along the arrow drawn there.
            for (const RawEnd* end : {&r.from, &r.to}) {
                if (end->boundary != kNone && end->inside)
                    work_.graph.bond_by_name.emplace(work_.boundary_ports[end->boundary].name, named);
            }
        }
        work_.graph.bonds.push_back(bond);
        for (const bool head : {false, true}) {
            const RawEnd& end = head ? to : from;
            Port& port = work_.graph.elements[end.element.index()].ports[end.port];
            port.bond = id;
            port.at_head = head;
            for (const RawEnd* against : {&against1, &against2}) {
                if (against->element == end.element && against->element.valid() && against->port == end.port)
                    port.sign = -1;
            }
        }
    }

    bool has_law(ElementId id) const {
        const auto& settings = work_.origins[id.index()].declaration->settings;
        return std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.key.text == "law"; });
    }

    void warn_reversed_source(const Bond& bond, bool reversed) {
        if (!reversed) return;
        const std::array ends{std::pair{bond.from, bond.from_port}, std::pair{bond.to, bond.to_port}};
        for (const auto& [id, port] : ends) {
            const Element& e = work_.graph.elements[id.index()];
            if (e.owner.valid()) continue;  // nobody drew this arrow
            if (e.type->is_source()) {
                work_.diagnostics.warning(
                    "BG-M023", bond.position, fmt::format("the half arrow points into the source '{}'", e.name),
                    {{"because",
                      "a source's value is meant for power flowing out of it; the arrow only decides the sign of this "
                      "bond's reported values"},
                     {"try", fmt::format("to turn '{}' round, change the sign of its value", e.name)}});
            } else if (e.type->is_own_type() || has_law(id)) {
                work_.diagnostics.warning(
                    "BG-M023", bond.position,
                    fmt::format("the half arrow points out of '{}', whose law holds for power in", e.name),
                    {{"because",
                      "effort and flow in its equations are positive for power into the port; the arrow only decides "
                      "the sign of this bond's reported values"},
                     {"try",
                      "draw the arrow into it, and change signs in its equations if it is meant to deliver power"}});
            } else if (e.type->is_two_port()) {
                const bool in = e.ports[port].direction == PortDirection::in;
                work_.diagnostics.warning(
                    "BG-M023", bond.position,
                    fmt::format("the half arrow at '{}.{}' points against the port's own direction, which is {}",
                                e.name, e.ports[port].name, in ? "into it" : "out of it"),
                    {{"because",
                      "the law holds for power in at p1 and out at p2; the arrow only decides the sign of this bond's "
                      "reported values"},
                     {"try", fmt::format("to turn '{}' round, change the sign of its modulus", e.name)}});
            }
        }
    }

    void check_ports() {
        for (const Element& element : work_.graph.elements) {
            if (element.ports.empty() && element.type->pattern != PortPattern::fixed) {
                work_.diagnostics.error("BG-M009", element.position,
                                        fmt::format("'{}' is not connected: it has no bond", element.name));
            }
            for (const Port& port : element.ports) {
                if (port.bond.valid()) continue;
                const std::string name = element.ports.size() == 1 ? element.name : element.name + "." + port.name;
                report_unconnected(
                    connector_of(element.name + "." + port.name) != nullptr ? element.name + "." + port.name : name,
                    element.position);
            }
        }
    }

    /// The connector one of whose bonds is this port.
    const ConnectorPlace* connector_of(const std::string& port) const {
        for (const std::string& name : {port, port.substr(0, port.rfind('.'))}) {
            const auto found = work_.connector_by_name.find(name);
            if (found == work_.connector_by_name.end()) continue;
            const ConnectorPlace& place = work_.connectors[found->second];
            if (!place.ends.empty() && (name == port) == (place.type->bonds.size() == 1)) return &place;
        }
        return nullptr;
    }

    bool is_free(const RawEnd& end) const {
        if (end.boundary != kNone) return work_.boundary_ports[end.boundary].outer == kNone;
        return !work_.graph.elements[end.element.index()].ports[end.port].bond.valid();
    }

    /// Of a connector with nothing at any of its bonds this is said once.
    void report_unconnected(const std::string& port, SourcePosition position) {
        const ConnectorPlace* connector = connector_of(port);
        if (connector == nullptr) {
            work_.diagnostics.error("BG-M009", position, fmt::format("port '{}' is not connected", port),
                                    {{"try", fmt::format("add a bond to '{}' under 'bonds:'", port)}});
            return;
        }
        const bool whole = std::ranges::all_of(connector->ends, [&](const auto& end) { return end && is_free(*end); });
        if (whole && !unconnected_.insert(connector->name).second) return;
        work_.diagnostics.error(
            "BG-M009", position,
            fmt::format("{} '{}' is not connected", whole ? "connector" : "port", whole ? connector->name : port),
            {{"try",
              whole ? fmt::format("name '{}' under 'connect:', or add a bond to '{}' under 'bonds:'", connector->name,
                                  port)
                    : fmt::format("add a bond to '{}', or join all of '{}' under 'connect:'", port, connector->name)}});
    }

    Flattening& work_;
    bool unresolved_ = false;
    std::unordered_set<std::string> bond_names_;
    std::unordered_set<std::string> unconnected_;  ///< connectors of which this has been said
    std::vector<bool> merged_;
    std::map<std::uint32_t, std::vector<const Text*>> doubled_;  ///< by bond: later references to one of its ports
};

}  // namespace

void connect_bonds(Flattening& work) { BondConnection(work).run(); }

}  // namespace bondgraph::model
