#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "bondgraph/model/model.hpp"
#include "bondgraph/model/symbol.hpp"

namespace bondgraph::model {

/// In steps: components whose places are nearer in both directions can't be told apart.
constexpr double kLeastDistance = 0.1;

/// Where a drawing is to put components of a model (`at:`, `turn:`, `mirror:`, `layout:`), and how they look. Nothing
/// but drawings looks at it.
struct LayoutDeclaration {
    struct Place {
        Text component;
        std::optional<std::array<double, 2>> at;  ///< to the right and upwards, in steps from one component to the next
        int quarter_turns = 0;                    ///< of what hangs on it, or of its symbol, counter-clockwise, 0 to 3
        bool turned = false;                      ///< `turn:` is given
        bool mirrored = false;                    ///< its symbol, left and right, before it is turned
    };
    std::vector<Place> places;             ///< of components that have `at:` or `turn:`
    std::vector<std::vector<Text>> rows;   ///< from the top down, each from left to right
    std::vector<std::vector<Text>> rings;  ///< clockwise, each from the top on
    /// By the numbers of types (Model::types): those that have a symbol, or extend one that has.
    std::map<std::uint32_t, Symbol> symbols;
};

}  // namespace bondgraph::model
