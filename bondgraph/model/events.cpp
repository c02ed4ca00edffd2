// Passes of flattening that evaluate what happens at events and what holds at the start only.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::Node;
using expression::Op;
using expression::SyntaxError;
using expression::SyntaxKind;
using expression::SyntaxNode;

namespace {

std::optional<VariableId> variable_in(const BondGraph& g, const Expr& x) {
    if (x.is_literal()) return std::nullopt;
    const Node& node = (*g.expressions)[x.node()];
    if (node.op != Op::variable) return std::nullopt;
    return VariableId(std::size_t{node.a});
}

bool is_state(const BondGraph& g, VariableId id) {
    if (id.value < 2 * g.bond_components) return false;
    const SlotVariable& s = g.slot_variables[id.value - 2 * g.bond_components];
    return g.elements[s.element.index()].slots[s.slot].kind == Element::Slot::Kind::state;
}

// ---- pre(), edge(), change(), sample() ------------------------------------------------------------------------------

Quantity sample_call(Flattening& work, const SyntaxNode& call, const std::vector<Quantity>& arguments) {
    std::array<double, 2> numbers{};
    for (std::size_t i = 0; i < 2; ++i) {
        const Measure& m = arguments[i].measure;
        if (m.known() && m.dimension != Dimension{.second = 1}) {
            throw SyntaxError(call.offset, fmt::format("sample(start, period) takes times, not a value in {}",
                                                       unit_name(m.dimension)));
        }
        const Expr& x = arguments[i].value(0, 0);
        if (!x.is_constant() || !std::isfinite(x.constant()))
            throw SyntaxError(call.offset, "sample(start, period) takes known numbers");
        numbers[i] = x.constant();
    }
    if (!(numbers[1] > 0.0)) {
        throw SyntaxError(call.offset,
                          fmt::format("the period of sample(start, period) is greater than 0, not {:g}", numbers[1]));
    }
    return Quantity::scalar(work.graph.sample_flag(sample_of(work.graph, numbers[0], numbers[1])), Measure::number());
}

/// machine(n, x) is x; what it says of the variable that it determines, `evaluate_laws` and `evaluate_starts` look at.
Quantity machine_call(const SyntaxNode& call, const std::vector<Quantity>& arguments) {
    const Expr& count = arguments[0].value(0, 0);
    if (!count.is_constant() || !(count.constant() >= 1.0) || count.constant() != std::floor(count.constant()))
        throw SyntaxError(call.offset, "machine(n, x) takes the number of states, a whole number from 1 on");
    return arguments[1];
}

Quantity event_call(Flattening& work, const SyntaxNode& call, const std::vector<Quantity>& arguments) {
    if (call.text == "sample") return sample_call(work, call, arguments);
    if (call.text == "machine") return machine_call(call, arguments);
    const BondGraph& g = work.graph;
    const Expr value = arguments[0].value(0, 0);
    const auto id = variable_in(g, value);
    const auto discrete = id ? g.discrete_of(*id) : std::nullopt;
    if (!discrete) {
        throw SyntaxError(call.offset,
                          fmt::format("{}() takes a variable that changes at events only (declared with 'type:'); in "
                                      "'when:' other variables have their values just before the event anyway",
                                      call.text));
    }
    const Expr previous = g.previous_value(*discrete);
    if (call.text == "pre") return {ExprMatrix::Constant(1, 1, previous), arguments[0].measure};
    if (call.text == "change")
        return Quantity::scalar(expression::apply(Op::not_equal, value, previous), Measure::number());
    if (g.discretes[*discrete].type != ValueType::boolean)
        throw SyntaxError(call.offset, "edge() takes a boolean variable; change() any that changes at events");
    return Quantity::scalar(expression::apply(Op::logical_and, value, expression::apply(Op::logical_not, previous)),
                            Measure::number());
}

// ---- when -----------------------------------------------------------------------------------------------------------

class WhenEvaluation {
   public:
    WhenEvaluation(Flattening& work, bool names_only) : work_(work), names_only_(names_only) {}

    void run() {
        if (!names_only_) note_updates();
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) {
            for (const WhenDeclaration& when : work_.scopes[s].body->whens) one(s, when);
        }
        const bool gaps = std::any_of(work_.scopes.begin(), work_.scopes.end(),
                                      [](const Scope& scope) { return scope.body->gaps.any(); });
        if (!names_only_ && !gaps && !work_.diagnostics.has_errors()) warn_of_constants();
    }

