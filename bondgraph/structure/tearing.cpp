#include "bondgraph/structure/tearing.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "bondgraph/structure/components.hpp"

namespace bondgraph::structure {

namespace {

/// The graph induced by the component, renumbered 0 … n-1 in ascending order of the vertices, without parallel edges
/// and self-loops, so that nothing below touches arrays of the whole graph's size.
struct LocalGraph {
    std::vector<std::uint32_t> vertices;
    Incidence successors;
    Incidence predecessors;
    std::vector<std::uint8_t> prefer;
    std::vector<std::uint8_t> fixed;  ///< torn whatever else: demanded, or with a self-loop

    [[nodiscard]] std::size_t size() const { return vertices.size(); }
};

LocalGraph localize(const Incidence& successors, std::span<const std::uint32_t> component,
                    std::span<const std::uint8_t> prefer, std::span<const std::uint8_t> must) {
    LocalGraph graph;
    graph.vertices.assign(component.begin(), component.end());
    std::ranges::sort(graph.vertices);
    assert(std::ranges::adjacent_find(graph.vertices) == graph.vertices.end());
    graph.prefer.resize(graph.size(), 0);
    graph.fixed.resize(graph.size(), 0);

    std::vector<std::uint32_t> row;
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
        const std::uint32_t vertex = graph.vertices[v];
        if (!prefer.empty()) graph.prefer[v] = prefer[vertex];
        if (!must.empty() && must[vertex] != 0) graph.fixed[v] = 1;
        row.clear();
        for (const std::uint32_t target : successors.row(vertex)) {
            const auto found = std::ranges::lower_bound(graph.vertices, target);
            if (found == graph.vertices.end() || *found != target) continue;
            if (target == vertex) {
                graph.fixed[v] = 1;
            } else {
                row.push_back(static_cast<std::uint32_t>(found - graph.vertices.begin()));
            }
        }
        std::ranges::sort(row);
        row.erase(std::unique(row.begin(), row.end()), row.end());
        graph.successors.add_row(row);
    }
    graph.predecessors = graph.successors.transposed(graph.size());
    return graph;
}

/// Depth-first search over the vertices not in `removed`, started from `roots` in turn. `back_edge(v, w)` is called for
/// each edge to a vertex still open (`w` on the path that led to `v`). Returns the vertices as they are finished: all
/// edges but the back edges point to earlier ones.
template <class BackEdge>
std::vector<std::uint32_t> depth_first(const Incidence& successors, std::span<const std::uint8_t> removed,
                                       std::span<const std::uint32_t> roots, BackEdge back_edge) {
    enum class State : std::uint8_t { unseen, open, finished };
    std::vector<State> state(successors.rows(), State::unseen);
    std::vector<std::uint32_t> next(successors.starts.begin(), successors.starts.end() - 1);
    std::vector<std::uint32_t> path;
    std::vector<std::uint32_t> finished;
    finished.reserve(successors.rows());
    const auto open = [&](std::uint32_t v) {
        if (state[v] != State::unseen || removed[v] != 0) return;
        state[v] = State::open;
        path.push_back(v);
    };
    for (const std::uint32_t root : roots) {
        open(root);
        while (!path.empty()) {
            const std::uint32_t v = path.back();
            if (next[v] == successors.starts[v + 1]) {
                state[v] = State::finished;
                finished.push_back(v);
                path.pop_back();
                continue;
            }
            const std::uint32_t w = successors.columns[next[v]++];
            if (state[w] == State::open) {
                back_edge(v, w);
            } else {
                open(w);
            }
        }
    }
    return finished;
}

/// The strongly connected components with more than one vertex of the graph induced by `subset`.
/// `position` is scratch of the local graph's size, kNone throughout before and after.
std::vector<std::vector<std::uint32_t>> cyclic_components(const LocalGraph& graph,
                                                          std::span<const std::uint32_t> subset,
                                                          std::vector<std::uint32_t>& position) {
    for (std::uint32_t k = 0; k < subset.size(); ++k) position[subset[k]] = k;
    Incidence induced;
    std::vector<std::uint32_t> row;
    for (const std::uint32_t v : subset) {
        row.clear();
        for (const std::uint32_t w : graph.successors.row(v)) {
            if (position[w] != kNone) row.push_back(position[w]);
        }
        induced.add_row(row);
    }
    for (const std::uint32_t v : subset) position[v] = kNone;

    std::vector<std::vector<std::uint32_t>> result;
    const Incidence components = strong_components(induced);
    for (std::size_t c = 0; c < components.rows(); ++c) {
        if (components.row(c).size() < 2) continue;
        std::vector<std::uint32_t>& members = result.emplace_back();
        for (const std::uint32_t k : components.row(c)) members.push_back(subset[k]);
    }
    return result;
}

/// The vertex with most edges within `members`; among equals the preferred one, then the first.
std::uint32_t busiest(const LocalGraph& graph, std::span<const std::uint32_t> members,
                      std::vector<std::uint32_t>& position) {
    for (const std::uint32_t v : members) position[v] = 0;
    for (const std::uint32_t v : members) {
        for (const std::uint32_t w : graph.successors.row(v)) {
            if (position[w] == kNone) continue;
            ++position[v];
            ++position[w];
        }
    }
    const std::uint32_t best = *std::ranges::max_element(members, [&](std::uint32_t a, std::uint32_t b) {
        return position[a] != position[b] ? position[a] < position[b] : graph.prefer[a] < graph.prefer[b];
    });
    for (const std::uint32_t v : members) position[v] = kNone;
    return best;
}

/// Whether a cycle leads through `v` and otherwise only through vertices not torn.
bool closes_cycle(const LocalGraph& graph, std::span<const std::uint8_t> torn, std::uint32_t v) {
    std::vector<bool> seen(graph.size(), false);
    std::vector<std::uint32_t> reached{v};
    for (std::size_t head = 0; head < reached.size(); ++head) {
        for (const std::uint32_t w : graph.successors.row(reached[head])) {
            if (w == v) return true;
            if (torn[w] != 0 || seen[w]) continue;
            seen[w] = true;
            reached.push_back(w);
        }
    }
    return false;
}

std::vector<std::uint8_t> tear_greedily(const LocalGraph& graph) {
    std::vector<std::uint8_t> torn = graph.fixed;
    std::vector<std::uint32_t> position(graph.size(), kNone);
    std::vector<std::uint32_t> choices;
    std::vector<std::vector<std::uint32_t>> open(1);
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
        if (torn[v] == 0) open.front().push_back(v);
    }
    while (!open.empty()) {
        const std::vector<std::uint32_t> subset = std::move(open.back());
        open.pop_back();
        for (std::vector<std::uint32_t>& members : cyclic_components(graph, subset, position)) {
            const std::uint32_t choice = busiest(graph, members, position);
            torn[choice] = 1;
            choices.push_back(choice);
            std::erase(members, choice);
            open.push_back(std::move(members));
        }
    }
    // A later choice can make an earlier one superfluous: try the least preferred first.
    std::ranges::stable_sort(choices, {}, [&](std::uint32_t v) { return graph.prefer[v]; });
    for (const std::uint32_t v : choices) {
        if (!closes_cycle(graph, torn, v)) torn[v] = 0;
    }
    return torn;
}

