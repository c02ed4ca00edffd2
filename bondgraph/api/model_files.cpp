#include "bondgraph/api/model_files.hpp"

#include <algorithm>
#include <filesystem>

#include "bondgraph/io/importable_files.hpp"

namespace bondgraph::api {

std::vector<std::string> models_below(const std::string& folder) {
    namespace fs = std::filesystem;
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
        const bool text = entry.is_regular_file() && entry.path().extension() == ".yaml";
        if (text && !io::is_importable(entry.path())) files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace bondgraph::api
