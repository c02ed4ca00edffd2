#pragma once

#include <cstddef>

namespace bondgraph::expression {

/// How often this test program has asked for memory.
std::size_t allocation_count();

}  // namespace bondgraph::expression
