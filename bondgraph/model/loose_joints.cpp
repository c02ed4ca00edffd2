// Joints that end nowhere. Whatever hangs on a joint is computed from it, so that the side nothing is connected to is
// always one the joint computes itself.

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

/// Whether something is bonded or connected to one of the joint's own ports, which may determine how it moves.
bool is_driven(const Flattening& work, const Element& joint) {
    const std::string ports = joint.name + ".axis";
    for (const Scope& scope : work.scopes) {
        const auto leads_there = [&](const Text& end) { return (scope.prefix + end.text).starts_with(ports); };
        for (const BondDeclaration& bond : scope.body->bonds) {
            if (leads_there(bond.from) || leads_there(bond.to)) return true;
        }
    }
    return std::any_of(work.connected.begin(), work.connected.end(),
                       [&](const std::string& name) { return name.starts_with(ports); });
}

}  // namespace

void report_loose_joints(Flattening& work) {
    // Where nothing could carry them, that is what has to be said, and it is.
    const auto carries = [](const Element& e) { return e.type->root == RootKind::always; };
    if (std::none_of(work.graph.elements.begin(), work.graph.elements.end(), carries)) return;
    for (const Flattening::ComputedSignals& computed : work.signal_order) {
        const Element& e = work.graph.elements[computed.element.index()];
        const bool joint = e.type->free_rates && e.type->paths.size() == 1 && e.type->root == RootKind::never;
        // Nothing has to hang on an extra frame; what closes the component says how it moves.
        if (e.type->connectors[computed.connector].optional) continue;
        if (!joint || !computed.joined.empty() || is_driven(work, e)) continue;
        work.diagnostics.error(
            "BG-M009", e.position,
            fmt::format("'{}.{}' is connected to nothing", e.name, e.connectors[computed.connector].name),
            {{"because", "what is on its other side alone doesn't say how the joint moves"},
             {"try", "connect it to a World, a Fixed or a Body, or put an I on the joint's axis"}});
    }
}

}  // namespace bondgraph::model
