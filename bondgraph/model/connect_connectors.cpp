// Pass of flattening for wrapped connectors: which are joined, who computes the signals they share (a spanning tree of
// the graph whose vertices are connection sets and whose edges are components), the parts of wrapped components, and
// the junctions a connection becomes.

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <deque>
#include <set>

#include "bondgraph/model/parts.hpp"

namespace bondgraph::model {
namespace {

class ConnectorConnection {
   public:
    explicit ConnectorConnection(Flattening& work) : work_(work), joined_(work.connectors.size()) {}

    void run() {
        const std::size_t before = work_.diagnostics.error_count();
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) {
            for (const ConnectDeclaration& c : work_.scopes[s].body->connects) connect(s, c);
        }
        for (const Scope& s : work_.scopes) unresolved_ = unresolved_ || s.body->gaps.connections();
        check_handed_on();
        number_nodes();
        if (work_.diagnostics.error_count() == before && !unresolved_) span();
        work_.disconnected = work_.diagnostics.error_count() > before || unresolved_;
        if (!work_.disconnected) report_loose_joints(work_);
        build();
        for (const auto& members : nodes_) join(members);
    }

   private:
    /// A component that computes the signals of one node from another's.
    struct Edge {
        ElementId element;
        std::size_t path = 0;
    };
    using Frames = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Edge>;

    // ---- connect: ---------------------------------------------------------------------------------------------------

    void connect(std::uint32_t scope, const ConnectDeclaration& declaration) {
        std::optional<std::uint32_t> first;
        const Text* first_text = nullptr;
        for (const Text& text : declaration.members) {
            const auto place = resolve(scope, text);
            unresolved_ = unresolved_ || !place;
            if (!place) continue;
            if (text.text.find('.') == std::string::npos && work_.scopes[scope].declaration != nullptr)
                handed_on_.insert(*place);
            work_.connected.insert(work_.connectors[*place].name);
            if (!first) {
                first = place;
                first_text = &text;
                continue;
            }
            const ConnectorType* a = work_.connectors[*first].type;
            const ConnectorType* b = work_.connectors[*place].type;
            if (a != b) {
                work_.diagnostics.error(
                    "BG-M051", text.position,
                    fmt::format("'{}' is a {}, but '{}' is a {}: they can't be connected", text.text, b->name,
                                first_text->text, a->name),
                    {{"try", "join different kinds through a component that has both, as a joint's axis"}});
                continue;
            }
            joined_.union_set(*first, *place);
        }
    }

    std::optional<std::uint32_t> resolve(std::uint32_t scope, const Text& text) {
        const Scope& s = work_.scopes[scope];
        const auto found = work_.connector_by_name.find(s.prefix + text.text);
        const auto dot = text.text.find('.');
        const std::string head = text.text.substr(0, dot);
        if (found != work_.connector_by_name.end() && std::count(text.text.begin(), text.text.end(), '.') <= 1)
            return found->second;
        if (dot == std::string::npos) {
            if (const auto only = only_connector(s.prefix + head + ".")) return only;
        }
        const auto member = s.members.find(head);
        if (member == s.members.end() && !(dot == std::string::npos && s.declaration != nullptr)) {
            if (s.body->gaps.components || s.body->gaps.ports) return std::nullopt;
            std::vector<std::string> names;
            for (const ComponentDeclaration& c : s.body->components) names.push_back(c.name.text);
            work_.diagnostics.error("BG-M005", text.position,
                                    fmt::format("unknown component '{}'{}", head, did_you_mean(head, names)));
            return std::nullopt;
        }
        if (member != s.members.end() && !member->second.element.valid() && member->second.scope == kNone)
            return std::nullopt;  // its type is unknown: already reported
        report_no_connector(s, head, dot, text);
        return std::nullopt;
    }

    /// The connector of a component that has just one.
    std::optional<std::uint32_t> only_connector(const std::string& prefix) const {
        std::optional<std::uint32_t> found;
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const std::string& name = work_.connectors[k].name;
            if (!name.starts_with(prefix) || name.find('.', prefix.size()) != std::string::npos) continue;
            const ConnectorPlace& c = work_.connectors[k];
            if (c.element.valid() && work_.graph.elements[c.element.index()].type->connectors[c.index].optional)
                continue;
            if (found) return std::nullopt;
            found = k;
        }
        return found;
    }

