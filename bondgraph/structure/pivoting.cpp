#include "bondgraph/structure/pivoting.hpp"

#include <Eigen/SVD>
#include <algorithm>
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

/// Jacobi's method is the more exact one, divide and conquer the faster one by far.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) {
    constexpr Eigen::Index kSmall = 16;
    if (std::min(matrix.rows(), matrix.cols()) <= kSmall)
        return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
    return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
}

}  // namespace

double largest_singular_value(const Eigen::MatrixXd& matrix) {
    if (matrix.size() == 0 || !matrix.allFinite()) return 0.0;
    return singular_values(matrix)(0);
}

double smallest_singular_value(const Eigen::MatrixXd& matrix) {
    if (matrix.size() == 0 || !matrix.allFinite()) return 0.0;
    const Eigen::VectorXd values = singular_values(matrix);
    return values(values.size() - 1);
}

namespace {

class PivotedReduction {
   public:
    explicit PivotedReduction(const Eigen::MatrixXd& matrix)
        : left_(matrix), length_(matrix.colwise().norm().transpose()), taken_(matrix.cols(), false) {}

    /// Takes columns among `candidates` while more than `threshold` of the best one's length is left.
    void take(const std::vector<Eigen::Index>& candidates, double threshold) {
        while (rank() < left_.rows()) {
            Eigen::Index best = -1;
            double most = 0.0;
            const Eigen::Index open = left_.rows() - rank();
            for (const Eigen::Index c : candidates) {
                if (taken_[static_cast<std::size_t>(c)] || length_(c) == 0.0) continue;
                const double rest = left_.col(c).tail(open).norm();
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

    void reflect(Eigen::Index column) {
        const Eigen::Index k = rank();
        const Eigen::Index open = left_.rows() - k;
        Eigen::VectorXd v = left_.col(column).tail(open);
        v(0) += v(0) >= 0.0 ? v.norm() : -v.norm();
        v.normalize();
        Eigen::MatrixXd below = left_.bottomRows(open);
        below -= 2.0 * v * (v.transpose() * below);
        left_.bottomRows(open) = below;
        taken_[static_cast<std::size_t>(column)] = true;
        order_.push_back(column);
    }

    Eigen::MatrixXd left_;
    Eigen::VectorXd length_;
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
