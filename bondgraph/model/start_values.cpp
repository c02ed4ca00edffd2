// Pass of flattening that evaluates start values, guesses and nominal values.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_set>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/scope.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::Op;

namespace {

class StartEvaluation {
   public:
    explicit StartEvaluation(Flattening& work) : work_(work) {}

    void run() {
        // All of them together: two for one state contradict each other, as two in the file would.
        decltype(replaced_) by_setting;
        for (const auto& [path, value] : work_.overrides) {
            if (work_.used_overrides.contains(path)) continue;
            if (auto state = replaced(path, *value)) by_setting.insert(*std::move(state));
        }
        replaced_ = std::move(by_setting);
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            const auto& origin = work_.origins[i];
            const Element& e = work_.graph.elements[i];
            if (e.declaration != nullptr) declared_discrete_starts(e, origin.inner_scope);
            settings(i, "", origin.declaration->initial, origin.scope, true);
            settings(i, "", origin.declaration->guess, origin.scope, false);
            nominals(i, origin);
        }
        for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) composite(s);
        // What a type gives for its variables holds where no user of it, at any level, gives something else.
        for (std::uint32_t i = 0; i < work_.graph.elements.size(); ++i) {
            declared_starts(i);
            default_starts(i);
        }
    }

   private:
    /// `--set` of a start value: it takes the place of any that the file gives for the same state.
    /// Returns which state that is; nothing where the path leads to none.
    std::optional<std::pair<std::uint32_t, std::string>> replaced(const std::string& path, const Value& value) {
        for (auto dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
            const auto element = work_.graph.element_by_name.find(path.substr(0, dot));
            if (element == work_.graph.element_by_name.end()) continue;
            const Element& e = work_.graph.elements[element->second.index()];
            const std::string key = path.substr(dot + 1);
            const auto known = names(e);
            if (std::find(known.begin(), known.end(), key) == known.end()) return std::nullopt;
            work_.used_overrides.insert(path);
            Setting given;
            given.key = {key, value.position(), false};
            given.value = value;
            one(element->second.value, key, given, 0, true, wish(path));
            return std::pair(element->second.value, target_of(e, key));
        }
        return std::nullopt;
    }

    /// Whether a start value shall stay an input: its place in BondGraph::adjustable.
    std::optional<std::uint32_t> wish(const std::string& path) const {
        const auto& list = work_.graph.adjustable;
        const auto at = std::ranges::find(list, path, &AdjustableParameter::name);
        if (at == list.end()) return std::nullopt;
        return static_cast<std::uint32_t>(at - list.begin());
    }

    /// The state that a start value under some name is for.
    static std::string target_of(const Element& e, const std::string& key) {
        if (const StartAlias* alias = alias_of(e, key)) return std::string(alias->target);
        for (const StateSpec& s : e.type->states) {
            if (s.covariable == key) return std::string(s.name);
        }
        return key;
    }

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
                    if (!work_.joined || scope.body->gaps.any()) continue;
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
            const bool kept = s.kind == Element::Slot::Kind::state || s.kind == Element::Slot::Kind::discrete;
            const bool wrapped = e.type->build != nullptr && s.name.find('.') == std::string::npos;
            if (kept || wrapped || e.declaration != nullptr) result.push_back(s.name);
        }
        for (const StateSpec& s : e.type->states) {
            if (!s.covariable.empty()) result.emplace_back(s.covariable);
        }
        for (const StartAlias& a : e.type->start_aliases) {
            if (e.slot(a.target) != nullptr) result.emplace_back(a.name);
        }
        return result;
    }

    /// Whether an element may have more states than are seen: of a field not yet bonded, of a type not fully read.
    bool states_unknown(const Element& e) const {
        return (!work_.joined && e.type->pattern != PortPattern::fixed) ||
               (e.declaration != nullptr && e.declaration->body.gaps.any());
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
            if (part != work_.graph.element_by_name.end())
                return one(part->second.value, key.substr(dot + 1), setting, scope, fixed, adjustable);
        }
        if (replaced_.contains({i, target_of(e, key)})) return;
        if (fixed && !adjustable && !work_.graph.adjustable.empty()) adjustable = wish(e.name + "." + key);
        // Nobody knows yet which bodies move freely.
        if (e.type->build != nullptr && work_.disconnected) return;
        const auto known = names(e);
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            if (states_unknown(e) || report_carried(ElementId(i), setting)) return;
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
        if (!units_fit(e, key, setting.value, scope)) return;
        if (const StartAlias* alias = alias_of(e, key)) return aliased(i, *alias, *std::move(q), setting, fixed);
        const auto variable = element_variable(work_.graph, ElementId(i), key);
        if (!variable) return;
        if (const Element::Slot* slot = e.slot(key); slot != nullptr && slot->kind == Element::Slot::Kind::discrete) {
            if (fixed) return discrete_start(*slot, *q, setting.value.position());
            work_.diagnostics.error("BG-M018", setting.key.position,
                                    fmt::format("'{}' of '{}' takes no guess", key, e.name),
                                    {{"because", "it changes at events only"}, {"try", "give it under 'initial:'"}});
            return;
        }
        if (!measures_fit(i, key, *q, setting.value)) return;
        if (!q->is_scalar() && !work_.joined) return;
        if (!q->is_scalar() && q->value.size() != variable->value.size()) {
            return report_length(e, key, variable->value.size(), q->value.size(), setting.value.position());
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
        if (!normalize(e, key, *q, setting.value.position())) return;
        work_.graph.elements[i].starts.push_back({key, *std::move(q), setting.value.position(), fixed});
    }

    void report_length(const Element& e, const std::string& key, Eigen::Index size, Eigen::Index given,
                       SourcePosition position) {
        work_.diagnostics.error("BG-M010", position,
                                fmt::format("'{}' of '{}' has {} component{}, the list has {}", key, e.name, size,
                                            size == 1 ? "" : "s", given));
    }

    /// Whether a value as a whole has the dimension of the variable it is for; reported otherwise.
    bool measures_fit(std::uint32_t i, const std::string& key, const Quantity& given, const Value& value) {
        const std::vector<Measure> wanted = component_measures(work_.graph, ElementId(i), key);
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            if (!fits(work_.graph.elements[i], key, k, wanted[k], given, value)) return false;
        }
        return true;
    }

    /// Whether the components of a list have their dimensions, where they have any; reported otherwise. A start value
    /// under another name (angles) has none.
    bool units_fit(const Element& e, const std::string& key, const Value& value, std::uint32_t scope) {
        const ElementId id = work_.graph.element_by_name.at(e.name);
        const std::vector<Measure> measures = component_measures(work_.graph, id, key);
        bool fit = true;
        for (std::size_t k = 0; k < value.items.size(); ++k) {
            const Value& item = value.items[k];
            const auto q = item.is_list ? std::nullopt : evaluate_value(work_, item, scope);
            Measure wanted = measures.empty() ? Measure::of(Dimension{}) : Measure{};
            if (k < measures.size()) wanted = measures[k];
            if (q) fit = fits(e, key, k, wanted, *q, item) && fit;
        }
        return fit;
    }

    /// Whether one component has the dimension wanted; reported otherwise.
    bool fits(const Element& e, const std::string& key, std::size_t component, const Measure& wanted,
              const Quantity& given, const Value& value) {
        if (!given.measure.known() || !wanted.known()) return true;
        const bool angular = alias_of(e, key) != nullptr && std::string_view(alias_of(e, key)->unit) == "rad/s";
        Measure place = wanted;
        if (angular) place.turns = Turns::angle;
        if (!differ(given.measure, place)) return true;
        const auto named = resolve_name(work_.graph, fmt::format("{}.{}[{}]", e.name, key, component + 1));
        std::string unit = named && !named->unit.empty() ? named->unit : unit_name(place);
        if (e.slot(key) == nullptr && alias_of(e, key) != nullptr) unit = alias_of(e, key)->unit;
        work_.diagnostics.error(
            "BG-U002", value.position(),
            fmt::format("'{}' of '{}' is in {}, not {}", key, e.name, unit, written_unit(value, given)),
            turns_notes(value.scalar.text, given.measure, place));
        return false;
    }

    /// A quaternion is brought to length 1, as the orientation it stands for is the same. False where it has none.
    bool normalize(const Element& e, const std::string& key, Quantity& q, SourcePosition position) {
        const Element::Slot* slot = e.slot(key);
        if (slot == nullptr || !slot->unit_length) return true;
        double length = 0.0;
        for (const Expr& x : q.value.reshaped()) {
            if (!x.is_constant()) return true;
            length += x.constant() * x.constant();
        }
        if (length == 0.0) {
            work_.diagnostics.error("BG-M013", position,
                                    fmt::format("the quaternion '{}' of '{}' has length 0", key, e.name),
                                    {{"because", "it stands for no orientation"},
                                     {"try", "give [0, 0, 0, 1] for none, or angles in its place"}});
            return false;
        }
        for (Expr& x : q.value.reshaped()) x = Expr(x.constant() / std::sqrt(length));
        return true;
    }

    /// The component whose motion another one follows: the nearest one with states on the way to the root.
    std::optional<ElementId> carrier_of(ElementId id) const {
        const auto computes = [&](const Flattening::ComputedSignals& c) {
            return std::any_of(c.joined.begin(), c.joined.end(), [&](const auto& other) { return other.first == id; });
        };
        // Of several connections of a component, the first computed is the one towards the root.
        const auto found = std::find_if(work_.signal_order.begin(), work_.signal_order.end(), computes);
        if (found == work_.signal_order.end()) return std::nullopt;
        const Element& e = work_.graph.elements[found->element.index()];
        if (e.root || !names(e).empty()) return found->element;
        return carrier_of(found->element);
    }

    /// A body that is carried has no states; those of what carries it decide where it is.
    bool report_carried(ElementId id, const Setting& setting) {
        const Element& e = work_.graph.elements[id.index()];
        const bool body = e.type->root == RootKind::if_needed || e.type->root == RootKind::at_last;
        const auto carrier = body && !e.root ? carrier_of(id) : std::nullopt;
        if (!carrier) return false;
        const Element& c = work_.graph.elements[carrier->index()];
        std::string all;
        for (const std::string& n : names(c)) all += (all.empty() ? "" : ", ") + n;
        const bool fixed = c.root && c.type->root == RootKind::always && !c.type->free_rates;
        std::vector<DiagnosticNote> notes;
        if (fixed) {
            notes = {{"because", fmt::format("it is fixed to '{}' ({})", c.name, c.type->name)},
                     {"try", "remove the start value, or put a joint (FreeMotion) between them"}};
        } else {
            notes = {{"because", fmt::format("its motion follows from that of '{}' ({})", c.name, c.type->name)},
                     {"try", fmt::format("give start values to '{}': {}", c.name, all)}};
        }
        work_.diagnostics.error("BG-M018", setting.key.position,
                                fmt::format("'{}' ({}) takes no start value '{}': it doesn't move freely", e.name,
                                            e.type->name, setting.key.text),
                                std::move(notes));
        return true;
    }

    static const StartAlias* alias_of(const Element& e, std::string_view key) {
        for (const StartAlias& a : e.type->start_aliases) {
            if (a.name == key && e.slot(key) == nullptr) return &a;
        }
        return nullptr;
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

    void discrete_start(const Element::Slot& slot, const Quantity& q, SourcePosition position) {
        const std::string name = work_.graph.variable_name(work_.graph.slot_variable(slot.first));
        if (!q.is_scalar()) {
            work_.diagnostics.error("BG-M020", position, fmt::format("'{}' is a single value, not a list", name));
            return;
        }
        if (!is_known_at_start(q.value(0, 0))) {
            work_.diagnostics.error("BG-M046", position,
                                    fmt::format("the start value of '{}' depends on variables", name),
                                    {{"because", "it may depend on parameters and time only"}});
            return;
        }
        if (check_discrete_value(work_, slot.first_discrete, q.value(0, 0), name, position))
            work_.graph.discretes[slot.first_discrete].start = q.value(0, 0);
    }

    /// Whether an expression has a value before any variable has one.
    bool is_known_at_start(const Expr& x) const {
        if (x.is_constant()) return true;
        const expression::Graph& graph = *work_.graph.expressions;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(graph, roots);
        return std::none_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
            return graph[n].op == Op::variable || graph[n].op == Op::derivative;
        });
    }

    void declared_discrete_starts(const Element& e, std::uint32_t scope) {
        const auto one = [&](const VariableDeclaration& v) {
            const Element::Slot* slot = e.slot(v.name.text);
            if (!v.discrete || !v.start || slot == nullptr) return;
            const auto q = evaluate_value(work_, *v.start, scope);
            if (q) discrete_start(*slot, *q, v.start->position());
        };
        for (const VariableDeclaration& v : e.declaration->body.variables) one(v);
        for (const VariableDeclaration& v : e.declaration->outputs) one(v);
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
            if (!q || !measures_fit(i, v.name.text, *q, *v.start)) continue;
            if (!q->is_scalar()) {
                report_length(e, v.name.text, 1, q->value.size(), v.start->position());
                continue;
            }
            const Element::Slot& slot = *e.slot(v.name.text);
            const bool fixed = slot.kind == Element::Slot::Kind::state && !e.steady && !work_.graph.steady &&
                               !otherwise.contains(work_.graph.slot_variable(slot.first).value);
            e.starts.push_back({v.name.text, *std::move(q), v.start->position(), fixed});
        }
    }

    void nominals(std::uint32_t i, const Flattening::Origin& origin) {
        for (const Setting& s : origin.declaration->nominal) nominal(i, s.key.text, s, origin.scope);
    }

    void nominal(std::uint32_t i, const std::string& key, const Setting& s, std::uint32_t scope) {
        const Element& e = work_.graph.elements[i];
        if (const auto dot = key.rfind('.'); dot != std::string::npos) {
            const auto part = work_.graph.element_by_name.find(e.name + "." + key.substr(0, dot));
            if (part != work_.graph.element_by_name.end())
                return nominal(part->second.value, key.substr(dot + 1), s, scope);
        }
        if (e.slot(key) == nullptr) {
            if (states_unknown(e)) return;
            std::vector<std::string> known;
            for (const Element::Slot& slot : e.slots) known.push_back(slot.name);
            work_.diagnostics.error("BG-M018", s.key.position,
                                    fmt::format("'{}' has no state '{}'{}", e.name, key, did_you_mean(key, known)));
            return;
        }
        const auto q = evaluate_value(work_, s.value, scope);
        if (!q || !units_fit(e, key, s.value, scope) || !measures_fit(i, key, *q, s.value)) return;
        const auto size = static_cast<Eigen::Index>(e.slot(key)->size);
        if (!q->is_scalar() && q->value.size() != size) {
            if (work_.joined) report_length(e, key, size, q->value.size(), s.value.position());
            return;
        }
        std::vector<double> magnitudes;
        for (const Expr& x : q->value.reshaped()) {
            if (!x.is_constant()) {
                work_.diagnostics.error("BG-M020", s.value.position(),
                                        "a nominal value is a number that is known before the run");
                return;
            }
            if (!(x.constant() > 0.0)) {
                work_.diagnostics.error("BG-M013", s.value.position(), "a nominal value is greater than 0");
                return;
            }
            magnitudes.push_back(x.constant());
        }
        work_.graph.elements[i].nominals.emplace_back(key, std::move(magnitudes));
    }

    Flattening& work_;
    const bool loops_ =
        std::ranges::any_of(work_.graph.elements, [](const Element& e) { return e.type->holds_positions; });
    std::set<std::pair<std::uint32_t, std::string>> replaced_;  ///< element and state with a value from `--set`
};

}  // namespace

void evaluate_starts(Flattening& work) { StartEvaluation(work).run(); }

}  // namespace bondgraph::model
