#include "bondgraph/model/declare_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "bondgraph/model/alternatives.hpp"
#include "bondgraph/model/arrays.hpp"

namespace bondgraph::model {
namespace {

/// What gives parameters their values: settings whose keys begin with `prefix`, or another record, handed on.
struct Giver {
    std::span<const Setting> settings = {};
    std::string prefix = {};
    std::uint32_t scope = 0;  ///< where the settings, or the name of the record, are written
    std::uint32_t record = Id<void>::kNone;
    const Text* name = nullptr;  ///< of the record, as written
    bool unknown = false;        ///< there is no such record, which has been reported
};

/// The strongest comes first.
using Givers = std::vector<Giver>;

const Setting* setting_of(const Giver& giver, std::string_view name) {
    for (const Setting& s : giver.settings) {
        const std::string_view key = s.key.text;
        if (key.size() == giver.prefix.size() + name.size() && key.starts_with(giver.prefix) && key.ends_with(name))
            return &s;
    }
    return nullptr;
}

class ParameterDeclaring {
   public:
    explicit ParameterDeclaring(Flattening& work) : work_(work) {}

    /// The scopes of all records come first: one may be handed another that is declared after it.
    void run(std::uint32_t scope, const std::vector<ParameterDeclaration>& declarations, const Givers& givers) {
        make_records(scope, declarations);
        give_values(scope, declarations, givers);
    }

   private:
    void parameter(std::uint32_t scope, const ParameterDeclaration& d, const Givers& givers) {
        Scope& s = work_.scopes[scope];
        const ComponentDeclaration* instance = instance_around(work_, scope);
        ScopeValue value{
            .value = d.value ? &*d.value : nullptr, .evaluated_in = scope, .declaration = &d, .free = d.free};
        std::uint32_t written_in = scope;
        bool unknown = d.flawed || (instance != nullptr && instance->flawed);
        for (const Giver& giver : givers) {
            if (giver.unknown) {
                value.value = nullptr;
                unknown = true;
                break;
            }
            if (giver.record != Id<void>::kNone) {
                value.value = &work_.handed_values.emplace_back(
                    Value{.scalar = {d.name.text, giver.name->position}, .items = {}});
                value.evaluated_in = giver.record;
                value.handed = true;
                value.free = false;
                written_in = giver.scope;
                break;
            }
            if (const Setting* setting = setting_of(giver, d.name.text)) {
                value.value = &setting->value;
                value.evaluated_in = written_in = giver.scope;
                value.free = value.free || setting->free;
                value.given = true;
                break;
            }
        }
        value.unknown = unknown;
        value.replaced = value.value;
        value.value = work_.overridden(s.prefix + d.name.text, value.value);
        if (value.value == value.replaced) {
            value.replaced = nullptr;
            const TypeDeclaration* owner = work_.scopes[value.evaluated_in].declaration;
            value.of_record = !value.handed && owner != nullptr && owner->record;
        } else {
            // of the same unit as what the record has
            if (value.handed && d.value) value.replaced = &*d.value;
            value.evaluated_in = written_in;
            value.handed = false;
            value.given = true;
        }
        if (value.value == nullptr && !unknown && !is_alternative(*s.body, d.name.text) && !is_driven(s, d)) {
            work_.diagnostics.error("BG-M003", s.position,
                                    fmt::format("parameter '{}' of '{}' is missing{}", d.name.text, name_of(s),
                                                d.doc.empty() ? "" : fmt::format(" ({})", d.doc)));
            value.reported_missing = true;
        }
        if (!s.values.emplace(d.name.text, value).second) {
            work_.diagnostics.error("BG-M017", d.name.position,
                                    fmt::format("parameter '{}' is declared twice", d.name.text));
        }
    }

    /// Whether a signal around the instance gives the value.
    bool is_driven(const Scope& s, const ParameterDeclaration& d) {
        if (s.instance == nullptr || s.declaration == nullptr || s.declaration->record) return false;
        const std::string name = driven_name(s.instance->name.text + "." + d.name.text);
        return connected_names(work_, s.outer).contains(name);
    }

