#include "bondgraph/drawing/picture.hpp"

#include <algorithm>
#include <set>

#include "bondgraph/causality/loop_bonds.hpp"
#include "bondgraph/drawing/closing.hpp"
#include "bondgraph/drawing/connections.hpp"
#include "bondgraph/drawing/declarations.hpp"
#include "bondgraph/drawing/part_names.hpp"
#include "bondgraph/drawing/wires.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;
using model::BondGraph;
using model::Element;
using model::ElementId;

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

class PictureMaker {
   public:
    PictureMaker(const causality::PartialCausality& partial, const model::Model& model, const PictureOptions& options)
        : partial_(partial), causal_(partial.causal), g_(*partial.causal.graph), model_(model), options_(options) {}

    Picture make() {
        picture_.title = g_.model_name;
        node_of_.assign(g_.elements.size(), kNone);
        edge_of_.assign(g_.bonds.size(), kNone);
        wires_ = signal_wires(g_);
        if (options_.simplified) parts_ = part_names(g_);
        names_of_bond_.resize(g_.bonds.size());
        for (const auto& [name, named] : g_.bond_by_name) names_of_bond_[named.bond.index()].push_back(name);
        find_composites();
        for (std::size_t i = 0; i < g_.elements.size(); ++i) add_element(i);
        mark_closings();
        for (std::size_t i = 0; i < g_.bonds.size(); ++i) add_bond(i);
        for (const Wire& wire : wires_)
            join(EdgeKind::signal, node_of_[wire.from.index()], node_of_[wire.to.index()], false);
        if (!options_.expand) add_frames_read();
        if (options_.expand || !options_.opened.empty()) move_connections_out();
        if (!options_.simplified) take_layout();  // places are for the parts that are opened
        mark_storages();
        mark_loops();
        mark_conflicts();
        return std::move(picture_);
    }

   private:
    void find_composites() {
        for (const Element& e : g_.elements) {
            if (e.type->build != nullptr) composites_.insert(e.name);
            for (auto dot = e.name.find('.'); dot != std::string::npos; dot = e.name.find('.', dot + 1))
                composites_.insert(e.name.substr(0, dot));
        }
    }

    bool looked_into(const std::string& name) const {
        return options_.expand || std::ranges::find(options_.opened, outermost_name(name)) != options_.opened.end();
    }

    bool is_wired(std::size_t element) const {
        return std::any_of(wires_.begin(), wires_.end(),
                           [&](const Wire& w) { return w.from.index() == element || w.to.index() == element; });
    }

    // ---- nodes ------------------------------------------------------------------------------------------------------

    void add_element(std::size_t i) {
        const Element& e = g_.elements[i];
        if (options_.simplified && !e.owner.valid()) {
            add_part(i);
            return;
        }
        if (const auto connector = shown_connection(e)) {
            node_of_[i] = add_node(e.name, &e);
            picture_.nodes[node_of_[i]].label = *connector;
            connections_.push_back(node_of_[i]);
            return;
        }
        if (looked_into(e.name)) {
            // A body is all in its parts, but for its signals; a joint also has a place where its coordinate is a
            // state.
            if (e.type->build != nullptr && e.ports.empty() && !is_wired(i)) return;
            node_of_[i] = add_node(e.name, &e);
            picture_.nodes[node_of_[i]].frame = frame_of(e.name);
            return;
        }
        const std::string outer = options_.simplified ? parts_[i].node : outermost_name(e.name);
        add_to_box(i, outer, composites_.contains(outer));
    }

    void add_to_box(std::size_t i, const std::string& name, bool box) {
        const Element& e = g_.elements[i];
        if (const auto known = node_by_name_.find(name); known != node_by_name_.end()) {
            node_of_[i] = known->second;
            absorb(picture_.nodes[known->second], e);
            return;
        }
        node_of_[i] = add_node(name, box ? nullptr : &e);
        if (box) absorb(picture_.nodes[node_of_[i]], e);
    }

    /// An element or junction inside a component that is looked into, or the component where that is not a bond graph.
    void add_part(std::size_t i) {
        const Element& e = g_.elements[i];
        const PartName& part = parts_[i];
        // What a type computes beside its parts stands nowhere if nobody hears of it.
        const bool beside = e.ports.empty() && e.type->is_own_type() && composites_.contains(e.name);
        if (beside && !part.box && !is_wired(i)) return;
        add_to_box(i, part.node, part.box);
        Node& node = picture_.nodes[node_of_[i]];
        node.label = part.label;
        if (e.is_junction() && !part.box) node.label = connector_joined_at(g_, model_, e).value_or(part.label);
        if (part.label == part.node || e.is_junction()) return;
        if (std::string value = written_part_value(model_, part.label, options_); !value.empty())
            node.value = std::move(value);
    }

