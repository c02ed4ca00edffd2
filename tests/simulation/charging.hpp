#pragma once

namespace bondgraph::test {

/// 10 V on 1 kΩ and 1 µF in series: all energies in closed form.
inline constexpr const char* kChargingCapacitor = R"(
components:
  source: {type: Se, e: 10 V}
  loop: {type: 1}
  R1: {type: R, R: 1 kohm}
  C1: {type: C, C: 1 uF, initial: {e: 0 V}}
bonds: [source -> loop, loop -> R1, loop -> C1]
)";

}  // namespace bondgraph::test
