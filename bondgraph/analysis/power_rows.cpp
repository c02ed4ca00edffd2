#include "bondgraph/analysis/power_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/tape.hpp"

namespace bondgraph::analysis {
namespace {

using expression::Expr;
using expression::Op;
using model::Element;

/// Symbols of solved loops grow fast: beyond so many nodes they are none to be read.
constexpr std::size_t kMostTorn = 20;
constexpr std::size_t kMostNodes = 20000;

/// Columns of torn variables while their loop is gone through.
constexpr std::size_t kFirstTorn = std::size_t{1} << 32U;

void add(PowerRow& row, const PowerRow& other, Expr by) {
    for (const auto& [column, value] : other) {
        const Expr part = by * value;
        const auto [at, fresh] = row.try_emplace(column, part);
        if (!fresh) at->second += part;
        if (at->second.is_constant(0.0)) row.erase(at);
    }
}

bool occurs(expression::Graph& graph, Expr e, std::span<const std::uint32_t> variables) {
    const std::array roots{e};
    const std::vector<std::uint32_t> found = compile::variables_in(graph, roots);
    return std::ranges::any_of(found,
                               [&](std::uint32_t v) { return std::ranges::find(variables, v) != variables.end(); });
}

/// The expression where some variables are 0.
Expr without(expression::Graph& graph, Expr e, std::span<const std::uint32_t> variables) {
    const std::array roots{e};
    return expression::substitute(graph, roots, [&](std::uint32_t node) -> std::optional<Expr> {
        const expression::Node& n = graph[node];
        if (n.op == Op::variable && std::ranges::find(variables, n.a) != variables.end()) return Expr(0.0);
        return std::nullopt;
    })[0];
}

bool is_zero(expression::Graph& graph, Expr e) {
    if (e.is_constant()) return e.constant() == 0.0;
    const std::array all{e};
    return vanish(graph, all)[0];
}

/// All leaves of some expressions as inputs of a tape.
struct Leaves {
    expression::InputLayout layout;

    Leaves(const expression::Graph& graph, std::span<const std::uint32_t> roots) {
        for (const std::uint32_t node : expression::reachable(graph, roots)) {
            const expression::Node& n = graph[node];
            if (n.op == Op::time && layout.time == expression::kNoNode) layout.time = layout.size++;
            if (n.op == Op::variable) take(layout.variable, n.a);
            if (n.op == Op::derivative) take(layout.derivative, n.a);
            if (n.op == Op::parameter) take(layout.parameter, n.a);
            if (n.op == Op::held) take(layout.held, n.a);
        }
    }

   private:
    void take(std::vector<std::uint32_t>& slots, std::uint32_t index) {
        if (slots.size() <= index) slots.resize(index + 1, expression::kNoNode);
        if (slots[index] == expression::kNoNode) slots[index] = layout.size++;
    }
};

}  // namespace

std::vector<bool> vanish(expression::Graph& graph, std::span<const Expr> all) {
    constexpr int kTries = 12;
    std::vector<bool> zero(all.size(), true);
    std::vector<std::uint32_t> roots;
    for (const Expr& e : all) roots.push_back(graph.node_of(e));
    const Leaves leaves(graph, roots);
    const expression::Tape tape(graph, all, leaves.layout);
    auto workspace = tape.make_workspace<double>();
    std::mt19937 numbers(20260101U);
    std::uniform_real_distribution<double> size(0.3, 2.3);
    std::vector<double> inputs(leaves.layout.size);
    std::vector<double> outputs(all.size());
    std::vector<int> judged(all.size(), 0);
    for (int attempt = 0; attempt < kTries; ++attempt) {
        // Half of the tries have positive numbers only: roots and logarithms have values there.
        for (double& x : inputs) x = size(numbers) * (attempt % 2 == 1 && numbers() % 2 == 0 ? -1.0 : 1.0);
        tape.evaluate<double>(inputs, outputs, workspace);
        const std::vector<double> rounding = tape.rounding(inputs);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (!std::isfinite(outputs[k])) continue;
            ++judged[k];
            if (!(std::abs(outputs[k]) <= 4.0 * rounding[k])) zero[k] = false;
        }
    }
    for (std::size_t k = 0; k < all.size(); ++k) zero[k] = zero[k] && judged[k] > 0;
    return zero;
}