    static std::string name_of(const Scope& s) {
        return s.prefix.empty() ? "the model" : s.prefix.substr(0, s.prefix.size() - 1);
    }

    void make_records(std::uint32_t scope, const std::vector<ParameterDeclaration>& declarations, int depth = 0) {
        for (const ParameterDeclaration& d : declarations) {
            if (!d.record_type) continue;
            check_limits(d, depth);
            const TypeDeclaration& type = work_.model.types[*d.record_type];
            const auto index = static_cast<std::uint32_t>(work_.scopes.size());
            const ComponentDeclaration* instance = instance_around(work_, scope);
            Scope s;
            s.prefix = work_.scopes[scope].prefix + d.name.text + ".";
            s.body = &type.body;
            s.declaration = &type;
            s.outer = scope;
            s.position = instance != nullptr ? instance->name.position : d.name.position;
            work_.scopes.push_back(std::move(s));
            work_.scopes[scope].members.emplace(d.name.text, Member{.element = {}, .scope = index});
            make_records(index, type.body.parameters, depth + 1);
        }
    }

    /// Records that hold two of the next kind double at each level: that has to end before the memory does.
    void check_limits(const ParameterDeclaration& d, int depth) {
        if (depth >= kDeepestType)
            work_.diagnostics.error("BG-M064", d.name.position,
                                    fmt::format("records are nested more than {} levels deep", kDeepestType));
        else if (work_.scopes.size() > kMostInstances)
            work_.diagnostics.error(
                "BG-M059", d.name.position,
                fmt::format("the model has more than {} instances of records and types of its own", kMostInstances));
        else
            return;
        work_.diagnostics.throw_if_errors();
    }

    void give_values(std::uint32_t scope, const std::vector<ParameterDeclaration>& declarations, const Givers& givers) {
        for (const ParameterDeclaration& d : declarations) {
            if (!d.record) {
                parameter(scope, d, givers);
            } else if (d.record_type) {
                const TypeDeclaration& type = work_.model.types[*d.record_type];
                const std::uint32_t record = work_.scopes[scope].members.at(d.name.text).scope;
                give_values(record, type.body.parameters, givers_of(scope, d, type, givers));
            }
        }
        settle_alternatives(work_, scope);
    }

    Givers givers_of(std::uint32_t scope, const ParameterDeclaration& d, const TypeDeclaration& type,
                     const Givers& givers) {
        Givers inner;
        for (const Giver& giver : givers) {
            if (giver.unknown) {
                inner.push_back(giver);
                continue;
            }
            if (giver.record != Id<void>::kNone) {
                const auto& members = work_.scopes[giver.record].members;
                const auto found = members.find(d.name.text);
                if (found == members.end()) continue;
                inner.push_back({.scope = giver.scope, .record = found->second.scope, .name = giver.name});
                continue;
            }
            inner.push_back(
                {.settings = giver.settings, .prefix = giver.prefix + d.name.text + ".", .scope = giver.scope});
            const Setting* whole = setting_of(giver, d.name.text);
            if (whole == nullptr) continue;
            const auto handed = handed_record(*whole, giver.scope, type, work_.scopes[scope].prefix + d.name.text);
            inner.push_back({.scope = giver.scope,
                             .record = handed.value_or(Id<void>::kNone),
                             .name = &whole->value.scalar,
                             .unknown = !handed});
        }
        inner.push_back({.settings = d.fields, .scope = scope});
        for (const Giver& giver : inner) {
            if (giver.record == Id<void>::kNone) continue;
            work_.scopes[work_.scopes[scope].members.at(d.name.text).scope].handed_from = giver.record;
            break;
        }
        return inner;
    }

