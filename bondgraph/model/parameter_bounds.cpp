// Bounds of declared parameters.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "bondgraph/model/arrays.hpp"
#include "bondgraph/model/library_positions.hpp"
#include "bondgraph/model/parameter_checks.hpp"

namespace bondgraph::model {
namespace {

class BoundCheck {
   public:
    BoundCheck(Flattening& work, std::uint32_t scope, const ParameterDeclaration& d, ScopeValue& v)
        : work_(work), scope_(scope), d_(d), v_(v) {}

    void run() {
        if (d_.whole) whole();
        for (const Bound& bound : {Bound{"min", "at least", d_.min, false, false},
                                   {"max", "at most", d_.max, true, false},
                                   {"above", "greater than", d_.above, false, true},
                                   {"below", "less than", d_.below, true, true}}) {
            if (bound.value) check(bound);
        }
        if (contradictory_) v_.result = unknown_quantity();  // which of the two is wrong can't be told
    }

   private:
    void whole() {
        for (auto& entry : v_.result.value.reshaped()) {
            if (!entry.is_constant()) {
                if (parameter_in(work_.graph, entry))
                    work_.graph.bounds.push_back({.name = work_.scopes[scope_].prefix + d_.name.text,
                                                  .value = entry,
                                                  .whole = true,
                                                  .words = "a whole number",
                                                  .position = v_.value->position()});
                continue;
            }
            const double value = entry.constant();
            if (std::isnan(value)) return;  // already reported
            const double nearest = std::round(value);
            if (std::abs(value - nearest) <= kRounded * std::max(1.0, std::abs(value))) continue;
            work_.diagnostics.error("BG-M013", v_.value->position(),
                                    fmt::format("'{}' must be a whole number, it is {}", d_.name.text, shown(value)));
            v_.result = unknown_quantity();  // which number was meant can't be told
            return;
        }
    }

    /// A value as written, with what it works out to where that is an expression.
    std::string shown(double value) const {
        const std::string& text = v_.value->scalar.text;
        const Measure& m = v_.result.measure;
        const bool has_unit = m.known() && m.dimension != Dimension{};
        const std::string number = has_unit ? fmt::format("{:g} {}", value, unit_name(m)) : fmt::format("{:g}", value);
        if (v_.value->is_list) return number;
        return is_formula(text) ? fmt::format("{} = {}", text, number) : text;
    }

    /// Neither a number nor one with a unit, which is no expression.
    static bool is_formula(const std::string& text) {
        try {
            const expression::Syntax syntax = expression::parse_expression(text);
            const expression::SyntaxNode* root = &syntax.nodes[syntax.root];
            while (root->kind == expression::SyntaxKind::unary) root = &syntax.nodes[root->children[0]];
            return root->kind != expression::SyntaxKind::number;
        } catch (const expression::SyntaxError&) {
            return false;
        }
    }

    struct Bound {
        std::string_view key;
        std::string_view words;  ///< "must be at least"
        const std::optional<Value>& value;
        bool upper = false;
        bool exclusive = false;
    };

    void check(const Bound& bound) {
        const auto limit = evaluate_value(work_, *bound.value, scope_);
        if (!limit || !fits(bound, *limit) || keeps(bound, *limit)) return;
        if (!limit->value(0, 0).is_constant() || !v_.result.value(0, 0).is_constant()) return;
        const double at = limit->value(0, 0).constant();
        const double value = v_.result.value(0, 0).constant();
        if (std::isnan(value) || std::isnan(at)) return;  // already reported
        if (bound.upper ? value < at : value > at) return;
        if (!bound.exclusive && value == at) return;
        work_.diagnostics.error("BG-M013", v_.value->position(),
                                fmt::format("'{}' must be {} {}, it is {}", d_.name.text, bound.words,
                                            bound.value->scalar.text, shown(value)));
        if (bound.exclusive)
            v_.result = unknown_quantity();  // what it is handed on to has nothing to say of it
        else
            v_.result.value(0, 0) = limit->value(0, 0);
    }

    /// Of parameters that are inputs or found at the start, bounds are looked at then: whether this is one.
    bool keeps(const Bound& bound, const Quantity& limit) {
        if (is_unknown(limit) || is_unknown(v_.result)) return false;
        const std::array sides{v_.result.value(0, 0), limit.value(0, 0)};
        if (!parameter_in(work_.graph, sides[0]) && !parameter_in(work_.graph, sides[1])) return false;
        work_.graph.bounds.push_back({.name = work_.scopes[scope_].prefix + d_.name.text,
                                      .value = sides[0],
                                      .limit = sides[1],
                                      .upper = bound.upper,
                                      .exclusive = bound.exclusive,
                                      .words = fmt::format("{} {}", bound.words, bound.value->scalar.text),
                                      .position = v_.value->position()});
        return true;
    }

    /// Whether a bound is in the unit of the parameter; reported otherwise.
    bool fits(const Bound& checked, const Quantity& limit) {
        const Value& bound = *checked.value;
        const auto unit = d_.unit ? work_.units.parse(d_.unit->text) : std::nullopt;
        const Measure wanted = unit ? Measure::of(*unit) : v_.result.measure;
        if (!limit.measure.known() || !wanted.known() || !differ(limit.measure, wanted)) return true;
        // What is given where the type is used is measured by the declaration, not the reverse.
        if (!unit && (!d_.value || v_.value != &*d_.value)) {
            work_.diagnostics.error(
                "BG-U002", v_.value->position(),
                fmt::format("'{}' is in {}, but '{}' is in {} by its '{}'", v_.value->scalar.text,
                            written_unit(*v_.value, v_.result), d_.name.text, written_unit(bound, limit), checked.key),
                turns_notes(v_.value->scalar.text, v_.result.measure, limit.measure));
            v_.result.measure = limit.measure;
            return false;
        }
        work_.diagnostics.error("BG-U002", bound.position(),
                                fmt::format("'{}' of '{}' is in {}, but '{}' is in {}", checked.key, d_.name.text,
                                            written_unit(bound, limit), d_.name.text,
                                            unit ? d_.unit->text : written_unit(*v_.value, v_.result)),
                                turns_notes(bound.scalar.text, limit.measure, wanted));
        contradictory_ = contradictory_ || !unit;
        return false;
    }

    Flattening& work_;
    std::uint32_t scope_;
    const ParameterDeclaration& d_;
    ScopeValue& v_;
    bool contradictory_ = false;  ///< the value is in another unit than its own bound
};

}  // namespace

void check_declared(Flattening& work, std::uint32_t scope, ScopeValue& v) {
    if (v.checked || v.declaration == nullptr || v.value == nullptr || !v.declaration->choices.empty()) return;
    v.checked = true;
    const ParameterDeclaration& d = *v.declaration;
    const Measure m = v.result.measure;
    const auto unit = d.unit ? parse_unit(work, *d.unit) : std::nullopt;
    if (unit && differ(m, Measure::of(*unit))) {
        tell_user(work, *v.value, v.evaluated_in, [&] {
            work.diagnostics.error("BG-U002", v.value->position(),
                                   fmt::format("'{}' is in {}, but '{}' is declared in {}", v.value->scalar.text,
                                               unit_name(m), d.name.text, d.unit->text),
                                   turns_notes(v.value->scalar.text, m, Measure::of(*unit)));
        });
        v.result.measure = Measure::of(*unit);
    }
    tell_user(work, *v.value, v.evaluated_in, [&] { BoundCheck(work, scope, d, v).run(); });
}

}  // namespace bondgraph::model
