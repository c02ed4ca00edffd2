#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/text_file.hpp"
#include "bondgraph/model/flatten.hpp"
#include "bondgraph/model/layout_declaration.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// What could be read of a model and the mistakes that were found. What they have left out of the model is noted in it
/// (`gaps`, `flawed`, `types_missing`), so that the mistakes of its content can be looked for all the same.
struct ReadModel {
    model::Model model;
    Diagnostics diagnostics;
    model::LayoutDeclaration layout;  ///< where a drawing is to put components
    bool readable = true;  ///< false: there is no tree of the model file, and nothing more to be said about it
};

/// Reads a model file and the files it imports (relative to the importing file) into the tree of names and texts.
/// Checks form only: keys, kinds of values, names, duplicates; unknown keys are errors with the nearest valid one.
/// An import must be a regular file: a device or a pipe might never end. Nothing else in a model file names a file.
/// Imported files may hold `types:`, `connector_types:`, `import:`, `model:` and `description:`; their types become
/// part of the model, those behind a prefix under names with that (resolve_type_names()). An import without a file
/// ending may be that of a `.yaml` file. What is not found beside the importing file is looked for in the folders of
/// `search`, in their order. `sources` holds every file read, for rendering.
/// What imports and tables name is read as far as `access` allows.
ReadModel read_model(const std::filesystem::path& file, SourceMap& sources,
                     const std::vector<std::filesystem::path>& search = {}, const FileAccess& access = {});

/// Where imported files come from.
using FileReader = std::function<TextFile(const std::filesystem::path& path)>;

/// The same for a text in memory whose imports are answered by `read_import`.
ReadModel read_model_text(const std::string& text, const std::string& name, SourceMap& sources,
                          const FileReader& read_import);

/// The text of a model file that may not exist: imports are looked for beside `file`, and in `search`.
ReadModel read_model_text(const std::string& text, const std::filesystem::path& file, SourceMap& sources,
                          const std::vector<std::filesystem::path>& search, const FileAccess& access = {});

/// As read_model; throws ModelError with all mistakes of form of all files.
model::Model load_model(const std::filesystem::path& file, SourceMap& sources);

/// The same from a text in memory (imports are relative to the working directory).
model::Model load_model_text(const std::string& text, const std::string& name, SourceMap& sources);

/// All types of the library of parts, each behind the name of its file: "electrical.Resistor". A model that imports
/// such a file has those that it needs; the others are there by their names alone.
model::Model load_part_library(SourceMap& sources);

/// `PATH=VALUE` of --set, with the value registered as a source of its own, named `before` and the path, so that
/// diagnostics can point into it. Throws std::invalid_argument when there is no "=". `read`: the names of files that
/// the value has lists from are added to it.
model::ParsedOverride parse_override(const std::string& text, SourceMap& sources, const std::string& before = "--set ",
                                     std::vector<std::string>* read = nullptr, const FileAccess& access = {});

/// A command-line value ("2 s") as a value of the model, registered likewise under `option` ("--stop").
model::Value parse_option_value(const std::string& text, const std::string& option, SourceMap& sources);

}  // namespace bondgraph::io
