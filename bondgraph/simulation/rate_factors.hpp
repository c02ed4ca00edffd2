#pragma once

#include <Eigen/KLUSupport>
#include <Eigen/LU>
#include <memory>
#include <optional>
#include <vector>

namespace bondgraph::simulation {

/// A factorized Jacobian by rates and algebraic unknowns. Beside the point it is of, Newton's steps with it converge as
/// well: it is kept from one solve_rates() to the next.
class RateFactors {
   public:
    /// Rows and columns are brought to one magnitude, so that singular means singular in any units. Nothing where the
    /// matrix is singular.
    static std::shared_ptr<RateFactors> of(Eigen::SparseMatrix<double> matrix);

    /// The scaled step for a scaled right side (see rows() and columns()); nothing where none is found.
    [[nodiscard]] std::optional<Eigen::VectorXd> solve(const Eigen::VectorXd& right) const;

    /// What the rows were divided by, and then the columns.
    [[nodiscard]] const Eigen::VectorXd& rows() const { return rows_; }
    [[nodiscard]] const Eigen::VectorXd& columns() const { return columns_; }

    std::vector<double> entries;  ///< of the Jacobian
    std::vector<double> held;     ///< the held values it is of

   private:
    bool scale();

    Eigen::SparseMatrix<double> matrix_;  ///< scaled
    Eigen::VectorXd rows_;
    Eigen::VectorXd columns_;
    Eigen::FullPivLU<Eigen::MatrixXd> dense_;
    Eigen::KLU<Eigen::SparseMatrix<double>> sparse_;  ///< instead, where there are many
};

}  // namespace bondgraph::simulation
