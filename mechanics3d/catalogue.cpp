#include "mechanics3d/catalogue.hpp"

#include "bondgraph/elements/catalogue.hpp"
#include "converters/converters.hpp"
#include "converters/frames.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

model::Catalogue full_catalogue() {
    const model::Catalogue primitive = elements::standard_catalogue();
    std::vector<const model::ComponentType*> types(primitive.types().begin(), primitive.types().end());
    const std::vector<const model::ComponentType*> own{
        &kWorld,
        &kFixed,
        &kFixedTranslation,
        &kFixedRotation,
        &kBody,
        &kPointMass,
        &kRevolute,
        &kPrismatic,
        &kCylindrical,
        &kUniversal,
        &kPlanar,
        &kSpherical,
        &kFreeMotion,
        &kCutRigid,
        &kCutSpherical,
        &kCutRevolute,
        &kCutRevolute2D,
        &kCutPrismatic,
        &kCutPrismatic2D,
        &kCutUniversal,
        &kCutJoint,
        &kConnectingRod,
        &kBodyShape,
        &kBodyBox,
        &kBodyCylinder,
        &kSpring,
        &kDamper,
        &kSpringDamperParallel,
        &kSpringDamperSeries,
        &kLineForce,
        &kWorldForce,
        &kWorldTorque,
        &kForce,
        &kTorque,
        &kForceAndTorque,
        &kLineForceWithMass,
        &kLineForceWithTwoMasses,
        &kRotor1D,
        &kMounting1D,
        &kBevelGear1D,
        &kGearConstraint,
        &kRollingWheel,
        &kRollingWheelSet,
        &kMarble,
        &kBushing,
        &kOwnJoint,
        &converters::kMech2MBG,
        &converters::kMBG2Mech,
        &converters::kPlanarMech2MBG,
        &converters::kPlanarMBG2Mech,
        &kAbsolutePosition,
        &kAbsoluteVelocity,
        &kAbsoluteAngularVelocity,
        &kAbsoluteAngles,
        &kRelativePosition,
        &kRelativeVelocity,
        &kRelativeAngularVelocity,
        &kRelativeAngles,
        &kDistance,
        &kCutForceAndTorque,
        &kPlanarFixed,
        &kPlanarRod,
        &kPlanarBody,
        &kPlanarPointMass,
        &kPlanarRevolute,
        &kPlanarPrismatic,
        &kPlanarFree,
        &kPlanarCutRigid,
        &kPlanarSpring,
        &kPlanarDamper,
        &kPlanarSpringDamper,
        &kPlanarWorldForce,
    };
    types.insert(types.end(), own.begin(), own.end());
    return model::Catalogue(std::move(types), converters::connector_types());
}

}  // namespace bondgraph::mechanics3d
