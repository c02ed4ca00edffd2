#include "bondgraph/io/importable_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "bondgraph/io/load_model.hpp"
#include "bondgraph/io/part_library.hpp"
#include "bondgraph/io/text_file.hpp"

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;

/// Whether lines of a text begin with `types:` and the like, and none with what only a model has.
bool holds_declarations_alone(const std::string& text) {
    std::istringstream lines(text);
    bool declares = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("components:")) return false;
        declares = declares || line.starts_with("types:") || line.starts_with("records:") ||
                   line.starts_with("connector_types:");
    }
    return declares;
}

std::vector<ImportableFile> files_in(const fs::path& folder) {
    std::vector<ImportableFile> files;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
         entry.increment(failure)) {
        const fs::path& path = entry->path();
        std::error_code none;
        if (path.extension() != ".yaml" || !entry->is_regular_file(none)) continue;
        if (is_importable(path)) files.push_back({path.stem().string(), path});
    }
    std::ranges::sort(files, {}, &ImportableFile::name);
    return files;
}

/// As a text of YAML that is nothing but itself.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + "'";
}

}  // namespace

bool is_importable(const fs::path& path) {
    const TextFile file = read_regular_file(path);
    return file.failure.empty() && holds_declarations_alone(file.text);
}

std::vector<ImportableFile> importable_files(const std::vector<fs::path>& folders) {
    std::vector<ImportableFile> all;
    for (const fs::path& folder : folders) {
        for (ImportableFile& file : files_in(folder)) {
            if (std::ranges::find(all, file.name, &ImportableFile::name) == all.end()) all.push_back(std::move(file));
        }
    }
    return all;
}

std::optional<model::Model> read_importable(const ImportableFile& file, const std::vector<fs::path>& folders) {
    SourceMap sources;
    const std::string text =
        fmt::format("model: types\ncomponents: {{}}\nimport: {{file: {}}}\n", quoted(fs::absolute(file.path).string()));
    ReadModel read = read_model_text(text, fs::path("types"), sources, folders);
    if (read.diagnostics.has_errors()) return std::nullopt;
    return std::move(read.model);
}

std::vector<ImportableFile> importable_files_with(const std::string& type, const std::vector<fs::path>& folders) {
    std::vector<ImportableFile> found;
    for (ImportableFile& file : importable_files(folders)) {
        const auto model = read_importable(file, folders);
        if (!model) continue;
        const auto number = number_of_file(*model, file.path);
        const bool has = std::ranges::any_of(model->types, [&](const model::TypeDeclaration& t) {
            return !t.record && !t.partial && number && t.name.position.file == *number &&
                   t.name.text.substr(t.name.text.rfind('.') + 1) == type;
        });
        if (has) found.push_back(std::move(file));
    }
    return found;
}

std::string files_to_try(const std::string& import, const std::vector<fs::path>& folders) {
    constexpr std::size_t kMostFiles = 20;  // a folder of many may have hundreds
    std::vector<std::string> own;
    for (const ImportableFile& file : importable_files(folders)) own.push_back(file.name);
    std::vector<std::string> parts;
    for (const LibraryFile& library : library_files()) parts.emplace_back(library.name);
    std::vector<std::string> all = own;
    all.insert(all.end(), parts.begin(), parts.end());
    const char* more = own.size() > kMostFiles ? ", …" : "";
    own.resize(std::min(own.size(), kMostFiles));
    return fmt::format("{}the library of parts has: {}{}",
                       own.empty() ? "" : fmt::format("BONDGRAPH_PATH leads to: {}{}; ", fmt::join(own, ", "), more),
                       fmt::join(parts, ", "), did_you_mean(fs::path(import).stem().string(), all));
}

std::vector<fs::path> places_of_import(const std::string& import, const fs::path& folder,
                                       const std::vector<fs::path>& folders) {
    std::vector<fs::path> beside{folder};
    if (fs::path(import).is_relative()) beside.insert(beside.end(), folders.begin(), folders.end());
    const std::string last = fs::path(import).filename().string();
    const bool bare = !last.empty() && last != "." && last != ".." && !fs::path(import).has_extension();
    std::vector<fs::path> places;
    for (const fs::path& f : beside) {
        places.push_back(f / import);
        if (bare) places.push_back(f / (import + ".yaml"));
    }
    // Files of the library have names and no folders.
    if (fs::path(import) == fs::path(import).filename())
        places.push_back(library_folder() / (bare ? import + ".yaml" : import));
    return places;
}

std::optional<std::uint32_t> number_of_file(const model::Model& model, const fs::path& path) {
    const auto found = std::ranges::find(model.files, fs::absolute(path).lexically_normal().string());
    if (found == model.files.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - model.files.begin());
}

}  // namespace bondgraph::io
