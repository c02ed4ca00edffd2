#include "bondgraph/structure/incidence.hpp"

#include <cassert>

namespace bondgraph::structure {

void Incidence::add_row(std::span<const std::uint32_t> row) {
    columns.insert(columns.end(), row.begin(), row.end());
    starts.push_back(static_cast<std::uint32_t>(columns.size()));
}

Incidence Incidence::transposed(std::size_t column_count) const {
    Incidence result;
    result.starts.assign(column_count + 1, 0);
    result.columns.resize(columns.size());
    for (const std::uint32_t column : columns) {
        assert(column < column_count);
        ++result.starts[column + 1];
    }
    for (std::size_t j = 0; j < column_count; ++j) result.starts[j + 1] += result.starts[j];

    std::vector<std::uint32_t> next(result.starts.begin(), result.starts.end() - 1);
    for (std::size_t i = 0; i < rows(); ++i) {
        for (const std::uint32_t column : row(i)) result.columns[next[column]++] = static_cast<std::uint32_t>(i);
    }
    return result;
}

}  // namespace bondgraph::structure
