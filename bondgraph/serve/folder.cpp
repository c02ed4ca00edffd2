#include "bondgraph/serve/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "bondgraph/api/output_file.hpp"

namespace bondgraph::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSolutions = "solutions";
/// Folders beside exercises that tell what is to be found out.
constexpr std::array<std::string_view, 3> kTelling{kSolutions, "answers", "drawings"};
constexpr std::array<std::string_view, 2> kModels{".yaml", ".yml"};
/// What students find beside the graph of an exercise.
constexpr std::array<std::string_view, 2> kFound{".strokes", ".equations"};
constexpr std::array<std::string_view, 4> kReadOnly{".md", ".svg", ".png", ".csv"};

bool is_model(const fs::path& file) { return std::ranges::find(kModels, file.extension().string()) != kModels.end(); }
bool may_be_written(const fs::path& file) {
    return is_model(file) || std::ranges::find(kFound, file.extension().string()) != kFound.end();
}
bool may_be_read(const fs::path& file) {
    return may_be_written(file) || std::ranges::find(kReadOnly, file.extension().string()) != kReadOnly.end();
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// By its content: what another editor has saved without a change is the same.
std::string version_of(const std::string& text) {
    return fmt::format("{:016x}-{}", std::hash<std::string>{}(text), text.size());
}

/// For lists, which shall not read all files.
std::string stamp_of(const fs::path& file) {
    std::error_code unknown;
    const auto time = fs::last_write_time(file, unknown).time_since_epoch().count();
    return fmt::format("{}-{}", time, fs::file_size(file, unknown));
}

/// Strokes and equations beside a model; none where they may as well be another model's.
std::vector<fs::path> found_beside(const fs::path& model) {
    std::vector<fs::path> found;
    std::error_code failure;
    for (const std::string_view ending : kModels) {
        const fs::path other = fs::path(model).replace_extension(ending);
        if (other != model && fs::exists(other, failure)) return found;
    }
    for (const std::string_view ending : kFound) {
        const fs::path file = fs::path(model).replace_extension(ending);
        if (fs::is_regular_file(fs::symlink_status(file, failure))) found.push_back(file);
    }
    return found;
}

constexpr const char* kNoName = "a file needs a name, which is more than blanks";
bool has_blank_name(const fs::path& file) { return file.stem().string().find_first_not_of(" \t") == std::string::npos; }

}  // namespace

std::string solution_of(const std::string& name) {
    const fs::path path(name);
    return (path.parent_path() / kSolutions / path.filename().replace_extension(".yaml")).string();
}

Folder::Folder(const fs::path& root, bool read_only) : read_only_(read_only) {
    std::error_code failure;
    root_ = fs::canonical(root, failure);
    if (failure) throw std::runtime_error(fmt::format("can't read '{}': {}", root.string(), failure.message()));
    if (!fs::is_directory(root_)) throw std::runtime_error(fmt::format("'{}' is no folder", root.string()));
}

std::optional<fs::path> Folder::place_of(const std::string& name) const {
    constexpr std::size_t kLongest = 1000;
    if (name.empty() || name.size() > kLongest || std::ranges::any_of(name, [](unsigned char c) { return c < ' '; }))
        return std::nullopt;
    const fs::path relative(name);
    if (relative.is_absolute()) return std::nullopt;
    // Names that begin with a dot: "..", and what is hidden.
    const bool hidden = std::ranges::any_of(relative, [](const fs::path& p) { return p.string().starts_with('.'); });
    if (hidden || !may_be_read(relative)) return std::nullopt;
    std::error_code failure;
    const fs::path place = fs::weakly_canonical(root_ / relative, failure);
    // A link that is left is one to nothing: to write there would make what it leads to.
    if (failure || fs::is_symlink(place, failure) || !lies_in(place, root_) || !may_be_read(place)) return std::nullopt;
    if (fs::exists(place, failure) && !fs::is_regular_file(place, failure)) return std::nullopt;
    return place;
}

std::vector<FolderFile> Folder::files() const {
    std::vector<FolderFile> found;
    std::set<std::string> texts;
    std::error_code failure;
    constexpr int kDeepest = 8;
    constexpr std::size_t kMostLooked = 100'000;
    std::size_t looked = 0;
    auto at = fs::recursive_directory_iterator(root_, fs::directory_options::skip_permission_denied, failure);
    for (; at != fs::recursive_directory_iterator() && ++looked < kMostLooked; at.increment(failure)) {
        if (failure) break;
        const std::string own = at->path().filename().string();
        std::error_code unknown;
        const bool folder = at->is_directory(unknown);
        if (folder && (own.starts_with('.') || own == "node_modules" || at.depth() >= kDeepest))
            at.disable_recursion_pending();
        if (folder || own.starts_with('.')) continue;
        const std::string name = at->path().lexically_relative(root_).string();
        const bool model = is_model(at->path());
        if (!model && at->path().extension() != ".md") continue;
        if (!place_of(name)) continue;
        if (!model) {
            texts.insert(name);
            continue;
        }
        const bool solution = std::ranges::any_of(fs::path(name).parent_path(), [](const fs::path& folder) {
            return std::ranges::find(kTelling, folder.string()) != kTelling.end();
        });
        found.push_back({.name = name, .stamp = stamp_of(at->path()), .solution = solution});
        if (found.size() >= kMostFiles) break;
    }
    std::set<std::string> names;
    for (const FolderFile& file : found) names.insert(file.name);
    const auto known = [&](const std::string& name) { return names.contains(name); };
    for (FolderFile& file : found) file.exercise = !file.solution && known(solution_of(file.name));
    // Exercises that nobody has answered yet are there by their texts.
    for (const std::string& text : texts) {
        const std::string answer = fs::path(text).replace_extension(".yaml").string();
        if (!known(answer) && known(solution_of(answer))) found.push_back({.name = answer, .exercise = true});
    }
    std::ranges::sort(found, {}, &FolderFile::name);
    return found;
}

