#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/causality/assignment.hpp"

namespace bondgraph::causality {

/// What it means to compute a transformer or gyrator in the direction that divides by its modulus.
enum class Division : std::uint8_t {
    harmless,  ///< the modulus is constant
    risky,     ///< it varies, and may become 0
    singular   ///< it varies, and is 0 at the start values
};

/// A two-port whose direction matters.
struct ModulatedTwoPort {
    model::ElementId element;
    Division division = Division::risky;
};

/// The scalar transformers and gyrators of the graph whose modulus varies and whose direction is free. Start values are
/// those given and the defaults of states; a modulus that depends on anything else counts as not 0.
std::vector<ModulatedTwoPort> modulated_two_ports(const model::BondGraph& graph);

/// The worst division that is computed with the strokes `after` and not with those `before`.
Division worst_division(const model::BondGraph& graph, std::span<const ModulatedTwoPort> two_ports,
                        const Assignment& before, const Assignment& after);

}  // namespace bondgraph::causality
