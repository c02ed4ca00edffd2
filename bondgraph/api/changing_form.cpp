#include "bondgraph/api/changing_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "bondgraph/analysis/port_hamiltonian.hpp"
#include "bondgraph/analysis/power_rows.hpp"
#include "bondgraph/api/readable_equations.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::api {
namespace {

using analysis::PowerBase;
using analysis::PowerRow;
using analysis::PowerRows;
using compile::CompiledModel;
using compile::SortedSystem;
using Eigen::Index;
using Eigen::MatrixXd;
using expression::Expr;
using expression::Op;
using model::Element;

constexpr std::size_t kMostEntries = 2500;  // beyond, expressions are none to be read

/// The variable that an effort or flow at a port is, and its sign.
PowerBase base_of(Expr e, std::size_t number, double sign) {
    const expression::Graph& graph = *e.graph();
    const expression::Node& n = graph[e.node()];
    if (n.op == Op::negate) return {graph[n.a].a, number, -sign};
    return {n.a, number, sign};
}

/// States by number, those of the energy first, and what storages and sources give.
struct Numbering {
    std::vector<std::size_t> states;  ///< numbers of the model's
    std::vector<PowerBase> sources;
    std::vector<analysis::PowerSlope> slopes;
    std::size_t first_source = std::size_t{1} << 24U;  ///< behind all states, however many join
};

Numbering numbering_of(const EnergyAtStart& at, const SortedSystem& system) {
    Numbering numbering;
    const model::BondGraph& g = system.graph();
    const auto owner = [&](std::size_t state) {
        return g.slot_variables[at.point.model->unknowns[state].variable.value - 2 * g.bond_components].element;
    };
    for (const EnergyRows::Term& term : at.rows.terms) {
        for (const EnergyRows::Slope& s : term.slopes) {
            if (s.state && owner(*s.state) == term.element) continue;
            const bool dependent = std::ranges::any_of(at.point.model->causal->storages, [&](const auto& c) {
                return c.element == term.element && !c.integral;
            });
            no_form(title(g.elements[term.element.index()]) +
                    (dependent ? " follows others, in derivative causality, while J or R change"
                               : " stores by variables of others, while J or R change"));
        }
        for (const EnergyRows::Slope& s : term.slopes) {
            numbering.slopes.push_back({term.element, at.rows.outputs[s.derivative].value, numbering.states.size()});
            numbering.states.push_back(*s.state);
        }
    }
    for (std::size_t k = 0; k < at.rows.channels.size(); ++k)
        numbering.sources.push_back(base_of(at.rows.channels[k].given, numbering.first_source + k, 1.0));
    return numbering;
}

/// [z; u]ᵀ entries [z; u] is what is lost: entries = [−(J − R) −(G − P); (G + P)ᵀ M + S].
struct Entries {
    std::size_t states = 0, all = 0;
    std::vector<Expr> values;

    [[nodiscard]] Expr& at(std::size_t r, std::size_t c) { return values[r * all + c]; }
    [[nodiscard]] Expr at(std::size_t r, std::size_t c) const { return values[r * all + c]; }
};

class Building {
   public:
    Building(const EnergyAtStart& at, const SortedSystem& system)
        : at_(at),
          m_(*at.point.model),
          system_(system),
          graph_(*system.graph().expressions),
          numbering_(numbering_of(at, system)),
          rows_(system, numbering_.sources, numbering_.slopes) {
        for (const compile::StateEquation& s : system.state_equations) rates_[s.state.value] = &s;
    }

    PortHamiltonian run();

