#include "bondgraph/model/domain.hpp"

#include <array>

namespace bondgraph::model {
namespace {

constexpr Dimension dim(int m, int kg, int s, int A = 0, int K = 0, int mol = 0) { return {m, kg, s, A, K, mol}; }

// Effort and flow by domain as in Karnopp, Margolis, Rosenberg: System Dynamics, table 2.1, with the magnetic domain
// in the power form (magnetomotive force, flux rate) and the thermal one with temperature and entropy flow.
constexpr std::array kDomains{
    Domain{"generic", "", "", {}, {}},
    Domain{"electrical", "voltage", "current", dim(2, 1, -3, -1), dim(0, 0, 0, 1)},
    Domain{"magnetic", "mmf", "flux_rate", dim(0, 0, 0, 1), dim(2, 1, -3, -1)},
    Domain{"translational", "force", "velocity", dim(1, 1, -2), dim(1, 0, -1)},
    Domain{"rotational", "torque", "angular_velocity", dim(2, 1, -2), dim(0, 0, -1)},
    Domain{"hydraulic", "pressure", "volume_flow", dim(-1, 1, -2), dim(3, 0, -1)},
    Domain{"thermal", "temperature", "entropy_flow", dim(0, 0, 0, 0, 1), dim(2, 1, -3, 0, -1), true, false},
    Domain{"thermal_pseudo", "temperature", "heat_flow", dim(0, 0, 0, 0, 1), dim(2, 1, -3), false, false},
    Domain{"chemical", "chemical_potential", "molar_flow", dim(2, 1, -2, 0, 0, -1), dim(0, 0, -1, 0, 0, 1), true,
           false},
};

}  // namespace

std::span<const Domain> domains() { return kDomains; }

std::optional<DomainIndex> find_domain(std::string_view name) {
    for (std::size_t i = 0; i < kDomains.size(); ++i) {
        if (kDomains[i].name == name) return static_cast<DomainIndex>(i);
    }
    return std::nullopt;
}

std::optional<Dimension> DimensionRule::in(DomainIndex first, DomainIndex second) const {
    if ((e != 0 || f != 0) && first == kGeneric) return std::nullopt;
    if (uses_second_port() && second == kGeneric) return std::nullopt;
    Dimension result = power(dim(0, 0, 1), s);
    result = result * power(kDomains[first].effort_dimension, e) * power(kDomains[first].flow_dimension, f);
    return result * power(kDomains[second].effort_dimension, e2) * power(kDomains[second].flow_dimension, f2);
}

}  // namespace bondgraph::model
