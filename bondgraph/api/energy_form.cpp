#include "bondgraph/api/energy_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/analysis/port_hamiltonian.hpp"
#include "bondgraph/api/changing_form.hpp"
#include "bondgraph/api/energy_rows.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/api/readable_equations.hpp"
#include "bondgraph/api/structure.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/facts.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/structure/dense.hpp"

namespace bondgraph::api {
namespace {

using compile::CompiledModel;
using compile::EnergyTerm;
using Eigen::Index;
using Eigen::MatrixXd;
using expression::Expr;
using model::Element;

/// Beyond this the numbers that are checked say that the form is not the model's.
constexpr double kWrongForm = 1e-6;

std::string first_names(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 5;
    std::string text;
    for (std::size_t k = 0; k < std::min(kMost, names.size()); ++k) text += (k == 0 ? "" : ", ") + names[k];
    if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
    return text;
}

bool changes_with_time(Expr energy) {
    if (energy.is_literal()) return false;
    const expression::Graph& graph = *energy.graph();
    const std::vector<std::uint32_t> nodes = expression::reachable(graph, std::array{energy.node()});
    return std::ranges::any_of(nodes, [&](std::uint32_t n) { return graph[n].op == expression::Op::time; });
}

struct Kind {
    bool quadratic = true;  ///< energies
    bool constant = true;   ///< all laws of the junction structure and of resistors are linear
};

/// Refuses what keeps all models like it from having a form, as far as types and laws tell.
Kind kind_of(const Session& session, const CompiledModel& m) {
    const model::BondGraph& g = m.graph();
    for (const EnergyTerm& t : m.energy) {
        if (t.kind == EnergyTerm::Kind::integrated_storage)
            no_form(
                fmt::format("what {} stores is not known; give its 'energy:'", title(g.elements[t.element.index()])));
    }
    for (const Element& e : g.elements) {
        if (e.type->energy == model::Energy::none) continue;
        for (const model::Port& p : e.ports) {
            if (!model::domains()[p.domain].power)
                no_form(fmt::format("{} has a pseudo-bond, whose effort times flow is no power", title(e)));
        }
    }
    for (const EnergyTerm& t : m.energy) {
        const Element& e = g.elements[t.element.index()];
        if (!t.part && in_form(e) && changes_with_time(t.energy))
            no_form(fmt::format("what {} stores changes with time: power goes in or out by that", title(e)));
    }
    // Also where all rates are linear: a law may act on the sources alone.
    const compile::EquationSystem written = compile::gather_equations(*m.causal, false, m.events);
    Kind kind;
    for (const compile::OrientedEquation& q : written.equations) {
        if (!q.element.valid()) continue;
        const Element& e = g.elements[q.element.index()];
        if (!in_form(e) || compile::is_linear(*g.expressions, std::array{q.lhs, q.rhs})) continue;
        (stores(e) ? kind.quadratic : kind.constant) = false;
    }
    if (!kind.quadratic && session.causal->dependent_storage_count() > 0)
        no_form("storages in derivative causality follow others whose laws are not linear");
    return kind;
}

/// A symmetric form of [x; u] made of two rows: half of the product of what they stand for, twice.
MatrixXd product(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
    return 0.5 * (a.transpose() * b + b.transpose() * a);
}

/// The linear model with what sources give as its inputs, whatever signals have to do with that.
struct Plant {
    MatrixXd A, B;
    MatrixXd rows;   ///< of all that is linearized, over [x; u]
    MatrixXd doubt;  ///< per entry of A: what rounding is to be compared with
    std::vector<bool> controlled;
};

Plant plant_of(const analysis::LinearModel& linear, const EnergyRows& energy) {
    const Index n = linear.A.rows();
    const auto m = static_cast<Index>(energy.channels.size());
    MatrixXd K(m, n);
    MatrixXd N(m, m);
    Plant plant;
    for (Index k = 0; k < m; ++k) {
        const auto row = static_cast<Index>(energy.channels[static_cast<std::size_t>(k)].value);
        K.row(k) = linear.C.row(row);
        N.row(k) = linear.D.row(row);
        plant.controlled.push_back(!K.row(k).isZero(0.0) || !N.row(k).isApprox(MatrixXd::Identity(m, m).row(k), 1e-12));
    }
    const MatrixXd back = m > 0 ? structure::linear_solution(N, MatrixXd::Identity(m, m)) : MatrixXd(0, 0);
    const MatrixXd feedback = back * K;
    plant.B = linear.B * back;
    plant.A = linear.A - linear.B * feedback;
    plant.doubt = linear.A.cwiseAbs() + linear.B.cwiseAbs() * feedback.cwiseAbs();
    plant.rows.resize(linear.C.rows(), n + m);
    plant.rows << linear.C - linear.D * feedback, linear.D * back;
    return plant;
}

/// The energy's curvature, its slope at the start, and what each element loses.
struct EnergyForms {
    MatrixXd Q;
    Eigen::VectorXd gradient;
    std::vector<MatrixXd> losses;  ///< parallel to EnergyRows::terms
    std::vector<bool> energetic;   ///< states that energy depends on
    MatrixXd summed;               ///< what powers are sums of, without signs
    double asymmetry = 0.0;
};

[[noreturn]] void follows_source(const Element& e) {
    no_form(fmt::format("{} follows a source rigidly, so that the derivative of what that gives would be an input",
                        title(e)));
}

/// Refuses an energy that what a source gives has a part in: over [x; u] the curvature is a sum in which all that is
/// of sources has to cancel, but for rounding of its terms.
void check_follows_states(const CompiledModel& m, const EnergyRows::Term& t, const Plant& plant,
                          const std::vector<double>& values) {
    if (t.curvatures.empty()) return;
    const auto count = static_cast<Index>(t.slopes.size());
    const Index n = plant.A.rows();
    MatrixXd leaves = MatrixXd::Zero(count, plant.rows.cols());
    MatrixXd curvature(count, count);
    for (Index k = 0; k < count; ++k) {
        const EnergyRows::Slope& s = t.slopes[static_cast<std::size_t>(k)];
        if (s.state)
            leaves(k, static_cast<Index>(*s.state)) = 1.0;
        else
            leaves.row(k) = plant.rows.row(static_cast<Index>(s.leaf));
        for (Index l = 0; l < count; ++l)
            curvature(k, l) = values[t.curvatures[static_cast<std::size_t>(k * count + l)]];
    }
    const MatrixXd whole = leaves.transpose() * curvature * leaves;
    const MatrixXd summed = leaves.cwiseAbs().transpose() * curvature.cwiseAbs() * leaves.cwiseAbs();
    for (Index i = 0; i < whole.rows(); ++i) {
        for (Index j = n; j < whole.cols(); ++j) {
            if (std::abs(whole(i, j)) <= 10.0 * analysis::kCancelled * summed(i, j)) continue;
            follows_source(m.graph().elements[t.element.index()]);
        }
    }
}

EnergyForms forms_of(const CompiledModel& m, const EnergyRows& energy, const Plant& plant,
                     const std::vector<double>& values) {
    const Index n = plant.A.rows();
    const Index all = plant.rows.cols();
    EnergyForms forms{MatrixXd::Zero(n, n),
                      Eigen::VectorXd::Zero(n),
                      {},
                      std::vector<bool>(static_cast<std::size_t>(n)),
                      MatrixXd::Zero(all, all)};
    const auto row = [&](std::size_t k) { return Eigen::RowVectorXd(plant.rows.row(static_cast<Index>(k))); };
    const auto sum_up = [&](std::size_t e, std::size_t f) {
        forms.summed += product(row(e).cwiseAbs(), row(f).cwiseAbs());
    };
    for (const EnergyRows::Port& p : energy.passing) sum_up(p.effort, p.flow);
    for (const EnergyRows::Channel& c : energy.channels) sum_up(c.value, c.other);
    MatrixXd rates(n, all);
    rates << plant.A, plant.B;
    for (const EnergyRows::Term& t : energy.terms) {
        check_follows_states(m, t, plant, values);
        MatrixXd Q = MatrixXd::Zero(n, n);
        for (const EnergyRows::Slope& s : t.slopes) {
            Eigen::RowVectorXd leaf = Eigen::RowVectorXd::Zero(n);
            if (s.state)
                leaf(static_cast<Index>(*s.state)) = 1.0;
            else
                leaf = plant.rows.row(static_cast<Index>(s.leaf)).head(n);
            for (Index i = 0; i < n; ++i) {
                if (leaf(i) != 0.0) forms.energetic[static_cast<std::size_t>(i)] = true;
            }
            Q += leaf.transpose() * plant.rows.row(static_cast<Index>(s.derivative)).head(n);
            forms.gradient += values[s.derivative] * leaf.transpose();
        }
        MatrixXd lost = MatrixXd::Zero(all, all);
        for (const EnergyRows::Port& p : t.ports) {
            lost += p.direction * product(row(p.effort), row(p.flow));
            sum_up(p.effort, p.flow);
        }
        MatrixXd gained = MatrixXd::Zero(all, all);
        gained.topRows(n) = 0.5 * Q * rates;
        gained = (gained + gained.transpose()).eval();
        const double size = std::max(lost.cwiseAbs().maxCoeff(), gained.cwiseAbs().maxCoeff());
        lost -= gained;
        forms.Q += Q;
        if (stores(m.graph().elements[t.element.index()])) {
            if (size > 0.0) forms.asymmetry = std::max(forms.asymmetry, lost.cwiseAbs().maxCoeff() / size);
            if (lost.cwiseAbs().maxCoeff() <= 1e-12 * size) lost.setZero();
        }
        forms.losses.push_back(std::move(lost));
    }
    return forms;
}

/// The states that energy depends on; throws where another acts on them.
std::vector<Index> energy_states(const analysis::LinearModel& linear, const EnergyRows& energy, const Plant& plant,
                                 const EnergyForms& forms) {
    constexpr double kRounded = 1e-12;
    const Index n = plant.A.rows();
    std::vector<Index> kept;
    std::vector<Index> others;
    for (Index i = 0; i < n; ++i) (forms.energetic[static_cast<std::size_t>(i)] ? kept : others).push_back(i);
    for (const Index j : others) {
        std::string acts;
        for (const Index i : kept) {
            if (std::abs(plant.A(i, j)) > kRounded * plant.doubt(i, j))
                acts = linear.states[static_cast<std::size_t>(i)];
        }
        for (const EnergyRows::Channel& c : energy.channels) {
            const Eigen::RowVectorXd row = plant.rows.row(static_cast<Index>(c.other));
            if (std::abs(row(j)) > kRounded * row.cwiseAbs().maxCoeff()) acts = c.output;
        }
        if (!acts.empty())
            no_form(
                fmt::format("the state '{}' is no energy variable (nothing that is stored depends on it), and yet it "
                            "acts on '{}'",
                            linear.states[static_cast<std::size_t>(j)], acts));
    }
    if (kept.empty()) no_form("nothing in it stores energy in states");
    return kept;
}

/// Rows and columns of some states and all inputs.
MatrixXd part_of(const MatrixXd& m, const std::vector<Index>& rows, const std::vector<Index>& columns) {
    return m(rows, columns);
}

void check_regular(const MatrixXd& Q, const std::vector<std::string>& states) {
    MatrixXd scaled = Q;
    for (Index i = 0; i < Q.rows(); ++i) {
        const double d = std::sqrt(Q.row(i).cwiseAbs().maxCoeff());
        if (d == 0.0) continue;
        scaled.row(i) /= d;
        scaled.col(i) /= d;
    }
    const structure::SingularVectors vectors = structure::singular_vectors(scaled);
    const Index last = Q.rows() - 1;
    if (vectors.values(last) > 1e-12 * vectors.values(0)) return;
    std::vector<std::string> names;
    for (Index i = 0; i <= last; ++i) {
        if (std::abs(vectors.V(i, last)) > 1e-6) names.push_back("'" + states[static_cast<std::size_t>(i)] + "'");
    }
    no_form(
        fmt::format("the states {} can change together without the stored energy changing (or, of a law that is "
                    "not linear, its slope does not change at the start)",
                    first_names(names)));
}

/// How far dx/dt of the form is from that of the model at the start.
double imbalance_at_start(const analysis::PortHamiltonianForm& f, const analysis::EnergyMatrices& energy,
                          const Eigen::VectorXd& gradient, const Eigen::VectorXd& u, const Eigen::VectorXd& rates) {
    const MatrixXd& Q = energy.Q;
    const Index n = rates.size();
    const MatrixXd inverse = structure::linear_solution(Q, MatrixXd::Identity(n, n)).cwiseAbs();
    Eigen::VectorXd both(energy.summed.cols());
    both << inverse * gradient.cwiseAbs(), u.cwiseAbs();
    const Eigen::VectorXd summed = inverse * (energy.summed.topRows(n) * both);
    const MatrixXd JR = f.J - f.R;
    const MatrixXd GP = f.G - f.P;
    const Eigen::VectorXd formed = JR * gradient + GP * u;
    const Eigen::VectorXd size = JR.cwiseAbs() * gradient.cwiseAbs() + GP.cwiseAbs() * u.cwiseAbs() + rates.cwiseAbs();
    double worst = 0.0;
    double largest = 0.0;
    for (Index i = 0; i < rates.size(); ++i) {
        const double scale = std::sqrt(std::abs(Q(i, i)));
        if (std::abs(formed(i) - rates(i)) <= analysis::kCancelled * summed(i)) continue;
        worst = std::max(worst, scale * std::abs(formed(i) - rates(i)));
        largest = std::max(largest, scale * size(i));
    }
    return largest > 0.0 ? worst / largest : 0.0;
}

void fill(PortHamiltonian& r, const analysis::PortHamiltonianForm& f) {
    r.J = analysis::by_rows(f.J);
    r.R = analysis::by_rows(f.R);
    r.G = analysis::by_rows(f.G);
    r.P = analysis::by_rows(f.P);
    r.M = analysis::by_rows(f.M);
    r.S = analysis::by_rows(f.S);
    r.skewness = f.skewness;
    r.reciprocity = f.reciprocity;
    r.least_energy = f.least_energy;
    r.least_loss = f.least_loss;
    r.least_decay = f.least_decay;
}

void check_sums(const PortHamiltonian& r) {
    const auto wrong = [](double deviation) { return !(deviation <= kWrongForm); };
    if (wrong(r.asymmetry))
        no_form(fmt::format(
            "what storages take is not what their stored energy grows by (a share of {:.3g} is missing)", r.asymmetry));
    if (wrong(r.imbalance) || wrong(r.skewness) || wrong(r.reciprocity))
        no_form(
            fmt::format("what is stored, lost and supplied does not add up to its rates (a share of {:.3g} is "
                        "missing): a law has constant terms, or elements change with the state",
                        std::max({r.imbalance, r.skewness, r.reciprocity})));
}

std::vector<std::string> active_elements(const CompiledModel& m, const EnergyRows& energy,
                                         const std::vector<MatrixXd>& losses) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < losses.size(); ++k) {
        if (!losses[k].isZero(0.0) && analysis::least_scaled_eigenvalue(losses[k]) < -1e-9)
            names.push_back(m.graph().elements[energy.terms[k].element.index()].name);
    }
    return names;
}

