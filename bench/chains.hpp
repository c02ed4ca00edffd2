#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bondgraph::bench {

/// N equal links end to end, hung up at the origin and released along +x, gravity along −y. Links on pins (revolutes
/// about z) start at rest and move in a plane; links on balls (spherical joints) start with the whole chain turning
/// rigidly about +y.
struct Chain {
    enum class Joint : std::uint8_t { pin, ball };

    Joint joint = Joint::pin;
    std::size_t links = 1;
    double stop = 10.0;       ///< s
    double tolerance = 1e-6;  ///< relative

    static constexpr double kGravity = 9.81;       ///< m/s2
    static constexpr double kLength = 1.0;         ///< m
    static constexpr double kMass = 1.0;           ///< kg
    static constexpr double kAlong = 1e-3;         ///< kg.m2, about the link's axis
    static constexpr double kAcross = 1.0 / 12.0;  ///< kg.m2, about the centre of mass
    static constexpr double kTurning = 1.0;        ///< rad/s, of a chain on balls

    [[nodiscard]] std::string_view joint_name() const { return joint == Joint::pin ? "pin" : "ball"; }
};

using Position = std::array<double, 3>;

/// The times at which the end of a chain is compared, in s: before chaos sets in.
inline constexpr std::array<double, 5> kEarly{0.2, 0.4, 0.6, 0.8, 1.0};

/// The chain as a model file: the world, then a joint and a link each.
std::string to_yaml(const Chain& chain);

/// The acceleration of the first joint about z at the start, known for one and two links and for long chains.
std::optional<double> first_acceleration(const Chain& chain);
/// Where the end of the chain is at a time, for the chains and times that trusted figures are known for.
std::optional<Position> known_tip(const Chain& chain, double time);
double distance(const Position& a, const Position& b);

}  // namespace bondgraph::bench
