#include "bondgraph/structure/least_change_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/structure/least_change.hpp"

namespace bondgraph::structure {

namespace {

constexpr int kIterations = 100;
constexpr double kShortest = 1e-3;
constexpr double kRounding = 2.0 * std::numeric_limits<double>::epsilon();  // of the terms in a row
constexpr double kSquared = 1e-8;  // of a variable: the square of such a step is rounding
constexpr double kNoise = 1e-13;   // of the largest variable: steps below are those of rounding

// Whether the point that a step has led to is as good as the next one.
bool negligible(const Eigen::VectorXd& step, std::span<const double> x, const std::vector<std::uint32_t>& columns) {
    double most = 0.0;
    for (const std::uint32_t c : columns) most = std::max(most, std::abs(x[c]));
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (std::abs(step(static_cast<Eigen::Index>(c))) > std::max(kSquared * std::abs(x[columns[c]]), kNoise * most))
            return false;
    }
    return true;
}

double allowed_share(const Eigen::VectorXd& step, const std::vector<std::uint32_t>& columns,
                     std::span<const double> longest) {
    double share = 1.0;
    for (std::size_t c = 0; c < columns.size() && !longest.empty(); ++c) {
        const double most = longest[columns[c]];
        const double way = std::abs(step(static_cast<Eigen::Index>(c)));
        if (most > 0.0 && way * share > most) share = most / way;
    }
    return share;
}

}  // namespace

Eigen::VectorXd least_step(const ScaledRows& rows, const Eigen::VectorXd& right,
                           std::span<const std::uint8_t> reluctance) {
    if (rows.columns.empty()) return {};  // rows without unknowns
    std::vector<std::uint8_t> of_columns;
    for (const std::uint32_t c : rows.columns) of_columns.push_back(reluctance[c]);
    return least_change(rows.matrix, right, of_columns);
}

ScaledRows scaled_rows(const RowValues& v) {
    ScaledRows result;
    result.columns = v.pattern.columns;
    std::ranges::sort(result.columns);
    result.columns.erase(std::unique(result.columns.begin(), result.columns.end()), result.columns.end());
    const auto count = static_cast<Eigen::Index>(v.residuals.size());
    result.residual.resize(count);
    result.scale.setOnes(count);
    std::vector<Eigen::Triplet<double>> list;
    list.reserve(v.entries.size());
    for (std::size_t r = 0; r < v.residuals.size(); ++r) {
        const auto row = static_cast<Eigen::Index>(r);
        double steepest = 0.0;
        double size = 0.0;
        for (std::size_t k = v.pattern.starts[r]; k < v.pattern.starts[r + 1]; ++k) {
            steepest = std::max(steepest, std::abs(v.entries[k]));
            size = std::max(size, std::abs(v.entries[k] * v.x[v.pattern.columns[k]]));
            result.finite = result.finite && std::isfinite(v.entries[k]);
        }
        if (!(steepest > 0.0)) steepest = 1.0;
        for (std::size_t k = v.pattern.starts[r]; k < v.pattern.starts[r + 1]; ++k) {
            if (v.entries[k] == 0.0) continue;
            const auto at = std::ranges::lower_bound(result.columns, v.pattern.columns[k]);
            list.emplace_back(static_cast<int>(row), static_cast<int>(at - result.columns.begin()),
                              v.entries[k] / steepest);
        }
        result.residual(row) = v.residuals[r] / steepest;
        result.scale(row) = steepest;
        result.finite = result.finite && std::isfinite(v.residuals[r]);
        if (!v.rounding.empty()) {
            const double inside = v.rounding[r] / (0.5 * std::numeric_limits<double>::epsilon());
            if (std::isfinite(inside)) size = std::max(size, inside);
        }
        if (!v.noise.empty()) size = std::max(size, steepest * v.noise[r]);
        const double violated = v.residuals[r] == 0.0 ? 0.0 : std::abs(v.residuals[r]) / size;
        if (!(violated <= result.violation)) {
            result.violation = violated;
            result.worst = r;
            result.left = std::abs(v.residuals[r]);
        }
    }
    result.matrix.resize(count, static_cast<Eigen::Index>(result.columns.size()));
    result.matrix.setFromTriplets(list.begin(), list.end());
    return result;
}

ScaledRows search_least_change(const std::function<ScaledRows(std::span<const double> x)>& rows_at,
                               const std::function<Eigen::VectorXd(std::span<const double> x)>& residuals_at,
                               std::span<const std::uint8_t> reluctance, std::vector<double>& x,
                               std::span<const double> longest) {
    ScaledRows rows = rows_at(x);
    double last = rows.violation;
    for (int iteration = 0; iteration < kIterations && rows.finite && last > kRounding; ++iteration) {
        Eigen::VectorXd step = least_step(rows, -rows.residual, reluctance);
        if (!step.allFinite()) break;
        const double allowed = allowed_share(step, rows.columns, longest);
        step *= allowed;
        const std::vector<double> before = x;
        const double norm = rows.residual.norm();
        ScaledRows next;
        double share = 1.0;
        for (; share > kShortest; share *= 0.5) {
            for (std::size_t c = 0; c < rows.columns.size(); ++c)
                x[rows.columns[c]] = before[rows.columns[c]] + share * step(static_cast<Eigen::Index>(c));
            // Judged in the old scale: a new one would hide or feign progress.
            const double helps = (1.0 - 0.1 * share * allowed) * norm;
            if (!(residuals_at(x).cwiseQuotient(rows.scale).norm() <= helps)) continue;
            next = rows_at(x);
            if (next.finite) break;
        }
        if (!(share > kShortest)) next = rows_at(x);
        const double now = next.violation;
        const bool better = next.finite && (share > kShortest || now < last);
        if (!better) {
            x = before;
            break;
        }
        // What the last step leaves is its own square; violations that are met and halve no more are rounding.
        const bool done =
            next.holds() && ((rows.holds() && now > 0.5 * last) ||
                             (share * allowed == 1.0 && last <= kSquared && negligible(step, x, rows.columns)));
        rows = std::move(next);
        last = now;
        if (done) break;
    }
    return rows;
}

}  // namespace bondgraph::structure
