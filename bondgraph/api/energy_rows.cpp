#include "bondgraph/api/energy_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bondgraph/api/usage_error.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/facts.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::api {

using compile::CompiledModel;
using compile::EnergyTerm;
using Eigen::Index;
using expression::Expr;
using model::Element;

void no_form(const std::string& because) {
    throw UsageError(fmt::format("the model has no port-Hamiltonian form: {}", because));
}

std::string title(const Element& e) {
    return fmt::format("'{}' ({})", e.name,
                       e.declaration != nullptr ? std::string_view(e.declaration->name.text) : e.type->name);
}

bool stores(const Element& e) {
    return e.type->structure == model::Structure::border && e.type->energy == model::Energy::stored;
}

bool in_form(const Element& e) {
    return !e.ports.empty() && !e.type->is_source() && !e.type->is_sensor() &&
           e.type->structure != model::Structure::block && e.type->structure != model::Structure::wiring;
}

EnergyRows::EnergyRows(const CompiledModel& m) : m_(m), g_(m.graph()) {
    add_sources();
    for (const EnergyTerm& t : m.energy) {
        if (!t.part && !g_.elements[t.element.index()].type->is_source()) add_term(t);
    }
    for (std::size_t k = 0; k < g_.elements.size(); ++k) add_passing(model::ElementId(k));
    add("", energy);
}

std::size_t EnergyRows::add(std::string name, Expr value) {
    outputs.push_back({std::move(name), value});
    return outputs.size() - 1;
}

void EnergyRows::add_sources() {
    for (std::size_t k = 0; k < m_.inputs.size(); ++k) {
        const model::ElementId id = m_.inputs[k].element;
        const Element& e = g_.elements[id.index()];
        if (!e.type->is_source()) continue;
        Index component = 0;
        for (std::size_t i = k; i > 0 && m_.inputs[i - 1].element == id; --i) ++component;
        std::vector<model::Equation> none;
        const model::LawContext context(g_, id, none);
        const bool effort = e.type->parameters[0].name == "e";
        Channel c{m_.inputs[k].name, m_.inputs[k].name, context.effort(0)(component), context.flow(0)(component)};
        c.output[e.name.size() + 1] = effort ? 'f' : 'e';
        if (!effort) std::swap(c.given, c.conjugate);
        c.value = add(c.input, m_.in_unknowns(c.given));
        c.other = add(c.output, m_.in_unknowns(c.conjugate));
        channels.push_back(std::move(c));
    }
}

/// What sources give in an energy. A storage that follows others through a source on the way may name it, though
/// it is gone from the sum: whether it is tells the curvature (check_follows_states).
std::vector<Expr> EnergyRows::sources_in(const Term& term, Expr energy_of) const {
    std::vector<Expr> found;
    if (energy_of.is_literal()) return found;
    for (const std::uint32_t n : expression::reachable(*g_.expressions, std::array{energy_of.node()})) {
        if ((*g_.expressions)[n].op == expression::Op::parameter) found.push_back(g_.expressions->at(n));
        if ((*g_.expressions)[n].op == expression::Op::derivative)
            no_form(
                fmt::format("the energy of {} depends on rates of states", title(g_.elements[term.element.index()])));
    }
    return found;
}

void EnergyRows::add_slopes(Term& term, Expr energy_of) {
    const std::array roots{energy_of};
    std::vector<Expr> leaves;
    const std::vector<std::uint32_t> variables = compile::variables_in(*g_.expressions, roots);
    for (const std::uint32_t v : variables) leaves.push_back(g_.expressions->variable(v));
    const std::vector<Expr> sources = sources_in(term, energy_of);
    leaves.insert(leaves.end(), sources.begin(), sources.end());
    const std::vector<Expr> slopes = expression::gradient(energy_of, leaves);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        Slope slope;
        for (std::size_t i = 0; i < m_.state_count && k < variables.size(); ++i) {
            if (m_.unknowns[i].variable.value == variables[k]) slope.state = i;
        }
        if (!slope.state) slope.leaf = add("", leaves[k]);
        slope.derivative = add("", slopes[k]);
        term.slopes.push_back(slope);
    }
    if (sources.empty()) return;
    for (const Expr& slope : slopes) {
        for (const Expr& curvature : expression::gradient(slope, leaves)) term.curvatures.push_back(add("", curvature));
    }
}

std::vector<EnergyRows::Port> EnergyRows::ports_of(model::ElementId id) {
    const Element& e = g_.elements[id.index()];
    std::vector<model::Equation> none;
    const model::LawContext context(g_, id, none);
    std::vector<Port> ports;
    for (std::size_t p = 0; p < e.ports.size(); ++p) {
        const auto effort = context.effort(p);
        const auto flow = context.flow(p);
        for (Index k = 0; k < effort.size(); ++k)
            ports.push_back({e.ports[p].direction == model::PortDirection::in ? 1.0 : -1.0,
                             add("", m_.in_unknowns(effort(k))), add("", m_.in_unknowns(flow(k)))});
    }
    return ports;
}

void EnergyRows::add_passing(model::ElementId id) {
    const Element& e = g_.elements[id.index()];
    const bool known =
        e.type->is_source() || std::ranges::any_of(terms, [&](const Term& t) { return t.element == id; });
    if (known || !in_form(e)) return;
    const std::vector<Port> ports = ports_of(id);
    passing.insert(passing.end(), ports.begin(), ports.end());
}

void EnergyRows::add_term(const EnergyTerm& t) {
    Term term{t.element, {}, {}};
    add_slopes(term, t.energy);
    energy += t.energy;
    term.ports = ports_of(t.element);
    terms.push_back(std::move(term));
}

}  // namespace bondgraph::api
