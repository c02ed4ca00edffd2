// One body over the whole catalogue: what each type does with power, at random values of its variables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "bondgraph/elements/catalogue.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"
#include "tests/elements/element_at.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using expression::Expr;
using expression::Op;
using model::Energy;
using test::Pipeline;

// How one type may be written: ports by name and size, settings; and signals it needs.
struct Form {
    std::string settings;
    std::vector<std::pair<std::string, int>> ports;  ///< empty name: the only port
    bool conserves_entropy_form = false;             ///< RS: power in = T · entropy flow out
    std::map<std::string, double> held = {};         ///< values of discrete variables
    double sign = 1.0;                               ///< of the flow, where the mode fixes it
};

std::vector<std::pair<std::string, int>> one(int n = 1) { return {{"", n}}; }
std::vector<std::pair<std::string, int>> two(int a = 1, int b = 1) { return {{"p1", a}, {"p2", b}}; }

// The same settings in several modes of one discrete variable; flow negative in negative ones.
std::vector<Form> in_modes(const std::string& settings, const std::string& discrete, const std::vector<double>& modes) {
    std::vector<Form> result;
    for (const double mode : modes) {
        result.push_back({settings,
                          one(),
                          false,
                          {{discrete, mode}, {"before", -1.0}, {"fastest", 0.0}, {"place", 0.0}},
                          mode < 0 ? -1.0 : 1.0});
    }
    return result;
}

// Every combination of an ideal and a lossy line of a switch or diode, on and off.
std::vector<Form> two_lines(const std::string& settings, const std::string& on, const std::string& off,
                            const std::string& discrete) {
    std::vector<Form> result;
    for (const std::string& resistance : {std::string(), ", " + on}) {
        for (const std::string& conductance : {std::string(), ", " + off}) {
            const std::string all = settings + resistance + conductance;
            for (const Form& form : in_modes(all.substr(all.find_first_not_of(", ")), discrete, {0, 1}))
                result.push_back(form);
        }
    }
    return result;
}

// Elements with events: every mode.
void add_event_forms(std::map<std::string, std::vector<Form>>& all) {
    all["Sw"] = two_lines("open: time < 1", "Ron: 0.1", "Goff: 0.2", "closed");
    all["D"] = two_lines("e_knee: 0.4", "Ron: 0.1", "Goff: 0.2", "on");
    all["Thyristor"] = two_lines("fire: time < 1, e_knee: 0.4", "Ron: 0.1", "Goff: 0.2", "on");
    all["GTO"] = all["Thyristor"];
    all["CheckValve"] = two_lines("cracking: 0.3", "G: 2", "leak: 0.1", "on");
    for (const double mode : {0, 1, 2}) {
        all["ArcSwitch"].push_back({"open: time < 1, V0: 3, dVdt: 2, Vmax: 4",
                                    one(),
                                    false,
                                    {{"mode", mode}, {"opened", 0}, {"direction", 1}}});
    }
    all["Lock"] = in_modes("locked: time < 1", "on", {0, 1});
    for (const char* settings :
         {"level: 2", "level: 2, static: 3, fade: 0.5, R: 0.1", "stribeck: [[0, 3], [0.7, 2], [9, 4]]",
          "level: 2, load: 1 + time", "level: 2, backward: 3"}) {
        for (const Form& form : in_modes(settings, "mode", {-1, 0, 1, 2})) all["Friction"].push_back(form);
    }
    for (const char* settings : {"fn_max: 4", "fn_max: 4, mu: [[0, 0.5], [1, 0.3]], peak: 1.2, cgeo: 2"}) {
        for (const Form& form : in_modes(settings, "mode", {-1, 0, 1, 2})) all["Clutch"].push_back(form);
    }
    for (const char* settings : {"mu: 0.3", "fn_max: 4, mu: [[0, 0.5], [1, 0.3]]"}) {
        for (const Form& form : in_modes(settings, "sliding", {0, 1})) all["OneWayClutch"].push_back(form);
    }
    for (const double sign : {-1.0, 1.0}) {
        all["Backlash"].push_back({"K: 3, R: 0.5, b: 0.4", one(), false, {}, sign});
        all["Backlash"].push_back({"K: 3, b: 4", one(), false, {}, sign});
        all["ElasticStop"].push_back({"K: 3, R: 0.5, q0: 2, n: 1.5", one(), false, {}, sign});
        all["ElasticStop"].push_back({"K: 3, R: 0.5", one(), false, {}, sign});
    }
    // The impact itself has no power but an impulse: see the models.
    all["EndStop"] = in_modes("lower: 0, upper: 1, restitution: 0.5", "mode", {-2, 0, 2});
}

