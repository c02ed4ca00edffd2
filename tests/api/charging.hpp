#pragma once

#include <string>

namespace bondgraph::api {

/// R and C in series on 10 V, from a discharged C: its voltage is U (1 - exp(-t/(R C))), with R C = 1 ms.
inline const std::string kCharging = R"(model: charging
parameters: {U: 10 V}
components:
  source: {type: Se, e: U}
  loop: {type: 1}
  R1: {type: R, R: 1 kohm}
  C1: {type: C, C: 1 uF, initial: {e: 0 V}}
bonds:
  - source -> loop
  - loop -> R1
  - feed: loop -> C1
experiment: {stop: 20 ms, tolerance: 1e-9, interval: 1 ms}
outputs: [C1.e]
)";

}  // namespace bondgraph::api
