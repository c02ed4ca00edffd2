#pragma once

// What the library knows of model files in general.

#include <optional>
#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

/// The names of all component types, in their order.
std::vector<std::string> type_names();
/// All component types by group, and those of the library of parts by file, one line each; `bold`: headings stand out
/// on a terminal. `import_folders`: those of the files there that can be imported come last.
std::string type_list(bool bold = false, const std::vector<std::string>& import_folders = {});
/// Everything about one type, for a terminal; one of each file that has it. Kind usage where there is none of this
/// name.
Result<std::string> type_page(const std::string& type, bool bold = false,
                              const std::vector<std::string>& import_folders = {});
/// The pages of all types as one Markdown document.
std::string all_type_pages();
/// The pages of all types of the library of parts as one Markdown document.
std::string all_part_pages();

/// A table, whose first row is its head, or a paragraph about a type: "Parameters", "Law", "Example".
struct ReferenceSection {
    std::string title;
    std::string text;
    std::vector<std::vector<std::string>> rows;
};

/// A component type as its page tells about it.
struct TypeReference {
    std::string name;
    std::string group;   ///< "Power elements", or the file of the library of parts: "electrical"
    std::string import;  ///< that file, which a model that uses the type has to import; empty where none is needed
    std::string summary;
    std::vector<ReferenceSection> sections;
};

/// All component types and those of the library of parts, then of the files in these folders that can be imported, for
/// programs that show them.
std::vector<TypeReference> type_references(const std::vector<std::string>& import_folders = {});

/// The JSON Schema of model files, for editors.
std::string model_schema();
/// A time as in "20 ms" or "0.02", in seconds; nothing where it is none.
std::optional<double> seconds(const std::string& text);

}  // namespace bondgraph::api
