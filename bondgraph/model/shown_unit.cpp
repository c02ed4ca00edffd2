#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

std::string angular_unit(Dimension dimension) {
    if (dimension == Dimension{}) return "rad";
    if (dimension == Dimension{.second = -1}) return "rad/s";
    if (dimension == Dimension{.second = -2}) return "rad/s2";
    return unit_name(dimension);
}

namespace {

/// A gyration is an effort of either side over the flow of the other: between domains it is named both ways. Empty for
/// other dimensions.
std::string gyration_unit(Dimension dimension) {
    const auto over = [](std::string_view effort_domain, std::string_view flow_domain) {
        return domains()[*find_domain(effort_domain)].effort_dimension /
               domains()[*find_domain(flow_domain)].flow_dimension;
    };
    static const Dimension motor = over("rotational", "electrical");
    static const Dimension piston = over("translational", "hydraulic");
    if (dimension == motor) return "N.m/A = V.s/rad";
    if (dimension == piston) return "N.s/m3 = Pa.s/m";
    return {};
}

}  // namespace

std::string shown_unit(const DimensionRule& rule, Dimension dimension) {
    if (!rule.checked) return unit_name(dimension);
    const std::string gyration = rule.uses_second_port() ? gyration_unit(dimension) : "";
    if (!gyration.empty()) return gyration;
    const bool effort = rule.e + rule.e2 == 1 && rule.f <= 0 && rule.f2 <= 0;
    static const Dimension torque = domains()[*find_domain("rotational")].effort_dimension;
    if (effort && dimension == torque) return "N.m";
    const bool motion = rule.e == 0 && rule.e2 == 0 && rule.f >= 0 && rule.f2 >= 0 && rule.f + rule.f2 == 1;
    return motion ? angular_unit(dimension) : unit_name(dimension);
}

}  // namespace bondgraph::model
