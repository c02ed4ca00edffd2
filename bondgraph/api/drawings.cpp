#include "bondgraph/api/drawings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "bondgraph/api/causality_report.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/api/structure.hpp"
#include "bondgraph/causality/simplify.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/drawing/connections.hpp"
#include "bondgraph/drawing/dot.hpp"
#include "bondgraph/drawing/draw.hpp"
#include "bondgraph/drawing/draw_circuit.hpp"
#include "bondgraph/drawing/type_picture.hpp"

namespace bondgraph::api {
namespace {

std::map<std::string, std::string> overrides_of(const std::vector<std::string>& settings) {
    std::map<std::string, std::string> overrides;
    for (const std::string& setting : settings) {
        const auto equals = setting.find('=');
        if (equals != std::string::npos)
            overrides.insert_or_assign(setting.substr(0, equals), setting.substr(equals + 1));
    }
    return overrides;
}

drawing::Theme theme_of(const DrawOptions& options) {
    return drawing::theme_named(options.theme == DrawOptions::Theme::grey ? drawing::ThemeName::grey
                                                                          : drawing::ThemeName::colour);
}

std::string drawn(const drawing::Picture& picture, const DrawOptions& options) {
    const drawing::Theme theme = theme_of(options);
    if (options.format == DrawOptions::Format::dot) return drawing::to_dot(picture, theme);
    const drawing::Sheet sheet = drawing::draw(picture, drawing::lay_out(picture), theme);
    return options.format == DrawOptions::Format::tex ? drawing::to_tex(sheet) : drawing::to_svg(sheet, options.parts);
}

/// The conditions of closed loops whose forces are set to 0: those that others imply wherever the loops' coordinates
/// are by their components, those that depend on others where the loops are closed by their element only.
std::vector<drawing::ReleasedCondition> released_conditions(const compile::SortedSystem& system) {
    std::vector<drawing::ReleasedCondition> result;
    if (!system.reduced->loops) return result;
    const auto& elements = system.graph().elements;
    for (const compile::ClosedMechanism& mechanism : system.reduced->loops->mechanisms) {
        for (const compile::Closure& closure : mechanism.closures) {
            for (const std::uint32_t i : closure.redundant)
                result.push_back({elements[closure.hold.index()].name, i + 1});
        }
    }
    for (const compile::RemovedConstraint& removed : system.choice->removed) {
        if (!removed.element.valid()) continue;
        const model::Element& element = elements[removed.element.index()];
        if (element.type->holds_positions) result.push_back({element.name, std::nullopt});
    }
    return result;
}

/// Of a model whose states are chosen by numbers: its dependent storages, and what is set to 0. Where the strokes tell
/// everything, nothing.
void take_choice(const causality::CausalGraph& causal, drawing::PictureOptions& wanted) {
    try {
        const compile::SortedSystem system = compile::sort_equations(causal);
        if (!system.choice) return;
        std::vector<std::string> names;
        for (const DependentStorage& s : dependent_storages(system)) names.push_back(s.name);
        wanted.released = released_conditions(system);
        wanted.dependent = std::move(names);
    } catch (const ModelError&) {  // `check` tells; the strokes are drawn
    }
}

/// Which way the flow "part.p.f" counts; see DrawnPin.
int inward_of(const Session& session, const std::string& part, const std::string& pin) {
    const model::BondGraph& graph = *session.graph;
    const auto named = graph.bond_by_name.find(part + "." + pin);
    if (part.empty() || named == graph.bond_by_name.end()) return 0;
    const model::Bond& bond = graph.bonds[named->second.bond.index()];
    const auto inside = [&](model::ElementId id) {
        const model::Element& e = graph.elements[id.index()];
        return drawing::outermost_name(e.name) == part && !drawing::connector_joined_at(graph, session.model, e);
    };
    if (inside(bond.from) == inside(bond.to)) return 0;
    // An arrow against the direction of the variables turns the flow round, but the effort where a flow is common.
    const auto is_common_flow = [&](model::ElementId id) {
        return graph.elements[id.index()].type->structure == model::Structure::junction1;
    };
    const bool turned = named->second.reversed && !is_common_flow(bond.from) && !is_common_flow(bond.to);
    return inside(bond.to) == turned ? -1 : 1;
}

DrawnNet drawn_net(const Session& session, const model::CircuitNet& net, const drawing::Schematic& schematic,
                   const drawing::CircuitLayout& layout, drawing::Point origin) {
    constexpr std::array kKinds{"connection", "bond", "signal"};
    DrawnNet drawn{.kind = kKinds[static_cast<std::size_t>(net.kind)],
                   .domain = std::string(model::domains()[net.domain].name)};
    for (const model::CircuitNet::End& end : net.ends) {
        const drawing::Point at = layout.pin(schematic, end) - origin;
        const drawing::Part& part = schematic.parts[end.part];
        const std::string& pin = part.pins[end.pin].name;
        const int inward = net.kind == model::CircuitNet::Kind::connection ? inward_of(session, part.name, pin) : 0;
        drawn.pins.push_back({end.part, pin, at.x, at.y, inward});
    }
    return drawn;
}

Drawing circuit_drawing(Session& session, const DrawOptions& options) {
    if (options.format == DrawOptions::Format::dot)
        throw UsageError("a circuit is drawn as .svg or .tex: Graphviz knows no symbols");
    const model::Circuit circuit = circuit_of(session);
    const drawing::Schematic schematic = drawing::schematic_of(circuit);
    if (options.if_symbols && std::ranges::none_of(schematic.parts, [](const drawing::Part& p) {
            return !p.lines.empty() || !p.labels.empty();
        }))
        return {.title = circuit.title};
    const drawing::CircuitLayout layout = drawing::lay_out(schematic);
    const drawing::Sheet sheet = drawing::draw_circuit(schematic, layout, theme_of(options));
    Drawing result{.text = options.format == DrawOptions::Format::tex ? drawing::to_tex(sheet)
                                                                      : drawing::to_svg(sheet, options.parts),
                   .title = circuit.title,
                   .components = static_cast<std::size_t>(std::ranges::count_if(
                       circuit.parts, [](const auto& p) { return p.kind != model::CircuitPart::Kind::expression; })),
                   .bonds = circuit.nets.size()};
    for (const drawing::Part& p : schematic.parts) result.parts.push_back({p.name, p.type});
    for (const model::CircuitNet& net : schematic.nets)
        result.nets.push_back(drawn_net(session, net, schematic, layout, {sheet.extent.left(), sheet.extent.top()}));
    return result;
}

std::vector<DrawnNode> drawn_nodes(const drawing::Picture& picture) {
    constexpr std::array kKinds{"junction", "element", "block", "composite"};
    std::vector<DrawnNode> nodes;
    for (const drawing::Node& n : picture.nodes) {
        nodes.push_back({.name = n.name,
                         .type = n.type,
                         .value = n.value,
                         .kind = kKinds[static_cast<std::size_t>(n.kind)],
                         .domain = std::string(model::domains()[n.domain].name),
                         .derivative = n.derivative,
                         .conflict = n.conflict,
                         .loop = n.loop});
    }
    return nodes;
}

std::vector<DrawnEdge> drawn_edges(const drawing::Picture& picture, const causality::PartialCausality& partial,
                                   const DrawOptions& options) {
    constexpr std::array kKinds{"bond", "signal", "frame"};
    const model::BondGraph& graph = *partial.causal.graph;
    const auto looked_into = [&](model::ElementId id) {
        const std::string name = drawing::outermost_name(graph.elements[id.index()].name);
        return options.expand || options.simplify || std::ranges::find(options.opened, name) != options.opened.end();
    };
    std::vector<DrawnEdge> edges;
    for (const drawing::Edge& e : picture.edges) {
        DrawnEdge edge{.kind = kKinds[static_cast<std::size_t>(e.kind)], .from = e.from, .to = e.to};
        edge.conflict = e.conflict;
        edge.loop = e.loop;
        if (e.bond) {
            edge.domain = model::domains()[e.domain].name;
            edge.components =
                causal_bond(partial.causal, *e.bond,
                            looked_into(graph.bonds[*e.bond].from) || looked_into(graph.bonds[*e.bond].to));
            edge.name = edge.components.front().name;
            const std::string label = graph.bond_label(model::BondId(*e.bond));
            edge.effort = label + ".e";
            edge.flow = label + ".f";
            edge.against = graph.bonds[*e.bond].reversed && graph.bonds[*e.bond].name.empty();
            for (CausalBond& c : edge.components) {
                const bool undecided = !partial.mistakes.empty() && c.stroke == CausalBond::Stroke::open;
                if (undecided || !options.strokes) c.reason.clear();
            }
        }
        edges.push_back(std::move(edge));
    }
    return edges;
}

void take_strokes_away(causality::PartialCausality& partial, drawing::PictureOptions& wanted) {
    causality::CausalGraph& causal = partial.causal;
    std::ranges::fill(causal.strokes, causality::Stroke::open);
    std::ranges::fill(causal.reasons, causality::Reason{});
    causal.storages.clear();
    causal.loops.clear();
    partial.conflicting.clear();
    wanted.dependent.reset();
}

/// The simplified graph's, in the mode of those there are.
causality::PartialCausality strokes_of(const model::BondGraph& simplified, const causality::PartialCausality& whole) {
    if (!whole.mistakes.empty()) {
        causality::PartialCausality partial = causality::assign_as_far_as_possible(simplified);
        partial.mistakes = whole.mistakes;
        return partial;
    }
    return {.causal = causality::assign_causality(simplified, whole.causal.modes)};
}

}  // namespace

Drawing drawing_of_type(const model::Model& model, const model::TypeDeclaration& type,
                        const model::Catalogue& catalogue, const DrawOptions& options) {
    const drawing::Picture picture = drawing::picture_of_type(model, type, catalogue);
    return {.text = drawn(picture, options),
            .title = picture.title,
            .components = picture.nodes.size(),
            .bonds = picture.edges.size(),
            .conflict = {}};
}

Drawing drawing_of(Session& session, const DrawOptions& options) {
    if (options.circuit) return circuit_drawing(session, options);
    causality::PartialCausality partial = causality::assign_as_far_as_possible(*session.graph);
    drawing::PictureOptions wanted{.expand = options.expand && !options.simplify,
                                   .opened = options.simplify ? std::vector<std::string>{} : options.opened,
                                   .variables = options.variables,
                                   .simplified = options.simplify,
                                   .overrides = overrides_of(session.settings)};
    wanted.layout = session.layout;
    if (partial.mistakes.empty()) {
        session.causal = std::make_unique<causality::CausalGraph>(std::move(partial.causal));
        take_mode(session, options.mode);
        take_choice(*session.causal, wanted);
        partial.causal = std::move(*session.causal);
    }
    std::optional<causality::Simplified> simplified;
    if (options.simplify) {
        simplified = causality::simplify(*session.graph);
        partial = strokes_of(simplified->graph, partial);
    }
    if (!options.strokes) take_strokes_away(partial, wanted);
    drawing::Picture picture = drawing::picture_of(partial, session.model, wanted);
    for (const ModeValue& m : mode_of(partial.causal)) picture.mode.push_back(fmt::format("{} = {}", m.name, m.text()));
    Drawing result{.text = options.picture ? drawn(picture, options) : std::string(),
                   .title = picture.title,
                   .components = picture.nodes.size()};
    result.nodes = drawn_nodes(picture);
    result.edges = drawn_edges(picture, partial, options);
    for (const drawing::Frame& f : picture.frames) result.frames.push_back(f.name);
    result.bonds = static_cast<std::size_t>(
        std::ranges::count_if(picture.edges, [](const drawing::Edge& e) { return e.kind == drawing::EdgeKind::bond; }));
    if (!partial.mistakes.empty())
        result.conflict = Error{Error::Kind::model, messages_of(partial.mistakes, session.sources)};
    return result;
}

}  // namespace bondgraph::api
