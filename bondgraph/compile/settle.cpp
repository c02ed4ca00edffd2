#include "bondgraph/compile/settle.hpp"

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/structure/pivoting.hpp"
#include "bondgraph/structure/sparse_reflections.hpp"

namespace bondgraph::compile {
namespace {

/// Conditions of a loop that is as good as closed, by columns, beside their sizes; those that vanish are 0.
struct Gradients {
    Eigen::MatrixXd columns;
    bool vanishing = false;
};

Gradients gradients_at(const ClosureGradients& gradients, const ChoicePoint& here, const std::vector<double>& sizes) {
    constexpr double kVanishing = 1e-6;  // far above what a search leaves, far below what moves
    Gradients result{gradients.at(here).transpose()};
    for (Eigen::Index k = 0; k < result.columns.cols(); ++k) {
        const double size = sizes[static_cast<std::size_t>(k)];
        const double most = result.columns.col(k).cwiseAbs().maxCoeff();
        const bool there = most > kVanishing * size;
        result.vanishing = result.vanishing || (most > 0.0 && !there);
        result.columns.col(k) *= there ? 1.0 / size : 0.0;
    }
    return result;
}

/// Whether the conditions that aren't kept repeat those wherever the coordinates are.
bool repeat_elsewhere(const AssemblyProblem& loop, const ClosureGradients& gradients, const ChoicePoint& here,
                      const std::vector<Eigen::Index>& kept) {
    const auto places = gradients_elsewhere(loop, gradients, here);
    return std::ranges::all_of(places, [&](const Eigen::MatrixXd& place) {
        structure::SparseReflections left(place.transpose());
        for (const Eigen::Index k : kept) left.take(k);
        for (Eigen::Index k = 0; k < place.rows(); ++k) {
            if (std::ranges::find(kept, k) == kept.end() && left.rest(k) > kParallel) return false;
        }
        return true;
    });
}

}  // namespace

bool settle(const AssemblyProblem& loop, std::span<const Expr> fixed, StartPoint& point, bool closed) {
    constexpr double kRank = 1e-4;  // as for the conditions that are independent where the loops are closed
    if (loop.variables.empty()) return closed;
    const ClosureGradients gradients(loop);
    ChoicePoint here{point.x, point.time, point.held};
    const std::vector<double> sizes = sizes_of(loop, gradients, here);
    const auto near = [&] {
        const auto off = gradients.tape().values(point.x, point.time, point.held);
        for (std::size_t k = 0; k < off.size(); ++k) {
            if (!(std::abs(off[k]) < kTogether * sizes[k])) return false;
        }
        return true;
    };
    const Gradients g = gradients_at(gradients, here, sizes);
    if ((closed && !g.vanishing) || !near()) return closed;
    const std::vector<Eigen::Index> kept = structure::independent_columns(g.columns, {}, kRank, 0.0);
    std::vector<Expr> rows(fixed.begin(), fixed.end());
    for (const Eigen::Index k : kept) rows.push_back(loop.residuals[static_cast<std::size_t>(k)]);
    const structure::ScaledRows end = approach(tape_of(loop, rows), point, {});
    PointJacobian all(gradients.tape());
    const structure::ScaledRows reached = linearize(all, point, {});
    const bool met = end.finite && end.violation <= kClosed && reached.finite;
    if (met && (reached.violation <= kClosed || (near() && repeat_elsewhere(loop, gradients, here, kept)))) return true;
    point.x = std::move(here.values);
    return closed;
}

}  // namespace bondgraph::compile
