// Files: the model's own and what it imports, each read once, and the sections at their top level.

#include "bondgraph/io/load_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bondgraph/io/extend_types.hpp"
#include "bondgraph/io/form.hpp"
#include "bondgraph/io/importable_files.hpp"
#include "bondgraph/io/library_types.hpp"
#include "bondgraph/io/load_body.hpp"
#include "bondgraph/io/load_connector_types.hpp"
#include "bondgraph/io/load_events.hpp"
#include "bondgraph/io/load_experiment.hpp"
#include "bondgraph/io/load_imports.hpp"
#include "bondgraph/io/load_layout.hpp"
#include "bondgraph/io/load_requirements.hpp"
#include "bondgraph/io/load_symbol.hpp"
#include "bondgraph/io/load_type.hpp"
#include "bondgraph/io/mesh_files.hpp"
#include "bondgraph/io/part_library.hpp"
#include "bondgraph/io/records.hpp"
#include "bondgraph/io/table_files.hpp"
#include "bondgraph/io/text_file.hpp"
#include "bondgraph/io/type_names.hpp"
#include "bondgraph/io/yaml_mistake.hpp"
#include "bondgraph/io/yaml_tree.hpp"

namespace bondgraph::io {

namespace {

namespace fs = std::filesystem;
using Kind = YamlNode::Kind;

/// A file whose imports are being followed.
struct OpenFile {
    std::string identity;
    std::string name;
    fs::path folder;
    std::size_t number = 0;  ///< among those read
    std::vector<Import> imports;
    std::size_t next = 0;
};

/// The same for every route to a file. What has no canonical path (a pipe) stands for itself.
std::string identity_of(const fs::path& path) {
    std::error_code failure;
    const fs::path canonical = fs::canonical(path, failure);
    return failure ? path.lexically_normal().string() : canonical.string();
}

bool brings_types(std::string_view section) {
    return section == "types" || section == "records" || section == "connector_types" || section == "import";
}

class Loading {
   public:
    explicit Loading(SourceMap& sources, FileReader read_import = read_regular_file, std::vector<fs::path> search = {},
                     FileAccess access = {})
        : sources_(sources),
          read_import_(std::move(read_import)),
          search_(std::move(search)),
          access_(std::move(access)) {}

    /// All types of the library of parts are read, whether the model needs them or not.
    void read_whole_library() { whole_library_ = true; }

    ReadModel run(std::string identity, const std::string& name, const fs::path& folder, std::string text) {
        open(std::move(identity), name, folder, std::move(text));
        // an explicit stack: a chain of imports may be as long as it likes
        while (!open_.empty()) {
            OpenFile& file = open_.back();
            if (file.next == file.imports.size()) {
                open_.pop_back();
                continue;
            }
            const std::size_t number = file.number;
            const Import import = std::move(file.imports[file.next++]);
            const std::optional<std::size_t> found =
                follow(import.file, places_of_import(import.file.text, file.folder, search_));
            if (!found) note_missing(number);
            if (import.prefix)
                files_[number].prefixes.push_back({*import.prefix, found});
            else if (found)
                files_[number].imports.push_back(*found);
        }
        read_library_types();
        read_meshes(model_, folders_, diagnostics_, others_, access_);
        for (std::uint32_t file = 0; file < sources_.size(); ++file) model_.files.push_back(sources_.name(file));
        model_.files.insert(model_.files.end(), others_.begin(), others_.end());
        resolve_type_names(files_, sources_, model_, diagnostics_);
        note_flawed_connectors();
        settle_place_keys(std::move(places_), model_, layout_, diagnostics_);
        extend_types(model_, diagnostics_);
        settle_symbols(layout_, model_, diagnostics_);
        check_records(model_, diagnostics_);
        check_layout(layout_, model_.body, diagnostics_);
        return {std::move(model_), std::move(diagnostics_), std::move(layout_), readable_};
    }

