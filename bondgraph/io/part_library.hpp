#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace bondgraph::io {

// The library of parts, models/library/*.yaml, which is part of the program: `import: [electrical]` finds it wherever
// the program or whoever is linked with it runs.

struct LibraryFile {
    std::string_view name;  ///< "electrical"
    std::string_view text;
};

/// In the order of their names.
std::span<const LibraryFile> library_files();

/// The folder in which these files seem to be for those who import them. There is none of that name on any disk.
const std::filesystem::path& library_folder();

/// What a path in that folder names ("library:/electrical.yaml"); nothing for other paths.
std::optional<std::string_view> library_text(const std::filesystem::path& path);

/// The files that have a type of this name.
std::vector<std::string_view> library_files_with(std::string_view type);

}  // namespace bondgraph::io
