#pragma once

#include <Eigen/Core>
#include <vector>

namespace bondgraph::analysis {

/// What is known of a linear model's energy: dx/dt = A x + B u, y = C x + D u with uᵀy the power that sources bring in,
/// the energy stored H = ½ xᵀ Q x, and the power lost in elements [x; u]ᵀ losses [x; u], symmetric. Each is found by
/// itself: they agree where the model keeps its books.
struct EnergyMatrices {
    Eigen::MatrixXd A, B, C, D;
    Eigen::MatrixXd Q;  ///< regular
    Eigen::MatrixXd losses;
    /// What powers are sums of, without signs, over [x; u]; of a sum that is no more than what its terms' rounding
    /// leaves, nothing is left. Empty: not known.
    Eigen::MatrixXd summed = {};
};

/// What sums of a few terms leave where these cancel, as a share of the terms.
inline constexpr double kCancelled = 1e-13;

/// dx/dt = (J − R) Q x + (G − P) u, y = (G + P)ᵀ Q x + (M + S) u, J and M skew, Q, R and S symmetric (van der Schaft,
/// Jeltsema: Port-Hamiltonian Systems Theory, 2014, chapter 4). Deviations are shares of what is largest, in variables
/// scaled by the energy: units play no part in them.
struct PortHamiltonianForm {
    Eigen::MatrixXd J, R, G, P, M, S;
    double skewness = 0.0;     ///< how far (J − R) + R by the elements' losses is from skew, and M
    double reciprocity = 0.0;  ///< how far the outputs of this form are from those of the model
    /// The smallest eigenvalue of R Q, 1/s, where Q is positive definite: how fast what decays least does, were there R
    /// alone; negative: something grows.
    double least_decay = 0.0;
    double least_loss = 0.0;    ///< the smallest eigenvalue of [R P; Pᵀ S], its diagonal scaled to 1
    double least_energy = 0.0;  ///< the same of Q
};

/// R, P and S follow from the losses, J and G from A and B; how skew J is tells whether power adds up.
PortHamiltonianForm port_hamiltonian_form(const EnergyMatrices& energy);

/// The smallest real part of the eigenvalues of a square matrix; 0 of an empty one.
double least_eigenvalue(const Eigen::MatrixXd& m);

/// The smallest eigenvalue of a symmetric matrix whose diagonal has been scaled to ±1 (rows that are 0 stay so, and
/// give 0): units play no part in its sign or size.
double least_scaled_eigenvalue(const Eigen::MatrixXd& symmetric);

/// What makes the largest entry of each row of a symmetric matrix about 1 (Ruiz: A scaling algorithm to equilibrate
/// both rows and columns norms in matrices, RAL-TR-2001-034). Rows of nothing get 0.
Eigen::VectorXd equilibrating(const Eigen::MatrixXd& symmetric);

/// The entries row by row, without negative zeros.
std::vector<double> by_rows(const Eigen::MatrixXd& m);

}  // namespace bondgraph::analysis
