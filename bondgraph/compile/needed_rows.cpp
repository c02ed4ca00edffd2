// Which conditions of closed loops say something that others don't.

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/compile/coordinate_rates.hpp"
#include "bondgraph/compile/start_steps.hpp"
#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/pivoting.hpp"
#include "bondgraph/structure/sparse_reflections.hpp"

namespace bondgraph::compile {

namespace {

/// Brings loops together near a point; false where that fails. The search doesn't know of quaternions: what it finds
/// is closed if it still is once they have length 1.
bool close_beside(const PointTape& conditions, StartPoint& point) {
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
        const structure::ScaledRows end = approach(conditions, point, {});
        if (!end.finite || end.violation > kClosed) return false;
        PointJacobian jacobian(conditions);
        if (linearize(jacobian, point, {}).violation <= kClosed) return true;
    }
    return false;
}

/// No more rows than this can be independent; in most loops as many are.
std::size_t most_independent(const Eigen::MatrixXd& rows) {
    const auto named = (rows.array() != 0.0).rowwise().any().count();
    const auto moving = (rows.array() != 0.0).colwise().any().count();
    return static_cast<std::size_t>(std::min(named, moving));
}

/// Rows that are independent where the loops are closed: in the best of a few positions beside the start. With `rates`
/// those whose rates are.
std::vector<Eigen::Index> independent_when_closed(const AssemblyProblem& p, const Assembly& assembly,
                                                  const ClosureGradients& gradients, const std::vector<double>& sizes,
                                                  const std::optional<CoordinateRates>& rates) {
    constexpr int kPlaces = 3;
    constexpr double kBeside = 0.02;  // rad, or of the lengths of the mechanism
    constexpr double kRank = 1e-4;    // of a scaled row: well below what turns of 0.02 make of a singular position
    const model::BondGraph& g = *p.system->causal->graph;
    const auto rows_at = [&](const ChoicePoint& at) {
        Eigen::MatrixXd m = without_rounding(gradients.at(at), sizes);
        for (std::size_t r = 0; r < sizes.size(); ++r) {
            if (sizes[r] > 0.0) m.row(static_cast<Eigen::Index>(r)) /= sizes[r];
        }
        if (rates) m *= rates->at(at);
        return m;
    };
    std::vector<Eigen::Index> best =
        structure::independent_columns(rows_at(assembly.point).transpose(), {}, kRank, 0.0);
    std::minstd_rand random(2);
    for (int k = 0; k < kPlaces; ++k) {
        const ChoicePoint at = elsewhere(p, assembly.point, *std::ranges::max_element(sizes), random);
        StartPoint point{at.values, at.time, at.held, {}, {}, {}, quaternions(g, p.variables)};
        for (const std::uint32_t v : p.variables)
            point.x[v] = assembly.point.values[v] + kBeside * (at.values[v] - assembly.point.values[v]);
        point.reluctance.assign(point.x.size(), 0);
        point.column_depth.assign(point.x.size(), 0);
        if (!close_beside(gradients.tape(), point)) continue;
        const Eigen::MatrixXd rows = rows_at({point.x, point.time, point.held});
        if (most_independent(rows) <= best.size()) continue;
        std::vector<Eigen::Index> there = structure::independent_columns(rows.transpose(), {}, kRank, 0.0);
        if (there.size() > best.size()) best = std::move(there);
    }
    return best;
}

}  // namespace

NeededRows needed_rows(const AssemblyProblem& problem, const Assembly& assembly, LoopRows rows,
                       const std::optional<CoordinateRates>& rates) {
    constexpr double kRank = 1e-6;  // of a scaled row
    const std::size_t count = problem.residuals.size();
    NeededRows result{std::vector<bool>(count, false)};
    if (problem.variables.empty()) return result;
    const ClosureGradients gradients(problem);
    const std::vector<double> sizes = sizes_of(problem, gradients, assembly.point);
    const std::vector<Eigen::MatrixXd> places = gradients_elsewhere(problem, gradients, assembly.point);
    // Rows in the order in which they are independent where the loops are closed, the others last: more rows than there
    // are coordinates can't all be kept, and those that say something there have to be.
    std::vector<Eigen::Index> order = independent_when_closed(problem, assembly, gradients, sizes, rates);
    for (std::size_t r = 0; r < count && rows == LoopRows::anywhere; ++r) {
        if (std::ranges::find(order, static_cast<Eigen::Index>(r)) == order.end())
            order.push_back(static_cast<Eigen::Index>(r));
    }
    // A place where a row that counts elsewhere depends on those before it says nothing of the rows that follow.
    std::vector<structure::SparseReflections> telling;
    for (const Eigen::MatrixXd& m : places) telling.emplace_back(m.transpose());
    for (const Eigen::Index r : order) {
        const auto depends = [&](structure::SparseReflections& place) {
            return !(place.rest(r) > std::max(kRank * place.length(r), kParallel));
        };
        if (std::ranges::all_of(telling, depends)) continue;
        result.needed[static_cast<std::size_t>(r)] = true;
        std::erase_if(telling, depends);
        double most = 0.0;
        for (structure::SparseReflections& place : telling) most = std::max(most, place.rest(r));
        result.weakest = std::min(result.weakest, most);
        for (structure::SparseReflections& place : telling) place.take(r);
    }
    return result;
}

bool stay_independent(const AssemblyProblem& problem, const Assembly& assembly, const std::vector<bool>& needed,
                      const CoordinateRates& rates) {
    constexpr double kStep = 0.05;  // rad
    constexpr int kSteps = 140;     // more than a turn
    constexpr double kWorn = 0.2;   // of what is left at first: a row that turns comes below 0.05 between two steps
    const model::BondGraph& g = *problem.system->causal->graph;
    const ClosureGradients gradients(problem);
    std::vector<Eigen::Index> kept;
    for (std::size_t r = 0; r < needed.size(); ++r) {
        if (needed[r]) kept.push_back(static_cast<Eigen::Index>(r));
    }
    double left = 0.0;
    Eigen::VectorXd motion = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(rates.count()));
    // der(q) of a motion that the rows leave, and what is left of them there.
    const auto speeds_at = [&](const ChoicePoint& at) {
        const Eigen::MatrixXd by_rates = rates.at(at);
        const Eigen::MatrixXd rows = gradients.at(at)(kept, Eigen::all) * by_rates;
        const structure::SingularVectors svd = structure::singular_vectors(rows);
        left = svd.values.minCoeff();
        const Eigen::MatrixXd free = svd.V.rightCols(by_rates.cols() - rows.rows());
        motion = free * (free.transpose() * motion);
        return Eigen::VectorXd(by_rates * motion);
    };
    const auto moved = [&](ChoicePoint at, const Eigen::VectorXd& speeds, double share) {
        double turn = 0.0;
        for (std::size_t k = 0; k < problem.variables.size(); ++k) {
            if (is_number(g, problem.variables[k]))
                turn = std::max(turn, std::abs(speeds(static_cast<Eigen::Index>(k))));
        }
        for (std::size_t k = 0; k < problem.variables.size() && turn > 0.0; ++k)
            at.values[problem.variables[k]] += share * kStep / turn * speeds(static_cast<Eigen::Index>(k));
        return at;
    };
    ChoicePoint at = assembly.point;
    double first = 0.0;
    for (int step = 0; step < kSteps; ++step) {
        const Eigen::VectorXd speeds = speeds_at(at);
        if (step == 0) first = left;
        if (left < kWorn * first) return false;
        at = moved(at, speeds_at(moved(at, speeds, 0.5)), 1.0);
    }
    return true;
}

}  // namespace bondgraph::compile