/// Puts torn vertices back where all their untorn predecessors have a later place than all their untorn successors:
/// a sufficient condition for "no cycle", checked in time proportional to the vertex's edges. Places are spread out so
/// that there is room between them; vertices that share a place have no edge between them. Since places are never given
/// up, a vertex refused once would be refused again: one pass is enough.
class Restoration {
   public:
    Restoration(const LocalGraph& graph, std::span<const std::uint32_t> finished, std::vector<std::uint8_t>& torn)
        : graph_(graph), torn_(torn), place_(graph.size(), 0) {
        for (std::size_t k = 0; k < finished.size(); ++k) place_[finished[k]] = static_cast<std::int64_t>(k + 1) * kGap;
    }

    void run() {
        std::vector<std::uint32_t> candidates;
        for (std::uint32_t v = 0; v < graph_.size(); ++v) {
            if (torn_[v] != 0 && graph_.fixed[v] == 0) candidates.push_back(v);
        }
        std::ranges::stable_sort(candidates, {}, [&](std::uint32_t v) {
            return std::pair(graph_.prefer[v], graph_.successors.row(v).size() + graph_.predecessors.row(v).size());
        });
        for (const std::uint32_t v : candidates) try_back(v);
    }

   private:
    static constexpr std::int64_t kGap = std::int64_t{1} << 29;
    static constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

    void try_back(std::uint32_t v) {
        std::int64_t low = kLowest;
        std::int64_t high = kHighest;
        for (const std::uint32_t w : graph_.successors.row(v)) {
            if (torn_[w] == 0) low = std::max(low, place_[w]);
        }
        for (const std::uint32_t w : graph_.predecessors.row(v)) {
            if (torn_[w] == 0) high = std::min(high, place_[w]);
        }
        if (low != kLowest && high != kHighest && high - low < 2) return;  // no place between
        if (place_[v] <= low || place_[v] >= high) {
            place_[v] = high == kHighest ? low + kGap : low == kLowest ? high - kGap : low + (high - low) / 2;
        }
        torn_[v] = 0;
    }

    const LocalGraph& graph_;
    std::vector<std::uint8_t>& torn_;
    std::vector<std::int64_t> place_;
};

std::vector<std::uint8_t> tear_back_edges(const LocalGraph& graph) {
    std::vector<std::uint8_t> torn = graph.fixed;
    // The preferred vertices first: a search finds back edges mostly to where it came from.
    std::vector<std::uint32_t> roots(graph.size());
    std::iota(roots.begin(), roots.end(), 0U);
    std::ranges::stable_sort(roots, std::ranges::greater{}, [&](std::uint32_t v) { return graph.prefer[v]; });
    const auto tear_edge = [&](std::uint32_t v, std::uint32_t w) {
        if (torn[v] == 0 && torn[w] == 0) torn[graph.prefer[v] > graph.prefer[w] ? v : w] = 1;
    };
    const std::vector<std::uint32_t> finished = depth_first(graph.successors, graph.fixed, roots, tear_edge);
    Restoration(graph, finished, torn).run();
    return torn;
}

}  // namespace

Tearing tear(const Incidence& successors, std::span<const std::uint32_t> component,
             std::span<const std::uint8_t> prefer, std::span<const std::uint8_t> must, std::size_t greedy_limit) {
    assert(prefer.empty() || prefer.size() == successors.rows());
    assert(must.empty() || must.size() == successors.rows());
    const LocalGraph graph = localize(successors, component, prefer, must);
    const std::vector<std::uint8_t> torn = graph.size() <= greedy_limit ? tear_greedily(graph) : tear_back_edges(graph);

    Tearing result;
    std::vector<std::uint32_t> all(graph.size());
    std::iota(all.begin(), all.end(), 0U);
    for (const std::uint32_t v : all) {
        if (torn[v] != 0) result.torn.push_back(graph.vertices[v]);
    }
    const auto impossible = [](std::uint32_t, std::uint32_t) { assert(false && "a cycle was left untorn"); };
    for (const std::uint32_t v : depth_first(graph.successors, torn, all, impossible)) {
        result.order.push_back(graph.vertices[v]);
    }
    return result;
}

}  // namespace bondgraph::structure
