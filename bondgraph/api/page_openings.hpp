#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bondgraph/api/pictures.hpp"

namespace bondgraph::api {

/// The same graph with components looked into where they stand.
struct PageOpenings {
    nlohmann::ordered_json opened;  ///< by names, joined by line breaks in the order of the graph: a drawing
    nlohmann::ordered_json closed;  ///< components that have parts, of which there is no drawing
    std::vector<Drawing> drawn;
};

using DrawOpened = std::function<Result<Drawing>(const std::vector<std::string>& names)>;

/// Each component by itself, and, with `together`, several of them: every combination where there are few, else
/// pairs, or none. What they take is bounded.
PageOpenings openings_of(const Drawing& folded, const DrawOpened& draw, bool together);

}  // namespace bondgraph::api