    /// A composite's connector that is joined outside has to lead to a part inside.
    void check_handed_on() {
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const ConnectorPlace& c = work_.connectors[k];
            if (c.element.valid() || c.end || c.part || handed_on_.contains(k) || !work_.connected.contains(c.name))
                continue;
            work_.diagnostics.error("BG-M058", c.position,
                                    fmt::format("'{}' leads to nothing inside its component", c.name),
                                    {{"try", "hand it on in the type: connect: [[frame_a, part.frame_a]]"}});
        }
    }

    void report_no_connector(const Scope& s, const std::string& head, std::size_t dot, const Text& text) {
        const std::string prefix = s.prefix + head + ".";
        std::vector<std::string> names;
        for (const ConnectorPlace& c : work_.connectors) {
            if (c.name.starts_with(prefix) && c.name.find('.', prefix.size()) == std::string::npos)
                names.push_back(c.name.substr(prefix.size()));
        }
        std::string all;
        for (const std::string& n : names) all += (all.empty() ? "" : ", ") + head + "." + n;
        const std::string rest = dot == std::string::npos ? "" : text.text.substr(dot + 1);
        if (names.empty()) {
            work_.diagnostics.error("BG-M050", text.position,
                                    fmt::format("'{}' has no connector: it can't stand under 'connect:'", head),
                                    {{"try", "join its ports under 'bonds:'"}});
        } else {
            work_.diagnostics.error(
                "BG-M050", text.position,
                rest.empty() ? fmt::format("'{}' has {} connectors: say which one", head, names.size())
                             : fmt::format("'{}' has no connector '{}'{}", head, rest, did_you_mean(rest, names)),
                {{"try", all}});
        }
    }

    void number_nodes() {
        node_of_.assign(work_.connectors.size(), kNone);
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const std::size_t root = joined_.find_set(k);
            if (node_of_[root] == kNone) {
                node_of_[root] = static_cast<std::uint32_t>(nodes_.size());
                nodes_.emplace_back();
            }
            node_of_[k] = node_of_[root];
            nodes_[node_of_[k]].push_back(k);
        }
        node_at_.assign(work_.graph.elements.size(), {});
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const ConnectorPlace& c = work_.connectors[k];
            if (!c.element.valid()) continue;
            auto& at = node_at_[c.element.index()];
            if (at.size() <= c.index) at.resize(c.index + 1, kNone);
            at[c.index] = node_of_[k];
        }
        for (const auto& node : nodes_) name_shared_connectors(node);
    }

    /// What a composite's connector has in common with those of parts that it leads to is a result under its own name.
    void name_shared_connectors(const std::vector<std::uint32_t>& node) {
        const auto of_a_part = [&](std::uint32_t k) { return work_.connectors[k].element.valid(); };
        const auto part = std::find_if(node.begin(), node.end(), of_a_part);
        if (part == node.end() || work_.connectors[*part].type->signals.empty()) return;
        const ConnectorPlace& from = work_.connectors[*part];
        for (const std::uint32_t k : node) {
            if (!of_a_part(k)) work_.graph.shared_connectors[work_.connectors[k].name] = {from.element, from.index};
        }
    }

    // ---- who computes the signals -----------------------------------------------------------------------------------

    void span() {
        Frames frames(nodes_.size());
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const auto& paths = work_.graph.elements[i].type->paths;
            for (std::size_t p = 0; p < paths.size(); ++p)
                boost::add_edge(node_at_[i][paths[p].from], node_at_[i][paths[p].to], {ElementId(i), p}, frames);
        }
        computed_by_.assign(nodes_.size(), ElementId{});
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            if (work_.graph.elements[i].type->root == RootKind::always) grow(frames, ElementId(i));
        }
        for (const ElementId id : free_bodies()) {
            if (!computed_by_[node_at_[id.index()][0]].valid()) grow(frames, id);
        }
        report_undetermined();
    }

    /// What may be the root of a tree that nothing carries: first where start values are given, a point mass last.
    std::vector<ElementId> free_bodies() const {
        std::vector<ElementId> result;
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const RootKind root = work_.graph.elements[i].type->root;
            if (root == RootKind::if_needed || root == RootKind::at_last) result.emplace_back(i);
        }
        const auto rank = [&](ElementId id) {
            const bool point = work_.graph.elements[id.index()].type->root == RootKind::at_last;
            return (has_start(id) ? 0 : 2) + (point ? 1 : 0);
        };
        std::stable_sort(result.begin(), result.end(), [&](ElementId a, ElementId b) { return rank(a) < rank(b); });
        return result;
    }

    /// Whether the file gives start values to an element, at itself or at an instance of the type it belongs to.
    bool has_start(ElementId id) const {
        const auto& origin = work_.origins[id.index()];
        if (!origin.declaration->initial.empty() || !origin.declaration->guess.empty()) return true;
        for (std::uint32_t s = origin.scope; s != 0; s = work_.scopes[s].outer) {
            const Scope& scope = work_.scopes[s];
            if (scope.instance == nullptr) continue;
            const auto names = [&](const Setting& setting) {
                return (scope.prefix + setting.key.text).starts_with(name(id) + ".");
            };
            const auto given = [&](const auto& list) { return std::any_of(list.begin(), list.end(), names); };
            if (given(scope.instance->initial) || given(scope.instance->guess)) return true;
        }
        return false;
    }

    void compute(std::uint32_t node, ElementId element, std::size_t connector) {
        computed_by_[node] = element;
        Flattening::ComputedSignals computed{.element = element, .connector = connector, .joined = {}};
        for (const std::uint32_t k : nodes_[node]) {
            const ConnectorPlace& c = work_.connectors[k];
            if (!c.element.valid()) continue;
            const bool own = c.element == element && c.index == connector;
            work_.graph.elements[c.element.index()].connectors[c.index].given = !own;
            if (!own) computed.joined.emplace_back(c.element, c.index);
        }
        work_.signal_order.push_back(std::move(computed));
    }

    // Breadth first from a root: every component met computes its far connector from its near one.
    void grow(const Frames& frames, ElementId root) {
        const std::uint32_t start = node_at_[root.index()][0];
        if (computed_by_[start].valid()) return report_two_roots(root, start);
        work_.graph.elements[root.index()].root = true;
        via_.resize(nodes_.size());
        via_[start] = {};
        compute(start, root, 0);
        std::deque<std::uint32_t> queue{start};
        while (!queue.empty()) {
            const std::uint32_t node = queue.front();
            queue.pop_front();
            for (auto [e, end] = boost::out_edges(node, frames); e != end; ++e) {
                const Edge& edge = frames[*e];
                if (!used_.insert({edge.element, edge.path}).second) continue;
                const auto other = static_cast<std::uint32_t>(boost::target(*e, frames));
                if (computed_by_[other].valid()) {
                    report_loop(edge.element, node, other);
                    continue;
                }
                const SignalPath& path = work_.graph.elements[edge.element.index()].type->paths[edge.path];
                const bool forward = node_at_[edge.element.index()][path.from] == node;
                via_[other] = {node, edge.element};
                compute(other, edge.element, forward ? path.to : path.from);
                queue.push_back(other);
            }
        }
    }

    const std::string& name(ElementId id) const { return work_.graph.elements[id.index()].name; }

    /// The components from a node back to the root of its tree.
    std::vector<ElementId> way(std::uint32_t node) const {
        std::vector<ElementId> result;
        for (; via_[node].element.valid(); node = via_[node].from) result.push_back(via_[node].element);
        return result;
    }

    static std::string list(const std::vector<std::string>& names) {
        std::string text;
        for (std::size_t k = 0; k < names.size() && k < 12; ++k) text += (k == 0 ? "'" : ", '") + names[k] + "'";
        return names.size() > 12 ? text + ", …" : text;
    }

    void report_loop(ElementId closing, std::uint32_t a, std::uint32_t b) {
        std::vector<ElementId> left = way(a);
        std::vector<ElementId> right = way(b);
        while (!left.empty() && !right.empty() && left.back() == right.back()) {
            left.pop_back();
            right.pop_back();
        }
        std::vector<std::string> names{name(closing)};
        for (const ElementId id : left) names.push_back(name(id));
        for (auto it = right.rbegin(); it != right.rend(); ++it) names.push_back(name(*it));
        work_.diagnostics.error(
            "BG-M052", work_.graph.elements[closing.index()].position,
            fmt::format("these components form a closed loop: {}", list(names)),
            {{"because",
              "the position of every frame must follow from the root along one way; this version has no "
              "closed kinematic loops"},
             {"try", way_out(closing)}});
    }

    /// A line force can't close a loop: its ends coincide, and it has no direction.
    std::string way_out(ElementId member) const {
        const std::string open = "open the loop at one connection";
        const ConnectorType* frame = work_.graph.elements[member.index()].type->connectors.front().type;
        if (std::none_of(frame->bonds.begin(), frame->bonds.end(),
                         [](const ConnectorBond& b) { return b.name == "rot"; }))
            return open;
        return open +
               ", or put a stiff Bushing in place of one of its joints (c and d hold its ends together, c_phi and "
               "d_phi resist turns)";
    }

    /// How many of a way's components, and of the roots at its ends, move.
    std::size_t movable(const std::vector<ElementId>& all) const {
        return static_cast<std::size_t>(std::count_if(
            all.begin(), all.end(), [&](ElementId id) { return work_.graph.elements[id.index()].type->free_rates; }));
    }

    void report_loop_of_roots(ElementId root, const std::vector<std::string>& names) {
        work_.diagnostics.error(
            "BG-M052", work_.graph.elements[root.index()].position,
            fmt::format("these components form a closed loop: {}", list(names)),
            {{"because",
              fmt::format("'{}' and '{}' both say where they are, and the position of every frame must follow along "
                          "one way; this version has no closed kinematic loops",
                          names.front(), names.back())},
             {"try", way_out(root)}});
    }

    void report_two_roots(ElementId root, std::uint32_t node) {
        const auto path = way(node);
        const ElementId other = root_of(node);
        std::vector<std::string> names;
        for (auto it = path.rbegin(); it != path.rend(); ++it) names.push_back(name(*it));
        // One joint alone between two places that are given can't move; two make a loop that was meant.
        std::vector<ElementId> loop = path;
        loop.insert(loop.end(), {root, other});
        if (movable(loop) > 1) {
            names.insert(names.begin(), name(other));
            names.push_back(name(root));
            return report_loop_of_roots(root, names);
        }
        std::vector<DiagnosticNote> notes;
        if (!names.empty()) notes.push_back({"where", "between them: " + list(names)});
        notes.push_back({"because", "both fix the position of the same frames"});
        notes.push_back({"try", "remove one of them, or one of the connections between them"});
        work_.diagnostics.error("BG-M053", work_.graph.elements[root.index()].position,
                                fmt::format("'{}' and '{}' are two roots of one tree", name(other), name(root)),
                                std::move(notes));
    }

    ElementId root_of(std::uint32_t node) const {
        while (via_[node].element.valid()) node = via_[node].from;
        return computed_by_[node];
    }

    void report_undetermined() {
        std::set<std::string> told;
        for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
            if (computed_by_[n].valid()) continue;
            const auto of_a_part = [&](std::uint32_t k) { return work_.connectors[k].element.valid(); };
            const auto at = std::find_if(nodes_[n].begin(), nodes_[n].end(), of_a_part);
            if (at == nodes_[n].end() || work_.connectors[*at].type->signals.empty()) continue;
            const ConnectorPlace& c = work_.connectors[*at];
            if (nodes_[n].size() == 1 && work_.graph.elements[c.element.index()].type->connectors[c.index].optional)
                continue;
            if (!told.insert(name(c.element)).second) continue;
            const bool end = work_.graph.elements[c.element.index()].type->paths.empty();
            if (end && std::count_if(nodes_[n].begin(), nodes_[n].end(), of_a_part) == 1) {
                work_.diagnostics.error(
                    "BG-M009", work_.graph.elements[c.element.index()].position,
                    fmt::format("'{}' is connected to nothing", c.name),
                    {{"try", fmt::format("add an entry such as [{}, body.frame_a] under 'connect:'", c.name)}});
                continue;
            }
            work_.diagnostics.error(
                "BG-M054", work_.graph.elements[c.element.index()].position,
                fmt::format("nothing fixes or carries '{}': there is no way from its frame to a World, a Fixed or a "
                            "body",
                            c.name),
                {{"try", "connect it to 'World', to a 'Fixed', or give it a Body that may move freely"}});
        }
    }

    // ---- parts and bonds --------------------------------------------------------------------------------------------

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
            if (c.end) {
                if (members.size() > 1) {
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
        if (ends.size() == 1 && (first.end || first.part)) return;  // an ordinary port
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
        const PartEnd middle = node_part(places.front(), type.bonds[bond], ends.size() == 1);
        for (std::size_t k = 0; k < ends.size(); ++k) {
            const std::optional<RawEnd>& fixed = work_.connectors[places[k]].end;
            const RawEnd own = fixed ? *fixed : raw_end(work_, ends[k]);
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
    PartEnd node_part(std::uint32_t place, const ConnectorBond& bond, bool free_end) {
        const ConnectorPlace& c = work_.connectors[place];
        PartsBuilder parts(work_, c.element);
        const std::string local =
            (c.element.valid() ? c.name.substr(c.name.rfind('.') + 1) : c.name) + "." + std::string(bond.name);
        const PartEnd node = bond.common_flow ? parts.junction1(local, bond.size, bond.domain)
                                              : parts.junction0(local, bond.size, bond.domain);
        if (free_end)
            parts.bond(node, parts.add(local + "_end", *work_.catalogue.find(bond.common_flow ? "Df" : "De")));
        return node;
    }

    Flattening& work_;
    boost::disjoint_sets_with_storage<> joined_;
    std::vector<std::uint32_t> node_of_;               ///< per connector place
    std::vector<std::vector<std::uint32_t>> nodes_;    ///< places of each connection set
    std::vector<std::vector<std::uint32_t>> node_at_;  ///< per element and connector
    std::vector<ElementId> computed_by_;               ///< per node
    struct Via {
        std::uint32_t from = kNone;
        ElementId element;
    };
    std::vector<Via> via_;  ///< per node: the component that computes it and from where
    std::set<std::pair<ElementId, std::size_t>> used_;
    bool unresolved_ = false;
    std::set<std::uint32_t> handed_on_;  ///< connectors of composites that are joined to something inside
};

}  // namespace

void connect_connectors(Flattening& work) { ConnectorConnection(work).run(); }

}  // namespace bondgraph::model
