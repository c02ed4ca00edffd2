#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bondgraph::drawing {

/// A line that says which of two things stands to the left.
struct Influence {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool signal = false;
};

/// Per line whether it is a signal on a cycle that passes something with bonds: a measured quantity acts back on what
/// it is measured at. `bonded`: per thing whether bonds end there.
std::vector<bool> feedback(const std::vector<bool>& bonded, std::span<const Influence> lines);

}  // namespace bondgraph::drawing
