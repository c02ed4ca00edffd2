#include "bondgraph/compile/start_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/structure/least_change.hpp"

namespace bondgraph::compile {

namespace {

constexpr int kStartIterations = 100;
constexpr double kSquared = 1e-8;  // of a variable: the square of such a step is rounding
constexpr double kNoise = 1e-13;   // of the largest variable: steps below are those of rounding
constexpr double kBeside = 1e-4;   // of the largest unknown: what rows are judged by whose own terms vanish

// The largest unknown among those that come at a depth (see depths()) or before it. Those that come later say
// nothing: near a singular position rates and forces run away and would excuse any place.
std::vector<double> largest_from(const StartPoint& point, const std::vector<std::uint32_t>& columns) {
    std::vector<double> most(1 + (point.column_depth.empty() ? 0 : std::ranges::max(point.column_depth)), 0.0);
    for (const std::uint32_t c : columns)
        most[point.column_depth[c]] = std::max(most[point.column_depth[c]], std::abs(point.x[c]));
    for (std::size_t d = most.size() - 1; d-- > 0;) most[d] = std::max(most[d], most[d + 1]);
    return most;
}

Eigen::VectorXd smallest_step(const StartRows& l, const StartPoint& point) {
    if (l.columns.empty()) return {};  // rows without unknowns
    std::vector<std::uint8_t> reluctance;
    for (const std::uint32_t c : l.columns) reluctance.push_back(point.reluctance[c]);
    return structure::least_change(l.matrix, -l.residual, reluctance);
}

// Whether the point that a step has led to is as good as the next one.
bool negligible(const Eigen::VectorXd& step, const StartPoint& point, const std::vector<std::uint32_t>& columns) {
    double most = 0.0;
    for (const std::uint32_t c : columns) most = std::max(most, std::abs(point.x[c]));
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (std::abs(step(static_cast<Eigen::Index>(c))) >
            std::max(kSquared * std::abs(point.x[columns[c]]), kNoise * most))
            return false;
    }
    return true;
}

}  // namespace

StartRows linearize(const PointTape& tape, const StartPoint& point, std::span<const std::uint32_t> depth) {
    StartRows l;
    const auto& pattern = tape.pattern();
    l.columns = pattern.columns;
    std::sort(l.columns.begin(), l.columns.end());
    l.columns.erase(std::unique(l.columns.begin(), l.columns.end()), l.columns.end());
    const auto entries = tape.jacobian(point.x, point.time, point.held);
    const auto values = tape.values(point.x, point.time, point.held);
    l.residual.resize(static_cast<Eigen::Index>(tape.size()));
    l.scale.setOnes(static_cast<Eigen::Index>(tape.size()));
    const auto rounding = tape.rounding(point.x, point.time, point.held);
    const std::vector<double> most = largest_from(point, l.columns);
    std::vector<Eigen::Triplet<double>> list;
    list.reserve(entries.size());
    for (std::size_t r = 0; r < tape.size(); ++r) {
        const auto row = static_cast<Eigen::Index>(r);
        double largest = 0.0;
        double size = 0.0;
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            largest = std::max(largest, std::abs(entries[k]));
            size = std::max(size, std::abs(entries[k] * point.x[pattern.columns[k]]));
            l.finite = l.finite && std::isfinite(entries[k]);
        }
        if (!(largest > 0.0)) largest = 1.0;
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            if (entries[k] == 0.0) continue;
            const auto at = std::lower_bound(l.columns.begin(), l.columns.end(), pattern.columns[k]);
            list.emplace_back(static_cast<int>(row), static_cast<int>(at - l.columns.begin()), entries[k] / largest);
        }
        l.residual(row) = values[r] / largest;
        l.scale(row) = largest;
        l.finite = l.finite && std::isfinite(values[r]);
        const double inside = rounding[r] / (0.5 * std::numeric_limits<double>::epsilon());
        if (std::isfinite(inside)) size = std::max(size, inside);
        size = std::max(size, kBeside * largest * most[depth.empty() ? 0 : depth[r]]);
        const double violated = values[r] == 0.0 ? 0.0 : std::abs(values[r]) / size;
        if (!(violated <= l.violation)) {
            l.violation = violated;
            l.worst = r;
            l.left = std::abs(values[r]);
        }
    }
    l.matrix.resize(l.residual.size(), static_cast<Eigen::Index>(l.columns.size()));
    l.matrix.setFromTriplets(list.begin(), list.end());
    return l;
}

StartRows approach(const PointTape& tape, StartPoint& point, std::span<const std::uint32_t> depth) {
    StartRows l = linearize(tape, point, depth);
    double last = l.violation;
    for (int iteration = 0; iteration < kStartIterations && l.finite && last > 0.0; ++iteration) {
        const Eigen::VectorXd step = smallest_step(l, point);
        if (!step.allFinite()) break;
        const std::vector<double> before = point.x;
        const double norm = l.residual.norm();
        StartRows next;
        double factor = 1.0;
        for (; factor > 1e-3; factor *= 0.5) {
            for (std::size_t c = 0; c < l.columns.size(); ++c)
                point.x[l.columns[c]] = before[l.columns[c]] + factor * step(static_cast<Eigen::Index>(c));
            next = linearize(tape, point, depth);
            // Judged in the old scale: a new one would hide or feign progress.
            const double reached = next.residual.cwiseProduct(next.scale).cwiseQuotient(l.scale).norm();
            if (next.residual.allFinite() && reached <= (1.0 - 0.1 * factor) * norm) break;
        }
        const double now = next.violation;
        const bool better = next.residual.allFinite() && (factor > 1e-3 || now < last);
        if (!better) {
            point.x = before;
            break;
        }
        // What the last step leaves is its own square; violations that are met and halve no more are rounding.
        const bool done = next.holds() && ((l.holds() && now > 0.5 * last) ||
                                           (factor == 1.0 && last <= kSquared && negligible(step, point, l.columns)));
        l = std::move(next);
        last = now;
        if (done) break;
    }
    return l;
}

}  // namespace bondgraph::compile
