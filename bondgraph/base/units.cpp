#include "bondgraph/base/units.hpp"

#include <udunits2.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "bondgraph/base/unit_powers.hpp"
#include "bondgraph/base/unit_text.hpp"

namespace bondgraph {

/// Owners of UDUNITS' objects.
namespace udunits {
struct FreeUnit {
    void operator()(ut_unit* unit) const { ut_free(unit); }
};
struct FreeSystem {
    void operator()(ut_system* system) const { ut_free_system(system); }
};
using UnitHandle = std::unique_ptr<ut_unit, FreeUnit>;
using SystemHandle = std::unique_ptr<ut_system, FreeSystem>;
}  // namespace udunits

namespace {

struct BaseUnit {
    std::string_view symbol;
    Exponent Dimension::*exponent;
};
constexpr BaseUnit kBaseUnits[] = {{"m", &Dimension::metre},   {"kg", &Dimension::kilogram}, {"s", &Dimension::second},
                                   {"A", &Dimension::ampere},  {"K", &Dimension::kelvin},    {"mol", &Dimension::mole},
                                   {"cd", &Dimension::candela}};

/// Multiplies the dimension by a base unit's power; false when the base is unknown or the exponent out of range.
bool add_base(const ut_unit* base, int exponent, Unit& unit) {
    const char* symbol = ut_get_symbol(base, UT_ASCII);
    if (symbol == nullptr) return false;
    if (std::string_view(symbol) == "rad") {
        unit.turns = Turns::angle;
        return true;
    }
    for (const BaseUnit& known : kBaseUnits) {
        if (known.symbol != symbol) continue;
        if (std::abs(exponent) > Exponent::kLargest) return false;
        Exponent& sum = unit.dimension.*known.exponent;
        sum = sum + exponent;
        return true;
    }
    return false;
}

ut_status visit_basic(const ut_unit* unit, void* result) {
    return add_base(unit, 1, *static_cast<Unit*>(result)) ? UT_SUCCESS : UT_VISIT_ERROR;
}

ut_status visit_product(const ut_unit* /*unit*/, int count, const ut_unit* const* bases, const int* exponents,
                        void* result) {
    for (int i = 0; i < count; ++i)
        if (!add_base(bases[i], exponents[i], *static_cast<Unit*>(result))) return UT_VISIT_ERROR;
    return UT_SUCCESS;
}

extern const ut_visitor kVisitor;

// UDUNITS keeps the offset in the derived unit (degF: 459.67), ours is in SI.
ut_status visit_galilean(const ut_unit* /*unit*/, double scale, const ut_unit* underlying, double offset,
                         void* result) {
    auto& unit = *static_cast<Unit*>(result);
    unit.offset += unit.scale * scale * offset;
    unit.scale *= scale;
    return ut_accept_visitor(underlying, &kVisitor, result);
}

ut_status visit_timestamp(const ut_unit*, const ut_unit*, double, void*) { return UT_VISIT_ERROR; }
ut_status visit_logarithmic(const ut_unit*, double, const ut_unit*, void*) { return UT_VISIT_ERROR; }

const ut_visitor kVisitor = {visit_basic, visit_product, visit_galilean, visit_timestamp, visit_logarithmic};

std::optional<Unit> reduce(const ut_unit* unit) {
    Unit result;
    if (ut_accept_visitor(unit, &kVisitor, &result) != UT_SUCCESS) return std::nullopt;
    if (!std::isfinite(result.scale) || result.scale <= 0.0 || !std::isfinite(result.offset)) return std::nullopt;
    return result;
}

/// Spellings engineers use that UDUNITS lacks, or reads as something nobody means (mph: milliphot).
void add_missing_units(ut_system* system) {
    constexpr std::pair<const char*, const char*> kMissing[] = {
        {"deg", "degree"}, {"rev", "turn"}, {"mph", "mile/hour"}, {"kph", "km/hour"}, {"kmh", "km/hour"}};
    for (const auto& [name, meaning] : kMissing) {
        const udunits::UnitHandle unit(ut_parse(system, meaning, UT_UTF8));
        if (unit == nullptr || ut_map_name_to_unit(name, UT_UTF8, unit.get()) != UT_SUCCESS)
            throw std::runtime_error(std::string("the units database lacks '") + meaning + "'");
    }
}

/// Units of most models, each in those before it, as the database defines them: reading that takes as long as a small
/// model takes in all. (A radian is a number with a name, and the first seven are base units.)
constexpr std::pair<const char*, const char*> kCommon[] = {{"g", "0.001 kg"},
                                                           {"N", "m.kg/s2"},
                                                           {"J", "N.m"},
                                                           {"W", "J/s"},
                                                           {"C", "s.A"},
                                                           {"V", "W/A"},
                                                           {"F", "C/V"},
                                                           {"ohm", "V/A"},
                                                           {"S", "A/V"},
                                                           {"Wb", "V.s"},
                                                           {"T", "Wb/m2"},
                                                           {"H", "Wb/A"},
                                                           {"Pa", "N/m2"},
                                                           {"Hz", "1/s"},
                                                           {"min", "60 s"},
                                                           {"h", "60 min"},
                                                           {"pi", "3.141592653589793238462643383279"},
                                                           {"deg", "(pi/180) rad"},
                                                           {"rev", "2 pi rad"},
                                                           {"rpm", "rev/min"},
                                                           {"bar", "1e5 Pa"},
                                                           {"mm", "0.001 m"},
                                                           {"cm", "0.01 m"},
                                                           {"ms", "0.001 s"},
                                                           {"us", "1e-6 s"},
                                                           {"kN", "1000 N"},
                                                           {"kJ", "1000 J"},
                                                           {"kW", "1000 W"},
                                                           {"mV", "0.001 V"},
                                                           {"mA", "0.001 A"},
                                                           {"mH", "0.001 H"},
                                                           {"uH", "1e-6 H"},
                                                           {"uF", "1e-6 F"},
                                                           {"kohm", "1000 ohm"}};

ut_status map_symbol(const char* symbol, const udunits::UnitHandle& unit) {
    return unit == nullptr ? UT_BAD_ARG : ut_map_symbol_to_unit(symbol, UT_ASCII, unit.get());
}

/// A system of these alone. What it can't read the database has to; what it reads means the same there.
udunits::SystemHandle make_common_system() {
    ut_set_error_message_handler(ut_ignore);
    udunits::SystemHandle system(ut_new_system());
    bool well = system != nullptr;
    for (const BaseUnit& base : kBaseUnits) {
        const udunits::UnitHandle unit(well ? ut_new_base_unit(system.get()) : nullptr);
        well = well && map_symbol(base.symbol.data(), unit) == UT_SUCCESS &&
               ut_map_unit_to_symbol(unit.get(), base.symbol.data(), UT_ASCII) == UT_SUCCESS;
    }
    const udunits::UnitHandle radian(well ? ut_new_dimensionless_unit(system.get()) : nullptr);
    well = well && map_symbol("rad", radian) == UT_SUCCESS &&
           ut_map_unit_to_symbol(radian.get(), "rad", UT_ASCII) == UT_SUCCESS;
    for (const auto& [symbol, meaning] : kCommon) {
        const udunits::UnitHandle unit(well ? ut_parse(system.get(), meaning, UT_ASCII) : nullptr);
        well = well && map_symbol(symbol, unit) == UT_SUCCESS;
    }
    return well ? std::move(system) : nullptr;
}

udunits::SystemHandle read_database() {
    ut_set_error_message_handler(ut_ignore);
    udunits::SystemHandle system(ut_read_xml(nullptr));
    if (system == nullptr)
        throw std::runtime_error(
            "the units database of UDUNITS-2 can't be read; install its data files or let UDUNITS2_XML_PATH name them");
    add_missing_units(system.get());
    return system;
}

}  // namespace

namespace {

enum class Letters : std::uint8_t { lower, capitalised, mixed };

Letters letters_of(std::string_view word) {
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto capitals = std::count_if(word.begin(), word.end(), is_upper);
    if (capitals == 0) return Letters::lower;
    return capitals == 1 && is_upper(word.front()) ? Letters::capitalised : Letters::mixed;
}

bool is_found(ut_unit* unit) {
    const udunits::UnitHandle owned(unit);
    return owned != nullptr;
}

/// UDUNITS reads names of units ("ohm") in any case, but symbols of prefixes only as they are: "mohM" are milliohms and
/// "MOHM" megaohms. Behind such a prefix capitals leave open which was meant. (Those of degC and degF are their own.)
bool case_is_plain(const ut_system* system, const std::string& word) {
    if (is_found(ut_get_unit_by_symbol(system, word.c_str()))) return true;
    if (is_found(ut_get_unit_by_name(system, word.c_str()))) return true;
    constexpr std::size_t kLongestSymbol = 2;  // of a prefix: da
    for (std::size_t k = 1; k < word.size(); ++k) {
        const std::string rest = word.substr(k);
        if (is_found(ut_get_unit_by_symbol(system, rest.c_str()))) return true;
        if (!is_found(ut_get_unit_by_name(system, rest.c_str()))) continue;
        const Letters letters = letters_of(rest);
        const bool plain = letters == Letters::lower || letters == Letters::capitalised || rest.starts_with("deg");
        if (plain || k > kLongestSymbol) return true;
    }
    return false;
}

bool may_be_in_symbol(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The same of all words of a text. Words with other than ASCII letters are symbols (µ, Ω, °), which have one case.
bool case_is_plain_throughout(const ut_system* system, std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        bool ascii = true;
        while (end < text.size() && (may_be_in_symbol(text[end]) || static_cast<unsigned char>(text[end]) >= 0x80U)) {
            ascii = ascii && static_cast<unsigned char>(text[end]) < 0x80U;
            ++end;
        }
        if (end == i) {
            ++i;
            continue;
        }
        if (ascii && !case_is_plain(system, std::string(text.substr(i, end - i)))) return false;
        i = end;
    }
    return true;
}

}  // namespace

namespace {

/// UDUNITS has one parser and one table of systems for a process: nothing else of it may run meanwhile.
std::mutex& alone_in_udunits() {
    static std::mutex guard;
    return guard;
}

}  // namespace

struct UnitSystem::Impl {
    Impl() {
        const std::scoped_lock lock(alone_in_udunits());
        common = make_common_system();
    }
    ~Impl() {
        const std::scoped_lock lock(alone_in_udunits());
        system.reset();
        common.reset();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    udunits::SystemHandle common;
    udunits::SystemHandle system;  // reading it takes milliseconds, so a model with common units never does
    std::map<std::string, std::optional<Unit>, std::less<>> parsed;

    std::optional<Unit> read(std::string_view text) {
        const std::string normal = normal_unit_text(text);
        if (normal.empty()) return std::nullopt;
        if (normal == "1") return Unit{};
        return has_broken_powers(normal) ? read_powers(normal) : read_whole(normal);
    }

    /// To UDUNITS exponents are whole numbers: it reads each factor without its own.
    std::optional<Unit> read_powers(const std::string& normal) {
        const auto powers = unit_powers(normal);
        if (!powers || !powers->unfit_exponent.empty()) return std::nullopt;
        Unit result;
        for (const UnitFactor& factor : powers->factors) {
            const auto unit = read_whole(factor.unit);
            // The root of a point on a scale means nothing; whole powers have the scale's unit, as UDUNITS has it.
            if (!unit || (unit->offset != 0.0 && !factor.exponent.is_whole())) return std::nullopt;
            const auto dimension = power(unit->dimension, factor.exponent);
            if (!dimension) return std::nullopt;
            result.dimension = result.dimension * *dimension;
            result.scale *= raised(unit->scale, factor.exponent);
            if (result.turns != Turns::periods && unit->turns != Turns::unsaid) result.turns = unit->turns;
        }
        if (!std::isfinite(result.scale) || result.scale <= 0.0) return std::nullopt;
        return result;
    }

    std::optional<Unit> read_whole(const std::string& normal) {
        udunits::UnitHandle unit(common == nullptr ? nullptr : ut_parse(common.get(), normal.c_str(), UT_UTF8));
        if (unit == nullptr) {
            if (system == nullptr) system = read_database();
            unit.reset(ut_parse(system.get(), normal.c_str(), UT_UTF8));
            if (unit == nullptr || !case_is_plain_throughout(system.get(), normal)) return std::nullopt;
        }
        auto reduced = reduce(unit.get());
        // To UDUNITS a hertz is nothing but 1/s.
        const bool hertz = normal.find("Hz") != std::string::npos || normal.find("hertz") != std::string::npos;
        if (reduced && hertz) reduced->turns = Turns::periods;
        return reduced;
    }
};

UnitSystem::UnitSystem() : impl_(std::make_unique<Impl>()) {}
UnitSystem::~UnitSystem() = default;
UnitSystem::UnitSystem(UnitSystem&&) noexcept = default;
UnitSystem& UnitSystem::operator=(UnitSystem&&) noexcept = default;

std::optional<Unit> UnitSystem::parse(std::string_view text) const {
    const std::scoped_lock lock(alone_in_udunits());
    if (const auto known = impl_->parsed.find(text); known != impl_->parsed.end()) return known->second;
    return impl_->parsed.emplace(text, impl_->read(text)).first->second;
}

std::string UnitSystem::suggest(std::string_view text) const {
    return suggest_unit(text, [this](std::string_view unit) { return parse(unit).has_value(); });
}

}  // namespace bondgraph
