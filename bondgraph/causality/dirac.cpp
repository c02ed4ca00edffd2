#include "bondgraph/causality/dirac.hpp"

#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace bondgraph::causality {
namespace {

constexpr double kZero = 1e-9;  // relative to the row: entries are sums of a few products of moduli near 1
constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

}  // namespace

Dirac::Dirac(Eigen::MatrixXd rows)
    : table_(std::move(rows)),
      scale_(table_.cwiseAbs().rowwise().maxCoeff()),
      used_(static_cast<std::size_t>(table_.cols()), false),
      column_(static_cast<std::size_t>(table_.rows()), kNoRow) {}

std::optional<Dirac> Dirac::from_equations(const Eigen::MatrixXd& equations, std::size_t ports,
                                           std::size_t& free_unknown) {
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(equations);
    const Eigen::MatrixXd kernel = lu.kernel();
    const auto n = static_cast<Eigen::Index>(ports);
    const bool empty = kernel.cols() == 1 && kernel.isZero();
    const Eigen::Index dimension = empty ? 0 : kernel.cols();
    if (dimension == n) {
        // Rows are compared with their own largest entry, so a row that is zero must not be left as rounding errors.
        constexpr double kRounding = 1e-12;
        const double largest = n == 0 ? 0.0 : kernel.cwiseAbs().maxCoeff();
        return Dirac(
            kernel.topRows(2 * n).unaryExpr([&](double x) { return std::abs(x) < kRounding * largest ? 0.0 : x; }));
    }
    // A kernel vector that vanishes at all ports is internal: find where it is largest.
    Eigen::VectorXd internal = kernel.col(0).cwiseAbs();
    if (n > 0) {
        const Eigen::FullPivLU<Eigen::MatrixXd> outer(Eigen::MatrixXd(kernel.topRows(2 * n)));
        internal = (kernel * outer.kernel().col(0)).cwiseAbs();
    }
    Eigen::Index at = 0;
    internal.maxCoeff(&at);
    free_unknown = static_cast<std::size_t>(at);
    return std::nullopt;
}

bool Dirac::determined(std::size_t row) const {
    const auto r = static_cast<Eigen::Index>(row);
    double largest = scale_(r);
    for (Eigen::Index c = 0; c < table_.cols(); ++c) largest = std::max(largest, std::abs(table_(r, c)));
    for (Eigen::Index c = 0; c < table_.cols(); ++c) {
        if (!used_[static_cast<std::size_t>(c)] && std::abs(table_(r, c)) > kZero * largest) return false;
    }
    return true;
}

bool Dirac::choose(std::size_t row) {
    if (determined(row)) return false;
    const auto r = static_cast<Eigen::Index>(row);
    Eigen::Index pivot = -1;
    for (Eigen::Index c = 0; c < table_.cols(); ++c) {
        if (used_[static_cast<std::size_t>(c)]) continue;
        if (pivot < 0 || std::abs(table_(r, c)) > std::abs(table_(r, pivot))) pivot = c;
    }
    // Change of parameters: the pivot parameter is replaced by the chosen variable itself.
    const Eigen::VectorXd column = table_.col(pivot) / table_(r, pivot);
    Eigen::RowVectorXd chosen = table_.row(r);
    chosen(pivot) -= 1.0;
    table_.noalias() -= column * chosen;
    table_.row(r).setZero();
    table_(r, pivot) = 1.0;
    table_.col(pivot) = column;
    table_(r, pivot) = 1.0;
    used_[static_cast<std::size_t>(pivot)] = true;
    column_[row] = static_cast<std::size_t>(pivot);
    return true;
}

double Dirac::transfer(std::size_t output_row, std::size_t input_row) const {
    const std::size_t column = column_[input_row];
    if (column == kNoRow) return 0.0;
    const double value = table_(static_cast<Eigen::Index>(output_row), static_cast<Eigen::Index>(column));
    return std::abs(value) > kZero * std::max(1.0, scale_(static_cast<Eigen::Index>(output_row))) ? value : 0.0;
}

}  // namespace bondgraph::causality