   private:
    PowerRow rate_row(std::size_t state) const;
    void add_sources();
    void add_states_of_coefficients();
    std::vector<std::size_t> states_in(const PowerRow& row) const;
    void fill_entries();
    void add_losses();
    void add_product(Entries& to, const PowerRow& a, const PowerRow& b, double sign) const;
    void check_losses() const;
    std::vector<Expr> without_chords(std::span<const Expr> all, bool values) const;
    std::vector<double> numbers(std::span<const Expr> all) const;
    MatrixXd matrix(const Entries& entries) const;
    void split();
    void fill_numbers(PortHamiltonian& r) const;
    void fill_texts(PortHamiltonian& r) const;
    void fill_checks(PortHamiltonian& r) const;
    [[nodiscard]] double deviation(const MatrixXd& entries, const MatrixXd& losses, const std::vector<double>& Q) const;
    std::vector<std::string> active() const;
    [[nodiscard]] std::uint32_t variable_of(std::size_t state) const { return m_.unknowns[state].variable.value; }
    [[nodiscard]] std::size_t column(std::size_t number) const {
        return number < numbering_.first_source ? number : number - numbering_.first_source + numbering_.states.size();
    }

    const EnergyAtStart& at_;
    const CompiledModel& m_;
    const SortedSystem& system_;
    expression::Graph& graph_;
    Numbering numbering_;
    PowerRows rows_;
    std::map<std::uint32_t, const compile::StateEquation*> rates_;
    std::vector<PowerRow> state_rows_, source_rows_;
    std::size_t energy_states_ = 0;
    std::vector<std::string> outside_;
    Entries entries_, losses_;
    struct Taken {
        Entries lost, size;  ///< `size`: of the same products without signs
    };
    std::vector<std::pair<model::ElementId, Taken>> of_elements_;
    Entries skew_, symmetric_;
};

PowerRow Building::rate_row(std::size_t state) const {
    const auto at = rates_.find(variable_of(state));
    const std::string name = "the rate of '" + m_.name(m_.unknowns[state].variable) + "'";
    if (at == rates_.end() || at->second->implicit) throw analysis::NoPowerRows(name + " is not given by symbols");
    return rows_.row_of(at->second->rate, name);
}

void Building::add_sources() {
    for (const EnergyRows::Channel& c : at_.rows.channels)
        source_rows_.push_back(rows_.row_of(c.conjugate, "'" + c.output + "'"));
}

std::vector<std::size_t> Building::states_in(const PowerRow& row) const {
    std::vector<Expr> all;
    for (const auto& [number, value] : row) all.push_back(value);
    for (const analysis::Chord& c : rows_.chords()) {
        // What a chord changes with beside its own effort and flow: a resistor that is modulated.
        const bool used = std::ranges::any_of(row, [&](const auto& entry) {
            return !entry.second.is_constant() && expression::depends_on(entry.second, c.leaf);
        });
        if (used) all.push_back(c.value);
    }
    std::vector<std::size_t> found;
    const std::vector<Expr> leaves = rows_.in_states(all);
    for (const std::uint32_t v : compile::variables_in(graph_, leaves)) {
        for (std::size_t i = 0; i < m_.state_count; ++i) {
            if (variable_of(i) == v) found.push_back(i);
        }
    }
    return found;
}

/// States without energy that coefficients change with, and those that the coefficients of their rates do.
void Building::add_states_of_coefficients() {
    energy_states_ = numbering_.states.size();
    std::set<std::size_t> seen(numbering_.states.begin(), numbering_.states.end());
    std::vector<PowerRow> open = state_rows_;
    open.insert(open.end(), source_rows_.begin(), source_rows_.end());
    while (!open.empty()) {
        const PowerRow row = std::move(open.back());
        open.pop_back();
        for (const std::size_t state : states_in(row)) {
            if (!seen.insert(state).second) continue;
            try {
                open.push_back(rate_row(state));
            } catch (const analysis::NoPowerRows&) {
                outside_.push_back(m_.name(m_.unknowns[state].variable));
                continue;
            }
            numbering_.states.push_back(state);
            state_rows_.push_back(open.back());
        }
    }
}

void Building::fill_entries() {
    const std::size_t n = numbering_.states.size();
    entries_ = {n, n + source_rows_.size(), {}};
    if (entries_.all * entries_.all > kMostEntries)
        no_form("J or R change, and it has too many states for expressions of them to be read");
    entries_.values.assign(entries_.all * entries_.all, Expr(0.0));
    losses_ = entries_;
    for (std::size_t i = 0; i < n; ++i) {
        for (const auto& [number, value] : state_rows_[i]) {
            entries_.at(i, column(number)) = -value;
            // ∂H/∂x of such a state is 0: what stands in its column is free, and makes J skew.
            if (i >= energy_states_) entries_.at(column(number), i) = value;
        }
    }
    for (std::size_t k = 0; k < source_rows_.size(); ++k) {
        for (const auto& [number, value] : source_rows_[k]) entries_.at(n + k, column(number)) = value;
    }
}

PowerRow without_signs(PowerRow row) {
    for (auto& [number, value] : row) value = expression::abs(value);
    return row;
}

/// Half of the product of two rows, and the same mirrored.
void Building::add_product(Entries& to, const PowerRow& a, const PowerRow& b, double sign) const {
    for (const auto& [i, of_a] : a) {
        for (const auto& [j, of_b] : b) {
            const Expr half = Expr(0.5 * sign) * of_a * of_b;
            to.at(column(i), column(j)) += half;
            to.at(column(j), column(i)) += half;
        }
    }
}

/// By the elements' own efforts and flows, less what they store of it.
void Building::add_losses() {
    const model::BondGraph& g = system_.graph();
    for (std::size_t k = 0; k < g.elements.size(); ++k) {
        const Element& e = g.elements[k];
        if (!in_form(e) || e.is_junction()) continue;
        std::vector<model::Equation> none;
        const model::LawContext context(g, model::ElementId(k), none);
        const Entries nothing{entries_.states, entries_.all, std::vector<Expr>(entries_.values.size(), Expr(0.0))};
        Taken own{nothing, nothing};
        const auto take = [&](const PowerRow& a, const PowerRow& b, double sign) {
            add_product(own.lost, a, b, sign);
            add_product(own.size, without_signs(a), without_signs(b), 1.0);
        };
        for (std::size_t p = 0; p < e.ports.size(); ++p) {
            const auto effort = context.effort(p);
            const auto flow = context.flow(p);
            for (Index c = 0; c < effort.size(); ++c)
                take(rows_.row_of(effort(c), title(e)), rows_.row_of(flow(c), title(e)),
                     e.ports[p].direction == model::PortDirection::in ? 1.0 : -1.0);
        }
        for (const analysis::PowerSlope& s : numbering_.slopes) {
            if (s.element == model::ElementId(k)) take({{s.number, Expr(1.0)}}, state_rows_[s.number], -1.0);
        }
        const std::vector<bool> nothing_left =
            stores(e) ? analysis::vanish(graph_, own.lost.values) : std::vector<bool>{};
        if (std::ranges::find(nothing_left, false) != nothing_left.end())
            no_form("what " + title(e) + " takes is not what its stored energy grows by");
        const bool any = std::ranges::any_of(own.lost.values, [](const Expr& v) { return !v.is_constant(0.0); });
        if (!any) continue;
        for (std::size_t i = 0; i < own.lost.values.size(); ++i) losses_.values[i] += own.lost.values[i];
        if (!stores(e)) of_elements_.emplace_back(model::ElementId(k), std::move(own));
    }
}

void Building::check_losses() const {
    std::vector<Expr> differences;
    for (std::size_t i = 0; i < entries_.all; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
            differences.push_back(0.5 * (entries_.at(i, j) + entries_.at(j, i)) - losses_.at(i, j));
    }
    if (std::ranges::all_of(analysis::vanish(graph_, differences), [](bool zero) { return zero; })) return;
    no_form("what is stored, lost and supplied does not add up to its rates");
}

/// The halves of the entries that exchange and that lose, in the shortest way that the two entries give.
void Building::split() {
    const std::size_t all = entries_.all;
    skew_ = symmetric_ = {entries_.states, all, std::vector<Expr>(all * all, Expr(0.0))};
    std::vector<Expr> tests;
    for (std::size_t i = 0; i < all; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const Expr a = entries_.at(i, j), b = entries_.at(j, i);
            tests.insert(tests.end(), {a, b, a + b, a - b});
        }
    }
    const std::vector<bool> zero = analysis::vanish(graph_, tests);
    std::size_t k = 0;
    for (std::size_t i = 0; i < all; ++i) {
        for (std::size_t j = 0; j <= i; ++j, k += 4) {
            if (zero[k] && zero[k + 1]) continue;
            const Expr a = entries_.at(i, j), b = entries_.at(j, i);
            if (!zero[k + 2]) symmetric_.at(i, j) = symmetric_.at(j, i) = zero[k + 3] ? a : 0.5 * (a + b);
            if (zero[k + 3] || i == j) continue;
            skew_.at(i, j) = zero[k + 2] ? a : 0.5 * (a - b);
            skew_.at(j, i) = -skew_.at(i, j);
        }
    }
}

