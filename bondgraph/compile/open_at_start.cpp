#include <numeric>

#include "bondgraph/compile/assembly.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/start_givens.hpp"
#include "bondgraph/compile/start_steps.hpp"
#include "bondgraph/structure/least_change.hpp"

namespace bondgraph::compile {

std::vector<VariableId> open_at_start(const ReducedSystem& system, const ChoicePoint& start) {
    const StartGivens givens(system);
    std::vector<Expr> rows = givens.equations();
    for (const Expr& c : givens.residuals(true)) rows.push_back(c);
    expression::Graph& graph = *system.graph().expressions;
    std::vector<std::uint32_t> all(system.graph().variable_count());
    std::iota(all.begin(), all.end(), 0U);
    for (const Expr& length : lengths_of(graph, quaternions(system.graph(), all)))
        rows.push_back(system.in_variables(length));
    const std::size_t count = givens.unknown_count();
    StartPoint point{start.values, start.time, start.held, givens.reluctance(), std::vector<std::uint32_t>(count, 0)};
    for (std::size_t k = point.x.size(); k < count; ++k)
        point.x.push_back(start.held[givens.first_free() + k - system.variable_count()]);
    for (const std::uint8_t reluctance : point.reluctance) point.frozen.push_back(reluctance == kGuessed);
    const PointTape tape(graph, count, input_leaf_count(graph, rows, system.inputs.size()),
                         system.events ? system.events->held_count : 0, rows);
    PointJacobian jacobian(tape);
    const structure::ScaledRows at = linearize(jacobian, point, {});
    std::vector<std::uint8_t> reluctance;
    for (const std::uint32_t c : at.columns) reluctance.push_back(point.reluctance[c]);
    std::vector<bool> open;  // what no row names is so as well
    for (std::size_t v = 0; v < count; ++v) open.push_back(point.reluctance[v] != kFollows && !point.frozen[v]);
    for (const std::uint32_t c : at.columns) open[c] = false;
    for (const std::uint32_t k : structure::open_columns(at.matrix, reluctance)) open[at.columns[k]] = true;
    for (const Assignment& a : system.eliminated) open[a.target.index()] = false;
    std::vector<VariableId> result;
    for (std::size_t v = 0; v < system.variable_count(); ++v) {
        if (open[v]) result.emplace_back(v);
    }
    return result;
}

}  // namespace bondgraph::compile
