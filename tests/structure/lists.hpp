#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/base/id.hpp"
#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

inline constexpr std::uint32_t no = kNone;  // in expected tables

using Lists = std::vector<std::vector<std::uint32_t>>;

inline Incidence incidence(const Lists& lists) {
    Incidence result;
    for (const auto& list : lists) result.add_row(list);
    return result;
}

}  // namespace bondgraph::structure
