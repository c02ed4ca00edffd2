#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/gains_report.hpp"
#include "bondgraph/cli/json_text.hpp"
#include "bondgraph/cli/structure_report.hpp"

namespace bondgraph::cli {
namespace {

using causality::Reason;
using causality::Stroke;

struct CausalityOptions {
    std::string model;
    std::string format = "text";
    bool expand = false;
    std::vector<std::string> settings;
};

/// A bond component as the user drew it: the half arrow goes from `from` to `to`.
struct DrawnBond {
    std::string name;
    std::string from;
    std::string to;
    std::uint32_t component = 0;  ///< within the bond, from 0
    std::uint32_t size = 1;
    Stroke stroke = Stroke::open;
    std::uint32_t global = 0;
    std::string reason;
    bool frames = false;  ///< between frames of wrapped components, of which the other bond says the same
};

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

std::vector<DrawnBond> drawn_bonds(const causality::CausalGraph& causal, bool expand) {
    const model::BondGraph& graph = *causal.graph;
    std::vector<DrawnBond> result;
    for (std::size_t i = 0; i < graph.bonds.size(); ++i) {
        const model::Bond& bond = graph.bonds[i];
        if (!expand && is_inside(graph, bond)) continue;
        const bool wrapped =
            !expand && graph.elements[bond.from.index()].owner.valid() && graph.elements[bond.to.index()].owner.valid();
        std::string from =
            expand ? end_name(graph, bond.from, bond.from_port) : collapsed_end(graph, bond.from, bond.from_port);
        std::string to = expand ? end_name(graph, bond.to, bond.to_port) : collapsed_end(graph, bond.to, bond.to_port);
        std::string name = graph.bond_label(model::BondId(i));
        if (wrapped)
            name = fmt::format("{}.{}", to, model::domains()[bond.domain].name == "rotational" ? "rot" : "trans");
        if (bond.reversed) std::swap(from, to);
        for (std::uint32_t k = 0; k < bond.size; ++k) {
            const Stroke stroke = causal.strokes[bond.first + k];
            result.push_back(
                {name, from, to, k, bond.size, bond.reversed ? swapped(stroke) : stroke, bond.first + k,
                 wrapped ? wrapped_reason(graph, bond, stroke) : causality::reason_text(causal, bond.first + k),
                 wrapped});
        }
    }
    return result;
}

const char* stroke_word(Stroke stroke) {
    switch (stroke) {
        case Stroke::at_from:
            return "from";
        case Stroke::at_to:
            return "to";
        case Stroke::open:
            break;
    }
    return "open";
}

const char* drawing(Stroke stroke) {
    switch (stroke) {
        case Stroke::at_from:
            return "|-->";
        case Stroke::at_to:
            return "-->|";
        case Stroke::open:
            break;
    }
    return "--->";
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

std::vector<std::string> variable_names(const model::BondGraph& graph, const std::vector<model::VariableId>& ids) {
    std::vector<std::string> names;
    for (const model::VariableId id : ids) names.push_back(graph.variable_name(id));
    return names;
}

std::string causality_json(const causality::CausalGraph& causal, const CausalGains& gains, bool expand) {
    using Json = nlohmann::ordered_json;
    const model::BondGraph& graph = *causal.graph;
    Json report{
        {"bonds", Json::array()}, {"storages", Json::array()}, {"paths", Json::array()}, {"loops", Json::array()}};
    for (const DrawnBond& bond : drawn_bonds(causal, expand)) {
        const Reason& reason = causal.reasons[bond.global];
        report["bonds"].push_back({{"name", bond.name},
                                   {"from", bond.from},
                                   {"to", bond.to},
                                   {"component", bond.component + 1},
                                   {"stroke", stroke_word(bond.stroke)},
                                   {"reason", bond.reason},
                                   {"kind", kind_word(reason.kind)}});
    }
    for (const causality::StorageCausality& storage : causal.storages) {
        report["storages"].push_back({{"name", storage_name(graph, storage)},
                                      {"causality", storage.integral ? "integral" : "derivative"},
                                      {"depends_on", element_names(graph, storage.depends_on)}});
    }
    for (const causality::CausalPath& path : causality::causal_paths(causal)) {
        const auto gain = gains.flow ? gain_along(*gains.flow, path.variables) : std::nullopt;
        report["paths"].push_back({{"from", graph.elements[path.from.index()].name},
                                   {"to", graph.elements[path.to.index()].name},
                                   {"variables", variable_names(graph, path.variables)},
                                   {"gain", gain ? Json(*gain) : Json(nullptr)}});
    }
    for (const causality::AlgebraicLoop& loop : causal.loops) {
        report["loops"].push_back(
            {{"elements", element_names(graph, loop.elements)}, {"path", variable_names(graph, loop.path)}});
    }
    report["causal_loops"] = loops_json(gains);
    report["parameters"] = gains.flow ? symbols_json(*gains.flow) : Json::object();
    return json_text(report);
}

std::string strokes_text(const causality::CausalGraph& causal, bool expand) {
    Table table({Align::left, Align::right, Align::left, Align::left, Align::left});
    std::set<std::array<std::string, 3>> told;
    for (const DrawnBond& bond : drawn_bonds(causal, expand)) {
        if (bond.frames && !told.insert({bond.from, bond.to, drawing(bond.stroke)}).second) continue;
        const std::string index = bond.size > 1 ? fmt::format("[{}]", bond.component + 1) : "";
        table.add({bond.frames ? "" : bond.name + index, bond.from, drawing(bond.stroke), bond.to, bond.reason});
    }
    return heading("Causal strokes (| at the end on which the effort acts, > the direction of positive power)") +
           table.text();
}

std::string storages_text(const causality::CausalGraph& causal) {
    if (causal.storages.empty()) return "";
    Table table({Align::left, Align::left, Align::left});
    for (const causality::StorageCausality& storage : causal.storages) {
        const auto depends_on = element_names(*causal.graph, storage.depends_on);
        table.add({storage_name(*causal.graph, storage), storage.integral ? "integral" : "derivative",
                   depends_on.empty() ? "" : fmt::format("determined by {}", fmt::join(depends_on, ", "))});
    }
    return heading("Storages") + table.text();
}

std::string paths_text(const causality::CausalGraph& causal, const CausalGains& gains) {
    const model::BondGraph& graph = *causal.graph;
    constexpr std::size_t kMostPaths = 200;
    const auto paths = causality::causal_paths(causal, kMostPaths);
    if (paths.empty()) return "";
    Table table({Align::left, Align::left, Align::left});
    for (const causality::CausalPath& path : paths) {
        const auto gain = gains.flow ? gain_along(*gains.flow, path.variables) : std::nullopt;
        table.add(
            {fmt::format("{} -> {}", graph.elements[path.from.index()].name, graph.elements[path.to.index()].name),
             fmt::format("{}", fmt::join(variable_names(graph, path.variables), " > ")), gain ? "gain " + *gain : ""});
    }
    const char* more = paths.size() == kMostPaths ? "  … (the first 200)\n" : "";
    return heading("Causal paths") + table.text() + more;
}

std::string loops_text(const causality::CausalGraph& causal) {
    if (causal.loops.empty()) return heading("Algebraic loops: none");
    std::string text = heading("Algebraic loops");
    for (const causality::AlgebraicLoop& loop : causal.loops) {
        auto path = variable_names(*causal.graph, loop.path);
        if (!path.empty()) path.push_back(path.front());
        text += fmt::format("  {}: {}\n", fmt::join(element_names(*causal.graph, loop.elements), ", "),
                            fmt::join(path, " > "));
    }
    return text;
}

int causality_report(Session& session, const CausalityOptions& options) {
    prepare(session, options.settings, Stage::causal);
    take_modes_of_start(session);
    const causality::CausalGraph& causal = *session.causal;
    const bool inside = options.expand || !has_parts(*causal.graph);
    const CausalGains gains = causal_gains(session);
    if (options.format == "json") {
        put(causality_json(causal, gains, options.expand));
        return kDone;
    }
    put(strokes_text(causal, options.expand) + storages_text(causal) + (inside ? paths_text(causal, gains) : "") +
        loops_text(causal) + (inside ? gains_text(gains) : ""));
    return kDone;
}

}  // namespace

void add_causality(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand(
        "causality", "Show the causal strokes, how each was found, paths and loops");
    const auto options = std::make_shared<CausalityOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    command->add_flag("--expand", options->expand, "Show the multibonds inside joints, bodies and other wrapped parts");
    add_set_option(*command, options->settings);
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return causality_report(session, *options); });
    };
}

}  // namespace bondgraph::cli
