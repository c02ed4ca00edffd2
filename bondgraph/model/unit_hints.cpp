// What was probably meant where a unit is wrong, or stands where none can.

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/base/unit_text.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::SyntaxError;

std::string suggested_unit(const UnitSystem& units, std::string_view text, const UnitFits& fits) {
    std::string hint = units.suggest(text);
    if (!fits) return hint;
    const auto fitting = [&](std::string_view unit) {
        const auto known = units.parse(unit);
        return known && fits(*known);
    };
    if (fitting(hint)) return hint;
    std::string other = suggest_fitting_unit(text, fitting);
    return other.empty() ? hint : other;
}

UnitFits units_like(const UnitSystem& units, std::string_view unit) {
    return [&units, unit](const Unit& given) {
        const auto wanted = units.parse(unit);
        return wanted && wanted->dimension == given.dimension;
    };
}

UnitFits units_of(const UnitSystem& units, const ParameterSpec& spec) {
    if (!spec.unit.empty()) return units_like(units, spec.unit);
    if (!spec.dimension.checked) return {};
    return [rule = spec.dimension](const Unit& given) {
        const std::size_t seconds = rule.uses_second_port() ? domains().size() : 2;
        for (std::size_t a = 1; a < domains().size(); ++a) {
            for (std::size_t b = 1; b < seconds; ++b) {
                if (rule.in(static_cast<DomainIndex>(a), static_cast<DomainIndex>(b)) == given.dimension) return true;
            }
        }
        return false;
    };
}

namespace {

/// "12*V": the number before a unit that is taken for a name; nothing where the name at that place is something else.
std::optional<std::string> quantity_with_name(const Flattening& work, const expression::Syntax& syntax,
                                              std::uint32_t offset, const EvaluationScope& scope) {
    using expression::SyntaxKind;
    for (const expression::SyntaxNode& node : syntax.nodes) {
        if (node.kind != SyntaxKind::binary || node.text != "*") continue;
        const expression::SyntaxNode& left = syntax.nodes[node.children[0]];
        const expression::SyntaxNode& name = syntax.nodes[node.children[1]];
        if (left.kind != SyntaxKind::number || name.kind != SyntaxKind::name || name.offset != offset) continue;
        if (scope.lookup(name.text) || !work.units.parse(name.text)) return std::nullopt;
        return fmt::format("{:g} {}", left.number, name.text);
    }
    return std::nullopt;
}

}  // namespace

void report_mistakes(Flattening& work, const expression::Syntax& syntax, std::span<const SyntaxError> mistakes,
                     SourcePosition position, const EvaluationScope& scope) {
    for (const SyntaxError& e : mistakes) {
        const SourcePosition place = position_at(position, syntax.text, false, e.offset());
        const auto quantity = quantity_with_name(work, syntax, e.offset(), scope);
        if (!quantity) {
            work.diagnostics.error("BG-X001", place, e.what());
            continue;
        }
        const auto blank = std::ranges::find(*quantity, ' ');
        const std::string unit(blank == quantity->end() ? blank : blank + 1, quantity->end());
        work.diagnostics.error(
            "BG-X001", place, fmt::format("unknown name '{}'; units can't stand in an expression", unit),
            {{"try", fmt::format("write '{}' where that is the whole value; else give '{}' to a parameter and write "
                                 "its name here",
                                 *quantity, *quantity)}});
    }
}

}  // namespace bondgraph::model