void PowerRows::refuse(model::ElementId element, const std::string& why) const {
    throw NoPowerRows(element.valid() ? fmt::format("the law of '{}' {}", g_.elements[element.index()].name, why)
                                      : fmt::format("an equation of the model {}", why));
}

PowerRows::PowerRows(const compile::SortedSystem& system, std::span<const PowerBase> sources,
                     std::span<const PowerSlope> slopes)
    : system_(system),
      g_(system.graph()),
      graph_(*g_.expressions),
      slopes_(slopes),
      power_variables_(static_cast<std::uint32_t>(g_.variable_count() - g_.slot_variables.size())) {
    for (const PowerBase& b : sources) rows_[b.variable] = {{b.number, Expr(b.sign)}};
    std::map<std::uint32_t, const compile::Loop*> loops;
    for (const compile::Loop& loop : system.loops) {
        for (const model::VariableId v : loop.variables) loops[v.value] = &loop;
    }
    std::map<const compile::Loop*, std::size_t> seen;
    for (const compile::Assignment& a : system.assignments) {
        const auto at = loops.find(a.target.value);
        const compile::Loop* loop = at == loops.end() ? nullptr : at->second;
        if (loop != nullptr && seen[loop]++ == 0) {
            for (std::size_t k = 0; k < loop->torn.size(); ++k) {
                if (is_power(loop->torn[k].value)) rows_[loop->torn[k].value] = {{kFirstTorn + k, Expr(1.0)}};
            }
        }
        take(a, loop);
        if (loop != nullptr && seen[loop] == loop->variables.size()) solve_loop(*loop);
    }
}

bool PowerRows::is_own(const Element& e, std::uint32_t variable) const {
    // Sums at junctions may have been put into each other.
    if (e.is_junction()) return true;
    return std::ranges::any_of(e.ports, [&](const model::Port& p) {
        return variable >= p.first_effort && variable < p.first_effort + 2 * p.size;
    });
}

void PowerRows::take(const compile::Assignment& a, const compile::Loop* loop) {
    const std::uint32_t target = a.target.value;
    if (target >= g_.variable_count())
        refuse(a.element, "needs a derivative: storages in derivative causality follow others");
    if (!is_power(target)) {
        if (!a.implicit) signals_[target] = a.value;
        return;
    }
    const bool torn = loop != nullptr && std::ranges::any_of(loop->torn, [&](auto v) { return v.value == target; });
    if (!torn && rows_.contains(target)) return;  // a source gives it
    const std::array roots{a.value};
    std::vector<std::uint32_t> own;
    for (const std::uint32_t v : compile::variables_in(graph_, roots)) {
        const bool mine = !a.element.valid() || is_own(g_.elements[a.element.index()], v);
        if (is_power(v) && mine) own.push_back(v);
    }
    const PowerRow before = torn ? rows_.at(target) : PowerRow{};
    take_law(a, own);
    if (!torn) return;
    // What has to vanish takes the variable's place until its loop is solved.
    PowerRow& residual = rows_.at(target);
    PowerRow difference = before;
    add(difference, residual, Expr(-1.0));
    residual = std::move(difference);
}

PowerRow PowerRows::sum(std::span<const std::uint32_t> variables, std::span<const Expr> by) const {
    PowerRow row;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        const auto at = rows_.find(variables[k]);
        if (at == rows_.end())
            throw NoPowerRows(fmt::format("'{}' stands in a law before it is known",
                                          g_.variable_name(model::VariableId(std::size_t{variables[k]}))));
        add(row, at->second, by[k]);
    }
    return row;
}

