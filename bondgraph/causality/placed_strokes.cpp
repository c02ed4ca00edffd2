#include "bondgraph/causality/placed_strokes.hpp"

#include <algorithm>
#include <array>

namespace bondgraph::causality {

using model::StatePreference;

namespace {

/// Dependent storages by preference: one that is to be avoided as a state is no loss.
std::array<std::size_t, 8> dependents_of(const CausalGraph& causal) {
    std::array<std::size_t, 8> count{};
    for (const StorageCausality& s : causal.storages) {
        const auto preference = static_cast<std::size_t>(causal.graph->elements[s.element.index()].preference);
        if (!s.integral) ++count.at(preference);
    }
    return count;
}

bool is_placed(std::span<const PlacedStroke> placed, std::uint32_t component) {
    return std::ranges::any_of(placed, [&](const PlacedStroke& p) { return p.component == component; });
}

}  // namespace

StrokeJudge::StrokeJudge(const CausalGraph& own) : own_(own), scalar_(build_scalar_graph(*own.graph, kRankLimit)) {}

/// The mesh inside which a bond component lies; kNoVertex of one that ends at a port of it, or at none.
std::uint32_t StrokeJudge::mesh_inside(std::uint32_t component) const {
    const std::uint32_t tail = scalar_.tail_vertex[component];
    const std::uint32_t head = scalar_.head_vertex[component];
    if (tail == kNoVertex || head == kNoVertex || scalar_.mesh_of[tail] != scalar_.mesh_of[head]) return kNoVertex;
    return scalar_.mesh_of[tail];
}

/// A bond component without a stroke that ends at a mesh, those with placed strokes inside first.
std::optional<std::uint32_t> StrokeJudge::open_port(std::span<const PlacedStroke> placed) const {
    std::optional<std::uint32_t> any;
    const auto has_placed = [&](std::uint32_t mesh) {
        return std::ranges::any_of(placed, [&](const PlacedStroke& p) { return mesh_inside(p.component) == mesh; });
    };
    for (std::uint32_t c = 0; c < scalar_.tail_vertex.size(); ++c) {
        if (is_placed(placed, c) || mesh_inside(c) != kNoVertex) continue;
        for (const std::uint32_t vertex : {scalar_.tail_vertex[c], scalar_.head_vertex[c]}) {
            if (vertex == kNoVertex || scalar_.mesh_of[vertex] == kNoVertex) continue;
            if (has_placed(scalar_.mesh_of[vertex])) return c;
            if (!any) any = c;
        }
    }
    return any;
}

bool StrokeJudge::as_good(const CausalGraph& causal) const {
    for (std::size_t c = 0; c < causal.strokes.size(); ++c) {
        if (causal.strokes[c] == Stroke::open && own_.strokes[c] != Stroke::open) return false;
    }
    return true;
}

// Outside of meshes assignment follows from strokes whatever they are, and storages that take turns in any order are
// independent in the same number (inputs of a Dirac structure are the bases of a matroid). Inside a mesh strokes don't
// decide what its ports are, but not all ports let these strokes be: those are tried.
std::optional<CausalGraph> StrokeJudge::search(const std::vector<PlacedStroke>& placed, std::size_t& left) const {
    if (left == 0) return std::nullopt;
    --left;
    std::vector<PlacedStroke> outside;
    std::ranges::copy_if(placed, std::back_inserter(outside),
                         [&](const PlacedStroke& p) { return mesh_inside(p.component) == kNoVertex; });
    auto ports = assign_with(*own_.graph, own_.modes, outside);
    if (!ports || dependents_of(*ports) != dependents_of(own_)) return std::nullopt;
    if (outside.size() == placed.size() && as_good(*ports)) return ports;
    if (auto whole = assign_with(*own_.graph, own_.modes, placed);
        whole && as_good(*whole) && dependents_of(*whole) == dependents_of(own_))
        return whole;
    const auto port = open_port(placed);
    if (!port) return std::nullopt;
    std::vector<PlacedStroke> more = placed;
    more.push_back({*port, ports->strokes[*port]});
    for (int way = 0; way < 2; ++way) {
        if (auto found = search(more, left)) return found;
        more.back().stroke = swapped(more.back().stroke);
    }
    return std::nullopt;
}

std::optional<CausalGraph> StrokeJudge::completed(std::span<const PlacedStroke> placed) const {
    std::size_t most = 400;  // of assignments: an exercise's mesh takes some ten
    return search({placed.begin(), placed.end()}, most);
}

StrokeJudge::Verdict StrokeJudge::judge(std::span<const PlacedStroke> placed,
                                        std::span<const PlacedStroke> next) const {
    const auto possible = [&](bool turned) {
        std::vector<PlacedStroke> all(placed.begin(), placed.end());
        for (PlacedStroke p : next) {
            if (turned) p.stroke = swapped(p.stroke);
            all.push_back(p);
        }
        return completed(all).has_value();
    };
    if (!possible(false)) return Verdict::wrong;
    return possible(true) ? Verdict::chosen : Verdict::forced;
}

}  // namespace bondgraph::causality
