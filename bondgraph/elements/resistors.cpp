// Resistors: they turn power into heat. Power is positive inwards.

#include "bondgraph/elements/matrix_checks.hpp"
#include "bondgraph/elements/types.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::Expr;
using expression::ExprVector;

namespace {

std::vector<ParameterSpec> resistor_parameters() {
    return {{.name = "R", .doc = "resistance e/f", .dimension = {.e = 1, .f = -1}, .minimum = 0.0, .group = 1},
            {.name = "G", .doc = "conductance f/e", .dimension = {.e = -1, .f = 1}, .minimum = 0.0, .group = 1},
            {.name = "law", .doc = "equation of e and f", .kind = ParameterKind::law, .group = 1}};
}

// A law that symbols solve for one variable only likes that causality; in the other one it is solved by iteration. One
// that is smooth in one direction, and in the other a root with infinite slope at 0, likes the smooth one.
PortCausality law_causality(const Element& e, std::size_t port, std::size_t component) {
    const Port& p = e.ports[port];
    const std::uint32_t effort = p.first_effort + 2 * static_cast<std::uint32_t>(component);
    const auto never = [](Expr) { return false; };
    for (const GivenEquation& g : e.given_equations) {
        expression::Graph* graph = g.lhs.is_literal() ? g.rhs.graph() : g.lhs.graph();
        if (graph == nullptr) continue;
        const Expr effort_leaf = graph->variable(effort);
        const Expr flow_leaf = graph->variable(effort + 1);
        if (!expression::depends_on(g.lhs, effort_leaf) && !expression::depends_on(g.rhs, effort_leaf) &&
            !expression::depends_on(g.lhs, flow_leaf) && !expression::depends_on(g.rhs, flow_leaf)) {
            continue;
        }
        const auto for_effort = expression::solve_for(*graph, g.lhs, g.rhs, effort_leaf, never);
        const auto for_flow = expression::solve_for(*graph, g.lhs, g.rhs, flow_leaf, never);
        const bool steep_effort = for_effort && expression::is_steep(*graph, *for_effort);
        const bool steep_flow = for_flow && expression::is_steep(*graph, *for_flow);
        if (for_effort && (!for_flow || (steep_flow && !steep_effort))) return PortCausality::likes_effort_out;
        if (for_flow && (!for_effort || (steep_effort && !steep_flow))) return PortCausality::likes_flow_out;
        return PortCausality::free;
    }
    return PortCausality::free;
}

// A resistance (or conductance) of zero leaves only one direction.
PortCausality resistor_causality(const Element& e, std::size_t port, std::size_t component) {
    if (!e.given_equations.empty()) return law_causality(e, port, component);
    const auto zero = [&](const char* name) {
        const Quantity* q = e.parameter(name);
        if (q == nullptr) return false;
        const auto k = q->is_scalar() ? 0 : static_cast<Eigen::Index>(component);
        return q->value(k, q->value.cols() > 1 ? k : 0).is_constant(0.0) && q->value.cols() <= 1;
    };
    if (zero("R")) return PortCausality::effort_out;
    if (zero("G")) return PortCausality::flow_out;
    return PortCausality::free;
}

void resistor_law(LawContext& k) {
    if (k.has_given_equations()) return k.given_equations();
    const ExprVector e = k.all_efforts();
    const ExprVector f = k.all_flows();
    const auto n = static_cast<std::size_t>(e.size());
    if (k.has("R")) {
        k.equations(e, k.product("R", f, n));
    } else {
        k.equations(f, k.product("G", e, n));
    }
}

// The electrical (mechanical, hydraulic) side is an R; all its power leaves as heat at the port `heat`.
void thermal_resistor_law(LawContext& k) {
    const ExprVector e = k.effort(0);
    const ExprVector f = k.flow(0);
    const std::size_t n = k.size(0);
    if (k.has_given_equations()) {
        k.given_equations();
    } else if (k.has("R")) {
        k.equations(e, k.product("R", f, n));
    } else {
        k.equations(f, k.product("G", e, n));
    }
    Expr loss = 0.0;
    for (Eigen::Index i = 0; i < e.size(); ++i) loss += e(i) * f(i);
    const bool pseudo = !domains()[k.element().ports[1].domain].power;
    if (pseudo) {
        k.equation(k.flow(1)(0), loss);
    } else {
        k.equation(k.flow(1)(0), loss / k.effort(1)(0));
    }
}

PortCausality thermal_resistor_causality(const Element& e, std::size_t port, std::size_t component) {
    if (port == 1) return PortCausality::flow_out;
    return resistor_causality(e, port, component);
}

}  // namespace

const ComponentType kResistor{
    .name = "R",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Resistor: electrical resistance, damper, orifice, friction. A signal in R or G makes it modulated (MR).",
    .law_text = "e = R f,  f = G e;  or law: any relation of e and f",
    .example = "damper: {type: R, R: 5 N.s/m}",
    .ports = {{"p", PortDirection::in, "dissipates power"}},
    .parameters = resistor_parameters(),
    .causality = resistor_causality,
    .law = resistor_law,
    .source = kKarnopp,
    .check_power = check_resistor_matrices,
};

const ComponentType kResistiveField{
    .name = "RF",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Resistive field: coupled losses on one multibond port p or on ports p1 … pn.",
    .law_text = "e = R f,  f = G e (matrices);  or one law per component in e1, f1, …",
    .example = "film: {type: RF, R: [[2, 1], [1, 2]]}",
    .pattern = PortPattern::field,
    .parameters = resistor_parameters(),
    .causality = resistor_causality,
    .law = resistor_law,
    .source = kKarnopp,
    .check_power = check_resistor_matrices,
};

const ComponentType kThermalResistor{
    .name = "RS",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Resistor whose loss leaves as heat through a thermal port (irreversible transducer).",
    .law_text = "e = R f at p;  at heat: T · entropy flow = e·f (thermal), heat flow = e·f (thermal_pseudo)",
    .example = "winding: {type: RS, R: 2 ohm}",
    .ports =
        {{"p", PortDirection::in, "power in"},
         {.name = "heat", .direction = PortDirection::out, .doc = "heat out: thermal or thermal_pseudo", .heat = true}},
    .parameters = resistor_parameters(),
    .causality = thermal_resistor_causality,
    .law = thermal_resistor_law,
    .source = "Thoma: Entropy and mass flow for energy conversion, J. Franklin Inst. 299, 1975",
    .check_power = check_resistor_matrices,
};

}  // namespace bondgraph::elements
