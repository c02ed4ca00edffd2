#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bondgraph::structure {

/// A list of integer lists in two arrays: row i is columns[starts[i] … starts[i+1]).
/// Serves as sparse pattern (row: its columns) and as directed graph (vertex: its successors).
struct Incidence {
    std::vector<std::uint32_t> starts{0};
    std::vector<std::uint32_t> columns;

    [[nodiscard]] std::size_t rows() const { return starts.size() - 1; }
    [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const {
        return {columns.data() + starts[i], columns.data() + starts[i + 1]};
    }
    void add_row(std::span<const std::uint32_t> row);
    /// The same pairs, listed by column: row j of the result holds, ascending, the rows that name column j.
    [[nodiscard]] Incidence transposed(std::size_t column_count) const;
};

}  // namespace bondgraph::structure
