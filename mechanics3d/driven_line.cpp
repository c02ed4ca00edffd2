// Line forces whose length something prescribes or holds: a source of flow, a lock, friction that sticks.

#include "mechanics3d/hold.hpp"
#include "mechanics3d/joints.hpp"
#include "mechanics3d/line.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

const std::vector<Freedom>& length_freedom() {
    static const std::vector<Freedom> freedoms{{"s", "v", "a", "line", false}};
    return freedoms;
}

// Between the transformer from the frames' velocities and the junction at the port a 0-junction compares the rate of
// the distance with that of the length; what holds both together there is the tension.
void build_driven_line(PartsBuilder& b) {
    b.forget_slots();
    declare_freedoms(b, length_freedom());
    b.variable("f", 1, "N");
    const PartEnd map = b.part("along");
    const PartEnd compared = b.split(PartsBuilder::port(map, "p2"), "rates", 1, "translational");
    b.bond(b.part("line"), b.own_port("line_rate", PortDirection::in));
    const auto apart = [](const LawContext& k) { return column({line_of(k).length - k.slot("s")(0)}); };
    add_hold(b, compared, "tension", "translational", 1, {}, {{"position", apart}});
}

void driven_line_law(LawContext& k) {
    freedom_law(k, length_freedom());
    k.equation(k.slot("f")(0), k.part("along").effort(1)(0));
}

}  // namespace

std::vector<StateSpec> line_states() {
    return {{"s", "length, where what is bonded to the port gives its rate", {}, "", "m"},
            {"v", "its rate", {}, "", "m/s"},
            {"a", "its acceleration; follows from the states", {}, "", "m/s2"}};
}

ComponentType driven_line(const ComponentType& type) {
    ComponentType t = type;
    t.driven = nullptr;
    t.structure = Structure::border;
    t.states = line_states();
    t.causality = coordinate_causality;
    t.free_rates = true;
    t.build = build_driven_line;
    t.law = driven_line_law;
    return t;
}

}  // namespace bondgraph::mechanics3d
