#pragma once

#include "mechanics3d/chain.hpp"

namespace bondgraph::mechanics3d {

// Mechanics in the x-y plane. A frame has a position x[2] and an angle phi, counter-clockwise; velocities, forces and
// the arms of transformers are resolved in the world, so that angular velocity needs no transformer.

using Vec2 = Eigen::Matrix<Expr, 2, 1>;
using PlanarScalar = std::function<Expr(const model::LawContext&)>;
using PlanarVector = std::function<Vec2(const model::LawContext&)>;

struct PlanarPose {
    Vec2 x;
    Expr phi;
};

Vec2 vec2(Expr x, Expr y);
Vec2 scaled(Expr factor, const Vec2& a);
Expr dot(const Vec2& a, const Vec2& b);
/// a turned by 90 degrees: the velocity of its end for an angular velocity of 1.
Vec2 perpendicular(const Vec2& a);
/// Components in the world of a vector given in a frame at the angle phi.
Vec2 in_world(Expr phi, const Vec2& a);

Vec2 planar_vector_or(const model::LawContext& k, std::string_view parameter, const Vec2& otherwise);
/// Reports a vector that has not two components (BG-M020).
void check_planar_vector(const model::LawContext& k, std::string_view parameter, Diagnostics& diagnostics);
/// Reports a direction of length 0 (BG-F002) or one that is not two known numbers (BG-M020).
void check_planar_direction(const model::LawContext& k, std::string_view parameter, Diagnostics& diagnostics);

PlanarPose planar_pose_of(const model::LawContext& component, std::string_view connector);
/// Equations that give a connector's signals, those of them that belong to this component.
void give_planar_pose(model::LawContext& component, std::string_view connector, const PlanarPose& pose);

std::vector<model::ConnectorSpec> two_planar_frames(std::string_view a, std::string_view b);
/// A flow source that holds a connector's bonds at rest.
void hold_planar_frame(model::PartsBuilder& parts, std::string_view connector);

/// One elementary motion on the way from frame_a to frame_b, as functions of the component: a turn by `angle`, which is
/// a coordinate; a translation by `r`, in the frame before; or one by `amount`, a coordinate, along a direction.
struct PlanarStep {
    PlanarScalar angle = {};
    PlanarVector r = {};
    PlanarVector along = {};  ///< unit vector, in the frame before
    PlanarScalar amount = {};
    PlanarScalar rate = {};  ///< of the amount
    std::size_t coordinate = 0;
};

/// Lays the multibond graph of a chain of steps from frame_a on.
class PlanarChain {
   public:
    explicit PlanarChain(model::PartsBuilder& parts);

    /// 1-junctions for coordinates, each with a port of the component for its rate.
    void coordinates(const std::vector<Coordinates>& all);
    void step(const PlanarStep& step);
    void end_at(const std::string& connector);
    /// 1-junctions of velocity and angular velocity where the chain stands.
    model::PartEnd velocity();
    model::PartEnd angular_velocity();
    [[nodiscard]] const std::vector<model::PartEnd>& rates() const { return axes_; }

   private:
    void turn(const PlanarStep& step);
    void translate(const PlanarStep& step);
    model::PartEnd junction(Lane& lane, bool common_flow);
    std::string part(std::string_view name) const;

    model::PartsBuilder& parts_;
    int number_ = 0;
    Lane force_;
    Lane torque_;
    std::vector<model::PartEnd> axes_;
    PlanarScalar phi_;
};

/// Law of a component whose kinematics is a chain from frame_a to frame_b: the signals of the connector it computes.
void planar_chain_law(model::LawContext& component, const std::vector<PlanarStep>& steps);

/// Rotation → translation by an arm d (parameters d, in the world, and dd, its rate seen in the frame):
/// f2 = f1 × d, e1 = d × e2.
extern const model::ComponentType kPlanarLever;
/// Rate of a coordinate → velocity (parameters d, the direction in the world, and w, the frame's angular velocity):
/// f2 = d f1, e1 = d · e2.
extern const model::ComponentType kPlanarSlide;

}  // namespace bondgraph::mechanics3d
