#include "tests/architecture/include_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

namespace bondgraph::architecture {
namespace {

// A library that a single folder may see; recognised by how its headers' names begin.
struct Library {
    std::string_view name;
    std::string_view folder;
    std::vector<std::string_view> headers;
};

const std::vector<Library>& confined_libraries() {
    static const std::vector<Library> kLibraries{
        {"yaml-cpp", "bondgraph/io", {"yaml-cpp/"}},
        {"SUNDIALS",
         "bondgraph/simulation",
         {"sundials/", "ida/", "idas/", "kinsol/", "cvode/", "cvodes/", "arkode/", "nvector/", "sunlinsol/",
          "sunmatrix/", "sunnonlinsol/"}},
        {"UDUNITS", "bondgraph/base", {"udunits"}},
        {"matio", "bondgraph/io", {"matio"}},
        {"HDF5", "bondgraph/io", {"hdf5", "H5"}},
        {"cereal", "bondgraph/storage", {"cereal/"}},
        {"Zstandard", "bondgraph/storage", {"zstd"}},
        {"zlib", "bondgraph/api", {"zlib"}},
        {"CLI11", "bondgraph/cli", {"CLI/"}},
        {"Graphviz", "bondgraph/drawing", {"gvc", "cgraph", "graphviz/"}},
        {"Boost.Beast", "bondgraph/serve", {"boost/beast", "boost/asio"}},
    };
    return kLibraries;
}

const Folder* find_folder(std::string_view name) {
    const auto found =
        std::find_if(folders().begin(), folders().end(), [&](const Folder& f) { return f.name == name; });
    return found == folders().end() ? nullptr : &*found;
}

struct Include {
    std::string header;
    bool quoted = false;
};

std::optional<Include> parse_include(std::string_view line) {
    const auto skip_blanks = [&] {
        const auto start = line.find_first_not_of(" \t");
        line = start == std::string_view::npos ? std::string_view{} : line.substr(start);
    };
    skip_blanks();
    if (!line.starts_with('#')) return std::nullopt;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) return std::nullopt;
    line.remove_prefix(std::string_view("include").size());
    skip_blanks();
    if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
    const bool quoted = line.front() == '"';
    const auto end = line.find(quoted ? '"' : '>', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return Include{std::string(line.substr(1, end - 1)), quoted};
}

// What the program may see: the library's interface, what lays out tables and JSON and writes files, and the base.
bool is_for_the_program(std::string_view header) {
    static const std::set<std::string_view> kHeaders{
        "bondgraph/api/energy.hpp",        "bondgraph/api/bondgraph.hpp",
        "bondgraph/api/calls.hpp",         "bondgraph/api/linear.hpp",
        "bondgraph/api/pictures.hpp",      "bondgraph/api/reference.hpp",
        "bondgraph/api/report_page.hpp",   "bondgraph/api/reports.hpp",
        "bondgraph/api/results.hpp",       "bondgraph/api/runs.hpp",
        "bondgraph/api/json_text.hpp",     "bondgraph/api/model_files.hpp",
        "bondgraph/api/text_table.hpp",    "bondgraph/api/mode_report.hpp",
        "bondgraph/api/linear_report.hpp", "bondgraph/api/output_file.hpp",
        "bondgraph/api/usage_error.hpp",   "bondgraph/api/port_hamiltonian.hpp",
        "bondgraph/api/sensitivities.hpp", "bondgraph/api/port_hamiltonian_report.hpp",
        "bondgraph/api/judgements.hpp",    "bondgraph/api/reduction.hpp"};
    const std::string_view folder = folder_of(header);
    return kHeaders.contains(header) || folder == "bondgraph/cli" || folder == "bondgraph/serve" ||
           folder == "bondgraph/base";
}

std::optional<std::string> violation(std::string_view folder, const Include& include) {
    for (const Library& library : confined_libraries()) {
        const bool of_library = std::any_of(library.headers.begin(), library.headers.end(),
                                            [&](std::string_view start) { return include.header.starts_with(start); });
        if (of_library && folder != library.folder) {
            return fmt::format("'{}': only {} may see {}", include.header, library.folder, library.name);
        }
    }
    const std::string_view other = folder_of(include.header);
    if (other.empty()) {
        if (!include.quoted) return std::nullopt;
        return fmt::format("'{}': not a path from the repository's root into a known folder", include.header);
    }
    const bool of_program = folder == "bondgraph/cli" || folder == "bondgraph/serve";
    if (of_program && !is_for_the_program(include.header))
        return fmt::format(
            "'{}': bondgraph/cli and bondgraph/serve may see of the library what other programs do, and what prints",
            include.header);
    if (may_use(folder, other)) return std::nullopt;
    return fmt::format("'{}': {} may not use {}", include.header, folder, other);
}

}  // namespace

const std::vector<Folder>& folders() {
    static const std::vector<Folder> kFolders{
        {"bondgraph/base", {}},
        {"bondgraph/expression", {"bondgraph/base"}},
        {"bondgraph/structure", {"bondgraph/base"}},
        {"bondgraph/model", {"bondgraph/expression"}},
        {"bondgraph/causality", {"bondgraph/model", "bondgraph/structure"}},
        {"bondgraph/equivalence", {"bondgraph/causality"}},
        {"bondgraph/elements", {"bondgraph/model"}},
        {"bondgraph/compile", {"bondgraph/causality", "bondgraph/structure", "bondgraph/elements"}},
        {"bondgraph/simulation", {"bondgraph/compile"}},
        {"bondgraph/analysis", {"bondgraph/simulation"}},
        {"bondgraph/io", {"bondgraph/model", "bondgraph/causality"}},
        {"bondgraph/drawing", {"bondgraph/causality"}},
        {"bondgraph/storage", {"bondgraph/compile"}},
        {"bondgraph/api",
         {"bondgraph/analysis", "bondgraph/equivalence", "bondgraph/io", "bondgraph/drawing", "bondgraph/storage",
          "mechanics3d"}},
        {"bondgraph/serve", {"bondgraph/api"}},
        {"bondgraph/cli", {"bondgraph/api", "bondgraph/serve"}},
        {"converters", {"bondgraph/elements"}},
        {"mechanics3d", {"converters"}},
    };
    return kFolders;
}

std::string_view folder_of(std::string_view path) {
    for (const Folder& folder : folders()) {
        if (path.starts_with(folder.name) && path.substr(folder.name.size()).starts_with('/')) return folder.name;
    }
    return {};
}

bool may_use(std::string_view folder, std::string_view other) {
    std::set<std::string_view> reached{folder};
    std::vector<std::string_view> pending{folder};
    while (!pending.empty()) {
        const Folder* current = find_folder(pending.back());
        pending.pop_back();
        if (current == nullptr) continue;
        for (const std::string_view used : current->uses) {
            if (reached.insert(used).second) pending.push_back(used);
        }
    }
    return reached.contains(other);
}

std::vector<std::string> inside_of_interface(std::string_view text) {
    static const std::set<std::string_view> kInterface{
        "bondgraph/api/calls.hpp",     "bondgraph/api/energy.hpp",
        "bondgraph/api/linear.hpp",    "bondgraph/api/pictures.hpp",
        "bondgraph/api/reference.hpp", "bondgraph/api/report_page.hpp",
        "bondgraph/api/reports.hpp",   "bondgraph/api/results.hpp",
        "bondgraph/api/runs.hpp",      "bondgraph/api/port_hamiltonian.hpp",
        "bondgraph/api/reduction.hpp", "bondgraph/api/sensitivities.hpp",
        "bondgraph/api/judgements.hpp"};
    std::vector<std::string> found;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const std::optional<Include> include = parse_include(line);
        if (include && include->header.find('/') != std::string::npos && !kInterface.contains(include->header))
            found.push_back(include->header);
    }
    return found;
}

std::vector<std::string> violations(std::string_view path, std::string_view text) {
    const std::string_view folder = folder_of(path);
    if (folder.empty()) return {fmt::format("{}: in no folder of the architecture's table", path)};
    std::vector<std::string> found;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::optional<Include> include = parse_include(line);
        if (!include) continue;
        if (const auto broken = violation(folder, *include)) {
            found.push_back(fmt::format("{}:{}: {}", path, number, *broken));
        }
    }
    return found;
}

}  // namespace bondgraph::architecture