   private:
    /// Discrete variables that an equation or the law of a component determines.
    void note_updates() {
        for (const Element& e : work_.graph.elements) {
            for (const GivenEquation& g : e.given_updates) {
                if (const auto id = variable_in(work_.graph, g.lhs)) determined_.emplace(id->value, g.position);
            }
            if (e.declaration != nullptr) continue;
            for (const Element::Slot& s : e.slots) {
                if (s.kind == Element::Slot::Kind::discrete)
                    determined_.emplace(work_.graph.slot_variable(s.first).value, SourcePosition{});
            }
        }
    }

    /// Discrete variables that nothing ever changes: likely an equation or a `set:` was forgotten.
    void warn_of_constants() {
        const BondGraph& g = work_.graph;
        std::vector<bool> changes(g.discretes.size(), false);
        for (std::size_t d = 0; d < changes.size(); ++d)
            changes[d] = determined_.contains(g.discretes[d].variable.value);
        for (const When& when : g.whens) {
            for (const WhenAction& a : when.actions) {
                const auto id = a.kind == WhenAction::Kind::set ? variable_in(g, a.target) : std::nullopt;
                if (const auto d = id ? g.discrete_of(*id) : std::nullopt) changes[*d] = true;
            }
        }
        for (std::size_t d = 0; d < changes.size(); ++d) {
            if (changes[d]) continue;
            const std::string name = g.variable_name(g.discretes[d].variable);
            work_.diagnostics.warning(
                "BG-M047", g.discretes[d].position, fmt::format("'{}' never changes", name),
                {{"because", "it has no equation, and no 'when:' sets it"},
                 {"try", "give it an equation, or 'set:' it in a 'when:'; a constant is better a parameter"}});
        }
    }

    void one(std::uint32_t s, const WhenDeclaration& declaration) {
        const std::size_t errors = work_.diagnostics.error_count();
        When when{.text = declaration.condition.text,
                  .element = work_.scopes[s].self,
                  .position = declaration.condition.position};
        const std::string& prefix = work_.scopes[s].prefix;
        if (!prefix.empty()) when.instance = prefix.substr(0, prefix.size() - 1);
        if (declaration.warn) when.warning = declaration.warn->text;
        if (declaration.fail) when.failure = declaration.fail->text;
        const EvaluationScope scope = event_scope_of(work_, s);
        Value text;
        text.scalar = declaration.condition;
        const auto condition = value(s, text, scope);
        if (condition) check_condition(declaration.condition, *condition);
        for (const Setting& target : declaration.reinit) action(s, target, scope, WhenAction::Kind::reinit, when);
        for (const Setting& target : declaration.set) action(s, target, scope, WhenAction::Kind::set, when);
        if (!condition || names_only_ || work_.diagnostics.error_count() > errors) return;
        when.condition = condition->value(0, 0);
        if (compares_continuous_for_equality(work_.graph, when.condition)) {
            work_.diagnostics.warning(
                "BG-M048", declaration.condition.position,
                fmt::format("'{}' is hardly ever true", declaration.condition.text),
                {{"because", "what changes continuously passes a value between two steps; == is not looked for there"},
                 {"try", "write >= or <=: it becomes true as the value is passed"}});
        }
        work_.graph.whens.push_back(std::move(when));
    }

    void check_condition(const Text& text, const Quantity& q) {
        if (q.is_scalar() && (is_unknown(q) || is_condition(work_.graph, q.value(0, 0)))) return;
        work_.diagnostics.error("BG-M044", text.position, fmt::format("'{}' is not a condition", text.text),
                                {{"because", "what is done under 'when:' is done as a condition becomes true"},
                                 {"try", "compare two values, as in 'x > 0'"}});
    }

    /// Nothing where only names are checked.
    std::optional<Quantity> value(std::uint32_t s, const Value& v, const EvaluationScope& scope) {
        if (!names_only_) return evaluate_value(work_, v, s, &scope);
        for (const Value& item : v.items) value(s, item, scope);
        if (!v.is_list && !parse_number(v.scalar, work_.units, work_.diagnostics))
            check_expression_names(v.scalar, scope);
        return std::nullopt;
    }

    void check_expression_names(const Text& text, const EvaluationScope& scope) {
        try {
            std::vector<SyntaxError> mistakes;
            check_names(expression::parse_expression(text.text), scope, mistakes);
            for (const SyntaxError& e : mistakes)
                work_.diagnostics.error("BG-X001", position_at(text, e.offset()), e.what());
        } catch (const SyntaxError& e) {
            work_.diagnostics.error("BG-X001", position_at(text, e.offset()), e.what());
        }
    }