// Every type with ports must have at least one form here: the test below asks for it.
std::map<std::string, std::vector<Form>> forms() {
    std::map<std::string, std::vector<Form>> all;
    all["0"] = {{"", {{"", 1}, {"", 1}, {"", 1}}}, {"size: 2", {{"", 2}, {"", 2}, {"", 2}}}};
    all["1"] = all["0"];
    all["Se"] = {{"e: 3", one()}, {"e: [1, 2]", one(2)}, {"e: sin(time)", one()}};
    all["Sf"] = {{"f: 3", one()}, {"f: [1, 2]", one(2)}};
    all["R"] = {{"R: 2", one()},
                {"G: 3", one()},
                {"law: e = f^3 + f", one()},
                {"law: f = sign(e)*sqrt(abs(e))", one()},
                {"R: [[2, 1], [1, 3]]", one(2)},
                {"R: [1, 2]", one(2)},
                {"R: 2 + sin(time)", one()}};
    all["C"] = {{"C: 2", one()},
                {"K: 3", one()},
                {"C: [1, 2]", one(2)},
                {"C: [[2, 1], [1, 3]]", one(2)},
                {"law: e = q + q^3, energy: q^2/2 + q^4/4", one()}};
    all["I"] = {
        {"I: 2", one()}, {"I: [[2, 1], [1, 3]]", one(2)}, {"law: f = p/sqrt(1 + p^2), energy: sqrt(1 + p^2)", one()}};
    all["TF"] = {{"m: 2.5", two()},
                 {"m: [2, 3]", two(2, 2)},
                 {"m: [[1, 2, 3], [4, 5, 6]]", two(3, 2)},
                 {"m: 1 + sin(time)^2", two()}};
    all["GY"] = {
        {"r: 2.5", two()}, {"r: [2, 3]", two(2, 2)}, {"r: [[1, 2, 3], [4, 5, 6]]", two(3, 2)}, {"r: cos(time)", two()}};
    all["SGY"] = {{"", two()}, {"", two(2, 2)}};
    all["RF"] = {{"R: [[2, 1], [1, 2]]", two()},
                 {"G: [[2, 1], [1, 2]]", {{"p", 2}}},
                 {"law: [e1 = 2*f1 - f2, e2 = 3*f2 + f1]", two()}};
    all["CF"] = {{"C: [[2, 1], [1, 3]]", two()},
                 {"K: [[2, -1], [-1, 3]]", {{"p", 2}}},
                 {"law: [e1 = q1 + q2, e2 = q1 + q2^3], energy: q1^2/2 + q1*q2 + q2^4/4", two()}};
    all["IF"] = {{"I: [[2, 1], [1, 3]]", two()}, {"I: [[2, 1], [1, 3]]", {{"p", 2}}}};
    all["ICF"] = {{"kinds: [I, C], energy: p1^2/(2*(1 + q2^2)) + q2^4", two()}};
    all["RS"] = {{"R: 2", {{"p", 1}, {"heat", 1}}, true}};
    for (const char* sensor : {"De", "Df", "Dp", "Dq"}) all[sensor] = {{"", one()}, {"", one(2)}};
    all["Power"] = {{"", two()}, {"", two(2, 2)}};
    all["rSe"] = {{"", one()}, {"f: 0", one(2)}};
    all["rSf"] = {{"", one()}};
    all["Compose"] = {{"", {{"p1", 1}, {"p2", 1}, {"p", 2}}}};
    all["Decompose"] = {{"", {{"p", 3}, {"p1", 1}, {"p2", 2}}}};
    all["Permute"] = {{"order: [3, 1, 2]", two(3, 3)}};
    add_event_forms(all);
    return all;
}