/// The form of a model whose junction structure and resistors are linear.
void fill_constant(PortHamiltonian& r, const CompiledModel& m, const EnergyRows& energy,
                   const analysis::LinearModel& linear, const Plant& plant, const EnergyForms& forms) {
    const std::vector<Index> kept = energy_states(linear, energy, plant, forms);
    std::vector<Index> ports;
    std::vector<Index> both = kept;
    for (std::size_t k = 0; k < energy.channels.size(); ++k) {
        ports.push_back(static_cast<Index>(k));
        both.push_back(plant.A.rows() + static_cast<Index>(k));
    }
    for (std::size_t i = 0; i < linear.states.size(); ++i)
        (std::ranges::find(kept, static_cast<Index>(i)) != kept.end() ? r.states : r.left_out)
            .push_back(linear.states[i]);

    analysis::EnergyMatrices e{part_of(plant.A, kept, kept),
                               plant.B(kept, Eigen::all),
                               {},
                               {},
                               part_of(forms.Q, kept, kept),
                               MatrixXd::Zero(static_cast<Index>(both.size()), static_cast<Index>(both.size())),
                               part_of(forms.summed, both, both)};
    check_regular(e.Q, r.states);
    MatrixXd conjugates(static_cast<Index>(ports.size()), plant.rows.cols());
    Eigen::VectorXd u(static_cast<Index>(ports.size()));
    for (std::size_t k = 0; k < energy.channels.size(); ++k) {
        conjugates.row(static_cast<Index>(k)) = plant.rows.row(static_cast<Index>(energy.channels[k].other));
        u(static_cast<Index>(k)) = linear.values[energy.channels[k].value];
    }
    e.C = conjugates(Eigen::all, kept);
    e.D = conjugates.rightCols(static_cast<Index>(ports.size()));
    std::vector<MatrixXd> losses;
    for (const MatrixXd& lost : forms.losses) {
        losses.push_back(part_of(lost, both, both));
        e.losses += losses.back();
    }
    r.asymmetry = std::max(forms.asymmetry, (e.Q - e.Q.transpose()).cwiseAbs().maxCoeff() / e.Q.cwiseAbs().maxCoeff());
    e.Q = 0.5 * (e.Q + e.Q.transpose()).eval();
    const analysis::PortHamiltonianForm form = analysis::port_hamiltonian_form(e);
    fill(r, form);
    r.Q = analysis::by_rows(e.Q);
    Eigen::VectorXd gradient = forms.gradient(kept);
    Eigen::VectorXd rates(gradient.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        rates(static_cast<Index>(i)) = linear.rates[static_cast<std::size_t>(kept[i])];
        r.start.push_back(linear.start[static_cast<std::size_t>(kept[i])]);
        r.gradient.push_back(gradient(static_cast<Index>(i)) + 0.0);
    }
    r.imbalance = imbalance_at_start(form, e, gradient, u, rates);
    r.active = active_elements(m, energy, losses);
}

}  // namespace

