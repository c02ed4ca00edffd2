// Index reduction of what the strokes and one differentiation can't resolve.

#include "bondgraph/compile/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "bondgraph/compile/delays.hpp"
#include "bondgraph/compile/eliminate.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::ElementId;
using model::StatePreference;

namespace {

class Reducing {
   public:
    Reducing(const EquationSystem& s, Exact exact) : s_(s), g_(*s.causal->graph), graph_(*g_.expressions) {
        out_.causal = s.causal;
        out_.inputs = s.inputs;
        out_.events = s.events;
        out_.loops = s.loops;
        out_.equation_count = s.equations.size();
        out_.thorough = exact == Exact::all;
    }

    ReducedSystem run() {
        Elimination elimination = eliminate_exactly(s_, out_.thorough);
        out_.eliminated = std::move(elimination.eliminated);
        out_.removed = std::move(elimination.removed);
        out_.eliminated_at.assign(s_.is_state.size(), kNone);
        for (std::uint32_t i = 0; i < out_.eliminated.size(); ++i)
            out_.eliminated_at[out_.eliminated[i].target.index()] = i;
        out_.derivative_of.assign(s_.is_state.size(), kNone);
        link_declared_derivatives(elimination.equations);
        for (std::uint32_t v = 0; v < s_.is_state.size(); ++v) {
            if (elimination.differentiated[v] && out_.derivative_of[v] == kNone)
                out_.derivative_of[v] = add_derivative(v);
        }
        for (const auto& e : elimination.equations) {
            const auto number = static_cast<std::uint32_t>(out_.equations.size());
            out_.equations.push_back({out_.in_variables(e.residual), e.element, e.position, number, 0});
        }
        set_released_forces();
        plan();
        differentiate();
        preferences();
        collect_highest();
        return std::move(out_);
    }

   private:
    /// Of a residual sink: whether its effort is the force of a constraint (rSe), or its flow (rSf).
    static bool gives_effort(const model::Element& e) {
        return e.type->holds_positions || e.type->causality(e, 0, 0) == model::PortCausality::effort_out;
    }

    bool gone(std::uint32_t v) const { return v < out_.eliminated_at.size() && out_.eliminated_at[v] != kNone; }

    std::uint32_t add_derivative(std::uint32_t v) {
        out_.derived.emplace_back(std::size_t{v});
        out_.derivative_of.push_back(kNone);
        return static_cast<std::uint32_t>(out_.derivative_of.size() - 1);
    }

    /// der(x) = v makes v the derivative of x, so that positions and velocities are chosen together.
    void link_declared_derivatives(std::vector<Elimination::Remaining>& equations) {
        std::vector<bool> is_derivative(s_.is_state.size(), false);
        std::erase_if(equations, [&](const Elimination::Remaining& e) {
            if (e.residual.is_literal() || graph_[e.residual.node()].op != Op::subtract) return false;
            const expression::Node top = graph_[e.residual.node()];
            expression::Node x = graph_[top.a];
            expression::Node v = graph_[top.b];
            if (x.op == Op::variable) std::swap(x, v);
            if (x.op != Op::derivative || v.op != Op::variable || is_derivative[v.a] || gone(v.a) ||
                out_.derivative_of[x.a] != kNone)
                return false;
            for (std::uint32_t k = v.a; k != kNone; k = out_.derivative_of[k]) {
                if (k == x.a) return false;  // it would be its own derivative
            }
            out_.derivative_of[x.a] = v.a;
            is_derivative[v.a] = true;
            return true;
        });
    }

    std::vector<std::uint32_t> variables_in(Expr e) const { return compile::variables_in(graph_, std::span(&e, 1)); }

    structure::Incidence incidence() const {
        structure::Incidence rows;
        for (const ReducedEquation& e : out_.equations) rows.add_row(variables_in(e.residual));
        return rows;
    }

    /// A variable and its derivatives as one unknown.
    std::vector<std::uint32_t> bases() const {
        std::vector<std::uint32_t> base(out_.derivative_of.size());
        std::vector<bool> is_derivative(base.size(), false);
        for (const std::uint32_t d : out_.derivative_of) {
            if (d != kNone) is_derivative[d] = true;
        }
        for (std::uint32_t v = 0; v < base.size(); ++v) {
            if (is_derivative[v]) continue;
            for (std::uint32_t k = v; k != kNone; k = out_.derivative_of[k]) base[k] = v;
        }
        return base;
    }

    structure::Incidence chains(const std::vector<std::uint32_t>& base) const {
        structure::Incidence rows;
        for (const ReducedEquation& e : out_.equations) {
            auto row = variables_in(e.residual);
            for (std::uint32_t& v : row) v = base[v];
            std::sort(row.begin(), row.end());
            row.erase(std::unique(row.begin(), row.end()), row.end());
            rows.add_row(row);
        }
        return rows;
    }

