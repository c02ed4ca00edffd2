#include "bondgraph/structure/pivoting.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <functional>

#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/sparse_factors.hpp"
#include "bondgraph/structure/sparse_reflections.hpp"

namespace bondgraph::structure {

namespace {

// Column by column, as they lie in memory.
Eigen::VectorXd row_magnitudes(const Eigen::MatrixXd& matrix) {
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(matrix.rows());
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) largest = largest.cwiseMax(matrix.col(c).cwiseAbs());
    return largest.unaryExpr([](double x) { return x > 0.0 ? x : 1.0; });
}

Eigen::VectorXd column_magnitudes(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& of_rows,
                                  const LoneColumns& lone) {
    Eigen::VectorXd result = Eigen::VectorXd::Ones(matrix.cols());
    for (Eigen::Index c = 0; c < matrix.cols() && matrix.rows() > 0; ++c) {
        const double largest = matrix.col(c).cwiseQuotient(of_rows).cwiseAbs().maxCoeff();
        if (largest > 0.0) result(c) = largest;
    }
    const Eigen::Map<const Eigen::VectorXd> sizes(lone.size.data(), static_cast<Eigen::Index>(lone.size.size()));
    for (Eigen::Index c = 0; c < sizes.size(); ++c) {
        const Eigen::Index row = lone.only_row[static_cast<std::size_t>(c)];
        if (row == LoneColumns::kNotLone || !(sizes(c) > 0.0)) continue;
        const double largest = matrix.row(row).transpose().cwiseProduct(sizes).cwiseAbs().maxCoeff() / of_rows(row);
        if (largest > 0.0) result(c) = largest / sizes(c);
    }
    return result;
}

}  // namespace

Eigen::VectorXd column_magnitudes(const Eigen::MatrixXd& matrix, const LoneColumns& lone) {
    return column_magnitudes(matrix, row_magnitudes(matrix), lone);
}

Eigen::MatrixXd scaled(const Eigen::MatrixXd& matrix, const LoneColumns& lone) {
    const Eigen::VectorXd of_rows = row_magnitudes(matrix);
    const Eigen::VectorXd of_columns = column_magnitudes(matrix, of_rows, lone);
    Eigen::MatrixXd result(matrix.rows(), matrix.cols());
    for (Eigen::Index c = 0; c < matrix.cols(); ++c)
        result.col(c) = matrix.col(c).cwiseQuotient(of_rows) * (1.0 / of_columns(c));
    return result;
}

namespace {

/// Beyond this size singular values are estimated: all of them would cost far more than the choice they judge.
constexpr Eigen::Index kExact = 64;
constexpr int kPowers = 30;

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
    SparseFactors factors(pattern_of_columns(a));  // the transposed matrix has the same singular values
    if (!factors.factorize({a.valuePtr(), static_cast<std::size_t>(a.nonZeros())})) return 0.0;
    const double inverse = std::sqrt(power_iteration(a.cols(), [&](Eigen::VectorXd x) {
        const std::span<double> values(x.data(), static_cast<std::size_t>(x.size()));
        factors.solve(values);
        factors.solve_transposed(values);
        return x;
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

/// Takes columns among `candidates` while more than `threshold` of the best one's length is left.
void take(SparseReflections& left, const std::vector<Eigen::Index>& candidates, double threshold) {
    while (!left.full()) {
        Eigen::Index best = -1;
        double most = 0.0;
        for (const Eigen::Index c : candidates) {
            if (left.is_taken(c) || left.length(c) == 0.0) continue;
            const double rest = left.rest(c);
            if (rest <= threshold * left.length(c)) continue;
            if (rest > most * (1.0 + 1e-12)) {  // rounding shall not decide between equals
                most = rest;
                best = c;
            }
        }
        if (best < 0) return;
        left.take(best);
    }
}

}  // namespace

std::vector<Eigen::Index> independent_columns(const Eigen::MatrixXd& matrix, std::span<const std::int16_t> first,
                                              double rank, double preferred) {
    if (matrix.size() == 0 || !matrix.allFinite()) return {};
    SparseReflections left(matrix);
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
            take(left, members, preferred);
        }
    }
    take(left, all, rank);
    return left.taken();
}

}  // namespace bondgraph::structure
