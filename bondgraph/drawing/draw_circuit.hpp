#pragma once

#include "bondgraph/drawing/circuit_layout.hpp"
#include "bondgraph/drawing/sheet.hpp"
#include "bondgraph/drawing/theme.hpp"

namespace bondgraph::drawing {

/// Puts a circuit on paper: symbols, names and values beside them, wires in the colours of their domains with dots
/// where three and more meet, arrows at what reads a signal, half arrows where bonds end.
Sheet draw_circuit(const Schematic& schematic, const CircuitLayout& layout, const Theme& theme);

}  // namespace bondgraph::drawing
