#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

namespace bondgraph::structure {

/// Sparse columns eliminated from rows by reflections, with dense columns carried along: matrix = Q · R as far as the
/// columns are independent, and Q' · dense. Q isn't kept. Columns come in the order of COLAMD; rows that meet in one
/// become a dense front, whose other rows go on to the next column of theirs (Liu: On general row merging schemes for
/// sparse Givens transformations, SIAM J. Sci. Stat. Comput. 7, 1986). A column of which no more than `gone` is left
/// when its turn comes depends on those before it (Heath's way of revealing rank) and is not used.
class SparseElimination {
   public:
    SparseElimination(const Eigen::SparseMatrix<double>& matrix, const Eigen::MatrixXd& dense, double gone);

    [[nodiscard]] Eigen::Index rank() const { return static_cast<Eigen::Index>(pivots_.size()); }

    /// The dense columns in the rows that hold nothing of the sparse ones any more.
    [[nodiscard]] const Eigen::MatrixXd& below() const { return below_; }

    /// The sparse unknowns where Q' · (dense · factors) is the right side above; those not used are 0.
    [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& factors) const;

   private:
    /// Rows over some sparse columns, in the order of elimination, and all dense ones behind them.
    struct Front {
        std::vector<Eigen::Index> columns;
        Eigen::MatrixXd rows;
    };

    [[nodiscard]] Front merged(std::vector<Front> parts) const;
    void eliminate(Front front);
    void pass_on(Front front);

    double gone_;
    Eigen::Index dense_;                       ///< how many dense columns
    std::vector<Eigen::Index> column_;         ///< of each place in the order of elimination
    std::vector<std::vector<Front>> waiting_;  ///< for each place: the fronts that begin there
    std::vector<Front> pivots_;                ///< one row each
    std::vector<Front> done_;                  ///< without sparse columns
    Eigen::MatrixXd below_;
};

}  // namespace bondgraph::structure