   private:
    std::size_t open(std::string identity, const std::string& name, const fs::path& folder, std::string text) {
        const std::size_t number = files_.size();
        const bool main = number == 0;
        read_.emplace(identity, number);
        files_.push_back({.name = name});
        const std::uint32_t source = sources_.add(name, std::move(text));
        folders_.resize(sources_.size());
        folders_[source] = folder;
        OpenFile file{std::move(identity), name, folder, number, {}};
        Diagnostics mistakes;
        auto types = folder == library_folder() ? find_types(sources_.text(source), source) : std::vector<TypeLines>{};
        YamlNode root = parse_yaml(types.empty() ? sources_.text(source) : without_types(sources_.text(source), types),
                                   source, mistakes);
        if (!types.empty()) parts_.push_back({number, source, std::move(types)});
        diagnostics_.append(mistakes.items());
        if (sources_.text(source).find("from:") != std::string::npos)
            fill_in_tables(root, folder, diagnostics_, others_, access_);
        // what is left of broken YAML would give mistakes that are none; only a repeated key and a text that a comma
        // has cut leave the rest whole
        const bool broken = std::any_of(mistakes.items().begin(), mistakes.items().end(), [](const Diagnostic& d) {
            return d.severity == Severity::error && d.code != "BG-Y002" && d.code != "BG-Y009";
        });
        if (broken) {
            leave_out(number);
        } else if (main) {
            read_main(std::move(root), file);
            note_repeated_sections(mistakes);
        } else {
            read_library(std::move(root), file);
        }
        open_.push_back(std::move(file));
        return number;
    }

    /// A file that can't be used: the model itself, or one that would bring in types.
    void leave_out(std::size_t file) {
        if (file == 0)
            readable_ = false;
        else
            note_missing(file);
    }

    /// Types of a file, or of one that it imports, are unknown.
    void note_missing(std::size_t file) {
        model_.types_missing = true;
        files_[file].incomplete = true;
    }

    void note_section(std::string_view section) {
        note_gap(model_.body.gaps, section);
        if (brings_types(section)) note_missing(0);
    }

    /// What a connector of a flawed kind, or of one behind a wrong prefix, has for ports nobody knows.
    void note_flawed_connectors() {
        for (model::TypeDeclaration& type : model_.types) {
            for (const model::ConnectorDeclaration& c : type.connectors) {
                const bool unknown = !c.own_type && c.type.text.find('.') != std::string::npos;
                if (unknown || (c.own_type && model_.connector_types[*c.own_type].flawed)) type.body.gaps.ports = true;
            }
        }
    }

    /// Of a section given twice the second has been dropped.
    void note_repeated_sections(const Diagnostics& mistakes) {
        for (const Diagnostic& d : mistakes.items()) {
            if (d.code != "BG-Y002" || d.position.column != 1) continue;
            const std::string_view line = sources_.line(d.position);
            note_section(line.substr(0, line.find_first_of(": \t")));
        }
    }

    /// The number of the file that an import names; nothing, and an error, where there is none.
    std::optional<std::size_t> follow(const model::Text& import, const std::vector<fs::path>& places) {
        std::string first_failure;
        auto circle = open_.cend();
        for (const fs::path& path : places) {
            std::string identity = identity_of(path);
            const auto active = std::find_if(open_.cbegin(), open_.cend(),
                                             [&](const OpenFile& file) { return file.identity == identity; });
            if (active != open_.cend()) {
                if (circle == open_.cend()) circle = active;
                continue;  // a library may have the name of the file that imports it
            }
            if (const auto known = read_.find(identity); known != read_.end()) return known->second;
            const auto library = library_text(path);
            TextFile file = library ? TextFile{.text = std::string(*library)} : read_import_(path);
            if (file.failure.empty())
                return open(std::move(identity), path.lexically_normal().string(), path.parent_path(),
                            std::move(file.text));
            if (first_failure.empty()) first_failure = file.failure;
        }
        if (circle != open_.cend()) {
            report_circle(import, circle);
            return std::nullopt;
        }
        std::vector<DiagnosticNote> notes;
        std::error_code failure;
        const bool may_tell = access_.allows(places.front());
        if (may_tell && places.size() > 1 && !fs::exists(places.front(), failure)) {
            std::string all;
            for (const fs::path& path : places)
                all += fmt::format("{}{}", all.empty() ? "" : ", ", path.lexically_normal().string());
            notes.push_back({"where", "there is none of: " + all});
        }
        if (may_tell && places.back().parent_path() == library_folder() && !fs::exists(places.front(), failure))
            notes.push_back({"try", files_to_try(import.text, search_)});
        diagnostics_.error(
            "BG-M022", import.position,
            fmt::format("can't read '{}': {}", places.front().lexically_normal().string(), first_failure),
            std::move(notes));
        return std::nullopt;
    }

