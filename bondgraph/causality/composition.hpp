#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bondgraph/structure/exact_number.hpp"

namespace bondgraph::causality {

using structure::ExactNumber;

/// One end of a bond (any number) at a piece of the junction structure.
struct PieceEnd {
    std::uint32_t bond = 0;
    int into = 1;  ///< 1 where positive power flows into the piece
    int sign = 1;  ///< of the flow as the piece sees it
};

/// A vertex of the junction structure by its equations: Σ over ends of row(2k)·e + row(2k+1)·f = 0, one row per end.
/// Junctions go without, so that they may have any number of ends.
struct Piece {
    enum class Kind : std::uint8_t { junction0, junction1, equations };
    Kind kind = Kind::junction0;
    std::vector<PieceEnd> ends;
    std::vector<std::vector<ExactNumber>> rows;
};

/// A port of the whole: the variable that shall be its input where the inputs of ports named before leave that free.
struct Wish {
    std::uint32_t bond = 0;
    bool effort = true;
};

struct Inputs {
    std::vector<bool> granted;  ///< by wish; elsewhere the port's other variable is the input
    /// A variable inside that nothing determines, whatever the inputs are: 2·bond + (0 effort, 1 flow).
    std::optional<std::uint32_t> undetermined;
};

/// Decides which variables of the ports are inputs of a junction structure: a wish is granted exactly when its variable
/// does not follow from those granted before it. A junction structure is a Dirac structure, for which that is a valid
/// causality, and the one that assigning the ports one after the other with full propagation ends in.
///
/// Pieces are put together pair by pair, in the order of a nested dissection (George: Nested dissection of a regular
/// finite element mesh, SIAM J. Numer. Anal. 10, 1973; by breadth-first layers, as George and Liu, 1978), where
/// junctions on a cut are divided so that a cut crosses each once. Of a part only its relation between the bonds at its
/// border and the ports still open is kept: a port is decided as soon as its wish follows from earlier ones within the
/// part, or does not follow from these and everything at the border. At most as many stay open as the border has bonds.
/// So N vertices of a plane mesh cost N^1.5, and trees N log N. Ranks are exact (see ExactNumber).
///
/// `bonds`: numbers of bonds are below it. Every bond with one end at the pieces is a port and must have a wish.
Inputs choose_inputs(std::vector<Piece> pieces, const std::vector<Wish>& wishes, std::uint32_t bonds);

}  // namespace bondgraph::causality
