#pragma once

#include <cstddef>
#include <string>

namespace bondgraph::bench {

/// Networks whose nodes have many neighbours, as model files with every component and bond on a line of its own.

/// n × n nodes, neighbours joined by resistors of 1 kohm, a source of 1 V behind one at the first node. With capacitors
/// of 1 uF at all nodes their voltages are the states; with one at the last node only, everything else is one algebraic
/// loop.
std::string grid_to_yaml(std::size_t n, bool capacitors);

/// Branches of a resistor and a capacitor at one node, a source of 1 V behind a resistor there too.
std::string star_to_yaml(std::size_t branches);

}  // namespace bondgraph::bench
