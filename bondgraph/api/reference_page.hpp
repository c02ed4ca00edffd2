#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/reference.hpp"
#include "bondgraph/api/text_table.hpp"

namespace bondgraph::api {

/// A section of a page: a paragraph, or a table whose first row is the head.
struct Section {
    std::string title;
    std::string text;
    std::vector<std::vector<std::string>> rows;
    bool code = false;
};

struct Page {
    std::string title;
    std::string summary;
    std::vector<Section> sections;
};

/// With sections as paragraphs and tables.
std::string terminal_page(const Page& page, const Heading& heading);
std::string markdown_page(const Page& page);

/// The same as a value.
TypeReference reference_of(Page page, std::string group, std::string import);

}  // namespace bondgraph::api
