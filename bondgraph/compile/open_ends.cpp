// Ends of mechanisms at which forces and torques balance whatever moves.

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::compile {

namespace {

bool mechanical(const model::Port& p) {
    const std::string_view domain = model::domains()[p.domain].name;
    return domain == "rotational" || domain == "translational";
}

[[noreturn]] void refuse(const model::BondGraph& g, const model::Element& part, const std::string& where, bool turns) {
    Diagnostics d;
    d.error("BG-I004", g.elements[part.owner.index()].position,
            fmt::format("the equations don't determine all rates at time {:g}", g.start_time),
            {{"where", fmt::format("what is joined at '{}' may {} at any rate", where, turns ? "turn" : "move")},
             {"because", turns ? "nothing with mass or inertia turns with it: parts without mass, or a point mass on "
                                 "the axis of a joint"
                               : "nothing with mass moves with it"},
             {"try", turns ? "put a Body with moments of inertia there" : "put a Body with a mass there"}});
    d.throw_if_errors();
    throw std::logic_error("unreachable");
}

}  // namespace

void refuse_open_ends(const ReducedSystem& reduced) {
    const model::BondGraph& g = reduced.graph();
    const auto constrains = [&](model::ElementId id) {
        return g.elements[id.index()].type->role == model::Role::residual_sink;
    };
    for (const RemovedConstraint& removed : reduced.removed) {
        if (std::ranges::any_of(removed.implied_by, constrains)) continue;  // a force is left open, no rate
        const model::Element& e = g.elements[removed.element.index()];
        const std::size_t end = e.name.rfind('.');
        if (e.type->name == "Df" && e.owner.valid() && end != std::string::npos && mechanical(e.ports[0]))
            refuse(g, e, e.name.substr(0, end), model::domains()[e.ports[0].domain].name == "rotational");
    }
}

void refuse_open_balance(const ReducedSystem& reduced, model::ElementId part) {
    const model::BondGraph& g = reduced.graph();
    const model::Element& e = g.elements[part.index()];
    // Constraints, and what own types say, may well repeat each other.
    if (e.type->role == model::Role::residual_sink || e.type->role == model::Role::user) return;
    if (!e.ports.empty() && e.ports[0].size > 1 && mechanical(e.ports[0]) && e.owner.valid())
        refuse(g, e, g.elements[e.owner.index()].name, true);
}

}  // namespace bondgraph::compile
