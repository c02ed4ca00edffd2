#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/causality/causal_graph.hpp"

namespace bondgraph::causality {

/// Causality as far as it goes: of a model with a conflict, the strokes assigned before it was met.
struct PartialCausality {
    CausalGraph causal;                      ///< bonds that nothing has decided are `open`
    std::vector<Diagnostic> mistakes;        ///< what assign_causality() throws; none where it succeeds
    std::vector<std::uint32_t> conflicting;  ///< bond components whose strokes can't all be true, in ascending order
};

/// As assign_causality(), but a model without a valid causality gives what could be assigned instead of an exception:
/// for a picture of the conflict. Storages and loops are known only where there are no mistakes.
PartialCausality assign_as_far_as_possible(const model::BondGraph& graph);

}  // namespace bondgraph::causality
