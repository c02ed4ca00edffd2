#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bondgraph {

/// The exponent of a unit: a whole number, or one of halves, thirds, quarters, sixths and twelfths, all of them exact.
/// Sums and differences beyond +-127 stay there: exponents this large mean nothing, and must only not wrap around into
/// something that does.
struct Exponent {
    static constexpr int kParts = 12;
    static constexpr int kLargest = 127;

    std::int16_t twelfths = 0;

    constexpr Exponent() = default;
    // Not explicit: most exponents are whole numbers, and written as such.
    constexpr Exponent(int whole) : Exponent(in_parts(static_cast<long long>(whole) * kParts)) {}

    /// numerator/denominator, or nothing where that is no whole number of twelfths or too large.
    static std::optional<Exponent> of(long long numerator, long long denominator);
    /// That number, up to rounding, or nothing.
    static std::optional<Exponent> of(double number);

    [[nodiscard]] constexpr bool is_whole() const { return twelfths % kParts == 0; }

    friend constexpr auto operator<=>(const Exponent&, const Exponent&) = default;
    friend constexpr Exponent operator-(Exponent a) { return in_parts(-static_cast<long long>(a.twelfths)); }
    friend constexpr Exponent operator+(Exponent a, Exponent b) {
        return in_parts(static_cast<long long>(a.twelfths) + b.twelfths);
    }
    friend constexpr Exponent operator-(Exponent a, Exponent b) { return a + -b; }

   private:
    static constexpr Exponent in_parts(long long count) {
        constexpr long long kMost = static_cast<long long>(kLargest) * kParts;
        Exponent result;
        result.twelfths = static_cast<std::int16_t>(count > kMost ? kMost : (count < -kMost ? -kMost : count));
        return result;
    }
};

/// a*b, or nothing where that is no whole number of twelfths or too large.
std::optional<Exponent> product(Exponent a, Exponent b);
/// "^0.5", "^(1/3)", "^-1.5", "2", "-1" and nothing for 1: as it is written behind a unit.
std::string exponent_text(Exponent exponent);
/// base^exponent for a positive base; roots of exact squares and cubes are exact.
double raised(double base, Exponent exponent);

/// Exponents of the SI base units. Angles count as numbers: radian, degree and turn are dimensionless.
struct Dimension {
    Exponent metre;
    Exponent kilogram;
    Exponent second;
    Exponent ampere;
    Exponent kelvin;
    Exponent mole;
    Exponent candela;

    friend constexpr auto operator<=>(const Dimension&, const Dimension&) = default;
    friend Dimension operator*(Dimension a, Dimension b);
    friend Dimension operator/(Dimension a, Dimension b);
};

/// base raised to an integer power
Dimension power(Dimension base, int exponent);
/// base raised to any power; nothing when an exponent would be no whole number of twelfths
std::optional<Dimension> power(Dimension base, Exponent exponent);

/// A readable SI unit of that dimension: the derived unit where there is a usual one ("V", "N.m", "ohm", "Pa.s/m3"),
/// that with the root of another ("m3/(s.Pa^0.5)"), the product of base units otherwise, "1" for a number.
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

    /// The unit of that text ("kg.m2", "N.m.s/rad", "l/min", "degC", "µF", "nV/Hz^0.5", "m3/(s*sqrt(Pa))"), or nothing
    /// when it isn't one.
    [[nodiscard]] std::optional<Unit> parse(std::string_view text) const;
    /// A unit the text was probably meant to be ("kOhms" → "kohm"), or empty.
    [[nodiscard]] std::string suggest(std::string_view text) const;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace bondgraph
