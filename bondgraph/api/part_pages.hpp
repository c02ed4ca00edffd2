#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/api/reference.hpp"
#include "bondgraph/api/text_table.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::api {

/// A file of types: of the library of parts, or of a folder where imports are looked for.
struct PartFile {
    std::string name;                     ///< "electrical", as `import:` takes it
    std::string path;                     ///< empty: it is one of the library
    const model::Model* model = nullptr;  ///< what was read; others than its own types are from what it imports
    std::optional<std::uint32_t> number;  ///< of the file, among those of the model
};

/// What has been read of these files, in their order.
struct Parts {
    std::deque<model::Model> models;  ///< the first has the library
    std::vector<PartFile> files;
};

/// The library of parts, and the files of these folders that models import by their names. What of the latter can't be
/// read has no types. Throws ModelError if the library holds a mistake.
Parts read_parts(const std::vector<std::string>& import_folders = {});

/// A type that users name: no record, and none that is only there to be extended.
struct Part {
    const PartFile* file = nullptr;
    const model::TypeDeclaration* type = nullptr;
    [[nodiscard]] std::string name() const;  ///< "electrical.Resistor"
};

/// The types, records and connector types by file, one line each.
std::string part_list(const Parts& parts, const Heading& heading);

/// The names of all types and connector types, without those of their files.
std::vector<std::string> part_names(const Parts& parts);

/// Types of this name, in any of the files ("Resistor"), or in one ("electrical.Resistor").
std::vector<Part> find_parts(const Parts& parts, const std::string& name);

/// Everything about one type that is written in the model language, for a terminal.
std::string part_page(const Part& part, const Heading& heading);

/// The same about records and connector types of a name, which may be given as that of a type; empty where none is.
std::string record_and_connector_pages(const Parts& parts, const std::string& name, const Heading& heading);

/// The pages of all files as one Markdown document.
std::string all_part_pages(const Parts& parts);

/// Their types, without records and connector types, as values.
std::vector<TypeReference> references(const Parts& parts);

}  // namespace bondgraph::api