    /// A connection of two is a line between them. The junction of three and more belongs to none of them: it stands by
    /// itself. (Frames of mechanics are joined by lines in any case.)
    std::optional<std::string> shown_connection(const Element& e) const {
        constexpr std::size_t kNode = 3;
        const auto connector = connector_joined_at(g_, model_, e);
        if (!connector) return std::nullopt;
        if (looked_into(e.name)) return last_part(*connector);
        const bool frame =
            e.owner.valid() && !g_.elements[e.owner.index()].connector(last_part(*connector))->type->signals.empty();
        return !frame && components_joined(g_, e) >= kNode ? connector : std::nullopt;
    }

    /// A component inside a sub-model that is not looked into: the box has a domain while all of it has the same.
    static void absorb(Node& node, const Element& e) {
        if (node.kind != NodeKind::composite) return;
        for (const model::Port& p : e.ports) see_domain(node, p.domain);
    }

    static void see_domain(Node& node, model::DomainIndex domain) {
        if (domain == model::kGeneric) return;
        node.mixed = node.mixed || (node.domain != model::kGeneric && node.domain != domain);
        if (node.domain == model::kGeneric) node.domain = domain;
    }

    std::uint32_t add_node(const std::string& name, const Element* e) {
        Node node{.kind = NodeKind::composite, .name = name, .label = last_part(name)};
        node.type = written_type(model_, name);
        if (e != nullptr) describe(node, *e);
        if (node.type.empty()) {
            const auto found = g_.element_by_name.find(name);
            if (found != g_.element_by_name.end()) node.type = type_of_part(g_.elements[found->second.index()]);
        }
        const auto index = static_cast<std::uint32_t>(picture_.nodes.size());
        picture_.nodes.push_back(std::move(node));
        if (!looked_into(name)) node_by_name_.emplace(name, index);
        return index;
    }

    /// What nobody declares is called by what it is in a bond graph.
    static std::string type_of_part(const Element& e) {
        return std::string(e.owner.valid() && !e.type->symbol.empty() ? e.type->symbol : e.type->name);
    }

    void describe(Node& node, const Element& e) const {
        node.kind = NodeKind::element;
        if (e.is_junction()) {
            node.kind = NodeKind::junction;
            node.type = std::string(e.type->name);
        } else if (e.ports.empty()) {
            node.kind = NodeKind::block;
        }
        node.gyrator = e.type->structure == model::Structure::gyrator;
        for (const model::Port& p : e.ports) see_domain(node, p.domain);
        if (!e.is_junction()) node.value = written_value(model_, e, options_);
    }

