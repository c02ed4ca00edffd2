#include "bondgraph/base/unit_text.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/utf8.hpp"

namespace bondgraph {

namespace {

constexpr std::size_t kLongestUnit = 200;

using Replacement = std::pair<std::string_view, std::string_view>;

constexpr Replacement kTypeset[] = {{"⁰", "0"}, {"¹", "1"}, {"²", "2"}, {"³", "3"}, {"⁴", "4"},     {"⁵", "5"},
                                    {"⁶", "6"}, {"⁷", "7"}, {"⁸", "8"}, {"⁹", "9"}, {"⁻", "-"},     {"⁺", "+"},
                                    {"−", "-"}, {"·", "."}, {"⋅", "."}, {"×", "."}, {"\u2126", "Ω"}};

/// What people write and the unit they mean.
constexpr Replacement kMeant[] = {
    {"volts", "V"},         {"amps", "A"},     {"amperes", "A"},  {"ampères", "A"},      {"ohms", "ohm"},
    {"mho", "S"},           {"farads", "F"},   {"henrys", "H"},   {"henries", "H"},      {"webers", "Wb"},
    {"newtons", "N"},       {"metres", "m"},   {"meters", "m"},   {"watts", "W"},        {"joules", "J"},
    {"kelvins", "K"},       {"pascals", "Pa"}, {"teslas", "T"},   {"coulombs", "C"},     {"kilos", "kg"},
    {"grams", "g"},         {"secs", "s"},     {"seconds", "s"},  {"mins", "min"},       {"minutes", "min"},
    {"hrs", "h"},           {"hours", "h"},    {"rads", "rad"},   {"radians", "rad"},    {"degs", "deg"},
    {"degrees", "deg"},     {"revs", "rev"},   {"turns", "rev"},  {"litres", "l"},       {"liters", "l"},
    {"moles", "mol"},       {"nm", "N.m"},     {"knm", "kN.m"},   {"mNm", "mN.m"},       {"nmm", "N.mm"},
    {"ncm", "N.cm"},        {"nms", "N.m.s"},  {"ns", "N.s"},     {"kgm2", "kg.m2"},     {"kgm", "kg.m"},
    {"kgcm2", "kg.cm2"},    {"gcm2", "g.cm2"}, {"va", "V.A"},     {"vs", "V.s"},         {"as", "A.s"},
    {"ah", "A.h"},          {"mah", "mA.h"},   {"wh", "W.h"},     {"kwh", "kW.h"},       {"MWh", "MW.h"},
    {"ws", "W.s"},          {"js", "J.s"},     {"pas", "Pa.s"},   {"mpas", "mPa.s"},     {"cc", "cm3"},
    {"ccm", "cm3"},         {"cbm", "m3"},     {"sqm", "m2"},     {"sqcm", "cm2"},       {"sqmm", "mm2"},
    {"lpm", "l/min"},       {"lps", "l/s"},    {"slpm", "l/min"}, {"gpm", "gallon/min"}, {"cfm", "ft3/min"},
    {"mps", "m/s"},         {"cp", "mPa.s"},   {"dyn", "dyne"},   {"lbs", "lb"},         {"degcelsius", "degC"},
    {"centigrade", "degC"}, {"pct", "%"},      {"percents", "%"}, {"u/min", "rpm"},      {"tr/min", "rpm"},
    {"r/min", "rpm"},       {"rps", "rev/s"},  {"hertz", "Hz"},   {"G", "gauss"},        {"mG", "milligauss"},
    {"uG", "microgauss"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '_' || c == '\'' || c == '"' ||
           static_cast<unsigned char>(c) >= 0x80U;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_plain_text(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        if (length == 0 || static_cast<unsigned char>(text[i]) < 0x20U || text[i] == 0x7F) return false;
        i += length;
    }
    return true;
}

std::size_t end_of_digits(std::string_view text, std::size_t from) {
    while (from < text.size() && is_digit(text[from])) ++from;
    return from;
}

bool goes_on_with(std::string_view text, std::size_t at, char sign) {
    return at + 1 < text.size() && text[at] == sign && is_digit(text[at + 1]);
}

/// Where an exponent behind "^", "**" or, with `bracket`, "^(" ends, whose first digits end at `digits`: "0.5", "1/2)".
/// Nothing where another number follows that would be a factor.
std::optional<std::size_t> end_of_exponent(std::string_view text, std::size_t digits, bool bracket) {
    std::size_t end = digits;
    if (goes_on_with(text, end, '.')) end = end_of_digits(text, end + 1);
    if (goes_on_with(text, end, '.')) return std::nullopt;
    if (!bracket) return goes_on_with(text, end, '/') ? std::nullopt : std::optional(end);
    if (goes_on_with(text, end, '/')) end = end_of_digits(text, end + 1);
    return text.substr(end).starts_with(')') ? std::optional(end) : std::nullopt;
}

/// Whether every number is an exponent ("m2", "s^-1", "m**2", "Pa^0.5", "V^(1/2)"), but for a leading 1 that is divided
/// ("1/s").
bool numbers_are_exponents(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_digit(text[i])) continue;
        std::size_t end = end_of_digits(text, i);
        std::size_t before = i;
        if (before > 0 && (text[before - 1] == '-' || text[before - 1] == '+')) --before;
        const std::string_view front = text.substr(0, before);
        const bool bracket = front.ends_with("^(") || front.ends_with("**(");
        const bool raised = bracket || front.ends_with('^') || front.ends_with("**");
        const bool attached = before > 0 && is_letter(text[before - 1]);
        if (raised) {
            const auto stop = end_of_exponent(text, end, bracket);
            if (!stop) return false;
            end = *stop;
        } else if (attached) {
            if (goes_on_with(text, end, '.')) return false;
        } else {
            const std::string_view next = trimmed(text.substr(end));
            if (i != 0 || end != 1 || text[0] != '1' || !(next.empty() || next.front() == '/')) return false;
        }
        i = end - 1;
    }
    return true;
}

/// UDUNITS stops reading at a ')' too many, so "V A)" and "V) foo" would both be units.
bool parentheses_match(std::string_view text) {
    int open = 0;
    for (const char c : text) {
        open += c == '(' ? 1 : (c == ')' ? -1 : 0);
        if (open < 0) return false;
    }
    return open == 0;
}

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

/// The unit meant by that spelling; entries of the table that hold a capital ask for that very spelling.
std::string_view meant(std::string_view text) {
    const std::string lower = lower_case(text);
    for (const std::string_view spelling : {text, std::string_view(lower)})
        for (const auto& [written, unit] : kMeant)
            if (written == spelling) return unit;
    return {};
}

/// The spellings suggestions are drawn from, the plain ones before the prefixed ones.
std::vector<std::string> usual_units() {
    constexpr std::string_view kPrefixed[] = {"V", "A",  "ohm", "S", "F",   "H", "C", "Wb", "T", "N",  "m",
                                              "s", "Pa", "W",   "J", "bar", "g", "l", "Hz", "K", "mol"};
    constexpr std::string_view kOther[] = {"kg",  "rad", "deg",  "rev", "rpm",   "degC", "degF",    "min", "h",
                                           "psi", "atm", "%",    "in",  "ft",    "cm",   "dm",      "hl",  "lbf",
                                           "lb",  "hp",  "mmHg", "kgf", "tonne", "day",  "celsius", "cSt", "gallon"};
    constexpr std::string_view kPrefixes[] = {"k", "m", "M", "u", "n", "p", "G"};
    std::vector<std::string> units(std::begin(kPrefixed), std::end(kPrefixed));
    units.insert(units.end(), std::begin(kOther), std::end(kOther));
    for (const std::string_view prefix : kPrefixes)
        for (const std::string_view unit : kPrefixed) units.push_back(std::string(prefix).append(unit));
    return units;
}

/// The spelling that differs in case only, the one with the fewest differing letters first; empty when there is none.
std::string in_usual_case(std::string_view word, std::span<const std::string> units) {
    const std::string lower = lower_case(word);
    const std::string* best = nullptr;
    std::size_t fewest = word.size() + 1;
    for (const std::string& unit : units) {
        if (unit.size() != word.size() || lower_case(unit) != lower) continue;
        std::size_t different = 0;
        for (std::size_t i = 0; i < word.size(); ++i) different += word[i] != unit[i] ? 1 : 0;
        if (different >= fewest) continue;
        fewest = different;
        best = &unit;
    }
    return best != nullptr ? *best : std::string();
}

using IsUnit = std::function<bool(std::string_view)>;

/// A known unit for one word of a text: itself where it is one already, empty where nothing comes near.
std::string known_word(std::string_view word, std::span<const std::string> units, const IsUnit& is_unit) {
    if (is_unit(word)) return std::string(word);
    if (const std::string_view unit = meant(word); !unit.empty()) return std::string(unit);
    if (std::string unit = in_usual_case(word, units); !unit.empty()) return unit;
    if (word.size() > 2 && (word.ends_with('s') || word.ends_with('S'))) {
        const std::string_view singular = word.substr(0, word.size() - 1);
        if (std::string unit = in_usual_case(singular, units); !unit.empty()) return unit;
        if (const std::string_view unit = meant(singular); !unit.empty()) return std::string(unit);
    }
    if (const std::string lower = lower_case(word); is_unit(lower)) return lower;
    // words of two letters are near to too many units
    if (utf8_count(word) <= 2) return {};
    std::string nearest = nearest_name(word, units);
    return nearest.empty() ? nearest_name(lower_case(word), units) : nearest;
}

}  // namespace

