#include "bondgraph/io/part_library.hpp"

#include <algorithm>

#include "bondgraph/io/library_types.hpp"
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

std::vector<std::string_view> library_files_with(std::string_view type) {
    std::vector<std::string_view> result;
    for (const LibraryFile& file : library_files()) {
        const auto types = find_types(file.text, 0);
        if (std::ranges::find(types, type, &TypeLines::name) != types.end()) result.push_back(file.name);
    }
    return result;
}

}  // namespace bondgraph::io
