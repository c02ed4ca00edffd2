#include "bondgraph/model/own_type.hpp"

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::model {
namespace {

// A demand of the declaration holds. An equation written `p.f = …` only says which of the two its author computes: that
// causality is liked.
PortCausality causality(const Element& element, std::size_t port, std::size_t component) {
    const Port& p = element.ports[port];
    if (p.demand != PortCausality::free) return p.demand;
    for (const GivenEquation& equation : element.given_equations) {
        if (equation.lhs.is_constant()) continue;
        const expression::Node& node = (*equation.lhs.graph())[equation.lhs.node()];
        if (node.op != expression::Op::variable) continue;
        if (node.a == p.first_effort + 2 * component) return PortCausality::likes_effort_out;
        if (node.a == p.first_effort + 2 * component + 1) return PortCausality::likes_flow_out;
    }
    return PortCausality::free;
}

}  // namespace

const ComponentType kOwnType{
    .name = "own type",
    .structure = Structure::equations,
    .energy = Energy::declared,
    .firmness = Firmness::own,
    .summary = "A component type declared in the model file by its equations.",
    .law_text = "as declared",
    .causality = causality,
    .law =
        [](LawContext& k) {
            k.given_equations();
            k.given_updates();
        },
    .stored_energy = [](LawContext& k) { return k.given_energy(); },
    .source = "the model file",
};

}  // namespace bondgraph::model
