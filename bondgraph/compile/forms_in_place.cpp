#include "bondgraph/compile/forms_in_place.hpp"

#include <algorithm>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;

FormsInPlace::FormsInPlace(const ReducedSystem& system, const ChoicePoint& at)
    : s_(system), closed_forms_(system, at) {}

void FormsInPlace::find(std::span<const LoopRow> rows) {
    struct Conditions {
        std::vector<Expr> residuals;
        std::vector<std::uint32_t> coordinates;
    };
    std::map<model::ElementId, Conditions> by_owner;
    for (const LoopRow& row : rows) {
        if (row.order > 0) continue;
        Conditions& c = by_owner[row.owner];
        c.residuals.push_back(row.residual);
        c.coordinates.push_back(row.target);
    }
    for (const ClosedLoops::Place& place : s_.loops->places) {
        const auto at = by_owner.find(place.owner);
        if (at == by_owner.end()) continue;
        for (const ClosedForm& f : closed_forms_.at(place, at->second.residuals, at->second.coordinates)) {
            values_.emplace(f.variable.value, f.value);
            owners_.insert(place.owner);
            owner_.emplace(f.variable.value, place.owner);
            forms_.push_back(f);
        }
    }
}

void FormsInPlace::clear() {
    forms_.clear();
    owner_.clear();
    owners_.clear();
    values_.clear();
}

std::set<std::uint32_t> FormsInPlace::determined(std::span<const LoopRow> rows) const {
    std::set<std::uint32_t> result;
    for (const LoopRow& row : rows) {
        if (row.order == 0 && owners_.contains(row.owner)) result.insert(row.target);
    }
    return result;
}

void FormsInPlace::differentiate(std::span<const LoopRow> rows, const std::function<Expr(Expr)>& with_rates) {
    struct Rows {
        std::set<std::uint32_t> targets;
        std::vector<Expr> residuals, unknowns;
    };
    std::map<std::pair<model::ElementId, std::uint32_t>, Rows> differentiated;  // by owner and order
    for (const LoopRow& row : rows) {
        if (row.order == 0 || !owners_.contains(row.owner)) continue;
        Rows& of = differentiated[{row.owner, row.order}];
        of.targets.insert(row.target);
        of.residuals.push_back(row.residual);
        of.unknowns.push_back(row.leaf);
    }
    std::map<std::uint32_t, Expr> all;
    for (const auto& [place, of] : differentiated) {
        const auto& [owner, order] = place;
        std::map<std::uint32_t, Expr> rates;
        for (const ClosedForm& f : forms_) {
            if (owner_.at(f.variable.value) != owner) continue;
            std::uint32_t v = f.variable.value;
            Expr value = f.value;
            for (std::uint32_t k = 0; k < order && v != kNone; ++k) {
                value = rate_of(value, f);
                v = s_.derivative_of[v];
            }
            if (v != kNone) rates.emplace(v, with_rates(value));
        }
        const auto computes = [](const auto& a, const auto& b) { return a == b.first; };
        if (!std::ranges::equal(of.targets, rates, computes)) continue;
        if (order == 1) regular_.emplace_back(of.residuals, of.unknowns);
        all.merge(rates);
    }
    values_.merge(all);
}

/// The time derivative in variables. That of an arc tangent needs the squared length, which is often a number.
Expr FormsInPlace::rate_of(Expr value, const ClosedForm& f) const {
    expression::Graph& graph = *s_.graph().expressions;
    const std::array roots{value};
    return expression::time_derivative(graph, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = graph[n];
        if (node.op == Op::variable)
            return s_.derivative_of[node.a] == kNone ? Expr(0.0) : graph.variable(s_.derivative_of[node.a]);
        if (node.op != Op::atan2) return std::nullopt;
        for (const auto& [arc, squared] : f.arcs) {
            if (arc.node() != n) continue;
            const Expr y = graph.at(node.a);
            const Expr x = graph.at(node.b);
            return (x * rate_of(y, f) - y * rate_of(x, f)) / squared;
        }
        return std::nullopt;
    })[0];
}

std::optional<Expr> FormsInPlace::value(std::uint32_t variable) const {
    const auto at = values_.find(variable);
    return at == values_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace bondgraph::compile