std::optional<FileText> Folder::read(const std::string& name) const {
    const auto place = place_of(name);
    std::error_code failure;
    if (!place || !fs::is_regular_file(*place, failure) || fs::file_size(*place, failure) > kMostBytes)
        return std::nullopt;
    std::ifstream stream(*place, std::ios::binary);
    if (!stream) return std::nullopt;
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::string version = version_of(text);
    return FileText{std::move(text), std::move(version)};
}

Written Folder::write(const std::string& name, const std::string& text, const std::string& version) const {
    const auto refuse = [](std::string why) { return Written{.why = std::move(why)}; };
    if (read_only_) return refuse("the folder is served to be read only");
    if (text.size() > kMostBytes) return refuse("the text is too long");
    const auto place = place_of(name);
    if (!place || !may_be_written(*place)) return refuse(fmt::format("'{}' can't be written here", name));
    const auto now = read(name);
    if (!now && has_blank_name(name)) return refuse(kNoName);
    if (now && now->text != text && now->version != version)
        return {.outcome = Written::Outcome::changed_meanwhile, .version = now->version};
    if (now && now->text == text) return {.outcome = Written::Outcome::written, .version = now->version};
    try {
        api::OutputFile file(place->string(), {});
        file.write(text);
    } catch (const std::exception& e) {
        return refuse(e.what());
    }
    return {.outcome = Written::Outcome::written, .version = version_of(text)};
}

std::optional<Written> Folder::kept_there(const std::string& name, const std::string& version, fs::path& place) const {
    const auto refuse = [](std::string why) { return Written{.why = std::move(why)}; };
    if (read_only_) return refuse("the folder is served to be read only");
    const auto found = place_of(name);
    if (!found || !is_model(*found)) return refuse(fmt::format("'{}' can't be changed here", name));
    // What a link leads to has another name, by which it is known.
    if (root_ / fs::path(name).lexically_normal() != *found)
        return refuse(fmt::format("'{}' is a link, or lies behind one", name));
    const auto now = read(name);
    if (!now) return refuse(fmt::format("there is no file '{}' in this folder", name));
    if (now->version != version)
        return Written{.outcome = Written::Outcome::changed_meanwhile, .version = now->version};
    place = *found;
    return std::nullopt;
}

Written Folder::rename(const std::string& name, const std::string& to, const std::string& version) const {
    const auto refuse = [](std::string why) { return Written{.why = std::move(why)}; };
    fs::path place;
    if (auto why_not = kept_there(name, version, place)) return *std::move(why_not);
    if (has_blank_name(to)) return refuse(kNoName);
    const auto target = place_of(to);
    if (!target || !is_model(*target)) return refuse(fmt::format("'{}' can't be a model of this folder", to));
    const std::vector<fs::path> beside = found_beside(place);
    // Not looked for first: somebody may write it in between.
    if (::renameat2(AT_FDCWD, place.c_str(), AT_FDCWD, target->c_str(), RENAME_NOREPLACE) != 0) {
        const int why = errno;
        if (why == EEXIST) return refuse(fmt::format("there is a file '{}' already", to));
        return refuse(fmt::format("'{}' can't become '{}': {}", name, to, std::generic_category().message(why)));
    }
    // What was found beside it goes with it, where nothing is in its way.
    for (const fs::path& from : beside) {
        const fs::path there = fs::path(*target).replace_extension(from.extension());
        (void)::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, there.c_str(), RENAME_NOREPLACE);
    }
    return {.outcome = Written::Outcome::written, .version = version};
}

Written Folder::remove(const std::string& name, const std::string& version) const {
    fs::path place;
    if (auto why_not = kept_there(name, version, place)) return *std::move(why_not);
    const std::vector<fs::path> beside = found_beside(place);
    std::error_code failure;
    if (!fs::remove(place, failure))
        return {.why = fmt::format("'{}' can't be deleted: {}", name, failure ? failure.message() : "it is gone")};
    Written written{.outcome = Written::Outcome::written};
    for (const fs::path& file : beside) {
        const std::string own = file.lexically_relative(root_).string();
        // What can't be put back stays.
        auto found = read(own);
        if (found && fs::remove(file, failure)) written.beside.emplace_back(own, std::move(found->text));
    }
    return written;
}

}  // namespace bondgraph::serve
