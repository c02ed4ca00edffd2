#include "bondgraph/simulation/start_rank.hpp"

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/start_factors.hpp"
namespace bondgraph::simulation {

namespace {

constexpr double kNothingLeft = 1e-10;       // of a row whose largest entry was 1
constexpr std::size_t kLargestDense = 1500;  // unknowns

}  // namespace

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<std::uint32_t> eliminated(RowMajor a, std::span<const std::uint32_t> order) {
    std::vector<std::uint32_t> dependent;
    std::vector<std::pair<Eigen::Index, Eigen::Index>> pivots;  // row, column
    for (const std::uint32_t row : order) {
        const auto r = static_cast<Eigen::Index>(row);
        for (const auto& [p, c] : pivots) {
            if (a(r, c) == 0.0) continue;
            a.row(r) -= a(r, c) / a(p, c) * a.row(p);
            a(r, c) = 0.0;
        }
        Eigen::Index column = 0;
        if (a.row(r).cwiseAbs().maxCoeff(&column) <= kNothingLeft) {
            dependent.push_back(row);
        } else {
            pivots.emplace_back(r, column);
        }
    }
    return dependent;
}

}  // namespace

std::vector<std::uint32_t> dependent_rows(const structure::Incidence& pattern, std::span<const double> entries,
                                          std::span<const std::uint32_t> order) {
    const auto n = static_cast<Eigen::Index>(pattern.rows());
    ScaledFactors scales(pattern);
    scales.factorize(entries);
    RowMajor a = RowMajor::Zero(n, n);
    RowMajor plain = RowMajor::Zero(n, n);
    std::size_t e = 0;
    for (Eigen::Index r = 0; r < n; ++r) {
        for (const std::uint32_t c : pattern.row(static_cast<std::size_t>(r))) {
            const double scale = scales.rows()(r) * scales.columns()(c);
            a(r, c) = scale > 0.0 ? entries[e] / scale : 0.0;
            plain(r, c) = entries[e++];
        }
    }
    std::vector<std::uint32_t> dependent = eliminated(std::move(a), order);
    if (dependent.empty() || !plain.allFinite()) return dependent;
    columns_before_rows(plain);
    std::vector<std::uint32_t> otherwise = eliminated(std::move(plain), order);
    return otherwise.size() < dependent.size() ? otherwise : dependent;
}

std::optional<std::vector<std::uint32_t>> generically_dependent_rows(const NonlinearSystem& s,
                                                                     std::span<const double> start,
                                                                     std::span<const std::uint32_t> order) {
    if (s.size() > kLargestDense) return std::nullopt;
    std::vector<std::vector<double>> points{{start.begin(), start.end()}};
    for (auto& x : other_starts(s, start)) points.push_back(std::move(x));
    std::optional<std::vector<std::uint32_t>> fewest;
    std::vector<double> f(s.size());
    std::vector<double> entries(s.pattern.columns.size());
    constexpr std::size_t kEnough = 4;
    for (std::size_t k = 0; k < points.size() && (k < kEnough || !fewest); ++k) {
        if (!s.residual(points[k], f) || !s.jacobian(points[k], entries)) continue;
        auto dependent = dependent_rows(s.pattern, entries, order);
        if (!fewest || dependent.size() < fewest->size()) fewest = std::move(dependent);
        if (fewest->empty()) break;
    }
    return fewest;
}

std::vector<std::uint32_t> columns_beside(const structure::Incidence& pattern, std::span<const double> entries,
                                          std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                                          std::size_t first) {
    std::vector<std::uint32_t> result;
    if (columns.size() > kLargestDense) return result;
    const auto m = static_cast<Eigen::Index>(rows.size());
    const auto before = static_cast<Eigen::Index>(first);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(m, static_cast<Eigen::Index>(columns.size()));
    for (Eigen::Index r = 0; r < m; ++r) {
        const std::uint32_t row = rows[static_cast<std::size_t>(r)];
        for (std::size_t e = pattern.starts[row]; e < pattern.starts[row + 1]; ++e) {
            const auto at = std::find(columns.begin(), columns.end(), pattern.columns[e]);
            if (at != columns.end()) a(r, at - columns.begin()) = entries[e];
        }
        const double largest = a.row(r).cwiseAbs().maxCoeff();
        if (largest > 0.0) a.row(r) /= largest;
    }
    std::vector<std::pair<Eigen::Index, Eigen::Index>> pivots;
    for (Eigen::Index r = 0; r < m; ++r) {
        for (const auto& [p, c] : pivots) {
            if (a(r, c) == 0.0) continue;
            a.row(r) -= a(r, c) / a(p, c) * a.row(p);
            a(r, c) = 0.0;
        }
        Eigen::Index c = 0;
        if (a.row(r).head(before).cwiseAbs().maxCoeff(&c) <= kNothingLeft) {
            if (a.row(r).cwiseAbs().maxCoeff(&c) <= kNothingLeft) continue;
            result.push_back(columns[static_cast<std::size_t>(c)]);
        }
        pivots.emplace_back(r, c);
    }
    return result;
}

}  // namespace bondgraph::simulation
