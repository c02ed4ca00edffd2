#pragma once

#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/hanging.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// Nodes whose places relative to each other are settled before the rest is placed around them: a ring of bonds, or
/// what the file places (`at:`, rows and rings of `layout:`).
struct Block {
    enum class Kind : std::uint8_t { ring, rows, places };
    Kind kind = Kind::ring;
    std::vector<std::vector<std::uint32_t>> rows;  ///< of a ring and of places: one, in order
    bool written = false;                          ///< in the file
};

/// What the file places first, then rings: bonds that lead from node to node all the way round and back to the first,
/// along their half arrows or over three gyrators and more. No node is in two blocks.
std::vector<Block> find_blocks(const Picture& picture);

/// Per node whether a block holds it, and on which sides its elements hang: outside a ring, and as `turn:` says.
std::vector<Settled> settle(const Picture& picture, std::span<const Block> blocks);

/// Where a block's nodes stand relative to each other, in the order of its rows; between neighbours of a ring or row is
/// room for a line of length `bond`. `cells`: a node's own box with what hangs on it.
std::vector<Point> offsets_in(const Block& block, const Picture& picture, std::span<const Box> boxes,
                              std::span<const Box> cells, double bond);

}  // namespace bondgraph::drawing
