// Pass of flattening for wrapped connectors: who computes the signals that joined connectors share.

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <optional>
#include <set>

#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/close_loop.hpp"
#include "bondgraph/model/free_points.hpp"

namespace bondgraph::model {
namespace {

class FrameTree {
   public:
    FrameTree(Flattening& work, ConnectionSets& sets) : work_(work), sets_(sets) {}

    void run() {
        computed_by_.assign(sets_.nodes.size(), ElementId{});
        via_.assign(sets_.nodes.size(), {});
        by_name_ = has_loops();
        const std::vector<ElementId> roots = fixed_roots();
        // Where loops are cut, all that stands still is one ground: each loop is as short as the way through it.
        const auto standing =
            by_name_ ? std::ranges::find_if(roots, [&](ElementId id) { return type(id).free_rates; }) : roots.begin();
        grow({roots.begin(), standing});
        for (auto root = standing; root != roots.end(); ++root) grow({*root});
        for (const ElementId id : free_bodies()) {
            if (!computed_by_[sets_.node_at[id.index()][0]].valid()) grow({id});
        }
        report_undetermined();
    }

   private:
    /// A component that computes the signals of one node from another's.
    struct Edge {
        ElementId element;
        std::size_t path = 0;
    };

    [[nodiscard]] const ComponentType& type(ElementId id) const { return *work_.graph.elements[id.index()].type; }

    /// Whether some node can be reached in two ways from what is fixed. Where a loop is cut then must not depend on the
    /// order of the file.
    bool has_loops() const {
        const std::size_t ground = sets_.nodes.size();
        boost::disjoint_sets_with_storage<> trees(ground + 1);
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const auto& at = sets_.node_at[i];
            std::vector<std::pair<std::size_t, std::size_t>> joins;
            for (const SignalPath& p : type(ElementId(i)).paths) joins.emplace_back(at[p.from], at[p.to]);
            if (type(ElementId(i)).root == RootKind::always) joins.emplace_back(at[0], ground);
            for (const auto& [a, b] : joins) {
                if (trees.find_set(a) == trees.find_set(b)) return true;
                trees.union_set(a, b);
            }
        }
        return false;
    }

    /// World first, where loops are cut by names: what stands still there is what coordinates are counted from.
    std::vector<ElementId> fixed_roots() const {
        std::vector<ElementId> result;
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            if (type(ElementId(i)).root == RootKind::always) result.emplace_back(i);
        }
        const auto rank = [&](ElementId id) { return type(id).ground ? 0 : type(id).free_rates ? 2 : 1; };
        if (by_name_) {
            std::ranges::sort(result, {},
                              [&](ElementId id) { return std::pair(rank(id), std::string_view(name(id))); });
        }
        return result;
    }

    std::vector<Edge> edges_at(std::uint32_t node) const {
        std::vector<Edge> edges;
        for (const std::uint32_t k : sets_.nodes[node]) {
            const ConnectorPlace& c = work_.connectors[k];
            if (!c.element.valid()) continue;
            const auto& paths = type(c.element).paths;
            for (std::size_t p = 0; p < paths.size(); ++p) {
                if (paths[p].from == c.index || paths[p].to == c.index) edges.push_back({c.element, p});
            }
        }
        std::ranges::sort(edges, [&](const Edge& a, const Edge& b) {
            if (a.element == b.element) return a.path < b.path;
            return by_name_ ? name(a.element) < name(b.element) : a.element.index() < b.element.index();
        });
        return edges;
    }

