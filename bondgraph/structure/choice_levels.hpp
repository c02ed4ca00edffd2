#pragma once

#include <Eigen/Core>
#include <vector>

#include "bondgraph/structure/dummy_derivatives.hpp"

namespace bondgraph::structure {

/// What a block's dummies of one order were chosen from: rows and columns are numbers in the block.
struct ChoiceLevel {
    std::vector<Eigen::Index> rows;
    std::vector<Eigen::Index> candidates;
    std::vector<Eigen::Index> dummies;
    std::vector<std::uint32_t> state;    ///< parallel to candidates: the column that would be the state
    std::vector<Eigen::Index> left_out;  ///< rows that the others imply; of the highest derivatives only
};

/// The levels of each block of a choice, the highest derivatives first.
std::vector<std::vector<ChoiceLevel>> choice_levels(const IndexReduction& plan, const DummyChoice& choice);

}  // namespace bondgraph::structure
