// Pass of flattening that evaluates start values, guesses and nominal values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "bondgraph/model/discrete_starts.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/nominal_values.hpp"
#include "bondgraph/model/scope.hpp"
#include "bondgraph/model/shown_unit.hpp"
#include "bondgraph/model/start_checks.hpp"
#include "bondgraph/model/start_names.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::Op;

namespace {

class StartEvaluation {
   public:
    explicit StartEvaluation(Flattening& work) : work_(work), checks_(work), names_(work) {}

    void run() {
        names_.check();
        // All of them together: two for one state contradict each other, as two in the file would.
        std::set<State> by_setting;
        setting_ = &by_setting;
        for (const auto& [path, value] : work_.overrides) {
            if (!work_.used_overrides.contains(path)) replace(path, *value);
        }
        setting_ = nullptr;
        replaced_ = std::move(by_setting);
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const Element& e = work_.graph.elements[i];
            if (e.declaration != nullptr) evaluate_declared_discrete_starts(work_, e, work_.origins[i].inner_scope);
            evaluate_nominals(work_, checks_, i);
        }
        from_outside_in();
        // What a type gives for its variables holds where no user of it, at any level, gives something else.
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            declared_starts(i);
            default_starts(i);
        }
    }

   private:
    /// An element and one of its states; of a condition on several states no element, and the name it was given by.
    using State = std::pair<std::uint32_t, std::string>;

    /// What whoever uses a type gives for a state of its parts takes the place of what the type itself gives.
    void from_outside_in() {
        std::vector<std::uint32_t> depths(work_.scopes.size(), 0);
        std::uint32_t deepest = 0;
        for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) {
            depths[s] = depths[work_.scopes[s].outer] + 1;
            deepest = std::max(deepest, depths[s]);
        }
        std::vector<std::vector<std::uint32_t>> elements(deepest + 1);
        std::vector<std::vector<std::uint32_t>> scopes(deepest + 1);
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i)
            elements[depths[work_.origins[i].scope]].push_back(i);
        for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) scopes[depths[s] - 1].push_back(s);
        for (std::uint32_t depth = 0; depth <= deepest; ++depth) {
            std::set<State> of_parts;
            given_here_ = &of_parts;
            for (const std::uint32_t i : elements[depth]) {
                const auto& origin = work_.origins[i];
                // Of two that contradict each other the later one is told: that of who uses the type.
                std::vector<StartValue> from_outside = std::exchange(work_.graph.elements[i].starts, {});
                settings(i, "", origin.declaration->initial, origin.scope, true);
                settings(i, "", origin.declaration->guess, origin.scope, false);
                auto& starts = work_.graph.elements[i].starts;
                std::ranges::move(from_outside, std::back_inserter(starts));
            }
            for (const std::uint32_t s : scopes[depth]) composite(s);
            given_here_ = nullptr;
            given_outside_.merge(of_parts);
        }
    }

    /// `--set` of a start value: it takes the place of any that the file gives for the same state.
    void replace(const std::string& path, const Value& value) {
        for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
            const std::string component = path.substr(0, dot);
            Setting given;
            given.key = {path.substr(dot + 1), value.position(), false};
            given.value = value;
            if (const auto start = names_.find(component, given.key.text)) {
                work_.used_overrides.insert(path);
                return by_name(*start, given, 0, true);
            }
            const auto element = work_.graph.element_by_name.find(component);
            if (element == work_.graph.element_by_name.end()) continue;
            const auto known = checks_.names(work_.graph.elements[element->second.index()]);
            if (std::find(known.begin(), known.end(), given.key.text) == known.end()) return;
            work_.used_overrides.insert(path);
            return one(element->second.value, given.key.text, given, 0, true, wish(path));
        }
    }

    /// Whether a value for this state is to be left out, because `--set`, or whoever uses the type around it, gives
    /// another. Notes those that this gives.
    bool is_replaced(const State& state) {
        if (setting_ != nullptr) {
            setting_->insert(state);
            return false;
        }
        if (replaced_.contains(state) || given_outside_.contains(state)) return true;
        // nothing stands further inside than what the model itself gives for its own components
        const bool in_model = state.first != kNone && work_.origins[state.first].scope == 0;
        if (given_here_ != nullptr && !in_model) given_here_->insert(state);
        return false;
    }

    /// Whether a start value shall stay an input: its place in BondGraph::adjustable.
    std::optional<std::uint32_t> wish(const std::string& path) const {
        const auto& list = work_.graph.adjustable;
        const auto at = std::ranges::find(list, path, &AdjustableParameter::name);
        if (at == list.end()) return std::nullopt;
        return static_cast<std::uint32_t>(at - list.begin());
    }

    void composite(std::uint32_t s) {
        const Scope& scope = work_.scopes[s];
        if (scope.self.valid() || scope.instance == nullptr) return;
        const std::string name = scope.prefix.substr(0, scope.prefix.size() - 1);
        for (const bool fixed : {true, false}) {
            for (const Setting& setting : fixed ? scope.instance->initial : scope.instance->guess) {
                const std::string path = scope.prefix + setting.key.text;
                const auto dot = path.rfind('.');
                const std::string key = path.substr(dot + 1);
                const auto element = work_.graph.element_by_name.find(path.substr(0, dot));
                if (const auto start = names_.find(path.substr(0, dot), key))
                    by_name(*start, setting, scope.outer, fixed);
                else if (element != work_.graph.element_by_name.end())
                    one(element->second.value, key, setting, scope.outer, fixed);
                else if (work_.joined && !scope.body->gaps.any() && !names_.leads_to_itself(path.substr(0, dot), key))
                    report_no_variable(name, setting);
            }
        }
    }

    void report_no_variable(const std::string& component, const Setting& setting) {
        const auto names = names_.of(component);
        const std::string all = fmt::format("{}", fmt::join(names, ", "));
        work_.diagnostics.error("BG-M018", setting.key.position,
                                fmt::format("'{}' has no variable '{}'{}", component, setting.key.text,
                                            did_you_mean(setting.key.text, names)),
                                {{"try", names.empty() ? "name the part inside: initial: {part.variable: value}"
                                                       : fmt::format("one of {}, or the part inside: initial: "
                                                                     "{{part.variable: value}}",
                                                                     all)}});
    }

    void settings(std::uint32_t i, const std::string&, const std::vector<Setting>& list, std::uint32_t scope,
                  bool fixed) {
        for (const Setting& s : list) one(i, s.key.text, s, scope, fixed);
    }

    void one(std::uint32_t i, const std::string& key, const Setting& setting, std::uint32_t scope, bool fixed,
             std::optional<std::uint32_t> adjustable = {}) {
        const Element& e = work_.graph.elements[i];
        // Of a wrapped component, or of a type with parts and equations: `part.state`.
        const bool has_parts = e.type->build != nullptr || e.declaration != nullptr;
        if (const auto dot = key.rfind('.'); dot != std::string::npos && has_parts) {
            const auto part = work_.graph.element_by_name.find(e.name + "." + key.substr(0, dot));
            if (const auto start = names_.find(e.name + "." + key.substr(0, dot), key.substr(dot + 1)))
                return by_name(*start, setting, scope, fixed);
            if (part != work_.graph.element_by_name.end())
                return one(part->second.value, key.substr(dot + 1), setting, scope, fixed, adjustable);
        }
        if (const auto start = names_.find(e.name, key)) return by_name(*start, setting, scope, fixed);
        if (fixed && !adjustable && !work_.graph.adjustable.empty()) adjustable = wish(e.name + "." + key);
        // Nobody knows yet which bodies move freely.
        if (e.type->build != nullptr && work_.disconnected) return;
        auto known = checks_.names(e);
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            if (checks_.states_unknown(e) || names_.leads_to_itself(e.name, key)) return;
            if (checks_.report_carried(ElementId(i), setting)) return;
            const auto own = names_.of(e.name);
            known.insert(known.end(), own.begin(), own.end());
            const std::string all = fmt::format("{}", fmt::join(known, ", "));
            work_.diagnostics.error(
                "BG-M018", setting.key.position,
                known.empty() ? fmt::format("'{}' ({}) has no state: it takes no start value", e.name, e.type->name)
                              : fmt::format("'{}' ({}) has no start value '{}'{}", e.name, e.type->name, key,
                                            did_you_mean(key, known)),
                known.empty() ? std::vector<DiagnosticNote>{} : std::vector<DiagnosticNote>{{"try", "one of " + all}});
            return;
        }
        if (is_replaced({i, checks_.target_of(e, key)})) return;
        auto q = evaluate_value(work_, setting.value, scope);
        if (!q) return;
        if (!checks_.units_fit(e, key, setting.value, scope)) return;
        if (const StartAlias* alias = checks_.alias_of(e, key))
            return aliased(i, *alias, *std::move(q), setting, fixed);
        const auto variable = element_variable(work_.graph, ElementId(i), key);
        if (!variable) return;
        if (const Element::Slot* slot = e.slot(key); slot != nullptr && slot->kind == Element::Slot::Kind::discrete) {
            if (fixed) return set_discrete_start(work_, *slot, *q, setting.value.position());
            work_.diagnostics.error("BG-M018", setting.key.position,
                                    fmt::format("'{}' of '{}' takes no guess", key, e.name),
                                    {{"because", "it changes at events only"}, {"try", "give it under 'initial:'"}});
            return;
        }
        if (!checks_.measures_fit(i, key, *q, setting.value)) return;
        if (!q->is_scalar() && !work_.joined) return;
        if (!q->is_scalar() && q->value.size() != variable->value.size()) {
            return checks_.report_length(e, key, variable->value.size(), q->value.size(), setting.value.position());
        }
        if (adjustable && variable->value.size() == 1) {
            if (const std::vector<Measure> wanted = component_measures(work_.graph, ElementId(i), key); !wanted.empty())
                q->measure = wanted[0];
            q = adjustable_start(work_, *adjustable, *q, setting.value.position());
        }
        if (q->is_scalar()) {
            const Expr x = q->value(0, 0);
            q->value = ExprMatrix::Constant(variable->value.rows(), 1, x);
        }
        if (!checks_.normalize(e, key, *q, setting.value.position())) return;
        work_.graph.elements[i].starts.push_back({key, *std::move(q), setting.value.position(), fixed});
    }

    // ---- names that types declare under `starts:` -------------------------------------------------------------------

    void by_name(const NamedStart& start, const Setting& setting, std::uint32_t scope, bool fixed,
                 std::optional<std::uint32_t> adjustable = {}) {
        if (fixed && !adjustable) adjustable = wish(start.name);
        if (names_.is_of_empty_array(start)) return of_no_parts(start, setting, scope);
        const auto places = names_.places(start);
        if (places.empty() || !std::ranges::all_of(places, [&](const StartPlace& p) { return names_.is_start(p); }))
            return by_expression(start, setting, scope, fixed, adjustable);
        if (names_.enter(start)) {
            for (std::size_t k = 0; k < places.size(); ++k) {
                const auto given = part_of(start, setting, scope, k, places.size());
                if (!given) break;
                hand_on(start, places[k], *given, scope, fixed, adjustable);
            }
        }
        names_.leave();
    }

    /// Of an array without parts: a number is for none of them, and a list has to be empty.
    void of_no_parts(const NamedStart& start, const Setting& setting, std::uint32_t scope) {
        std::size_t given = setting.value.items.size();
        if (!setting.value.is_list) {
            const auto [rows, columns] = shape_of(work_, setting.value, scope);
            given = rows > 1 ? static_cast<std::size_t>(rows) : 0;
        }
        if (given > 0) report_size(start, setting, 0, given);
    }

    /// What a list gives for one of several parts.
    std::optional<Setting> part_of(const NamedStart& start, const Setting& setting, std::uint32_t scope,
                                   std::size_t number, std::size_t count) {
        if (count == 1) return setting;
        Setting part = setting;
        std::size_t given = count;
        if (setting.value.is_list) {
            given = setting.value.items.size();
            if (given == count) part.value = setting.value.items[number];
        } else if (shape_of(work_, setting.value, scope).first > 1) {
            given = shape_of(work_, setting.value, scope).first;
            part.value.scalar.text += fmt::format("[{}]", number + 1);
        }
        if (given == count) return part;
        report_size(start, setting, count, given);
        return std::nullopt;
    }

    void report_size(const NamedStart& start, const Setting& setting, std::size_t size, std::size_t given) {
        work_.diagnostics.error(
            "BG-M010", setting.value.position(),
            fmt::format("'{}' has {} component{}, the list has {}", start.said, size, size == 1 ? "" : "s", given));
    }

    void hand_on(const NamedStart& start, const StartPlace& place, const Setting& setting, std::uint32_t scope,
                 bool fixed, std::optional<std::uint32_t> adjustable) {
        if (const auto& unit = start.declaration->unit; unit && !setting.value.is_list) {
            const auto declared = work_.units.parse(unit->text);
            const auto q = evaluate_value(work_, setting.value, scope);
            if (!declared || !q || !unit_fits(start, Measure::of(*declared), setting, *q)) return;
        }
        if (auto other = names_.find(place.component, place.variable)) {
            other->said = start.said;
            return by_name(*other, setting, scope, fixed, adjustable);
        }
        const ElementId id = work_.graph.element_by_name.at(place.component);
        const auto measures = component_measures(work_.graph, id, place.variable);
        if (!setting.value.is_list && !measures.empty()) {
            const auto q = evaluate_value(work_, setting.value, scope);
            if (!q || !unit_fits(start, measures.front(), setting, *q)) return;
        }
        one(id.value, place.variable, setting, scope, fixed, adjustable);
    }

    /// Whether a value has the dimension of what the name stands for; reported otherwise.
    bool unit_fits(const NamedStart& start, const Measure& wanted, const Setting& setting, const Quantity& given) {
        if (!given.measure.known() || !wanted.known() || !differ(given.measure, wanted)) return true;
        work_.diagnostics.error(
            "BG-U002", setting.value.position(),
            fmt::format("'{}' is in {}, not {}", start.said, unit_name(wanted), written_unit(setting.value, given)),
            turns_notes(setting.value.scalar.text, given.measure, wanted));
        return false;
    }

    void by_expression(const NamedStart& start, const Setting& setting, std::uint32_t scope, bool fixed,
                       std::optional<std::uint32_t> adjustable) {
        const auto what = names_.value(start);
        auto q = evaluate_value(work_, setting.value, scope);
        if (!what || is_unknown(*what) || !q || is_unknown(*q) || !work_.joined) return;
        if (!unit_fits(start, what->measure, setting, *q)) return;
        if (!q->is_scalar() && q->value.size() != what->value.size())
            return report_size(start, setting, static_cast<std::size_t>(what->value.size()),
                               static_cast<std::size_t>(q->value.size()));
        if (adjustable && what->value.size() == 1) {
            if (what->measure.known()) q->measure = what->measure;
            q = adjustable_start(work_, *adjustable, *q, setting.value.position());
        }
        for (Eigen::Index k = 0; k < what->value.size(); ++k) {
            const Expr given = q->is_scalar() ? q->value(0, 0) : q->value.reshaped()(k);
            condition(start, what->value.reshaped()(k), given, setting, fixed);
        }
    }

    /// expression = given, as a value of the one state in it, or else as an equation of the start.
    void condition(const NamedStart& start, const Expr& expression, const Expr& given, const Setting& setting,
                   bool fixed) {
        const SourcePosition position = setting.value.position();
        if (auto solved = solve_start(work_, expression, given)) {
            Element& e = work_.graph.elements[solved->element.index()];
            if (is_replaced({solved->element.value, checks_.target_of(e, solved->variable)})) return;
            Expr value = solved->value;
            if (is_number(work_.graph, solved->holds)) {
                if (!solved->holds.is_constant(1.0)) return report_unreachable(start, setting);
            } else {
                value = value / solved->holds;  // no finite start value where it doesn't hold
            }
            const auto measures = component_measures(work_.graph, solved->element, solved->variable);
            Quantity q = Quantity::scalar(value, measures.empty() ? Measure{} : measures.front());
            e.starts.push_back({solved->variable, std::move(q), position, fixed});
            return;
        }
        if (is_replaced({kNone, start.name})) return;
        if (!has_variable(work_.graph, expression)) return report_no_state(start, setting, expression);
        if (!fixed) {
            work_.diagnostics.error(
                "BG-M084", setting.key.position, fmt::format("'{}' takes no guess", start.said),
                {{"because", fmt::format("'{}' is not the value of a single state", start.declaration->value.text)},
                 {"try", "give it under 'initial:', and guesses for what it is made of"}});
            return;
        }
        work_.graph.initial_equations.push_back({expression, given, position});
        for (const std::uint32_t n : expression::reachable(*work_.graph.expressions, std::array{expression.node()})) {
            const expression::Node& node = (*work_.graph.expressions)[n];
            if (node.op == Op::variable) in_conditions_.insert(node.a);
        }
    }

    void report_unreachable(const NamedStart& start, const Setting& setting) {
        work_.diagnostics.error(
            "BG-M084", setting.value.position(),
            fmt::format("no state makes '{}' {}", start.said,
                        setting.value.is_list ? "what is given" : setting.value.scalar.text),
            {{"because", fmt::format("'{}' has no finite value or inverse there, with the parameters as they are",
                                     start.declaration->value.text)},
             {"try", "other parameters, or the start value of the state itself"}});
    }

    void report_no_state(const NamedStart& start, const Setting& setting, const Expr& expression) {
        const bool number = is_number(work_.graph, expression);
        work_.diagnostics.error(
            "BG-M084", setting.key.position, fmt::format("'{}' takes no start value here", start.said),
            {{"because",
              number ? fmt::format("with the parameters as they are, '{}' depends on no state",
                                   start.declaration->value.text)
                     : fmt::format("'{}' depends only on what changes at events", start.declaration->value.text)},
             {"try", "the start value of the state or the discrete variable itself"}});
    }

    void aliased(std::uint32_t i, const StartAlias& alias, Quantity q, const Setting& setting, bool fixed) {
        Element& e = work_.graph.elements[i];
        if (q.value.size() != alias.size) {
            work_.diagnostics.error("BG-M010", setting.value.position(),
                                    fmt::format("'{}' of '{}' has {} components, the list has {}", alias.name, e.name,
                                                alias.size, q.value.size()));
            return;
        }
        std::vector<Equation> none;
        q.value = alias.convert(LawContext(work_.graph, ElementId(i), none), q.value);
        q.measure = {};
        e.starts.push_back({std::string(alias.target), std::move(q), setting.value.position(), fixed});
    }

    /// The variables in the equations of an own type's start: with them something else than declared start values is to
    /// determine states.
    std::unordered_set<std::uint32_t> in_initial_equations(const Element& e) const {
        std::vector<std::uint32_t> roots;
        for (const GivenEquation& g : e.initial_equations) {
            for (const Expr& x : {g.lhs, g.rhs}) {
                if (!x.is_literal()) roots.push_back(x.node());
            }
        }
        const expression::Graph& graph = *work_.graph.expressions;
        std::unordered_set<std::uint32_t> variables;
        for (const std::uint32_t n : expression::reachable(graph, roots)) {
            if (graph[n].op == Op::variable || graph[n].op == Op::derivative) variables.insert(graph[n].a);
        }
        return variables;
    }

    void default_starts(std::uint32_t i) {
        for (const Element::Slot& slot : work_.graph.elements[i].slots) {
            Element& e = work_.graph.elements[i];
            const auto given = [&](const StartValue& s) { return s.variable == slot.name; };
            if (slot.start.empty() || std::any_of(e.starts.begin(), e.starts.end(), given)) continue;
            ExprMatrix value(static_cast<Eigen::Index>(slot.start.size()), 1);
            for (std::size_t k = 0; k < slot.start.size(); ++k) value(static_cast<Eigen::Index>(k), 0) = slot.start[k];
            // A guess only where something else may determine it: equations of the start, closed loops.
            const bool free = e.steady || work_.graph.steady || !work_.graph.initial_equations.empty() || loops_;
            e.starts.push_back({slot.name, {value, {}}, e.position, !free, true});
        }
    }

    // `start:` of an own type's variable is a fixed start when the variable is a state, a guess otherwise.
    void declared_starts(std::uint32_t i) {
        Element& e = work_.graph.elements[i];
        if (e.declaration == nullptr) return;
        std::vector<const VariableDeclaration*> declared;
        for (const VariableDeclaration& v : e.declaration->body.variables) declared.push_back(&v);
        for (const VariableDeclaration& v : e.declaration->outputs) declared.push_back(&v);
        std::unordered_set<std::string> given;
        for (const StartValue& s : e.starts) given.insert(s.variable);
        const auto otherwise = in_initial_equations(e);
        for (const VariableDeclaration* declaration : declared) {
            const VariableDeclaration& v = *declaration;
            if (!v.start || v.discrete || e.slot(v.name.text) == nullptr || given.contains(v.name.text)) continue;
            auto q = evaluate_value(work_, *v.start, work_.origins[i].inner_scope);
            if (!q || !checks_.measures_fit(i, v.name.text, *q, *v.start)) continue;
            if (!q->is_scalar()) {
                checks_.report_length(e, v.name.text, 1, q->value.size(), v.start->position());
                continue;
            }
            const Element::Slot& slot = *e.slot(v.name.text);
            const bool fixed = slot.kind == Element::Slot::Kind::state && !e.steady && !work_.graph.steady &&
                               !otherwise.contains(work_.graph.slot_variable(slot.first).value) &&
                               !in_conditions_.contains(work_.graph.slot_variable(slot.first).value);
            e.starts.push_back({v.name.text, *std::move(q), v.start->position(), fixed});
        }
    }

    Flattening& work_;
    const bool loops_ =
        std::ranges::any_of(work_.graph.elements, [](const Element& e) { return e.type->holds_positions; });
    StartChecks checks_;
    StartNames names_;
    std::set<State> replaced_;                         ///< with a value from `--set`
    std::set<State>* setting_ = nullptr;               ///< where those are noted
    std::set<State> given_outside_;                    ///< with a value from further out than what is looked at
    std::set<State>* given_here_ = nullptr;            ///< where values from as far out are noted
    std::unordered_set<std::uint32_t> in_conditions_;  ///< variables that values under declared names tie together
};

}  // namespace

void evaluate_starts(Flattening& work) { StartEvaluation(work).run(); }

}  // namespace bondgraph::model
