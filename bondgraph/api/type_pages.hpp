#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/reference.hpp"
#include "bondgraph/api/text_table.hpp"
#include "bondgraph/model/component_type.hpp"

namespace bondgraph::api {

/// All types by group, one line each.
std::string type_list(const model::Catalogue& catalogue, const Heading& heading);

/// Everything about one type, for a terminal.
std::string type_page(const model::ComponentType& type, const model::Catalogue& catalogue, const Heading& heading);

/// The pages of all types as one Markdown document.
std::string all_type_pages(const model::Catalogue& catalogue);

/// All types that users name, as values.
std::vector<TypeReference> references(const model::Catalogue& catalogue);

}  // namespace bondgraph::api
