#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace bondgraph::structure {

/// Rows, then columns divided by their largest magnitude (zero ones are left): what is small then is so in comparison.
Eigen::MatrixXd scaled(const Eigen::MatrixXd& matrix);

/// The magnitudes by which scaled() divides columns; 1 for zero ones.
Eigen::VectorXd column_magnitudes(const Eigen::MatrixXd& matrix);

/// Singular values; 0 where the matrix is empty or not finite. Of large matrices they are estimated by thirty steps of
/// the power method (on a sparse factorization for the smallest): a little too near each other.
double largest_singular_value(const Eigen::MatrixXd& matrix);
double smallest_singular_value(const Eigen::MatrixXd& matrix);

/// Columns of `matrix` that span its column space, in the order in which they are taken: classes in descending order
/// of `first` (empty: one class), within a class by column-pivoted Householder QR (Businger, Golub: Linear least
/// squares solutions by Householder transformations, Numer. Math. 7, 1965; ties: the first column). A column is taken
/// before those of a later class if at least `preferred` of its length is independent of the columns taken; what then
/// lacks in rank is taken from all columns, down to `rank`.
std::vector<Eigen::Index> independent_columns(const Eigen::MatrixXd& matrix, std::span<const std::int16_t> first,
                                              double rank, double preferred);

}  // namespace bondgraph::structure