std::string normal_unit_text(std::string_view text) {
    text = trimmed(text);
    if (text.empty() || text.size() > kLongestUnit || !is_plain_text(text)) return {};
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const auto typeset = std::find_if(std::begin(kTypeset), std::end(kTypeset),
                                          [&](const Replacement& r) { return text.substr(i).starts_with(r.first); });
        const std::size_t length = typeset != std::end(kTypeset) ? typeset->first.size() : 1;
        result += typeset != std::end(kTypeset) ? typeset->second : text.substr(i, 1);
        i += length;
    }
    return numbers_are_exponents(result) && parentheses_match(result) ? result : std::string();
}

std::string suggest_fitting_unit(std::string_view text, const IsUnit& fits) {
    const std::string normal = normal_unit_text(text);
    if (utf8_count(normal) < 2) return {};  // any unit of one letter is one edit away
    std::vector<std::string> units = usual_units();
    std::erase_if(units, [&](const std::string& unit) { return !fits(unit); });
    return nearest_name(normal, units);
}

std::string suggest_unit(std::string_view text, const IsUnit& is_unit) {
    const std::string normal = normal_unit_text(text);
    if (normal.empty()) return {};
    const std::vector<std::string> units = usual_units();
    if (std::find(units.begin(), units.end(), normal) != units.end()) return {};
    if (const std::string_view unit = meant(normal); !unit.empty()) return std::string(unit);
    if (is_unit(normal)) return normal.ends_with('s') ? in_usual_case(normal.substr(0, normal.size() - 1), units) : "";
    std::string result;
    for (std::size_t i = 0; i < normal.size();) {
        if (!is_letter(normal[i])) {
            result += normal[i++];
            continue;
        }
        std::size_t end = i;
        while (end < normal.size() && is_letter(normal[end])) ++end;
        const std::string_view word = std::string_view(normal).substr(i, end - i);
        const bool root = word == "sqrt" && normal.substr(end).starts_with('(');
        const std::string unit = root ? std::string(word) : known_word(word, units, is_unit);
        if (unit.empty()) return {};
        const bool compound = unit.find_first_of("./") != std::string::npos && trimmed(result).ends_with('/');
        result += compound ? "(" + unit + ")" : unit;
        i = end;
    }
    return is_unit(result) ? result : std::string();
}

}  // namespace bondgraph
