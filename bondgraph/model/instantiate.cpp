// Pass 1 of flattening: the tree of instances, own types down to primitives.

#include <algorithm>
#include <fmt/format.h>

#include "bondgraph/model/own_type.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

constexpr int kDeepest = 50;

class Instantiation {
   public:
    explicit Instantiation(Flattening& work) : work_(work) {
        for (const TypeDeclaration& type : work.model.types) own_types_.emplace(type.name.text, &type);
    }

    void run() {
        Scope root;
        root.body = &work_.model.body;
        root.position = work_.model.name.position;
        work_.scopes.push_back(std::move(root));
        declare_parameters(0, work_.model.body.parameters, nullptr, 0);
        components(0, work_.model.body, 0);
    }

   private:
    void declare_parameters(std::uint32_t scope, const std::vector<ParameterDeclaration>& declarations,
                            const ComponentDeclaration* instance, std::uint32_t outer) {
        Scope& s = work_.scopes[scope];
        for (const ParameterDeclaration& d : declarations) {
            ScopeValue value{.value = d.value ? &*d.value : nullptr, .evaluated_in = scope, .declaration = &d};
            if (instance != nullptr) {
                for (const Setting& setting : instance->settings) {
                    if (setting.key.text != d.name.text) continue;
                    value.value = &setting.value;
                    value.evaluated_in = outer;
                }
            }
            value.value = work_.overridden(s.prefix + d.name.text, value.value);
            if (value.value == nullptr) {
                work_.diagnostics.error("BG-M003", s.position,
                                        fmt::format("parameter '{}' of '{}' is missing{}", d.name.text, name_of(s),
                                                    d.doc.empty() ? "" : fmt::format(" ({})", d.doc)));
            }
            if (!s.values.emplace(d.name.text, value).second) {
                work_.diagnostics.error("BG-M017", d.name.position, fmt::format("parameter '{}' is declared twice", d.name.text));
            }
        }
    }

    static std::string name_of(const Scope& s) {
        return s.prefix.empty() ? "the model" : s.prefix.substr(0, s.prefix.size() - 1);
    }

    void components(std::uint32_t scope, const Body& body, int depth) {
        for (const ComponentDeclaration& declaration : body.components) component(scope, declaration, depth);
    }

    void component(std::uint32_t scope, const ComponentDeclaration& declaration, int depth) {
        const std::string full = work_.scopes[scope].prefix + declaration.name.text;
        Member member;
        if (const auto own = own_types_.find(declaration.type.text); own != own_types_.end()) {
            member = instance(scope, declaration, *own->second, depth);
        } else if (const ComponentType* type = work_.catalogue.find(declaration.type.text)) {
            check_settings(declaration, *type);
            member.element = add_element(full, *type, declaration, scope);
        } else {
            std::vector<std::string> names = work_.catalogue.names();
            for (const TypeDeclaration& t : work_.model.types) names.push_back(t.name.text);
            work_.diagnostics.error("BG-M001", declaration.type.position,
                                    fmt::format("unknown component type '{}'{}", declaration.type.text,
                                                did_you_mean(declaration.type.text, names)),
                                    {{"try", "'bondgraph types' lists all types"}});
            // The name is known all the same, so that its bonds raise no errors of their own.
        }
        work_.scopes[scope].members.emplace(declaration.name.text, member);
    }

    ElementId add_element(const std::string& name, const ComponentType& type, const ComponentDeclaration& declaration,
                          std::uint32_t scope) {
        const ElementId id(work_.graph.elements.size());
        Element element;
        element.name = name;
        element.type = &type;
        element.position = declaration.name.position;
        element.preference = declaration.states.value_or(StatePreference::standard);
        if (type.pattern == PortPattern::fixed) {
            for (const PortSpec& spec : type.ports) {
                Port port{.name = std::string(spec.name), .direction = spec.direction};
                if (!spec.domain.empty()) port.domain = *find_domain(spec.domain);
                element.ports.push_back(port);
            }
        }
        work_.graph.elements.push_back(std::move(element));
        work_.graph.element_by_name.emplace(name, id);
        work_.origins.push_back({.declaration = &declaration, .scope = scope});
        return id;
    }