    void report_circle(const model::Text& import, std::vector<OpenFile>::const_iterator first) {
        std::string chain;
        for (auto file = first; file != open_.cend(); ++file) chain += fmt::format("'{}' imports ", file->name);
        diagnostics_.error("BG-M021", import.position, fmt::format("circular import: {}'{}'", chain, first->name),
                           {{"try", "move what both files need into a third one that imports neither"}});
    }

    /// Whether the file holds a map; anything else is reported.
    bool is_document(const YamlNode& root, const OpenFile& file) {
        if (root.kind == Kind::map) return true;
        diagnostics_.error(
            "BG-M037", root.position,
            root.kind == Kind::null
                ? fmt::format("'{}' is empty", file.name)
                : fmt::format("a model file is a map of keys such as 'model:', not {}", root.kind_text()),
            {{"try", "begin with 'model: name', then 'components:' and 'bonds:'"}});
        return false;
    }

    void read_main(YamlNode&& root, OpenFile& file) {
        if (!is_document(root, file)) return leave_out(file.number);
        const std::vector<KeyReader> keys = main_keys(file);
        if (root.find("model") == nullptr && !has_misspelt(root, "model", keys))
            diagnostics_.error("BG-M030", root.position, "the model has no name: 'model:' is missing",
                               {{"try", "begin the file with 'model: name'"}});
        if (root.find("components") == nullptr && !has_misspelt(root, "components", keys)) {
            model_.body.gaps.components = true;
            std::vector<DiagnosticNote> notes;
            if (root.find("types") != nullptr)
                notes.push_back({"because", "a file of types alone is for other models to import"});
            diagnostics_.error("BG-M030", root.position, "the model has no components: 'components:' is missing",
                               std::move(notes));
        }
        for (const std::string_view section : read_keys(std::move(root), "the model", keys, diagnostics_))
            note_section(section);
    }

    std::vector<KeyReader> main_keys(OpenFile& file) {
        using Node = const YamlNode&;
        model::Body& body = model_.body;
        std::vector<KeyReader> readers{
            {"model",
             [this](Node, YamlNode&& v) {
                 auto name = read_text(std::move(v), {"model"}, "a name", diagnostics_);
                 if (name) model_.name = *std::move(name);
             }},
            {"description",
             [this](Node, YamlNode&& v) {
                 model_.description = read_doc(std::move(v), {"description"}, diagnostics_);
             }},
            {"parameters",
             [&body, this](Node, YamlNode&& v) {
                 load_parameters(std::move(v), ParameterOwner::model, body, diagnostics_);
             }},
            {"require", [&body, this](Node, YamlNode&& v) { load_requirements(std::move(v), body, diagnostics_); }},
            {"components",
             [&body, this](Node, YamlNode&& v) { load_components(std::move(v), body, places_, diagnostics_); }},
            {"bonds", [&body, this](Node, YamlNode&& v) { load_bonds(std::move(v), body, diagnostics_); }},
            {"connect", [&body, this](Node, YamlNode&& v) { load_connects(std::move(v), body, diagnostics_); }},
            {"signals", [&body, this](Node, YamlNode&& v) { load_signals(std::move(v), body, diagnostics_); }},
            {"experiment",
             [this](Node, YamlNode&& v) { model_.experiment = load_experiment(std::move(v), diagnostics_); }},
            {"layout", [this](Node, YamlNode&& v) { load_layout(std::move(v), layout_, diagnostics_); }},
            {"outputs",
             [this](Node, YamlNode&& v) {
                 model_.outputs = read_texts(std::move(v), "outputs", "the name of a result", diagnostics_);
             }},
            {"plots", [this](Node, YamlNode&& v) { model_.plots = load_plots(std::move(v), diagnostics_); }},
            {"expect",
             [this](Node, YamlNode&& v) { model_.expectations = load_expectations(std::move(v), diagnostics_); }},
            {"when",
             [&body, this](Node, YamlNode&& v) {
                 const std::size_t errors = diagnostics_.error_count();
                 load_whens(std::move(v), body, diagnostics_);
                 if (diagnostics_.error_count() > errors) note_gap(body.gaps, "when");
             }},
            {"initial", [&body, this](Node, YamlNode&& v) { load_initial(std::move(v), body, diagnostics_); }},
        };
        const auto shared = shared_keys(file);
        readers.insert(readers.end(), shared.begin(), shared.end());
        return readers;
    }

