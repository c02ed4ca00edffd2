#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/reference.hpp"
#include "bondgraph/api/text_table.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::api {

/// The library of parts, read: its types go by "electrical.Resistor". Throws ModelError if it holds a mistake.
model::Model part_library();

/// The types of a library that users name: no records, and none that are only there to be extended.
std::vector<const model::TypeDeclaration*> parts_of(const model::Model& library, const std::string& file);

/// The types, records and connector types by file, one line each.
std::string part_list(const model::Model& library, const Heading& heading);

/// Types of this name, in any of the files ("Resistor"), or in one ("electrical.Resistor").
std::vector<const model::TypeDeclaration*> find_parts(const model::Model& library, const std::string& name);

/// Everything about one type that is written in the model language, for a terminal.
std::string part_page(const model::Model& library, const model::TypeDeclaration& type, const Heading& heading);

/// The same about records and connector types of a name, which may be given as that of a type; empty where none is.
std::string record_and_connector_pages(const model::Model& library, const std::string& name, const Heading& heading);

/// The pages of all files as one Markdown document.
std::string all_part_pages(const model::Model& library);

/// Its types, without records and connector types, as values.
std::vector<TypeReference> references(const model::Model& library);

}  // namespace bondgraph::api
