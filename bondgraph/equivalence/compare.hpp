#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bondgraph/causality/simplify.hpp"
#include "bondgraph/equivalence/normal_form.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

/// In what one graph first differs from the other, in words about the first.
struct Difference {
    std::string text;      ///< nothing in it gives the reference away but that it is different
    std::string revealed;  ///< names and values of the reference; empty where there is nothing to add
};

enum class Likeness {
    same,        ///< a map of elements, junctions and bonds keeps everything
    simplified,  ///< there is one once both have been simplified
    different,   ///< there is none
    undecided    ///< the search for one was given up: very large graphs of many equal elements only
};

struct Structural {
    Likeness likeness = Likeness::different;
    std::vector<causality::SimplificationStep> steps;            ///< of the first graph, where they were needed
    std::vector<causality::SimplificationStep> reference_steps;  ///< and of the second
    Difference difference;
};

/// Whether two bond graphs are the same but for names, the order of what is written, conventions of arrows, and numbers
/// that differ by no more than 1e-9 of their size.
Structural compare(const model::BondGraph& mine, const model::BondGraph& reference);

/// Which sign differs, where graphs are the same but for signs; nothing where they are not even that.
std::optional<Difference> sign_difference(const NormalForm& mine, const NormalForm& reference);

/// The first difference of two simplified graphs that are not the same: numbers of elements, then sources, parameters,
/// how elements are joined, signs, start values.
Difference difference(const NormalForm& mine, const NormalForm& reference);

}  // namespace bondgraph::equivalence
