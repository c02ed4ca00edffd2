#include "bondgraph/structure/pivoting.hpp"

#include <Eigen/SVD>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <functional>

namespace bondgraph::structure {

namespace {

Eigen::MatrixXd with_rows_scaled(const Eigen::MatrixXd& matrix) {
    Eigen::MatrixXd result = matrix;
    for (Eigen::Index r = 0; r < result.rows(); ++r) {
        const double largest = result.cols() == 0 ? 0.0 : result.row(r).cwiseAbs().maxCoeff();
        if (largest > 0.0) result.row(r) /= largest;
    }
    return result;
}

}  // namespace

Eigen::VectorXd column_magnitudes(const Eigen::MatrixXd& matrix) {
    if (matrix.size() == 0) return Eigen::VectorXd::Ones(matrix.cols());
    const Eigen::VectorXd largest = with_rows_scaled(matrix).cwiseAbs().colwise().maxCoeff().transpose();
    return largest.unaryExpr([](double x) { return x > 0.0 ? x : 1.0; });
}

Eigen::MatrixXd scaled(const Eigen::MatrixXd& matrix) {
    return with_rows_scaled(matrix) * column_magnitudes(matrix).cwiseInverse().asDiagonal();
}

namespace {

/// Beyond this size singular values are estimated: all of them would cost far more than the choice they judge.
constexpr Eigen::Index kExact = 64;
constexpr int kPowers = 30;

/// Jacobi's method is the more exact one, divide and conquer the faster one by far.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) {
    constexpr Eigen::Index kSmall = 16;
    if (std::min(matrix.rows(), matrix.cols()) <= kSmall)
        return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
    return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
}

/// No multiple of a vector that a structure could be blind to.
Eigen::VectorXd some_direction(Eigen::Index size) {
    Eigen::VectorXd x(size);
    for (Eigen::Index i = 0; i < size; ++i) x(i) = 1.0 + 0.5 * std::cos(1.0 + 3.7 * static_cast<double>(i));
    return x.normalized();
}

/// The norm of what `action` (a symmetric map) makes of a vector, after so many times: its largest eigenvalue.
template <class Action>
double power_iteration(Eigen::Index size, const Action& action) {
    Eigen::VectorXd x = some_direction(size);
    double value = 0.0;
    for (int k = 0; k < kPowers; ++k) {
        x = action(x);
        value = x.norm();
        if (!(value > 0.0) || !std::isfinite(value)) return value;
        x /= value;
    }
    return value;
}

using Sparse = Eigen::SparseMatrix<double>;

double estimated_largest(const Sparse& a) {
    return std::sqrt(power_iteration(
        a.cols(), [&](const Eigen::VectorXd& x) { return Eigen::VectorXd(a.transpose() * Eigen::VectorXd(a * x)); }));
}

double estimated_smallest(const Sparse& a) {
    Eigen::SparseLU<Sparse> lu;
    lu.compute(a);
    if (lu.info() != Eigen::Success) return 0.0;
    const double inverse = std::sqrt(power_iteration(a.cols(), [&](const Eigen::VectorXd& x) {
        const Eigen::VectorXd half = lu.transpose().solve(x);
        return Eigen::VectorXd(lu.solve(half));
    }));
    return inverse > 0.0 && std::isfinite(inverse) ? 1.0 / inverse : 0.0;
}

}  // namespace

double largest_singular_value(const Eigen::MatrixXd& matrix) {
    if (matrix.size() == 0 || !matrix.allFinite()) return 0.0;
    if (std::min(matrix.rows(), matrix.cols()) > kExact) return estimated_largest(matrix.sparseView());
    return singular_values(matrix)(0);
}

double smallest_singular_value(const Eigen::MatrixXd& matrix) {
    if (matrix.size() == 0 || !matrix.allFinite()) return 0.0;
    if (matrix.rows() == matrix.cols() && matrix.rows() > kExact) return estimated_smallest(matrix.sparseView());
    const Eigen::VectorXd values = singular_values(matrix);
    return values(values.size() - 1);
}

namespace {

class PivotedReduction {
   public:
    explicit PivotedReduction(const Eigen::MatrixXd& matrix)
        : left_(matrix),
          length_(matrix.colwise().norm().transpose()),
          rest_(length_),
          touched_(static_cast<std::size_t>(matrix.cols()), false),
          taken_(static_cast<std::size_t>(matrix.cols()), false) {}

