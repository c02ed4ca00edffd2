#pragma once

#include <string>

#include "bondgraph/cli/pages/outline.hpp"

namespace bondgraph::cli {

/// The name of a command's page, or of the program's: "bondgraph-run".
std::string page_name(const Outline& outline, const Command& command);

/// The page as troff input with the macros of man(7), section 1.
std::string man_page(const Outline& outline, const Command& command);

}  // namespace bondgraph::cli