void PowerRows::take_law(const compile::Assignment& a, const std::vector<std::uint32_t>& own) {
    const std::uint32_t target = a.target.value;
    std::vector<Expr> leaves;
    for (const std::uint32_t v : own) leaves.push_back(graph_.variable(v));
    const std::vector<Expr> slopes = expression::gradient(a.value, leaves);
    const bool linear = std::ranges::none_of(slopes, [&](const Expr& s) { return occurs(graph_, s, own); });
    std::vector<std::uint32_t> others;
    std::vector<Expr> by;
    Expr of_target = a.implicit ? Expr(0.0) : Expr(-1.0);
    for (std::size_t k = 0; k < own.size(); ++k) {
        if (a.implicit && own[k] == target) {
            of_target = slopes[k];
            continue;
        }
        others.push_back(own[k]);
        by.push_back(slopes[k]);
    }
    const PowerRow stored = stored_part(a, without(graph_, a.value, own));
    if (linear) {
        for (Expr& b : by) b = -b / of_target;
        PowerRow row = sum(others, by);
        add(row, stored, Expr(-1.0) / of_target);
        rows_[target] = std::move(row);
        return;
    }
    const Element* e = a.element.valid() ? &g_.elements[a.element.index()] : nullptr;
    const bool one_port = e != nullptr && e->ports.size() == 1 && !e->type->is_storage();
    if (!one_port || others.size() != 1 || !stored.empty()) refuse(a.element, "is not linear in its efforts and flows");
    take_chord(a, others[0]);
}

/// What an equation says without efforts and flows has to be the slope of what its element stores.
PowerRow PowerRows::stored_part(const compile::Assignment& a, Expr rest) const {
    if (is_zero(graph_, rest)) return {};
    for (const PowerSlope& s : slopes_) {
        if (s.element != a.element) continue;
        const std::array both{rest - s.value, rest + s.value};
        const std::vector<bool> same = vanish(graph_, both);
        if (same[0] || same[1]) return {{s.number, Expr(same[0] ? 1.0 : -1.0)}};
    }
    const Element* e = a.element.valid() ? &g_.elements[a.element.index()] : nullptr;
    const bool has_states = e != nullptr && std::ranges::any_of(e->slots, [](const Element::Slot& s) {
                                return s.kind == Element::Slot::Kind::state;
                            });
    if (has_states) refuse(a.element, "gives something else than the slopes of the energy that it declares");
    if (e != nullptr && e->ports.size() > 1)
        refuse(a.element, "joins several ports, and is not linear in their efforts and flows");
    refuse(a.element, "gives an effort or flow where nothing flows or pulls, as a threshold or dry friction does");
}

/// Where both are 0 the ratio is the slope of the one by the other.
void PowerRows::take_chord(const compile::Assignment& a, std::uint32_t other) {
    const Expr target = graph_.variable(a.target.value);
    const Expr flow = graph_.variable(other);
    const std::array leaves{target, flow};
    const std::vector<Expr> slopes = expression::gradient(a.value, leaves);
    Expr slope = a.implicit ? -slopes[1] / slopes[0] : slopes[1];
    if (!a.implicit && expression::is_steep(graph_, a.value)) slope = std::numeric_limits<double>::infinity();
    const Expr value = a.implicit ? target : a.value;
    const Expr at_rest = expression::apply(Op::no_event, expression::apply(Op::equal, flow, Expr(0.0)));
    const auto leaf = static_cast<std::uint32_t>(g_.variable_count() + system_.derived.size() + chords_.size());
    chords_.push_back({graph_.variable(leaf), target / flow, expression::if_else(at_rest, slope, value / flow)});
    const std::array variables{other};
    const std::array by{chords_.back().leaf};
    rows_[a.target.value] = sum(variables, by);
}

