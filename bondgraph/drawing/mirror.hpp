#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Turns parts of a picture upside down, where lines then are shorter and cross less: how parts that no bond joins
/// stand to each other isn't said by the ranks within them. `middles`: per box the height of what it is moved with,
/// which keeps its shape; `parts`: per box a number that it has in common with the others of its part.
void mirror_parts(std::vector<Box>& boxes, std::vector<double> middles, const std::vector<std::uint32_t>& parts,
                  std::span<const std::pair<std::uint32_t, std::uint32_t>> lines);

}  // namespace bondgraph::drawing