    /// Takes columns among `candidates` while more than `threshold` of the best one's length is left.
    void take(const std::vector<Eigen::Index>& candidates, double threshold) {
        while (rank() < left_.rows()) {
            Eigen::Index best = -1;
            double most = 0.0;
            const Eigen::Index open = left_.rows() - rank();
            for (const Eigen::Index c : candidates) {
                if (taken_[static_cast<std::size_t>(c)] || length_(c) == 0.0) continue;
                if (touched_[static_cast<std::size_t>(c)]) {
                    rest_(c) = left_.col(c).tail(open).norm();
                    touched_[static_cast<std::size_t>(c)] = false;
                }
                const double rest = rest_(c);
                if (rest <= threshold * length_(c)) continue;
                if (rest > most * (1.0 + 1e-12)) {  // rounding shall not decide between equals
                    most = rest;
                    best = c;
                }
            }
            if (best < 0) return;
            reflect(best);
        }
    }

    [[nodiscard]] const std::vector<Eigen::Index>& order() const { return order_; }

   private:
    [[nodiscard]] Eigen::Index rank() const { return static_cast<Eigen::Index>(order_.size()); }

    /// Rows change places first, so that the column's largest entry is the one that stays: what is sparse then fills as
    /// little as in elimination, and columns that have nothing in common with the one taken are left alone.
    void reflect(Eigen::Index column) {
        const Eigen::Index k = rank();
        const Eigen::Index open = left_.rows() - k;
        Eigen::Index largest = 0;
        left_.col(column).tail(open).cwiseAbs().maxCoeff(&largest);
        if (largest > 0) left_.row(k).swap(left_.row(k + largest));
        Eigen::VectorXd v = left_.col(column).tail(open);
        v(0) += v(0) >= 0.0 ? v.norm() : -v.norm();
        v.normalize();
        std::vector<Eigen::Index> places;
        places.reserve(static_cast<std::size_t>(open));
        for (Eigen::Index r = 0; r < open; ++r) {
            if (v(r) != 0.0) places.push_back(r);
        }
        taken_[static_cast<std::size_t>(column)] = true;
        order_.push_back(column);
        const bool full = 2 * static_cast<Eigen::Index>(places.size()) > open;
        for (Eigen::Index c = 0; c < left_.cols(); ++c) {
            if (taken_[static_cast<std::size_t>(c)]) continue;
            auto below = left_.col(c).tail(open);
            double shared = full ? v.dot(below) : 0.0;
            if (full && shared != 0.0) below -= 2.0 * shared * v;
            if (!full) {
                for (const Eigen::Index r : places) shared += v(r) * below(r);
                for (const Eigen::Index r : places) below(r) -= 2.0 * shared * v(r);
            }
            if (shared != 0.0 || below(0) != 0.0) touched_[static_cast<std::size_t>(c)] = true;
        }
    }

    Eigen::MatrixXd left_;
    Eigen::VectorXd length_;
    Eigen::VectorXd rest_;       ///< length of what is left of each column
    std::vector<bool> touched_;  ///< columns whose rest has changed
    std::vector<bool> taken_;
    std::vector<Eigen::Index> order_;
};

}  // namespace

std::vector<Eigen::Index> independent_columns(const Eigen::MatrixXd& matrix, std::span<const std::int16_t> first,
                                              double rank, double preferred) {
    if (matrix.size() == 0 || !matrix.allFinite()) return {};
    PivotedReduction reduction(matrix);
    std::vector<std::int16_t> classes(first.begin(), first.end());
    std::ranges::sort(classes, std::ranges::greater{});
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    std::vector<Eigen::Index> all;
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) all.push_back(c);
    if (classes.size() > 1) {
        for (const std::int16_t level : classes) {
            std::vector<Eigen::Index> members;
            for (const Eigen::Index c : all) {
                if (first[static_cast<std::size_t>(c)] == level) members.push_back(c);
            }
            reduction.take(members, preferred);
        }
    }
    reduction.take(all, rank);
    return reduction.order();
}

}  // namespace bondgraph::structure
