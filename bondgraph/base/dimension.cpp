#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bondgraph/base/units.hpp"

namespace bondgraph {

namespace {

struct BaseSymbol {
    std::string_view symbol;
    Exponent Dimension::*exponent;
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

/// The factors with positive (sign = 1) or negative exponents (sign = -1), joined by dots.
std::string factors_text(Dimension dimension, int sign, int& factors) {
    std::string text;
    factors = 0;
    for (const BaseSymbol& base : kBase) {
        const Exponent exponent = sign > 0 ? dimension.*base.exponent : -(dimension.*base.exponent);
        if (exponent <= 0) continue;
        if (factors++ > 0) text += '.';
        text.append(base.symbol).append(exponent_text(exponent));
    }
    return text;
}

std::string quotient_text(std::string_view above, std::string_view below, int factors_below) {
    std::string text(above);
    if (factors_below > 1) return text.append("/(").append(below).append(")");
    return factors_below == 1 ? text.append("/").append(below) : text;
}

/// A familiar unit times or over a power of one base unit; empty where there is none.
std::string familiar_product(Dimension dimension) {
    constexpr int kLargest = 6;
    for (int size = 1; size <= kLargest; ++size) {
        for (const DerivedUnit& unit : kFamiliar) {
            for (const BaseSymbol& base : kBase) {
                Dimension factor;
                factor.*base.exponent = size;
                const std::string written = std::string(base.symbol) + exponent_text(size);
                if (unit.dimension * factor == dimension) return std::string(unit.name) + "." + written;
                if (unit.dimension / factor == dimension) return std::string(unit.name) + "/" + written;
            }
        }
    }
    return "";
}

bool is_whole(Dimension dimension) {
    return std::all_of(std::begin(kBase), std::end(kBase),
                       [&](const BaseSymbol& base) { return (dimension.*base.exponent).is_whole(); });
}

/// How much there is of base units, in twelfths.
int size_of(Dimension dimension) {
    int sum = 0;
    for (const BaseSymbol& base : kBase) sum += std::abs((dimension.*base.exponent).twelfths);
    return sum;
}

/// A unit's name times another, or over it: "m3/s" over "Pa^0.5" is "m3/(s.Pa^0.5)".
std::string joined(const std::string& name, const std::string& factor, bool over) {
    const std::size_t slash = name.find('/');
    std::string above = name.substr(0, slash);
    std::string below = slash == std::string::npos ? "" : name.substr(slash + 1);
    if (below.starts_with('(')) below = below.substr(1, below.size() - 2);
    const bool many = below.find('.') != std::string::npos;
    if (!over) {
        above = above == "1" ? factor : above + "." + factor;
        return quotient_text(above, below, below.empty() ? 0 : (many ? 2 : 1));
    }
    return quotient_text(above, below.empty() ? factor : below + "." + factor, below.empty() ? 1 : 2);
}

/// How many units a name without roots is made of.
int count_of_units(std::string_view name) {
    if (name == "1") return 0;
    const auto joints = std::count_if(name.begin(), name.end(), [](char c) { return c == '.' || c == '/'; });
    return static_cast<int>(joints) + (name.starts_with("1/") ? 0 : 1);
}

/// A name for a dimension with broken exponents, and how well it reads: the less the better of the number of units, the
/// exponent of the root, whether that is one of a derived unit, and the length and the exponents of what stands beside.
struct RootName {
    std::string text;
    std::tuple<int, int, bool, std::size_t, int> size;
};

/// Keeps the better one of `best` and the root of that unit beside a unit without roots, where that is the dimension.
/// Roots of more than the unit itself ("Pa^1.5") stand `alone` or not at all: "W/Pa^1.5" tells less than
/// "m3/(s.Pa^0.5)".
void consider_root(Dimension dimension, const DerivedUnit& unit, Exponent exponent, bool alone,
                   std::optional<RootName>& best) {
    const auto root = power(unit.dimension, exponent);
    if (!root || exponent.is_whole()) return;
    for (const bool over : {false, true}) {
        const Dimension rest = over ? dimension * *root : dimension / *root;
        if (!is_whole(rest) || (alone && rest != Dimension{})) continue;
        const std::string name = unit_name(rest);
        const std::tuple size{count_of_units(name), int{exponent.twelfths}, size_of(unit.dimension) > Exponent::kParts,
                              name.size(), size_of(rest)};
        if (best && size >= best->size) continue;
        best = RootName{joined(name, std::string(unit.name) + exponent_text(exponent), over), size};
    }
}

/// A dimension with broken exponents as a root of one unit beside a unit without: "V.s^0.5", "m3/(s.Pa^0.5)". Empty
/// where one root is not enough.
std::string root_product(Dimension dimension) {
    std::vector<DerivedUnit> roots;
    std::optional<RootName> best;
    for (const BaseSymbol& base : kBase) {
        DerivedUnit& unit = roots.emplace_back(DerivedUnit{{}, base.symbol});
        unit.dimension.*base.exponent = 1;
        const Exponent own = dimension.*base.exponent;
        consider_root(dimension, unit, own < 0 ? -own : own, false, best);
    }
    roots.insert(roots.end(), std::begin(kFamiliar), std::end(kFamiliar));
    for (const DerivedUnit& unit : roots) {
        for (int twelfths = 1; twelfths < 2 * Exponent::kParts; ++twelfths) {
            const bool alone = twelfths > Exponent::kParts;
            consider_root(dimension, unit, *Exponent::of(twelfths, Exponent::kParts), alone, best);
        }
    }
    return best ? best->text : "";
}

/// Exponents beyond the largest stay there.
Exponent times(Exponent exponent, int factor) {
    const auto exact = product(exponent, factor);
    if (exact) return *exact;
    return (exponent < 0) == (factor < 0) ? Exponent::kLargest : -Exponent::kLargest;
}

}  // namespace

std::optional<Exponent> Exponent::of(long long numerator, long long denominator) {
    constexpr long long kMost = 1'000'000'000'000'000;  // beyond them twelfths would overflow
    if (denominator == 0 || std::abs(numerator) > kMost) return std::nullopt;
    const long long count = numerator * kParts;
    if (count % denominator != 0 || std::abs(count / denominator) > kLargest * kParts) return std::nullopt;
    return in_parts(count / denominator);
}

std::optional<Exponent> Exponent::of(double number) {
    constexpr double kRounding = 1e-13;  // of quotients such as 7/6, a few hundred units in the last place
    const double count = number * kParts;
    const double whole = std::round(count);
    if (!(std::abs(count - whole) <= kRounding * std::abs(count)) || std::abs(whole) > kLargest * kParts)
        return std::nullopt;
    return in_parts(static_cast<long long>(whole));
}

std::optional<Exponent> product(Exponent a, Exponent b) {
    return Exponent::of(static_cast<long long>(a.twelfths) * b.twelfths,
                        static_cast<long long>(Exponent::kParts) * Exponent::kParts);
}

std::string exponent_text(Exponent exponent) {
    if (exponent == 1) return "";
    constexpr int kQuarter = Exponent::kParts / 4;
    const int count = exponent.twelfths;
    if (exponent.is_whole()) return std::to_string(count / Exponent::kParts);
    if (count % kQuarter != 0) {
        const int common = std::gcd(count, Exponent::kParts);
        return "^(" + std::to_string(count / common) + "/" + std::to_string(Exponent::kParts / common) + ")";
    }
    const int quarters = std::abs(count / kQuarter);
    constexpr std::string_view kDecimals[] = {"", ".25", ".5", ".75"};
    return std::string(count < 0 ? "^-" : "^").append(std::to_string(quarters / 4)).append(kDecimals[quarters % 4]);
}

double raised(double base, Exponent exponent) {
    const int count = exponent.twelfths;
    for (const int parts : {12, 6, 4, 3}) {
        if (count % parts != 0) continue;
        const double power = std::pow(base, count / parts);
        switch (parts) {
            case 12:
                return power;
            case 6:
                return std::sqrt(power);
            case 4:
                return std::cbrt(power);
            default:
                return std::sqrt(std::sqrt(power));
        }
    }
    return std::pow(base, static_cast<double>(count) / Exponent::kParts);
}

Dimension operator*(Dimension a, Dimension b) {
    for (const BaseSymbol& base : kBase) a.*base.exponent = a.*base.exponent + b.*base.exponent;
    return a;
}

Dimension operator/(Dimension a, Dimension b) {
    for (const BaseSymbol& base : kBase) a.*base.exponent = a.*base.exponent - b.*base.exponent;
    return a;
}

Dimension power(Dimension base, int exponent) {
    const int bounded = std::clamp(exponent, -Exponent::kLargest, Exponent::kLargest);
    for (const BaseSymbol& factor : kBase) base.*factor.exponent = times(base.*factor.exponent, bounded);
    return base;
}

std::optional<Dimension> power(Dimension base, Exponent exponent) {
    for (const BaseSymbol& factor : kBase) {
        const auto raised = product(base.*factor.exponent, exponent);
        if (!raised) return std::nullopt;
        base.*factor.exponent = *raised;
    }
    return base;
}

std::string unit_name(Dimension dimension) {
    for (const DerivedUnit& derived : kDerived)
        if (derived.dimension == dimension) return std::string(derived.name);
    if (!is_whole(dimension)) {
        if (std::string name = root_product(dimension); !name.empty()) return name;
    }
    int above = 0;
    int below = 0;
    const std::string numerator = factors_text(dimension, 1, above);
    const std::string denominator = factors_text(dimension, -1, below);
    // Of few base units their product reads as well: kg.m2, m/s2.
    constexpr int kFew = 3;
    if (above + below > kFew) {
        if (std::string name = familiar_product(dimension); !name.empty()) return name;
    }
    return quotient_text(above > 0 ? numerator : "1", denominator, below);
}

}  // namespace bondgraph
