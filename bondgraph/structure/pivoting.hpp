#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace bondgraph::structure {

/// What a column with a single entry is measured by: its own magnitude would tell nothing of it.
struct LoneColumns {
    static constexpr Eigen::Index kNotLone = -1;
    std::vector<double> size;            ///< by column: what counts as a change of 1; 0 if that is unknown
    std::vector<Eigen::Index> only_row;  ///< by column, or kNotLone
};

/// Rows, then columns divided by their largest magnitude (zero ones are left): what is small then is so in comparison.
/// Lone columns of known size are divided by what makes the largest entry of their row 1, all entries of known size
/// multiplied by that.
Eigen::MatrixXd scaled(const Eigen::MatrixXd& matrix, const LoneColumns& lone = {});

/// The magnitudes by which scaled() divides columns; 1 for zero ones.
Eigen::VectorXd column_magnitudes(const Eigen::MatrixXd& matrix, const LoneColumns& lone = {});

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