    // Own types: a scope for their parameters; an element when they have equations; their components below.
    Member instance(std::uint32_t outer, const ComponentDeclaration& declaration, const TypeDeclaration& type, int depth) {
        const auto active = std::find(active_.begin(), active_.end(), &type);
        if (active != active_.end() || depth >= kDeepest) {
            std::string path;
            for (auto t = active; t != active_.end(); ++t) path += fmt::format("'{}' contains ", (*t)->name.text);
            work_.diagnostics.error("BG-M014", declaration.type.position,
                                    fmt::format("type '{}' contains itself: {}'{}'", type.name.text, path, type.name.text),
                                    {{"because", "its instances would never end"}});
            return {};
        }
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
        check_own_settings(declaration, type);
        declare_parameters(member.scope, type.body.parameters, &declaration, outer);
        for (const VariableDeclaration& input : type.inputs) {
            ScopeValue value{.value = input.start ? &*input.start : nullptr, .evaluated_in = member.scope};
            for (const Setting& setting : declaration.settings) {
                if (setting.key.text != input.name.text) continue;
                value.value = &setting.value;
                value.evaluated_in = outer;
            }
            work_.scopes[member.scope].values.emplace(input.name.text, value);
        }
        if (!type.body.equations.empty()) member.element = own_element(member.scope, declaration, type);
        if (!type.body.components.empty()) {
            declare_boundary(member.scope, type, member.element);
            active_.push_back(&type);
            components(member.scope, type.body, depth + 1);
            active_.pop_back();
        }
        return member;
    }

    ElementId own_element(std::uint32_t scope, const ComponentDeclaration& declaration, const TypeDeclaration& type) {
        const std::string prefix = work_.scopes[scope].prefix;
        const ElementId id = add_element(prefix.substr(0, prefix.size() - 1), kOwnType, declaration, scope);
        Element& element = work_.graph.elements[id.index()];
        element.declaration = &type;
        work_.origins[id.index()].inner_scope = scope;
        work_.scopes[scope].self = id;
        for (const PortDeclaration& port : type.ports) {
            if (bonded_inside(type, port.name.text)) continue;
            Port p{.name = port.name.text};
            if (port.domain) {
                if (const auto domain = find_domain(port.domain->text)) p.domain = *domain;
            }
            element.ports.push_back(p);
        }
        return id;
    }

    static bool bonded_inside(const TypeDeclaration& type, const std::string& port) {
        return std::any_of(type.body.bonds.begin(), type.body.bonds.end(),
                           [&](const BondDeclaration& b) { return b.from.text == port || b.to.text == port; });
    }

    void declare_boundary(std::uint32_t scope, const TypeDeclaration& type, ElementId own) {
        for (const PortDeclaration& port : type.ports) {
            if (own.valid() && !bonded_inside(type, port.name.text)) continue;
            work_.scopes[scope].boundary_ports.emplace(port.name.text,
                                                       static_cast<std::uint32_t>(work_.boundary_ports.size()));
            work_.boundary_ports.push_back({.declaration = &port,
                                            .scope = scope,
                                            .name = work_.scopes[scope].prefix + port.name.text,
                                            .position = work_.scopes[scope].position});
        }
    }

    void check_settings(const ComponentDeclaration& declaration, const ComponentType& type) {
        for (const Setting& setting : declaration.settings) {
            const std::string& key = setting.key.text;
            std::vector<std::string> names;
            for (const ParameterSpec& p : type.parameters) names.emplace_back(p.name);
            for (const SignalSpec& s : type.inputs) names.emplace_back(s.name);
            if (std::find(names.begin(), names.end(), key) != names.end() || many_input(type, key)) continue;
            if (names.empty()) {
                work_.diagnostics.error("BG-M002", setting.key.position,
                                        fmt::format("unknown parameter '{}': type {} has none", key, type.name));
                continue;
            }
            std::string all;
            for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
            const std::string hint = did_you_mean(key, names);
            work_.diagnostics.error("BG-M002", setting.key.position,
                                    fmt::format("unknown parameter '{}' of {}{}", key, type.name, hint),
                                    hint.empty() ? std::vector<DiagnosticNote>{{"try", fmt::format("{} has: {}", type.name, all)}}
                                                 : std::vector<DiagnosticNote>{});
        }
    }

    static bool many_input(const ComponentType& type, const std::string& key) {
        if (type.inputs.empty() || !type.inputs.front().many || key.size() < 2 || key[0] != 'u') return false;
        return std::all_of(key.begin() + 1, key.end(), [](char c) { return c >= '0' && c <= '9'; });
    }

    void check_own_settings(const ComponentDeclaration& declaration, const TypeDeclaration& type) {
        std::vector<std::string> names;
        for (const ParameterDeclaration& p : type.body.parameters) names.push_back(p.name.text);
        for (const VariableDeclaration& i : type.inputs) names.push_back(i.name.text);
        for (const Setting& setting : declaration.settings) {
            if (std::find(names.begin(), names.end(), setting.key.text) != names.end()) continue;
            work_.diagnostics.error("BG-M002", setting.key.position,
                                    fmt::format("unknown parameter '{}' of {}{}", setting.key.text, type.name.text,
                                                names.empty() ? ": it has none" : did_you_mean(setting.key.text, names)));
        }
    }

    Flattening& work_;
    std::unordered_map<std::string, const TypeDeclaration*> own_types_;
    std::vector<const TypeDeclaration*> active_;
};

}  // namespace

void instantiate(Flattening& work) { Instantiation(work).run(); }

}  // namespace bondgraph::model
