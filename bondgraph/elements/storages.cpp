// Compliances, inertias and their fields. States are displacements q and momenta p; power is positive inwards.

#include "bondgraph/elements/matrix_checks.hpp"
#include "bondgraph/elements/types.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::Expr;
using expression::ExprMatrix;
using expression::ExprVector;

namespace {

constexpr const char* kKarnoppStorages = "Karnopp, Margolis, Rosenberg: System Dynamics, 5th ed., chapters 3 and 7";

PortCausality compliance_causality(const Element&, std::size_t, std::size_t) {
    return PortCausality::prefers_effort_out;
}
PortCausality inertia_causality(const Element&, std::size_t, std::size_t) { return PortCausality::prefers_flow_out; }

Expr quadratic(const ExprVector& x, const ExprVector& y) {
    Expr sum = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) sum += x(i) * y(i);
    return Expr(0.5) * sum;
}

// dq/dt = f and C e = q (or e = K q). The inverse, where causality needs it, is found by solving.
void compliance_law(LawContext& k) {
    const ExprVector q = k.slot("q");
    const ExprVector e = k.all_efforts();
    const auto n = static_cast<std::size_t>(q.size());
    k.equations(k.derivative("q"), k.all_flows());
    if (k.has_given_equations()) return k.given_equations();
    if (k.has("C")) {
        k.equations(k.product("C", e, n), q);
    } else {
        k.equations(e, k.product("K", q, n));
    }
}

std::optional<Expr> compliance_energy(LawContext& k) {
    const ExprVector q = k.slot("q");
    if (k.has_given_equations()) return k.given_energy();
    return quadratic(q, k.all_efforts());
}

void inertia_law(LawContext& k) {
    const ExprVector p = k.slot("p");
    const ExprVector f = k.all_flows();
    const auto n = static_cast<std::size_t>(p.size());
    k.equations(k.derivative("p"), k.all_efforts());
    if (k.has_given_equations()) return k.given_equations();
    k.equations(k.product("I", f, n), p);
}

std::optional<Expr> inertia_energy(LawContext& k) {
    if (k.has_given_equations()) return k.given_energy();
    return quadratic(k.slot("p"), k.all_flows());
}

const DimensionRule kStoredDisplacement{.f = 1, .s = 1};
const DimensionRule kMomentum{.e = 1, .s = 1};

std::vector<ParameterSpec> compliance_parameters() {
    return {{.name = "C",
             .doc = "compliance q/e",
             .dimension = {.e = -1, .f = 1, .s = 1},
             .minimum = 0.0,
             .exclusive_minimum = true,
             .group = 1},
            {.name = "K", .doc = "stiffness e/q", .dimension = {.e = 1, .f = -1, .s = -1}, .minimum = 0.0, .group = 1},
            {.name = "law", .doc = "equation of e and q", .kind = ParameterKind::law, .group = 1},
            {.name = "energy",
             .doc = "stored energy in terms of q, for the audit of a law",
             .kind = ParameterKind::energy,
             .required = false}};
}

std::vector<ParameterSpec> inertia_parameters() {
    return {{.name = "I",
             .doc = "inertia p/f",
             .dimension = {.e = 1, .f = -1, .s = 1},
             .minimum = 0.0,
             .exclusive_minimum = true,
             .group = 1},
            {.name = "law", .doc = "equation of f and p", .kind = ParameterKind::law, .group = 1},
            {.name = "energy",
             .doc = "stored energy in terms of p, for the audit of a law",
             .kind = ParameterKind::energy,
             .required = false}};
}

// ICF: component k is inertial (state p, f = ∂E/∂p) or compliant (state q, e = ∂E/∂q).
bool inertial(const Element& e, std::size_t component) {
    return component < e.words.size() && e.words[component] == "I";
}

std::size_t component_of(const Element& e, std::size_t port, std::size_t component) {
    for (std::size_t i = 0; i < port; ++i) component += e.ports[i].size;
    return component;
}

PortCausality mixed_causality(const Element& e, std::size_t port, std::size_t component) {
    return inertial(e, component_of(e, port, component)) ? PortCausality::prefers_flow_out
                                                         : PortCausality::prefers_effort_out;
}

void mixed_law(LawContext& k) {
    const ExprVector e = k.all_efforts();
    const ExprVector f = k.all_flows();
    std::vector<Expr> states;
    std::vector<Expr> derivatives;
    for (const Element::Slot& slot : k.element().slots) {
        states.push_back(k.slot(slot.name)(0));
        derivatives.push_back(k.derivative(slot.name)(0));
    }
    for (Eigen::Index i = 0; i < e.size(); ++i) {
        k.equation(derivatives[static_cast<std::size_t>(i)],
                   inertial(k.element(), static_cast<std::size_t>(i)) ? e(i) : f(i));
    }
    if (k.has_given_equations()) return k.given_equations();
    // Laws derived from one energy obey Maxwell's reciprocity by construction.
    const auto gradient = expression::gradient(*k.given_energy(), states);
    for (Eigen::Index i = 0; i < e.size(); ++i) {
        const auto n = static_cast<std::size_t>(i);
        k.equation(inertial(k.element(), n) ? f(i) : e(i), gradient[n]);
    }
}

