#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace bondgraph::test {

/// The model files below a folder, in alphabetical order: all of them, or one of BONDGRAPH_SWEEP where a build that
/// finds other mistakes than the usual one, and takes ten times as long, shall have looked at some of each kind.
inline std::vector<std::string> model_files_below(const std::filesystem::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const bool library = entry.path().parent_path().filename() == "library";  // types for models to import
        if (entry.path().extension() == ".yaml" && !library) files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> some;
    for (std::size_t k = 0; k < files.size(); k += BONDGRAPH_SWEEP) some.push_back(files[k]);
    return some;
}

}  // namespace bondgraph::test