    void read_library(YamlNode&& root, OpenFile& file) {
        if (root.kind == Kind::null) return;  // a library without types is no mistake
        if (!is_document(root, file)) return leave_out(file.number);
        // A library's name and description are for its readers: they are checked and dropped.
        std::vector<KeyReader> readers{
            {"model",
             [this](const YamlNode&, YamlNode&& v) { read_text(std::move(v), {"model"}, "a name", diagnostics_); }},
            {"description",
             [this](const YamlNode&, YamlNode&& v) { read_doc(std::move(v), {"description"}, diagnostics_); }},
        };
        const auto shared = shared_keys(file);
        readers.insert(readers.end(), shared.begin(), shared.end());
        const auto misplaced = [this](const YamlNode& key, YamlNode&&) {
            diagnostics_.error("BG-M036", key.position,
                               fmt::format("'{}:' has no place in an imported file", key.scalar),
                               {{"because", "an import brings in types; the model is the file that imports them"}});
        };
        for (const char* key : {"parameters", "components", "bonds", "signals", "experiment", "outputs", "plots",
                                "expect", "connect", "require", "when", "initial", "layout"})
            readers.push_back({key, misplaced, false});
        for (const std::string_view section : read_keys(std::move(root), "an imported file", readers, diagnostics_))
            if (brings_types(section)) note_missing(file.number);
    }

    std::vector<KeyReader> shared_keys(OpenFile& file) {
        using Node = const YamlNode&;
        return {
            {"types", [this, &file](Node, YamlNode&& v) { read_types(std::move(v), file.number); }},
            {"records", [this, &file](Node, YamlNode&& v) { read_records(std::move(v), file.number); }},
            {"connector_types", [this, &file](Node, YamlNode&& v) { read_connector_types(std::move(v), file.number); }},
            {"import",
             [this, &file](Node, YamlNode&& v) {
                 const std::size_t errors = diagnostics_.error_count();
                 file.imports = read_imports(std::move(v), diagnostics_);
                 if (diagnostics_.error_count() > errors) note_missing(file.number);
             }},
        };
    }

    /// Of the types of the library those that the model, or one of them that it needs, has a word for. The others are
    /// there by their names.
    void read_library_types() {
        find_wanted_types(parts_, sources_, whole_library_);
        for (const PartFile& part : parts_) {
            if (std::ranges::find(part.wanted, true) != part.wanted.end()) {
                const std::string text = types_alone(sources_.text(part.source), part.types, part.wanted);
                YamlNode root = parse_yaml(text, part.source, diagnostics_);
                if (root.kind == Kind::map && root.size() == 1) read_types(std::move(root.children[1]), part.number);
            }
            for (std::size_t k = 0; k < part.types.size(); ++k) {
                if (part.wanted[k]) continue;
                model::TypeDeclaration unread{.name = {part.types[k].name, part.types[k].position}, .partial = true};
                files_[part.number].types.push_back(static_cast<std::uint32_t>(model_.types.size()));
                model_.types.push_back(std::move(unread));
            }
        }
    }

    void read_types(YamlNode&& node, std::size_t file) {
        if (!is_map(node, {"types"}, diagnostics_,
                    "write 'Name: {ports: …, equations: …}' on each line, without '-'")) {
            if (node.kind != Kind::null) note_missing(file);
            return;
        }
        for (std::size_t i = 0; i < node.size(); ++i) {
            TypeDrawing drawing;
            model::TypeDeclaration type =
                load_type(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), drawing, diagnostics_);
            for (PlaceKey& place : drawing.places) {
                place.type = model_.types.size();
                places_.push_back(std::move(place));
            }
            if (drawing.symbol)
                layout_.symbols.emplace(static_cast<std::uint32_t>(model_.types.size()), *std::move(drawing.symbol));
            files_[file].types.push_back(static_cast<std::uint32_t>(model_.types.size()));
            model_.types.push_back(std::move(type));
        }
    }

