// Values as written: numbers, numbers with units, lists, expressions; and the names expressions may use.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "bondgraph/base/unit_powers.hpp"
#include "bondgraph/base/unit_text.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/lexer.hpp"
#include "bondgraph/model/choices.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::SyntaxError;

namespace {

std::string_view trimmed(std::string_view s) {
    const auto begin = s.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return {};
    return s.substr(begin, s.find_last_not_of(" \t\n") - begin + 1);
}

bool starts_expression(std::string_view rest) {
    if (std::string_view("+-*/^<>=!,)&|").find(rest.front()) != std::string_view::npos) return true;
    return rest.starts_with("and ") || rest.starts_with("or ");
}

// "sqrt(2)": a name and what it is called with.
bool begins_with_call(std::string_view text) {
    const auto name = std::find_if_not(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    return name != text.begin() && name != text.end() && *name == '(';
}

using NameTest = std::function<bool(const std::string&)>;

// "(1 - x)", "(x)", "x" where x is a name: what stands behind a "*" or "/" is no unit, in parentheses or without.
bool is_no_unit(std::string_view text, const NameTest& is_name) {
    const bool inside = text.starts_with('(') && text.ends_with(')');
    if (inside) text = trimmed(text.substr(1, text.size() - 2));
    if (is_name && is_name(std::string(text))) return true;
    const bool number = !text.empty() && text.front() >= '0' && text.front() <= '9';
    return inside && (number || text.find('+') != std::string_view::npos || text.find("- ") != std::string_view::npos);
}

// Whether a unit is the first term of an expression, as in "V + 3 V". What stands behind an operator of units (/, *, .)
// counts only where it is a number, a name, a function's call or a sum in parentheses: "ohn/m" is a unit that is spelt
// wrong.
bool goes_on_behind_unit(std::string_view rest, const UnitSystem& units, const NameTest& is_name) {
    constexpr std::size_t kLongest = 64;  // of a unit; longer texts would be read again and again
    for (std::size_t i = rest.find_first_of("+-*/<>=!"); i < kLongest; i = rest.find_first_of("+-*/<>=!", i + 1)) {
        const std::string_view behind = trimmed(rest.substr(i + 1));
        const bool number =
            !behind.empty() && ((behind.front() >= '0' && behind.front() <= '9') || begins_with_call(behind));
        const bool term = std::string_view("-*/").find(rest[i]) == std::string_view::npos || number ||
                          is_no_unit(behind, is_name) || (i > 0 && rest[i - 1] == ' ' && rest[i] == '-');
        if (term && i > 0 && units.parse(trimmed(rest.substr(0, i)))) return true;
    }
    return false;
}

// A number in a unit that is a whole fraction of its SI unit is divided: 100 uF are 1e-4 F to the last digit.
double in_si(double number, const Unit& unit) {
    constexpr double kExact = 9007199254740992.0;  // whole numbers up to 2^53 are
    const double parts = std::round(1.0 / unit.scale);
    const bool whole = parts > 1.0 && parts <= kExact && std::abs(parts * unit.scale - 1.0) <= 4e-16;
    return (whole ? number / parts : number * unit.scale) + unit.offset;
}

/// The fraction that a decimal was rounded from: "1/3" for "0.33"; empty where there is none.
std::string meant_fraction(std::string_view decimal) {
    const std::size_t point = decimal.find('.');
    double number = 0.0;
    const auto [stop, error] = std::from_chars(decimal.data(), decimal.data() + decimal.size(), number);
    if (point == std::string_view::npos || error != std::errc{} || stop != decimal.data() + decimal.size()) return {};
    const std::size_t digits = decimal.size() - point - 1;
    const auto near = Exponent::of(std::llround(number * Exponent::kParts), Exponent::kParts);
    if (digits < 2 || !near || near->is_whole()) return {};
    const double apart = std::abs(number - static_cast<double>(near->twelfths) / Exponent::kParts);
    return apart <= 0.5 * std::pow(10.0, -static_cast<double>(digits)) * (1.0 + 1e-9) ? exponent_text(*near) : "";
}

void report_unfit_exponent(std::string_view unit, const std::string& exponent, SourcePosition position,
                           Diagnostics& diagnostics) {
    const std::string meant = meant_fraction(exponent);
    diagnostics.error(
        "BG-U005", position, fmt::format("no unit has the exponent {} of '{}'", exponent, unit),
        {{"because", "exponents of units are whole numbers, or halves, thirds, quarters, sixths or twelfths up to 127"},
         {"try", !meant.empty() ? fmt::format("write {} for {}", meant, exponent)
                                : "take powers of plain numbers: instead of k*e^0.54 with k in m3/(s.Pa^0.54) write "
                                  "Q*(e/p0)^0.54 with Q in m3/s and p0 in Pa"}});
}

/// A temperature scale with an offset that stands under a root; empty where none does.
std::string scale_under_root(const UnitPowers& powers, const UnitSystem& units) {
    for (const UnitFactor& factor : powers.factors) {
        const auto unit = units.parse(factor.unit);
        if (unit && unit->offset != 0.0 && !factor.exponent.is_whole()) return factor.unit;
    }
    return {};
}

void report_unknown_unit(std::string_view unit, SourcePosition position, const std::string& hint,
                         const UnitSystem& units, Diagnostics& diagnostics) {
    std::vector<DiagnosticNote> notes;
    if (const auto powers = unit_powers(normal_unit_text(unit))) {
        if (const std::string& exponent = powers->unfit_exponent; !exponent.empty())
            return report_unfit_exponent(unit, exponent, position, diagnostics);
        if (const std::string scale = scale_under_root(*powers, units); !scale.empty())
            notes = {{"because",
                      fmt::format("{} is a scale with an offset: the root of a point on it means nothing", scale)},
                     {"try", "write K, for a temperature above absolute zero or a difference"}};
    }
    diagnostics.error("BG-U001", position,
                      fmt::format("unknown unit '{}'{}", unit,
                                  hint.empty() || !notes.empty() ? "" : fmt::format("; did you mean '{}'?", hint)),
                      std::move(notes));
}

}  // namespace

SourcePosition position_at(SourcePosition start, const std::string& text, bool quoted, std::size_t offset) {
    if (!start.known()) return start;
    if (text.find('\n') != std::string::npos) return start;  // folded text: its columns are not the file's
    std::uint32_t characters = 0;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++characters;
    }
    start.column += characters + (quoted ? 1 : 0);
    return start;
}

