#include "bondgraph/analysis/linearize.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bondgraph/analysis/roots.hpp"
#include "bondgraph/analysis/small_turns.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/structure/dense.hpp"

namespace bondgraph::analysis {

using compile::CompiledModel;
using expression::Jet;
using simulation::Point;

namespace {

// Derivatives of a tape by all its inputs, dense: one pass per input.
Eigen::MatrixXd dense_jacobian(const expression::Tape& tape, std::span<const double> inputs) {
    using J = Jet<1>;
    std::vector<J> in(inputs.begin(), inputs.end());
    std::vector<J> out(tape.output_count());
    auto work = tape.make_workspace<J>();
    Eigen::MatrixXd m(static_cast<Eigen::Index>(out.size()), static_cast<Eigen::Index>(in.size()));
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i].d[0] = 1.0;
        tape.evaluate<J>(in, out, work);
        in[i].d[0] = 0.0;
        for (std::size_t r = 0; r < out.size(); ++r)
            m(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(i)) = out[r].d[0];
    }
    return m;
}

std::vector<double> values_of(const expression::Tape& tape, std::span<const double> inputs) {
    std::vector<double> values(tape.output_count());
    auto work = tape.make_workspace<double>();
    tape.evaluate<double>(inputs, values, work);
    return values;
}

std::vector<std::size_t> chosen_inputs(const CompiledModel& m, const std::vector<std::string>& names) {
    std::vector<std::size_t> chosen;
    if (names.empty()) {
        for (std::size_t k = 0; k < m.inputs.size(); ++k) {
            if (m.graph().elements[m.inputs[k].element.index()].type->is_source()) chosen.push_back(k);
        }
        return chosen;
    }
    std::vector<std::string> known;
    for (const auto& input : m.inputs) known.push_back(input.name);
    for (const std::string& name : names) {
        const std::size_t before = chosen.size();
        for (std::size_t k = 0; k < m.inputs.size(); ++k) {
            const std::string& full = m.inputs[k].name;
            if (full == name || m.graph().elements[m.inputs[k].element.index()].name == name) chosen.push_back(k);
        }
        if (chosen.size() == before)
            throw std::invalid_argument(
                fmt::format("the model has no source or signal block '{}'{}", name, did_you_mean(name, known)));
    }
    return chosen;
}

/// Per input: whether rates or outputs depend on a derivative of it. Second and higher ones share a place with the
/// first, and may cancel there: where they occur, what the expressions hold counts instead of their values.
std::vector<bool> needed_derivatives(const CompiledModel& m, const Eigen::MatrixXd& f, const Eigen::MatrixXd& o,
                                     const expression::Tape& outputs) {
    const std::size_t first = 1 + 2 * m.size() + m.inputs.size();
    std::vector<bool> needed(m.inputs.size(), false);
    for (std::size_t k = 0; k < needed.size(); ++k) {
        const auto column = static_cast<Eigen::Index>(first + k);
        needed[k] = !f.col(column).isZero(0.0) || (o.size() > 0 && !o.col(column).isZero(0.0));
    }
    if (m.layout.parameter.size() <= 2 * m.inputs.size()) return needed;
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(first), m.inputs.size(), true);
    for (const expression::Tape* tape : {&m.residual, &outputs}) {
        for (const std::vector<std::uint32_t>& row : tape->dependencies(wanted)) {
            for (const std::uint32_t c : row) needed[c - first] = true;
        }
    }
    return needed;
}

void refuse(const CompiledModel& m, const std::vector<std::size_t>& inputs) {
    Diagnostics d;
    for (const std::size_t k : inputs) {
        const auto& e = m.graph().elements[m.inputs[k].element.index()];
        d.error("BG-L001", e.position,
                fmt::format("the model depends on the derivative of '{}': it has no state-space form with this input",
                            m.inputs[k].name),
                {{"because", "a storage in derivative causality follows this source rigidly"},
                 {"try", "choose other inputs with --inputs, or add the small R or C that separates them"}});
    }
    d.throw_if_errors();
}

void refuse_delays(const CompiledModel& m) {
    Diagnostics d;
    for (const model::Delay& delay : m.graph().delays) {
        const auto& e = m.graph().elements[delay.element.index()];
        d.error("BG-L002", e.position, fmt::format("'{}' delays a signal: the model has no state-space form", e.name),
                {{"because", "what it remembers is a function, no finite number of states"},
                 {"try", "a PadeDelay of 'import: [blocks]' in its place, which is a rational approximation"}});
    }
    d.throw_if_errors();
}

}  // namespace

