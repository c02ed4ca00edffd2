// Pass of flattening for wrapped connectors: who computes the signals that joined connectors share.

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <deque>
#include <set>

#include "bondgraph/model/connection_sets.hpp"

namespace bondgraph::model {
namespace {

class FrameTree {
   public:
    FrameTree(Flattening& work, const ConnectionSets& sets) : work_(work), sets_(sets) {}

    void run() {
        Frames frames(sets_.nodes.size());
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const auto& paths = work_.graph.elements[i].type->paths;
            for (std::size_t p = 0; p < paths.size(); ++p)
                boost::add_edge(sets_.node_at[i][paths[p].from], sets_.node_at[i][paths[p].to], {ElementId(i), p},
                                frames);
        }
        computed_by_.assign(sets_.nodes.size(), ElementId{});
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            if (work_.graph.elements[i].type->root == RootKind::always) grow(frames, ElementId(i));
        }
        for (const ElementId id : free_bodies()) {
            if (!computed_by_[sets_.node_at[id.index()][0]].valid()) grow(frames, id);
        }
        report_undetermined();
    }

   private:
    /// A component that computes the signals of one node from another's.
    struct Edge {
        ElementId element;
        std::size_t path = 0;
    };
    using Frames = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Edge>;

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
        for (const std::uint32_t k : sets_.nodes[node]) {
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
        const std::uint32_t start = sets_.node_at[root.index()][0];
        if (computed_by_[start].valid()) return report_two_roots(root, start);
        work_.graph.elements[root.index()].root = true;
        via_.resize(sets_.nodes.size());
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
                const bool forward = sets_.node_at[edge.element.index()][path.from] == node;
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
        for (std::uint32_t n = 0; n < sets_.nodes.size(); ++n) {
            if (computed_by_[n].valid()) continue;
            const auto of_a_part = [&](std::uint32_t k) { return work_.connectors[k].element.valid(); };
            const auto at = std::find_if(sets_.nodes[n].begin(), sets_.nodes[n].end(), of_a_part);
            if (at == sets_.nodes[n].end() || work_.connectors[*at].type->signals.empty()) continue;
            const ConnectorPlace& c = work_.connectors[*at];
            if (sets_.nodes[n].size() == 1 &&
                work_.graph.elements[c.element.index()].type->connectors[c.index].optional)
                continue;
            if (!told.insert(name(c.element)).second) continue;
            const bool end = work_.graph.elements[c.element.index()].type->paths.empty();
            if (end && std::count_if(sets_.nodes[n].begin(), sets_.nodes[n].end(), of_a_part) == 1) {
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

    Flattening& work_;
    const ConnectionSets& sets_;
    std::vector<ElementId> computed_by_;  ///< per node
    struct Via {
        std::uint32_t from = kNone;
        ElementId element;
    };
    std::vector<Via> via_;  ///< per node: the component that computes it and from where
    std::set<std::pair<ElementId, std::size_t>> used_;
};

}  // namespace

void span_frames(Flattening& work, const ConnectionSets& sets) { FrameTree(work, sets).run(); }

}  // namespace bondgraph::model
