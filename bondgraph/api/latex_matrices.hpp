#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bondgraph::api {

/// What stands around the sign of a relation in an align, in points.
inline constexpr double kAroundRelation = 18.0;

/// Of a matrix: its entries by rows.
struct LatexEntries {
    std::vector<std::string> values;
    std::size_t columns = 0;
};

/// The entries between brackets, for amsmath.
std::string latex_matrix(const std::vector<std::string>& values, std::size_t columns);

/// Names as a column.
std::string latex_vector(const std::vector<std::string>& names);

/// About how wide a matrix comes out, in points; see latex_width.
double latex_matrix_width(const LatexEntries& matrix);

/// "\mathbf{A}" and what it is.
struct LatexDefinition {
    std::string name;
    std::string value;
};

/// What defines a matrix on the page: one line, or where that is too wide, one that says which blocks of columns it
/// has, and one for each of them; entry by entry, without zeros, where already a column is too wide. Nothing of an
/// empty one.
std::vector<LatexDefinition> latex_definitions(const std::string& name, const LatexEntries& matrix);

}  // namespace bondgraph::api
