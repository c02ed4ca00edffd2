#include "mechanics3d/catalogue.hpp"

#include <algorithm>

#include "bondgraph/elements/catalogue.hpp"
#include "bondgraph/model/own_type.hpp"
#include "converters/converters.hpp"
#include "converters/frames.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/hold.hpp"
#include "mechanics3d/planar.hpp"
#include "mechanics3d/two_ports.hpp"
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
        &kFreePoint,
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
        &kConnectingRod2,
        &kSphericalSpherical,
        &kUniversalSpherical,
        &kJointUPS,
        &kJointUSR,
        &kJointUSP,
        &kJointSSR,
        &kJointSSP,
        &kJointRRR,
        &kJointRRP,
        &kJointRevoluteZ,
        &kBodyShape,
        &kBodyBox,
        &kBodyCylinder,
        &kSpring,
        &kDamper,
        &kSpringDamperParallel,
        &kSpringDamperSeries,
        &kLineForce,
        &kGravitation,
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

std::vector<const model::ComponentType*> all_types(const model::Catalogue& catalogue) {
    std::vector<const model::ComponentType*> all(catalogue.types().begin(), catalogue.types().end());
    all.insert(all.end(), {&model::kOwnType, &kPotential, &kHold, &kHoldWhile, &kLever, &kTurn, &kSlide, &kEulerGyrator,
                           &kSpinGyrator, &kPlanarLever, &kPlanarSlide});
    for (const model::ComponentType* type : catalogue.types()) {
        for (const model::ComponentType* form : {type->driven, type->cut}) {
            if (form != nullptr && std::ranges::find(all, form) == all.end()) all.push_back(form);
        }
    }
    return all;
}

}  // namespace bondgraph::mechanics3d
