#include "bondgraph/io/part_library.hpp"

#include <algorithm>

#include "bondgraph/model/library_positions.hpp"

namespace bondgraph::io {

const std::filesystem::path& library_folder() {
    static const std::filesystem::path folder = model::kLibraryFolder;
    return folder;
}

std::optional<std::string_view> library_text(const std::filesystem::path& path) {
    if (path.parent_path() != library_folder() || path.extension() != ".yaml") return std::nullopt;
    const auto files = library_files();
    const auto found = std::ranges::find(files, path.stem().string(), &LibraryFile::name);
    if (found == files.end()) return std::nullopt;
    return found->text;
}

}  // namespace bondgraph::io