// One element, each port at a junction with an own source of the flow, the effort or both directions of power.
std::string model_text(const std::string& type, const Form& form) {
    std::string components = "  x: {type: " + type + (form.settings.empty() ? "" : ", " + form.settings) + "}\n";
    std::string bonds;
    for (std::size_t i = 0; i < form.ports.size(); ++i) {
        const auto& [port, size] = form.ports[i];
        const std::string n = std::to_string(i);
        components += "  j" + n + ": {type: 1, size: " + std::to_string(size) + "}\n";
        components += "  load" + n + ": {type: R, R: 1}\n";
        bonds += "  - j" + n + " -> x" + (port.empty() ? "" : "." + port) + "\n";
        bonds += "  - j" + n + " -> load" + n + "\n";
    }
    return "model: audit\ncomponents:\n" + components + "bonds:\n" + bonds;
}

// The element with its equations; all its variables get random numbers that satisfy them.
class Audit {
   public:
    Audit(const std::string& text, const Form& form, std::uint64_t seed) : p_(text), engine_(seed), sign_(form.sign) {
        const auto& g = p_.graph();
        id_ = g.element_by_name.at("x");
        model::LawContext context(g, id_, equations_);
        const model::Element& e = element();
        if (e.type->law != nullptr) e.type->law(context);
        if (e.type->stored_energy != nullptr) energy_ = e.type->stored_energy(context);
        if (e.is_junction()) junction(context);
        for (const model::Element::Slot& slot : e.slots) {
            if (slot.kind == model::Element::Slot::Kind::discrete)
                held_[g.variable(g.slot_variable(slot.first)).node()] = form.held.at(slot.name);
        }
        for (std::size_t port = 0; port < e.ports.size(); ++port) {
            const double sign = inward(port) ? 1.0 : -1.0;
            const auto effort = context.effort(port);
            const auto flow = context.flow(port);
            for (Eigen::Index k = 0; k < effort.size(); ++k) {
                power_ += sign * effort(k) * flow(k);
                port_power_.push_back(sign * effort(k) * flow(k));
            }
        }
    }

    const model::Element& element() { return p_.graph().elements[id_.index()]; }
    Expr power() const { return power_; }
    const std::optional<Expr>& energy() const { return energy_; }
    Expr port_power(std::size_t k) const { return port_power_[k]; }

    /// Newton's method from a random point: the law's equations hold there. The least-norm step moves all variables.
    void settle() {
        std::vector<Expr> rows;
        for (const auto& q : equations_) rows.push_back(q.lhs - q.rhs);
        collect(rows);
        if (energy_) collect({*energy_, power_});
        collect({power_});
        for (auto& [leaf, value] : values_) {
            const double size = 0.5 + static_cast<double>(engine_() % 1000) / 1000.0;
            value = is_time(leaf) ? size : sign_ * size;
        }
        std::vector<Expr> leaves;
        for (const auto& [node, value] : values_) {
            if (p_.graph().expressions->at(node).graph() != nullptr && !is_time(node))
                leaves.push_back(p_.graph().expressions->at(node));
        }
        for (const auto& [leaf, value] : held_) values_[leaf] = value;
        std::erase_if(leaves, [&](Expr leaf) { return held_.contains(leaf.node()); });
        for (int i = 0; i < 60; ++i) {
            Eigen::MatrixXd j(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(leaves.size()));
            Eigen::VectorXd r(j.rows());
            for (Eigen::Index k = 0; k < j.rows(); ++k) {
                const Expr row = rows[static_cast<std::size_t>(k)];
                r(k) = value(row);
                for (Eigen::Index c = 0; c < j.cols(); ++c)
                    j(k, c) = value(expression::derivative(row, leaves[static_cast<std::size_t>(c)]));
            }
            if (r.size() == 0 || r.cwiseAbs().maxCoeff() < 1e-14) break;
            const Eigen::VectorXd step = j.transpose() * (j * j.transpose()).ldlt().solve(r);
            for (Eigen::Index c = 0; c < j.cols(); ++c) values_[leaves[static_cast<std::size_t>(c)].node()] -= step(c);
        }
        for (const Expr& row : rows) EXPECT_NEAR(value(row), 0.0, 1e-10);
    }