/// What was left of each torn variable's equation, with pivots that are no 0, and then all that was made of them.
void PowerRows::solve_loop(const compile::Loop& loop) {
    std::vector<PowerRow> left;
    std::vector<std::size_t> columns;
    for (std::size_t k = 0; k < loop.torn.size(); ++k) {
        if (!is_power(loop.torn[k].value)) continue;
        columns.push_back(kFirstTorn + k);
        left.push_back(rows_.at(loop.torn[k].value));
    }
    if (columns.size() > kMostTorn)
        throw NoPowerRows(fmt::format("an algebraic loop of {} unknowns is too large for symbols ('{}')",
                                      columns.size(), system_.name(loop.torn[0])));
    std::map<std::size_t, PowerRow> solved;
    const std::size_t before = graph_.size();
    for (const std::size_t column : columns) {
        if (graph_.size() > before + kMostNodes)
            throw NoPowerRows(fmt::format("an algebraic loop of {} unknowns is too large for symbols ('{}')",
                                          columns.size(), system_.name(loop.torn[0])));
        const auto pivot = std::ranges::find_if(left, [&](const PowerRow& row) {
            const auto at = row.find(column);
            return at != row.end() && !is_zero(graph_, at->second);
        });
        if (pivot == left.end())
            throw NoPowerRows(fmt::format("an algebraic loop doesn't determine '{}'", system_.name(loop.torn[0])));
        PowerRow found = std::move(*pivot);
        left.erase(pivot);
        const Expr by = Expr(-1.0) / found.at(column);
        found.erase(column);
        PowerRow scaled;
        add(scaled, found, by);
        const auto replace = [&](PowerRow& row) {
            const auto at = row.find(column);
            if (at == row.end()) return;
            const Expr share = at->second;
            row.erase(at);
            add(row, scaled, share);
        };
        for (PowerRow& row : left) replace(row);
        for (auto& [other, row] : solved) replace(row);
        solved[column] = std::move(scaled);
    }
    for (std::size_t k = 0; k < loop.torn.size(); ++k) {
        if (is_power(loop.torn[k].value)) rows_[loop.torn[k].value] = {{kFirstTorn + k, Expr(1.0)}};
    }
    for (const model::VariableId v : loop.variables) {
        const auto at = rows_.find(v.value);
        if (at == rows_.end()) continue;
        PowerRow row;
        for (const auto& [column, value] : at->second)
            add(row, solved.contains(column) ? solved.at(column) : PowerRow{{column, Expr(1.0)}}, value);
        at->second = std::move(row);
    }
    drop_cancelled(loop);
}

/// Coefficients of which nothing is left, though they are sums: rounding would make something of them.
void PowerRows::drop_cancelled(const compile::Loop& loop) {
    std::vector<Expr> all;
    const auto each = [&](const auto& visit) {
        for (const model::VariableId v : loop.variables) {
            if (rows_.contains(v.value)) visit(rows_.at(v.value));
        }
    };
    each([&](const PowerRow& row) {
        for (const auto& [column, value] : row) all.push_back(value);
    });
    const std::vector<bool> zero = vanish(graph_, all);
    std::size_t k = 0;
    each([&](PowerRow& row) { std::erase_if(row, [&](const auto&) { return bool(zero[k++]); }); });
}

PowerRow PowerRows::row_of(Expr value, const std::string& of) const {
    const std::array roots{value};
    std::vector<std::uint32_t> own;
    std::vector<Expr> leaves;
    for (const std::uint32_t v : compile::variables_in(graph_, roots)) {
        if (!is_power(v)) continue;
        own.push_back(v);
        leaves.push_back(graph_.variable(v));
    }
    const std::vector<Expr> slopes = expression::gradient(value, leaves);
    const bool linear = std::ranges::none_of(slopes, [&](const Expr& s) { return occurs(graph_, s, own); });
    if (!linear || !is_zero(graph_, without(graph_, value, own)))
        throw NoPowerRows(fmt::format("{} is no combination of efforts and flows", of));
    return sum(own, slopes);
}

std::vector<Expr> PowerRows::in_states(std::span<const Expr> all) const {
    std::vector<Expr> now(all.begin(), all.end());
    // Signals of signals: each round takes out one layer, and they are sorted, so that there is an end.
    for (std::size_t round = 0; round <= signals_.size(); ++round) {
        bool found = false;
        now = expression::substitute(graph_, now, [&](std::uint32_t node) -> std::optional<Expr> {
            const expression::Node& n = graph_[node];
            if (n.op != Op::variable) return std::nullopt;
            const auto at = signals_.find(n.a);
            if (at == signals_.end()) return std::nullopt;
            found = true;
            return at->second;
        });
        if (!found) break;
    }
    return now;
}

}  // namespace bondgraph::analysis
