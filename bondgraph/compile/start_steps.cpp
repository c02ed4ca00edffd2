#include "bondgraph/compile/start_steps.hpp"

#include <algorithm>
#include <cmath>

namespace bondgraph::compile {

namespace {

// Shares of the largest unknown: what rows are judged by whose own terms vanish. Closed loops with fixed start values
// are off by the digits that were left out of lengths and axes.
constexpr double kBesideLargest = 1e-4;
constexpr double kInLoops = 1e-3;

// By row, what its terms may be taken for where they vanish: a share of the largest unknown among those that come at
// its depth (see StartSearch::depths) or before it. Those that come later say nothing: near a singular position rates
// and forces run away and would excuse any place. An angle is no less than its longest step: where a mechanism is drawn
// with all coordinates at 0, nothing else tells rounding from an error.
std::vector<double> noise_of(const structure::Incidence& pattern, const StartPoint& point, const RowHints& hints) {
    const bool in_loops =
        hints.of_loops.empty() || std::ranges::any_of(hints.of_loops, [](std::uint8_t of) { return of != 0; });
    const double share = in_loops ? kInLoops : kBesideLargest;
    std::vector<double> most(1 + (point.column_depth.empty() ? 0 : std::ranges::max(point.column_depth)), 0.0);
    for (const std::uint32_t c : pattern.columns) {
        const double least = point.longest.empty() ? 0.0 : point.longest[c];
        double& size = most[point.column_depth[c]];
        size = std::max({size, least, std::abs(point.x[c])});
    }
    for (std::size_t d = most.size() - 1; d-- > 0;) most[d] = std::max(most[d], most[d + 1]);
    std::vector<double> result;
    for (std::size_t r = 0; r < pattern.rows(); ++r)
        result.push_back(share * most[hints.depth.empty() ? 0 : hints.depth[r]]);
    return result;
}

constexpr double kVoid = 1e-13;  // m or rad by a coordinate, and what a condition may be off then

// Scaled like others they would ask for what rounding leaves of axes that stand upright on each other.
void void_rows(const structure::Incidence& pattern, std::span<const std::uint8_t> of_loops,
               std::vector<double>& entries, std::vector<double>& values) {
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        if (of_loops[r] == 0 || !(std::abs(values[r]) <= kVoid)) continue;
        const auto first = entries.begin() + static_cast<std::ptrdiff_t>(pattern.starts[r]);
        const auto last = entries.begin() + static_cast<std::ptrdiff_t>(pattern.starts[r + 1]);
        if (std::any_of(first, last, [](double e) { return !(std::abs(e) <= kVoid); })) continue;
        std::fill(first, last, 0.0);
        values[r] = 0.0;
    }
}

void leave_out(structure::ScaledRows& rows, const std::vector<bool>& frozen) {
    std::vector<std::uint32_t> kept;
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        if (frozen[rows.columns[c]]) continue;
        for (Eigen::SparseMatrix<double>::InnerIterator e(rows.matrix, static_cast<Eigen::Index>(c)); e; ++e)
            entries.emplace_back(static_cast<int>(e.row()), static_cast<int>(kept.size()), e.value());
        kept.push_back(rows.columns[c]);
    }
    Eigen::SparseMatrix<double> matrix(rows.matrix.rows(), static_cast<Eigen::Index>(kept.size()));
    matrix.setFromTriplets(entries.begin(), entries.end());
    rows.columns = std::move(kept);
    rows.matrix = matrix;
}

}  // namespace

structure::ScaledRows linearize(PointJacobian& jacobian, const StartPoint& point, const RowHints& hints) {
    const PointTape& tape = jacobian.tape();
    std::vector<double> entries = jacobian.at(point.x, point.time, point.held);
    std::vector<double> values = tape.values(point.x, point.time, point.held);
    const std::vector<double> rounding = tape.rounding(point.x, point.time, point.held);
    const std::vector<double> noise = noise_of(tape.pattern(), point, hints);
    if (!hints.of_loops.empty()) void_rows(tape.pattern(), hints.of_loops, entries, values);
    structure::ScaledRows rows = structure::scaled_rows({tape.pattern(), point.x, entries, values, rounding, noise});
    if (!point.frozen.empty()) leave_out(rows, point.frozen);
    return rows;
}

structure::ScaledRows approach(const PointTape& tape, StartPoint& point, const RowHints& hints) {
    PointJacobian jacobian(tape);
    std::vector<double> x = point.x;
    const auto rows_at = [&](std::span<const double> at) {
        point.x.assign(at.begin(), at.end());
        return linearize(jacobian, point, hints);
    };
    const auto residuals_at = [&](std::span<const double> at) {
        point.x.assign(at.begin(), at.end());
        const std::vector<double> values = tape.values(point.x, point.time, point.held);
        Eigen::VectorXd residuals = Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
        // What void_rows() may take out decides about no step.
        for (std::size_t r = 0; r < hints.of_loops.size(); ++r) {
            double& residual = residuals(static_cast<Eigen::Index>(r));
            if (hints.of_loops[r] != 0 && std::abs(residual) <= kVoid) residual = 0.0;
        }
        return residuals;
    };
    structure::ScaledRows end =
        structure::search_least_change(rows_at, residuals_at, point.reluctance, x, point.longest);
    point.x = std::move(x);
    point.drop_rounding();
    point.normalize();
    return end;
}

void StartPoint::drop_rounding() {
    constexpr double kRounding = 1e-14;
    for (std::size_t v = 0; v < longest.size(); ++v) {
        if (longest[v] > 0.0 && std::abs(x[v]) < kRounding) x[v] = 0.0;
    }
}

void StartPoint::normalize() {
    for (const auto& members : unit_length) {
        double square = 0.0;
        for (const std::uint32_t v : members) square += x[v] * x[v];
        if (!(square > 0.0)) continue;
        for (const std::uint32_t v : members) x[v] /= std::sqrt(square);
    }
}

}  // namespace bondgraph::compile
