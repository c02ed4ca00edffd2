#include "bondgraph/api/causality_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/api/causal_gains.hpp"
#include "bondgraph/api/structure.hpp"

namespace bondgraph::api {
namespace {

using causality::Reason;
using causality::Stroke;

std::string end_name(const model::BondGraph& graph, model::ElementId id, std::uint32_t port) {
    const model::Element& element = graph.elements[id.index()];
    if (element.is_junction() || element.ports.size() < 2) return element.name;
    return element.name + "." + element.ports[port].name;
}

/// The end of a bond at a part, as a reader knows it who does not look inside: the connector, or the part's own name.
std::string collapsed_end(const model::BondGraph& graph, model::ElementId id, std::uint32_t port) {
    const model::Element& part = graph.elements[id.index()];
    if (!part.owner.valid()) return end_name(graph, id, port);
    const model::Element& owner = graph.elements[part.owner.index()];
    for (const model::Connector& c : owner.connectors) {
        const bool ends_here = std::any_of(c.ends.begin(), c.ends.end(), [&](const model::Connector::End& e) {
            return e.element == id && e.port == port;
        });
        const std::string name = owner.name + "." + c.name;
        if (ends_here || part.name.starts_with(name + ".")) return name;
    }
    return part.name;
}

/// The component an element is part of, or the element itself.
model::ElementId outermost(const model::BondGraph& graph, model::ElementId id) {
    const model::ElementId owner = graph.elements[id.index()].owner;
    return owner.valid() ? owner : id;
}

/// Whether a bond lies inside one wrapped component (a joint, a body).
bool is_inside(const model::BondGraph& graph, const model::Bond& bond) {
    return outermost(graph, bond.from) == outermost(graph, bond.to);
}

/// Between two wrapped components one moves the other: that is all there is to say without looking inside.
std::string wrapped_reason(const model::BondGraph& graph, const model::Bond& bond, Stroke stroke) {
    const std::string& from = graph.elements[outermost(graph, bond.from).index()].name;
    const std::string& to = graph.elements[outermost(graph, bond.to).index()].name;
    const bool from_moves = stroke == Stroke::at_from;
    return fmt::format("'{}' moves '{}', which answers with its force", from_moves ? from : to, from_moves ? to : from);
}

bool has_parts(const model::BondGraph& graph) {
    return std::any_of(graph.elements.begin(), graph.elements.end(),
                       [](const model::Element& e) { return e.owner.valid(); });
}

const char* kind_word(Reason::Kind kind) {
    switch (kind) {
        case Reason::Kind::source:
            return "source";
        case Reason::Kind::fixed_law:
            return "fixed_law";
        case Reason::Kind::integral:
            return "integral";
        case Reason::Kind::refused_state:
            return "refused_state";
        case Reason::Kind::junction_decided:
            return "junction_decided";
        case Reason::Kind::junction_last:
            return "junction_last";
        case Reason::Kind::two_port:
            return "two_port";
        case Reason::Kind::mesh:
            return "mesh";
        case Reason::Kind::own_type:
            return "own_type";
        case Reason::Kind::written_law:
            return "written_law";
        case Reason::Kind::resistive_choice:
            return "resistive_choice";
        case Reason::Kind::free_choice:
            return "free_choice";
        case Reason::Kind::none:
            break;
    }
    return "none";
}

CausalBond::Stroke shown(Stroke stroke, bool reversed) {
    switch (reversed ? causality::swapped(stroke) : stroke) {
        case Stroke::at_from:
            return CausalBond::Stroke::at_from;
        case Stroke::at_to:
            return CausalBond::Stroke::at_to;
        case Stroke::open:
            break;
    }
    return CausalBond::Stroke::open;
}

std::vector<CausalBond> drawn_bonds(const causality::CausalGraph& causal, bool expand) {
    std::vector<CausalBond> result;
    for (std::size_t i = 0; i < causal.graph->bonds.size(); ++i) {
        if (!expand && is_inside(*causal.graph, causal.graph->bonds[i])) continue;
        std::ranges::move(causal_bond(causal, i, expand), std::back_inserter(result));
    }
    return result;
}

std::vector<std::string> variable_names(const model::BondGraph& graph, const std::vector<model::VariableId>& ids) {
    std::vector<std::string> names;
    for (const model::VariableId id : ids) names.push_back(graph.variable_name(id));
    return names;
}

void add_paths(const causality::CausalGraph& causal, const CausalGains& gains, std::size_t most, Causality& report) {
    const model::BondGraph& graph = *causal.graph;
    for (const causality::CausalPath& path : causality::causal_paths(causal, most)) {
        report.paths.push_back({graph.elements[path.from.index()].name, graph.elements[path.to.index()].name,
                                variable_names(graph, path.variables),
                                gains.flow ? gain_along(*gains.flow, path.variables) : std::nullopt});
    }
}

void add_gains(const CausalGains& gains, Causality& report) {
    std::vector<analysis::Laurent> in_loops;
    if (gains.loops) {
        report.causal_loops.emplace();
        for (const analysis::FlowPath& loop : *gains.loops) {
            report.causal_loops->push_back(named(*gains.flow, loop));
            in_loops.push_back(loop.gain);
        }
    }
    report.no_loops_because = gains.none_because;
    if (gains.flow) report.parameters = gain_parameters(*gains.flow, in_loops);
}

}  // namespace

std::vector<CausalBond> causal_bond(const causality::CausalGraph& causal, std::size_t index, bool expand) {
    const model::BondGraph& graph = *causal.graph;
    const model::Bond& bond = graph.bonds[index];
    const bool wrapped =
        !expand && graph.elements[bond.from.index()].owner.valid() && graph.elements[bond.to.index()].owner.valid();
    std::string from =
        expand ? end_name(graph, bond.from, bond.from_port) : collapsed_end(graph, bond.from, bond.from_port);
    std::string to = expand ? end_name(graph, bond.to, bond.to_port) : collapsed_end(graph, bond.to, bond.to_port);
    std::string name = graph.bond_label(model::BondId(index));
    if (wrapped) name = fmt::format("{}.{}", to, model::domains()[bond.domain].name == "rotational" ? "rot" : "trans");
    if (bond.reversed) std::swap(from, to);
    std::vector<CausalBond> result;
    for (std::uint32_t k = 0; k < bond.size; ++k) {
        const std::uint32_t component = bond.first + k;
        const Stroke stroke = causal.strokes[component];
        const Reason& reason = causal.reasons[component];
        CausalBond one{name, from, to, k, bond.size, shown(stroke, bond.reversed), kind_word(reason.kind)};
        one.frames = wrapped;
        one.order = reason.order;
        one.reason = wrapped ? wrapped_reason(graph, bond, stroke) : causality::reason_text(causal, component);
        if (reason.cause != Id<void>::kNone) one.follows_from = graph.bond_label(graph.bond_of_component(reason.cause));
        result.push_back(std::move(one));
    }
    return result;
}

Causality causality_report(const Session& session, bool expand, std::size_t most_paths) {
    const causality::CausalGraph& causal = *session.causal;
    const model::BondGraph& graph = *causal.graph;
    Causality report;
    report.modes = mode_of(causal);
    report.wrapped = has_parts(graph);
    report.bonds = drawn_bonds(causal, expand);
    for (const causality::StorageCausality& storage : causal.storages)
        report.storages.push_back(
            {storage_name(graph, storage), storage.integral, element_names(graph, storage.depends_on)});
    for (const causality::AlgebraicLoop& loop : causal.loops)
        report.algebraic_loops.push_back({element_names(graph, loop.elements), variable_names(graph, loop.path)});
    const CausalGains gains = causal_gains(session);
    add_paths(causal, gains, most_paths, report);
    add_gains(gains, report);
    return report;
}

}  // namespace bondgraph::api
