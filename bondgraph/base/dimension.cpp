#include <algorithm>
#include <string>

#include "bondgraph/base/units.hpp"

namespace bondgraph {

namespace {

struct BaseSymbol {
    std::string_view symbol;
    std::int8_t Dimension::*exponent;
};

/// In the order in which a product is written: kg.m2/(A.s3), kg.m/(s2.K).
constexpr BaseSymbol kBase[] = {{"kg", &Dimension::kilogram}, {"m", &Dimension::metre},  {"mol", &Dimension::mole},
                                {"A", &Dimension::ampere},    {"s", &Dimension::second}, {"K", &Dimension::kelvin},
                                {"cd", &Dimension::candela}};

struct DerivedUnit {
    Dimension dimension;  // m, kg, s, A, K, mol, cd
    std::string_view name;
};

/// Where several units share a dimension, the one most often meant in a bond graph: J also stands for N.m, N.s/m for
/// kg/s, Wb for N.m/A.
constexpr DerivedUnit kDerived[] = {
    {{2, 1, -3, -1}, "V"},
    {{2, 1, -3, -2}, "ohm"},
    {{-2, -1, 3, 2}, "S"},
    {{-2, -1, 4, 2}, "F"},
    {{2, 1, -4, -2}, "1/F"},
    {{2, 1, -2, -2}, "H"},
    {{-2, -1, 2, 2}, "1/H"},
    {{0, 0, 1, 1}, "C"},
    {{2, 1, -2, -1}, "Wb"},
    {{-2, -1, 2, 1}, "1/Wb"},
    {{0, 1, -2, -1}, "T"},
    {{1, 1, -3, -1}, "V/m"},
    {{2, 1, -4, -1}, "V/s"},
    {{-2, -1, 3, 1}, "1/V"},
    {{1, 1, -2, -1}, "N/A"},
    {{3, 1, -3, -2}, "ohm.m"},
    {{-3, -1, 4, 2}, "F/m"},
    {{1, 1, -2, -2}, "H/m"},
    {{1, 1, -2}, "N"},
    {{-1, -1, 2}, "1/N"},
    {{1, 1, -3}, "N/s"},
    {{1, 1, -1}, "N.s"},
    {{0, 1, -2}, "N/m"},
    {{0, 1, -1}, "N.s/m"},
    {{0, -1, 2}, "m/N"},
    {{0, -1, 1}, "m/(N.s)"},
    {{3, 1, -2}, "N.m2"},
    {{2, 1, -2}, "J"},
    {{-2, -1, 2}, "1/(N.m)"},
    {{2, 1, -1}, "N.m.s"},
    {{-2, -1, 1}, "1/(N.m.s)"},
    {{2, 1, -3}, "W"},
    {{2, 1, -4}, "W/s"},
    {{-1, 1, -2}, "Pa"},
    {{1, -1, 2}, "1/Pa"},
    {{-1, 1, -3}, "Pa/s"},
    {{-1, 1, -1}, "Pa.s"},
    {{-4, 1, -1}, "Pa.s/m3"},
    {{4, -1, 1}, "m3/(Pa.s)"},
    {{-4, 1, -2}, "Pa/m3"},
    {{4, -1, 2}, "m3/Pa"},
    {{2, 1, -3, 0, -1}, "W/K"},
    {{-2, -1, 3, 0, 1}, "K/W"},
    {{1, 1, -3, 0, -1}, "W/(m.K)"},
    {{0, 1, -3, 0, -1}, "W/(m2.K)"},
    {{2, 1, -2, 0, -1}, "J/K"},
    {{-2, -1, 2, 0, 1}, "K/J"},
    {{-2, -1, 3, 0, 2}, "K2/W"},
    {{2, 0, -2, 0, -1}, "J/(kg.K)"},
    {{2, 1, -3, -1, -1}, "V/K"},
    {{2, 1, -2, 0, 0, -1}, "J/mol"},
    {{2, 1, -2, 0, -1, -1}, "J/(mol.K)"},
    {{-2, -1, 2, 0, 0, 2}, "mol2/J"},
    {{2, 1, -1, 0, 0, -2}, "J.s/mol2"},
};

/// Units that most people know, from which names of other dimensions are made: J/K2.
constexpr DerivedUnit kFamiliar[] = {
    {{2, 1, -2}, "J"},   {{2, 1, -3}, "W"},      {{2, 1, -3, -1}, "V"}, {{2, 1, -3, -2}, "ohm"}, {{1, 1, -2}, "N"},
    {{-1, 1, -2}, "Pa"}, {{2, 1, -2, -1}, "Wb"}, {{2, 1, -2, -2}, "H"}, {{-2, -1, 4, 2}, "F"},   {{-2, -1, 3, 2}, "S"}};

/// Exponents this large mean nothing; they must only not wrap around into something that does.
std::int8_t saturated(int exponent) { return static_cast<std::int8_t>(std::clamp(exponent, -127, 127)); }

/// The factors with positive (sign = 1) or negative exponents (sign = -1), joined by dots.
std::string product(Dimension dimension, int sign, int& factors) {
    std::string text;
    factors = 0;
    for (const BaseSymbol& base : kBase) {
        const int exponent = sign * (dimension.*base.exponent);
        if (exponent <= 0) continue;
        if (factors++ > 0) text += '.';
        text += base.symbol;
        if (exponent > 1) text += std::to_string(exponent);
    }
    return text;
}

/// A familiar unit times or over a power of one base unit; empty where there is none.
std::string familiar_product(Dimension dimension) {
    constexpr int kLargest = 6;
    for (int size = 1; size <= kLargest; ++size) {
        for (const DerivedUnit& unit : kFamiliar) {
            for (const BaseSymbol& base : kBase) {
                Dimension factor;
                factor.*base.exponent = 1;
                const std::string written = std::string(base.symbol) + (size > 1 ? std::to_string(size) : "");
                const Dimension raised = power(factor, size);
                if (unit.dimension * raised == dimension) return std::string(unit.name) + "." + written;
                if (unit.dimension / raised == dimension) return std::string(unit.name) + "/" + written;
            }
        }
    }
    return "";
}

}  // namespace

Dimension operator*(Dimension a, Dimension b) {
    for (const BaseSymbol& base : kBase) a.*base.exponent = saturated(a.*base.exponent + b.*base.exponent);
    return a;
}

Dimension operator/(Dimension a, Dimension b) {
    for (const BaseSymbol& base : kBase) a.*base.exponent = saturated(a.*base.exponent - b.*base.exponent);
    return a;
}

Dimension power(Dimension base, int exponent) {
    const int bounded = std::clamp(exponent, -127, 127);
    for (const BaseSymbol& factor : kBase) base.*factor.exponent = saturated(base.*factor.exponent * bounded);
    return base;
}

std::optional<Dimension> power(Dimension base, int numerator, int denominator) {
    if (denominator == 0) return std::nullopt;
    for (const BaseSymbol& factor : kBase) {
        const long long scaled = static_cast<long long>(base.*factor.exponent) * numerator;
        const long long exponent = scaled / denominator;
        if (scaled % denominator != 0 || exponent < -127 || exponent > 127) return std::nullopt;
        base.*factor.exponent = static_cast<std::int8_t>(exponent);
    }
    return base;
}

std::string unit_name(Dimension dimension) {
    for (const DerivedUnit& derived : kDerived)
        if (derived.dimension == dimension) return std::string(derived.name);
    int above = 0;
    int below = 0;
    const std::string numerator = product(dimension, 1, above);
    const std::string denominator = product(dimension, -1, below);
    // Of few base units their product reads as well: kg.m2, m/s2.
    constexpr int kFew = 3;
    if (above + below > kFew) {
        if (std::string name = familiar_product(dimension); !name.empty()) return name;
    }
    std::string text = above > 0 ? numerator : "1";
    if (below > 0) text += below > 1 ? "/(" + denominator + ")" : "/" + denominator;
    return text;
}

}  // namespace bondgraph
