#include "bondgraph/model/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

// An override that no parameter claimed names nothing: the nearest paths are suggested.
void check_overrides(const Flattening& work, std::span<const ParsedOverride> overrides) {
    for (const ParsedOverride& o : overrides) {
        if (work.used_overrides.contains(o.path)) continue;
        std::vector<std::string> paths;
        for (const Scope& s : work.scopes) {
            for (const auto& [name, value] : s.values) paths.push_back(s.prefix + name);
        }
        for (const Element& e : work.graph.elements) {
            for (const ParameterSpec& p : e.type->parameters) paths.push_back(fmt::format("{}.{}", e.name, p.name));
        }
        std::sort(paths.begin(), paths.end());
        throw UnknownOverride(
            fmt::format("--set: the model has no parameter '{}'{}", o.path, did_you_mean(o.path, paths)));
    }
}

// What a parameter is worth does not depend on how components are joined: its mistakes are reported with those of the
// bonds. A port without a bond gets one that leads nowhere; nobody sees the graph afterwards.
void evaluate_despite_errors(Flattening& work) {
    if (!work.diagnostics.has_errors()) return;
    BondGraph& g = work.graph;
    const std::size_t built = g.bonds.size();
    for (std::uint32_t i = 0; i < g.elements.size(); ++i) {
        for (Port& p : g.elements[i].ports) {
            if (!p.bond.valid() || p.bond.index() >= built) {
                p.bond = BondId(g.bonds.size());
                g.bonds.push_back({.from = ElementId(i), .to = ElementId(i), .position = g.elements[i].position});
            }
            Bond& bond = g.bonds[p.bond.index()];
            bond.size = std::max(bond.size, 1U);
            p.size = bond.size;
        }
    }
    create_variables(work);
    evaluate_parameters(work);
    work.diagnostics.throw_if_errors();
}

}  // namespace

BondGraph flatten(const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                  std::span<const ParsedOverride> overrides) {
    Flattening work{.model = model, .catalogue = catalogue, .units = units};
    for (const ParsedOverride& o : overrides) work.overrides.insert_or_assign(o.path, &o.value);
    work.graph.model_name = model.name.text;
    work.graph.model_position = model.name.position;
    for (const auto pass : {&instantiate, &connect_bonds}) {
        // A wrong type or bond doesn't hide mistakes of the next pass unless it needs the result.
        pass(work);
    }
    connect_signals(work);
    evaluate_despite_errors(work);
    infer_sizes(work);
    evaluate_despite_errors(work);
    create_variables(work);
    evaluate_parameters(work);
    check_overrides(work, overrides);
    infer_domains(work);
    evaluate_laws(work);
    evaluate_starts(work);
    work.diagnostics.throw_if_errors();
    work.graph.warnings = work.diagnostics.items();
    return std::move(work.graph);
}

}  // namespace bondgraph::model
