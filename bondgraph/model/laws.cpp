// Passes of flattening that evaluate what users write as equations, and start values.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::Op;
using expression::SyntaxError;

namespace {

class LawEvaluation {
   public:
    explicit LawEvaluation(Flattening& work) : work_(work) {}

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
    void equation(std::uint32_t index, const Text& text, const EvaluationScope& scope) {
        expression::Syntax syntax;
        try {
            syntax = expression::parse_equation(text.text);
        } catch (const SyntaxError& error) {
            work_.diagnostics.error("BG-X001", position_at(text, error.offset()), error.what());
            return;
        }
        SourcePosition start = text.position;
        if (text.quoted) ++start.column;
        const auto lhs = evaluate_syntax(work_, syntax, syntax.root, start, scope);
        const auto rhs = evaluate_syntax(work_, syntax, syntax.right, start, scope);
        if (!lhs || !rhs) return;
        if (lhs->measure.known() && rhs->measure.known() && lhs->measure.dimension != rhs->measure.dimension) {
            work_.diagnostics.error("BG-U002", text.position,
                                    fmt::format("the sides of '{}' differ: {} on the left, {} on the right", text.text,
                                                unit_name(lhs->measure.dimension), unit_name(rhs->measure.dimension)));
            return;
        }
        const bool spread = rhs->is_scalar() && !lhs->is_scalar() && rhs->value(0, 0).is_constant(0.0);
        if (!spread && (lhs->value.rows() != rhs->value.rows() || lhs->value.cols() != rhs->value.cols())) {
            work_.diagnostics.error("BG-M020", text.position,
                                    fmt::format("the sides of '{}' have different sizes", text.text));
            return;
        }
        Element& e = work_.graph.elements[index];
        for (Eigen::Index k = 0; k < lhs->value.size(); ++k) {
            e.given_equations.push_back(
                {lhs->value.data()[k], spread ? Expr(0.0) : rhs->value.data()[k], text.position});
        }
    }

    // A law speaks of the ports that take power in; the heat an RS gives out follows from it.
    static bool in_law(const Port& port) { return port.direction == PortDirection::in; }

    // Names e, f, q, p of a primitive's own variables (vectors on several components; e1 or e[1] is one of them).
    std::optional<Quantity> own_name(std::uint32_t index, const std::string& name) {
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
                if (e.type->name == "ICF" && slot.name == name)
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
                energy(index, setting->value.scalar, scope);
                continue;
            }
            const std::size_t errors = work_.diagnostics.error_count();
            if (!setting->value.is_list) equation(index, setting->value.scalar, scope);
            for (const Value& item : setting->value.items) equation(index, item.scalar, scope);
            if (work_.diagnostics.error_count() == errors) count_equations(index, setting->value.position());
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

    void energy(std::uint32_t index, const Text& text, const EvaluationScope& scope) {
        try {
            const auto syntax = expression::parse_expression(text.text);
            SourcePosition start = text.position;
            if (text.quoted) ++start.column;
            const auto q = evaluate_syntax(work_, syntax, syntax.root, start, scope);
            if (q) work_.graph.elements[index].given_energy = q->value(0, 0);
        } catch (const SyntaxError& error) {
            work_.diagnostics.error("BG-X001", position_at(text, error.offset()), error.what());
        }
    }

    void own_equations(std::uint32_t index) {
        const TypeDeclaration& type = *work_.graph.elements[index].declaration;
        EvaluationScope scope = scope_of(work_, work_.origins[index].inner_scope);
        scope.derivative = [this](const Quantity& of) -> std::optional<Quantity> {
            if (!of.is_scalar() || of.value(0, 0).is_literal()) return std::nullopt;
            const expression::Node& node = (*work_.graph.expressions)[of.value(0, 0).node()];
            if (node.op != Op::variable) return std::nullopt;
            const Measure m =
                of.measure.known() ? Measure::of(of.measure.dimension / Dimension{.second = 1}) : Measure{};
            return Quantity::scalar(work_.graph.expressions->derivative(node.a), m);
        };
        const std::size_t errors = work_.diagnostics.error_count();
        for (const Text& text : type.body.equations) equation(index, text, scope);
        if (type.energy) energy(index, *type.energy, scope);
        mark_states(index);
        const Element& e = work_.graph.elements[index];
        std::size_t unknowns = 0;
        for (const Port& p : e.ports) unknowns += p.size;
        for (const Element::Slot& s : e.slots) unknowns += s.size;
        if (e.given_equations.size() == unknowns || work_.diagnostics.error_count() > errors) return;
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
        for (const std::uint32_t n : expression::reachable(*work_.graph.expressions, roots)) {
            const expression::Node& node = (*work_.graph.expressions)[n];
            if (node.op != Op::derivative) continue;
            for (Element::Slot& s : e.slots) {
                if (work_.graph.slot_variable(s.first).value == node.a) s.kind = Element::Slot::Kind::state;
            }
        }
    }

    Flattening& work_;
};

class StartEvaluation {
   public:
    explicit StartEvaluation(Flattening& work) : work_(work) {}