    /// What holds conditions on positions, and the sub-models around it as far as they are shown.
    void mark_closings() {
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            const Element& e = g_.elements[i];
            if (node_of_[i] == kNone || !holds_now(causal_, e)) continue;
            Node& node = picture_.nodes[node_of_[i]];
            node.conditions += g_.bonds[e.ports[0].bond.index()].size;
            node.released += released_of(options_.released, e.name);
            if (e.owner.valid()) closing_.insert(e.owner);
            if (looked_into(e.name)) node.value = conditions_text(options_.released, e.name, node.conditions);
            for (std::uint32_t f = node.frame; f != kNone; f = picture_.frames[f].parent)
                picture_.frames[f].closes = true;
        }
        if (options_.expand) return;
        for (Node& node : picture_.nodes) {
            if (node.conditions > 0 && node.kind == NodeKind::composite) node.value = closing_text(node);
        }
    }

    /// Whether an element belongs to a component that closes a loop and is shown itself, not as a part of a sub-model.
    bool is_of_closing(ElementId id) const {
        const ElementId owner = g_.elements[id.index()].owner;
        return closing_.contains(owner) && picture_.nodes[node_of_[id.index()]].name == g_.elements[owner.index()].name;
    }

    /// Connections stand in the innermost sub-model that holds all they join.
    void move_connections_out() {
        std::vector<std::vector<std::uint32_t>> neighbours(picture_.nodes.size());
        for (const Edge& e : picture_.edges) {
            if (e.kind == EdgeKind::signal) continue;
            neighbours[e.from].push_back(e.to);
            neighbours[e.to].push_back(e.from);
        }
        std::vector<bool> open(picture_.nodes.size(), false);
        for (const std::uint32_t n : connections_) open[n] = true;
        for (const std::uint32_t n : connections_) {
            std::optional<std::uint32_t> frame;
            for (const std::uint32_t k : neighbours[n]) {
                if (open[k]) continue;
                const std::uint32_t other = picture_.nodes[k].frame;
                frame = frame ? common_frame(*frame, other) : other;
            }
            picture_.nodes[n].frame = frame.value_or(kNone);
        }
    }

    std::uint32_t common_frame(std::uint32_t a, std::uint32_t b) const {
        // Inner frames come after those around them.
        while (a != b) {
            if (a == kNone || b == kNone) return kNone;
            std::uint32_t& inner = a > b ? a : b;
            inner = picture_.frames[inner].parent;
        }
        return a;
    }

    std::uint32_t frame_of(const std::string& name) {
        const auto dot = name.rfind('.');
        // A type with both equations and parts: its own equations stand inside the frame, too.
        const std::string outer =
            composites_.contains(name) ? name : name.substr(0, dot == std::string::npos ? 0 : dot);
        if (outer.empty()) return kNone;
        return frame_named(outer);
    }

    std::uint32_t frame_named(const std::string& name) {
        if (const auto known = frame_by_name_.find(name); known != frame_by_name_.end()) return known->second;
        const auto dot = name.rfind('.');
        const std::uint32_t parent = dot == std::string::npos ? kNone : frame_named(name.substr(0, dot));
        const auto index = static_cast<std::uint32_t>(picture_.frames.size());
        frame_by_name_.emplace(name, index);
        std::string type = written_type(model_, name);
        const auto element = g_.element_by_name.find(name);
        if (type.empty() && element != g_.element_by_name.end()) type = g_.elements[element->second.index()].type->name;
        picture_.frames.push_back({name, last_part(name), type, parent});
        return index;
    }

    // ---- edges ------------------------------------------------------------------------------------------------------

    void add_bond(std::size_t i) {
        const model::Bond& bond = g_.bonds[i];
        ElementId from = bond.from;
        ElementId to = bond.to;
        std::uint32_t from_port = bond.from_port;
        std::uint32_t to_port = bond.to_port;
        if (bond.reversed) {
            std::swap(from, to);
            std::swap(from_port, to_port);
        }
        const std::uint32_t tail = node_of_[from.index()];
        const std::uint32_t head = node_of_[to.index()];
        const bool looked = looked_into(g_.elements[from.index()].name) || looked_into(g_.elements[to.index()].name);
        if (tail == head && !looked) return;
        // What closes a loop shows its bonds of force and torque, with their strokes, each by itself. Their variables
        // have long names in the components' insides; one asks for them by the frames (`rod.frame_a.f`).
        const bool closes = is_of_closing(from) || is_of_closing(to);
        const bool frames = !looked && ends_at_frame(g_, from, from_port) && ends_at_frame(g_, to, to_port);
        if (frames && !closes) {
            edge_of_[i] = join(EdgeKind::frame, tail, head, true);
            return;
        }
        Edge edge{.from = tail, .to = head, .domain = bond.domain, .bond = static_cast<std::uint32_t>(i)};
        if (!frames) edge.ports = {port_name(bond, from, from_port), port_name(bond, to, to_port)};
        for (std::uint32_t k = 0; k < bond.size; ++k) {
            const Stroke stroke = causal_.strokes[bond.first + k];
            edge.strokes.push_back(bond.reversed ? swapped(stroke) : stroke);
        }
        if (options_.variables && !frames) {
            const std::string label = g_.bond_label(model::BondId(i));
            edge.effort = label + ".e";
            edge.flow = label + ".f";
        }
        edge_of_[i] = static_cast<std::uint32_t>(picture_.edges.size());
        picture_.edges.push_back(std::move(edge));
    }

    /// Needed where a node has several ports that the half arrows don't tell apart.
    std::string port_name(const model::Bond& bond, ElementId id, std::uint32_t port) const {
        const Element& e = g_.elements[id.index()];
        const Node& node = picture_.nodes[node_of_[id.index()]];
        if (node.kind == NodeKind::composite) {
            if (std::string written = written_port(model_, bond, node.name); !written.empty()) return written;
            std::vector<std::string> names = names_of_bond_[e.ports[port].bond.index()];
            if (const auto connector = connector_joined_at(g_, model_, e)) names.insert(names.begin(), *connector);
            for (const std::string& name : names) {
                const auto dot = name.rfind('.');
                if (dot != std::string::npos && name.substr(0, dot) == node.name) return name.substr(dot + 1);
            }
            return {};
        }
        const bool structure = e.type->is_two_port() || e.type->structure == model::Structure::wiring;
        if (e.is_junction() || e.ports.size() < 2 || (structure && e.ports.size() == 2)) return {};
        return e.ports[port].name;
    }

    /// What only reads a frame has no bond there: without a line it would stand apart from what it measures.
    void add_frames_read() {
        for (const Wire& wire : frames_read(g_))
            join(EdgeKind::signal, node_of_[wire.from.index()], node_of_[wire.to.index()], false);
    }

    /// One line for all connections of a kind between two nodes.
    std::uint32_t join(EdgeKind kind, std::uint32_t from, std::uint32_t to, bool either_way) {
        if (from == kNone || to == kNone || from == to) return kNone;
        const auto key = either_way ? std::pair{std::min(from, to), std::max(from, to)} : std::pair{from, to};
        const auto [known, fresh] =
            joined_.emplace(std::pair{kind, key}, static_cast<std::uint32_t>(picture_.edges.size()));
        if (fresh) picture_.edges.push_back({.kind = kind, .from = from, .to = to});
        return known->second;
    }

    // ---- places ----------------------------------------------------------------------------------------------------

    /// What a picture that looks into sub-models doesn't show as a whole has no place there.
    void take_layout() {
        std::map<std::string, std::uint32_t> nodes;
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) nodes.emplace(picture_.nodes[n].name, n);
        for (const model::LayoutDeclaration::Place& place : options_.layout.places) {
            const auto found = nodes.find(place.component.text);
            if (found == nodes.end()) continue;
            Node& node = picture_.nodes[found->second];
            if (place.at) node.at = {(*place.at)[0], (*place.at)[1]};
            node.quarter_turns = place.quarter_turns;
        }
        const auto groups = [&](const std::vector<std::vector<model::Text>>& written, auto& to) {
            for (const auto& names : written) {
                std::vector<std::uint32_t> group;
                for (const model::Text& name : names) {
                    if (const auto found = nodes.find(name.text); found != nodes.end()) group.push_back(found->second);
                }
                if (!group.empty()) to.push_back(std::move(group));
            }
        };
        groups(options_.layout.rows, picture_.rows);
        groups(options_.layout.rings, picture_.rings);
    }

    // ---- marks ------------------------------------------------------------------------------------------------------

    void mark_storages() {
        for (const causality::StorageCausality& s : causal_.storages) {
            const std::uint32_t node = node_of_[s.element.index()];
            if (node != kNone && is_dependent(s)) picture_.nodes[node].derivative = true;
        }
    }

    bool is_dependent(const causality::StorageCausality& s) const {
        if (!options_.dependent) return !s.integral;
        const std::string& name = g_.elements[s.element.index()].name;
        const std::string component = name + "[" + std::to_string(s.number + 1) + "]";
        return std::any_of(options_.dependent->begin(), options_.dependent->end(),
                           [&](const std::string& d) { return d == name || d == component; });
    }

    void mark_loops() {
        const auto bonds = causality::bonds_of_loops(causal_);
        for (std::size_t k = 0; k < causal_.loops.size(); ++k) {
            const auto number = static_cast<std::uint32_t>(k + 1);
            const auto mark = [&](std::uint32_t& loop) { loop = loop == 0 ? number : loop; };
            for (const ElementId id : causal_.loops[k].elements) {
                if (node_of_[id.index()] != kNone) mark(picture_.nodes[node_of_[id.index()]].loop);
            }
            for (const std::uint32_t c : bonds[k]) {
                const std::uint32_t edge = edge_of_[g_.bond_of_component(c).index()];
                if (edge != kNone) mark(picture_.edges[edge].loop);
            }
        }
    }

    void mark_conflicts() {
        for (const std::uint32_t c : partial_.conflicting) {
            const model::BondId id = g_.bond_of_component(c);
            if (edge_of_[id.index()] != kNone) picture_.edges[edge_of_[id.index()]].conflict = true;
            for (const ElementId end : {g_.bonds[id.index()].from, g_.bonds[id.index()].to}) {
                const Element& e = g_.elements[end.index()];
                const bool decides = e.type->causality != nullptr || e.type->mode_causality != nullptr;
                if (decides && node_of_[end.index()] != kNone) picture_.nodes[node_of_[end.index()]].conflict = true;
            }
        }
    }

    const causality::PartialCausality& partial_;
    const causality::CausalGraph& causal_;
    const BondGraph& g_;
    const model::Model& model_;
    const PictureOptions& options_;
    Picture picture_;
    std::vector<Wire> wires_;
    std::vector<PartName> parts_;                          ///< of a simplified graph
    std::vector<std::vector<std::string>> names_of_bond_;  ///< "motor.p" of that port's bond
    std::set<std::string> composites_;
    std::set<ElementId> closing_;             ///< components with residual effort sources that hold positions
    std::vector<std::uint32_t> connections_;  ///< nodes that join connectors
    std::vector<std::uint32_t> node_of_;
    std::vector<std::uint32_t> edge_of_;
    std::map<std::string, std::uint32_t> node_by_name_;
    std::map<std::string, std::uint32_t> frame_by_name_;
    std::map<std::pair<EdgeKind, std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t> joined_;
};

}  // namespace

Picture picture_of(const causality::PartialCausality& partial, const model::Model& model,
                   const PictureOptions& options) {
    return PictureMaker(partial, model, options).make();
}

}  // namespace bondgraph::drawing
