#include "bondgraph/structure/block_triangular.hpp"

#include <vector>

#include "bondgraph/structure/components.hpp"

namespace bondgraph::structure {

BlockTriangular block_triangular(const Incidence& rows, std::size_t column_count, const Matching& matching) {
    BlockTriangular result;
    result.parts = singular_parts(rows, column_count, matching);
    std::vector<bool> outside(rows.rows(), false);
    for (const std::uint32_t r : result.parts.overdetermined_rows) outside[r] = true;
    for (const std::uint32_t r : result.parts.underdetermined_rows) outside[r] = true;

    Incidence needs;
    std::vector<std::uint32_t> row;
    for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        row.clear();
        if (!outside[r]) {
            for (const std::uint32_t column : rows.row(r)) {
                const std::uint32_t partner = matching.row_of[column];
                if (partner != kUnmatched && partner != r && !outside[partner]) row.push_back(partner);
            }
        }
        needs.add_row(row);
    }
    const Incidence components = strong_components(needs);
    std::vector<std::uint32_t> columns;
    for (std::size_t c = 0; c < components.rows(); ++c) {
        const auto members = components.row(c);
        if (outside[members.front()]) continue;  // alone: it has no edges
        columns.clear();
        for (const std::uint32_t r : members) columns.push_back(matching.column_of[r]);
        result.rows.add_row(members);
        result.columns.add_row(columns);
    }
    return result;
}

}  // namespace bondgraph::structure
