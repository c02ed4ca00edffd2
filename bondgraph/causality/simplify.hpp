#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/structure/junction_rules.hpp"

namespace bondgraph::causality {

/// One application of a rule, as it is taught.
struct SimplificationStep {
    structure::PowerRule rule = structure::PowerRule::through;
    std::string text;                  ///< a sentence, with what happens to which parts and why it may
    std::vector<std::string> removed;  ///< elements and junctions
    std::vector<std::string> remains;  ///< what they were bonded to; of a ring, what takes its place, too
};

/// "grounded node", "no power", "two bonds", "same junctions", "ring".
std::string_view rule_name(structure::PowerRule rule);

struct Simplified {
    model::BondGraph graph;
    std::vector<SimplificationStep> steps;
};

/// The bond graph with its junction structure simplified by the textbook rules (structure/junction_rules.hpp). All
/// elements but sources of zero (one that stays with something else there brings what that needs), all two-ports, own
/// types and parts of wrapped components are there as they were, with the same efforts and flows; expressions that
/// named variables of bonds that are gone name what these equal. Names of such bonds are gone. Variables have other
/// numbers.
Simplified simplify(const model::BondGraph& graph);

}  // namespace bondgraph::causality