/// Chords as their values, or as effort over flow for readers.
std::vector<Expr> Building::without_chords(std::span<const Expr> all, bool values) const {
    std::map<std::uint32_t, Expr> chords;
    for (const analysis::Chord& c : rows_.chords()) chords[c.leaf.node()] = values ? c.value : c.ratio;
    return expression::substitute(graph_, all, [&](std::uint32_t node) -> std::optional<Expr> {
        const auto at = chords.find(node);
        return at == chords.end() ? std::nullopt : std::optional(at->second);
    });
}

std::vector<double> Building::numbers(std::span<const Expr> all) const {
    const simulation::Point& p = at_.point;
    std::vector<double> inputs(m_.input_size(), 0.0);
    inputs[0] = p.time;
    std::ranges::copy(p.y, inputs.begin() + 1);
    std::ranges::copy(p.yp, inputs.begin() + 1 + static_cast<std::ptrdiff_t>(m_.size()));
    std::ranges::copy(p.held, inputs.begin() + static_cast<std::ptrdiff_t>(m_.first_held()));
    const std::vector<Expr> values = without_chords(all, true);
    const expression::Tape tape = m_.tape(m_.in_unknowns(values));
    auto workspace = tape.make_workspace<double>();
    std::vector<double> outputs(values.size());
    tape.evaluate<double>(inputs, outputs, workspace);
    return outputs;
}

