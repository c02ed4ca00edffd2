#include "bondgraph/drawing/closing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bondgraph::drawing {
namespace {

std::string counted(std::uint32_t conditions) {
    return fmt::format("{} {}", conditions, conditions == 1 ? "condition" : "conditions");
}

}  // namespace

bool holds_now(const causality::CausalGraph& causal, const model::Element& element) {
    if (!element.type->holds_positions) return false;
    const model::BondGraph& graph = *causal.graph;
    // One that can be let go says whether it holds by its only discrete variable.
    for (std::size_t d = 0; d < graph.discretes.size() && d < causal.modes.size(); ++d) {
        const model::DiscreteVariable& discrete = graph.discretes[d];
        if (discrete.structural && &graph.elements[discrete.element.index()] == &element) return causal.modes[d] != 0.0;
    }
    return true;
}

std::uint32_t released_of(std::span<const ReleasedCondition> released, const std::string& element) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(released, [&](const ReleasedCondition& r) { return r.element == element; }));
}

std::string conditions_text(std::span<const ReleasedCondition> released, const std::string& element,
                            std::uint32_t conditions) {
    std::string text = counted(conditions);
    const std::uint32_t count = released_of(released, element);
    if (count == 0) return text;
    std::vector<std::string> names;
    for (const ReleasedCondition& r : released) {
        if (r.element == element && r.component) names.push_back(fmt::format("e[{}]", *r.component));
    }
    if (conditions == 1) return text + ", e set to 0";
    if (names.size() < count) return text + fmt::format(", {} set to 0", count);
    return text + fmt::format(", {} set to 0", fmt::join(names, ", "));
}

std::string closing_text(const Node& node) {
    std::string text = "closes a loop: " + counted(node.conditions);
    if (node.released > 0) text += fmt::format(", {} set to 0", node.released);
    return text;
}

std::string title_of(const Frame& frame) {
    return (frame.type.empty() ? frame.label : frame.type + " " + frame.label) +
           (frame.closes ? ", closes a loop" : "");
}

}  // namespace bondgraph::drawing