    void action(std::uint32_t s, const Setting& setting, const EvaluationScope& scope, WhenAction::Kind kind,
                When& when) {
        const auto to = target(setting.key, scope);
        const auto from = value(s, setting.value, scope);
        if (names_only_ || !to || !from || is_unknown(*to)) return;
        if (!check_target(setting.key, *to, kind)) return;
        if (differ(to->measure, from->measure)) {
            const auto named = resolve_name(work_.graph, work_.scopes[s].prefix + setting.key.text);
            work_.diagnostics.error("BG-U002", setting.value.position(),
                                    fmt::format("'{}' is in {}, not {}", setting.key.text,
                                                named ? named->unit : unit_name(to->measure), unit_name(from->measure)),
                                    turns_notes(setting.value.scalar.text, from->measure, to->measure));
            return;
        }
        const auto n = to->value.size();
        if (!from->is_scalar() && from->value.size() != n) {
            tell_user(work_, setting.value, s, [&] {
                work_.diagnostics.error("BG-M010", setting.value.position(),
                                        fmt::format("'{}' has {} component{}, its new value {}", setting.key.text, n,
                                                    n == 1 ? "" : "s", from->value.size()));
            });
            return;
        }
        for (Eigen::Index k = 0; k < n; ++k) {
            const Expr x = from->value(from->is_scalar() ? 0 : k, 0);
            if (kind == WhenAction::Kind::set && !check_value_type(setting, to->value(k, 0), x)) return;
            when.actions.push_back(
                {.kind = kind,
                 .name = work_.scopes[s].prefix + setting.key.text + (n > 1 ? fmt::format("[{}]", k + 1) : ""),
                 .target = to->value(k, 0),
                 .value = x,
                 .position = setting.key.position});
        }
    }

    /// What a name, perhaps with an index, stands for.
    std::optional<Quantity> target(const Text& text, const EvaluationScope& scope) {
        if (names_only_) {
            check_expression_names(text, scope);
            return std::nullopt;
        }
        try {
            const auto syntax = expression::parse_expression(text.text);
            const SyntaxKind kind = syntax.nodes[syntax.root].kind;
            if (kind != SyntaxKind::name && kind != SyntaxKind::index)
                throw SyntaxError(0, fmt::format("'{}' is no name: only a variable takes a new value", text.text));
            SourcePosition start = text.position;
            if (text.quoted) ++start.column;
            return evaluate_syntax(work_, syntax, syntax.root, start, scope);
        } catch (const SyntaxError& e) {
            work_.diagnostics.error("BG-X001", position_at(text, e.offset()), e.what());
            return std::nullopt;
        }
    }

    bool check_target(const Text& name, const Quantity& to, WhenAction::Kind kind) {
        for (const Expr& x : to.value.reshaped()) {
            const auto id = variable_in(work_.graph, x.is_constant() ? x : without_sign(x));
            const bool discrete = id && work_.graph.discrete_of(*id).has_value();
            if (kind == WhenAction::Kind::set) {
                if (!discrete) return wrong_target(name, id.has_value(), kind);
                if (!check_free(name, *id)) return false;
            } else if (!id || discrete) {
                return wrong_target(name, discrete, kind);
            }
        }
        return true;
    }

    /// Flows seen from a port may be those of the bond with the opposite sign.
    Expr without_sign(Expr x) const {
        const Node& node = (*work_.graph.expressions)[x.node()];
        return node.op == Op::negate ? work_.graph.expressions->at(node.a) : x;
    }

    bool wrong_target(const Text& name, bool other_kind, WhenAction::Kind kind) {
        const bool reinit = kind == WhenAction::Kind::reinit;
        work_.diagnostics.error(
            "BG-M045", name.position, fmt::format("'{}' can't be {}", name.text, reinit ? "reinitialized" : "set"),
            {{"because", !other_kind ? "it is no variable"
                         : reinit    ? "it changes at events only"
                                     : "it changes between events; only variables declared with 'type:' are set"},
             {"try", !other_kind ? (reinit ? "name a state, or what a state determines" : "name a discrete variable")
                     : reinit    ? fmt::format("set: {{{}: …}}", name.text)
                                 : fmt::format("reinit: {{{}: …}}", name.text)}});
        return false;
    }

    bool check_free(const Text& name, VariableId id) {
        const auto found = determined_.find(id.value);
        if (found == determined_.end()) return true;
        work_.diagnostics.error("BG-M042", name.position, fmt::format("'{}' can't be set", name.text),
                                {{"because", found->second.known() ? "an equation of its type determines it"
                                                                   : "the law of its component determines it"}});
        return false;
    }

