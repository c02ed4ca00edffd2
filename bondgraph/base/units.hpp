#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bondgraph {

/// Exponents of the SI base units. Angles count as numbers: radian, degree and turn are dimensionless.
struct Dimension {
    std::int8_t metre = 0;
    std::int8_t kilogram = 0;
    std::int8_t second = 0;
    std::int8_t ampere = 0;
    std::int8_t kelvin = 0;
    std::int8_t mole = 0;
    std::int8_t candela = 0;

    friend constexpr auto operator<=>(const Dimension&, const Dimension&) = default;
    friend Dimension operator*(Dimension a, Dimension b);
    friend Dimension operator/(Dimension a, Dimension b);
};

/// base raised to an integer power
Dimension power(Dimension base, int exponent);
/// base raised to numerator/denominator; nothing when an exponent would not be whole
std::optional<Dimension> power(Dimension base, int numerator, int denominator);

/// A readable SI unit of that dimension: the derived unit where there is a usual one ("V", "N.m", "ohm", "Pa.s/m3"),
/// the product of base units otherwise, "1" for a number.
std::string unit_name(Dimension dimension);

/// What a unit counts, where it tells: periods in Hz, angles in rad/s, rev/s, rpm. Both have the same dimension, and 1
/// Hz is 2 pi rad/s. Units made of them (V/Hz, V.s/rad) differ as much.
enum class Turns : std::uint8_t { unsaid, periods, angle };

/// A unit as written by the user, reduced to SI: si = value * scale + offset.
struct Unit {
    double scale = 1.0;
    double offset = 0.0;
    Dimension dimension;
    Turns turns = Turns::unsaid;
};

/// UDUNITS-2's database, read on first use. Parsed units are cached, so a unit written 100 000 times costs one parse.
/// May be used by several threads, which wait for each other.
class UnitSystem {
   public:
    UnitSystem();
    ~UnitSystem();
    UnitSystem(UnitSystem&&) noexcept;
    UnitSystem& operator=(UnitSystem&&) noexcept;

    /// The unit of that text ("kg.m2", "N.m.s/rad", "l/min", "degC", "µF"), or nothing when it isn't one.
    [[nodiscard]] std::optional<Unit> parse(std::string_view text) const;
    /// A unit the text was probably meant to be ("kOhms" → "kohm"), or empty.
    [[nodiscard]] std::string suggest(std::string_view text) const;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bondgraph
