#pragma once

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/parts.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

/// The line from frame_a to frame_b of a component.
struct Line {
    Vec3 between;  ///< x_b − x_a, in the world
    Expr length;
    Vec3 along;  ///< unit vector, in the world
};
Line line_of(const model::LawContext& component);

/// Length (s) and tension (f, which pulls the ends together) of a component along a line, as results.
void line_variables(model::PartsBuilder& b);
/// Their equations; the tension is the effort behind the transformer `along`.
void line_law(model::LawContext& k, Expr length);

/// Lays the multibond graph of a force along the line between two frames: a 0-junction of relative velocity, and the
/// transformer to dL/dt. Returns the 1-junction (named `line`) whose flow is dL/dt and whose effort is the tension.
model::PartEnd build_line(model::PartsBuilder& b);
/// The same where parts of the component already give its velocities at both ends (1-junctions).
model::PartEnd build_line(model::PartsBuilder& b, const model::PartEnd& velocity_a, const model::PartEnd& velocity_b);

/// A line force with a port `line` whose flow is given from outside: its length is a coordinate of its own (s, with the
/// rate v), which a condition holds to the distance of the frames; the tension is the force of this condition.
model::ComponentType driven_line(const model::ComponentType& type);
/// The length, its rate and acceleration, for the documentation of such types.
std::vector<model::StateSpec> line_states();

/// The ends coincide: nothing says where along the line is.
model::SingularPosition line_without_direction(const Expr& length);

// line_forces.cpp: what acts at the junction of dL/dt, in a component that has line_variables().
/// Linear spring with the parameters c and s_unstretched.
void add_spring(model::PartsBuilder& b, const model::PartEnd& at);
/// Linear damper with the parameter d.
void add_damper(model::PartsBuilder& b, const model::PartEnd& at);
model::ParameterSpec stiffness();
model::ParameterSpec unstretched();
model::ParameterSpec damping();

}  // namespace bondgraph::mechanics3d