    /// d(energy)/dt with the rates of the states as they are.
    double energy_rate() {
        auto& graph = *p_.graph().expressions;
        const std::array roots{*energy_};
        const auto rate = expression::time_derivative(graph, roots, [&](std::uint32_t node) -> std::optional<Expr> {
            if (graph[node].op == Op::variable) return graph.derivative(graph[node].a);
            return std::nullopt;
        });
        // The laws hold at all times: rates of the covariables follow from those of the states.
        return value_with_rates(rate.front());
    }

    double value(Expr e) { return test::value_at(*p_.graph().expressions, e, values_); }

   private:
    bool is_time(std::uint32_t node) { return (*p_.graph().expressions)[node].op == Op::time; }
    bool is_leaf(std::uint32_t node) {
        const Op op = (*p_.graph().expressions)[node].op;
        return op == Op::time || op == Op::variable || op == Op::derivative;
    }

    // Positive power into the element: elements count in their ports' directions, junctions along the bonds.
    bool inward(std::size_t port) {
        const auto& p = element().ports[port];
        return element().is_junction() ? p.at_head : p.direction == model::PortDirection::in;
    }

    void junction(model::LawContext& context) {
        const bool zero = element().type->structure == model::Structure::junction0;
        const std::size_t n = element().ports.size();
        for (std::size_t k = 0; k < element().ports[0].size; ++k) {
            const auto c = static_cast<Eigen::Index>(k);
            Expr sum = 0.0;
            for (std::size_t port = 0; port < n; ++port) {
                const double sign = inward(port) ? 1.0 : -1.0;
                sum += sign * (zero ? context.flow(port)(c) : context.effort(port)(c));
                if (port > 0)
                    context.equation(zero ? context.effort(port)(c) : context.flow(port)(c),
                                     zero ? context.effort(0)(c) : context.flow(0)(c));
            }
            context.equation(sum, 0.0);
        }
    }

    void collect(const std::vector<Expr>& roots) {
        std::vector<std::uint32_t> nodes;
        for (const Expr& r : roots) {
            if (!r.is_literal()) nodes.push_back(r.node());
        }
        for (const std::uint32_t n : expression::reachable(*p_.graph().expressions, nodes)) {
            if (is_leaf(n)) values_.emplace(n, 0.0);
        }
    }

    // Rates of variables that are no states (efforts, flows in the energy) from the differentiated laws.
    double value_with_rates(Expr rate) {
        auto& graph = *p_.graph().expressions;
        std::vector<Expr> laws;
        for (const auto& q : equations_) laws.push_back(q.lhs - q.rhs);
        const auto differentiated =
            expression::time_derivative(graph, laws, [&](std::uint32_t node) -> std::optional<Expr> {
                if (graph[node].op == Op::variable) return graph.derivative(graph[node].a);
                if (graph[node].op == Op::derivative) return Expr(0.0);  // second derivatives play no part below
                return std::nullopt;
            });
        std::vector<Expr> unknown;
        std::vector<Expr> rows;
        for (const Expr& d : differentiated) {
            if (d.is_constant()) continue;
            const std::array roots{d.node()};
            bool of_states = true;
            for (const std::uint32_t n : expression::reachable(graph, roots)) {
                if (graph[n].op != Op::derivative || values_.contains(n)) continue;
                of_states = false;
                if (std::none_of(unknown.begin(), unknown.end(), [&](Expr u) { return u.node() == n; }))
                    unknown.push_back(graph.at(n));
            }
            if (!of_states) rows.push_back(d);
        }
        for (const Expr& u : unknown) values_[u.node()] = 0.0;
        // Of the equations der(q) = f only the law's part is meant: they name derivatives of flows that no law fixes.
        Eigen::MatrixXd j(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(unknown.size()));
        Eigen::VectorXd r(j.rows());
        for (Eigen::Index k = 0; k < j.rows(); ++k) {
            r(k) = -value(rows[static_cast<std::size_t>(k)]);
            for (Eigen::Index c = 0; c < j.cols(); ++c)
                j(k, c) = value(
                    expression::derivative(rows[static_cast<std::size_t>(k)], unknown[static_cast<std::size_t>(c)]));
        }
        const Eigen::VectorXd x = j.size() > 0 ? Eigen::VectorXd(j.colPivHouseholderQr().solve(r)) : Eigen::VectorXd();
        for (std::size_t c = 0; c < unknown.size(); ++c) values_[unknown[c].node()] = x(static_cast<Eigen::Index>(c));
        return value(rate);
    }

