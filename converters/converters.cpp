#include "converters/converters.hpp"

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/parts.hpp"
#include "converters/frames.hpp"

namespace bondgraph::converters {

using namespace model;

namespace {

constexpr const char* kSource = "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006";

// The multibonds of a connector, each as a junction of its own that takes any number of bonds.
void build(PartsBuilder& b) {
    const Connector connector = b.component().connectors.front();
    for (const ConnectorBond& bond : connector.type->bonds)
        b.attach(connector.name, bond.name, b.junction1(bond.name, bond.size, bond.domain));
}

// The signals as the parameters give them, row by row.
void give_signals(LawContext& k) {
    const Connector& connector = k.element().connectors.front();
    for (const ConnectorSignal& signal : connector.type->signals) {
        const auto variables = k.slot(connector.name + "." + std::string(signal.name));
        const auto given = k.matrix(signal.name, signal.rows, signal.cols);
        for (Eigen::Index i = 0; i < variables.size(); ++i)
            k.equation(variables(i), given(i / signal.cols, i % signal.cols));
    }
}

void no_law(LawContext&) {}

ComponentType inward(std::string_view name, const ConnectorType& frame, std::vector<PortSpec> ports) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.summary = "From a mechanical frame to its multibonds: what is bonded here acts on the frame.";
    t.law_text = "flows of the ports = velocities of frame_a; efforts = forces on frame_a; signals frame_a.x, …";
    t.ports = std::move(ports);
    t.law = no_law;
    t.source = kSource;
    t.connectors = {{"frame_a", &frame, "the frame"}};
    t.build = build;
    return t;
}

ComponentType outward(std::string_view name, const ConnectorType& frame, std::vector<PortSpec> ports,
                      std::vector<ParameterSpec> signals) {
    ComponentType t = inward(name, frame, std::move(ports));
    t.summary = "From multibonds to a mechanical frame, whose position and orientation are given as well.";
    t.law_text = "velocities of frame_b = flows of the ports; position and orientation as given";
    t.parameters = std::move(signals);
    t.law = give_signals;
    t.connectors = {{"frame_b", &frame, "the frame", PortDirection::out}};
    t.root = RootKind::always;
    return t;
}

std::vector<PortSpec> spatial_ports() {
    return {{.name = "trans", .doc = "force and velocity, in the world (size 3)", .domain = "translational"},
            {.name = "rot", .doc = "torque and angular velocity, in the frame (size 3)", .domain = "rotational"}};
}

std::vector<PortSpec> planar_ports() {
    return {{.name = "force", .doc = "force and velocity, in the world (size 2)", .domain = "translational"},
            {.name = "torque", .doc = "torque and angular velocity", .domain = "rotational"}};
}

}  // namespace

const ComponentType kMech2MBG = [] {
    ComponentType t = inward("Mech2MBG", kFrame, spatial_ports());
    t.example = "inside: {type: Mech2MBG}";
    return t;
}();

const ComponentType kMBG2Mech = [] {
    ComponentType t = outward(
        "MBG2Mech", kFrame, spatial_ports(),
        {{.name = "x", .doc = "position of the frame; may be modulated", .shape = Shape::vector, .may_vary = true},
         {.name = "R", .doc = "its orientation, h_frame = R h_world", .may_vary = true}});
    t.example = "outside: {type: MBG2Mech, x: inside.frame_a.x, R: inside.frame_a.R}";
    return t;
}();

const ComponentType kPlanarMech2MBG = [] {
    ComponentType t = inward("PlanarMech2MBG", kPlanarFrame, planar_ports());
    t.example = "inside: {type: PlanarMech2MBG}";
    return t;
}();

const ComponentType kPlanarMBG2Mech = [] {
    ComponentType t = outward(
        "PlanarMBG2Mech", kPlanarFrame, planar_ports(),
        {{.name = "x", .doc = "position of the frame; may be modulated", .shape = Shape::vector, .may_vary = true},
         {.name = "phi", .doc = "its angle, counter-clockwise", .shape = Shape::scalar, .may_vary = true}});
    t.example = "outside: {type: PlanarMBG2Mech, x: inside.frame_a.x, phi: inside.frame_a.phi}";
    return t;
}();

}  // namespace bondgraph::converters
