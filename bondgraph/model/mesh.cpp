#include "bondgraph/model/mesh.hpp"

#include <limits>

namespace bondgraph::model {

Mesh without_unused(const Mesh& mesh) {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> number(mesh.vertices.size(), kUnused);
    Mesh result{mesh.file, {}, {}};
    for (const MeshPart& part : mesh.parts) {
        if (part.triangles.empty()) continue;
        MeshPart& kept = result.parts.emplace_back(part);
        for (auto& triangle : kept.triangles) {
            for (std::uint32_t& v : triangle) {
                if (number[v] == kUnused) {
                    number[v] = static_cast<std::uint32_t>(result.vertices.size());
                    result.vertices.push_back(mesh.vertices[v]);
                }
                v = number[v];
            }
        }
    }
    return result;
}

}  // namespace bondgraph::model
