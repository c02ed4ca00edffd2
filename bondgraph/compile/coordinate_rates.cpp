#include "bondgraph/compile/coordinate_rates.hpp"

#include <algorithm>
#include <array>

#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;

namespace {

/// Flows as the strokes determine them, from states.
class Flows {
   public:
    explicit Flows(const EquationSystem& s)
        : s_(s),
          graph_(*s.causal->graph->expressions),
          equation_of_(s.is_state.size(), kNone),
          values_(s.is_state.size()) {
        for (std::uint32_t r = 0; r < s.equations.size(); ++r) {
            if (s.equations[r].target.valid()) equation_of_[s.equations[r].target.index()] = r;
        }
    }

    /// der(coordinate); nothing where some of what it follows from is not given by the strokes.
    std::optional<Expr> rate_of(std::uint32_t coordinate) {
        const std::uint32_t row = equation_of_[coordinate];
        if (row == kNone || !s_.is_state[coordinate]) return std::nullopt;
        const auto rate = solved(row, graph_.derivative(coordinate));
        return rate ? in_states(*rate) : std::nullopt;
    }

   private:
    std::optional<Expr> solved(std::uint32_t row, Expr leaf) {
        const OrientedEquation& e = s_.equations[row];
        return expression::solve_for(graph_, e.lhs, e.rhs, leaf, [](Expr) { return true; });
    }

    std::vector<std::uint32_t> open_in(Expr e) const {
        std::vector<std::uint32_t> open;
        for (const std::uint32_t v : variables_in(graph_, std::span(&e, 1))) {
            if (!s_.is_state[v] && !values_[v]) open.push_back(v);
        }
        return open;
    }

    // A stack of its own: chains may be long.
    std::optional<Expr> in_states(Expr e) {
        std::vector<std::uint32_t> stack = open_in(e);
        std::vector<bool> begun(values_.size(), false);
        while (!stack.empty()) {
            const std::uint32_t v = stack.back();
            if (values_[v]) {
                stack.pop_back();
                continue;
            }
            if (equation_of_[v] == kNone) return std::nullopt;
            const auto value = solved(equation_of_[v], graph_.variable(v));
            if (!value || differentiates(*value)) return std::nullopt;
            const std::vector<std::uint32_t> open = open_in(*value);
            if (open.empty()) {
                values_[v] = replaced(*value);
                stack.pop_back();
            } else if (begun[v]) {  // follows from itself
                return std::nullopt;
            }
            begun[v] = true;
            stack.insert(stack.end(), open.begin(), open.end());
        }
        if (differentiates(e)) return std::nullopt;
        return replaced(e);
    }

    bool differentiates(Expr e) const {
        if (e.is_literal()) return false;
        const std::array roots{e.node()};
        return std::ranges::any_of(expression::reachable(graph_, roots),
                                   [&](std::uint32_t n) { return graph_[n].op == Op::derivative; });
    }

    Expr replaced(Expr e) {
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const expression::Node& node = graph_[n];
            return node.op == Op::variable ? values_[node.a] : std::nullopt;
        })[0];
    }

    const EquationSystem& s_;
    expression::Graph& graph_;
    std::vector<std::uint32_t> equation_of_;   ///< variable → the equation for it (a state: for its rate), or kNone
    std::vector<std::optional<Expr>> values_;  ///< in states
};

}  // namespace

std::optional<CoordinateRates> CoordinateRates::of(const AssemblyProblem& p) {
    Flows flows(*p.system);
    std::vector<Expr> rates;
    for (const std::uint32_t v : p.variables) {
        const auto rate = flows.rate_of(v);
        if (!rate) return std::nullopt;
        rates.push_back(p.kinematics(*rate));
    }
    std::vector<std::uint32_t> names = variables_in(*p.system->causal->graph->expressions, rates);
    std::erase_if(names, [&](std::uint32_t v) { return std::ranges::binary_search(p.variables, v); });
    return CoordinateRates(tape_of(p, rates), std::move(names));
}

Eigen::MatrixXd CoordinateRates::at(const ChoicePoint& point) const {
    Eigen::MatrixXd m =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(tape_.size()), static_cast<Eigen::Index>(rates_.size()));
    const std::vector<double> entries = tape_.jacobian(point.values, point.time, point.held);
    const structure::Incidence& pattern = tape_.pattern();
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            const auto v = std::ranges::lower_bound(rates_, pattern.columns[k]);
            if (v != rates_.end() && *v == pattern.columns[k])
                m(static_cast<Eigen::Index>(r), v - rates_.begin()) = entries[k];
        }
    }
    return m;
}

}  // namespace bondgraph::compile
