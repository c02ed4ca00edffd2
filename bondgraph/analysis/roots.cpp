#include "bondgraph/analysis/roots.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/structure/components.hpp"

namespace bondgraph::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void sort(Roots& roots) {
    std::sort(roots.begin(), roots.end(), [](const Complex& a, const Complex& b) {
        return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag());
    });
}

/// Whether a matrix is singular to working precision, whatever the scales of its rows and columns.
bool is_singular(Eigen::MatrixXd m) {
    for (int sweep = 0; sweep < 3; ++sweep) {
        for (Index i = 0; i < m.rows(); ++i) {
            const double row = m.row(i).cwiseAbs().maxCoeff();
            if (row == 0.0) return true;
            m.row(i) /= row;
        }
        for (Index j = 0; j < m.cols(); ++j) {
            const double column = m.col(j).cwiseAbs().maxCoeff();
            if (column == 0.0) return true;
            m.col(j) /= column;
        }
    }
    Eigen::FullPivLU<Eigen::MatrixXd> lu;
    lu.setThreshold(100.0 * kEpsilon * static_cast<double>(m.rows()));
    return !lu.compute(m).isInvertible();
}

bool by_magnitude(const Complex& a, const Complex& b) { return std::abs(a) < std::abs(b); }

// What rounding beside the largest has made of small eigenvalues: zero if the matrix is singular, else they are found
// anew as the large ones of its inverse.
void add_eigenvalues(const Eigen::MatrixXd& block, Roots& roots) {
    if (block.rows() == 1) {
        roots.emplace_back(block(0, 0));
        return;
    }
    const double rounding = 10.0 * kEpsilon * block.norm();
    const Eigen::VectorXcd found = block.eigenvalues();
    Roots values(found.begin(), found.end());
    std::sort(values.begin(), values.end(), by_magnitude);
    const auto small =
        std::find_if(values.begin(), values.end(), [&](const Complex& v) { return std::abs(v) > rounding; });
    if (small != values.begin()) {
        Roots inverse;
        if (!is_singular(block)) {
            const Eigen::VectorXcd reciprocals = block.inverse().eigenvalues();
            inverse.assign(reciprocals.begin(), reciprocals.end());
            std::sort(inverse.rbegin(), inverse.rend(), by_magnitude);
        }
        for (auto v = values.begin(); v != small; ++v) {
            const auto k = static_cast<std::size_t>(v - values.begin());
            *v = inverse.empty() ? 0.0 : 1.0 / inverse[k];
        }
    }
    for (const Complex& v : values) {
        const bool real = std::abs(v.imag()) <= std::min(rounding, kSameRoot * std::abs(v));
        roots.push_back(real ? Complex(v.real()) : v);
    }
}

// det(A − s E): E is singular at most by rounding, since the input shows in the output.
Roots generalized_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& E) {
    Roots roots;
    if (A.rows() == 0) return roots;
    const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(A, E, false);
    for (Index i = 0; i < A.rows(); ++i) {
        const Complex alpha = solver.alphas()(i);
        const double beta = solver.betas()(i);
        if (beta == 0.0 || std::abs(beta) * A.norm() < 10.0 * kEpsilon * std::abs(alpha) * E.norm())
            continue;  // infinite
        roots.push_back(std::abs(alpha) <= 10.0 * kEpsilon * A.norm() ? Complex(0.0) : alpha / beta);
    }
    return roots;
}

// a − b, with what rounding leaves of a zero taken for one: `terms` bounds what the entries are made of.
template <class Matrix>
Matrix difference(const Matrix& a, const Matrix& b, const Matrix& terms) {
    const double tolerance = 10.0 * kEpsilon * static_cast<double>(std::max(a.cols(), a.rows()) + 1);
    const Matrix d = a - b;
    return (d.array().abs() > tolerance * terms.array()).select(d, 0.0);
}

// One state replaced by the output c x: while the output is held at zero that state follows from the others, and what
// keeps it there, d/dt (c x) = 0, is the next output. Removes one infinite zero.
SingleChannel deflated(const SingleChannel& s) {
    Index k = 0;
    s.c.cwiseAbs().maxCoeff(&k);
    std::vector<Index> rest;
    for (Index i = 0; i < s.A.rows(); ++i) {
        if (i != k) rest.push_back(i);
    }
    const Eigen::RowVectorXd ratio = s.c / s.c(k);
    const Eigen::MatrixXd through = s.A.col(k) * ratio;
    const Eigen::MatrixXd A = difference<Eigen::MatrixXd>(s.A, through, s.A.cwiseAbs() + through.cwiseAbs());
    const Eigen::RowVectorXd c = difference<Eigen::RowVectorXd>(s.c * s.A, s.c * through,
                                                                s.c.cwiseAbs() * (s.A.cwiseAbs() + through.cwiseAbs()));
    const Eigen::RowVectorXd cb = s.c.cwiseProduct(s.b.transpose());
    const double d = std::abs(cb.sum()) > 10.0 * kEpsilon * cb.lpNorm<1>() ? cb.sum() : 0.0;
    return {A(rest, rest), s.b(rest), c(rest), d};
}

