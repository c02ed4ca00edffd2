// Pass 1 of flattening: the tree of instances, own types down to primitives.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "bondgraph/model/arrays.hpp"
#include "bondgraph/model/declare_parameters.hpp"
#include "bondgraph/model/former_names.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/optional_connectors.hpp"
#include "bondgraph/model/own_connectors.hpp"
#include "bondgraph/model/own_type.hpp"
#include "bondgraph/model/scope.hpp"
#include "bondgraph/model/type_hints.hpp"

namespace bondgraph::model {
namespace {

class Instantiation {
   public:
    explicit Instantiation(Flattening& work) : work_(work), connectors_(work) {}

    void run() {
        Scope root;
        root.body = &work_.model.body;
        root.position = work_.model.name.position;
        work_.scopes.push_back(std::move(root));
        check_records();
        declare_parameters(work_, 0, work_.model.body.parameters, nullptr, 0);
        components(0, 0);
        if (work_.bodies.empty()) return;
        for (Scope& s : work_.scopes) {
            for (auto& [name, value] : s.values) value.decides = value.state == ScopeValue::State::done;
        }
    }

   private:
    /// A record by the name of a built-in type would take that away from all components.
    void check_records() {
        for (const TypeDeclaration& type : work_.model.types) {
            if (!type.record || work_.catalogue.find(type.name.text) == nullptr) continue;
            work_.diagnostics.error("BG-M017", type.name.position,
                                    fmt::format("there is a built-in type '{}'", type.name.text),
                                    {{"try", "give the record another name"}});
        }
    }

    void components(std::uint32_t scope, int depth) {
        write_out_components(work_, scope);
        for (const ComponentDeclaration& declaration : work_.scopes[scope].body->components)
            component(scope, declaration, depth);
        write_out_connections(work_, scope);
    }

    /// A declaration whose settings go by their present names; those by former ones are warned of, once in a type.
    const ComponentDeclaration& in_present_names(const ComponentDeclaration& written) {
        const auto is_former = [&](const Setting& s) {
            return present_name(written.type.text, s.key.text) != s.key.text;
        };
        const auto& settings = written.settings;
        if (written.own_type || std::none_of(settings.begin(), settings.end(), is_former)) return written;
        const auto known = renamed_.find(&written);
        if (known != renamed_.end()) return *known->second;
        ComponentDeclaration& present = work_.part_declarations.emplace_back(written);
        renamed_.emplace(&written, &present);
        for (Setting& s : present.settings) {
            const std::string now(present_name(written.type.text, s.key.text));
            if (now == s.key.text) continue;
            work_.diagnostics.warning("BG-M067", s.key.position,
                                      fmt::format("'{}' of {} is now called '{}'", s.key.text, written.type.text, now),
                                      {{"because", "the next version no longer knows the old name"},
                                       {"try", fmt::format("write '{}'", now)}});
            s.key.text = now;
        }
        return present;
    }

    void component(std::uint32_t scope, const ComponentDeclaration& written, int depth) {
        const ComponentDeclaration& declaration = in_present_names(written);
        const std::string full = work_.scopes[scope].prefix + declaration.name.text;
        Member member;
        if (declaration.own_type) {
            const TypeDeclaration& own = work_.model.types[*declaration.own_type];
            warn_of_shadow(declaration, own);
            member = instance(scope, declaration, own, depth);
        } else if (const ComponentType* type = work_.catalogue.find(declaration.type.text)) {
            check_settings(declaration, *type);
            check_domain(declaration);
            member.element = add_element(full, *type, declaration, scope);
        } else {
            report_unknown_type(declaration.type);
            // The name is known all the same, so that its bonds raise no errors of their own.
        }
        work_.scopes[scope].members.emplace(declaration.name.text, member);
    }

