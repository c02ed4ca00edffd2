#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bondgraph/model/model.hpp"

namespace bondgraph::model {

/// In steps: components whose places are nearer in both directions can't be told apart.
constexpr double kLeastDistance = 0.1;

/// Where a drawing is to put components of a model (`at:`, `turn:`, `layout:`). Nothing but drawings looks at it.
struct LayoutDeclaration {
    struct Place {
        Text component;
        std::optional<std::array<double, 2>> at;  ///< to the right and upwards, in steps from one component to the next
        int quarter_turns = 0;                    ///< of what hangs on it, counter-clockwise, 0 to 3
    };
    std::vector<Place> places;             ///< of components that have `at:` or `turn:`
    std::vector<std::vector<Text>> rows;   ///< from the top down, each from left to right
    std::vector<std::vector<Text>> rings;  ///< clockwise, each from the top on
};

}  // namespace bondgraph::model
