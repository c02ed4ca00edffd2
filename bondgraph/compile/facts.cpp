#include "bondgraph/compile/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using expression::Graph;
using expression::Node;
using expression::Op;
using model::Energy;

namespace {

std::vector<std::uint32_t> nodes_of(const Graph& graph, std::span<const Expr> roots) {
    std::vector<std::uint32_t> start;
    for (const Expr& e : roots) {
        if (!e.is_literal()) start.push_back(e.node());
    }
    return expression::reachable(graph, start);
}

enum class Degree : std::uint8_t { constant, time, linear, other };

Degree degree_of(const Node& n, std::span<const Degree> operands) {
    Degree highest = Degree::constant;
    for (const Degree d : operands) highest = std::max(highest, d);
    switch (n.op) {
        case Op::constant:
            return Degree::constant;
        case Op::time:
        case Op::parameter:
        case Op::held:
            return Degree::time;
        case Op::variable:
        case Op::derivative:
            return Degree::linear;
        case Op::negate:
        case Op::no_event:
        case Op::add:
        case Op::subtract:
            return highest;
        case Op::multiply:
            if (operands[0] == Degree::constant || operands[1] == Degree::constant) return highest;
            break;
        case Op::divide:
            if (operands[1] == Degree::constant) return operands[0];
            break;
        default:
            break;
    }
    return highest <= Degree::time ? highest : Degree::other;
}

}  // namespace

bool is_linear(const Graph& graph, std::span<const Expr> roots) {
    std::unordered_map<std::uint32_t, Degree> degree;
    for (const std::uint32_t n : nodes_of(graph, roots)) {
        std::array<Degree, 3> operands{Degree::constant, Degree::constant, Degree::constant};
        std::size_t k = 0;
        for (const std::uint32_t child : graph[n].operands()) operands[k++] = degree.at(child);
        const Degree d = degree_of(graph[n], std::span(operands.data(), k));
        if (d == Degree::other) return false;
        degree.emplace(n, d);
    }
    return true;
}

namespace {

/// `known`: whether the stored energy is.
EnergyTerm::Kind booked_as(const model::ComponentType& type, bool known) {
    using Kind = EnergyTerm::Kind;
    if (type.holds_positions) return Kind::hold;
    switch (type.energy) {
        case Energy::supplied:
            return Kind::source;
        case Energy::dissipated:
            return known ? Kind::lossy_storage : Kind::dissipation;
        case Energy::stored:
            return known ? Kind::storage : Kind::integrated_storage;
        case Energy::potential:
            return known ? Kind::storage : Kind::source;
        case Energy::declared:
            return Kind::other;  // what it takes beyond its declared energy is dissipated
        case Energy::none:
            break;
    }
    return Kind::storage;  // of a joint's coordinates: what they take is the error with which their efforts vanish
}

}  // namespace

std::vector<EnergyTerm> energy_terms(const CompiledModel& m) {
    std::vector<EnergyTerm> terms;
    const auto& g = m.graph();
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const model::Element& e = g.elements[i];
        if (e.type->energy == Energy::none && !e.type->free_rates) continue;
        std::vector<model::Equation> none;
        model::LawContext context(g, model::ElementId(i), none);
        Expr power = 0.0;
        bool pseudo = false;
        for (std::size_t p = 0; p < e.ports.size(); ++p) {
            if (!model::domains()[e.ports[p].domain].power) {
                pseudo = true;
                continue;
            }
            const Expr direction = e.ports[p].direction == model::PortDirection::in ? 1.0 : -1.0;
            const auto effort = context.effort(p);
            const auto flow = context.flow(p);
            for (Eigen::Index k = 0; k < effort.size(); ++k) power += direction * effort(k) * flow(k);
        }
        if (pseudo && e.ports.size() == 1) continue;
        const auto energy = e.type->stored_energy == nullptr ? std::nullopt : e.type->stored_energy(context);
        using Kind = EnergyTerm::Kind;
        const model::GivenBooks said = e.books == nullptr ? model::GivenBooks{} : *e.books;
        const Kind kind = said.supply        ? Kind::declared_supply
                          : said.dissipation ? Kind::declared
                                             : booked_as(*e.type, energy.has_value());
        const model::ElementId id(i);
        const Expr heat = said.dissipation.value_or(Expr(0.0));
        const Expr brought = said.supply.value_or(Expr(0.0));
        terms.push_back({kind, id, m.in_unknowns(power - heat + brought), energy ? m.in_unknowns(*energy) : Expr(0.0)});
        if (said.dissipation) terms.push_back({Kind::dissipation, id, m.in_unknowns(heat), Expr(0.0), true});
        if (said.supply) terms.push_back({Kind::source, id, m.in_unknowns(-brought), Expr(0.0), true});
    }
    return terms;
}

}  // namespace bondgraph::compile
