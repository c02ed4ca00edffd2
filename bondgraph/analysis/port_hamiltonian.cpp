#include "bondgraph/analysis/port_hamiltonian.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "bondgraph/analysis/roots.hpp"
#include "bondgraph/structure/dense.hpp"

namespace bondgraph::analysis {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

double largest_entry(const MatrixXd& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }

double share(double of, double whole) { return whole > 0.0 ? of / whole : of; }

/// Entries that are no more than rounding of what they were summed of become 0.
void without_cancelled(MatrixXd& m, const MatrixXd& summed) {
    for (Index i = 0; i < m.rows(); ++i) {
        for (Index j = 0; j < m.cols(); ++j) {
            if (std::abs(m(i, j)) <= kCancelled * summed(i, j)) m(i, j) = 0.0;
        }
    }
}

/// Entries of which rounding alone is left become 0, measured in scaled variables.
void without_rounding(MatrixXd& m, const Eigen::VectorXd& rows, const Eigen::VectorXd& columns, double whole) {
    for (Index i = 0; i < m.rows(); ++i) {
        for (Index j = 0; j < m.cols(); ++j) {
            if (std::abs(m(i, j)) * rows(i) * columns(j) <= kCancelled * whole) m(i, j) = 0.0;
        }
    }
}

/// What makes rows and columns of a symmetric matrix as large as 1.
Eigen::VectorXd scales_of(const MatrixXd& symmetric) {
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(symmetric.rows());
    for (Index i = 0; i < symmetric.rows(); ++i) {
        const double on_diagonal = std::abs(symmetric(i, i));
        if (on_diagonal > 0.0) scale(i) = 1.0 / std::sqrt(on_diagonal);
    }
    return scale;
}

}  // namespace

double least_eigenvalue(const MatrixXd& m) {
    if (m.rows() == 0) return 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (const std::complex<double>& e : block_eigenvalues(m)) least = std::min(least, e.real());
    return least;
}

double least_scaled_eigenvalue(const MatrixXd& symmetric) {
    const Eigen::VectorXd scale = scales_of(symmetric);
    return least_eigenvalue(scale.asDiagonal() * symmetric * scale.asDiagonal());
}

Eigen::VectorXd equilibrating(const MatrixXd& symmetric) {
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(symmetric.rows());
    for (int round = 0; round < 8; ++round) {
        const MatrixXd scaled = scale.asDiagonal() * symmetric * scale.asDiagonal();
        for (Index i = 0; i < scale.size(); ++i) {
            const double largest = scaled.row(i).cwiseAbs().maxCoeff();
            scale(i) = largest > 0.0 ? scale(i) / std::sqrt(largest) : 0.0;
        }
    }
    return scale;
}

std::vector<double> by_rows(const MatrixXd& m) {
    std::vector<double> all;
    for (Index r = 0; r < m.rows(); ++r) {
        for (Index c = 0; c < m.cols(); ++c) all.push_back(m(r, c) + 0.0);
    }
    return all;
}

PortHamiltonianForm port_hamiltonian_form(const EnergyMatrices& e) {
    const Index n = e.A.rows();
    const Index m = e.B.cols();
    PortHamiltonianForm f;
    const MatrixXd inverse = n > 0 ? structure::linear_solution(e.Q, MatrixXd::Identity(n, n)) : MatrixXd(0, 0);
    f.R = inverse * e.losses.topLeftCorner(n, n) * inverse;
    f.R = 0.5 * (f.R + f.R.transpose()).eval();
    f.P = inverse * e.losses.topRightCorner(n, m);
    f.S = e.losses.bottomRightCorner(m, m);
    f.J = e.A * inverse + f.R;
    f.G = e.B + f.P;
    f.M = e.D - f.S;
    MatrixXd states = MatrixXd::Zero(n, n);
    MatrixXd states_ports = MatrixXd::Zero(n, m);
    MatrixXd ports = MatrixXd::Zero(m, m);
    if (e.summed.size() > 0) {
        const MatrixXd back = inverse.cwiseAbs();
        states = back * e.summed.topLeftCorner(n, n) * back;
        states_ports = back * e.summed.topRightCorner(n, m);
        ports = e.summed.bottomRightCorner(m, m);
    }
    for (MatrixXd* matrix : {&f.J, &f.R}) without_cancelled(*matrix, states);
    for (MatrixXd* matrix : {&f.G, &f.P}) without_cancelled(*matrix, states_ports);
    for (MatrixXd* matrix : {&f.M, &f.S}) without_cancelled(*matrix, ports);
    // In variables whose energy is 1/2 each where they are 1 alone.
    Eigen::VectorXd energetic = Eigen::VectorXd::Ones(n);
    for (Index i = 0; i < n; ++i) {
        if (e.Q(i, i) != 0.0) energetic(i) = std::sqrt(std::abs(e.Q(i, i)));
    }
    const MatrixXd J = energetic.asDiagonal() * f.J * energetic.asDiagonal();
    const MatrixXd R = energetic.asDiagonal() * f.R * energetic.asDiagonal();
    f.skewness = share(largest_entry(J + J.transpose()), std::max(largest_entry(J), largest_entry(R)));
    // Of ports each row by itself: their units differ.
    const auto scaled = [&](const Eigen::RowVectorXd& row) { return row.cwiseQuotient(energetic.transpose()).eval(); };
    for (Index k = 0; k < m; ++k) {
        MatrixXd given = e.C.row(k);
        if (e.summed.size() > 0) without_cancelled(given, e.summed.col(n + k).head(n).transpose());
        const Eigen::RowVectorXd form = scaled((f.G + f.P).col(k).transpose() * e.Q);
        const Eigen::RowVectorXd wanted = scaled(given);
        f.reciprocity = std::max(
            f.reciprocity, share(largest_entry(form - wanted), std::max(largest_entry(form), largest_entry(wanted))));
        for (Index l = 0; l <= k; ++l) {
            const double whole = std::max({std::abs(e.D(k, l)), std::abs(e.D(l, k)), std::abs(f.S(k, l))});
            f.skewness = std::max(f.skewness, share(std::abs(f.M(k, l) + f.M(l, k)), whole));
        }
    }
    f.J = 0.5 * (f.J - f.J.transpose()).eval();
    f.M = 0.5 * (f.M - f.M.transpose()).eval();
    const double all = std::max(largest_entry(J), largest_entry(R));
    for (MatrixXd* matrix : {&f.J, &f.R}) without_rounding(*matrix, energetic, energetic, all);
    for (Index k = 0; k < m; ++k) {
        const double column = largest_entry(energetic.asDiagonal() * (f.G.col(k).cwiseAbs() + f.P.col(k).cwiseAbs()));
        for (Index i = 0; i < n; ++i) {
            if (std::abs(f.G(i, k)) * energetic(i) <= kCancelled * column) f.G(i, k) = 0.0;
            if (std::abs(f.P(i, k)) * energetic(i) <= kCancelled * column) f.P(i, k) = 0.0;
        }
    }
    f.least_energy = least_scaled_eigenvalue(e.Q);
    f.least_decay = least_eigenvalue(f.R * e.Q);
    MatrixXd W(n + m, n + m);
    W << f.R, f.P, f.P.transpose(), f.S;
    f.least_loss = least_scaled_eigenvalue(f.P.isZero(0.0) && f.S.isZero(0.0) ? f.R : W);
    return f;
}

}  // namespace bondgraph::analysis