MatrixXd Building::matrix(const Entries& entries) const {
    const std::vector<double> values = numbers(entries.values);
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))
        no_form(
            "at the start an entry of J or R is not finite, as that of a law that is steep where nothing flows: "
            "give it another start");
    const auto all = static_cast<Index>(entries.all);
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(values.data(), all,
                                                                                                    all);
}

void Building::fill_numbers(PortHamiltonian& r) const {
    const MatrixXd skew = matrix(skew_), symmetric = matrix(symmetric_);
    const auto n = static_cast<Index>(entries_.states), m = skew.rows() - n;
    r.J = analysis::by_rows(-skew.topLeftCorner(n, n));
    r.R = analysis::by_rows(symmetric.topLeftCorner(n, n));
    r.G = analysis::by_rows(-skew.topRightCorner(n, m));
    r.P = analysis::by_rows(symmetric.topRightCorner(n, m));
    r.M = analysis::by_rows(skew.bottomRightCorner(m, m));
    r.S = analysis::by_rows(symmetric.bottomRightCorner(m, m));
    MatrixXd Q = MatrixXd::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
        const std::size_t state = numbering_.states[static_cast<std::size_t>(i)];
        r.states.push_back(at_.linear.states[state]);
        r.start.push_back(at_.linear.start[state]);
        r.gradient.push_back(at_.gradient(static_cast<Index>(state)) + 0.0);
        for (Index j = 0; j < n; ++j)
            Q(i, j) =
                at_.Q(static_cast<Index>(state), static_cast<Index>(numbering_.states[static_cast<std::size_t>(j)]));
    }
    r.without_energy.assign(r.states.begin() + static_cast<std::ptrdiff_t>(energy_states_), r.states.end());
    const auto energetic = static_cast<Index>(energy_states_);
    r.asymmetry = (Q - Q.transpose()).cwiseAbs().maxCoeff() / std::max(1e-300, Q.cwiseAbs().maxCoeff());
    Q = 0.5 * (Q + Q.transpose()).eval();
    r.Q = analysis::by_rows(Q);
    r.least_energy = analysis::least_scaled_eigenvalue(Q.topLeftCorner(energetic, energetic));
    const bool ports = !symmetric.rightCols(m).isZero(0.0);
    r.least_loss = analysis::least_scaled_eigenvalue(ports ? symmetric : MatrixXd(symmetric.topLeftCorner(n, n)));
    r.least_decay = analysis::least_eigenvalue(symmetric.topLeftCorner(energetic, energetic) *
                                               Q.topLeftCorner(energetic, energetic));
}

