#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bondgraph/drawing/route_circuit.hpp"
#include "bondgraph/drawing/schematic.hpp"
#include "bondgraph/drawing/sheet.hpp"

namespace bondgraph::drawing {

/// The name and value beside a part.
struct PartLabel {
    Box box;  ///< room for all lines
    std::vector<std::string> lines;
    Anchor anchor = Anchor::middle;
};

/// Height of a line of a label.
inline constexpr double kLabelLine = 12.0;

/// Where everything of a schematic is.
struct CircuitLayout {
    struct Place {
        Point centre;
        Stance stance;
        Box box;  ///< of the symbol as it stands
        std::optional<PartLabel> label;
    };
    std::vector<Place> parts;
    Wiring wiring;  ///< by net

    /// Where a pin is on paper.
    [[nodiscard]] Point pin(const Schematic& schematic, const model::CircuitNet::End& end) const;
};

/// Parts stand in columns, in the order in which wires lead from the first on; what hangs on a wire hangs below it, and
/// parts that go on from a pin at the top or bottom of a symbol stand straight above or below it. What the file places
/// (`at:`) stands there, in steps so long that nothing lies on anything else, and what is joined to it keeps its
/// distance. The same schematic gives the same layout. Throws std::runtime_error when Graphviz refuses.
CircuitLayout lay_out(const Schematic& schematic);

}  // namespace bondgraph::drawing
