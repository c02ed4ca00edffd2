#include "bondgraph/model/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/experiment.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

std::vector<std::string> parameter_paths(const Flattening& work) {
    std::vector<std::string> paths;
    for (const Scope& s : work.scopes) {
        for (const auto& [name, value] : s.values) paths.push_back(s.prefix + name);
    }
    for (const Element& e : work.graph.elements) {
        for (const ParameterSpec& p : e.type->parameters) paths.push_back(fmt::format("{}.{}", e.name, p.name));
    }
    std::sort(paths.begin(), paths.end());
    return paths;
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
        if (paths.empty()) paths = parameter_paths(work);
        messages.push_back(
            fmt::format("--set: the model has no parameter '{}'{}", o.path, did_you_mean(o.path, paths)));
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
    check_result_dimensions(work);
    evaluate_laws(work);
    evaluate_events(work);
    evaluate_starts(work);
}

// Of a model with something left out a size may be missing, and those that follow from others contradict it.
void infer_sizes_as_far_as_known(Flattening& work, bool complete) {
    const Diagnostics before = work.diagnostics;
    infer_sizes(work);
    if (work.diagnostics.error_count() == before.error_count()) return;
    work.joined = false;
    if (!complete) work.diagnostics = before;
}

void run_passes(Flattening& work, std::span<const ParsedOverride> overrides, bool complete) {
    for (const ParsedOverride& o : overrides) work.overrides.insert_or_assign(o.path, &o.value);
    work.graph.model_name = work.model.name.text;
    work.graph.model_position = work.model.name.position;
    work.graph.files = work.model.files;
    instantiate(work);
    connect_signals(work);
    connect_connectors(work);
    connect_bonds(work);
    if (work.joined) infer_sizes_as_far_as_known(work, complete);
    if (work.joined)
        evaluate_joined(work);
    else
        evaluate_unjoined(work);
}

void report_overrides(Flattening& work, const std::vector<std::string>& messages) {
    for (const std::string& message : messages) work.diagnostics.error("", {}, message);
}

}  // namespace

BondGraph flatten(const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                  std::span<const ParsedOverride> overrides) {
    Flattening work{.model = model, .catalogue = catalogue, .units = units};
    run_passes(work, overrides, true);
    const auto unknown = unknown_overrides(work, overrides);
    if (!unknown.empty() && !work.diagnostics.has_errors()) throw UnknownOverride(unknown);
    report_overrides(work, unknown);
    work.diagnostics.throw_if_errors();
    work.graph.warnings = work.diagnostics.items();
    work.graph.start_time = start_time(model, work.graph, units);
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
