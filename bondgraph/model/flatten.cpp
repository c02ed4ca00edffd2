#include "bondgraph/model/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/declared_shapes.hpp"
#include "bondgraph/model/experiment.hpp"
#include "bondgraph/model/handed_signals.hpp"
#include "bondgraph/model/late_checks.hpp"
#include "bondgraph/model/passes.hpp"

namespace bondgraph::model {
namespace {

/// What `--set` may name: all parameters, and the start values of states.
std::vector<std::string> settable_paths(const Flattening& work) {
    std::vector<std::string> paths;
    for (const Scope& s : work.scopes) {
        for (const auto& [name, value] : s.values) paths.push_back(s.prefix + name);
        if (s.declaration == nullptr) continue;
        for (const StartDeclaration& start : s.declaration->starts) paths.push_back(s.prefix + start.name.text);
    }
    for (const Element& e : work.graph.elements) {
        for (const ParameterSpec& p : e.type->parameters) paths.push_back(fmt::format("{}.{}", e.name, p.name));
        for (const StateSpec& s : e.type->states) {
            paths.push_back(fmt::format("{}.{}", e.name, s.name));
            if (!s.covariable.empty()) paths.push_back(fmt::format("{}.{}", e.name, s.covariable));
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// The parameters that the file gives, by `--set`'s names for them: those whose last part, or all but it, is `name`.
std::vector<std::string> given_paths(const Flattening& work, const std::string& name) {
    std::vector<std::string> paths;
    const auto add = [&](const std::string& head, const std::string& last) {
        if (head == name || last == name) paths.push_back(head + "." + last);
    };
    for (std::size_t i = 0; i < work.graph.elements.size(); ++i) {
        const Element& e = work.graph.elements[i];
        if (e.owner.valid() || e.declaration != nullptr) continue;
        for (const Setting& s : work.origins[i].declaration->settings) add(e.name, s.key.text);
    }
    for (const Scope& s : work.scopes) {
        if (s.instance == nullptr) continue;
        for (const Setting& setting : s.instance->settings)
            add(s.prefix.substr(0, s.prefix.size() - 1), setting.key.text);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// A path without its component or without its parameter names some that are given; others are near some.
std::string override_hint(const Flattening& work, const std::string& path, std::vector<std::string>& all) {
    constexpr std::size_t kMost = 3;
    const auto given = given_paths(work, path);
    if (!given.empty()) {
        std::string hint = fmt::format("; did you mean '{}'", given.front());
        for (std::size_t k = 1; k < std::min(given.size(), kMost); ++k) hint += fmt::format(" or '{}'", given[k]);
        return hint + (given.size() > kMost ? fmt::format(" or one of {} others?", given.size() - kMost) : "?");
    }
    if (all.empty()) all = settable_paths(work);
    return did_you_mean(path, all);
}

/// Whether a path leads to where something has not been read, or to a component whose type is unknown.
bool may_be_left_out(const Flattening& work, const std::string& path) {
    std::uint32_t scope = 0;
    for (std::size_t begin = 0;;) {
        if (work.gaps(scope).names()) return true;
        const std::size_t dot = path.find('.', begin);
        const auto& members = work.scopes[scope].members;
        const auto member = members.find(path.substr(begin, dot - begin));
        if (dot == std::string::npos || member == members.end()) return false;
        if (member->second.scope == Id<void>::kNone) return !member->second.element.valid();
        scope = member->second.scope;
        begin = dot + 1;
    }
}

/// Overrides that no parameter claimed name nothing: the nearest paths are suggested.
std::vector<std::string> unknown_overrides(const Flattening& work, std::span<const ParsedOverride> overrides) {
    std::vector<std::string> messages;
    std::vector<std::string> paths;
    for (const ParsedOverride& o : overrides) {
        if (work.used_overrides.contains(o.path) || may_be_left_out(work, o.path)) continue;
        messages.push_back(
            fmt::format("--set: the model has no parameter '{}'{}", o.path, override_hint(work, o.path, paths)));
    }
    return messages;
}

// What a parameter is worth and whether a name exists does not depend on how components are joined: these mistakes are
// reported with those of the bonds. A port without a bond gets one that leads nowhere; nobody sees the graph
// afterwards.
void evaluate_unjoined(Flattening& work) {
    work.joined = false;
    BondGraph& g = work.graph;
    const std::size_t built = g.bonds.size();
    for (std::uint32_t i = 0; i < g.elements.size(); ++i) {
        Element& e = g.elements[i];
        if (e.ports.empty() && e.type->pattern != PortPattern::fixed) e.ports.push_back({.name = "p"});
        for (Port& p : e.ports) {
            if (!p.bond.valid() || p.bond.index() >= built) {
                p.bond = BondId(g.bonds.size());
                g.bonds.push_back({.from = ElementId(i), .to = ElementId(i), .position = e.position});
            }
            Bond& bond = g.bonds[p.bond.index()];
            bond.size = std::max(bond.size, 1U);
            p.size = bond.size;
        }
    }
    create_variables(work);
    evaluate_parameters(work);
    check_names_in_laws(work);
    check_names_in_events(work);
    evaluate_starts(work);
}

void evaluate_joined(Flattening& work) {
    create_variables(work);
    evaluate_parameters(work);
    evaluate_parts(work);
    infer_domains(work);
    find_signal_units(work);
    check_result_dimensions(work);
    evaluate_laws(work);
    evaluate_handed_signals(work);
    evaluate_events(work);
    evaluate_starts(work);
    evaluate_shapes(work);
    if (work.diagnostics.has_errors()) return;
    warn_of_cold(work);
    warn_of_separate_parts(work);
}

// Of a model with something left out a size may be missing, and those that follow from others contradict it.
void infer_sizes_as_far_as_known(Flattening& work, bool complete) {
    const Diagnostics before = work.diagnostics;
    infer_sizes(work);
    if (work.diagnostics.error_count() == before.error_count()) return;
    work.joined = false;
    if (!complete) work.diagnostics = before;
}

}  // namespace

void run_passes(Flattening& work, std::span<const ParsedOverride> overrides, bool complete, Stage last) {
    for (const ParsedOverride& o : overrides) work.overrides.insert_or_assign(o.path, &o.value);
    work.graph.model_name = work.model.name.text;
    work.graph.model_position = work.model.name.position;
    work.graph.files = work.model.files;
    instantiate(work);
    work.stage = Stage::instances;
    if (last == Stage::instances) return;
    connect_signals(work);
    connect_connectors(work);
    connect_bonds(work);
    work.stage = Stage::connected;
    if (last == Stage::connected) return;
    if (work.joined) infer_sizes_as_far_as_known(work, complete);
    work.stage = Stage::sized;
    if (last == Stage::sized) return;
    if (work.joined)
        evaluate_joined(work);
    else
        evaluate_unjoined(work);
    work.stage = Stage::evaluated;
}

namespace {

void report_overrides(Flattening& work, const std::vector<std::string>& messages) {
    for (const std::string& message : messages) work.diagnostics.error("", {}, message);
}

}  // namespace

BondGraph flatten(const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                  std::span<const ParsedOverride> overrides, const ParameterWishes& wishes) {
    Flattening work{.model = model, .catalogue = catalogue, .units = units};
    work.adjustable = wishes.adjustable;
    run_passes(work, overrides, true);
    const auto unknown = unknown_overrides(work, overrides);
    if (!unknown.empty() && !work.diagnostics.has_errors()) throw UnknownOverride(unknown);
    report_overrides(work, unknown);
    work.diagnostics.throw_if_errors();
    work.graph.warnings = work.diagnostics.items();
    work.graph.start_time = start_time(model, work.graph, units);
    if (wishes.listed) work.graph.settable = settable_parameters(work);
    return std::move(work.graph);
}

std::vector<Diagnostic> find_mistakes(const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                                      std::span<const ParsedOverride> overrides) {
    Flattening work{.model = model, .catalogue = catalogue, .units = units};
    run_passes(work, overrides, false);
    report_overrides(work, unknown_overrides(work, overrides));
    return work.diagnostics.items();
}

}  // namespace bondgraph::model