    void run() {
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const auto& origin = work_.origins[i];
            settings(i, "", origin.declaration->initial, origin.scope, true);
            settings(i, "", origin.declaration->guess, origin.scope, false);
            nominals(i, origin);
            declared_starts(i);
        }
        for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) composite(s);
    }

   private:
    void composite(std::uint32_t s) {
        const Scope& scope = work_.scopes[s];
        if (scope.self.valid() || scope.instance == nullptr) return;
        for (const bool fixed : {true, false}) {
            for (const Setting& setting : fixed ? scope.instance->initial : scope.instance->guess) {
                const auto dot = setting.key.text.rfind('.');
                const auto element =
                    dot == std::string::npos
                        ? work_.graph.element_by_name.end()
                        : work_.graph.element_by_name.find(scope.prefix + setting.key.text.substr(0, dot));
                if (element == work_.graph.element_by_name.end()) {
                    work_.diagnostics.error(
                        "BG-M018", setting.key.position,
                        fmt::format("'{}' has no variable '{}'", scope.prefix.substr(0, scope.prefix.size() - 1),
                                    setting.key.text),
                        {{"try", "name the part inside: initial: {part.variable: value}"}});
                    continue;
                }
                one(element->second.value, setting.key.text.substr(dot + 1), setting, scope.outer, fixed);
            }
        }
    }

    std::vector<std::string> names(const Element& e) const {
        std::vector<std::string> result;
        for (const Element::Slot& s : e.slots) {
            if (s.kind == Element::Slot::Kind::state || e.declaration != nullptr) result.push_back(s.name);
        }
        for (const StateSpec& s : e.type->states) {
            if (!s.covariable.empty()) result.emplace_back(s.covariable);
        }
        return result;
    }

    void settings(std::uint32_t i, const std::string&, const std::vector<Setting>& list, std::uint32_t scope,
                  bool fixed) {
        for (const Setting& s : list) one(i, s.key.text, s, scope, fixed);
    }

    void one(std::uint32_t i, const std::string& key, const Setting& setting, std::uint32_t scope, bool fixed) {
        const Element& e = work_.graph.elements[i];
        const auto known = names(e);
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            std::string all;
            for (const std::string& n : known) all += (all.empty() ? "" : ", ") + n;
            work_.diagnostics.error(
                "BG-M018", setting.key.position,
                known.empty() ? fmt::format("'{}' ({}) has no state: it takes no start value", e.name, e.type->name)
                              : fmt::format("'{}' ({}) has no start value '{}'{}", e.name, e.type->name, key,
                                            did_you_mean(key, known)),
                known.empty() ? std::vector<DiagnosticNote>{} : std::vector<DiagnosticNote>{{"try", "one of " + all}});
            return;
        }
        auto q = evaluate_value(work_, setting.value, scope);
        if (!q) return;
        const auto variable = element_variable(work_.graph, ElementId(i), key);
        if (!variable) return;
        if (q->measure.known() && variable->measure.known() && q->measure.dimension != variable->measure.dimension) {
            work_.diagnostics.error(
                "BG-U002", setting.value.position(),
                fmt::format("'{}' of '{}' is in {}, not {}", key, e.name, unit_name(variable->measure.dimension),
                            unit_name(q->measure.dimension)));
            return;
        }
        if (!q->is_scalar() && q->value.size() != variable->value.size()) {
            work_.diagnostics.error(
                "BG-M010", setting.value.position(),
                fmt::format("'{}' of '{}' has {} component{}, the list has {}", key, e.name, variable->value.size(),
                            variable->value.size() == 1 ? "" : "s", q->value.size()));
            return;
        }
        if (q->is_scalar()) {
            const Expr x = q->value(0, 0);
            q->value = ExprMatrix::Constant(variable->value.rows(), 1, x);
        }
        work_.graph.elements[i].starts.push_back({key, *std::move(q), setting.value.position(), fixed});
    }

    // `start:` of an own type's variable is a fixed start when the variable is a state, a guess otherwise.
    void declared_starts(std::uint32_t i) {
        Element& e = work_.graph.elements[i];
        if (e.declaration == nullptr) return;
        for (const VariableDeclaration& v : e.declaration->body.variables) {
            if (!v.start) continue;
            const bool overridden = std::any_of(e.starts.begin(), e.starts.end(),
                                                [&](const StartValue& s) { return s.variable == v.name.text; });
            if (overridden) continue;
            auto q = evaluate_value(work_, *v.start, work_.origins[i].inner_scope);
            if (q)
                e.starts.push_back({v.name.text, *std::move(q), v.start->position(),
                                    e.slot(v.name.text)->kind == Element::Slot::Kind::state});
        }
    }

    void nominals(std::uint32_t i, const Flattening::Origin& origin) {
        for (const Setting& s : origin.declaration->nominal) {
            Element& e = work_.graph.elements[i];
            if (e.slot(s.key.text) == nullptr) {
                std::vector<std::string> known;
                for (const Element::Slot& slot : e.slots) known.push_back(slot.name);
                work_.diagnostics.error(
                    "BG-M018", s.key.position,
                    fmt::format("'{}' has no state '{}'{}", e.name, s.key.text, did_you_mean(s.key.text, known)));
                continue;
            }
            const auto q = evaluate_value(work_, s.value, origin.scope);
            if (!q || !q->value(0, 0).is_constant()) continue;
            const double v = q->value(0, 0).constant();
            if (!(v > 0)) {
                work_.diagnostics.error("BG-M013", s.value.position(), "a nominal value is greater than 0");
                continue;
            }
            work_.graph.elements[i].nominals.emplace_back(s.key.text, v);
        }
    }

    Flattening& work_;
};

}  // namespace

void evaluate_laws(Flattening& work) { LawEvaluation(work).run(); }
void evaluate_starts(Flattening& work) { StartEvaluation(work).run(); }

}  // namespace bondgraph::model
