#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bondgraph/model/symbol.hpp"

namespace bondgraph::io {

/// What is wrong with the text of a path, and where: the offset of what can't be read.
struct PathMistake {
    std::size_t offset = 0;
    std::string message;
};

/// "M-30,0 H-15 A5,5 0 0 1 -5,0 Z" as lines; curves by points on them, less than 0.1 from the curve. Letters are those
/// of SVG for places that count from the origin (M, L, H, V, C, A, Z). A line that Z closes ends at the point it began
/// at.
std::variant<std::vector<model::Symbol::Line>, PathMistake> read_path(std::string_view text);

}  // namespace bondgraph::io
