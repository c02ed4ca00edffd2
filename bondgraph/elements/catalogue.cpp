#include "bondgraph/elements/catalogue.hpp"

#include "bondgraph/elements/types.hpp"

namespace bondgraph::elements {

ComponentType alias(std::string_view name, const ComponentType& type) {
    ComponentType copy = type;
    copy.name = name;
    copy.alias_of = type.name;
    return copy;
}

namespace {

// A function-local constant: the types it copies live in other files and must exist first.
const std::vector<ComponentType>& other_names() {
    static const std::vector<ComponentType> types{
        alias("MSe", kEffortSource), alias("MSf", kFlowSource), alias("MTF", kTransformer),      alias("MGY", kGyrator),
        alias("MR", kResistor),      alias("Brake", kClutch),   alias("ElastoGap", kElasticStop)};
    return types;
}

}  // namespace

model::Catalogue standard_catalogue() {
    return model::Catalogue({
        &kJunction0,
        &kJunction1,
        &kEffortSource,
        &kFlowSource,
        &kResistor,
        &kCompliance,
        &kInertia,
        &kTransformer,
        &kGyrator,
        &kSymplecticGyrator,
        &kResistiveField,
        &kCompliantField,
        &kInertialField,
        &kMixedField,
        &kThermalResistor,
        &kSwitch,
        &kArcSwitch,
        &kDiode,
        &kThyristor,
        &kGateTurnOff,
        &kCheckValve,
        &kLock,
        &kFriction,
        &kClutch,
        &kOneWayClutch,
        &kBacklash,
        &kElasticStop,
        &kEndStop,
        &kEffortSensor,
        &kFlowSensor,
        &kMomentumSensor,
        &kDisplacementSensor,
        &kPowerSensor,
        &kResidualEffort,
        &kResidualFlow,
        &kCompose,
        &kDecompose,
        &kPermute,
        &kConstant,
        &kStep,
        &kRamp,
        &kSine,
        &kTimeTable,
        &kGain,
        &kSum,
        &kProduct,
        &kIntegrator,
        &kGreater,
        &kRelay,
        &kSampleHold,
        &kPulse,
        &kDelay,
        &other_names()[0],
        &other_names()[1],
        &other_names()[2],
        &other_names()[3],
        &other_names()[4],
        &other_names()[5],
        &other_names()[6],
    });
}

}  // namespace bondgraph::elements
