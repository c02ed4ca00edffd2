// Values of `experiment:` and of command-line options as numbers.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::SyntaxError;

double number_in(const Value& value, const BondGraph& graph, const UnitSystem& units, std::optional<Measure> measure,
                 std::optional<double> time, std::string_view unit) {
    Diagnostics diagnostics;
    std::optional<Quantity> result = value.is_list ? std::nullopt : parse_number(value.scalar, units, diagnostics);
    const bool formula = !result && !graph.parameters.contains(value.scalar.text);
    if (!result && !value.is_list) {
        try {
            const auto syntax = expression::parse_expression(value.scalar.text);
            const EvaluationScope scope{.lookup = [&](const std::string& name) -> std::optional<Quantity> {
                                            const auto found = graph.parameters.find(name);
                                            if (found == graph.parameters.end()) return std::nullopt;
                                            return found->second;
                                        },
                                        .derivative = {},
                                        .candidates =
                                            [&] {
                                                std::vector<std::string> names;
                                                for (const auto& [name, q] : graph.parameters) names.push_back(name);
                                                std::sort(names.begin(), names.end());
                                                return names;
                                            }};
            std::vector<SyntaxError> mistakes;
            result = evaluate(syntax, syntax.root, *graph.expressions, scope, mistakes);
            for (const SyntaxError& e : mistakes)
                diagnostics.error("BG-X001", position_at(value.scalar, e.offset()), e.what());
        } catch (const SyntaxError& e) {
            diagnostics.error("BG-X001", position_at(value.scalar, e.offset()), e.what());
        }
    }
    if (!result && !diagnostics.has_errors())
        diagnostics.error("BG-M020", value.position(), "a single number is expected here");
    diagnostics.throw_if_errors();
    const Measure& m = result->measure;
    if (measure && !(formula && time) && differ(m, *measure)) {
        diagnostics.error("BG-U002", value.position(),
                          fmt::format("'{}' is in {}; {} is expected here", value.scalar.text, unit_name(m),
                                      !unit.empty()                       ? std::string(unit)
                                      : measure->dimension == Dimension{} ? "a number without a unit"
                                                                          : unit_name(*measure)),
                          turns_notes(value.scalar.text, m, *measure));
    }
    double number = std::numeric_limits<double>::quiet_NaN();
    const Expr e = result->value(0, 0);
    if (e.is_constant()) {
        number = e.constant();
    } else if (time) {
        const Expr at = *time;
        const std::array roots{e};
        const auto replaced =
            expression::substitute(*graph.expressions, roots, [&](std::uint32_t node) -> std::optional<Expr> {
                if ((*graph.expressions)[node].op == expression::Op::time) return at;
                return std::nullopt;
            });
        if (replaced[0].is_constant()) number = replaced[0].constant();
    }
    if (!std::isfinite(number)) {
        diagnostics.error("BG-X003", value.position(), fmt::format("'{}' has no finite value here", value.scalar.text));
    }
    diagnostics.throw_if_errors();
    return number;
}

}  // namespace bondgraph::model
