// Pass of flattening that evaluates what users write as equations.

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/operations.hpp"
#include "bondgraph/model/scope.hpp"
#include "bondgraph/model/start_checks.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::Op;
using expression::SyntaxError;

namespace {

void check_names_of(Flattening& work, const expression::Syntax& syntax, SourcePosition start,
                    const EvaluationScope& scope) {
    std::vector<SyntaxError> mistakes;
    check_names(syntax, scope, mistakes);
    report_mistakes(work, syntax, mistakes, start, scope);
}

class LawEvaluation {
   public:
    explicit LawEvaluation(Flattening& work, bool names_only = false) : work_(work), names_only_(names_only) {}

    void run() {
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.declaration != nullptr) {
                own_equations(i);
            } else {
                primitive(i);
            }
        }
    }

   private:
    /// False where the equation can't be had: something in it is wrong, or has been reported where it stands.
    bool equation(std::uint32_t index, const Text& text, const EvaluationScope& scope) {
        const auto given = evaluate_equation(work_, text, scope, names_only_);
        auto& list = work_.graph.elements[index].given_equations;
        list.insert(list.end(), given.begin(), given.end());
        return !given.empty();
    }

    /// An equation of an own type: one whose left side is a discrete variable says what that becomes at events. False
    /// as above.
    bool own_equation(std::uint32_t index, const Text& text, const EvaluationScope& scope) {
        Element& e = work_.graph.elements[index];
        const auto given = evaluate_equation(work_, text, scope, names_only_);
        for (const GivenEquation& g : given) {
            const auto discrete = discrete_in(g.lhs);
            if (discrete) {
                if (!check_update(index, *discrete, g, text)) continue;
                e.given_updates.push_back(g);
                if (machine_in(text)) work_.graph.discretes[*discrete].at_events_only = true;
            } else if (has_sample(work_.graph, g.lhs) || has_sample(work_.graph, g.rhs)) {
                work_.diagnostics.error(
                    "BG-X001", text.position, "sample() has no place in an equation that holds at all times",
                    {{"try", "write it in the equation of a discrete variable, or in a condition of 'when:'"}});
            } else {
                e.given_equations.push_back(g);
            }
        }
        return !given.empty();
    }

    std::optional<std::size_t> discrete_in(const Expr& x) const {
        if (x.is_constant()) return std::nullopt;
        const expression::Node& node = (*work_.graph.expressions)[x.node()];
        if (node.op != Op::variable) return std::nullopt;
        return work_.graph.discrete_of(VariableId(std::size_t{node.a}));
    }

    bool check_update(std::uint32_t index, std::size_t discrete, const GivenEquation& g, const Text& text) {
        const DiscreteVariable& variable = work_.graph.discretes[discrete];
        const std::string name = work_.graph.variable_name(variable.variable);
        if (variable.element != ElementId(index)) {
            work_.diagnostics.error("BG-M042", text.position,
                                    fmt::format("'{}' belongs to another component, which determines it", name),
                                    {{"try", "change it at events with 'when:' and 'set:'"}});
            return false;
        }
        for (const GivenEquation& other : work_.graph.elements[index].given_updates) {
            if (!same(other.lhs, g.lhs)) continue;
            work_.diagnostics.error("BG-M042", text.position, fmt::format("'{}' has two equations", name),
                                    {{"where", fmt::format("the first stands in {}",
                                                           work_.graph.line_text(other.position, text.position))}});
            return false;
        }
        return check_discrete_value(work_, discrete, g.rhs, name, text.position);
    }

    // A law speaks of the ports that take power in; the heat an RS gives out follows from it.
    static bool in_law(const Port& port) { return port.direction == PortDirection::in; }

    // Names e, f, q, p of a primitive's own variables (vectors on several components; e1 or e[1] is one of them).
    std::optional<Quantity> own_name(std::uint32_t index, const std::string& name) {
        // e2 exists on two components: how many there are is not known then
        const bool own = std::string_view("efqp").find(name.front()) != std::string_view::npos &&
                         name.find_first_not_of("0123456789", 1) == std::string::npos;
        if (names_only_ && own) return unknown_quantity();
        const Element& e = work_.graph.elements[index];
        std::vector<Expr> values;
        Measure measure;
        const char kind = name.front();
        if (kind == 'e' || kind == 'f') {
            for (const Port& p : e.ports) {
                if (!in_law(p)) continue;
                const auto q = element_variable(work_.graph, ElementId(index),
                                                e.ports.size() == 1 ? std::string(1, kind) : p.name + "." + kind);
                if (!q) return std::nullopt;
                for (const Expr& x : q->value.reshaped()) values.push_back(x);
                measure = e.ports.size() == 1 ? q->measure : Measure{};
            }
        } else if (kind == 'q' || kind == 'p') {
            for (const Element::Slot& slot : e.slots) {
                if (!e.type->kinds.empty() && slot.name == name)
                    return Quantity::scalar(work_.graph.variable(work_.graph.slot_variable(slot.first)));
                if (slot.name != std::string(1, kind)) continue;
                for (std::uint32_t k = 0; k < slot.size; ++k) {
                    values.push_back(work_.graph.variable(work_.graph.slot_variable(slot.first + k)));
                }
                if (e.ports.size() == 1 && e.ports[0].domain != kGeneric) {
                    for (const StateSpec& s : e.type->states) {
                        if (s.name == slot.name && s.dimension.in(e.ports[0].domain))
                            measure = Measure::of(*s.dimension.in(e.ports[0].domain));
                    }
                }
            }
        }
        if (values.empty()) return std::nullopt;
        if (name.size() > 1) {
            std::size_t k = 0;
            for (const char c : name.substr(1)) {
                if (c < '0' || c > '9') return std::nullopt;
                k = 10 * k + static_cast<std::size_t>(c - '0');
                if (k > values.size()) return std::nullopt;
            }
            if (k < 1) return std::nullopt;
            return Quantity::scalar(values[k - 1], measure);
        }
        ExprMatrix m(static_cast<Eigen::Index>(values.size()), 1);
        for (std::size_t k = 0; k < values.size(); ++k) m(static_cast<Eigen::Index>(k), 0) = values[k];
        return Quantity{m, measure};
    }

    void primitive(std::uint32_t index) {
        const ComponentType& type = *work_.graph.elements[index].type;
        const auto& origin = work_.origins[index];
        for (const ParameterSpec& spec : type.parameters) {
            if (spec.kind != ParameterKind::law && spec.kind != ParameterKind::energy) continue;
            const auto setting = std::find_if(origin.declaration->settings.begin(), origin.declaration->settings.end(),
                                              [&](const Setting& s) { return s.key.text == spec.name; });
            if (setting == origin.declaration->settings.end()) continue;
            EvaluationScope scope = scope_of(work_, origin.scope);
            scope.lookup = [this, index, outer = scope.lookup](const std::string& name) {
                if (auto own = own_name(index, name)) return own;
                return outer(name);
            };
            if (spec.kind == ParameterKind::energy) {
                energy(&GivenBooks::energy, index, setting->value.scalar, scope);
                continue;
            }
            const std::size_t errors = work_.diagnostics.error_count();
            bool complete = !names_only_ && !origin.declaration->flawed;
            if (!setting->value.is_list) complete = equation(index, setting->value.scalar, scope) && complete;
            for (const Value& item : setting->value.items) complete = equation(index, item.scalar, scope) && complete;
            if (complete && work_.diagnostics.error_count() == errors)
                count_equations(index, setting->value.position());
        }
    }

    void count_equations(std::uint32_t index, SourcePosition position) {
        const Element& e = work_.graph.elements[index];
        std::size_t n = 0;
        for (const Port& p : e.ports) n += in_law(p) ? p.size : 0;
        if (e.given_equations.size() == n) return;
        work_.diagnostics.error(
            "BG-M024", position,
            fmt::format("'{}' has {} port component{} but its law has {} equation{}", e.name, n, n == 1 ? "" : "s",
                        e.given_equations.size(), e.given_equations.size() == 1 ? "" : "s"),
            {{"try", "give one equation for each component of the port"}});
    }

    /// The stored energy; of own types also powers. `unit` is what it is measured in, if it is in anything.
    void energy(std::optional<Expr> GivenBooks::*target, std::uint32_t index, const Text& text,
                const EvaluationScope& scope, std::string_view unit = {}) {
        tell_user(work_, text, scope.number, [&] { book(target, index, text, scope, unit); });
    }

    void book(std::optional<Expr> GivenBooks::*target, std::uint32_t index, const Text& text,
              const EvaluationScope& scope, std::string_view unit) {
        try {
            const auto syntax = expression::parse_expression(text.text);
            SourcePosition start = text.position;
            if (text.quoted) ++start.column;
            if (names_only_) return check_names_of(work_, syntax, start, scope);
            const auto q = evaluate_syntax(work_, syntax, syntax.root, start, scope);
            if (!q) return;
            const Measure wanted = unit.empty() ? Measure{} : Measure::of(work_.units.parse(unit)->dimension);
            if (!q->is_scalar()) {
                work_.diagnostics.error(
                    "BG-M020", text.position,
                    fmt::format("'{}' is no single value, but {}", text.text, shape_text(q->value)));
            } else if (!is_pure_number(q->measure) && differ(q->measure, wanted)) {
                work_.diagnostics.error(
                    "BG-U002", text.position,
                    fmt::format("'{}' is in {}, not in {}", text.text, unit_name(q->measure), unit));
            } else {
                Element& e = work_.graph.elements[index];
                GivenBooks books = e.books == nullptr ? GivenBooks{} : *e.books;
                books.*target = q->value(0, 0);
                e.books = std::make_shared<const GivenBooks>(books);
            }
        } catch (const SyntaxError& error) {
            work_.diagnostics.error("BG-X001", position_at(text, error.offset()), error.what());
        }
    }

    void own_equations(std::uint32_t index) {
        const TypeDeclaration& type = *work_.graph.elements[index].declaration;
        EvaluationScope scope = event_scope_of(work_, work_.origins[index].inner_scope);
        scope.derivative = [this](const Quantity& of) -> std::optional<Quantity> {
            if (!of.is_scalar() || of.value(0, 0).is_literal()) return std::nullopt;
            const expression::Node& node = (*work_.graph.expressions)[of.value(0, 0).node()];
            if (node.op != Op::variable || discrete_in(of.value(0, 0))) return std::nullopt;
            const Measure m =
                of.measure.known() ? Measure::of(of.measure.dimension / Dimension{.second = 1}) : Measure{};
            return Quantity::scalar(work_.graph.expressions->derivative(node.a), m);
        };
        const std::size_t errors = work_.diagnostics.error_count();
        bool complete = true;
        for (const Text& text : type.body.equations) complete = own_equation(index, text, scope) && complete;
        if (type.energy) energy(&GivenBooks::energy, index, *type.energy, scope, "J");
        if (type.dissipates) energy(&GivenBooks::dissipation, index, *type.dissipates, scope, "W");
        if (type.supplies) energy(&GivenBooks::supply, index, *type.supplies, scope, "W");
        if (names_only_) return;
        mark_states(index);
        const Element& e = work_.graph.elements[index];
        std::size_t unknowns = 0;
        for (const Port& p : e.ports) unknowns += p.size;
        for (const Element::Slot& s : e.slots) unknowns += s.kind == Element::Slot::Kind::discrete ? 0 : s.size;
        if (e.given_equations.size() == unknowns || work_.diagnostics.error_count() > errors) return;
        if (type.body.gaps.any() || !complete) return;
        const bool few = e.given_equations.size() < unknowns;
        work_.diagnostics.error(
            "BG-M024", type.name.position,
            fmt::format("type '{}' has {} equation{} for {} unknown{}", type.name.text, e.given_equations.size(),
                        e.given_equations.size() == 1 ? "" : "s", unknowns, unknowns == 1 ? "" : "s"),
            {{"because",
              "each component of a port brings one unknown (of its effort and flow the other is given), each variable "
              "and output one"},
             {"try", few ? "an equation is missing" : "there is an equation too many"}});
    }

    void mark_states(std::uint32_t index) {
        Element& e = work_.graph.elements[index];
        std::vector<std::uint32_t> roots;
        for (const GivenEquation& g : e.given_equations) {
            for (const Expr& x : {g.lhs, g.rhs}) {
                if (!x.is_literal()) roots.push_back(x.node());
            }
        }
        const auto without_rates = [this](std::uint32_t n) {
            return (work_.leaves.of(*work_.graph.expressions, n) & expression::LeafKinds::derivative) == 0;
        };
        for (const std::uint32_t n : expression::reachable_until(*work_.graph.expressions, roots, without_rates)) {
            const expression::Node& node = (*work_.graph.expressions)[n];
            if (node.op != Op::derivative) continue;
            if (node.a < 2 * work_.graph.bond_components) continue;
            const SlotVariable& of = work_.graph.slot_variables[node.a - 2 * work_.graph.bond_components];
            if (of.element == ElementId(index)) e.slots[of.slot].kind = Element::Slot::Kind::state;
        }
    }

    Flattening& work_;
    bool names_only_;
};

}  // namespace

