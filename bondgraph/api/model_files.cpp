#include "bondgraph/api/model_files.hpp"

#include <algorithm>
#include <filesystem>

#include "bondgraph/io/importable_files.hpp"

namespace bondgraph::api {

std::vector<std::string> files_below(const std::string& folder, const std::vector<std::string>& endings) {
    namespace fs = std::filesystem;
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
        const std::string ending = entry.path().extension().string();
        if (entry.is_regular_file() && std::ranges::find(endings, ending) != endings.end())
            files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<std::string> models_below(const std::string& folder, const std::vector<std::string>& endings) {
    std::vector<std::string> files = files_below(folder, endings);
    std::erase_if(files, [](const std::string& file) { return io::is_importable(file); });
    return files;
}

}  // namespace bondgraph::api
