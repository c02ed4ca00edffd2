#include "bondgraph/compile/plane_of_motion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/structure/dense.hpp"

namespace bondgraph::compile {

void refuse_other_motions(const AssemblyProblem& problem, const Assembly& assembly,
                          const std::vector<AssumedStill>& assumed) {
    constexpr double kDependent = 1e-7;  // of the largest singular value of scaled rows
    constexpr double kStill = 1e-6;      // of the gradients: what the position's own errors leave
    if (assumed.empty() || problem.variables.empty()) return;
    const ClosureGradients gradients(problem);
    const std::vector<double> sizes = sizes_of(problem, gradients, assembly.point);
    Eigen::MatrixXd conditions = without_rounding(gradients.at(assembly.point), sizes);
    double length = 0.0;
    const model::BondGraph& g = *problem.system->causal->graph;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        if (sizes[r] > 0.0) conditions.row(static_cast<Eigen::Index>(r)) /= sizes[r];
        if (g.elements[problem.parts[r].index()].ports[0].domain != *model::find_domain("rotational"))
            length = std::max(length, sizes[r]);
    }
    // Distances along slides count by the mechanism's length, as angles do.
    Eigen::VectorXd by = Eigen::VectorXd::Ones(conditions.cols());
    for (std::size_t k = 0; k < problem.variables.size(); ++k) {
        if (!is_number(g, problem.variables[k]) && length > 0.0) by[static_cast<Eigen::Index>(k)] = length;
    }
    conditions *= by.asDiagonal();
    const auto [singular, directions] = structure::singular_vectors(conditions);
    Eigen::Index rank = 0;
    while (rank < singular.size() && singular[rank] > kDependent * std::max(singular[0], 1e-300)) ++rank;
    const Eigen::MatrixXd motions = directions.rightCols(conditions.cols() - rank);
    Diagnostics d;
    for (const AssumedStill& a : assumed) {
        const PointTape tape = tape_of(problem, a.values);
        const std::vector<double> entries =
            tape.jacobian(assembly.point.values, assembly.point.time, assembly.point.held);
        Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(a.values.size()), by.size());
        for (std::size_t r = 0; r < a.values.size(); ++r) {
            const double size = r == 0 && length > 0.0 ? length : 1.0;  // the first is a distance
            for (std::size_t k = tape.pattern().starts[r]; k < tape.pattern().starts[r + 1]; ++k) {
                const auto v = std::ranges::lower_bound(problem.variables, tape.pattern().columns[k]);
                if (v == problem.variables.end() || *v != tape.pattern().columns[k]) continue;
                const auto column = v - problem.variables.begin();
                changes(static_cast<Eigen::Index>(r), column) = entries[k] * by[column] / size;
            }
        }
        const Eigen::MatrixXd moved = changes * motions;
        if (moved.size() == 0 || !(moved.cwiseAbs().maxCoeff() > kStill)) continue;
        const model::Element& joint = g.elements[g.elements[a.part.index()].owner.index()];
        const bool leaves = moved.row(0).cwiseAbs().maxCoeff() > kStill;
        d.error(
            "BG-I008", joint.position,
            fmt::format("'{}' ({}) is for loops that move in the plane across its axis, and this one moves otherwise",
                        joint.name, joint.type->name),
            {{"because", leaves ? "its frames can move along the axis against each other: nothing else holds them in "
                                  "the plane"
                                : "its frames can turn against each other about other axes: nothing else keeps them "
                                  "upright on the plane"},
             {"try", fmt::format("the normal of the loop's plane, or '{}', which holds in all directions",
                                 joint.type->name.substr(0, joint.type->name.size() - 2))}});
    }
    d.throw_if_errors();
}

}  // namespace bondgraph::compile