LinearModel linearize(const Point& point, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
    if (point.model == nullptr) throw std::logic_error("only a point that a run has reached can be linearized at");
    const CompiledModel& m = *point.model;
    std::vector<Output> values;
    for (const std::string& name : outputs) {
        const auto found = model::resolve_name(m.graph(), name);
        if (!found)
            throw std::invalid_argument(
                fmt::format("unknown output '{}'{}", name, did_you_mean(name, model::result_names(m.graph()))));
        values.push_back({name, m.in_unknowns(found->value)});
    }
    return linearize_values(point, inputs, values);
}

LinearModel linearize_values(const Point& point, const std::vector<std::string>& inputs,
                             std::span<const Output> outputs) {
    if (point.model == nullptr) throw std::logic_error("only a point that a run has reached can be linearized at");
    const CompiledModel& m = *point.model;
    refuse_delays(m);
    constexpr std::size_t kLargest = 3000;
    if (m.size() > kLargest)
        throw std::invalid_argument(fmt::format(
            "linearization works on dense matrices, up to {} unknowns; this model has {}", kLargest, m.size()));
    simulation::Evaluator evaluator(m);
    evaluator.segment.after = point.time;
    evaluator.set_held(point.held);
    Point p = point;
    simulation::solve_rates(evaluator, p);
    const auto at = evaluator.inputs(p.time, p.y, p.yp);

    LinearModel result;
    std::vector<expression::Expr> values;
    for (const Output& output : outputs) {
        result.outputs.push_back(output.name);
        values.push_back(output.value);
    }
    const std::vector<Quaternion> quaternions = quaternions_among_states(m);
    for (const expression::Expr& value : outputs_of(quaternions)) values.push_back(value);
    const Eigen::MatrixXd f = dense_jacobian(m.residual, at);
    const expression::Tape output_tape = m.tape(values);
    const Eigen::MatrixXd o = values.empty() ? Eigen::MatrixXd() : dense_jacobian(output_tape, at);
    const std::vector<bool> needed = needed_derivatives(m, f, o, output_tape);
    std::vector<std::size_t> chosen;
    std::vector<std::size_t> improper;
    for (const std::size_t k : chosen_inputs(m, inputs)) (needed[k] ? improper : chosen).push_back(k);
    if (!inputs.empty()) refuse(m, improper);
    for (const std::size_t k : improper) result.left_out.push_back(m.inputs[k].name);

    const auto n = static_cast<Eigen::Index>(m.size());
    const auto s = static_cast<Eigen::Index>(m.state_count);
    const auto k = static_cast<Eigen::Index>(chosen.size());
    // Unknown: rates of the states and changes of algebraic variables; given: states and inputs.
    Eigen::MatrixXd unknown(n, n);
    unknown.leftCols(s) = f.middleCols(1 + n, s);
    unknown.rightCols(n - s) = f.middleCols(1 + s, n - s);
    Eigen::MatrixXd given(n, s + k);
    given.leftCols(s) = f.middleCols(1, s);
    for (Eigen::Index i = 0; i < k; ++i)
        given.col(s + i) = f.col(1 + 2 * n + static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(i)]));
    const Eigen::MatrixXd response = n > 0 ? Eigen::MatrixXd(-structure::linear_solution(unknown, given)) : given;
    result.A = response.topLeftCorner(s, s);
    result.B = response.topRightCorner(s, k);
    const auto rows = static_cast<Eigen::Index>(values.size());
    result.C = Eigen::MatrixXd::Zero(rows, s);
    result.D = Eigen::MatrixXd::Zero(rows, k);
    if (rows > 0) {
        const Eigen::MatrixXd through_rates =
            o.middleCols(1 + n, s) * response.topRows(s) + o.middleCols(1 + s, n - s) * response.bottomRows(n - s);
        result.C = o.middleCols(1, s) + through_rates.leftCols(s);
        result.D = through_rates.rightCols(k);
        for (Eigen::Index i = 0; i < k; ++i)
            result.D.col(i) += o.col(1 + 2 * n + static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(i)]));
    }
    for (std::size_t i = 0; i < m.state_count; ++i) result.states.push_back(m.name(m.unknowns[i].variable));
    const std::vector<double> now = values_of(output_tape, at);
    result.values.assign(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(outputs.size()));
    result.start.assign(p.y.begin(), p.y.begin() + s);
    result.rates.assign(p.yp.begin(), p.yp.begin() + s);
    replace_by_turns(result, quaternions, std::span(now).subspan(outputs.size()));
    // No −0 in tables.
    for (Eigen::MatrixXd* matrix : {&result.A, &result.B, &result.C, &result.D}) *matrix = matrix->array() + 0.0;
    for (const std::size_t i : chosen) result.inputs.push_back(m.inputs[i].name);
    result.eigenvalues = block_eigenvalues(balanced(result.A));
    return result;
}

}  // namespace bondgraph::analysis
