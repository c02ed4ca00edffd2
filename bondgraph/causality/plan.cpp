// The strokes of parts of the junction structure that are decided together.

#include "bondgraph/causality/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bondgraph/causality/propagation.hpp"

namespace bondgraph::causality {

using model::BondGraph;
using model::ElementId;
using Kind = ScalarVertex::Kind;

namespace {

constexpr std::uint32_t kNoRegion = kNoVertex;

Piece piece_of(const BondGraph& g, const ScalarVertex& v) {
    Piece piece{.kind = v.kind == Kind::junction0   ? Piece::Kind::junction0
                        : v.kind == Kind::junction1 ? Piece::Kind::junction1
                                                    : Piece::Kind::equations};
    const model::Element& e = g.elements[v.element.index()];
    for (std::size_t k = 0; k < v.ends.size(); ++k) {
        const int sign = e.is_junction() ? e.ports[k].sign : 1;  // part of the equations elsewhere
        piece.ends.push_back({v.ends[k].component, v.ends[k].at_head ? 1 : -1, sign});
    }
    if (piece.kind != Piece::Kind::equations) return piece;
    const Eigen::MatrixXd rows = vertex_equations(g, v);
    for (Eigen::Index r = 0; r < rows.rows(); ++r) {
        auto& row = piece.rows.emplace_back();
        for (Eigen::Index c = 0; c < rows.cols(); ++c) row.emplace_back(rows(r, c));
    }
    return piece;
}

}  // namespace

RegionPlans::RegionPlans(const BondGraph& graph, const ScalarGraph& scalar)
    : graph_(graph),
      scalar_(scalar),
      region_of_(graph.bond_components, kNoRegion),
      at_head_(graph.bond_components, false) {
    std::vector<std::uint32_t> region(scalar.vertices.size(), kNoRegion);
    for (std::uint32_t r = 0; r < scalar.regions.size(); ++r) {
        auto& pieces = pieces_.emplace_back();
        for (const std::uint32_t v : scalar.regions[r].vertices) {
            region[v] = r;
            pieces.push_back(piece_of(graph, scalar.vertices[v]));
        }
    }
    for (std::uint32_t c = 0; c < graph.bond_components; ++c) {
        const auto at = [&](std::uint32_t v) { return v == kNoVertex ? kNoRegion : region[v]; };
        const std::uint32_t tail = at(scalar.tail_vertex[c]);
        const std::uint32_t head = at(scalar.head_vertex[c]);
        if (tail == head) continue;  // inside, or of no region
        region_of_[c] = tail == kNoRegion ? head : tail;
        at_head_[c] = tail == kNoRegion;
    }
}

std::vector<RegionPlans::Asked> RegionPlans::asked(std::size_t region, const Assignment& a,
                                                   std::span<const Preference> preferences) const {
    std::vector<Asked> list;
    std::vector<bool> listed(graph_.bond_components, false);
    std::vector<std::uint32_t> known;
    for (std::uint32_t c = 0; c < graph_.bond_components; ++c) {
        if (region_of_[c] == region && a.known(c)) known.push_back(c);
    }
    std::ranges::sort(known, {}, [&](std::uint32_t c) { return a.reasons[c].order; });
    const auto add = [&](std::uint32_t c, bool effort_to_region, bool binding, ElementId element) {
        if (region_of_[c] != region || listed[c]) return;
        listed[c] = true;
        list.push_back({{.bond = c, .effort = effort_to_region}, binding, element});
    };
    for (const std::uint32_t c : known) add(c, a.effort_in(c, at_head_[c]), true, a.reasons[c].at);
    for (const Preference& p : preferences) add(p.component, !p.effort_in, p.fixed, p.element);
    for (std::uint32_t c = 0; c < graph_.bond_components; ++c) add(c, at_head_[c], false, {});
    return list;
}

std::vector<Conflict> RegionPlans::make(Assignment& a, std::span<const Preference> preferences) const {
    std::vector<Conflict> conflicts;
    for (std::size_t r = 0; r < pieces_.size(); ++r) {
        const std::vector<Asked> list = asked(r, a, preferences);
        std::vector<Wish> wishes;
        for (const Asked& x : list) wishes.push_back(x.wish);
        Inputs inputs;
        if (auto granted = propagate_inputs(pieces_[r], wishes))
            inputs.granted = *std::move(granted);
        else
            inputs = choose_inputs(pieces_[r], wishes, graph_.bond_components);
        if (inputs.undetermined) refuse_undetermined(r, *inputs.undetermined);
        for (std::size_t k = 0; k < list.size(); ++k) {
            const std::uint32_t c = list[k].wish.bond;
            const bool effort = list[k].wish.effort == inputs.granted[k];
            a.planned[c] = effort == at_head_[c] ? Stroke::at_to : Stroke::at_from;
            if (list[k].binding && !inputs.granted[k] && conflicts.size() < 10)
                conflicts.push_back(smallest(r, list, k));
        }
    }
    a.off_plan = false;
    return conflicts;
}

/// Takes away one after the other whatever the contradiction doesn't need.
Conflict RegionPlans::smallest(std::size_t region, const std::vector<Asked>& list, std::size_t refused) const {
    constexpr std::size_t kMost = 24;  // compositions are not for nothing
    std::vector<Wish> needed;
    std::vector<ElementId> element(graph_.bond_components);
    for (std::size_t k = 0; k <= refused; ++k) {
        if (list[k].binding && k < refused) needed.push_back(list[k].wish);
        element[list[k].wish.bond] = list[k].element;
    }
    const auto contradicts = [&](std::vector<Wish> wishes) {
        const std::size_t last = wishes.size();
        std::vector<bool> listed(graph_.bond_components, false);
        wishes.push_back(list[refused].wish);
        for (const Wish& w : wishes) listed[w.bond] = true;
        for (const Asked& x : list) {
            if (!listed[x.wish.bond]) wishes.push_back(x.wish);
        }
        return !choose_inputs(pieces_[region], wishes, graph_.bond_components).granted[last];
    };
    for (std::size_t tries = 0, k = needed.size(); k-- > 0 && tries < kMost; ++tries) {
        std::vector<Wish> fewer = needed;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
        if (contradicts(fewer)) needed = std::move(fewer);
    }
    Conflict conflict{.at = list[refused].element, .components = {list[refused].wish.bond}};
    for (const Wish& w : needed) conflict.components.push_back(w.bond);
    for (const std::uint32_t c : conflict.components) conflict.demands.push_back(element[c]);
    return conflict;
}

void RegionPlans::refuse_undetermined(std::size_t region, std::uint32_t variable) const {
    const Diagnostic d =
        undetermined_inside(graph_, scalar_, scalar_.regions[region].vertices, variable / 2, variable % 2 == 0);
    throw ModelError({d});
}

Diagnostic undetermined_inside(const BondGraph& g, const ScalarGraph& scalar, std::span<const std::uint32_t> members,
                               std::uint32_t component, bool effort) {
    std::string names;
    std::size_t shown = 0;
    ElementId last;
    for (const std::uint32_t v : members) {
        const ElementId id = scalar.vertices[v].element;
        if (id == last) continue;
        last = id;
        if (++shown > 8) break;
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", g.elements[id.index()].name);
    }
    if (shown > 8) names += ", …";
    const model::BondId bond = g.bond_of_component(component);
    const bool potential = effort && model::domains()[g.bonds[bond.index()].domain].name == "electrical";
    Diagnostics diagnostics;
    diagnostics.error(
        "BG-C006", g.bonds[bond.index()].position,
        fmt::format("the junction structure leaves the {} of bond '{}' undetermined", effort ? "effort" : "flow",
                    g.bond_label(bond)),
        {{"where", "the mesh of " + names},
         {"because",
          "whatever is connected to this mesh, its equations have no unique solution (a floating node, "
          "a junction too many, or a loop of transformers whose moduli cancel)"},
         {"try", potential ? "join a Ground ('import: [electrical]') to a node of the circuit, or leave out the "
                             "junction of its reference node with its bonds"
                           : "leave out the junction of the reference node (ground) with its bonds"}});
    return diagnostics.items().front();
}

}  // namespace bondgraph::causality