    /// For every constraint removed exactly, a force of constraint has become undetermined: it is set to 0. The
    /// efforts of rSe and flows of rSf are asked first, then those of own types, the last ones of the file first.
    void set_released_forces() {
        missing_ = out_.removed.size();
        for (std::size_t i = 0; i < g_.elements.size() && missing_ > 0; ++i) {
            const model::Element& e = g_.elements[i];
            if (!e.type->is_constraint()) continue;
            for (std::uint32_t k = 0; k < e.ports[0].size; ++k)
                release(ElementId(i), e.ports[0].first_effort / 2 + k, gives_effort(e));
        }
        for (const bool effort : {true, false}) {
            for (std::size_t i = g_.elements.size(); i-- > 0 && missing_ > 0;) {
                const model::Element& e = g_.elements[i];
                if (!e.type->is_own_type()) continue;
                for (const model::Port& p : e.ports) {
                    for (std::uint32_t k = 0; k < p.size; ++k) release(ElementId(i), p.first_effort / 2 + k, effort);
                }
            }
        }
    }

    /// Sets an effort or flow to 0 if nothing else determines it.
    void release(ElementId element, std::uint32_t component, bool effort) {
        if (missing_ == 0) return;
        const VariableId force = effort ? model::BondGraph::effort(component) : model::BondGraph::flow(component);
        const auto base = bases();
        const std::size_t before = structure::maximum_matching(chains(base), base.size()).size();
        const auto number = static_cast<std::uint32_t>(out_.equations.size());
        out_.equations.push_back(
            {out_.in_variables(g_.variable(force)), element, g_.elements[element.index()].position, number, 0});
        if (structure::maximum_matching(chains(base), base.size()).size() > before) {
            --missing_;
            out_.released.push_back(force);
        } else {
            out_.equations.pop_back();
        }
    }

    void plan() {
        const structure::Incidence rows = incidence();
        out_.plan = structure::reduce_index(rows, out_.derivative_of);
        std::vector<std::uint32_t> undetermined;
        const std::vector<std::uint32_t> columns =
            out_.plan.singular_equations.empty() ? out_.plan.undetermined_columns : undetermined_columns();
        for (const std::uint32_t v : columns) {
            if (!gone(v)) undetermined.push_back(v);
        }
        if (!out_.plan.singular_equations.empty() || !undetermined.empty()) singular(undetermined);
        // The plan numbers further derivatives as they come.
        std::vector<std::uint32_t> variable_of(out_.plan.derivative_of.size(), kNone);
        for (std::uint32_t v = 0; v < out_.plan.derivative_of.size(); ++v) {
            if (out_.plan.derivative_of[v] != kNone) variable_of[out_.plan.derivative_of[v]] = v;
        }
        for (std::size_t d = out_.derivative_of.size(); d < variable_of.size(); ++d)
            out_.derived.emplace_back(std::size_t{variable_of[d]});
        out_.derivative_of = out_.plan.derivative_of;
    }

    std::vector<std::uint32_t> undetermined_columns() const {
        const auto base = bases();
        const auto rows = chains(base);
        const auto parts = structure::singular_parts(rows, base.size(), structure::maximum_matching(rows, base.size()));
        std::vector<std::uint32_t> columns;
        for (const std::uint32_t v : parts.underdetermined_columns) {
            if (base[v] == v) columns.push_back(v);
        }
        return columns;
    }

