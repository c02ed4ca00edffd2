#pragma once

#include <cstddef>
#include <string>

namespace bondgraph::bench {

/// A line of total resistance and capacitance cut into equal RC sections, switched onto a constant voltage while all
/// capacitors are empty. The total stays the same whatever the number of sections, so every ladder simulates the same
/// diffusion from source to open end, and a finer one adds stiffness (N² between the slowest and the fastest mode) but
/// no sections in which nothing happens.
struct Ladder {
    std::size_t sections = 0;
    double voltage = 1.0;             ///< V
    double total_resistance = 1.2e3;  ///< ohm
    double total_capacitance = 1e-6;  ///< F
    double stop = 1.2e-3;             ///< s, R·C of the whole line
    double interval = 1.2e-5;         ///< s
    double tolerance = 1e-6;

    [[nodiscard]] double resistance() const { return total_resistance / static_cast<double>(sections); }
    [[nodiscard]] double capacitance() const { return total_capacitance / static_cast<double>(sections); }
};

/// The ladder as a model file: one effort source, then per section a 1-junction with its resistor and a 0-junction with
/// its capacitor, every component and bond on a line of its own.
std::string to_yaml(const Ladder& ladder);

}  // namespace bondgraph::bench
