#include "bondgraph/model/coarse_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace bondgraph::model {
namespace {

constexpr std::uint64_t kFinest = 4096;

using Triangle = std::array<std::uint32_t, 3>;

/// Vertices by cells of a grid with so many along the longest side of the box around them.
class Clusters {
   public:
    Clusters(const Mesh& mesh, std::uint32_t along) : mesh_(mesh), cell_of_(mesh.vertices.size()) {
        std::array<double, 3> low{};
        double longest = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [least, most] = std::ranges::minmax(
                mesh.vertices, {}, [&](const std::array<float, 3>& v) { return static_cast<double>(v[k]); });
            low[k] = least[k];
            longest = std::max(longest, double{most[k]} - least[k]);
        }
        const double step = longest > 0.0 ? longest / along : 1.0;
        std::vector<std::pair<std::uint64_t, std::uint32_t>> cells;
        cells.reserve(mesh.vertices.size());
        for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
            std::uint64_t cell = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto at = static_cast<std::uint64_t>((double{mesh.vertices[i][k]} - low[k]) / step);
                cell = cell * kFinest + std::min<std::uint64_t>(at, along - 1);
            }
            cells.emplace_back(cell, i);
        }
        std::ranges::sort(cells);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i == 0 || cells[i].first != cells[i - 1].first) ++count_;
            cell_of_[cells[i].second] = count_ - 1;
        }
    }

    /// Without those that have become lines or points, and each once.
    [[nodiscard]] std::vector<Triangle> triangles(const MeshPart& part) const {
        std::vector<Triangle> kept;
        for (const Triangle& t : part.triangles) {
            if (!stays(t)) continue;
            Triangle of{cell_of_[t[0]], cell_of_[t[1]], cell_of_[t[2]]};
            std::rotate(of.begin(), std::ranges::min_element(of), of.end());
            kept.push_back(of);
        }
        std::ranges::sort(kept);
        kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
        return kept;
    }

    /// Some of them may be the same.
    [[nodiscard]] std::size_t triangle_count() const {
        std::size_t count = 0;
        for (const MeshPart& part : mesh_.parts) {
            for (const Triangle& t : part.triangles) count += stays(t) ? 1 : 0;
        }
        return count;
    }

    [[nodiscard]] std::vector<std::array<float, 3>> middles() const {
        std::vector<std::array<double, 3>> sums(count_);
        std::vector<double> members(count_);
        for (std::size_t v = 0; v < cell_of_.size(); ++v) {
            for (std::size_t k = 0; k < 3; ++k) sums[cell_of_[v]][k] += mesh_.vertices[v][k];
            members[cell_of_[v]] += 1.0;
        }
        std::vector<std::array<float, 3>> middles(count_);
        for (std::size_t c = 0; c < count_; ++c) {
            for (std::size_t k = 0; k < 3; ++k) middles[c][k] = static_cast<float>(sums[c][k] / members[c]);
        }
        return middles;
    }

   private:
    [[nodiscard]] bool stays(const Triangle& t) const {
        const std::uint32_t a = cell_of_[t[0]];
        const std::uint32_t b = cell_of_[t[1]];
        const std::uint32_t c = cell_of_[t[2]];
        return a != b && b != c && c != a;
    }

    const Mesh& mesh_;
    std::vector<std::uint32_t> cell_of_;
    std::uint32_t count_ = 0;
};

}  // namespace

std::size_t most_of_each(std::span<const std::size_t> triangles, std::size_t all) {
    std::vector<std::size_t> sorted(triangles.begin(), triangles.end());
    std::ranges::sort(sorted);
    std::size_t left = all;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        const std::size_t share = left / (sorted.size() - k);
        if (sorted[k] > share) return std::max<std::size_t>(1, share);
        left -= sorted[k];
    }
    return std::numeric_limits<std::size_t>::max();
}

Mesh coarsened(const Mesh& mesh, std::size_t most) {
    if (mesh.triangles() <= most) return mesh;
    constexpr double kNearEnough = 0.8;
    std::uint32_t small = 1;  // everything in one cell: no triangle
    std::uint32_t large = kFinest;
    while (large - small > 1) {
        const double between = std::sqrt(static_cast<double>(small) * large);
        const std::uint32_t middle = std::clamp(static_cast<std::uint32_t>(between), small + 1, large - 1);
        const std::size_t count = Clusters(mesh, middle).triangle_count();
        (count <= most ? small : large) = middle;
        if (count <= most && static_cast<double>(count) >= kNearEnough * static_cast<double>(most)) break;
    }
    const Clusters clusters(mesh, small);
    Mesh result{mesh.file, clusters.middles(), {}};
    for (const MeshPart& part : mesh.parts) result.parts.push_back({part.colour, clusters.triangles(part)});
    if (result.triangles() == 0) {  // so few that no grid leaves any
        const auto first = std::ranges::find_if(mesh.parts, [](const MeshPart& p) { return !p.triangles.empty(); });
        result = {mesh.file, mesh.vertices, {{first->colour, {first->triangles.front()}}}};
    }
    return without_unused(result);
}

}  // namespace bondgraph::model
