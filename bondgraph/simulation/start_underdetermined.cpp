// A point at which fewer equations than unknowns hold, near where the search begins.

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/simulation/start_nonlinear.hpp"
#include "bondgraph/structure/least_change.hpp"

namespace bondgraph::simulation {

using Eigen::VectorXd;

namespace {

constexpr int kMostSteps = 100;
constexpr double kShortest = 1e-3;
constexpr double kNothing = 1e-13;  // beside the terms of a row

/// Residuals and Jacobian at a point, each row divided by its largest derivative.
struct Rows {
    VectorXd residual;
    VectorXd scale;
    Eigen::SparseMatrix<double> matrix;
    double violation = 0.0;  ///< the largest residual beside the terms it is made of
    bool finite = false;
};

Rows rows_at(const NonlinearSystem& s, const std::vector<double>& x) {
    Rows rows;
    const auto n = static_cast<Eigen::Index>(s.size());
    rows.residual.setZero(n);
    rows.scale.setOnes(n);
    std::vector<double> entries(s.pattern.columns.size());
    if (!s.residual(x, {rows.residual.data(), s.size()}) || !s.jacobian(x, entries)) return rows;
    const std::vector<double> rounding = s.rounding ? s.rounding(x) : std::vector<double>(s.size(), 0.0);
    std::vector<Eigen::Triplet<double>> list;
    std::size_t e = 0;
    for (std::size_t r = 0; r < s.size(); ++r) {
        const auto columns = s.pattern.row(r);
        double steepest = 0.0;
        double terms = rounding[r] / (0.5 * std::numeric_limits<double>::epsilon());
        for (std::size_t k = 0; k < columns.size(); ++k) {
            steepest = std::max(steepest, std::abs(entries[e + k]));
            terms = std::max(terms, std::abs(entries[e + k] * x[columns[k]]));
        }
        double& f = rows.residual(static_cast<Eigen::Index>(r));
        if (f != 0.0) rows.violation = std::max(rows.violation, std::abs(f) / terms);
        if (!(steepest > 0.0)) steepest = 1.0;
        for (std::size_t k = 0; k < columns.size(); ++k)
            list.emplace_back(static_cast<int>(r), static_cast<int>(columns[k]), entries[e + k] / steepest);
        f /= steepest;
        rows.scale(static_cast<Eigen::Index>(r)) = steepest;
        e += columns.size();
    }
    rows.matrix.resize(n, static_cast<Eigen::Index>(x.size()));
    rows.matrix.setFromTriplets(list.begin(), list.end());
    rows.finite = rows.residual.allFinite();
    return rows;
}

}  // namespace

bool solve_underdetermined(const NonlinearSystem& s, const std::vector<bool>& kept, std::vector<double>& x) {
    std::vector<std::uint8_t> reluctance;
    for (const bool k : kept) reluctance.push_back(k ? 1 : 0);
    Rows now = rows_at(s, x);
    for (int step = 0; step < kMostSteps && now.finite && now.violation > kNothing; ++step) {
        const VectorXd way = structure::least_change(now.matrix, -now.residual, reluctance);
        if (!way.allFinite()) return false;
        const std::vector<double> before = x;
        double share = 1.0;
        Rows next;
        for (; share > kShortest; share *= 0.5) {
            for (std::size_t k = 0; k < x.size(); ++k) x[k] = before[k] + share * way(static_cast<Eigen::Index>(k));
            next = rows_at(s, x);
            // Judged in the scale of the step's beginning.
            const double reached = next.residual.cwiseProduct(next.scale).cwiseQuotient(now.scale).norm();
            if (next.finite && reached <= (1.0 - 0.1 * share) * now.residual.norm()) break;
        }
        if (share <= kShortest) {
            x = before;
            break;
        }
        now = std::move(next);
    }
    constexpr double kGoneBesideTerms = 1e-12;
    return now.finite && now.violation <= kGoneBesideTerms;
}

}  // namespace bondgraph::simulation