    Pipeline p_;
    std::mt19937_64 engine_;
    model::ElementId id_;
    std::vector<model::Equation> equations_;
    std::optional<Expr> energy_;
    Expr power_ = 0.0;
    std::vector<Expr> port_power_;
    std::map<std::uint32_t, double> values_;
    std::map<std::uint32_t, double> held_;
    double sign_;
};

void audit_resistor(Audit& a, const Form& form, double scale) {
    if (form.conserves_entropy_form) {
        // All that enters leaves as heat.
        EXPECT_GE(a.value(a.port_power(0)), 0.0);
        EXPECT_NEAR(a.value(a.power()), 0.0, 1e-9 * scale);
        return;
    }
    // What an elastic one takes beyond its energy is lost.
    const double stored = a.energy() ? a.energy_rate() : 0.0;
    EXPECT_GE(a.value(a.power()) - stored, -1e-9 * scale);
}

void audit_power(Audit& a, const Form& form) {
    const double scale = std::max(1.0, std::abs(a.value(a.port_power(0))));
    const model::ComponentType& type = *a.element().type;
    switch (type.energy) {
        case Energy::none:
            EXPECT_NEAR(a.value(a.power()), 0.0, type.is_sensor() ? 1e-12 : 1e-9 * scale);
            return;
        case Energy::dissipated:
            audit_resistor(a, form, scale);
            return;
        case Energy::stored:
            ASSERT_TRUE(a.energy());
            EXPECT_NEAR(a.energy_rate(), a.value(a.power()), 1e-8 * scale);
            return;
        case Energy::supplied:
            // Of what constrains one of e, f vanishes.
            if (type.is_constraint())
                EXPECT_NEAR(a.value(a.power()), 0.0, 1e-9);
            else
                EXPECT_EQ(a.element().ports[0].direction, model::PortDirection::out);
            return;
        default:
            FAIL() << "no rule of power for what is booked so";
    }
}

class PowerAudit : public testing::TestWithParam<const model::ComponentType*> {};

TEST_P(PowerAudit, OfEveryTypeWithPorts) {
    const model::ComponentType& type = *GetParam();
    const std::string name(type.alias_of.empty() ? type.name : type.alias_of);
    const auto all = forms();
    ASSERT_TRUE(all.contains(name)) << "a new type: say in forms() how it is written";
    for (const Form& form : all.at(name)) {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            SCOPED_TRACE(std::string(type.name) + " {" + form.settings + "}, seed " + std::to_string(seed));
            Audit audit(model_text(std::string(type.name), form), form, seed);
            audit.settle();
            if (HasFailure()) return;
            audit_power(audit, form);
        }
    }
}

const model::Catalogue& catalogue() {
    static const model::Catalogue types = elements::standard_catalogue();
    return types;
}

std::vector<const model::ComponentType*> types_with_ports() {
    std::vector<const model::ComponentType*> types;
    for (const model::ComponentType* t : catalogue().types()) {
        if (t->structure != model::Structure::block) types.push_back(t);
    }
    return types;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PowerAudit, testing::ValuesIn(types_with_ports()),
                         [](const auto& info) { return "Type_" + std::string(info.param->name); });

TEST(Catalogue, EveryTypeSaysWhereItComesFromAndHowItIsWritten) {
    for (const model::ComponentType* t : catalogue().types()) {
        EXPECT_FALSE(t->source.empty()) << t->name;
        EXPECT_FALSE(t->summary.empty()) << t->name;
        EXPECT_FALSE(t->example.empty()) << t->name;
    }
}

TEST(Catalogue, ATypeOfEnergyStorageWithStatesHasStoredEnergyOrIsIntegrated) {
    for (const model::ComponentType* t : catalogue().types()) {
        if (t->is_storage()) {
            EXPECT_NE(t->stored_energy, nullptr) << t->name;
        }
    }
}

}  // namespace
}  // namespace bondgraph
