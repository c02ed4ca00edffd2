#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

std::string angular_unit(Dimension dimension) {
    if (dimension == Dimension{}) return "rad";
    if (dimension == Dimension{.second = -1}) return "rad/s";
    if (dimension == Dimension{.second = -2}) return "rad/s2";
    return unit_name(dimension);
}

std::string shown_unit(const DimensionRule& rule, Dimension dimension) {
    if (!rule.checked) return unit_name(dimension);
    const bool effort = rule.e + rule.e2 == 1 && rule.f <= 0 && rule.f2 <= 0;
    static const Dimension torque = domains()[*find_domain("rotational")].effort_dimension;
    if (effort && dimension == torque) return "N.m";
    const bool motion = rule.e == 0 && rule.e2 == 0 && rule.f >= 0 && rule.f2 >= 0 && rule.f + rule.f2 == 1;
    return motion ? angular_unit(dimension) : unit_name(dimension);
}

}  // namespace bondgraph::model