    [[noreturn]] void singular(const std::vector<std::uint32_t>& undetermined) const {
        refuse_open_ends(out_);
        SourcePosition position = g_.model_position;
        std::vector<DiagnosticNote> notes;
        if (!out_.plan.singular_equations.empty()) {
            std::vector<ElementId> ids;
            for (const std::uint32_t r : out_.plan.singular_equations) ids.push_back(out_.equations[r].element);
            std::sort(ids.begin(), ids.end());
            ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
            refuse_open_balance(out_, ids);
            std::vector<std::string> names;
            for (const ElementId id : ids) names.push_back(g_.elements[id.index()].name);
            position = out_.equations[out_.plan.singular_equations.front()].position;
            notes.push_back({"where", fmt::format("too many equations at {}", some_names(names))});
        }
        if (!undetermined.empty()) {
            std::vector<std::string> names;
            for (const std::uint32_t v : undetermined) names.push_back(out_.name(VariableId(std::size_t{v})));
            if (out_.plan.singular_equations.empty())
                position = g_.variable_position(VariableId(std::size_t{undetermined.front()}));
            notes.push_back({"where", fmt::format("nothing determines {}", some_names(names))});
        }
        const bool in_a_loop = std::ranges::any_of(out_.plan.singular_equations, [&](std::uint32_t r) {
            return g_.elements[out_.equations[r].element.index()].type->holds_positions;
        });
        if (in_a_loop) {
            notes.push_back({"because",
                             "sources of flow and locks prescribe more motions of this mechanism than its closed loops "
                             "leave it freedoms"});
            notes.push_back({"try",
                             "drive or lock no more joints than 'check' counts freedoms without them, and move "
                             "the others by forces or stiff springs"});
        } else {
            notes.push_back({"try", "check the equations of own types and the signals that drive these components"});
        }
        Diagnostics d;
        d.error("BG-E001", position, "the equations don't determine all variables", std::move(notes));
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    void differentiate() {
        out_.equations.resize(out_.plan.rows.rows());
        for (std::uint32_t r = 0; r < out_.equations.size(); ++r) {
            const std::uint32_t d = out_.plan.equation_derivative[r];
            if (d == kNone) continue;
            const ReducedEquation& from = out_.equations[r];
            check_smooth(from);
            const std::array roots{from.residual};
            const Expr rate = expression::time_derivative(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
                const expression::Node& node = graph_[n];
                if (node.op == Op::variable) {
                    const std::uint32_t v = out_.derivative_of[node.a];
                    return v == kNone ? std::nullopt : std::optional(graph_.variable(v));
                }
                if (node.op == Op::parameter)
                    return graph_.parameter(node.a + static_cast<std::uint32_t>(out_.inputs.size()));
                return std::nullopt;
            })[0];
            out_.equations[d] = {rate, from.element, from.position, from.origin, from.order + 1};
        }
        diagnostics_.throw_if_errors();
    }

    void check_smooth(const ReducedEquation& e) {
        const auto where = where_it_may_jump(g_, e.residual, refused_jumps(g_));
        if (!where) return;
        const auto leaf = [&](const expression::Node& v) {
            if (g_.is_delayed(v)) return delayed_text(g_, v);
            return v.op == Op::variable ? out_.name(VariableId(std::size_t{v.a})) : std::string("held value");
        };
        diagnostics_.error(
            "BG-E003", e.position, "a constraint would have to be differentiated, but it may jump",
            {{"where", fmt::format("'{}' depends on {}", g_.elements[e.element.index()].name,
                                   expression::to_text(*where, leaf))},
             {"because", "a jump would need an infinite force of constraint"},
             {"try", "make the change continuous, or wrap the expression in smooth(1, …) if it is smooth"}});
    }

    void preferences() {
        constexpr std::int16_t kApart = 20;
        constexpr std::int16_t kBelow = 5;   // of a higher derivative: it follows its variable
        constexpr std::int16_t kAsked = 10;  // by the file, beside others of the same firmness
        constexpr std::int16_t kGiven = 2;   // a start value: what is known there is a good coordinate
        const std::size_t n = out_.derivative_of.size();
        out_.wishes.assign(n, {});
        const auto wish = [&](std::uint32_t v, std::int8_t firmness) {
            out_.wishes[v] = {static_cast<std::int16_t>(kApart * firmness), firmness};
        };
        out_.release.assign(n, 0);
        for (std::uint32_t v = 2 * g_.bond_components; v < s_.is_state.size(); ++v) {
            const auto& slot = g_.slot_variables[v - 2 * std::size_t{g_.bond_components}];
            const model::Element& e = g_.elements[slot.element.index()];
            if (e.type->is_own_type()) out_.release[v] = 1;
            if (!e.type->is_own_type() && e.slots[slot.slot].kind != model::Element::Slot::Kind::state) continue;
            switch (e.preference) {
                case StatePreference::always:
                    wish(v, kDemanded);
                    break;
                case StatePreference::prefer:
                    wish(v, 2);
                    break;
                case StatePreference::avoid:
                    wish(v, -2);
                    break;
                case StatePreference::never:
                    wish(v, -kDemanded);
                    break;
                default:
                    if (e.type->is_storage() && s_.is_state[v]) wish(v, 1);
            }
            if (!out_.loops || out_.wishes[v].firmness <= 0) continue;
            const std::string& name = e.slots[slot.slot].name;
            if (e.states_asked) out_.wishes[v].order += kAsked;  // only of states rates are known
            if (std::ranges::any_of(e.starts,
                                    [&](const model::StartValue& s) { return s.fixed && s.variable == name; }))
                out_.wishes[v].order += kGiven;
        }
        for (std::size_t d = 0; d < out_.derived.size(); ++d) {
            structure::StateWish& derivative = out_.wishes[s_.is_state.size() + d];
            derivative = out_.wishes[out_.derived[d].index()];
            derivative.order = static_cast<std::int16_t>(derivative.order - kBelow);
        }
        coordinate_sizes();
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            const model::Element& e = g_.elements[i];
            if (!e.type->is_constraint()) continue;
            for (std::uint32_t k = 0; k < e.ports[0].size; ++k) {
                const std::uint32_t c = e.ports[0].first_effort / 2 + k;
                const auto force = gives_effort(e) ? model::BondGraph::effort(c) : model::BondGraph::flow(c);
                const auto in = variables_in(out_.in_variables(g_.variable(force)));
                if (in.size() == 1) out_.release[in[0]] = 2;
            }
        }
        out_.drop.assign(out_.plan.differentiations.size(), 0);
        for (std::size_t r = 0; r < out_.drop.size(); ++r) {
            const model::ComponentType& type = *g_.elements[out_.equations[r].element.index()].type;
            out_.drop[r] = static_cast<std::uint8_t>(type.firmness);
        }
    }