SourcePosition position_at(const Text& text, std::size_t offset) {
    return position_at(text.position, text.text, text.quoted, offset);
}

std::optional<Quantity> parse_number(const Text& text, const UnitSystem& units, Diagnostics& diagnostics,
                                     const std::function<bool(const std::string&)>& is_name, const UnitFits& fits) {
    const std::string_view all = text.text;
    const std::string_view body = trimmed(all);
    if (body.empty()) return std::nullopt;
    const bool plus = body.front() == '+';
    double number = 0.0;
    const char* begin = body.data() + (plus ? 1 : 0);
    const char* end = body.data() + body.size();
    const auto [stop, error] = std::from_chars(begin, end, number);
    // Words such as "inf" or "nan" are names here, not numbers.
    if (stop == begin || (error != std::errc{} && error != std::errc::result_out_of_range)) return std::nullopt;
    const char first = *begin == '-' && begin + 1 < end ? begin[1] : *begin;
    if (first != '.' && (first < '0' || first > '9')) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
        const std::string_view number(begin, static_cast<std::size_t>(stop - begin));
        const std::string_view how = expression::beyond_range(number);
        diagnostics.error("BG-X002", position_at(text, 0), fmt::format("the number '{}' is {}", number, how),
                          {{"because", "numbers have double precision: they go from 4.9e-324 to 1.8e+308"},
                           {"try", how == "too small" ? "write 0, or a number in a smaller unit"
                                                      : "write a number in a larger unit"}});
        return unknown_quantity();
    }
    const std::string_view rest = trimmed({stop, static_cast<std::size_t>(end - stop)});
    if (rest.empty()) return Quantity::scalar(number);
    if (starts_expression(rest)) return std::nullopt;
    const auto unit = units.parse(rest);
    if (unit && unit->offset != 0.0 && in_si(number, *unit) < 0.0) {
        diagnostics.error("BG-U004", position_at(text, 0), fmt::format("'{}' is below absolute zero", body),
                          {{"because", fmt::format("{:g} {} are {:g} K", number, rest, in_si(number, *unit))},
                           {"try", "a scale with an offset means a point on it: give temperature differences in K"}});
        return unknown_quantity();
    }
    if (unit) return Quantity::scalar(in_si(number, *unit), Measure::of(*unit));
    if (is_name && is_name(std::string(rest))) {
        diagnostics.error("BG-X001", position_at(text, static_cast<std::size_t>(rest.data() - all.data())),
                          fmt::format("'{}' is a name, not a unit; write '{:g}*{}' for a product", rest, number, rest));
        return unknown_quantity();
    }
    if (goes_on_behind_unit(rest, units, is_name)) return std::nullopt;  // the expression's reader says what is wrong
    report_unknown_unit(rest, position_at(text, static_cast<std::size_t>(rest.data() - all.data())),
                        suggested_unit(units, rest, fits), units, diagnostics);
    return unknown_quantity();
}

