#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bondgraph::model {

/// Triangles of one colour: numbers of vertices, in the order in which they go round seen from outside.
struct MeshPart {
    std::optional<std::array<std::uint8_t, 3>> colour;  ///< red, green, blue as screens have them; none: any
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// The form of a solid as a file has it, in the file's own axes and unit. There is a triangle at least, all of its
/// vertices are there, and their coordinates are finite.
struct Mesh {
    std::string file;  ///< as it was named
    std::vector<std::array<float, 3>> vertices;
    std::vector<MeshPart> parts;

    [[nodiscard]] std::size_t triangles() const {
        std::size_t count = 0;
        for (const MeshPart& part : parts) count += part.triangles.size();
        return count;
    }
};

/// Without the vertices that no triangle has, and the parts that have none.
Mesh without_unused(const Mesh& mesh);

}  // namespace bondgraph::model
