#include "bondgraph/compile/start_givens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::ElementId;

namespace {

/// Numbers of a joint or body are angles, but for quaternions and matrices of directions.
std::string unit_of(const model::Element& e, const std::string& name, const model::Quantity& q) {
    const model::Element::Slot* slot = e.slot(name);
    const bool direction = q.value.cols() > 1 || (slot != nullptr && slot->unit_length);
    if (e.connectors.empty() || !q.measure.known() || direction) return "";
    return model::angular_unit(q.measure.dimension);
}

}  // namespace

StartGivens::StartGivens(const ReducedSystem& system) : s_(system), g_(system.graph()), graph_(*g_.expressions) {
    find_reluctance();
    collect();
}

void StartGivens::find_reluctance() {
    reluctance_.assign(s_.variable_count() + g_.free_parameters.size(), kFollows);
    std::vector<std::pair<std::uint32_t, Reluctance>> own;  // of the variables themselves
    for (const model::Element& e : g_.elements) {
        std::uint32_t number = 0;  // of a state within its element: rates come first where these are free
        for (const model::Element::Slot& slot : e.slots) {
            if (slot.kind != model::Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < slot.size; ++k, ++number) {
                std::uint32_t v = g_.slot_variable(slot.first + k).value;
                if (s_.derivative_of[v] != kNone) own.emplace_back(v, reluctance_of(e, slot, number, 0));
                std::uint32_t order = 1;
                for (v = s_.derivative_of[v]; v != kNone && s_.derivative_of[v] != kNone; v = s_.derivative_of[v])
                    reluctance_[v] = reluctance_of(e, slot, number, order++);
            }
        }
    }
    // A coordinate's derivative may be its rate, which is known by its own name.
    for (const auto& [v, reluctance] : own) reluctance_[v] = reluctance;
    std::fill(reluctance_.begin() + static_cast<std::ptrdiff_t>(s_.variable_count()), reluctance_.end(), kDefaults);
}

// Every rate of a mechanism counts once, whatever else it is called: which derivatives of coordinates stand beside
// their rates depends on the order of the file. Momenta of bodies follow from them.
Reluctance StartGivens::reluctance_of(const model::Element& e, const model::Element::Slot& slot, std::uint32_t number,
                                      std::uint32_t order) const {
    if (!e.type->free_rates) {
        const bool of_part = e.owner.valid() && !g_.elements[e.owner.index()].connectors.empty();
        return of_part && order == 0 && slot.name.front() == 'p' ? kFollows : kDefaults;
    }
    if (number >= e.port_components()) return order == 1 ? kFollows : kDefaults;
    return order == 0 && e.root ? kCarries : kDefaults;
}

void StartGivens::collect() {
    for (std::size_t i = 0; i < g_.elements.size(); ++i) {
        const model::Element& e = g_.elements[i];
        for (const model::StartValue& s : e.starts) {
            const auto variable = model::element_variable(g_, ElementId(i), s.variable);
            for (Eigen::Index k = 0; k < variable->value.size(); ++k) {
                const std::string index = variable->value.size() > 1 ? fmt::format("[{}]", k + 1) : "";
                add(variable->value.data()[k], s.value.value.data()[k],
                    {{}, e.name + "." + s.variable + index, s.position, s.fixed, unit_of(e, s.variable, *variable)},
                    s.by_default);
            }
        }
        for (const model::GivenEquation& q : e.initial_equations)
            add(q.lhs, q.rhs, {{}, "an initial equation of " + e.name, q.position});
        if (e.steady || g_.steady) rest(e);
    }
    for (const model::GivenEquation& q : g_.initial_equations)
        add(q.lhs, q.rhs, {{}, "an initial equation", q.position});
}

void StartGivens::add(Expr value, Expr target, Condition as, bool by_default) {
    as.residual = with_free_parameters(s_.in_variables(value - target));
    if (as.residual.is_literal()) return;
    const bool fixed = as.fixed;
    conditions_.push_back(std::move(as));
    const Expr guessed = with_free_parameters(s_.in_variables(value));
    if (!fixed && !by_default && !guessed.is_literal() && graph_[guessed.node()].op == Op::variable)
        reluctance_[graph_[guessed.node()].a] = kGuessed;
}

// Free parameters are unknowns here, numbered after the variables.
Expr StartGivens::with_free_parameters(Expr e) const {
    if (e.is_literal() || g_.free_parameters.empty()) return e;
    const std::array roots{e};
    return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = graph_[n];
        const std::size_t k = node.op == Op::held ? node.a - first_free() : g_.free_parameters.size();
        if (k >= g_.free_parameters.size()) return std::nullopt;  // also where the difference wraps
        return graph_.variable(static_cast<std::uint32_t>(s_.variable_count() + k));
    })[0];
}

void StartGivens::rest(const model::Element& e) {
    for (const model::Element::Slot& slot : e.slots) {
        if (slot.kind != model::Element::Slot::Kind::state) continue;
        for (std::uint32_t k = 0; k < slot.size; ++k) {
            const VariableId v = g_.slot_variable(slot.first + k);
            add(graph_.derivative(v.value), 0.0, {{}, "der(" + g_.variable_name(v) + ")", e.position});
        }
    }
}

std::vector<Expr> StartGivens::residuals(bool fixed) const {
    std::vector<Expr> list;
    for (const Condition& c : conditions_) {
        if (c.fixed == fixed) list.push_back(c.residual);
    }
    return list;
}

std::vector<Expr> StartGivens::equations() const {
    std::vector<Expr> list;
    for (const ReducedEquation& e : s_.equations) list.push_back(with_free_parameters(e.residual));
    return list;
}

}  // namespace bondgraph::compile
