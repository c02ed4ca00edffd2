#pragma once

#include <Eigen/Core>

#include "bondgraph/analysis/linearize.hpp"

namespace bondgraph::analysis {

/// One input and one output of a linear model: dx/dt = A x + b u, y = c x + d u.
struct SingleChannel {
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
    Eigen::RowVectorXd c;
    double d = 0.0;
};

/// The channel from an input to an output of a model, by their places in its lists.
SingleChannel channel(const LinearModel& model, std::size_t input, std::size_t output);

/// Without the states that the input does not reach or the output does not see, judged by which entries are zero. The
/// transfer function is the same.
SingleChannel reduced(const SingleChannel& system);

/// A square matrix in other units of its variables: scaled by powers of two (exactly, therefore) so that each row and
/// its column have norms of like size (Parlett, Reinsch: Balancing a matrix for calculation of eigenvalues and
/// eigenvectors, Numer. Math. 13, 1969). The eigenvalues are the same.
Eigen::MatrixXd balanced(Eigen::MatrixXd matrix);
/// States and channel scaled so, by [A b; c d]. The transfer function is the same.
SingleChannel balanced(const SingleChannel& system);

}  // namespace bondgraph::analysis