// The last column of [A b; c d] − s [I 0; 0 0] eliminated by its last row, pivoting there on the largest entry.
Roots finite_zeros(const SingleChannel& s) {
    const Index n = s.A.rows();
    // Neither the size of the input nor that of the output counts.
    constexpr double kMostGrowth = 1e3;
    if (s.b.norm() * s.c.norm() <= kMostGrowth * std::abs(s.d) * s.A.norm() || s.b.isZero(0.0) || s.c.isZero(0.0)) {
        const Eigen::MatrixXd through = s.b * (s.c / s.d);
        return block_eigenvalues(difference<Eigen::MatrixXd>(s.A, through, s.A.cwiseAbs() + through.cwiseAbs()));
    }
    Index k = 0;
    s.c.cwiseAbs().maxCoeff(&k);
    const Eigen::RowVectorXd ratio = s.c / s.c(k);
    Eigen::MatrixXd A = s.A - s.A.col(k) * ratio;
    Eigen::MatrixXd E = Eigen::MatrixXd::Identity(n, n);
    E.row(k) -= ratio;
    // Its own column is gone; the input takes the place.
    A.col(k) = s.b - s.A.col(k) * (s.d / s.c(k));
    E.col(k).setZero();
    E(k, k) = -s.d / s.c(k);
    return generalized_eigenvalues(A, E);
}

}  // namespace

Roots block_eigenvalues(const Eigen::MatrixXd& matrix) {
    structure::Incidence successors;
    std::vector<std::uint32_t> row;
    for (Index i = 0; i < matrix.rows(); ++i) {
        row.clear();
        for (Index j = 0; j < matrix.cols(); ++j) {
            if (matrix(i, j) != 0.0) row.push_back(static_cast<std::uint32_t>(j));
        }
        successors.add_row(row);
    }
    const auto blocks = structure::strong_components(successors);
    Roots roots;
    for (std::size_t k = 0; k < blocks.rows(); ++k) {
        const auto members = blocks.row(k);
        const std::vector<Index> places(members.begin(), members.end());
        add_eigenvalues(matrix(places, places), roots);
    }
    sort(roots);
    return roots;
}

Zeros invariant_zeros(const SingleChannel& system) {
    SingleChannel s = system;
    int exponent = 0;
    while (s.d == 0.0) {
        if (s.A.rows() == 0 || s.c.isZero(0.0)) return {};
        // A high derivative of the output is larger than any number unless its power of two is kept apart.
        const int size = std::ilogb(s.c.cwiseAbs().maxCoeff());
        s.c *= std::exp2(-size);
        exponent += size;
        s = deflated(s);
    }
    // 0 would mean that nothing acts.
    constexpr double kLeast = std::numeric_limits<double>::min();
    const double gain = std::ldexp(s.d, exponent);
    Zeros zeros{finite_zeros(s), gain != 0.0 ? gain : std::copysign(kLeast, s.d)};
    sort(zeros.values);
    return zeros;
}

Roots merged(const Roots& roots) {
    Roots upper;  // conjugates follow from these; a double real root stands for a pair on the real axis
    for (const Complex& r : roots) {
        const bool real = std::abs(r.imag()) <= kSameRoot * std::abs(r);
        if (real)
            upper.emplace_back(r.real());
        else if (r.imag() > 0.0)
            upper.push_back(r);
    }
    sort(upper);
    Roots result;
    std::vector<bool> taken(upper.size(), false);
    for (std::size_t i = 0; i < upper.size(); ++i) {
        if (taken[i]) continue;
        std::vector<std::size_t> cluster;
        Complex sum = 0.0;
        for (std::size_t k = i; k < upper.size(); ++k) {
            if (taken[k] || std::abs(upper[k] - upper[i]) > kSameRoot * std::abs(upper[i])) continue;
            taken[k] = true;
            cluster.push_back(k);
            sum += upper[k] - upper[i];
        }
        const Complex mean = upper[i] + sum / static_cast<double>(cluster.size());
        for (std::size_t k = 0; k < cluster.size(); ++k) {
            result.push_back(mean);
            if (mean.imag() != 0.0) result.push_back(std::conj(mean));
        }
    }
    sort(result);
    return result;
}

std::vector<MultipleRoot> multiplicities(const Roots& roots) {
    std::vector<MultipleRoot> result;
    for (const Complex& r : roots) {
        const auto same =
            std::find_if(result.begin(), result.end(), [&](const MultipleRoot& m) { return m.value == r; });
        if (same != result.end())
            ++same->multiplicity;
        else
            result.push_back({r, 1});
    }
    return result;
}

std::vector<double> polynomial(const Roots& roots) {
    std::vector<double> p{1.0};
    const auto multiply = [&](double first, double second) {  // by s² + first·s + second
        p.resize(p.size() + 2, 0.0);
        for (std::size_t k = p.size(); k-- > 0;) {
            if (k >= 1) p[k] += first * p[k - 1];
            if (k >= 2) p[k] += second * p[k - 2];
        }
    };
    for (const Complex& r : roots) {
        if (r.imag() > 0.0) multiply(-2.0 * r.real(), std::norm(r));
        if (r.imag() != 0.0) continue;
        p.push_back(0.0);
        for (std::size_t k = p.size(); k-- > 1;) p[k] -= r.real() * p[k - 1];
    }
    for (double& coefficient : p) coefficient += 0.0;  // no −0
    return p;
}

}  // namespace bondgraph::analysis