std::string written_unit(const Value& value, const Quantity& q) {
    const std::string_view text = trimmed(value.scalar.text);
    // A number with a unit is no formula: its unit is the last thing in it.
    double number = 0.0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [stop, error] = std::from_chars(begin, text.data() + text.size(), number);
    const std::string_view rest = trimmed({stop, static_cast<std::size_t>(text.data() + text.size() - stop)});
    if (value.is_list || error != std::errc{} || rest.empty() || starts_expression(rest)) return unit_name(q.measure);
    return std::string(rest);
}

std::optional<Quantity> evaluate_syntax(Flattening& work, const expression::Syntax& syntax, std::uint32_t root,
                                        SourcePosition position, const EvaluationScope& scope) {
    std::vector<SyntaxError> mistakes;
    auto result = evaluate(syntax, root, *work.graph.expressions, scope, mistakes);
    if (mistakes.empty()) return result;
    tell_user(work, Text{.text = syntax.text, .position = position}, scope.number,
              [&] { report_mistakes(work, syntax, mistakes, position, scope); });
    return result;
}

namespace {

// Constants are worked out as expressions are built, except where that gives no finite number: those stay as written.
bool has_non_finite_number(Flattening& work, const Quantity& q) {
    const auto entries = q.value.reshaped();
    return std::any_of(entries.begin(), entries.end(), [&](const Expr& x) {
        if (x.is_constant()) return !std::isfinite(x.constant());
        return work.leaves.of(*work.graph.expressions, x) == 0;
    });
}

// An expression that works out to no finite number is wrong here, unless it only passes on what has been reported.
std::optional<Quantity> evaluate_finite(Flattening& work, const expression::Syntax& syntax, const Text& text,
                                        EvaluationScope names) {
    SourcePosition start = text.position;
    if (text.quoted) ++start.column;
    bool passed_on = false;
    names.lookup = [&work, &passed_on, inner = names.lookup](const std::string& name) {
        auto q = inner(name);
        passed_on = passed_on || (q && has_non_finite_number(work, *q));
        return q;
    };
    auto q = evaluate_syntax(work, syntax, syntax.root, start, names);
    if (!q || passed_on || !has_non_finite_number(work, *q)) return q;
    work.diagnostics.error(
        "BG-X003", text.position, fmt::format("'{}' has no finite value", text.text),
        {{"because", "it divides by zero, takes a root or logarithm of a number that has none, or is too large"}});
    return std::nullopt;
}

}  // namespace

Quantity free_value(Flattening& work, std::uint32_t number, const Quantity& guess, SourcePosition position) {
    FreeParameter& parameter = work.graph.free_parameters[number];
    parameter.position = position;
    if (is_unknown(guess)) return guess;
    if (!guess.is_scalar() || !guess.value(0, 0).is_constant()) {
        work.diagnostics.error(
            "BG-M043", position,
            fmt::format("the guess of the free parameter '{}' is not a single known number", parameter.name));
        return unknown_quantity();
    }
    parameter.guess = guess.value(0, 0).constant();
    return Quantity::scalar(work.graph.free_parameter(number), guess.measure);
}

