#include "bondgraph/simulation/start_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bondgraph/base/numbers.hpp"

namespace bondgraph::simulation {

using compile::StartCondition;
using ConditionKind = StartCondition::Kind;

namespace {

constexpr std::size_t kMostNames = 6;

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t k = 0; k < names.size() && k < kMostNames; ++k) text += (k == 0 ? "" : ", ") + names[k];
    if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
    return text;
}

// "'C1.e' in line 6"
std::string placed(const StartProblem& p, const std::string& name, SourcePosition at, SourcePosition beside) {
    if (!at.known()) return fmt::format("'{}'", name);
    return fmt::format("'{}' in {}", name, p.graph().line_text(at, beside));
}

}  // namespace

void report_violated_law(const StartProblem& p, std::uint32_t r, std::span<const std::uint32_t> involved,
                         Diagnostics& diagnostics) {
    std::vector<std::pair<std::string, SourcePosition>> involved_ones;
    for (const std::uint32_t o : involved) {
        if (const StartCondition* c = p.condition(o)) involved_ones.emplace_back(c->name, c->position);
    }
    if (involved_ones.empty()) {
        for (const model::StartValue& s : p.fixed_starts(r)) involved_ones.emplace_back(s.variable, s.position);
    }
    const SourcePosition position = involved_ones.empty() ? SourcePosition{} : involved_ones.back().second;
    std::vector<std::string> conditions;
    for (const auto& [name, at] : involved_ones) conditions.push_back(placed(p, name, at, position));
    std::string law = p.row_text(r);
    diagnostics.error(
        "BG-I001", position, fmt::format("the start conditions are too many: together they violate {}", law),
        {{"where", conditions.empty() ? "the fixed start values" : listed(conditions)},
         {"try",
          "take one of these conditions away, or use guess: for it (a start: of an own type's state fixes it)"}});
}

void report_contradiction(const StartProblem& p, std::uint32_t r, const StartProblem::Sides& sides,
                          std::span<const std::uint32_t> involved, const std::vector<std::string>& open,
                          Diagnostics& diagnostics) {
    const StartCondition& c = *p.condition(r);
    std::string message;
    const auto [one, other] = told_apart(sides.left, sides.right);
    switch (c.kind) {
        case ConditionKind::value:
            message = fmt::format("start values contradict each other: '{}' is to be {}, but the others make it {}",
                                  c.name, other, one);
            break;
        case ConditionKind::equation:
            message =
                fmt::format("the initial equation '{}' contradicts the other conditions: they make its sides {} and {}",
                            c.name, one, other);
            break;
        case ConditionKind::steady:
            message = fmt::format("a steady start contradicts the other conditions: they make {} = {:.6g}", c.name,
                                  sides.left);
            break;
    }
    std::vector<std::string> conditions;
    std::vector<std::string> elements;
    for (const std::uint32_t o : involved) {
        if (const StartCondition* other = p.condition(o)) {
            conditions.push_back(placed(p, other->name, other->position, c.position));
        } else if (o < p.residual_count()) {
            std::string name = p.row_text(o);
            name = name.substr(name.find(" at ") + 4);
            if (std::find(elements.begin(), elements.end(), name) == elements.end()) elements.push_back(name);
        }
    }
    std::vector<DiagnosticNote> notes;
    if (!conditions.empty()) {
        notes.push_back({"where", "it depends on the same unknowns as " + listed(conditions)});
    } else if (elements.empty()) {
        notes.push_back({"where", "it depends on no state: nothing can make it so"});
    }
    if (!elements.empty()) notes.push_back({"because", "the laws of " + listed(elements) + " tie them together"});
    notes.push_back({"try", conditions.empty() ? "take this condition away, or make a parameter free that changes it"
                                               : "take one of these conditions away, or use guess: for it"});
    if (!open.empty()) notes.push_back({"note", "no condition determines " + listed(open)});
    diagnostics.error("BG-I001", c.position, message, notes);
}

void refuse_block(StartProblem& p, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                  const NonlinearResult& result, const std::vector<std::string>& open) {
    std::size_t worst = 0;
    for (std::size_t k = 1; k < rows.size() && k < result.residual.size(); ++k) {
        if (!(result.residual[k] <= result.residual[worst])) worst = k;
    }
    std::vector<std::string> names;
    for (const std::uint32_t c : columns) names.push_back(p.column_name(c));
    std::vector<std::string> conditions;
    for (const std::uint32_t r : rows) {
        if (p.condition(r) != nullptr) conditions.push_back(p.row_text(r));
    }
    std::vector<DiagnosticNote> notes;
    const bool singular = result.status == NonlinearResult::Status::singular;
    notes.push_back(
        {"where", fmt::format("{} {}", p.row_text(rows[worst]), singular ? "among others" : "is violated most")});
    if (singular) {
        notes.push_back({"because", "the equations don't determine these values: they are singular here"});
    } else if (result.status == NonlinearResult::Status::not_finite) {
        notes.push_back({"because", "an equation has no finite value at any of the points tried"});
    }
    if (result.status != NonlinearResult::Status::not_finite) {
        const auto [left, right] = p.sides(rows[worst]);
        const auto [one, other] = told_apart(left, right);
        notes.push_back({"note", fmt::format("the nearest that was found makes its sides {} and {}, {:.3g} apart", one,
                                             other, std::abs(left - right))});
    }
    notes.push_back({"note", "tried: Newton's method, line search, other starting points, homotopy, least squares"});
    if (!open.empty()) notes.push_back({"note", "taken as 0 for want of a condition: " + listed(open)});
    notes.push_back({"try", conditions.empty()
                                ? "give a guess: near the solution, or check that the laws have a common solution"
                                : "give a guess: near the solution, or take away " + listed(conditions)});
    Diagnostics d;
    d.error("BG-I003", p.row_position(rows[worst]), fmt::format("no start was found for {}", listed(names)), notes);
    throw ModelError(d.items());
}

void refuse_not_finite(std::span<const StartCondition* const> conditions, std::span<const double> values) {
    Diagnostics d;
    for (std::size_t k = 0; k < conditions.size(); ++k) {
        if (std::isfinite(values[k])) continue;
        d.error("BG-I002", conditions[k]->position,
                fmt::format("the start value of '{}' is not finite", conditions[k]->name),
                {{"because",
                  "with the parameters as they are it divides by zero, takes a root or logarithm of a number that has "
                  "none, or is too large"},
                 {"try", "other parameters, or another start value"}});
    }
    d.throw_if_errors();
}

}  // namespace bondgraph::simulation
