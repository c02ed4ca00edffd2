// Passes of flattening that give elements their variables and evaluate parameters, laws and start values.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "bondgraph/model/declare_parameters.hpp"
#include "bondgraph/model/former_names.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/parameter_checks.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::SyntaxError;

namespace {

class ParameterEvaluation {
   public:
    explicit ParameterEvaluation(Flattening& work) : work_(work) {}

    void run() {
        declare_adjustable();
        declare_free();
        work_.check_declared = true;
        for (std::uint32_t s = 0; s < work_.scopes.size() && !work_.overrides.empty(); ++s) replaced(s);
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) {
            declared(s);
            check_requirements(work_, s);
        }
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) element(i);
        for (Element& e : work_.graph.elements) mark_structural(e);
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            sample(work_.graph.elements[i]);
            delay(i);
        }
        for (std::uint32_t i = 0; i < work_.scopes.size(); ++i) {
            const Scope& s = work_.scopes[i];
            if (instance_around(work_, i) != nullptr) continue;  // the model's own, and those of its records
            for (const auto& [name, value] : s.values) work_.graph.parameters.emplace(s.prefix + name, value.result);
        }
    }

   private:
    // What has been evaluated already decides what the model consists of, and is no input.
    void declare_adjustable() {
        if (work_.adjustable.empty()) return;
        auto& list = work_.graph.adjustable;
        for (const std::string& name : work_.adjustable) {
            adjustable_.emplace(name, static_cast<std::uint32_t>(list.size()));
            list.push_back({.name = name});
        }
        for (Scope& s : work_.scopes) {
            for (auto& [name, value] : s.values) {
                const auto at = adjustable_.find(s.prefix + name);
                if (at != adjustable_.end() && value.state == ScopeValue::State::waiting && !value.free)
                    value.adjustable = at->second;
            }
        }
    }

    // Free parameters come before samples among the held values: all are known before any expression is evaluated.
    void declare_free() {
        for (Scope& s : work_.scopes) {
            for (const ParameterDeclaration& d : s.body->parameters) {
                if (d.record) continue;  // a scope of its own
                ScopeValue& value = s.values.at(d.name.text);
                if (value.free && value.signal != nullptr) report_free_signal(s.prefix + d.name.text, *value.signal);
                if (value.free && value.driven.size() > 0)
                    report_free_signal(s.prefix + d.name.text, *value.driven.signals.front().from);
                if (!value.free || value.signal != nullptr) continue;
                value.number = add_free(s.prefix + d.name.text);
            }
        }
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.declaration != nullptr) continue;
            for (const Setting& s : work_.origins[i].declaration->settings) {
                if (s.free) free_.emplace(&s, add_free(e.name + "." + s.key.text));
            }
        }
    }

    std::uint32_t add_free(std::string name) {
        auto& list = work_.graph.free_parameters;
        list.push_back({.name = std::move(name)});
        return static_cast<std::uint32_t>(list.size() - 1);
    }

    void report_free_signal(const std::string& name, const Text& signal) {
        work_.diagnostics.error("BG-M043", signal.position,
                                fmt::format("'{}' is free and can't take a signal: the start determines it", name));
    }

    void mark_structural(const Element& e) {
        for (const DiscreteSpec& spec : e.type->discretes) {
            const Element::Slot* slot = e.slot(spec.name);
            if (slot != nullptr && spec.structural != nullptr)
                work_.graph.discretes[slot->first_discrete].structural = spec.structural(e);
        }
    }

    void delay(std::uint32_t index) {
        Element& e = work_.graph.elements[index];
        if (!e.type->delays) return;
        e.delay = static_cast<std::uint32_t>(work_.graph.delays.size());
        work_.graph.delays.push_back({ElementId(std::size_t{index})});
        const Quantity* time = e.parameter("T");
        if (time == nullptr || !varies(time->value(0, 0)) || e.parameter("T_max") != nullptr) return;
        work_.diagnostics.error("BG-M096", e.position,
                                fmt::format("'{}' needs 'T_max': its delay 'T' is a signal", e.name),
                                {{"because", "what it forgets has to be known"},
                                 {"try", "give the longest delay that occurs, 'T_max: 2 s'"}});
    }

    bool varies(const Expr& x) const {
        if (x.is_literal()) return false;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(*work_.graph.expressions, roots);
        return std::ranges::any_of(nodes, [&](std::uint32_t n) {
            const auto op = (*work_.graph.expressions)[n].op;
            return op == expression::Op::variable || op == expression::Op::time;
        });
    }

    void sample(Element& e) {
        if (!e.type->sampled) return;
        std::array<double, 2> numbers{0.0, 1.0};
        for (std::size_t i = 0; i < 2; ++i) {
            const Quantity* q = e.parameter(i == 0 ? "start" : "period");
            if (q == nullptr) return;  // reported
            const Expr x = q->value(0, 0);
            numbers[i] = x.is_constant() ? x.constant() : std::nan("");
            if (x.is_constant() && std::isnan(numbers[i])) return;  // reported
            if (i == 1 && numbers[i] <= 0.0) return;                // reported
            if (std::isfinite(numbers[i])) continue;
            work_.diagnostics.error("BG-M013", e.position,
                                    fmt::format("'{}' of '{}' must be a known number{}", i == 0 ? "start" : "period",
                                                e.name, i == 0 ? "" : " greater than 0"));
            return;
        }
        e.sample = sample_of(work_.graph, numbers[0], numbers[1]);
    }

    // Before anything is computed from them: what they are handed on to sees the unit it should be in.
    void replaced(std::uint32_t scope) {
        for (auto& [name, value] : work_.scopes[scope].values) {
            if (value.replaced == nullptr || (value.declaration != nullptr && value.declaration->unit)) continue;
            const auto q = lookup(work_, scope, name);
            if (q) check_replaced(work_.scopes[scope].prefix + name, *value.value, *value.replaced, {}, value.result);
        }
    }

    /// A value from the command line is in the unit of what it replaces; reported otherwise. That is a number, or where
    /// `scope` is given what may be named there, all of which has been evaluated.
    void check_replaced(const std::string& name, const Value& value, const Value& before,
                        std::optional<std::uint32_t> scope, Quantity& q) {
        if (before.is_list && !scope) return;
        Diagnostics kept;
        std::swap(kept, work_.diagnostics);  // what is wrong with a value that isn't used is no matter
        const auto number = scope ? evaluate_value(work_, before, *scope)
                                  : parse_number(before.scalar, work_.units, work_.diagnostics, {});
        std::swap(kept, work_.diagnostics);
        if (kept.has_errors() || !number || !number->measure.known() || !q.measure.known()) return;
        if (!differ(q.measure, number->measure)) return;
        work_.diagnostics.error(
            "BG-U002", value.position(),
            fmt::format("'{}' is in {}, not {}", name, written_unit(before, *number), written_unit(value, q)),
            turns_notes(value.scalar.text, q.measure, number->measure));
        q.measure = number->measure;
    }

    void declared(std::uint32_t scope) {
        std::vector<std::string> names;
        for (const auto& [name, value] : work_.scopes[scope].values) names.push_back(name);
        std::sort(names.begin(), names.end());  // the message about a circle begins at the name met first
        for (const std::string& name : names) {
            ScopeValue& v = work_.scopes[scope].values.at(name);
            if (v.instead != nullptr) continue;  // only who names it misses its value
            if (lookup(work_, scope, name)) check_declared(work_, scope, v);
        }
    }

    void element(std::uint32_t index) {
        Element& e = work_.graph.elements[index];
        const auto& origin = work_.origins[index];
        e.parameters.resize(e.type->parameters.size());
        e.parameter_positions.resize(e.type->parameters.size());
        std::vector<std::pair<int, std::vector<std::string>>> given_by_group;
        for (std::size_t k = 0; k < e.type->parameters.size(); ++k) parameter(index, k, origin);
        check_groups(index);
        for (const auto& [name, source] : origin.signals) signal_input(index, name, source);
        for (const auto& [name, driven] : origin.driven) component_inputs(index, name, driven);
        if (work_.joined) check_sizes(work_.graph.elements[index], origin);
        for (const Setting& s : origin.declaration->settings) {
            if (is_input(*e.type, s.key.text)) {
                if (s.free) {
                    work_.diagnostics.error("BG-M043", s.key.position,
                                            fmt::format("input '{}.{}' can't be free", e.name, s.key.text));
                }
                const auto q = evaluate_value(work_, s.value, origin.scope);
                if (q) tell_user(work_, s.value, origin.scope, [&] { add_input(index, s.key.text, s.value, *q); });
            }
        }
        check_inputs(index);
    }

    static bool is_input(const ComponentType& type, const std::string& key) {
        for (const ParameterSpec& p : type.parameters) {
            if (p.name == key) return false;
        }
        for (const SignalSpec& s : type.inputs) {
            if (s.many ? input_number(key).has_value() : s.name == key) return true;
        }
        return false;
    }

    void signal_input(std::uint32_t index, const std::string& name,
                      const std::pair<const Text*, std::uint32_t>& source) {
        Value value;
        value.scalar = *source.first;
        const auto q = evaluate_value(work_, value, source.second);
        if (!q) return;
        tell_user(work_, value, source.second, [&] {
            Element& e = work_.graph.elements[index];
            for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
                if (e.type->parameters[k].name != name) continue;
                if (check_driven_shape(work_, index, k, *source.first, *q)) e.parameters[k] = *q;
                e.parameter_positions[k] = source.first->position;
                return;
            }
            add_input(index, name, value, *q);
        });
    }

    /// A mistake has been reported: what is computed from it is unknown, and nothing more is said of it.
    void add_input(std::uint32_t index, const std::string& name, const Value& source, const Quantity& q) {
        const bool fits = check_single_input(work_, index, name, source, q);
        work_.graph.elements[index].inputs.emplace_back(name, fits ? q : unknown_quantity());
    }

    void component_inputs(std::uint32_t index, const std::string& name, const DrivenComponents& driven) {
        const Element& e = work_.graph.elements[index];
        const auto spec = std::find_if(e.type->parameters.begin(), e.type->parameters.end(),
                                       [&](const ParameterSpec& p) { return p.name == name; });
        const auto k = static_cast<std::size_t>(spec - e.type->parameters.begin());
        if (!e.parameters[k] && find_setting(*work_.origins[index].declaration, name) != nullptr) return;  // reported
        // One number would stand for all components.
        std::size_t least = e.type->build != nullptr && e.type->parameters[k].shape != Shape::scalar ? 2 : 1;
        for (const Port& p : e.ports) least = std::max<std::size_t>(least, p.size > 1 ? 2 : 1);
        const auto q = with_components(work_, e.parameters[k], driven, e.name + "." + name, least);
        if (!q) return;
        work_.graph.elements[index].parameters[k] = *q;
        work_.graph.elements[index].parameter_positions[k] = driven.signals.front().from->position;
    }

    // Sizes are inferred from lists and from names of lists; what an expression makes of them is known only now.
    void check_sizes(const Element& e, const Flattening::Origin& origin) {
        if (e.type->pattern != PortPattern::fixed || e.ports.empty() || e.owner.valid() || e.type->build != nullptr ||
            e.type->is_own_type())
            return;
        const bool heated = !e.type->ports.empty() && e.type->ports.back().heat;
        const auto rows = static_cast<Eigen::Index>((heated ? e.ports.front() : e.ports.back()).size);
        const auto columns = static_cast<Eigen::Index>(e.ports.front().size);
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            const ParameterSpec& spec = e.type->parameters[k];
            if (!e.parameters[k] || spec.kind != ParameterKind::number || spec.shape == Shape::scalar ||
                spec.shape == Shape::table || e.parameters[k]->is_scalar())
                continue;
            const ExprMatrix& m = e.parameters[k]->value;
            if (m.rows() == rows && (m.cols() == columns || m.cols() == 1)) continue;
            const std::string shape = m.cols() == 1 ? fmt::format("{} components", m.rows())
                                                    : fmt::format("{} x {} entries", m.rows(), m.cols());
            const auto report = [&] {
                work_.diagnostics.error(
                    "BG-M010", e.parameter_positions[k],
                    fmt::format("'{}' of '{}' has {}, its bond has size {}", spec.name, e.name, shape, rows),
                    {{"because", "the size of an expression is not known when those of the bonds are found"},
                     {"try", fmt::format("write 'size: {}' for '{}'", m.rows(), e.name)}});
            };
            const Setting* setting = find_setting(*origin.declaration, spec.name);
            if (setting == nullptr)
                report();
            else
                tell_user(work_, setting->value, origin.scope, report);
        }
    }

    void check_inputs(std::uint32_t index) {
        const Element& e = work_.graph.elements[index];
        const auto& origin = work_.origins[index];
        if (origin.declaration->flawed || work_.gaps(origin.scope).signals) return;
        const auto& signals = origin.signals;  // also those whose source is wrong, which has been reported
        for (const SignalSpec& s : e.type->inputs) {
            if (s.many) {
                check_numbered_inputs(work_, index);
                continue;
            }
            const bool found =
                std::any_of(e.inputs.begin(), e.inputs.end(), [&](const auto& i) { return i.first == s.name; });
            const bool named =
                std::any_of(signals.begin(), signals.end(), [&](const auto& signal) { return signal.first == s.name; });
            if (found || named || find_setting(*origin.declaration, s.name) != nullptr) continue;
            work_.diagnostics.error(
                "BG-M019", e.position, fmt::format("input '{}.{}' is not connected", e.name, s.name),
                {{"try", fmt::format("add '- source.y -> {}.{}' under 'signals:'", e.name, s.name)}});
        }
    }

    void parameter(std::uint32_t index, std::size_t k, const Flattening::Origin& origin) {
        Element& e = work_.graph.elements[index];
        const ParameterSpec& spec = e.type->parameters[k];
        const Setting* setting = find_setting(*origin.declaration, spec.name);
        const std::string path = e.name + "." + std::string(spec.name);
        const Value* value = work_.overridden(path, setting != nullptr ? &setting->value : nullptr);
        if (const auto former = former_name(e.type->name, spec.name); !former.empty())
            value = work_.overridden(fmt::format("{}.{}", e.name, former), value);
        if (value == nullptr) {
            if (spec.default_value) e.parameters[k] = Quantity::scalar(*spec.default_value);
            return;
        }
        e.parameter_positions[k] = value->position();
        const bool own = setting != nullptr && value == &setting->value;
        tell_user(work_, *value, own ? origin.scope : 0, [&] { given_parameter(index, k, *value, setting, path); });
    }

    void given_parameter(std::uint32_t index, std::size_t k, const Value& given_value, const Setting* setting,
                         const std::string& path) {
        const Value* const value = &given_value;
        const Flattening::Origin& origin = work_.origins[index];
        Element& e = work_.graph.elements[index];
        const ParameterSpec& spec = e.type->parameters[k];
        if (setting != nullptr && setting->free && spec.kind != ParameterKind::number) {
            work_.diagnostics.error("BG-M043", setting->key.position,
                                    fmt::format("'{}' of '{}' can't be free: it is no number", spec.name, e.name));
            return;
        }
        switch (spec.kind) {
            case ParameterKind::texts:
                return words(e, *value);
            case ParameterKind::integers:
                return integers(index, k, *value);
            case ParameterKind::choice:
                return choice(e, k, *value);
            case ParameterKind::law:
            case ParameterKind::energy:
                e.parameters[k] = Quantity::scalar(1.0);
                return;  // evaluated in evaluate_laws
            case ParameterKind::number:
                break;
        }
        const std::uint32_t scope = value == (setting ? &setting->value : nullptr) ? origin.scope : 0;
        auto q = spec.own_names ? with_own_names(index, *value, scope)
                                : evaluate_value(work_, *value, scope, nullptr, units_of(work_.units, spec));
        if (!q) return;
        if (setting != nullptr && value != &setting->value && spec.unit.empty())
            check_replaced(path, *value, setting->value, origin.scope, *q);
        check_number(work_, index, k, *value, *q);
        if (setting != nullptr && setting->free)
            q = free_value(work_, free_.at(setting), *q, value->position());
        else if (const auto at = adjustable_.find(path); at != adjustable_.end())
            q = adjustable_value(work_, at->second, *q, value->position());
        work_.graph.elements[index].parameters[k] = std::move(q);
    }

    std::optional<Quantity> with_own_names(std::uint32_t index, const Value& value, std::uint32_t scope) {
        EvaluationScope names = scope_of(work_, scope);
        names.lookup = [this, index, outer = names.lookup](const std::string& name) -> std::optional<Quantity> {
            const Element& e = work_.graph.elements[index];
            if (e.slot(name) != nullptr) return element_variable(work_.graph, ElementId(index), name);
            return outer(name);
        };
        return evaluate_value(work_, value, scope, &names);
    }

    void choice(Element& e, std::size_t k, const Value& value) {
        const ParameterSpec& spec = e.type->parameters[k];
        const auto at = std::find(spec.choices.begin(), spec.choices.end(), value.scalar.text);
        if (!value.is_list && at != spec.choices.end()) {
            e.parameters[k] = Quantity::scalar(static_cast<double>(at - spec.choices.begin()));
            return;
        }
        std::vector<std::string> names(spec.choices.begin(), spec.choices.end());
        std::string all;
        for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
        work_.diagnostics.error("BG-M055", value.position(),
                                fmt::format("'{}' of '{}' is one of {}, not '{}'{}", spec.name, e.name, all,
                                            value.scalar.text, did_you_mean(value.scalar.text, names)));
    }

    static void words(Element& e, const Value& value) {
        if (!value.is_list) e.words.push_back(value.scalar.text);
        for (const Value& item : value.items) e.words.push_back(item.scalar.text);
    }

    void integers(std::uint32_t index, std::size_t k, const Value& value) {
        Element& e = work_.graph.elements[index];
        const auto q = evaluate_value(work_, value, work_.origins[index].scope);
        if (!q) return;
        for (const Expr& x : q->value.reshaped()) {
            const double v = x.is_constant() ? x.constant() : std::nan("");
            if (!(v == std::round(v)) || std::abs(v) > 1e6) {
                work_.diagnostics.error(
                    "BG-M013", value.position(),
                    fmt::format("'{}' of '{}' takes whole numbers", e.type->parameters[k].name, e.name));
                return;
            }
            e.integers.push_back(static_cast<int>(v));
        }
        e.parameters[k] = q;
    }

    bool given(std::uint32_t index, std::size_t k) const {
        const Element& e = work_.graph.elements[index];
        if (find_setting(*work_.origins[index].declaration, e.type->parameters[k].name) != nullptr) return true;
        for (const auto& [name, source] : work_.origins[index].signals) {
            if (name == e.type->parameters[k].name) return true;
        }
        if (work_.origins[index].driven.contains(e.type->parameters[k].name)) return true;
        return e.parameters[k].has_value();
    }

    // A misspelt parameter has been reported as unknown, and so has one without a readable value or a signal that might
    // have driven it: that the right one is missing says the same again.
    bool has_unknown_setting(std::uint32_t index) const {
        const Flattening::Origin& origin = work_.origins[index];
        if (origin.declaration->flawed || work_.gaps(origin.scope).signals) return true;
        const ComponentType& type = *work_.graph.elements[index].type;
        for (const Setting& s : work_.origins[index].declaration->settings) {
            const bool known = std::any_of(type.parameters.begin(), type.parameters.end(),
                                           [&](const ParameterSpec& p) { return p.name == s.key.text; });
            if (!known && !is_input(type, s.key.text)) return true;
        }
        return false;
    }

    void check_groups(std::uint32_t index) {
        const Element& e = work_.graph.elements[index];
        if (e.owner.valid()) return;  // a part: given by its owner
        const bool unknown = has_unknown_setting(index);
        for (int group = 0; group < 4; ++group) {
            std::string alternatives;
            std::vector<std::string_view> found;
            bool any = false;
            bool required = false;
            for (std::size_t k = 0; k < e.type->parameters.size(); ++k) {
                const ParameterSpec& spec = e.type->parameters[k];
                if (spec.group != group) continue;
                if (group == 0) {
                    if (spec.required && !unknown && !given(index, k))
                        missing(e, fmt::format("'{}' ({})", spec.name, spec.doc), spec.name);
                    continue;
                }
                any = true;
                required |= spec.required;
                alternatives += fmt::format("{}'{}'", alternatives.empty() ? "" : " or ", spec.name);
                if (given(index, k)) found.push_back(spec.name);
            }
            if (group == 0 || !any) continue;
            if (found.empty() && required && !unknown) missing(e, alternatives, "");
            if (found.size() > 1) {
                work_.diagnostics.error(
                    "BG-M004", e.position,
                    fmt::format("'{}' has '{}' and '{}': give one of {}", e.name, found[0], found[1], alternatives));
            }
        }
    }

    void missing(const Element& e, const std::string& what, std::string_view name) {
        work_.diagnostics.error(
            "BG-M003", e.position, fmt::format("'{}' ({}) needs its parameter {}", e.name, e.type->name, what),
            {{"try", name.empty()
                         ? fmt::format("for example {}", e.type->example)
                         : fmt::format("add '{}: …' to '{}', for example {}", name, e.name, e.type->example)}});
    }

    Flattening& work_;
    std::unordered_map<const Setting*, std::uint32_t> free_;     ///< settings of primitives: index into free_parameters
    std::unordered_map<std::string, std::uint32_t> adjustable_;  ///< by name: index into BondGraph::adjustable
};

}  // namespace

void evaluate_parameters(Flattening& work) { ParameterEvaluation(work).run(); }

}  // namespace bondgraph::model