std::optional<Expr> mixed_energy(LawContext& k) { return k.given_energy(); }

}  // namespace

const ComponentType kCompliance{
    .name = "C",
    .structure = Structure::border,
    .energy = Energy::stored,
    .summary = "Compliance: capacitor, spring, tank, heat capacity. Stores displacement q.",
    .law_text = "dq/dt = f,  e = q/C = K q;  or law: e = …q…",
    .example = "spring: {type: C, K: 100 N/m, initial: {q: 1 cm}}",
    .ports = {{"p", PortDirection::in, "stores power"}},
    .parameters = compliance_parameters(),
    .states = {{"q", "displacement (charge, deflection, volume, entropy)", kStoredDisplacement, "e"}},
    .causality = compliance_causality,
    .law = compliance_law,
    .stored_energy = compliance_energy,
    .source = kKarnoppStorages,
    .check_power = check_storage_matrices,
};

const ComponentType kInertia{
    .name = "I",
    .structure = Structure::border,
    .energy = Energy::stored,
    .summary = "Inertia: coil, mass, flywheel, fluid line. Stores momentum p.",
    .law_text = "dp/dt = e,  f = p/I;  or law: f = …p…",
    .example = "mass: {type: I, I: 2 kg, initial: {f: 1 m/s}}",
    .ports = {{"p", PortDirection::in, "stores power"}},
    .parameters = inertia_parameters(),
    .states = {{"p", "momentum (flux linkage, pressure impulse)", kMomentum, "f"}},
    .causality = inertia_causality,
    .law = inertia_law,
    .stored_energy = inertia_energy,
    .source = kKarnoppStorages,
    .check_power = check_storage_matrices,
};

const ComponentType kCompliantField{
    .name = "CF",
    .structure = Structure::border,
    .energy = Energy::stored,
    .summary = "Compliant field: coupled compliances on one multibond port p or on ports p1 … pn.",
    .law_text = "dq/dt = f,  C e = q (C symmetric);  or one law per component in e1, q1, …",
    .example = "coupled: {type: CF, C: [[0.045, -0.025], [-0.025, 0.075]]}",
    .pattern = PortPattern::field,
    .parameters = compliance_parameters(),
    .states = {{"q", "displacements", kStoredDisplacement, "e"}},
    .causality = compliance_causality,
    .law = compliance_law,
    .stored_energy = compliance_energy,
    .source = kKarnoppStorages,
    .check_power = check_storage_matrices,
};

const ComponentType kInertialField{
    .name = "IF",
    .structure = Structure::border,
    .energy = Energy::stored,
    .summary = "Inertial field: coupled coils, coupled masses, on one multibond port p or on ports p1 … pn.",
    .law_text = "dp/dt = e,  I f = p (I symmetric);  or one law per component in f1, p1, …",
    .example = "coils: {type: IF, I: [[1 H, 0.5 H], [0.5 H, 1 H]]}",
    .pattern = PortPattern::field,
    .parameters = inertia_parameters(),
    .states = {{"p", "momenta", kMomentum, "f"}},
    .causality = inertia_causality,
    .law = inertia_law,
    .stored_energy = inertia_energy,
    .source = kKarnoppStorages,
    .check_power = check_storage_matrices,
};

const ComponentType kMixedField{
    .name = "ICF",
    .structure = Structure::border,
    .energy = Energy::stored,
    .summary = "Mixed field: inertial and compliant components that share one energy (solenoid, condenser microphone).",
    .law_text = "I-kind: dp/dt = e, f = ∂E/∂p;  C-kind: dq/dt = f, e = ∂E/∂q",
    .example = "coil: {type: ICF, kinds: [I, C], energy: p1^2/(2*L0*(1 + q2/a))}",
    .pattern = PortPattern::field,
    .parameters =
        {{.name = "kinds", .doc = "I or C for every component", .kind = ParameterKind::texts},
         {.name = "energy", .doc = "stored energy in the states p1, q2, …", .kind = ParameterKind::energy, .group = 1},
         {.name = "law", .doc = "one equation per component", .kind = ParameterKind::law, .group = 1}},
    .kinds = "kinds",
    .causality = mixed_causality,
    .law = mixed_law,
    .stored_energy = mixed_energy,
    .source = kKarnoppStorages,
};

}  // namespace bondgraph::elements