    /// The record that a setting names, which has to be of the kind that is asked for, or extend it.
    std::optional<std::uint32_t> handed_record(const Setting& setting, std::uint32_t scope, const TypeDeclaration& type,
                                               const std::string& name) {
        const std::string text = setting.value.is_list ? "[…]" : setting.value.scalar.text;
        const auto found = setting.value.is_list ? std::nullopt : find_record(work_, scope, text);
        if (found && is_kind(*work_.scopes[*found].declaration, type)) return found;
        if (!found && may_be_record(scope, text)) return std::nullopt;
        if (found && work_.gaps(*found).values) return std::nullopt;
        std::vector<std::string> fitting;
        for (const auto& [member, leads_to] : work_.scopes[scope].members) {
            const auto record = find_record(work_, scope, member);
            if (record && is_kind(*work_.scopes[*record].declaration, type)) fitting.push_back(member);
        }
        std::sort(fitting.begin(), fitting.end());
        std::vector<DiagnosticNote> notes;
        if (!fitting.empty()) notes.push_back({"try", fmt::format("one of {}", fmt::join(fitting, ", "))});
        const auto& fields = type.body.parameters;
        if (fitting.empty() && !fields.empty())
            notes.push_back({"try", fmt::format("declare one: 'parameters: {{mine: {{record: {}}}}}', or give its "
                                                "parameters here: {{{}: …}}",
                                                type.name.text, fields.front().name.text)});
        work_.diagnostics.error("BG-M081", setting.value.position(),
                                found ? fmt::format("'{}' takes a record {}, and '{}' is a {}", name, type.name.text,
                                                    text, work_.scopes[*found].declaration->name.text)
                                      : fmt::format("'{}' takes a record {}, not '{}'{}", name, type.name.text, text,
                                                    did_you_mean(text, fitting)),
                                std::move(notes));
        return std::nullopt;
    }

    /// Something of the file that has been reported may have been the record that is looked for.
    bool may_be_record(std::uint32_t scope, const std::string& name) const {
        if (work_.gaps(scope).values) return true;
        const auto& declarations = work_.scopes[scope].body->parameters;
        return std::any_of(declarations.begin(), declarations.end(),
                           [&](const auto& p) { return p.name.text == name && p.flawed; });
    }

    bool is_kind(const TypeDeclaration& is, const TypeDeclaration& wanted) const {
        for (const TypeDeclaration* t = &is; t != nullptr;
             t = t->base_type ? &work_.model.types[*t->base_type] : nullptr) {
            if (t == &wanted) return true;
        }
        return false;
    }

    Flattening& work_;
};

}  // namespace

void declare_parameters(Flattening& work, std::uint32_t scope, const std::vector<ParameterDeclaration>& declarations,
                        const ComponentDeclaration* instance, std::uint32_t outer) {
    Givers givers;
    if (instance != nullptr) givers.push_back({.settings = instance->settings, .scope = outer});
    ParameterDeclaring(work).run(scope, declarations, givers);
}

bool names_parameter(const Model& model, const Body& body, std::string_view key) {
    const auto dot = key.find('.');
    for (const ParameterDeclaration& p : body.parameters) {
        if (p.name.text != key.substr(0, dot)) continue;
        if (dot == std::string_view::npos) return true;
        return p.record &&
               (!p.record_type || names_parameter(model, model.types[*p.record_type].body, key.substr(dot + 1)));
    }
    return body.gaps.values;
}

const ComponentDeclaration* instance_around(const Flattening& work, std::uint32_t scope) {
    const auto is_record = [&](const Scope& s) { return s.declaration != nullptr && s.declaration->record; };
    while (is_record(work.scopes[scope])) scope = work.scopes[scope].outer;
    return work.scopes[scope].instance;
}

std::optional<std::uint32_t> find_record(const Flattening& work, std::uint32_t scope, std::string_view path) {
    for (std::size_t begin = 0;;) {
        const auto dot = path.find('.', begin);
        const auto& members = work.scopes[scope].members;
        const auto found = members.find(std::string(path.substr(begin, dot - begin)));
        if (found == members.end() || found->second.scope == Id<void>::kNone) return std::nullopt;
        scope = found->second.scope;
        if (dot == std::string_view::npos) break;
        begin = dot + 1;
    }
    const TypeDeclaration* type = work.scopes[scope].declaration;
    return type != nullptr && type->record ? std::optional(scope) : std::nullopt;
}

}  // namespace bondgraph::model
