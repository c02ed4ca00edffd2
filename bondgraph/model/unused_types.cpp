#include "bondgraph/model/unused_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/model/passes.hpp"

namespace bondgraph::model {
namespace {

/// Marks all types that components of a body lead to, the parts of these included.
void mark_reached(const Model& model, const Body& from, std::vector<bool>& reached) {
    std::vector<const Body*> open{&from};
    while (!open.empty()) {
        const Body& body = *open.back();
        open.pop_back();
        for (const ComponentDeclaration& c : body.components) {
            if (!c.own_type || reached[*c.own_type]) continue;
            reached[*c.own_type] = true;
            open.push_back(&model.types[*c.own_type].body);
        }
    }
}

/// Of the types that nothing of the model leads to, those that lead to all others of them.
std::vector<std::uint32_t> unused_types(const Model& model) {
    std::vector<bool> reached(model.types.size(), false);
    mark_reached(model, model.body, reached);
    std::vector<bool> inside(model.types.size(), false);  // of another one that is unused
    for (std::uint32_t t = 0; t < model.types.size(); ++t) {
        if (reached[t]) continue;
        for (const ComponentDeclaration& c : model.types[t].body.components) {
            if (c.own_type && *c.own_type != t) inside[*c.own_type] = true;
        }
    }
    std::vector<std::uint32_t> unused;
    for (const bool of_a_circle : {false, true}) {
        for (std::uint32_t t = 0; t < model.types.size(); ++t) {
            const TypeDeclaration& type = model.types[t];
            if (reached[t] || type.record || type.partial || inside[t] != of_a_circle) continue;
            unused.push_back(t);
            reached[t] = true;
            mark_reached(model, type.body, reached);
        }
    }
    return unused;
}

/// Of types with arrays as long as who uses them says, nothing can be told. False where there were none.
bool leave_out_unsized(const Flattening& work, Body& body) {
    std::unordered_set<std::string> names;
    for (std::uint32_t scope : work.unsized) {
        while (work.scopes[scope].outer != 0) scope = work.scopes[scope].outer;
        names.insert(work.scopes[scope].instance->name.text);
    }
    std::erase_if(body.components, [&](const ComponentDeclaration& c) { return names.contains(c.name.text); });
    return !names.empty();
}

}  // namespace

std::vector<Diagnostic> mistakes_in_unused_types(const Model& model, const Catalogue& catalogue,
                                                 const UnitSystem& units,
                                                 const std::function<bool(std::uint32_t file)>& wanted) {
    auto unused = unused_types(model);
    std::erase_if(unused, [&](std::uint32_t t) { return !wanted(model.types[t].name.position.file); });
    if (unused.empty()) return {};
    Model trial;
    trial.name = model.name;
    trial.types = model.types;
    trial.connector_types = model.connector_types;
    trial.types_missing = model.types_missing;
    trial.files = model.files;
    std::unordered_map<std::string, std::size_t> names;
    for (const std::uint32_t t : unused) {
        const Text& type = model.types[t].name;
        Text name = type;
        if (const auto dot = type.text.rfind('.'); dot != std::string::npos) name.text.erase(0, dot + 1);
        if (const std::size_t before = names[name.text]++; before > 0) name.text += fmt::format("_{}", before + 1);
        // What of its parameters has no value is to be given by who uses the type.
        trial.body.components.push_back({.name = std::move(name), .type = type, .own_type = t, .flawed = true});
    }
    for (;;) {
        Flattening work{.model = trial, .catalogue = catalogue, .units = units};
        work.disconnected = true;
        run_passes(work, {}, false);
        if (!leave_out_unsized(work, trial.body)) return work.diagnostics.items();
    }
}

}  // namespace bondgraph::model
