#include "bondgraph/compile/come_nearer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bondgraph::compile {

bool Distance::below(const Distance& other) const {
    constexpr double kSame = 1e-10;  // rad or m: where it is least, a distance hardly changes
    if (std::abs(of_guessed - other.of_guessed) > kSame) return of_guessed < other.of_guessed;
    return of_others < other.of_others - kSame;
}

Distance distance(const StartPoint& point, std::span<const double> begin, std::span<const std::uint32_t> among) {
    const std::uint8_t last = point.reluctance.empty() ? 0 : std::ranges::max(point.reluctance);
    Distance result;
    for (const std::uint32_t v : among) {
        const double way = point.x[v] - begin[v];
        (last > 1 && point.reluctance[v] == last ? result.of_guessed : result.of_others) += way * way;
    }
    return {std::sqrt(result.of_guessed), std::sqrt(result.of_others)};
}

void come_nearer(const PointTape& rows, StartPoint& point, std::span<const double> begin) {
    constexpr int kSteps = 100;
    constexpr double kThere = 1e-11;
    constexpr double kSlow = 0.7;  // steps that don't get shorter go too far, to and fro
    constexpr double kLeastShare = 1.0 / 16.0;
    double most_share = 1.0;
    double last = std::numeric_limits<double>::infinity();
    PointJacobian jacobian(rows);
    for (int step = 0; step < kSteps; ++step) {
        const structure::ScaledRows at = linearize(jacobian, point, {});
        if (!at.finite || at.columns.empty()) return;
        Eigen::VectorXd way(std::ssize(at.columns));
        for (std::size_t k = 0; k < at.columns.size(); ++k)
            way(static_cast<Eigen::Index>(k)) = point.x[at.columns[k]] - begin[at.columns[k]];
        const Eigen::VectorXd change = structure::least_step(at, at.matrix * way - at.residual, point.reluctance) - way;
        if (!change.allFinite()) return;
        const double most = change.cwiseAbs().maxCoeff();
        if (most > kSlow * last) most_share = std::max(0.5 * most_share, kLeastShare);
        last = most;
        const double share = std::min(most_share, kLongestTurn / std::max(most, 1e-300));
        for (std::size_t k = 0; k < at.columns.size(); ++k)
            point.x[at.columns[k]] += share * change(static_cast<Eigen::Index>(k));
        point.normalize();
        if (most < kThere) return;
    }
}

}  // namespace bondgraph::compile
