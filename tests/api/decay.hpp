#pragma once

#include <string>
#include <string_view>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {

inline Model parsed(const std::string& text, const LoadOptions& options = {}) {
    return Model::parse(text, "test.yaml", options).value();
}

/// x' = -x/(R C): x(t) = q0 exp(-t/(R C)).
inline const std::string kDecay = R"(
model: decay
parameters: {q0: 2}
components:
  j: {type: 0}
  C: {type: C, C: 0.5, initial: {q: q0}}
  R: {type: R, R: 2}
bonds: [j -> C, j -> R]
experiment: {stop: 1 s, interval: 0.25 s, tolerance: 1e-9}
outputs: [C.q]
)";

inline double last(const api::Run& run, std::string_view name) { return run.series[name].back(); }

}  // namespace bondgraph::api
