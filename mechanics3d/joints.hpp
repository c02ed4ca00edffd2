#pragma once

#include "mechanics3d/chain.hpp"

namespace bondgraph::mechanics3d {

/// One coordinate of a joint: the names of its value, rate and acceleration, and of the port that drives it.
struct Freedom {
    const char* position;
    const char* rate;
    const char* acceleration;
    const char* axis;
    bool rotation = true;
};

/// A joint as data: its coordinates and the motions from frame_a to frame_b they make. Freedom k is coordinates k of
/// the steps.
struct JointTable {
    std::vector<Freedom> freedoms;
    std::vector<Step> (*steps)();
};

void build_joint(model::PartsBuilder& b, const JointTable& joint);
void joint_law(model::LawContext& k, const JointTable& joint);
/// The states of a joint, for its documentation.
std::vector<model::StateSpec> joint_states(const std::vector<Freedom>& freedoms);
/// Its ports: `axis…` for each coordinate and `support`.
std::vector<model::PortSpec> joint_ports(const std::vector<Freedom>& freedoms);

/// What joints have in common whatever their frames: states, accelerations and the coordinates to lay the chain with;
std::vector<Coordinates> declare_freedoms(model::PartsBuilder& b, const std::vector<Freedom>& freedoms);
/// the resting `support` of a joint with one coordinate, and its locks;
void add_support_and_locks(model::PartsBuilder& b, const std::vector<Coordinates>& coordinates,
                           const std::vector<model::PartEnd>& rates);
/// Locks on all rates, where `locked` is given;
void add_locks(model::PartsBuilder& b, const std::vector<Coordinates>& coordinates,
               const std::vector<model::PartEnd>& rates);
/// and the equations of the coordinates.
void freedom_law(model::LawContext& k, const std::vector<Freedom>& freedoms);

std::vector<model::ConnectorSpec> joint_frames();

/// A rotation about the direction given by a function, by the coordinate named.
Step turn_about(std::size_t coordinates, std::function<Vec3(const model::LawContext&)> axis, const char* position,
                const char* rate, const char* offset = nullptr);
/// A translation along a direction.
Step slide_along(std::size_t coordinates, std::function<Vec3(const model::LawContext&)> axis, const char* position,
                 const char* rate, const char* offset = nullptr);

}  // namespace bondgraph::mechanics3d
