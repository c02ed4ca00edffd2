#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bondgraph/model/mesh.hpp"

namespace bondgraph::io {

/// Puts a form together; throws UnreadableMesh for coordinates that are no numbers and for too many triangles.
class MeshBuilder {
   public:
    using Colour = std::optional<std::array<std::uint8_t, 3>>;

    /// The number of a new vertex.
    std::uint32_t vertex(const std::array<double, 3>& x);
    [[nodiscard]] std::size_t vertices() const { return mesh_.vertices.size(); }
    [[nodiscard]] const std::array<float, 3>& at(std::uint32_t vertex) const { return mesh_.vertices[vertex]; }
    /// Triangles from now on have this colour.
    void colour(const Colour& colour);
    /// Of vertices that are there.
    void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c);
    /// Throws UnreadableMesh where so many more triangles would be too many.
    void expect(std::size_t triangles) const;
    /// The form, with one vertex for those at the same place; throws UnreadableMesh where it has no triangle.
    model::Mesh take();

   private:
    void join_equal();

    model::Mesh mesh_{.file = {}, .vertices = {}, .parts = {}};
    std::size_t part_ = 0;
    std::size_t triangles_ = 0;
};

/// The words of a line, one after the other.
class Words {
   public:
    explicit Words(std::string_view line) : rest_(line) {}
    /// Empty at the end.
    std::string_view next();

   private:
    std::string_view rest_;
};

/// A number as files of forms have it; nothing where it is none.
std::optional<double> mesh_number(std::string_view word);

}  // namespace bondgraph::io