/// How far the symmetric part is from the losses, as a share of what is largest in variables scaled by the energy; of
/// ports as a share of what is largest at them.
double Building::deviation(const MatrixXd& entries, const MatrixXd& losses, const std::vector<double>& Q) const {
    const auto n = static_cast<Index>(entries_.states), all = entries.rows();
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(all);
    for (Index i = 0; i < n; ++i) {
        const double curvature = std::abs(Q[static_cast<std::size_t>(i * n + i)]);
        if (curvature > 0.0) scale(i) = std::sqrt(curvature);
    }
    const MatrixXd scaled = scale.asDiagonal() * entries * scale.asDiagonal();
    const MatrixXd off = scaled + scaled.transpose() - 2.0 * (scale.asDiagonal() * losses * scale.asDiagonal());
    const double of_states = n > 0 ? scaled.topLeftCorner(n, n).cwiseAbs().maxCoeff() : 0.0;
    double worst = 0.0;
    for (Index i = 0; i < all; ++i) {
        const double of_port = i < n ? of_states : scaled.row(i).cwiseAbs().maxCoeff();
        for (Index j = 0; j <= i; ++j) {
            if (of_port > 0.0) worst = std::max(worst, std::abs(off(i, j)) / of_port);
        }
    }
    return worst;
}

/// Rates and outputs by the form and by the model's own equations.
void Building::fill_checks(PortHamiltonian& r) const {
    const MatrixXd entries = matrix(entries_), losses = matrix(losses_);
    const auto n = static_cast<Index>(entries_.states), all = entries.rows();
    Eigen::VectorXd both(all);
    for (Index i = 0; i < n; ++i) both(i) = r.gradient[static_cast<std::size_t>(i)];
    for (Index k = n; k < all; ++k)
        both(k) = at_.linear.values[at_.rows.channels[static_cast<std::size_t>(k - n)].value];
    const Eigen::VectorXd formed = entries * both, size = entries.cwiseAbs() * both.cwiseAbs();
    const auto share = [&](Index row, double of_model) {
        const double whole = size(row) + std::abs(of_model);
        return whole > 0.0 ? std::abs(formed(row) - of_model) / whole : 0.0;
    };
    for (Index i = 0; i < n; ++i)
        r.imbalance =
            std::max(r.imbalance, share(i, -at_.linear.rates[numbering_.states[static_cast<std::size_t>(i)]]));
    for (Index k = n; k < all; ++k)
        r.reciprocity = std::max(r.reciprocity,
                                 share(k, at_.linear.values[at_.rows.channels[static_cast<std::size_t>(k - n)].other]));
    r.skewness = deviation(entries, losses, r.Q);
}

/// Beside the size of the powers that each element's is a sum of: of a transformer rounding alone is left.
std::vector<std::string> Building::active() const {
    std::vector<std::string> names;
    for (const auto& [id, own] : of_elements_) {
        const MatrixXd lost = matrix(own.lost), size = matrix(own.size);
        const Eigen::VectorXd scale = analysis::equilibrating(size);
        if (analysis::least_eigenvalue(scale.asDiagonal() * lost * scale.asDiagonal()) < -1e-9)
            names.push_back(system_.graph().elements[id.index()].name);
    }
    return names;
}

