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
const std::vector<ComponentType>& modulated() {
    static const std::vector<ComponentType> types{alias("MSe", kEffortSource), alias("MSf", kFlowSource),
                                                  alias("MTF", kTransformer), alias("MGY", kGyrator),
                                                  alias("MR", kResistor)};
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
        &modulated()[0],
        &modulated()[1],
        &modulated()[2],
        &modulated()[3],
        &modulated()[4],
    });
}

}  // namespace bondgraph::elements
