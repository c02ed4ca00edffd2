#pragma once

#include <filesystem>

#include "bondgraph/io/results.hpp"

namespace bondgraph::io {

/// As read_csv(), of a table some of whose columns may hold texts: what is no number there is not-a-number. A last line
/// without end is one like the others.
Results read_csv_with_texts(const std::filesystem::path& file);

}  // namespace bondgraph::io