    void read_records(YamlNode&& node, std::size_t file) {
        if (!is_map(node, {"records"}, diagnostics_,
                    "write 'Name: {parameters: {density: 870 kg/m3}}' on each line, without '-'")) {
            if (node.kind != Kind::null) note_missing(file);
            return;
        }
        for (std::size_t i = 0; i < node.size(); ++i) {
            files_[file].types.push_back(static_cast<std::uint32_t>(model_.types.size()));
            model_.types.push_back(
                load_record(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), diagnostics_));
        }
    }

    void read_connector_types(YamlNode&& node, std::size_t file) {
        if (!is_map(node, {"connector_types"}, diagnostics_,
                    "write 'name: {bonds: {p: {domain: electrical}}}' on each line, without '-'")) {
            if (node.kind != Kind::null) note_missing(file);
            return;
        }
        for (std::size_t i = 0; i < node.size(); ++i) {
            model::ConnectorTypeDeclaration type =
                load_connector_type(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), diagnostics_);
            files_[file].connector_types.push_back(static_cast<std::uint32_t>(model_.connector_types.size()));
            model_.connector_types.push_back(std::move(type));
        }
    }

    SourceMap& sources_;
    FileReader read_import_;
    std::vector<fs::path> search_;
    FileAccess access_;
    Diagnostics diagnostics_;
    model::Model model_;
    model::LayoutDeclaration layout_;
    std::vector<PlaceKey> places_;
    bool readable_ = true;
    std::vector<OpenFile> open_;
    std::unordered_map<std::string, std::size_t> read_;  ///< numbers of files by identity
    std::vector<PartFile> parts_;
    bool whole_library_ = false;
    std::vector<TypeFile> files_;
    std::vector<std::string> others_;  ///< files that lists and forms were read from
    std::vector<fs::path> folders_;    ///< by the numbers of sources
};

}  // namespace

namespace {

FileReader reader_within(const FileAccess& access) {
    return [access](const fs::path& path) {
        return access.allows(path) ? read_regular_file(path) : TextFile{.text = {}, .failure = kFileRefused};
    };
}

}  // namespace

ReadModel read_model(const fs::path& file, SourceMap& sources, const std::vector<fs::path>& search,
                     const FileAccess& access) {
    TextFile contents = read_text_file(file);
    if (!contents.failure.empty()) {
        ReadModel nothing{.readable = false};
        nothing.diagnostics.error("BG-M022", {}, fmt::format("can't read '{}': {}", file.string(), contents.failure));
        return nothing;
    }
    return Loading(sources, reader_within(access), search, access)
        .run(identity_of(file), file.string(), file.parent_path(), std::move(contents.text));
}

model::Model load_model(const fs::path& file, SourceMap& sources) {
    ReadModel read = read_model(file, sources);
    read.diagnostics.throw_if_errors();
    return std::move(read.model);
}

ReadModel read_model_text(const std::string& text, const std::string& name, SourceMap& sources,
                          const FileReader& read_import) {
    return Loading(sources, read_import).run({}, name, {}, text);
}

ReadModel read_model_text(const std::string& text, const fs::path& file, SourceMap& sources,
                          const std::vector<fs::path>& search, const FileAccess& access) {
    return Loading(sources, reader_within(access), search, access).run({}, file.string(), file.parent_path(), text);
}

model::Model load_model_text(const std::string& text, const std::string& name, SourceMap& sources) {
    ReadModel read =
        Loading(sources).run({}, name, {}, text);  // no file has an empty path: nothing can import this text
    read.diagnostics.throw_if_errors();
    return std::move(read.model);
}

model::Model load_part_library(SourceMap& sources) {
    std::string text = "model: library\ncomponents: {}\nimport:\n";
    for (const LibraryFile& file : library_files()) text += fmt::format("  {0}: {0}\n", file.name);
    Loading loading(sources);
    loading.read_whole_library();
    ReadModel read = loading.run({}, "library", {}, text);
    read.diagnostics.throw_if_errors();
    return std::move(read.model);
}

}  // namespace bondgraph::io