    /// What may be the root of a tree that nothing carries: first where start values are given, a point mass last, and
    /// where not even a mass is, a point without one.
    std::vector<ElementId> free_bodies() const {
        std::vector<ElementId> result;
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const RootKind root = work_.graph.elements[i].type->root;
            if (root == RootKind::if_needed || root == RootKind::at_last) result.emplace_back(i);
        }
        const auto rank = [&](ElementId id) {
            if (is_free_point(type(id))) return 4;
            const bool point = type(id).root == RootKind::at_last;
            return (has_start(id) ? 0 : 2) + (point ? 1 : 0);
        };
        std::stable_sort(result.begin(), result.end(), [&](ElementId a, ElementId b) {
            return rank(a) < rank(b) || (by_name_ && rank(a) == rank(b) && name(a) < name(b));
        });
        return result;
    }

    /// Whether the file gives start values to an element, at itself or at an instance of the type it belongs to.
    bool has_start(ElementId id) const {
        const auto& origin = work_.origins[id.index()];
        if (!origin.declaration->initial.empty() || !origin.declaration->guess.empty()) return true;
        for (std::uint32_t s = origin.scope; s != 0; s = work_.scopes[s].outer) {
            const Scope& scope = work_.scopes[s];
            if (scope.instance == nullptr) continue;
            const auto names = [&](const Setting& setting) { return leads_to(s, setting.key.text, id, 0); };
            const auto given = [&](const auto& list) { return std::any_of(list.begin(), list.end(), names); };
            if (given(scope.instance->initial) || given(scope.instance->guess)) return true;
        }
        return false;
    }

    /// Whether a name of a start value in a scope is that of a state of an element, or one that its type declares for
    /// it.
    bool leads_to(std::uint32_t s, std::string key, ElementId id, int depth) const {
        if ((work_.scopes[s].prefix + key).starts_with(name(id) + ".")) return true;
        for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
            const auto member = work_.scopes[s].members.find(key.substr(0, dot));
            if (member == work_.scopes[s].members.end() || member->second.scope == kNone) return false;
            s = member->second.scope;
            key.erase(0, dot + 1);
        }
        if (work_.scopes[s].declaration == nullptr || depth > kDeepestType) return false;
        for (const StartDeclaration& start : work_.scopes[s].declaration->starts) {
            if (start.name.text != key) continue;
            const auto all = names_in(start.value.text);
            return std::ranges::any_of(all, [&](const std::string& n) { return leads_to(s, n, id, depth + 1); });
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

    /// How far a node is from its root: joints, then components.
    using Distance = std::pair<std::uint32_t, std::uint32_t>;
    /// Where to go on from which node; what is equally far in the order of its coming.
    using Ahead = std::multimap<Distance, std::pair<std::uint32_t, Edge>>;

    /// The node of a root that a tree begins at; nothing where another root says already where it is.
    std::optional<std::uint32_t> begun(ElementId root) {
        std::uint32_t start = sets_.node_at[root.index()][0];
        if (computed_by_[start].valid()) {
            if (!closes_between_roots(root, start)) return std::nullopt;
            start = opened(root, 0);
        }
        work_.graph.elements[root.index()].root = true;
        compute(start, root, 0);
        return start;
    }

    // Nearest first from the roots: every component met computes its far connector from its near one. Where loops are
    // cut, joints count: along a long shaft a frame is reached at once, and no loop goes round through what hangs on
    // it.
    void grow(const std::vector<ElementId>& roots) {
        std::vector<std::uint32_t> starts;
        for (const ElementId root : roots) {
            if (const auto start = begun(root)) starts.push_back(*start);
        }
        Ahead ahead;
        for (const std::uint32_t start : starts) look_on(start, Distance{}, ahead);
        while (!ahead.empty()) {
            const auto [distance, step] = *ahead.begin();
            ahead.erase(ahead.begin());
            const auto& [node, edge] = step;
            const SignalPath& path = type(edge.element).paths[edge.path];
            const auto& at = sets_.node_at[edge.element.index()];
            // A connector of several paths may have left the node meanwhile, to close a loop by another one.
            if (at[path.from] != node && at[path.to] != node) continue;
            if (!used_.insert({edge.element, edge.path}).second) continue;
            const bool forward = at[path.from] == node;
            const std::size_t far = forward ? path.to : path.from;
            std::uint32_t other = at[far];
            if (computed_by_[other].valid()) {
                if (!closes_loop(edge.element, node, other)) continue;
                other = opened(edge.element, far);
            }
            via_[other] = {node, edge.element};
            compute(other, edge.element, far);
            look_on(other, distance, ahead);
        }
    }

    /// What a node leads to.
    void look_on(std::uint32_t node, Distance distance, Ahead& ahead) const {
        for (const Edge& edge : edges_at(node)) {
            const bool joint = by_name_ && moves(edge.element);
            const Distance there{distance.first + (joint ? 1U : 0U), distance.second + 1};
            if (!used_.contains({edge.element, edge.path})) ahead.emplace(there, std::pair(node, edge));
        }
    }

    /// A connector that closes a loop, held at its old place by a constraint: its new node.
    std::uint32_t opened(ElementId element, std::size_t connector) {
        const std::uint32_t before = sets_.node_at[element.index()][connector];
        const std::uint32_t own = close_loop(work_, sets_, element, connector);
        computed_by_.resize(sets_.nodes.size());
        via_.resize(sets_.nodes.size());
        const ConnectorPlace& closure = work_.connectors[sets_.nodes[before].back()];
        work_.graph.elements[closure.element.index()].connectors[closure.index].given = true;
        const auto computed = std::ranges::find_if(
            work_.signal_order, [&](const auto& c) { return sets_.node_at[c.element.index()][c.connector] == before; });
        computed->joined.emplace_back(closure.element, closure.index);
        std::erase(computed->joined, std::pair(element, connector));
        return own;
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

    /// The components of the loop that a component closes between two nodes of one tree, itself first.
    std::vector<ElementId> loop(ElementId closing, std::uint32_t a, std::uint32_t b) const {
        std::vector<ElementId> left = way(a);
        std::vector<ElementId> right = way(b);
        while (!left.empty() && !right.empty() && left.back() == right.back()) {
            left.pop_back();
            right.pop_back();
        }
        std::vector<ElementId> members{closing};
        // In different trees their roots are part of it.
        const ElementId from = root_of(a);
        const ElementId to = root_of(b);
        if (from != to) left.push_back(from);
        members.insert(members.end(), left.begin(), left.end());
        if (from != to) members.push_back(to);
        members.insert(members.end(), right.rbegin(), right.rend());
        return members;
    }

    std::vector<std::string> names_of(const std::vector<ElementId>& elements) const {
        std::vector<std::string> names;
        for (const ElementId id : elements) names.push_back(name(id));
        return names;
    }

    /// A joint, a wheel, or a body that moves freely; one that something else carries is a rigid part.
    bool moves(ElementId id) const {
        const bool carried = type(id).root == RootKind::if_needed || type(id).root == RootKind::at_last;
        return type(id).free_rates && (!carried || work_.graph.elements[id.index()].root);
    }

    /// How many of a loop's components, roots among them, move.
    std::size_t movable(const std::vector<ElementId>& all) const {
        return static_cast<std::size_t>(std::ranges::count_if(all, [&](ElementId id) { return moves(id); }));
    }

    /// Whether a loop can be held together by a constraint: where nothing in it moves, or one joint alone, it is said
    /// that something is given twice.
    bool closes_loop(ElementId closing, std::uint32_t a, std::uint32_t b) {
        const std::vector<ElementId> members = loop(closing, a, b);
        if (movable(members) > 1) return true;
        if (stands(root_of(a)) && stands(root_of(b)) && root_of(a) != root_of(b)) {
            std::vector<ElementId> between = way(a);
            std::ranges::reverse(between);
            between.push_back(closing);
            const auto back = way(b);
            between.insert(between.end(), back.begin(), back.end());
            two_roots(root_of(a), root_of(b), std::move(between));
            return false;
        }
        const auto joint = std::ranges::find_if(members, [&](ElementId id) { return moves(id); });
        const std::string why = joint == members.end()
                                    ? "nothing in it moves: two ways say where the same frame is"
                                    : fmt::format(
                                          "of these, '{}' alone moves, and the others hold both of its sides: "
                                          "a loop needs two joints at least",
                                          name(*joint));
        work_.diagnostics.error(
            "BG-M052", work_.graph.elements[closing.index()].position,
            fmt::format("these components form a closed loop that can't move: {}", list(names_of(members))),
            {{"because", why}, {"try", "remove one of the connections, or put a joint in the place of a rigid part"}});
        return false;
    }

    bool closes_between_roots(ElementId root, std::uint32_t node) {
        const auto path = way(node);
        const ElementId other = root_of(node);
        std::vector<ElementId> members = path;
        members.insert(members.end(), {root, other});
        if (movable(members) > 1) return true;
        two_roots(other, root, {path.rbegin(), path.rend()});
        return false;
    }

    /// World, or Fixed.
    bool stands(ElementId id) const { return type(id).root == RootKind::always && !type(id).free_rates; }

    /// Told at the one that comes later, whichever way led from one to the other.
    void two_roots(ElementId first, ElementId second, std::vector<ElementId> between) {
        const std::vector<ElementId> order = fixed_roots();
        if (std::ranges::find(order, second) < std::ranges::find(order, first)) {
            std::swap(first, second);
            std::ranges::reverse(between);
        }
        std::vector<DiagnosticNote> notes;
        if (!between.empty()) notes.push_back({"where", "between them: " + list(names_of(between))});
        notes.push_back({"because", "both fix the position of the same frames"});
        notes.push_back({"try", "remove one of them, or one of the connections between them"});
        work_.diagnostics.error("BG-M053", work_.graph.elements[second.index()].position,
                                fmt::format("'{}' and '{}' are two roots of one tree", name(first), name(second)),
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
                {{"try",
                  "connect it to 'World', to a 'Fixed', or give it a Body that may move freely; where springs meet "
                  "without a mass, a FreePoint"}});
        }
    }

    Flattening& work_;
    ConnectionSets& sets_;
    bool by_name_ = false;
    std::vector<ElementId> computed_by_;  ///< per node
    struct Via {
        std::uint32_t from = kNone;
        ElementId element;
    };
    std::vector<Via> via_;  ///< per node: the component that computes it and from where
    std::set<std::pair<ElementId, std::size_t>> used_;
};

}  // namespace

void span_frames(Flattening& work, ConnectionSets& sets) { FrameTree(work, sets).run(); }

}  // namespace bondgraph::model
