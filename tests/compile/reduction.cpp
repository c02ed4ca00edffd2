#include "tests/compile/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bondgraph::test {

Reduction::Reduction(Pipeline& p)
    : system(compile::reduce_index(compile::gather_equations(
          p.causal(), false, std::make_shared<compile::EventTable>(compile::collect_events(p.graph()))))),
      start(compile::consistent_start(system, 0.0)),
      choice(compile::choose_states(system, start)) {}

std::vector<std::string> Reduction::states() const {
    std::vector<std::string> names;
    for (const auto v : choice.states) names.push_back(system.name(v));
    return names;
}

double Reduction::value(const std::string& name) const {
    for (std::size_t v = 0; v < system.variable_count(); ++v) {
        if (system.name(compile::VariableId(v)) == name) return start.values[v];
    }
    throw std::invalid_argument(name);
}

double Reduction::violation() const {
    std::vector<expression::Expr> rows;
    for (const auto& e : system.equations) rows.push_back(e.residual);
    const compile::PointTape tape(*system.graph().expressions, system.variable_count(), 0, 0, rows);
    double worst = 0.0;
    for (const double r : tape.values(start.values, 0.0, {})) worst = std::max(worst, std::abs(r));
    return worst;
}

std::string pendulum(const std::string& start, const std::string& more) {
    return fmt::format(R"(
types:
  Pendulum:
    parameters: {{m: 1, L: 1, g: 9.81}}
    variables: {{x: {{}}, y: {{}}, vx: {{}}, vy: {{}}, lambda: {{}}}}
    equations:
      - der(x) = vx
      - der(y) = vy
      - m*der(vx) = -lambda*x
      - m*der(vy) = -lambda*y - m*g
      - x^2 + y^2 = L^2
components:
  bob: {{type: Pendulum, {}}}
{})",
                       start, more);
}

}  // namespace bondgraph::test
