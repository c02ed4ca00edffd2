// Units with powers that are no whole numbers.

#include "bondgraph/base/unit_powers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "bondgraph/base/unit_text.hpp"
#include "bondgraph/base/units.hpp"

namespace bondgraph {
namespace {

Exponent fraction(int numerator, int denominator) { return *Exponent::of(numerator, denominator); }

TEST(Exponents, AreFractionsOfTwelve) {
    EXPECT_EQ(Exponent::of(6, 4), Exponent::of(3, 2));
    EXPECT_EQ(Exponent::of(-1, 3), Exponent::of(1, -3));
    EXPECT_EQ(Exponent::of(24, 12), Exponent(2));
    EXPECT_EQ(fraction(1, 12) + fraction(5, 12), fraction(1, 2));
    EXPECT_EQ(fraction(1, 2) - 2, fraction(-3, 2));
    EXPECT_LT(fraction(1, 3), fraction(1, 2));
    for (const auto& [numerator, denominator] : {std::pair{1, 5}, {1, 24}, {37, 100}, {1, 0}, {128, 1}, {-1537, 12}})
        EXPECT_FALSE(Exponent::of(numerator, denominator)) << numerator << "/" << denominator;
    EXPECT_EQ(product(fraction(2, 3), fraction(3, 4)), fraction(1, 2));
    EXPECT_EQ(product(fraction(1, 4), fraction(1, 4)), std::nullopt);
    EXPECT_EQ(product(100, -2), std::nullopt);
}

TEST(Exponents, OfNumbersAreThoseTheyAreUpToRounding) {
    for (int twelfths = -300; twelfths <= 300; ++twelfths) {
        const double number = twelfths / 12.0;
        EXPECT_EQ(Exponent::of(number), fraction(twelfths, 12)) << number;
    }
    EXPECT_EQ(Exponent::of(7.0 * (1.0 / 6.0)), fraction(7, 6));
    for (const double number : {0.54, 1.85, 0.333, 0.5 + 1e-9, 128.0, std::nan(""), HUGE_VAL})
        EXPECT_FALSE(Exponent::of(number)) << number;
}

TEST(Exponents, AreWrittenAsDecimalsWhereThatIsExact) {
    const std::pair<Exponent, const char*> cases[] = {
        {1, ""},
        {3, "3"},
        {-1, "-1"},
        {fraction(1, 2), "^0.5"},
        {fraction(-3, 2), "^-1.5"},
        {fraction(7, 4), "^1.75"},
        {fraction(1, 3), "^(1/3)"},
        {fraction(-5, 12), "^(-5/12)"},
    };
    for (const auto& [exponent, text] : cases) EXPECT_EQ(exponent_text(exponent), text);
}

TEST(Exponents, RaiseExactlyWhatHasAnExactRoot) {
    EXPECT_EQ(raised(1e4, fraction(1, 2)), 100.0);
    EXPECT_EQ(raised(4.0, fraction(-3, 2)), 0.125);
    EXPECT_EQ(raised(1000.0, fraction(2, 3)), 100.0);
    EXPECT_EQ(raised(16.0, fraction(3, 4)), 8.0);
    EXPECT_EQ(raised(60.0, 2), 3600.0);
    EXPECT_DOUBLE_EQ(raised(1e5, fraction(1, 12)), std::pow(10.0, 5.0 / 12.0));
    EXPECT_DOUBLE_EQ(raised(1e5, fraction(-1, 6)), std::pow(10.0, -5.0 / 6.0));
}

/// A unit, the factor between its scale and 1, and base units to powers: kg, m, s, A in twelfths.
struct PowerCase {
    const char* text;
    double scale;
    std::tuple<int, int, int, int> twelfths;
};

class ReadsPowers : public testing::TestWithParam<PowerCase> {};

TEST_P(ReadsPowers, OfEachFactor) {
    const auto unit = UnitSystem().parse(GetParam().text);
    ASSERT_TRUE(unit) << GetParam().text;
    const Dimension& d = unit->dimension;
    EXPECT_EQ(
        std::tuple(int{d.kilogram.twelfths}, int{d.metre.twelfths}, int{d.second.twelfths}, int{d.ampere.twelfths}),
        GetParam().twelfths);
    EXPECT_DOUBLE_EQ(unit->scale, GetParam().scale);
    EXPECT_EQ(unit->offset, 0.0);
}

constexpr std::tuple kRootOfPascal{6, -6, -12, 0};
constexpr std::tuple kOrifice{-6, 42, 0, 0};
constexpr std::tuple kVoltageDensity{12, 24, -30, -12};
const double kRootOfBar = std::sqrt(1e5);
const PowerCase kPowers[] = {
    {"Pa^0.5", 1, kRootOfPascal},
    {"Pa^(1/2)", 1, kRootOfPascal},
    {"Pa^(0.5)", 1, kRootOfPascal},
    {"Pa^+0.5", 1, kRootOfPascal},
    {"Pa**0.5", 1, kRootOfPascal},
    {"Pa**(1/2)", 1, kRootOfPascal},
    {"sqrt(Pa)", 1, kRootOfPascal},
    {"√Pa", 1, kRootOfPascal},
    {"√(Pa)", 1, kRootOfPascal},
    {" Pa^0.5 ", 1, kRootOfPascal},
    {"bar^0.5", kRootOfBar, kRootOfPascal},
    {"(N/m^2)^0.5", 1, kRootOfPascal},
    {"(N/m²)^0.5", 1, kRootOfPascal},
    {"sqrt(N/m2)", 1, kRootOfPascal},
    {"N^0.5/m", 1, kRootOfPascal},
    {"m3/(s Pa^0.5)", 1, kOrifice},
    {"m3/(s.Pa^0.5)", 1, kOrifice},
    {"m3/s/Pa^0.5", 1, kOrifice},
    {"m3/(s*sqrt(Pa))", 1, kOrifice},
    {"m^3.s^-1.Pa^-0.5", 1, kOrifice},
    {"m3 s-1 Pa^(-1/2)", 1, kOrifice},
    {"m3/s * Pa^-0.5", 1, kOrifice},
    {"m3 per s per Pa^0.5", 1, kOrifice},
    {"l/min/bar^0.5", 1e-3 / 60 / kRootOfBar, kOrifice},
    {"m3/s.Pa^0.5", 1, {6, 30, -24, 0}},  // from the left, as N/m.s is N.s/m
    {"V/Hz^0.5", 1, kVoltageDensity},
    {"nV/Hz^0.5", 1e-9, kVoltageDensity},
    {"nV/√Hz", 1e-9, kVoltageDensity},
    {"nV/sqrt(Hz)", 1e-9, kVoltageDensity},
    {"µV/√(kHz)", 1e-6 / std::sqrt(1e3), kVoltageDensity},
    {"1/Pa^0.5", 1, {-6, 6, 12, 0}},
    {"m^2.5", 1, {0, 30, 0, 0}},
    {"m^2.5.s", 1, {0, 30, 12, 0}},
    {"m^0.5.s^2.kg", 1, {12, 6, 24, 0}},
    {"m^(1/3)", 1, {0, 4, 0, 0}},
    {"mm^(1/3)", 0.1, {0, 4, 0, 0}},
    {"cm^(-5/12)", std::pow(0.01, -5.0 / 12.0), {0, -5, 0, 0}},
    {"m^(4/2)", 1, {0, 24, 0, 0}},
    {"m^(2)", 1, {0, 24, 0, 0}},
    {"(m^(1/3))^0.75", 1, {0, 3, 0, 0}},
    {"(kg.m^0.5)^2", 1, {24, 12, 0, 0}},
    {"%^0.5", 0.1, {0, 0, 0, 0}},
};
INSTANTIATE_TEST_SUITE_P(Units, ReadsPowers, testing::ValuesIn(kPowers));

class HasNoPower : public testing::TestWithParam<const char*> {};

TEST_P(HasNoPower, AndIsNoUnit) { EXPECT_FALSE(UnitSystem().parse(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Units, HasNoPower,
                         testing::Values("Pa^0.37", "Pa^(1/7)", "Pa^(1/0)", "Pa^(1/2", "Pa^()", "Pa^(0.5/2)",
                                         "Pa^200.5", "Pa ^0.5", "Pa^ 0.5", "Pa^0.5^2", "degC^0.5", "degF^(1/3)",
                                         "(J/degC)^0.5", "√m3", "√", "sqrt()", "sqrt(Pa", "sqrtPa", "foo^0.5", "^0.5",
                                         "1^0.5", "Pa^0.5 foo", "Pa^0.5)", "Pa^1e-1", "(m^(1/4))^(1/6)",
                                         "Pa^0.50000000001", "mohM^0.5", "dB^0.5", "m^0.5-s"));

// The root of a point on a scale means nothing; in a quotient a scale stands for its differences, as everywhere.
TEST(UnitPowers, AScaleWithAnOffsetMayStandBesideARoot) {
    const UnitSystem units;
    EXPECT_EQ(units.parse("W/(degC.s^0.5)")->dimension, units.parse("W/(K.s^0.5)")->dimension);
    EXPECT_EQ(units.parse("W/(degC.s^0.5)")->offset, 0.0);
}

TEST(UnitPowers, TellPeriodsFromAngles) {
    const UnitSystem units;
    EXPECT_EQ(units.parse("V/Hz^0.5")->turns, Turns::periods);
    EXPECT_EQ(units.parse("Hz^0.5.rad")->turns, Turns::periods);
    EXPECT_EQ(units.parse("rad.Hz^0.5")->turns, Turns::periods);
    EXPECT_EQ(units.parse("(rad/s)^0.5")->turns, Turns::angle);
    EXPECT_EQ(units.parse("V/s^0.5")->turns, Turns::unsaid);
}

TEST(UnitPowers, NameTheExponentThatNoUnitHas) {
    const std::pair<const char*, const char*> cases[] = {{"m3/(s.Pa^0.54)", "0.54"},
                                                         {"Pa^(1/7)", "(1/7)"},
                                                         {"V**-0.3.A^0.7", "-0.3"},
                                                         {"(m^(1/4))^(1/6)", "(1/6)"},
                                                         {"sqrt(m^(1/12))", "1/2"},
                                                         {"sqrt(m^(1/12).kg2)", "1/2"},
                                                         {"Pa^0.5", ""}};
    for (const auto& [text, exponent] : cases) {
        const auto powers = unit_powers(normal_unit_text(text));
        ASSERT_TRUE(powers) << text;
        EXPECT_EQ(powers->unfit_exponent, exponent) << text;
    }
}

TEST(UnitPowers, AreReadToTheEndOrNotAtAll) {
    for (const char* text : {"m0.5", "1 m", "m^0.5per s", "m^1234567", "m.", "m/", "", "m^0.5/2"})
        EXPECT_FALSE(unit_powers(text)) << text;
    EXPECT_TRUE(unit_powers(std::string(40, '(') + "m" + std::string(40, ')')));
    EXPECT_FALSE(unit_powers(std::string(100000, '(') + "m" + std::string(100000, ')')));
}

// What UDUNITS reads itself the reader of powers reads alike.
TEST(UnitPowers, OfWholeNumbersAreThoseOfUdunits) {
    const UnitSystem units;
    for (const char* text :
         {"kg.m2/(s3.A)", "kg m² s⁻³ A⁻¹", "N.m.s/rad", "l/min", "m/s/s", "m/s.kg", "1/(m2.K4)", "W/(m2.degC)",
          "kg*m^2", "m**3/h", "J/(kg K)", "km/h", "V per m", "(N.s)/(kg m)", "1/min", "rev/min", "kohm", "%", "°/s"}) {
        const auto whole = units.parse(text);
        const auto powers = unit_powers(normal_unit_text(text));
        ASSERT_TRUE(whole && powers) << text;
        Dimension dimension;
        double scale = 1.0;
        for (const UnitFactor& factor : powers->factors) {
            const auto unit = units.parse(factor.unit);
            ASSERT_TRUE(unit) << factor.unit;
            dimension = dimension * power(unit->dimension, factor.exponent).value();
            scale *= raised(unit->scale, factor.exponent);
        }
        EXPECT_EQ(dimension, whole->dimension) << text;
        EXPECT_DOUBLE_EQ(scale, whole->scale) << text;
        EXPECT_FALSE(has_broken_powers(normal_unit_text(text))) << text;
    }
}

TEST(UnitPowers, AreNamedAsEngineersDo) {
    const UnitSystem units;
    for (const char* name : {"Pa^0.5",    "m3/(s.Pa^0.5)", "V.s^0.5",  "m^0.5",     "1/m^0.5",
                             "m^2.5",     "m^1.5/s",       "Pa.m^0.5", "Pa^1.5",    "1/Pa^1.5",
                             "J^0.5",     "kg^0.5/s",      "V/A^0.5",  "A/V^0.5",   "m/s^0.5",
                             "m.K^0.5/s", "W/(K.s^0.5)",   "m^(1/3)",  "1/V^(1/3)", "kg^(1/6).m^(5/12)"}) {
        const auto unit = units.parse(name);
        ASSERT_TRUE(unit) << name;
        EXPECT_EQ(unit_name(unit->dimension), name);
    }
}

TEST(UnitPowers, NamesOfEveryDimensionMeanThatDimensionInSI) {
    const UnitSystem units;
    for (const int m : {-30, -6, -4, 0, 6, 8, 12, 15, 42})
        for (const int kg : {-6, 0, 3, 12})
            for (const int s : {-36, -18, -12, 0, 6, 24})
                for (const int a : {-12, 0, 4, 6})
                    for (const int k : {-3, 0, 12}) {
                        const Dimension dimension{
                            fraction(m, 12), fraction(kg, 12), fraction(s, 12), fraction(a, 12), fraction(k, 12), 0, 0};
                        const auto unit = units.parse(unit_name(dimension));
                        ASSERT_TRUE(unit) << unit_name(dimension);
                        EXPECT_EQ(unit->dimension, dimension) << unit_name(dimension);
                        EXPECT_EQ(unit->scale, 1.0) << unit_name(dimension);
                    }
}

TEST(UnitPowers, AreKeptInSuggestions) {
    const UnitSystem units;
    EXPECT_EQ(units.suggest("m3/(s.kPA^0.5)"), "m3/(s.kPa^0.5)");
    EXPECT_EQ(units.suggest("kPA/sqrt(Hz)"), "kPa/sqrt(Hz)");
}

}  // namespace
}  // namespace bondgraph