    bool check_value_type(const Setting& setting, const Expr& to, const Expr& value) {
        const auto id = variable_in(work_.graph, to);
        return check_discrete_value(work_, *work_.graph.discrete_of(*id), value, setting.key.text,
                                    setting.value.position());
    }

    Flattening& work_;
    bool names_only_;
    std::unordered_map<std::uint32_t, SourcePosition> determined_;
};

// ---- What holds at the start only -----------------------------------------------------------------------------------

class StartConditions {
   public:
    StartConditions(Flattening& work, bool names_only) : work_(work), names_only_(names_only) {}

    void run() {
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) equations(s);
        if (!names_only_) rest();
    }

   private:
    void equations(std::uint32_t s) {
        EvaluationScope scope = scope_of(work_, s);
        scope.derivative = [this](const Quantity& of) { return rate(of); };
        for (const Text& text : work_.scopes[s].body->initial_equations) {
            const auto given = evaluate_equation(work_, text, scope, names_only_);
            const ElementId self = work_.scopes[s].self;
            auto& list =
                self.valid() ? work_.graph.elements[self.index()].initial_equations : work_.graph.initial_equations;
            list.insert(list.end(), given.begin(), given.end());
        }
    }

    std::optional<Quantity> rate(const Quantity& of) const {
        Quantity result = of;
        for (Expr& x : result.value.reshaped()) {
            const auto id = variable_in(work_.graph, x);
            if (!id || !is_state(work_.graph, *id)) return std::nullopt;
            x = work_.graph.expressions->derivative(id->value);
        }
        result.measure = of.measure.known() ? Measure::of(of.measure.dimension / Dimension{.second = 1}) : Measure{};
        return result;
    }

    void rest() {
        work_.graph.steady = work_.model.body.steady;
        // Scopes and elements come after the instance that holds them.
        std::vector<bool> at_rest(work_.scopes.size(), false);
        for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) {
            const Scope& scope = work_.scopes[s];
            at_rest[s] =
                scope.body->steady || (scope.instance != nullptr && scope.instance->steady) || at_rest[scope.outer];
        }
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            Element& e = work_.graph.elements[i];
            const auto& origin = work_.origins[i];
            e.steady =
                at_rest[e.declaration != nullptr ? origin.inner_scope : origin.scope] || origin.declaration->steady;
            if (origin.declaration->steady) check_has_state(e);
        }
    }

    void check_has_state(const Element& e) {
        if (e.declaration != nullptr && (!e.declaration->body.components.empty() || e.declaration->body.gaps.any()))
            return;
        const bool any = std::any_of(e.slots.begin(), e.slots.end(),
                                     [](const Element::Slot& s) { return s.kind == Element::Slot::Kind::state; });
        if (any) return;
        work_.diagnostics.error(
            "BG-M018", e.position,
            fmt::format("'{}' ({}) has no state that could start at rest", e.name,
                        e.declaration != nullptr ? e.declaration->name.text : std::string(e.type->name)));
    }

    Flattening& work_;
    bool names_only_;
};

}  // namespace

std::uint32_t sample_of(BondGraph& graph, double start, double period) {
    for (std::size_t i = 0; i < graph.samples.size(); ++i) {
        if (graph.samples[i].start == start && graph.samples[i].period == period) return static_cast<std::uint32_t>(i);
    }
    graph.samples.push_back({start, period});
    return static_cast<std::uint32_t>(graph.samples.size() - 1);
}

EvaluationScope event_scope_of(Flattening& work, std::uint32_t scope) {
    EvaluationScope names = scope_of(work, scope);
    names.at_events = [&work](const SyntaxNode& call, const std::vector<Quantity>& arguments) {
        return event_call(work, call, arguments);
    };
    return names;
}

bool has_sample(const BondGraph& graph, Expr e) {
    if (graph.samples.empty() || e.is_literal()) return false;
    const std::size_t first = graph.first_sample();
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
        return (*graph.expressions)[n].op == Op::held && (*graph.expressions)[n].a >= first;
    });
}

void evaluate_events(Flattening& work) {
    StartConditions(work, false).run();
    WhenEvaluation(work, false).run();
    check_conditions_and_order(work);
}

void check_names_in_events(Flattening& work) {
    StartConditions(work, true).run();
    WhenEvaluation(work, true).run();
}

}  // namespace bondgraph::model
