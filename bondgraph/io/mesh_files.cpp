#include "bondgraph/io/mesh_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;

std::string mesh_bytes(const fs::path& file, const FileAccess& access, std::vector<std::string>& read) {
    read.push_back(file.string());
    if (!access.allows(file)) throw UnreadableMesh(kFileRefused);
    TextFile contents = read_regular_file(file);
    if (!contents.failure.empty()) throw UnreadableMesh(contents.failure);
    return std::move(contents.text);
}

std::string lower_case_ending(const fs::path& file) {
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

/// Those of a model, and what came of files that several of them name.
class MeshReading {
   public:
    MeshReading(const std::vector<fs::path>& folders, Diagnostics& diagnostics, std::vector<std::string>& read,
                const FileAccess& access)
        : folders_(folders), diagnostics_(diagnostics), read_(read), access_(access) {}

    void of_body(model::Body& body) {
        for (model::ComponentDeclaration& c : body.components) {
            if (c.shapes == nullptr) continue;
            auto shapes = std::make_shared<std::vector<model::ShapeDeclaration>>(*c.shapes);
            of_shapes(*shapes);
            c.shapes = std::move(shapes);
        }
    }

    void of_shapes(std::vector<model::ShapeDeclaration>& shapes) {
        for (model::ShapeDeclaration& shape : shapes) {
            if (!shape.file) continue;
            const std::uint32_t source = shape.file->position.file;
            const fs::path folder = source < folders_.size() ? folders_[source] : fs::path();
            const Found& found = look(folder / shape.file->text, shape.file->text);
            shape.mesh = found.mesh;
            if (found.mesh == nullptr)
                diagnostics_.error("BG-M097", shape.file->position,
                                   fmt::format("can't show '{}': {}", shape.file->text, found.failure));
        }
    }

   private:
    struct Found {
        std::shared_ptr<const model::Mesh> mesh;
        std::string failure;
    };

    const Found& look(const fs::path& path, const std::string& name) {
        std::error_code unknown;
        const fs::path canonical = fs::weakly_canonical(path, unknown);
        const auto [at, fresh] = found_.try_emplace(unknown ? path.string() : canonical.string());
        if (!fresh) return at->second;
        try {
            auto mesh = std::make_shared<model::Mesh>(read_mesh(path, access_, read_));
            mesh->file = name;
            at->second.mesh = std::move(mesh);
        } catch (const UnreadableMesh& e) {
            at->second.failure = e.what();
        }
        return at->second;
    }

    const std::vector<fs::path>& folders_;
    Diagnostics& diagnostics_;
    std::vector<std::string>& read_;
    const FileAccess& access_;
    std::map<std::string, Found> found_;
};

}  // namespace

model::Mesh read_mesh(const fs::path& file, const FileAccess& access, std::vector<std::string>& read) {
    const NeighbourReader neighbour = [&](const std::string& name) {
        try {
            return mesh_bytes(file.parent_path() / name, access, read);
        } catch (const UnreadableMesh& e) {
            throw UnreadableMesh(fmt::format("its '{}': {}", name, e.what()));
        }
    };
    const std::string ending = lower_case_ending(file);
    constexpr std::array<std::string_view, 4> kEndings{".stl", ".obj", ".gltf", ".glb"};
    if (std::ranges::find(kEndings, ending) == kEndings.end())
        throw UnreadableMesh("its name has to end with .stl, .obj, .gltf or .glb");
    const std::string bytes = mesh_bytes(file, access, read);
    if (bytes.starts_with("version https://git-lfs")) throw UnreadableMesh("it is a pointer of Git LFS: get the file");
    if (ending == ".stl") return read_stl(bytes);
    return ending == ".obj" ? read_obj(bytes, neighbour) : read_gltf(bytes, neighbour);
}

void read_meshes(model::Model& model, const std::vector<fs::path>& folders, Diagnostics& diagnostics,
                 std::vector<std::string>& read, const FileAccess& access) {
    MeshReading reading(folders, diagnostics, read, access);
    reading.of_body(model.body);
    for (model::TypeDeclaration& type : model.types) {
        reading.of_shapes(type.shapes);
        reading.of_body(type.body);
    }
}

}  // namespace bondgraph::io
