// Pass 3 of flattening: signals.

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/alternatives.hpp"
#include "bondgraph/model/declare_parameters.hpp"
#include "bondgraph/model/former_names.hpp"
#include "bondgraph/model/handed_signals.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

// Signals: the target is an input of an own type or block, or a parameter that may be modulated.
class SignalConnection {
   public:
    explicit SignalConnection(Flattening& work) : work_(work) {}

    void run() {
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) {
            for (const SignalDeclaration& signal : work_.scopes[s].body->signals) connect(s, signal);
        }
        for (const Scope& scope : work_.scopes) check_inputs(scope);
    }

   private:
    void connect(std::uint32_t scope, const SignalDeclaration& signal) {
        const Scope& s = work_.scopes[scope];
        const auto dot = signal.to.text.find('.');
        const std::string head = signal.to.text.substr(0, dot);
        if (target(signal.to.text).component == 0U) {
            work_.diagnostics.error("BG-M016", signal.to.position,
                                    fmt::format("'{}': components are counted from 1", signal.to.text));
            return;
        }
        if (handed(scope, signal.to.text, signal, scope)) return;
        const std::string output = target(head).name;
        if (dot == std::string::npos && s.declaration != nullptr && is_output(*s.declaration, output)) {
            claim(work_.scopes[scope].values, target(head), signal, scope);
            return;
        }
        const auto member = s.members.find(head);
        if (member == s.members.end() && s.body->gaps.names()) return;
        if (member == s.members.end() || dot == std::string::npos) {
            std::vector<std::string> names;
            for (const ComponentDeclaration& c : s.body->components) names.push_back(c.name.text);
            work_.diagnostics.error(
                "BG-M016", signal.to.position,
                member == s.members.end() ? fmt::format("unknown component '{}'{}", head, did_you_mean(head, names))
                : find_record(work_, scope, head) ? fmt::format("'{}' is a record: say which of its parameters", head)
                                                  : fmt::format("'{}' is a component: say which of its inputs{}", head,
                                                                example_input(s, member->second, head)));
            return;
        }
        const Target input = target(signal.to.text.substr(dot + 1));
        if (member->second.scope != kNone) {
            if (handed(member->second.scope, signal.to.text.substr(dot + 1), signal, scope)) return;
            own_input(member->second.scope, input, signal, scope);
        } else if (member->second.element.valid()) {
            element_input(member->second.element, input, signal, scope);
        }
    }

    /// Whether a name begins with that of a connector whose kind is unknown or flawed, which has been reported.
    bool leads_to_unknown_kind(const Scope& s, const std::string& name) const {
        const auto dot = name.find('.');
        if (dot == std::string::npos || s.declaration == nullptr) return false;
        const auto named = [&](const ConnectorDeclaration& c) { return c.name.text == name.substr(0, dot); };
        return std::ranges::any_of(s.declaration->connectors, named) &&
               !work_.connector_by_name.contains(s.prefix + name.substr(0, dot));
    }

    /// Gives a signal of a connector of an instance. False where the name is none.
    bool handed(std::uint32_t owner, const std::string& text, const SignalDeclaration& signal, std::uint32_t scope) {
        const Target to = target(text);
        const auto meant = handed_signal(work_, owner, to.name);
        if (!meant) return leads_to_unknown_kind(work_.scopes[owner], to.name);
        const auto& signals = work_.connectors[meant->first].kind->signals;
        if (meant->second < signals.size()) {
            claim(work_.scopes[owner].values, to, signal, scope);
            ScopeValue& value = work_.scopes[owner].values[to.name];
            if (signals[meant->second].unit) value.unit = &*signals[meant->second].unit;
            return true;
        }
        std::vector<std::string> names;
        for (const VariableDeclaration& v : signals) names.push_back(v.name.text);
        const auto last = to.name.rfind('.');
        work_.diagnostics.error(
            "BG-M086", signal.to.position,
            fmt::format("the connector '{}' has no signal '{}'{}", work_.connectors[meant->first].name,
                        to.name.substr(last + 1), did_you_mean(to.name.substr(last + 1), names)),
            {{"try", fmt::format("it has: {}", joined(names))}});
        return true;
    }

    /// The name of an input, and the component of it that is meant.
    struct Target {
        std::string name;
        std::optional<std::size_t> component;  ///< from 1
    };

    static Target target(const std::string& text) {
        if (auto component = component_of(text)) return {component->first, component->second};
        return {text, std::nullopt};
    }

    std::string example_input(const Scope& s, const Member& member, const std::string& name) const {
        std::string input;
        if (member.scope != kNone) {
            const TypeDeclaration& type = *work_.scopes[member.scope].declaration;
            if (!type.inputs.empty()) input = type.inputs.front().name.text;
        } else if (member.element.valid()) {
            const auto names = inputs_of(*work_.graph.elements[member.element.index()].type);
            if (!names.empty()) input = names.front();
        }
        return input.empty() ? "" : fmt::format(", as in '{}{}.{}'", s.prefix, name, input);
    }

    static std::vector<std::string> inputs_of(const ComponentType& type) {
        std::vector<std::string> names;
        for (const SignalSpec& i : type.inputs) names.emplace_back(i.many ? "u1" : std::string(i.name));
        for (const ParameterSpec& p : type.parameters) {
            if (p.kind == ParameterKind::number) names.emplace_back(p.name);
        }
        return names;
    }

    static bool is_output(const TypeDeclaration& type, const std::string& name) {
        return std::any_of(type.outputs.begin(), type.outputs.end(),
                           [&](const auto& o) { return o.name.text == name; });
    }

    void claim(std::unordered_map<std::string, ScopeValue>& values, const Target& name, const SignalDeclaration& signal,
               std::uint32_t scope) {
        ScopeValue& value = values[name.name];
        if (value.decides) return decided(name.name, signal);
        if (value.alternative) return no_alternative(name.name, signal);
        if (value.given && !name.component && value.replaced == nullptr) return already_given(signal);
        if (value.signal != nullptr) return already(signal);
        if (name.component) return drive(value.driven, *name.component, signal, scope);
        if (value.driven.size() > 0) return already(signal);
        value.value = nullptr;
        value.signal = &signal.from;
        value.evaluated_in = scope;
    }

    void decided(const std::string& name, const SignalDeclaration& signal) {
        work_.diagnostics.error("BG-M074", signal.to.position,
                                fmt::format("'{}' decides what the model consists of: no signal can drive it", name),
                                {{"because", "the size of an array or an 'if:' depends on it"},
                                 {"try", "give it a value in place of the signal"}});
    }

    void no_alternative(const std::string& name, const SignalDeclaration& signal) {
        work_.diagnostics.error(
            "BG-M082", signal.to.position,
            fmt::format("'{}' is one of several parameters of which one is given: no signal can drive it", name),
            {{"because", "which one it is decides how the others follow from it"},
             {"try", "a type without 'alternatives:', or an input that the type computes it from"}});
    }

    void already_given(const SignalDeclaration& signal) {
        work_.diagnostics.error("BG-M016", signal.to.position, fmt::format("'{}' has a value already", signal.to.text),
                                {{"try", "delete the value that the component is given, or this signal"}});
    }

    // The other components keep the value that is given.
    void drive(DrivenComponents& driven, std::size_t component, const SignalDeclaration& signal, std::uint32_t scope) {
        for (const DrivenComponents::One& one : driven.signals) {
            if (one.index == component - 1) return already(signal);
        }
        driven.signals.push_back({component - 1, &signal.from, &signal.to});
        driven.scope = scope;
    }

    void own_input(std::uint32_t inner, Target input, const SignalDeclaration& signal, std::uint32_t scope) {
        for (auto dot = input.name.find('.'); dot != std::string::npos; dot = input.name.find('.')) {
            const auto record = find_record(work_, inner, std::string_view(input.name).substr(0, dot));
            if (!record) break;
            inner = *record;
            input.name.erase(0, dot + 1);
        }
        Scope& s = work_.scopes[inner];
        std::vector<std::string> names;
        for (const VariableDeclaration& i : s.declaration->inputs) names.push_back(i.name.text);
        for (const ParameterDeclaration& p : s.declaration->body.parameters) {
            if (p.record && p.name.text == input.name) return whole_record(signal, *p.record);
            if (!p.record) names.push_back(p.name.text);
        }
        if (std::find(names.begin(), names.end(), input.name) == names.end()) {
            if (!s.body->gaps.values) unknown(signal, input.name, names);
            return;
        }
        claim(s.values, input, signal, scope);
    }

    void whole_record(const SignalDeclaration& signal, const Text& record) {
        work_.diagnostics.error(
            "BG-M016", signal.to.position,
            fmt::format("'{}' is a record {}: a signal drives one of its parameters", signal.to.text, record.text),
            {{"try", fmt::format("'{}.NAME'", signal.to.text)}});
    }

    void element_input(ElementId id, const Target& target, const SignalDeclaration& signal, std::uint32_t scope) {
        const ComponentType& type = *work_.graph.elements[id.index()].type;
        const std::string input(present_name(type.name, target.name));
        const std::vector<std::string> names = inputs_of(type);
        const bool many = !type.inputs.empty() && type.inputs.front().many && input_number(input);
        if (!many && std::find(names.begin(), names.end(), input) == names.end()) return unknown(signal, input, names);
        const bool component = target.component && may_be_vector(type, input);
        if (target.component && !component) report_single(signal, input);
        auto& signals = work_.origins[id.index()].signals;
        for (const auto& [name, source] : signals) {
            if (name == input) return already(signal);
        }
        auto& driven = work_.origins[id.index()].driven;
        if (component) return drive(driven[input], *target.component, signal, scope);
        if (driven.contains(input)) return already(signal);
        for (const Setting& setting : work_.origins[id.index()].declaration->settings) {
            if (setting.key.text == input) return has_value(id, signal, setting);
        }
        signals.emplace_back(input, std::pair{&signal.from, scope});
    }

    static bool may_be_vector(const ComponentType& type, const std::string& input) {
        return std::any_of(type.parameters.begin(), type.parameters.end(), [&](const ParameterSpec& p) {
            return p.name == input && p.shape != Shape::scalar && p.shape != Shape::table;
        });
    }

    void report_single(const SignalDeclaration& signal, const std::string& input) {
        const std::string whole = signal.to.text.substr(0, signal.to.text.find('.')) + "." + input;
        work_.diagnostics.error("BG-M016", signal.to.position,
                                fmt::format("'{}' is a single value, without components", whole),
                                {{"try", fmt::format("write '{} -> {}'", signal.from.text, whole)}});
    }

    void already(const SignalDeclaration& signal) {
        work_.diagnostics.error("BG-M016", signal.to.position, fmt::format("'{}' has a value already", signal.to.text),
                                {{"try", "an input takes one signal; add signals with a Sum"}});
    }

    void has_value(ElementId id, const SignalDeclaration& signal, const Setting& setting) {
        const std::string& name = work_.graph.elements[id.index()].name;
        const std::string line = work_.graph.line_text(setting.key.position, signal.to.position);
        work_.diagnostics.error("BG-M016", signal.to.position, fmt::format("'{}' has a value already", signal.to.text),
                                {{"where", fmt::format("'{}' of '{}' stands in {}", setting.key.text, name, line)},
                                 {"try", "delete that value, or this signal"}});
    }

    void unknown(const SignalDeclaration& signal, const std::string& input, const std::vector<std::string>& names) {
        work_.diagnostics.error(
            "BG-M016", signal.to.position,
            fmt::format("'{}' has no input '{}'{}", signal.to.text.substr(0, signal.to.text.find('.')), input,
                        did_you_mean(input, names)),
            {{"try", names.empty() ? "only components with inputs or parameters take signals"
                                   : fmt::format("it has: {}", joined(names))}});
    }

    static std::string joined(const std::vector<std::string>& names) {
        std::string all;
        for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
        return all;
    }

    void check_inputs(const Scope& scope) {
        if (scope.declaration == nullptr || scope.body->gaps.values || scope.declaration->record ||
            scope.instance->flawed)
            return;
        if (!work_.gaps(scope.outer).signals) check_connected(scope);
        if (scope.self.valid() || scope.body->gaps.signals) return;
        for (const VariableDeclaration& output : scope.declaration->outputs) {
            if (!scope.values.contains(output.name.text)) {
                work_.diagnostics.error("BG-M019", output.name.position,
                                        fmt::format("output '{}' gets no signal inside its type", output.name.text));
            }
        }
    }

    void check_connected(const Scope& scope) {
        for (const VariableDeclaration& input : scope.declaration->inputs) {
            const auto found = scope.values.find(input.name.text);
            if (found->second.value == nullptr && found->second.signal == nullptr && found->second.driven.size() == 0) {
                work_.diagnostics.error("BG-M019", scope.position,
                                        fmt::format("input '{}{}' is not connected", scope.prefix, input.name.text),
                                        {{"try", "connect a signal under 'signals:' or give it a value"}});
            }
        }
        // A parameter without a value that a signal was to give, which has been left out.
        for (const ParameterDeclaration& p : scope.declaration->body.parameters) {
            const auto found = scope.values.find(p.name.text);
            if (found == scope.values.end() || is_alternative(scope.declaration->body, p.name.text)) continue;
            const ScopeValue& v = found->second;
            if (v.value != nullptr || v.signal != nullptr || v.driven.size() > 0 || v.unknown || v.handed) continue;
            if (v.reported_missing) continue;
            work_.diagnostics.error("BG-M003", scope.position,
                                    fmt::format("parameter '{}{}' is missing", scope.prefix, p.name.text),
                                    {{"because", "the signal that leads to it is left out"},
                                     {"try", "give it a value, or a default in the type"}});
        }
    }

    Flattening& work_;
};

}  // namespace

void connect_signals(Flattening& work) { SignalConnection(work).run(); }

}  // namespace bondgraph::model
