#pragma once

#include <span>
#include <string>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

// What closes the loops of mechanisms: residual effort sources that hold conditions on positions.

/// Whether an element is such a source, and not let go in the mode of these strokes.
bool holds_now(const causality::CausalGraph& causal, const model::Element& element);

/// How many conditions of a source are set to 0.
std::uint32_t released_of(std::span<const ReleasedCondition> released, const std::string& element);

/// Of a source: "3 conditions, e[3] set to 0".
std::string conditions_text(std::span<const ReleasedCondition> released, const std::string& element,
                            std::uint32_t conditions);

/// Of a component that isn't looked into: "closes a loop: 6 conditions, 3 set to 0".
std::string closing_text(const Node& node);

}  // namespace bondgraph::drawing