PortHamiltonian port_hamiltonian_of(Session& session) {
    take_modes_of_start(session);
    const CompiledModel model = perturbed(session);
    const simulation::Point point = simulation::start_point(model, experiment_settings(session, {.rows = false}));
    const CompiledModel& m = *point.model;
    const Kind kind = kind_of(session, m);
    const EnergyRows energy(m);
    std::vector<std::string> inputs;
    for (const EnergyRows::Channel& c : energy.channels) inputs.push_back(c.input);
    const analysis::LinearModel linear = analysis::linearize_values(point, {}, energy.outputs);
    if (!linear.left_out.empty()) {
        for (const EnergyRows::Term& t : energy.terms) {
            if (!t.curvatures.empty()) follows_source(m.graph().elements[t.element.index()]);
        }
        no_form(fmt::format("a storage follows the source '{}' rigidly, so that its derivative would be an input",
                            linear.left_out.front()));
    }
    if (static_cast<std::size_t>(linear.A.rows()) != m.state_count || linear.start.size() != m.state_count)
        no_form("its states are orientations in space, of which only small turns are linear");
    const Plant plant = plant_of(linear, energy);
    const EnergyForms forms = forms_of(m, energy, plant, linear.values);
    PortHamiltonian r;
    if (!kind.constant)
        r = changing_form({point, energy, linear, forms.Q, forms.gradient, forms.energetic});
    else
        fill_constant(r, m, energy, linear, plant, forms);
    r.quadratic = kind.quadratic;
    check_sums(r);
    for (std::size_t k = 0; k < energy.channels.size(); ++k) {
        r.inputs.push_back(energy.channels[k].input);
        r.outputs.push_back(energy.channels[k].output);
        if (plant.controlled[k]) r.controlled.push_back(energy.channels[k].input);
    }
    r.energy = equation_text(*session.system, energy.energy, expression::PrintStyle::text);
    r.energy_latex = equation_text(*session.system, energy.energy, expression::PrintStyle::latex);
    r.stored = linear.values.back();
    for (const ModeValue& v : mode_of(*m.causal)) r.mode.push_back(fmt::format("{} = {}", v.name, v.text()));
    return r;
}

}  // namespace bondgraph::api