    /// Unknown prefixes, and types that their files haven't got, have been reported.
    void report_unknown_type(const Text& type) {
        const bool prefixed = type.text.find('.') != std::string::npos;
        if (work_.model.types_missing || type.text.empty() || prefixed) return;
        std::vector<std::string> names = work_.catalogue.names();
        std::string hint;
        for (const TypeDeclaration& t : work_.model.types) {
            if (t.name.text != type.text) names.push_back(t.name.text);
            const bool from_here = type.position.file == work_.model.name.position.file;
            if (hint.empty() && from_here && t.name.text.ends_with("." + type.text))
                hint = fmt::format("; did you mean '{}'?", t.name.text);
        }
        // Of types that differ by capitals only, that one; else words have hints of their own.
        const auto same = std::ranges::find_if(names, [&](const std::string& name) {
            return std::ranges::equal(
                name, type.text, [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
        });
        if (hint.empty() && same != names.end()) hint = fmt::format("; did you mean '{}'?", *same);
        std::vector<DiagnosticNote> notes{{"try", "'bondgraph types' lists all types"}};
        if (std::ranges::any_of(work_.model.types, [&](const auto& t) { return t.name.text == type.text; }))
            notes.insert(notes.begin(), {"because", "the file that has a type of this name is not imported here"});
        if (connectors_.is_kind(type.text))
            notes.insert(notes.begin(),
                         {"because",
                          fmt::format("'{}' is a connector type: it stands under 'connectors:' of a type", type.text)});
        work_.diagnostics.error(
            "BG-M001", type.position,
            fmt::format("unknown component type '{}'{}", type.text, hint.empty() ? type_hint(type.text, names) : hint),
            std::move(notes));
    }

    /// A type of an imported file by the name of a built-in one: the model's author may have meant that.
    void warn_of_shadow(const ComponentDeclaration& declaration, const TypeDeclaration& type) {
        const bool far = type.name.position.file != declaration.type.position.file;
        if (!far || work_.catalogue.find(type.name.text) == nullptr || !shadows_.insert(&type).second) return;
        work_.diagnostics.warning(
            "BG-M078", declaration.type.position,
            fmt::format("'{}' is here the type of an imported file, not the built-in one", type.name.text),
            {{"try", "give the imported type another name"}});
    }

    ElementId add_element(const std::string& name, const ComponentType& type, const ComponentDeclaration& declaration,
                          std::uint32_t scope) {
        const ElementId id(work_.graph.elements.size());
        Element element;
        element.name = name;
        element.type = &type;
        element.position = position_for_user(work_, scope, declaration.name.position);
        // Coordinates make better states than the momenta that follow them through gears.
        element.preference =
            declaration.states.value_or(type.free_rates ? StatePreference::prefer : StatePreference::standard);
        element.states_asked = declaration.states.has_value();
        if (type.pattern == PortPattern::fixed && type.build == nullptr) {
            for (const PortSpec& spec : type.ports) {
                Port port{.name = std::string(spec.name), .direction = spec.direction};
                if (!spec.domain.empty()) port.domain = *find_domain(spec.domain);
                element.ports.push_back(port);
            }
        }
        for (const ConnectorSpec& spec : type.connectors)
            element.connectors.push_back({std::string(spec.name), spec.type});
        work_.graph.elements.push_back(std::move(element));
        work_.graph.element_by_name.emplace(name, id);
        work_.origins.push_back({.declaration = &declaration, .scope = scope});
        for (std::uint32_t k = 0; k < type.connectors.size(); ++k) {
            add_connector(work_, {.name = name + "." + std::string(type.connectors[k].name),
                                  .type = type.connectors[k].type,
                                  .element = id,
                                  .index = k,
                                  .position = declaration.name.position});
        }
        if (type.build == nullptr) return id;
        for (const PortSpec& spec : type.ports) {
            if (spec.connector == nullptr) continue;
            add_connector(work_, {.name = name + "." + std::string(spec.name),
                                  .type = spec.connector,
                                  .element = {},
                                  .position = declaration.name.position,
                                  .part = true});
        }
        return id;
    }

    // Own types: a scope for their parameters; an element when they have equations; their components below.
    Member instance(std::uint32_t outer, const ComponentDeclaration& declaration, const TypeDeclaration& type,
                    int depth) {
        const auto active = std::find(active_.begin(), active_.end(), &type);
        if (active == active_.end() && depth >= kDeepestType) {
            work_.diagnostics.error(
                "BG-M064", declaration.type.position,
                fmt::format("types are nested more than {} levels deep: type '{}' is inside all of them", kDeepestType,
                            type.name.text),
                {{"try", "put the components of some of these types directly into the types that use them"}});
            return {};
        }
        if (active != active_.end()) {
            std::string path;
            for (auto t = active; t != active_.end(); ++t) path += fmt::format("'{}' contains ", (*t)->name.text);
            work_.diagnostics.error(
                "BG-M014", declaration.type.position,
                fmt::format("type '{}' contains itself: {}'{}'", type.name.text, path, type.name.text),
                {{"because", "its instances would never end"}});
            return {};
        }
        if (type.record && work_.catalogue.find(type.name.text) != nullptr) return {};  // reported
        if (type.record) {
            work_.diagnostics.error("BG-M081", declaration.type.position,
                                    fmt::format("'{}' is a record and no component type", type.name.text),
                                    {{"try", fmt::format("under 'parameters:': {}: {{record: {}}}",
                                                         declaration.name.text, type.name.text)}});
            return {};
        }
        if (type.partial) {
            work_.diagnostics.error("BG-M034", declaration.type.position,
                                    fmt::format("type '{}' has neither 'equations:' nor 'components:'", type.name.text),
                                    {{"because", "it is only there for other types to extend"}});
            return {};
        }
        check_instances(declaration);
        Member member;
        member.scope = static_cast<std::uint32_t>(work_.scopes.size());
        Scope scope;
        scope.prefix = work_.scopes[outer].prefix + declaration.name.text + ".";
        scope.body = &type.body;
        scope.declaration = &type;
        scope.instance = &declaration;
        scope.outer = outer;
        scope.position = declaration.name.position;
        work_.scopes.push_back(std::move(scope));
        settle_optional_connectors(work_, member.scope);
        check_own_settings(declaration, type);
        declare_parameters(work_, member.scope, type.body.parameters, &declaration, outer);
        for (const VariableDeclaration& input : type.inputs) {
            ScopeValue value{.value = input.start ? &*input.start : nullptr, .evaluated_in = member.scope};
            if (input.unit) value.unit = &*input.unit;
            for (const Setting& setting : declaration.settings) {
                if (setting.key.text != input.name.text) continue;
                value.value = &setting.value;
                value.evaluated_in = outer;
            }
            work_.scopes[member.scope].values.emplace(input.name.text, value);
        }
        if (type.joint) {
            member.element = own_joint(member.scope, declaration, type);
            return member;
        }
        if (has_own_variables(type)) member.element = own_element(member.scope, declaration, type);
        connectors_.declare(member.scope, type, member.element);
        if (!type.body.components.empty()) {
            active_.push_back(&type);
            components(member.scope, depth + 1);
            active_.pop_back();
        }
        return member;
    }

    /// Types that contain each other twice double their instances at each level: that has to end before the memory
    /// does.
    void check_instances(const ComponentDeclaration& declaration) {
        if (work_.scopes.size() <= kMostInstances) return;
        work_.diagnostics.error("BG-M059", declaration.type.position,
                                fmt::format("the model has more than {} instances of types of its own", kMostInstances),
                                {{"because", "each instance of a type brings along those its components are made of"}});
        work_.diagnostics.throw_if_errors();
    }

    ElementId own_joint(std::uint32_t scope, const ComponentDeclaration& declaration, const TypeDeclaration& type) {
        const std::string prefix = work_.scopes[scope].prefix;
        const ElementId id = add_element(prefix.substr(0, prefix.size() - 1), *work_.catalogue.find("own joint"),
                                         declaration, work_.scopes[scope].outer);
        work_.origins[id.index()].inner_scope = scope;
        work_.origins[id.index()].joint = &*type.joint;
        work_.scopes[scope].self = id;
        return id;
    }

    ElementId own_element(std::uint32_t scope, const ComponentDeclaration& declaration, const TypeDeclaration& type) {
        const std::string prefix = work_.scopes[scope].prefix;
        const std::uint32_t outer = work_.scopes[scope].outer;
        const ElementId id = add_element(prefix.substr(0, prefix.size() - 1), kOwnType, declaration, outer);
        Element& element = work_.graph.elements[id.index()];
        element.declaration = &type;
        work_.origins[id.index()].inner_scope = scope;
        work_.scopes[scope].self = id;
        const auto add_port = [&](const PortDeclaration& port) {
            if (OwnConnectors::bonded_inside(type, port.name.text)) return;
            Port p{.name = port.name.text, .demand = port.causality};
            if (port.domain) {
                if (const auto domain = find_domain(port.domain->text)) p.domain = *domain;
            }
            element.ports.push_back(p);
        };
        for (const PortDeclaration& port : type.ports) add_port(port);
        for (const PortDeclaration& port : connectors_.ports(type)) add_port(port);
        return id;
    }

    /// Whether an instance is an element of its own, and not only its parts.
    static bool has_own_variables(const TypeDeclaration& type) {
        const auto discrete = [](const VariableDeclaration& v) { return v.discrete.has_value(); };
        const TypeDeclaration& t = type;
        return !t.body.equations.empty() || std::any_of(t.body.variables.begin(), t.body.variables.end(), discrete) ||
               std::any_of(t.outputs.begin(), t.outputs.end(), discrete);
    }

    void check_settings(const ComponentDeclaration& declaration, const ComponentType& type) {
        for (const Setting& setting : declaration.settings) {
            const std::string& key = setting.key.text;
            std::vector<std::string> names;
            for (const ParameterSpec& p : type.parameters) names.emplace_back(p.name);
            for (const SignalSpec& s : type.inputs) names.emplace_back(s.many ? "u1" : s.name);
            if (std::find(names.begin(), names.end(), key) != names.end() || many_input(type, key)) continue;
            report_unknown(setting.key, std::string(type.name), std::move(names));
        }
    }

    void check_domain(const ComponentDeclaration& declaration) {
        if (!declaration.domain || find_domain(declaration.domain->text)) return;
        std::vector<std::string> names;
        for (const Domain& known : domains()) names.emplace_back(known.name);
        const std::string hint = did_you_mean(declaration.domain->text, names);
        work_.diagnostics.error("BG-M011", declaration.domain->position,
                                fmt::format("unknown domain '{}'{}", declaration.domain->text, hint),
                                {{"try", fmt::format("one of {}", fmt::join(names, ", "))}});
    }

    void report_unknown(const Text& key, const std::string& type, std::vector<std::string> names) {
        const auto dot = key.text.find('.');
        if (dot != std::string::npos && std::find(names.begin(), names.end(), key.text.substr(0, dot)) != names.end()) {
            report_unknown_in(key, dot, type);
            return;
        }
        const std::string all = fmt::format("{}", fmt::join(names, ", "));
        names.insert(names.end(), component_keys().begin(), component_keys().end());
        const std::string hint = key_hint(key.text, names);
        work_.diagnostics.error(
            "BG-M002", key.position, fmt::format("unknown parameter '{}' of {}{}", key.text, type, hint),
            {{"try", all.empty() ? fmt::format("{} has no parameters", type) : fmt::format("{} has: {}", type, all)}});
    }

    /// The names of what stands in the record that a key leads to, as far as there are such records.
    std::vector<std::string> fields_of(const std::string& key, const std::string& type) const {
        const auto& types = work_.model.types;
        const auto owner = std::ranges::find_if(types, [&](const TypeDeclaration& t) { return t.name.text == type; });
        const Body* body = owner == types.end() ? nullptr : &owner->body;
        std::vector<std::string> names;
        for (std::size_t begin = 0, dot = key.find('.'); body != nullptr && dot != std::string::npos;
             begin = dot + 1, dot = key.find('.', begin)) {
            const std::string name = key.substr(begin, dot - begin);
            const auto p = std::ranges::find_if(body->parameters,
                                                [&](const auto& d) { return d.name.text == name && d.record_type; });
            if (p == body->parameters.end()) break;
            body = &types[*p->record_type].body;
            names.clear();
            for (const ParameterDeclaration& field : body->parameters) names.push_back(field.name.text);
        }
        return names;
    }

    /// {R: {valeu: 5}}, or a parameter that a record hasn't got.
    void report_unknown_in(const Text& key, std::size_t dot, const std::string& type) {
        const std::string head = key.text.substr(0, dot);
        const std::string rest = key.text.substr(dot + 1);
        const auto names = fields_of(key.text, type);
        if (!names.empty()) {
            const auto last = key.text.rfind('.');
            work_.diagnostics.error(
                "BG-M081", key.position,
                fmt::format("the record '{}' of {} has no parameter '{}'{}", key.text.substr(0, last), type,
                            key.text.substr(last + 1), did_you_mean(key.text.substr(last + 1), names)),
                {{"try", fmt::format("it has: {}", fmt::join(names, ", "))}});
            return;
        }
        const std::string hint = did_you_mean(rest, std::vector<std::string>{"value", "free"});
        if (hint.empty()) {
            work_.diagnostics.error(
                "BG-M037", key.position,
                fmt::format("'{}' takes a number, a text or a list, not a map with '{}'", head, rest));
            return;
        }
        work_.diagnostics.error("BG-M036", key.position,
                                fmt::format("unknown key '{}' in parameter '{}'{}", rest, head, hint));
    }

    static bool many_input(const ComponentType& type, const std::string& key) {
        return !type.inputs.empty() && type.inputs.front().many && input_number(key);
    }

    void check_own_settings(const ComponentDeclaration& declaration, const TypeDeclaration& type) {
        if (type.body.gaps.values) return;
        std::vector<std::string> names;
        for (const ParameterDeclaration& p : type.body.parameters) names.push_back(p.name.text);
        for (const VariableDeclaration& i : type.inputs) names.push_back(i.name.text);
        for (const Setting& setting : declaration.settings) {
            if (std::find(names.begin(), names.end(), setting.key.text) != names.end()) continue;
            if (names_parameter(work_.model, type.body, setting.key.text)) continue;
            report_unknown(setting.key, type.name.text, names);
        }
    }

    Flattening& work_;
    OwnConnectors connectors_;
    std::vector<const TypeDeclaration*> active_;
    std::unordered_set<const TypeDeclaration*> shadows_;
    std::unordered_map<const ComponentDeclaration*, const ComponentDeclaration*> renamed_;
};

}  // namespace

void instantiate(Flattening& work) { Instantiation(work).run(); }

}  // namespace bondgraph::model
