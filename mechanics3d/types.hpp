#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::mechanics3d {

/// Works that several types follow.
inline constexpr const char* kMultibondLibrary =
    "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006";
inline constexpr const char* kBos = "Bos: Modelling Multibody Systems in Terms of Multibond Graphs, 1986";

// world.cpp
extern const model::ComponentType kWorld;
extern const model::ComponentType kFixed;
// bodies.cpp
extern const model::ComponentType kBody;
extern const model::ComponentType kPointMass;
extern const model::ComponentType kFreePoint;
// shaped_bodies.cpp
extern const model::ComponentType kBodyShape;
extern const model::ComponentType kBodyBox;
extern const model::ComponentType kBodyCylinder;
// rigid.cpp
extern const model::ComponentType kFixedTranslation;
extern const model::ComponentType kFixedRotation;
// joints.cpp
extern const model::ComponentType kRevolute;
extern const model::ComponentType kPrismatic;
extern const model::ComponentType kCylindrical;
extern const model::ComponentType kUniversal;
extern const model::ComponentType kPlanar;
// own_joint.cpp
extern const model::ComponentType kOwnJoint;
// cut_joints.cpp
extern const model::ComponentType kCutRigid;
extern const model::ComponentType kCutSpherical;
extern const model::ComponentType kSphericalInLoop;
extern const model::ComponentType kCutRevolute;
extern const model::ComponentType kCutRevolute2D;
extern const model::ComponentType kCutPrismatic;
extern const model::ComponentType kCutPrismatic2D;
extern const model::ComponentType kCutUniversal;
extern const model::ComponentType kCutJoint;
// connecting_rod.cpp
extern const model::ComponentType kConnectingRod;
// jointed_rods.cpp
extern const model::ComponentType kSphericalSpherical;
extern const model::ComponentType kUniversalSpherical;
extern const model::ComponentType kConnectingRod2;
// spatial_assemblies.cpp
extern const model::ComponentType kJointUPS;
extern const model::ComponentType kJointUSR;
extern const model::ComponentType kJointUSP;
extern const model::ComponentType kJointSSR;
extern const model::ComponentType kJointSSP;
// planar_assemblies.cpp
extern const model::ComponentType kJointRRR;
extern const model::ComponentType kJointRRP;
// marker_joint.cpp
extern const model::ComponentType kJointRevoluteZ;
// planar_cut.cpp
extern const model::ComponentType kPlanarCutRigid;
// ball_joints.cpp
extern const model::ComponentType kSpherical;
extern const model::ComponentType kFreeMotion;

// line_forces.cpp
extern const model::ComponentType kSpring;
extern const model::ComponentType kDamper;
extern const model::ComponentType kSpringDamperParallel;
extern const model::ComponentType kSpringDamperSeries;
extern const model::ComponentType kLineForce;
extern const model::ComponentType kDrivenLineForce;  // its `driven`, as of those with masses
// gravitation.cpp
extern const model::ComponentType kGravitation;

// mounted_parts.cpp
extern const model::ComponentType kRotor1D;
extern const model::ComponentType kMounting1D;
extern const model::ComponentType kBevelGear1D;
extern const model::ComponentType kGearConstraint;
// wheels.cpp
extern const model::ComponentType kRollingWheel;
extern const model::ComponentType kRollingWheelSet;
extern const model::ComponentType kMarble;
// bushing.cpp
extern const model::ComponentType kBushing;
// forces.cpp
extern const model::ComponentType kWorldForce;
extern const model::ComponentType kWorldTorque;
extern const model::ComponentType kForce;
extern const model::ComponentType kTorque;
extern const model::ComponentType kForceAndTorque;
// heavy_lines.cpp
extern const model::ComponentType kLineForceWithMass;
extern const model::ComponentType kLineForceWithTwoMasses;
extern const model::ComponentType kDrivenLineForceWithMass;
extern const model::ComponentType kDrivenLineForceWithTwoMasses;
// sensors.cpp
extern const model::ComponentType kAbsolutePosition;
extern const model::ComponentType kAbsoluteVelocity;
extern const model::ComponentType kAbsoluteAngularVelocity;
extern const model::ComponentType kAbsoluteAngles;
extern const model::ComponentType kRelativePosition;
extern const model::ComponentType kRelativeVelocity;
extern const model::ComponentType kRelativeAngularVelocity;
extern const model::ComponentType kRelativeAngles;
extern const model::ComponentType kDistance;
extern const model::ComponentType kCutForceAndTorque;

// planar_bodies.cpp
extern const model::ComponentType kPlanarFixed;
extern const model::ComponentType kPlanarRod;
extern const model::ComponentType kPlanarBody;
extern const model::ComponentType kPlanarPointMass;
// planar_joints.cpp
extern const model::ComponentType kPlanarRevolute;
extern const model::ComponentType kPlanarPrismatic;
extern const model::ComponentType kPlanarFree;
// planar_forces.cpp
extern const model::ComponentType kPlanarSpring;
extern const model::ComponentType kPlanarDamper;
extern const model::ComponentType kPlanarSpringDamper;
extern const model::ComponentType kPlanarWorldForce;

}  // namespace bondgraph::mechanics3d
