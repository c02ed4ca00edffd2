#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bondgraph/base/units.hpp"

namespace bondgraph::model {

/// A physical domain: what effort and flow are called and measured in there. Effort times flow is power, except in
/// `thermal_pseudo`, whose product has no meaning.
struct Domain {
    std::string_view name;
    std::string_view effort;  ///< name of the effort in output ("voltage"); empty in `generic`
    std::string_view flow;
    Dimension effort_dimension;
    Dimension flow_dimension;
    bool power = true;    ///< false: a pseudo bond, left out of energy sums
    bool inertia = true;  ///< false: no I exists there
};

using DomainIndex = std::uint8_t;
inline constexpr DomainIndex kGeneric = 0;

/// All domains; index 0 is `generic`, whose dimensions are unknown.
std::span<const Domain> domains();
std::optional<DomainIndex> find_domain(std::string_view name);

/// A product of powers of the efforts and flows at two ports and of the second: the dimension a parameter must have.
struct DimensionRule {
    std::int8_t e = 0;
    std::int8_t f = 0;
    std::int8_t s = 0;
    std::int8_t e2 = 0;
    std::int8_t f2 = 0;
    bool checked = true;  ///< false: any dimension is accepted

    [[nodiscard]] bool uses_second_port() const { return e2 != 0 || f2 != 0; }
    /// The dimension in these domains, or nothing when one that matters is generic.
    [[nodiscard]] std::optional<Dimension> in(DomainIndex first, DomainIndex second = kGeneric) const;
};

}  // namespace bondgraph::model
