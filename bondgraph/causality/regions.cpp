// Parts of the junction structure whose meshes are too large for a table of their own.

#include <algorithm>

#include "bondgraph/causality/scalar_graph.hpp"

namespace bondgraph::causality {
namespace {

/// Vertices joined by bonds, by union and find.
class Joined {
   public:
    explicit Joined(std::size_t count) : parent_(count) {
        for (std::uint32_t v = 0; v < count; ++v) parent_[v] = v;
    }
    std::uint32_t find(std::uint32_t v) {
        while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
        return v;
    }
    void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

   private:
    std::vector<std::uint32_t> parent_;
};

/// Whether a vertex is on a cycle or between cycles: what is left when ends of trees are taken away again and again.
std::vector<bool> without_trees(const ScalarGraph& s, const std::vector<std::uint32_t>& bonds) {
    std::vector<std::uint32_t> degree(s.vertices.size(), 0);
    std::vector<std::vector<std::uint32_t>> neighbours(s.vertices.size());
    for (const std::uint32_t c : bonds) {
        const std::uint32_t a = s.tail_vertex[c];
        const std::uint32_t b = s.head_vertex[c];
        ++degree[a];
        ++degree[b];
        neighbours[a].push_back(b);
        neighbours[b].push_back(a);
    }
    std::vector<bool> inside(s.vertices.size(), true);
    std::vector<std::uint32_t> stack;
    for (std::uint32_t v = 0; v < degree.size(); ++v) {
        if (degree[v] <= 1) stack.push_back(v);
    }
    while (!stack.empty()) {
        const std::uint32_t v = stack.back();
        stack.pop_back();
        if (!inside[v]) continue;
        inside[v] = false;
        for (const std::uint32_t w : neighbours[v]) {
            if (inside[w] && --degree[w] == 1) stack.push_back(w);
        }
    }
    return inside;
}

}  // namespace

void find_regions(ScalarGraph& s, const std::vector<std::uint32_t>& bonds, const std::vector<std::uint32_t>& seeds) {
    Joined joined(s.vertices.size());
    for (const std::uint32_t c : bonds) joined.join(s.tail_vertex[c], s.head_vertex[c]);
    std::vector<std::uint32_t> region_of(s.vertices.size(), kNoVertex);  // by representative
    for (const std::uint32_t v : seeds) {
        std::uint32_t& region = region_of[joined.find(v)];
        if (region != kNoVertex) continue;
        region = static_cast<std::uint32_t>(s.regions.size());
        s.regions.emplace_back();
    }
    const std::vector<bool> inside = without_trees(s, bonds);
    const auto count = static_cast<std::uint32_t>(s.vertices.size());
    for (Region& region : s.regions) {
        region.mesh = static_cast<std::uint32_t>(s.vertices.size());
        s.vertices.push_back({.kind = ScalarVertex::Kind::planned});
        s.mesh_of.push_back(kNoVertex);
    }
    for (std::uint32_t v = 0; v < count; ++v) {
        const std::uint32_t r = region_of[joined.find(v)];
        if (r == kNoVertex) continue;
        s.regions[r].vertices.push_back(v);
        if (inside[v]) s.mesh_of[v] = s.regions[r].mesh;
    }
    for (const Region& region : s.regions) {
        ScalarVertex& mesh = s.vertices[region.mesh];
        for (const std::uint32_t v : region.vertices) {
            if (s.mesh_of[v] != region.mesh) continue;
            if (!mesh.element.valid()) mesh.element = s.vertices[v].element;
            for (const ScalarEnd& e : s.vertices[v].ends) {
                const std::uint32_t other = (e.at_head ? s.tail_vertex : s.head_vertex)[e.component];
                if (other == kNoVertex || other >= count || s.mesh_of[other] != region.mesh) mesh.ends.push_back(e);
            }
        }
    }
}

}  // namespace bondgraph::causality
