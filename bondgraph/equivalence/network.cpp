#include "bondgraph/equivalence/network.hpp"

#include <algorithm>
#include <deque>

namespace bondgraph::equivalence {
namespace {

using model::Bond;
using model::BondGraph;
using model::Structure;

/// The common flow of a 1-junction is that of its bonds along their arrows: with power into the junction the one that
/// leads out has the opposite.
int sign_at(const BondGraph& graph, const Bond& bond, bool head) {
    const auto& element = graph.elements[(head ? bond.to : bond.from).index()];
    return !head && element.type->structure == Structure::junction1 ? -1 : 1;
}

class Reduction {
   public:
    Reduction(Network& network, const BondGraph& graph, const std::vector<bool>& kept)
        : n_(network), graph_(graph), kept_(kept), at_(network.gone.size()) {
        for (std::uint32_t i = 0; i < n_.edges.size(); ++i) {
            at_[n_.edges[i].x].push_back(i);
            at_[n_.edges[i].y].push_back(i);
        }
    }

    void run() {
        for (std::uint32_t v = 0; v < at_.size(); ++v) pending_.push_back(v);
        while (!pending_.empty()) {
            const std::uint32_t v = pending_.front();
            pending_.pop_front();
            if (n_.gone[v] || kept_[v] || !junction(v)) continue;
            if (!pass_through(v)) merge(v);
        }
    }

   private:
    [[nodiscard]] bool junction(std::uint32_t v) const { return graph_.elements[n_.element_of[v]].is_junction(); }
    [[nodiscard]] bool one(std::uint32_t v) const {
        return graph_.elements[n_.element_of[v]].type->structure == Structure::junction1;
    }
    [[nodiscard]] std::uint32_t other(std::uint32_t edge, std::uint32_t v) const {
        return n_.edges[edge].x == v ? n_.edges[edge].y : n_.edges[edge].x;
    }

    /// A 1-junction of two bonds says e1 + e2 = 0 and f1 = f2 with power into it, a 0-junction e1 = e2, f1 + f2 = 0.
    bool pass_through(std::uint32_t v) {
        if (at_[v].size() != 2) return false;
        const std::uint32_t a = at_[v][0];
        const std::uint32_t b = at_[v][1];
        if (a == b) return false;
        const std::uint32_t x = other(a, v);
        const std::uint32_t y = other(b, v);
        if (x == y || x == v || y == v) return false;
        n_.edges[a] = {x, y, (one(v) ? -1 : 1) * n_.edges[a].sign * n_.edges[b].sign, n_.edges[a].bond};
        n_.edges[b].gone = true;
        n_.gone[v] = true;
        std::ranges::replace(at_[y], b, a);
        pending_.push_back(x);
        pending_.push_back(y);
        return true;
    }

    /// Into it goes the first neighbour of its kind. Of 1-junctions f_v = −σ f_w, of 0-junctions e_v = σ e_w.
    void merge(std::uint32_t v) {
        for (const std::uint32_t e : at_[v]) {
            const std::uint32_t w = other(e, v);
            if (w == v || kept_[w] || !junction(w) || one(w) != one(v)) continue;
            if (std::ranges::count_if(at_[v], [&](std::uint32_t k) { return other(k, v) == w; }) > 1) continue;
            const int sign = one(v) ? -n_.edges[e].sign : n_.edges[e].sign;
            join(v, w, e, sign);
            pending_.push_back(v);
            return;
        }
    }

    void join(std::uint32_t v, std::uint32_t w, std::uint32_t between, int sign) {
        n_.edges[between].gone = true;
        n_.gone[w] = true;
        std::erase(at_[v], between);
        for (const std::uint32_t e : at_[w]) {
            if (e == between) continue;
            Network::Edge& edge = n_.edges[e];
            for (std::uint32_t* end : {&edge.x, &edge.y}) {
                if (*end != w) continue;
                *end = v;
                edge.sign *= sign;
            }
            at_[v].push_back(e);
            pending_.push_back(other(e, v));
        }
    }

    Network& n_;
    const BondGraph& graph_;
    const std::vector<bool>& kept_;
    std::vector<std::vector<std::uint32_t>> at_;
    std::deque<std::uint32_t> pending_;
};

}  // namespace

Network network_of(const BondGraph& graph) {
    Network n;
    for (std::uint32_t i = 0; i < graph.elements.size(); ++i) {
        n.first_node.push_back(static_cast<std::uint32_t>(n.element_of.size()));
        const std::size_t nodes = graph.elements[i].is_junction() ? 1 : graph.elements[i].ports.size();
        n.element_of.insert(n.element_of.end(), nodes, i);
    }
    n.gone.resize(n.element_of.size());
    for (std::uint32_t i = 0; i < graph.bonds.size(); ++i) {
        const Bond& b = graph.bonds[i];
        n.edges.push_back({n.node(graph, b.from, b.from_port), n.node(graph, b.to, b.to_port),
                           sign_at(graph, b, false) * sign_at(graph, b, true), i});
    }
    return n;
}

void reduce(Network& network, const BondGraph& graph, const std::vector<bool>& kept) {
    Reduction(network, graph, kept).run();
}

}  // namespace bondgraph::equivalence
