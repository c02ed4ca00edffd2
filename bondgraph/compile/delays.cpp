#include "bondgraph/compile/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/events.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using expression::Expr;
using expression::Op;

namespace {

bool varies(const model::BondGraph& graph, Expr e) {
    if (e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) {
        const Op op = (*graph.expressions)[n].op;
        return op == Op::variable || op == Op::derivative || op == Op::time;
    });
}

}  // namespace

namespace {

/// The inputs of a model that the rows of its unknowns name, and what these come from in turn.
class Origins {
   public:
    explicit Origins(const CompiledModel& model)
        : model_(model), rows_(model.residual.dependencies(std::vector<bool>(model.input_size(), true))) {}

    /// Behind the inputs that something names itself.
    [[nodiscard]] std::vector<std::uint32_t> of(const std::vector<std::uint32_t>& named) const {
        std::vector<bool> met(model_.input_size(), false);
        std::vector<std::uint32_t> open;
        const auto meet = [&](std::span<const std::uint32_t> inputs) {
            for (const std::uint32_t input : inputs) {
                const std::uint32_t i = unknown_of(input);
                if (met[i]) continue;
                met[i] = true;
                open.push_back(i);
            }
        };
        meet(named);
        while (!open.empty()) {
            const std::uint32_t i = open.back();
            open.pop_back();
            if (i > 0 && i <= model_.size()) meet(rows_[i - 1]);  // the row of an unknown has its number
        }
        std::vector<std::uint32_t> result;
        for (std::uint32_t i = 0; i < met.size(); ++i) {
            if (met[i]) result.push_back(i);
        }
        return result;
    }

   private:
    /// Of a rate its state.
    [[nodiscard]] std::uint32_t unknown_of(std::uint32_t input) const {
        const auto n = static_cast<std::uint32_t>(model_.size());
        return input > n && input <= 2 * n ? input - n : input;
    }

    const CompiledModel& model_;
    std::vector<std::vector<std::uint32_t>> rows_;
};

}  // namespace

bool DelayTapes::any_varying() const { return std::ranges::find(varying, true) != varying.end(); }

DelayTapes delay_tapes(const CompiledModel& model, std::span<const double> modes) {
    const model::BondGraph& g = model.graph();
    DelayTapes result;
    if (g.delays.empty()) return result;
    std::vector<Expr> inputs;
    std::vector<Expr> times;
    const auto ready = [&](Expr e) { return model.in_unknowns(freeze(g, *model.events, e, modes)); };
    for (const model::Delay& delay : g.delays) {
        std::vector<model::Equation> none;
        const model::LawContext k(g, delay.element, none);
        const Expr time = k.scalar("T");
        inputs.push_back(ready(k.input("u") - k.scalar("past")));
        times.push_back(ready(time));
        result.varying.push_back(varies(g, time));
        times.push_back(ready(result.varying.back() ? k.scalar("T_max") : time));
    }
    result.inputs = model.tape(inputs);
    result.times = model.tape(times);
    const Origins origins(model);
    const std::vector<bool> all(model.input_size(), true);
    for (const auto& named : result.inputs.dependencies(all)) result.origins.push_back(origins.of(named));
    return result;
}

bool holds_delay(const model::BondGraph& graph, Expr e) {
    if (graph.delays.empty() || e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) { return graph.is_delayed((*graph.expressions)[n]); });
}

std::string delayed_text(const model::BondGraph& graph, std::size_t delay) {
    return fmt::format("{}.u(time - {}.T)", graph.elements[graph.delays[delay].element.index()].name,
                       graph.elements[graph.delays[delay].element.index()].name);
}

std::string delayed_text(const model::BondGraph& graph, const expression::Node& leaf) {
    return delayed_text(graph, leaf.a - graph.first_delay());
}

}  // namespace bondgraph::compile
