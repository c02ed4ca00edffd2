#include "bondgraph/base/units.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bondgraph {
namespace {

struct Case {
    const char* text;
    double scale;
    const char* same_as;  ///< a product of SI base units
};

class ReadsUnit : public testing::TestWithParam<Case> {};

TEST_P(ReadsUnit, AsAMultipleOfItsBaseUnits) {
    const UnitSystem units;
    const auto unit = units.parse(GetParam().text);
    const auto base = units.parse(GetParam().same_as);
    ASSERT_TRUE(unit) << GetParam().text;
    ASSERT_TRUE(base) << GetParam().same_as;
    EXPECT_EQ(base->scale, 1.0);
    EXPECT_EQ(unit->dimension, base->dimension) << GetParam().text;
    EXPECT_DOUBLE_EQ(unit->scale, GetParam().scale) << GetParam().text;
    EXPECT_EQ(unit->offset, 0.0);
}

constexpr double kPi = std::numbers::pi;
const Case kCases[] = {
    {"V", 1, "kg.m2/(s3.A)"},
    {"mV", 1e-3, "kg.m2.s-3.A-1"},
    {"kohm", 1e3, "kg.m2/(s3.A2)"},
    {"Ohm", 1, "kg.m2/(s3.A2)"},
    {"Mohm", 1e6, "kg.m2/(s3.A2)"},
    {"Ω", 1, "kg.m2/(s3.A2)"},
    {"\u2126", 1, "kg.m2/(s3.A2)"},
    {"MΩ", 1e6, "kg.m2/(s3.A2)"},
    {"µF", 1e-6, "A2.s4/(kg.m2)"},
    {"\u03BCF", 1e-6, "A2.s4/(kg.m2)"},
    {"uF", 1e-6, "A2.s4/(kg.m2)"},
    {"pF", 1e-12, "A2.s4/(kg.m2)"},
    {"mH", 1e-3, "kg.m2/(s2.A2)"},
    {"S", 1, "A2.s3/(kg.m2)"},
    {"C", 1, "A.s"},
    {"Wb", 1, "kg.m2/(s2.A)"},
    {"T", 1, "kg/(s2.A)"},
    {"N", 1, "kg.m/s2"},
    {"kN", 1e3, "kg.m/s2"},
    {"N.m", 1, "kg.m2/s2"},
    {"N·m", 1, "kg.m2/s2"},
    {"N⋅m", 1, "kg.m2/s2"},
    {"N m", 1, "kg.m2/s2"},
    {"N*m", 1, "kg.m2/s2"},
    {"kg.m2", 1, "kg.m2"},
    {"kg m²", 1, "kg.m2"},
    {"kg*m^2", 1, "kg.m2"},
    {"m·s⁻²", 1, "m/s2"},
    {"N.m.s/rad", 1, "kg.m2/s"},
    {"N.m/A", 1, "kg.m2/(s2.A)"},
    {"V.s/rad", 1, "kg.m2/(s2.A)"},
    {"rad", 1, "1"},
    {"deg", kPi / 180, "1"},
    {"°", kPi / 180, "1"},
    {"rev", 2 * kPi, "1"},
    {"%", 0.01, "1"},
    {"1", 1, "1"},
    {"rpm", 2 * kPi / 60, "1/s"},
    {"rev/min", 2 * kPi / 60, "1/s"},
    {"krpm", 2000 * kPi / 60, "1/s"},
    {"rad/s", 1, "1/s"},
    {"deg/s", kPi / 180, "1/s"},
    {"Hz", 1, "1/s"},
    {"1/s", 1, "1/s"},
    {"ms", 1e-3, "s"},
    {"min", 60, "s"},
    {"h", 3600, "s"},
    {"mm", 1e-3, "m"},
    {"cm2", 1e-4, "m2"},
    {"m3/s", 1, "m3/s"},
    {"l/min", 1e-3 / 60, "m3/s"},
    {"L", 1e-3, "m3"},
    {"km/h", 1 / 3.6, "m/s"},
    {"kph", 1 / 3.6, "m/s"},
    {"mph", 0.44704, "m/s"},
    {"bar", 1e5, "kg/(m.s2)"},
    {"mbar", 100, "kg/(m.s2)"},
    {"Pa.s/m3", 1, "kg/(m4.s)"},
    {"kg/m3", 1, "kg/m3"},
    {"g", 1e-3, "kg"},
    {"W/K", 1, "kg.m2/(s3.K)"},
    {"W/degC", 1, "kg.m2/(s3.K)"},
    {"J/(kg.K)", 1, "m2/(s2.K)"},
    {"J/mol", 1, "kg.m2/(s2.mol)"},
    {"mol/s", 1, "mol/s"},
    {" kg ", 1, "kg"},
};
INSTANTIATE_TEST_SUITE_P(Units, ReadsUnit, testing::ValuesIn(kCases));

// Common units are known without the database; their names in full only to the database. Both mean the same to the last
// digit.
TEST(Units, OfMostModelsAreThoseOfTheDatabase) {
    constexpr std::pair<const char*, const char*> kNames[] = {{"m", "meter"},
                                                              {"kg", "kilogram"},
                                                              {"s", "second"},
                                                              {"A", "ampere"},
                                                              {"K", "kelvin"},
                                                              {"mol", "mole"},
                                                              {"cd", "candela"},
                                                              {"rad", "radian"},
                                                              {"g", "gram"},
                                                              {"N", "newton"},
                                                              {"J", "joule"},
                                                              {"W", "watt"},
                                                              {"C", "coulomb"},
                                                              {"V", "volt"},
                                                              {"F", "farad"},
                                                              {"ohm", "volt/ampere"},
                                                              {"S", "siemens"},
                                                              {"Wb", "weber"},
                                                              {"T", "tesla"},
                                                              {"H", "henry"},
                                                              {"Pa", "pascal"},
                                                              {"Hz", "hertzes"},
                                                              {"min", "minute"},
                                                              {"h", "hour"},
                                                              {"pi", "π"},
                                                              {"deg", "degree"},
                                                              {"rev", "turn"},
                                                              {"rpm", "turn/minute"},
                                                              {"bar", "bars"},
                                                              {"mm", "millimeter"},
                                                              {"cm", "centimeter"},
                                                              {"ms", "millisecond"},
                                                              {"us", "microsecond"},
                                                              {"kN", "kilonewton"},
                                                              {"kJ", "kilojoule"},
                                                              {"kW", "kilowatt"},
                                                              {"mV", "millivolt"},
                                                              {"mA", "milliampere"},
                                                              {"mH", "millihenry"},
                                                              {"uH", "microhenry"},
                                                              {"uF", "microfarad"},
                                                              {"kohm", "kiloohm"},
                                                              {"kg.m2/s", "kilogram.meter2/second"},
                                                              {"N.m/rad", "newton.meter/radian"},
                                                              {"m/s^2", "meter/second^2"},
                                                              {"1/ms", "1/millisecond"},
                                                              {"(N.s)/(kg m)", "(newton.second)/(kilogram meter)"}};
    const UnitSystem units;
    for (const auto& [symbol, name] : kNames) {
        const auto common = units.parse(symbol);
        const auto full = units.parse(name);
        ASSERT_TRUE(common) << symbol;
        ASSERT_TRUE(full) << name;
        EXPECT_EQ(common->scale, full->scale) << symbol;
        EXPECT_EQ(common->offset, full->offset) << symbol;
        EXPECT_EQ(common->dimension, full->dimension) << symbol;
        EXPECT_EQ(common->turns, full->turns) << symbol;
    }
}

TEST(Units, TemperatureScalesHaveAnOffset) {
    const UnitSystem units;
    const auto celsius = units.parse("degC");
    const auto fahrenheit = units.parse("degF");
    ASSERT_TRUE(celsius && fahrenheit);
    EXPECT_DOUBLE_EQ(20 * celsius->scale + celsius->offset, 293.15);
    EXPECT_DOUBLE_EQ(32 * fahrenheit->scale + fahrenheit->offset, 273.15);
    EXPECT_DOUBLE_EQ(212 * fahrenheit->scale + fahrenheit->offset, 373.15);
    EXPECT_EQ(celsius->dimension, units.parse("K")->dimension);
}

class IsNoUnit : public testing::TestWithParam<std::string> {};

TEST_P(IsNoUnit, AndIsRefused) { EXPECT_FALSE(UnitSystem().parse(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Units, IsNoUnit,
                         testing::Values("", "  ", "Nm", "foo", "V A)", "V) foo", "(V", "m/", "dB", "lg(re 1 mW)", "0",
                                         "5", "nan", std::string("m\0x", 3), "\xFF", "m\xC3", std::string(1000, 'm'),
                                         std::string(100000, '('), "seconds since 2000-01-01", "K @ 273.15"));
// numbers that UDUNITS would take for factors, where people mean another thing
INSTANTIATE_TEST_SUITE_P(NumbersInUnits, IsNoUnit,
                         testing::Values("500 ohm", "000 ohm", "m0.5", "m^1/2", "m 5", "-1 m", "m2/3", "m^200",
                                         "m^2.5.3", "m^0.5/2", "m⁰·⁵", "sqrt(2)"));

TEST(Units, TwoSystemsMayLiveAtOnce) {
    UnitSystem first;
    const UnitSystem second;
    EXPECT_TRUE(first.parse("kN"));
    EXPECT_TRUE(second.parse("kN"));
    const UnitSystem moved = std::move(first);
    EXPECT_TRUE(moved.parse("kohm"));
}

TEST(Units, AnAnswerDoesNotChangeWhenAskedAgain) {
    const UnitSystem units;
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(units.parse("rpm")->scale, 2 * kPi / 60);
        EXPECT_FALSE(units.parse("no such unit"));
    }
}

class Suggests : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Suggests, TheUsualUnit) {
    const UnitSystem units;
    const auto& [text, expected] = GetParam();
    EXPECT_EQ(units.suggest(text), expected);
    if (*expected != '\0') {
        EXPECT_TRUE(units.parse(expected));
    }
}

INSTANTIATE_TEST_SUITE_P(Units, Suggests,
                         testing::Values(std::pair{"volts", "V"}, std::pair{"kOhms", "kohm"}, std::pair{"Nm", "N.m"},
                                         std::pair{"cc", "cm3"}, std::pair{"lpm", "l/min"}, std::pair{"Nm/A", "N.m/A"},
                                         std::pair{"rad/Nm", "rad/(N.m)"}, std::pair{"Nms/rad", "N.m.s/rad"},
                                         std::pair{"kpa", "kPa"}, std::pair{"Kg.m2", "kg.m2"}, std::pair{"KHz", "kHz"},
                                         std::pair{"mAh", "mA.h"}, std::pair{"kWh", "kW.h"}, std::pair{"Vs", "V.s"},
                                         std::pair{"rads/s", "rad/s"}, std::pair{"kgm²", "kg.m2"},
                                         std::pair{"Mpa", "MPa"}, std::pair{"PSI", "psi"}, std::pair{"MWh", "MW.h"},
                                         std::pair{"v", "V"}, std::pair{"ohhm", "ohm"}, std::pair{"G", "gauss"},
                                         std::pair{"mG", "milligauss"}, std::pair{"uG", "microgauss"}));
INSTANTIATE_TEST_SUITE_P(Nothing, Suggests,
                         testing::Values(std::pair{"", ""}, std::pair{"kN", ""}, std::pair{"nm", ""},
                                         std::pair{"furlongish", ""}, std::pair{"500 ohm", ""}, std::pair{"xy", ""}));

TEST(UnitNames, AreThoseOfBondGraphs) {
    const UnitSystem units;
    for (const char* name :
         {"V",     "A",   "ohm",     "S",     "F",        "H",     "C",         "Wb",     "N",      "m",
          "m/s",   "N.s", "N/m",     "N.s/m", "m/N",      "kg",    "J",         "N.m.s",  "W",      "Pa",
          "m3/s",  "m3",  "Pa.s/m3", "m3/Pa", "Pa.s",     "kg/m4", "K",         "W/K",    "J/K",    "K/W",
          "mol/s", "s",   "1/s",     "J/mol", "kg.m2",    "m/s2",  "1/(N.m)",   "kg/m3",  "m2",     "mol",
          "cd",    "1",   "kg/m",    "A/m",   "kg.m2/s4", "V/K",   "1/(m2.K4)", "m3/mol", "A.s/m2", "1/m"}) {
        const auto unit = units.parse(name);
        ASSERT_TRUE(unit) << name;
        if (std::string_view(name) == "kg.m2/s4")
            EXPECT_EQ(unit_name(unit->dimension), "W/s");
        else
            EXPECT_EQ(unit_name(unit->dimension), name);
    }
}

TEST(UnitNames, OfEveryDimensionMeanThatDimensionInSI) {
    const UnitSystem units;
    for (std::int8_t m = -4; m <= 4; ++m)
        for (std::int8_t kg = -1; kg <= 1; ++kg)
            for (std::int8_t s = -4; s <= 4; ++s)
                for (std::int8_t a = -2; a <= 2; ++a)
                    for (std::int8_t k = -1; k <= 1; ++k)
                        for (std::int8_t mol = -1; mol <= 1; ++mol) {
                            const Dimension dimension{m, kg, s, a, k, mol, 0};
                            const auto unit = units.parse(unit_name(dimension));
                            ASSERT_TRUE(unit) << unit_name(dimension);
                            EXPECT_EQ(unit->dimension, dimension) << unit_name(dimension);
                            EXPECT_EQ(unit->scale, 1.0) << unit_name(dimension);
                            EXPECT_EQ(unit->offset, 0.0) << unit_name(dimension);
                        }
}

TEST(Dimensions, MultiplyAndDivideByAddingExponents) {
    const UnitSystem units;
    const auto of = [&](const char* text) { return units.parse(text)->dimension; };
    EXPECT_EQ(of("V") * of("A"), of("W"));
    EXPECT_EQ(of("V") / of("A"), of("ohm"));
    EXPECT_EQ(power(of("m"), 3), of("m3"));
    EXPECT_EQ(power(of("m"), -1), of("1/m"));
}

TEST(Dimensions, OfManyBaseUnitsAreNamedByAFamiliarUnit) {
    const UnitSystem units;
    for (const char* name : {"J/K2", "ohm/K", "W/K4", "m/s2", "kg.m2", "m2/s", "mol/m3"})
        EXPECT_EQ(unit_name(units.parse(name)->dimension), name);
}

TEST(Dimensions, HaveRootsWhoseExponentsAreWholeTwelfths) {
    const UnitSystem units;
    const auto of = [&](const char* text) { return units.parse(text)->dimension; };
    const auto exponent = [](int numerator, int denominator) { return *Exponent::of(numerator, denominator); };
    EXPECT_EQ(power(of("m2/s4"), exponent(1, 2)), of("m/s2"));
    EXPECT_EQ(power(of("m2"), exponent(3, 2)), of("m3"));
    EXPECT_EQ(power(of("m"), exponent(1, 2)), (Dimension{.metre = exponent(1, 2)}));
    EXPECT_EQ(power(of("m5"), exponent(1, 12)), (Dimension{.metre = exponent(5, 12)}));
    EXPECT_EQ(power(*power(of("m"), exponent(1, 6)), exponent(1, 4)), std::nullopt);
    EXPECT_EQ(power(of("m"), exponent(127, 1)), (Dimension{.metre = 127}));
    EXPECT_EQ(power(of("m2"), exponent(127, 1)), std::nullopt);
    EXPECT_EQ(power(of("1"), exponent(1, 3)), Dimension{});
}

// UDUNITS itself has one parser for a whole process.
TEST(Units, AreReadByManyThreadsAtOnce) {
    const std::vector<std::pair<std::string, double>> prefixes{{"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"n", 1e-9}};
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (const auto& prefix : prefixes) {
        threads.emplace_back([&wrong, &prefix] {
            for (int n = 0; n < 40; ++n) {
                const UnitSystem units;
                const auto unit = units.parse(prefix.first + "V.s/(A.m2)");
                const bool right = unit && std::abs(unit->scale - prefix.second) <= 1e-12 * prefix.second;
                if (!right || unit->dimension.metre != 0 || unit->dimension.kilogram != 1) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Dimensions, SaturateInsteadOfWrappingAround) {
    const Dimension large = power(Dimension{.metre = 100}, 2);
    EXPECT_EQ(large.metre, 127);
    EXPECT_EQ((large * large).metre, 127);
    EXPECT_EQ((Dimension{} / large / large).metre, -127);
    EXPECT_EQ(power(Dimension{.metre = *Exponent::of(-1, 2)}, 1000).metre, *Exponent::of(-127, 2));
}

}  // namespace
}  // namespace bondgraph
