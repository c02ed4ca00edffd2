#include "bondgraph/io/mesh_building.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "bondgraph/io/mesh_files.hpp"

namespace bondgraph::io {
namespace {

constexpr double kFarthestPlace = 1e15;
constexpr std::size_t kMostColours = 256;  ///< further ones count as none
constexpr std::string_view kMeshBlanks = " \t\r\v\f";

}  // namespace

std::uint32_t MeshBuilder::vertex(const std::array<double, 3>& x) {
    std::array<float, 3> kept{};
    for (std::size_t k = 0; k < 3; ++k) {
        if (!(std::abs(x[k]) <= kFarthestPlace))
            throw UnreadableMesh("one of its coordinates is no number, or beyond all measure");
        kept[k] = static_cast<float>(x[k]) + 0.0F;  // there is one 0
    }
    mesh_.vertices.push_back(kept);
    return static_cast<std::uint32_t>(mesh_.vertices.size() - 1);
}

void MeshBuilder::colour(const Colour& wanted) {
    const bool room = mesh_.parts.size() < kMostColours ||
                      std::ranges::find(mesh_.parts, wanted, &model::MeshPart::colour) != mesh_.parts.end();
    const Colour colour = room ? wanted : std::nullopt;
    const auto found = std::ranges::find(mesh_.parts, colour, &model::MeshPart::colour);
    part_ = static_cast<std::size_t>(found - mesh_.parts.begin());
    if (found == mesh_.parts.end()) mesh_.parts.push_back({.colour = colour, .triangles = {}});
}

void MeshBuilder::expect(std::size_t triangles) const {
    if (triangles > kMostMeshTriangles - triangles_)
        throw UnreadableMesh(fmt::format("it has more than {} triangles", kMostMeshTriangles));
}

void MeshBuilder::triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    expect(1);
    if (mesh_.parts.empty()) colour(std::nullopt);
    mesh_.parts[part_].triangles.push_back({a, b, c});
    ++triangles_;
}

// Sorted: a table of hashes could be made slow by a file that is made for that.
void MeshBuilder::join_equal() {
    std::vector<std::uint32_t> order(mesh_.vertices.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t v) { return std::pair(mesh_.vertices[v], v); });
    std::vector<std::uint32_t> first(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool same = i > 0 && mesh_.vertices[order[i]] == mesh_.vertices[order[i - 1]];
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    for (model::MeshPart& part : mesh_.parts) {
        for (auto& triangle : part.triangles) {
            for (std::uint32_t& v : triangle) v = first[v];
        }
    }
}

model::Mesh MeshBuilder::take() {
    if (triangles_ == 0) throw UnreadableMesh("it has no triangles");
    join_equal();
    return model::without_unused(mesh_);
}

std::string_view Words::next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(kMeshBlanks), rest_.size());
    const std::size_t end = std::min(rest_.find_first_of(kMeshBlanks, begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
}

std::optional<double> mesh_number(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0.0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool tiny = word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos;
    if (failure == std::errc::result_out_of_range && tiny && end == word.data() + word.size()) return 0.0;
    if (failure != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return value;
}

}  // namespace bondgraph::io