std::optional<Unit> parse_unit(Flattening& work, const Text& text) {
    auto unit = work.units.parse(text.text);
    if (!unit) {
        report_unknown_unit(text.text, text.position, suggested_unit(work.units, text.text), work.units,
                            work.diagnostics);
    }
    return unit;
}

namespace {

std::optional<Quantity> evaluate_written(Flattening& work, const Value& value, std::uint32_t scope,
                                         const EvaluationScope* meanings, const UnitFits& fits) {
    if (!value.is_list) {
        const auto is_name = [&](const std::string& word) { return work.scopes[scope].values.contains(word); };
        if (auto number = parse_number(value.scalar, work.units, work.diagnostics, is_name, fits)) return number;
        try {
            const auto syntax = expression::parse_expression(value.scalar.text);
            auto q = evaluate_finite(work, syntax, value.scalar, meanings ? *meanings : scope_of(work, scope));
            // 1.5/100 is as good as 0.015: a plain number, which may stand for anything.
            if (q && q->measure.kind == Measure::Kind::number) q->measure = {};
            return q;
        } catch (const SyntaxError& e) {
            work.diagnostics.error("BG-X001", position_at(value.scalar, e.offset()),
                                   e.what() + (e.suggestion().empty() ? "" : "; " + e.suggestion()));
            return std::nullopt;
        }
    }
    std::vector<Quantity> items;
    for (const Value& item : value.items) {
        auto q = evaluate_written(work, item, scope, meanings, fits);
        if (!q) return std::nullopt;
        items.push_back(*std::move(q));
    }
    if (items.empty()) {
        work.diagnostics.error("BG-M020", value.position(), "an empty list is no value");
        return std::nullopt;
    }
    const auto width = items.front().value.size();
    ExprMatrix m(static_cast<Eigen::Index>(items.size()), width);
    Measure measure = items.front().measure;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].value.size() != width || items[i].value.cols() != 1) {
            work.diagnostics.error("BG-M020", value.items[i].position(),
                                   "the rows of this list have different lengths");
            return std::nullopt;
        }
        m.row(static_cast<Eigen::Index>(i)) = items[i].value.col(0).transpose();
        if (items[i].measure.kind != measure.kind || items[i].measure.dimension != measure.dimension) measure = {};
    }
    return Quantity{m, measure};
}

}  // namespace

std::optional<Quantity> evaluate_value(Flattening& work, const Value& value, std::uint32_t scope,
                                       const EvaluationScope* meanings, const UnitFits& fits) {
    std::optional<Quantity> result;
    tell_user(work, value, scope, [&] { result = evaluate_written(work, value, scope, meanings, fits); });
    return result;
}

std::pair<std::size_t, std::size_t> shape_of(const Flattening& work, const Value& value, std::uint32_t scope,
                                             int depth) {
    if (value.is_list) {
        const bool matrix = !value.items.empty() && value.items.front().is_list;
        return {value.items.size(), matrix ? value.items.front().items.size() : 1};
    }
    const auto found = work.scopes[scope].values.find(value.scalar.text);
    if (found == work.scopes[scope].values.end() || depth > 50) return {1, 1};
    if (found->second.value == nullptr) return {std::max<std::size_t>(found->second.driven.size(), 1), 1};
    return shape_of(work, *found->second.value, found->second.evaluated_in, depth + 1);
}

bool is_matrix(const Flattening& work, const Value& value, std::uint32_t scope, int depth) {
    if (value.is_list) return !value.items.empty() && value.items.front().is_list;
    const auto found = work.scopes[scope].values.find(value.scalar.text);
    if (found == work.scopes[scope].values.end() || found->second.value == nullptr || depth > 50) return false;
    return is_matrix(work, *found->second.value, found->second.evaluated_in, depth + 1);
}

}  // namespace bondgraph::model
