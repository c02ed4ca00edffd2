#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/text_file.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// Why a file is no form that can be shown.
class UnreadableMesh : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

constexpr std::size_t kMostMeshTriangles = 1'000'000;

/// The bytes of a file that another one names; throws UnreadableMesh where it may or can not be read.
using NeighbourReader = std::function<std::string(const std::string& name)>;

// The bytes of a file as triangles. All throw UnreadableMesh for what is not of the format, ends early, has coordinates
// that are no numbers, no triangle, or more than kMostMeshTriangles.

/// Both kinds, text and binary; equal corners become one vertex. STL has no colours.
model::Mesh read_stl(std::string_view bytes);
/// `v`, `f` and the colours (`Kd`) of the materials that `usemtl` names. Faces may have any number of corners. A
/// library of materials that is not there costs its colours only.
model::Mesh read_obj(std::string_view text, const NeighbourReader& neighbour);
/// glTF 2.0, text or binary: the triangles of all nodes of its scene, where these place them, and their base colours.
model::Mesh read_gltf(std::string_view bytes, const NeighbourReader& neighbour);

/// By its ending. `read`: the names of all files that were to be read are added to it.
model::Mesh read_mesh(const std::filesystem::path& file, const FileAccess& access, std::vector<std::string>& read);

/// Reads what shapes of the model and of its types name, each file once: names are those of files beside the one they
/// stand in, `folders` by the numbers of sources. What can't be read is reported (BG-M097).
void read_meshes(model::Model& model, const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics,
                 std::vector<std::string>& read, const FileAccess& access);

}  // namespace bondgraph::io
