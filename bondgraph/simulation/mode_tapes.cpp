#include "bondgraph/simulation/mode_tapes.hpp"

#include <algorithm>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/redundancy.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;

namespace {

// Σ |term| of a sum.
Expr size_of_terms(Expr e) {
    if (e.is_literal()) return 0.0;
    expression::Graph& graph = *e.graph();
    Expr size = 0.0;
    std::vector<std::uint32_t> stack{e.node()};
    while (!stack.empty()) {
        const expression::Node& node = graph[stack.back()];
        const std::uint32_t n = stack.back();
        stack.pop_back();
        if (node.op == expression::Op::add || node.op == expression::Op::subtract) {
            stack.push_back(node.a);
            stack.push_back(node.b);
        } else if (node.op == expression::Op::negate) {
            stack.push_back(node.a);
        } else {
            size += expression::abs(graph.at(n));
        }
    }
    return size;
}

// Whether a tape's results depend on what a step gives less exactly than the states: rates and algebraic variables.
bool needs_solving(const CompiledModel& m, const expression::Tape& tape) {
    std::vector<bool> inexact(tape.register_count(), false);
    const std::size_t first = 1 + m.state_count;
    for (std::size_t i = first; i <= 2 * m.size() && i < tape.input_count(); ++i) inexact[i] = true;
    for (const expression::Tape::Instruction& i : tape.instructions())
        inexact[i.target] = std::ranges::any_of(i.operands(), [&](std::uint32_t r) { return inexact[r]; });
    return std::ranges::any_of(tape.output_registers(), [&](std::uint32_t r) { return inexact[r]; });
}

}  // namespace

bool reads(const expression::Tape& tape, std::uint32_t input) {
    const auto is_it = [&](std::uint32_t r) { return r == input; };
    return std::ranges::any_of(tape.output_registers(), is_it) ||
           std::ranges::any_of(tape.instructions(), [&](const expression::Tape::Instruction& i) {
               return std::ranges::any_of(i.operands(), is_it);
           });
}

ModeTapes::ModeTapes(const CompiledModel& m) : timely(reads(m.residual, m.layout.time) || !m.delays.empty()) {
    if (m.reduced) {
        std::vector<Expr> values(m.values.begin(), m.values.end());
        values.resize(m.reduced->variable_count(), Expr(0.0));
        reduced = m.tape(values);
        coefficients = m.tape(m.in_unknowns(m.reduced->coefficients.entries));
        std::vector<Expr> residuals;
        for (const auto& redundant : m.choice->details.redundant) {
            const Expr residual = m.reduced->equations[redundant.equation].residual;
            residuals.push_back(m.in_unknowns(residual));
            residuals.push_back(m.in_unknowns(size_of_terms(residual)));
        }
        removed = m.tape(residuals);
    }
    if (m.events->empty() && !m.reduced) return;
    variables = m.tape(std::span(m.values).first(m.graph().variable_count()));
    closely = needs_solving(m, m.at_events.differences);
    std::vector<bool> unknown(m.input_size(), false);
    std::fill_n(unknown.begin() + 1, 2 * m.size(), true);
    for (const auto& needed : m.at_events.differences.dependencies(unknown))
        watched.insert(watched.end(), needed.begin(), needed.end());
    std::sort(watched.begin(), watched.end());
    watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
}

std::shared_ptr<const OutputTape> OutputTapes::of(const std::vector<Signal>& signals) const {
    constexpr std::size_t kMostKept = 8;
    const auto equal = [](Expr a, const Signal& s) { return same(a, s.value); };
    const auto hold = model_.hold();
    const std::scoped_lock lock(guard_);
    for (const Kept& kept : kept_) {
        if (std::ranges::equal(kept.values, signals, equal)) return kept.tape;
    }
    Kept made;
    std::vector<Expr> outputs;
    for (const Signal& s : signals) {
        made.values.push_back(s.value);
        outputs.push_back(model_.in_unknowns(s.value));
    }
    OutputTape tape{model_.tape(outputs)};
    tape.closely = needs_solving(model_, tape.tape);
    made.tape = std::make_shared<const OutputTape>(std::move(tape));
    if (kept_.size() >= kMostKept) kept_.erase(kept_.begin());
    kept_.push_back(made);
    return made.tape;
}

}  // namespace bondgraph::simulation