    /// Of the coordinates of closed loops and their rates: angles in radians, lengths by the largest of them.
    void coordinate_sizes() {
        if (!out_.loops) return;
        double longest = 0.0;
        for (const auto& c : out_.loops->position) longest = std::max(longest, c.number ? 0.0 : std::abs(c.value));
        for (const auto& c : out_.loops->position) {
            const double size = c.number || !(longest > 0.0) ? 1.0 : longest;
            for (std::uint32_t v = c.variable; v != kNone; v = out_.derivative_of[v]) out_.wishes[v].size = size;
        }
    }

    void collect_highest() {
        out_.blocks = structure::derivative_blocks(out_.plan);
        out_.highest_of.assign(out_.equations.size(), kNone);
        std::vector<Expr> residuals;
        for (std::size_t r = 0; r < out_.equations.size(); ++r) {
            if (out_.plan.equation_derivative[r] != kNone) continue;
            out_.highest_of[r] = static_cast<std::uint32_t>(residuals.size());
            residuals.push_back(out_.equations[r].residual);
        }
        collect_coefficients();
        out_.highest = tape_of(residuals);
    }

    void collect_coefficients() {
        Coefficients& c = out_.coefficients;
        c.row_of.assign(out_.equations.size(), kNone);
        std::vector<Expr> leaves;
        std::vector<std::uint32_t> columns;
        for (std::size_t r = 0; r < out_.equations.size(); ++r) {
            const Expr residual = out_.equations[r].residual;
            if (out_.highest_of[r] == kNone || out_.plan.order[r] == 0 || residual.is_literal()) continue;
            leaves.clear();
            columns.clear();
            for (const std::uint32_t v : variables_in(residual)) {
                if (out_.derivative_of[v] != kNone) continue;
                leaves.push_back(graph_.variable(v));
                columns.push_back(v);
            }
            c.row_of[r] = static_cast<std::uint32_t>(c.pattern.rows());
            c.pattern.add_row(columns);
            for (const std::uint32_t v : columns)
                c.size.push_back(out_.wishes[v].size > 0.0 ? out_.wishes[v].size : 1.0);
            for (const Expr& entry : expression::gradient(residual, leaves)) {
                if (!entry.is_constant()) {
                    c.varying.push_back(static_cast<std::uint32_t>(c.constant.size()));
                    c.entries.push_back(entry);
                }
                c.constant.push_back(entry.is_constant() ? entry.constant() : std::nan(""));
            }
        }
        if (!c.entries.empty()) c.tape = tape_of(c.entries);
    }

    std::shared_ptr<const PointTape> tape_of(const std::vector<Expr>& outputs) const {
        return std::make_shared<PointTape>(graph_, out_.variable_count(),
                                           input_leaf_count(graph_, outputs, out_.inputs.size()),
                                           out_.events ? out_.events->held_count : 0, outputs);
    }

    const EquationSystem& s_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    Diagnostics diagnostics_;
    std::size_t missing_ = 0;  ///< constraints removed for which no force has been set to 0
    ReducedSystem out_;
};

}  // namespace

Expr ReducedSystem::in_variables(Expr e) const {
    if (e.is_literal()) return e;
    expression::Graph& expressions = *graph().expressions;
    const std::array roots{e};
    return expression::substitute(expressions, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = expressions[n];
        if (node.op == Op::variable) {
            if (node.a >= eliminated_at.size() || eliminated_at[node.a] == kNone) return std::nullopt;
            return eliminated[eliminated_at[node.a]].value;
        }
        if (node.op == Op::derivative && derivative_of[node.a] != kNone)
            return expressions.variable(derivative_of[node.a]);
        return std::nullopt;
    })[0];
}

std::string ReducedSystem::name(VariableId id) const { return name_of(graph(), derived, id); }

ReducedSystem reduce_index(const EquationSystem& system, Exact exact) { return Reducing(system, exact).run(); }

}  // namespace bondgraph::compile
