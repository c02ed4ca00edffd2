#include "converters/frames.hpp"

namespace bondgraph::converters {

using model::ConnectorType;

const ConnectorType kFrame{
    .name = "frame",
    .doc =
        "3-D mechanical frame: position x, orientation R, force f and velocity v in world coordinates, torque t and "
        "angular velocity w in the frame's own",
    .bonds = {{"trans", 3, "translational", true, "f", "v"}, {"rot", 3, "rotational", true, "t", "w"}},
    .signals = {{"x", 3, 1, "m"}, {"R", 3, 3, ""}},
    .closure = "CutRigid",
};

const ConnectorType kPlanarFrame{
    .name = "planar_frame",
    .doc = "planar mechanical frame: position x[2], angle phi, and a multibond {fx, fy, t | vx, vy, w}",
    .bonds = {{"force", 2, "translational", true, "f", "v"}, {"torque", 1, "rotational", true, "t", "w"}},
    .signals = {{"x", 2, 1, "m"}, {"phi", 1, 1, ""}},
    .closure = "PlanarCutRigid",
};

const ConnectorType kPin{
    .name = "pin",
    .doc = "electrical pin: common voltage, currents into the components sum to zero",
    .bonds = {{"p", 1, "electrical", false, "voltage", "current"}},
};

const ConnectorType kFlange{
    .name = "flange",
    .doc = "rotational flange: common angular velocity, torques on the components sum to zero",
    .bonds = {{"p", 1, "rotational", true, "torque", "angular_velocity"}},
};

const ConnectorType kTranslationalFlange{
    .name = "translational_flange",
    .doc = "translational flange: common velocity, forces on the components sum to zero",
    .bonds = {{"p", 1, "translational", true, "force", "velocity"}},
};

const ConnectorType kHydraulicPort{
    .name = "port",
    .doc = "hydraulic port: common pressure, volume flows into the components sum to zero",
    .bonds = {{"p", 1, "hydraulic", false, "pressure", "volume_flow"}},
};

const ConnectorType kHeatPort{
    .name = "heat_port",
    .doc = "heat port: common temperature, heat flows into the components sum to zero",
    .bonds = {{"p", 1, "thermal_pseudo", false, "temperature", "heat_flow"}},
};

std::vector<const ConnectorType*> connector_types() {
    return {&kFrame, &kPlanarFrame, &kPin, &kFlange, &kTranslationalFlange, &kHydraulicPort, &kHeatPort};
}

}  // namespace bondgraph::converters