bool is_power_of_two(double x) {
    int exponent = 0;
    return std::abs(std::frexp(x, &exponent)) == 0.5;
}

/// Factors before an expression as one number, where that is exact: 2*(0.5*x) is x.
Expr with_one_factor(expression::Graph& graph, Expr e) {
    double factor = 1.0;
    while (!e.is_constant()) {
        const expression::Node& n = graph[e.node()];
        if (n.op == Op::negate) {
            factor = -factor;
            e = graph.at(n.a);
            continue;
        }
        if (n.op != Op::multiply) break;
        const Expr a = graph.at(n.a), b = graph.at(n.b);
        if (a.is_constant() == b.is_constant()) break;
        const double number = (a.is_constant() ? a : b).constant();
        if (!is_power_of_two(number) && !is_power_of_two(factor)) break;
        factor *= number;
        e = a.is_constant() ? b : a;
    }
    return Expr(factor) * e;
}

void Building::fill_texts(PortHamiltonian& r) const {
    const std::size_t n = entries_.states, all = entries_.all;
    const auto texts = [&](const Entries& of, double sign, std::array<std::size_t, 4> part,
                           expression::PrintStyle style) {
        std::vector<Expr> values;
        for (std::size_t i = part[0]; i < part[1]; ++i) {
            for (std::size_t j = part[2]; j < part[3]; ++j) values.push_back(sign < 0.0 ? -of.at(i, j) : of.at(i, j));
        }
        std::vector<std::string> list;
        for (const Expr& e : without_chords(rows_.in_states(values), false))
            list.push_back(equation_text(system_, with_one_factor(graph_, e), style));
        return list;
    };
    const auto fill = [&](EntryTexts& t, expression::PrintStyle style) {
        t.J = texts(skew_, -1.0, {0, n, 0, n}, style);
        t.R = texts(symmetric_, 1.0, {0, n, 0, n}, style);
        t.G = texts(skew_, -1.0, {0, n, n, all}, style);
        t.P = texts(symmetric_, 1.0, {0, n, n, all}, style);
        t.M = texts(skew_, 1.0, {n, all, n, all}, style);
        t.S = texts(symmetric_, 1.0, {n, all, n, all}, style);
    };
    fill(r.entries, expression::PrintStyle::text);
    fill(r.entries_latex, expression::PrintStyle::latex);
}

PortHamiltonian Building::run() {
    for (const std::size_t state : numbering_.states) state_rows_.push_back(rate_row(state));
    if (numbering_.states.empty()) no_form("nothing in it stores energy in states");
    add_sources();
    add_states_of_coefficients();
    fill_entries();
    add_losses();
    check_losses();
    split();
    PortHamiltonian r;
    r.constant = false;
    fill_numbers(r);
    fill_texts(r);
    fill_checks(r);
    r.active = active();
    r.outside = outside_;
    for (std::size_t i = 0; i < m_.state_count; ++i) {
        const std::string& name = at_.linear.states[i];
        if (std::ranges::find(r.states, name) == r.states.end() && std::ranges::find(outside_, name) == outside_.end())
            r.left_out.push_back(name);
    }
    return r;
}

}  // namespace

PortHamiltonian changing_form(const EnergyAtStart& start) {
    const CompiledModel& m = *start.point.model;
    if (m.choice) no_form("its states are chosen by numbers, and J or R change with them");
    const expression::Graph::Hold hold = m.hold();
    try {
        const SortedSystem system = compile::sort_equations(*m.causal, false, m.events);
        return Building(start, system).run();
    } catch (const analysis::NoPowerRows& e) {
        no_form(std::string(e.what()) + ", while J or R change");
    }
}

}  // namespace bondgraph::api
