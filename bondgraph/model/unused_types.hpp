#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/model/component_type.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::model {

/// What flattening would say of the types that no component of the model leads to, each with one instance whose
/// parameters have the values of the type and whose ports lead nowhere: names, units and values of parameters, parts,
/// bonds, start values. Types that are only there to be extended are left out, and those of files for which `wanted` is
/// false.
/// @throws nothing
std::vector<Diagnostic> mistakes_in_unused_types(const Model& model, const Catalogue& catalogue,
                                                 const UnitSystem& units,
                                                 const std::function<bool(std::uint32_t file)>& wanted);

}  // namespace bondgraph::model
