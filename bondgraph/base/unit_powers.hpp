#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/units.hpp"

namespace bondgraph {

/// A unit without exponent ("m", "kHz") and what it is raised to.
struct UnitFactor {
    std::string unit;
    Exponent exponent;
};

/// The factors of a unit as written, and the first exponent among them that is no whole number of twelfths, as it is
/// written; empty where there is none.
struct UnitPowers {
    std::vector<UnitFactor> factors;
    std::string unfit_exponent;
};

/// Whether a unit's text may hold powers that are no whole numbers, which UDUNITS lacks: "Pa^0.5", "m**(1/2)",
/// "sqrt(Pa)", "√Hz". Others are better left to UDUNITS.
bool has_broken_powers(std::string_view normal);

/// The factors of a unit's text, as normal_unit_text() gives it; nothing where it is no product of units and their
/// powers. As in UDUNITS, products (".", "*", a space) and quotients ("/", "per") group from the left: "m3/s.Pa" is
/// (m3/s).Pa. Powers are "m2", "m-2", "m^2", "m**2", "m^0.5", "m^-0.5", "m^(1/2)"; a root is sqrt(Pa), √(Pa) or √Hz.
std::optional<UnitPowers> unit_powers(std::string_view normal);

}  // namespace bondgraph