namespace {

std::vector<GivenEquation> equation_sides(Flattening& work, const Text& text, const EvaluationScope& scope,
                                          bool names_only) {
    expression::Syntax syntax;
    try {
        syntax = expression::parse_equation(text.text);
    } catch (const SyntaxError& error) {
        work.diagnostics.error("BG-X001", position_at(text, error.offset()), error.what());
        return {};
    }
    SourcePosition start = text.position;
    if (text.quoted) ++start.column;
    if (names_only) {
        check_names_of(work, syntax, start, scope);
        return {};
    }
    const auto lhs = evaluate_syntax(work, syntax, syntax.root, start, scope);
    const auto rhs = evaluate_syntax(work, syntax, syntax.right, start, scope);
    if (!lhs || !rhs) return {};
    if (differ(lhs->measure, rhs->measure)) {
        work.diagnostics.error("BG-U002", text.position,
                               fmt::format("the sides of '{}' differ: {} on the left, {} on the right", text.text,
                                           unit_name(lhs->measure), unit_name(rhs->measure)),
                               turns_notes("", rhs->measure, lhs->measure));
        return {};
    }
    const bool spread = rhs->is_scalar() && !lhs->is_scalar() && rhs->value(0, 0).is_constant(0.0);
    if (!spread && (lhs->value.rows() != rhs->value.rows() || lhs->value.cols() != rhs->value.cols())) {
        work.diagnostics.error("BG-M020", text.position,
                               fmt::format("the sides of '{}' have different sizes: {} on the left, {} on the right",
                                           text.text, shape_text(lhs->value), shape_text(rhs->value)));
        return {};
    }
    std::vector<GivenEquation> result;
    for (Eigen::Index k = 0; k < lhs->value.size(); ++k)
        result.push_back({lhs->value.data()[k], spread ? Expr(0.0) : rhs->value.data()[k], text.position});
    return result;
}

}  // namespace

std::vector<GivenEquation> evaluate_equation(Flattening& work, const Text& text, const EvaluationScope& scope,
                                             bool names_only) {
    std::vector<GivenEquation> result;
    tell_user(work, text, scope.number, [&] { result = equation_sides(work, text, scope, names_only); });
    return result;
}

void evaluate_laws(Flattening& work) { LawEvaluation(work).run(); }
void check_names_in_laws(Flattening& work) { LawEvaluation(work, true).run(); }

}  // namespace bondgraph::model
