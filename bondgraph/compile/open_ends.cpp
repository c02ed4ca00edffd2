// Ends of mechanisms at which forces and torques balance whatever moves.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::compile {

namespace {

bool mechanical(const model::Element& e) {
    return e.owner.valid() && std::ranges::any_of(e.ports, [](const model::Port& p) {
               const std::string_view domain = model::domains()[p.domain].name;
               return p.size > 1 && (domain == "rotational" || domain == "translational");
           });
}

bool senses_flow(const model::ComponentType& type) {
    if (!type.is_sensor() || type.outputs.empty()) return false;
    const model::DimensionRule& y = type.outputs.front().dimension;
    return y.e == 0 && y.f == 1 && y.s == 0;
}

/// Whether an element only hands on what others bring about. What constrains, drives or is somebody's own type may well
/// say what others say.
bool hands_on(const model::Element& e) {
    return e.type->firmness == model::Firmness::law && !e.type->is_source() &&
           e.type->structure != model::Structure::block;
}

[[noreturn]] void refuse(const model::BondGraph& g, const model::Element& part, std::string_view where) {
    Diagnostics d;
    d.error("BG-I004", g.elements[part.owner.index()].position,
            fmt::format("the equations don't determine all rates at time {:g}", g.start_time),
            {{"where", fmt::format("what is joined at '{}' may move at any rate", where)},
             {"because",
              "nothing with mass or inertia moves with it: parts without mass, a point mass on the axis of a joint, or "
              "a rod between two balls without inertia about its axis"},
             {"try",
              "put a Body with a mass and moments of inertia there; in place of a rod on two balls a "
              "SphericalSpherical"}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

}  // namespace

void refuse_open_ends(const ReducedSystem& reduced) {
    const model::BondGraph& g = reduced.graph();
    const auto element = [&](model::ElementId id) -> const model::Element& { return g.elements[id.index()]; };
    for (const RemovedConstraint& removed : reduced.removed) {
        // Where a constraint is among them a force is left open, no rate.
        const model::Element& e = element(removed.element);
        const bool plain = std::ranges::all_of(removed.implied_by, [&](auto id) { return hands_on(element(id)); });
        if (plain && senses_flow(*e.type) && mechanical(e)) refuse(g, e, e.name.substr(0, e.name.rfind('.')));
    }
}

void refuse_open_balance(const ReducedSystem& reduced, std::span<const model::ElementId> parts) {
    const model::BondGraph& g = reduced.graph();
    const auto element = [&](model::ElementId id) -> const model::Element& { return g.elements[id.index()]; };
    if (!std::ranges::all_of(parts, [&](auto id) { return hands_on(element(id)); })) return;
    const auto part = std::ranges::find_if(parts, [&](auto id) { return mechanical(element(id)); });
    if (part != parts.end()) refuse(g, element(*part), element(element(*part).owner).name);
}

}  // namespace bondgraph::compile
