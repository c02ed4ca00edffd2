#pragma once

#include <Eigen/Core>
#include <optional>

namespace bondgraph::structure {

/// Orthonormal combinations of rows that are nothing, in columns, where exactly `count` of the rows depend on others;
/// nothing where more of them do, as in a singular position. The largest entries of the rows are about 1; columns may
/// be of any size. Rows without any entry stand for themselves, at no cost; the others take n³.
[[nodiscard]] std::optional<Eigen::MatrixXd> row_dependences(const Eigen::MatrixXd& rows, Eigen::Index count);

}  // namespace bondgraph::structure
