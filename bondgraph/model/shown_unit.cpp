#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

std::string shown_unit(const DimensionRule& rule, Dimension dimension) {
    const bool effort = rule.checked && rule.e + rule.e2 == 1 && rule.f <= 0 && rule.f2 <= 0;
    static const Dimension torque = domains()[*find_domain("rotational")].effort_dimension;
    return effort && dimension == torque ? "N.m" : unit_name(dimension);
}

}  // namespace bondgraph::model
