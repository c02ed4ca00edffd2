// Values of parameters against what their types ask for: shapes, units, bounds, tables.

#include "bondgraph/model/parameter_checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bondgraph/model/operations.hpp"

namespace bondgraph::model {

namespace {

// Rows [x, y] with increasing x; a number stands for a constant (a time table has to vary).
void check_table(Flattening& work, bool time, const Value& value, const Quantity& q) {
    if (q.is_scalar() && !time) return;
    if (q.value.cols() != 2 || (time && q.value.rows() < 2)) {
        work.diagnostics.error("BG-M020", value.position(),
                               time ? "a time table is a list of at least two rows [time, value]"
                                    : "a table is a list of rows [x, y], or a number");
        return;
    }
    for (Eigen::Index r = 0; r < q.value.rows(); ++r) {
        const SourcePosition at =
            value.items.empty() ? value.position() : value.items[static_cast<std::size_t>(r)].position();
        if (!q.value(r, 0).is_constant() || !q.value(r, 1).is_constant()) {
            work.diagnostics.error("BG-M020", at,
                                   fmt::format("the points of a {}table are known numbers", time ? "time " : ""));
            return;
        }
        if (r == 0 || q.value(r, 0).constant() > q.value(r - 1, 0).constant()) continue;
        if (time) {
            work.diagnostics.error("BG-M013", at, "the times of a time table must increase from row to row",
                                   {{"try", "for a jump add a Step, or place two points a short time apart"}});
        } else {
            work.diagnostics.error("BG-M013", at, "the first column of a table must increase from row to row");
        }
        return;
    }
}

void check_unit(Flattening& work, const Element& e, const ParameterSpec& spec, const Value& value, const Quantity& q) {
    const auto unit = work.units.parse(std::string(spec.unit));
    if (unit && value.is_list && !q.measure.known() && !spec.own_names) {
        const auto& origin = work.origins[static_cast<std::size_t>(&e - work.graph.elements.data())];
        for (const Value& item : value.items) {
            if (const auto single = evaluate_value(work, item, origin.scope)) check_unit(work, e, spec, item, *single);
        }
        return;
    }
    if (!unit || !differ(q.measure, Measure::of(*unit))) return;
    work.diagnostics.error("BG-U002", value.position(),
                           fmt::format("'{}' of '{}' is in {}, not {}", spec.name, e.name,
                                       spec.unit == "1" ? "plain numbers" : spec.unit, written_unit(value, q)),
                           turns_notes(value.scalar.text, q.measure, Measure::of(*unit)));
}

/// What to write in place of a vector where a single value is due: of a name its first component.
std::string single_value_advice(const Value& source) {
    const std::string& text = source.scalar.text;
    const bool name = !source.is_list && !text.empty() && text.find_first_of(" +-*/^(),[]<>=!") == std::string::npos;
    return name ? fmt::format("say which of its components, as in '{}[1]'", text)
                : "give a single value: of a vector v, v[1] is the first component";
}

std::string shown_source(const Value& source) {
    return source.is_list ? std::string("what it is given") : fmt::format("'{}'", source.scalar.text);
}

void report_driven_shape(Flattening& work, const Value& source, std::string what) {
    work.diagnostics.error("BG-M020", source.position(), std::move(what), {{"try", single_value_advice(source)}});
}

}  // namespace

const Setting* find_setting(const ComponentDeclaration& declaration, std::string_view name) {
    for (const Setting& s : declaration.settings) {
        if (s.key.text == name) return &s;
    }
    return nullptr;
}

void check_number(Flattening& work, std::uint32_t index, std::size_t k, const Value& value, const Quantity& q) {
    const Element& e = work.graph.elements[index];
    const ParameterSpec& spec = e.type->parameters[k];
    const bool truth = value.scalar.text == "true" || value.scalar.text == "false";
    if (truth && !value.is_list && !spec.condition && spec.dimension.checked) {
        work.diagnostics.error("BG-M020", value.position(),
                               fmt::format("'{}' of '{}' is a number, not true or false", spec.name, e.name));
        return;
    }
    if (spec.shape == Shape::table) return check_table(work, spec.over_time, value, q);
    if (!spec.unit.empty()) check_unit(work, e, spec, value, q);
    if (spec.shape == Shape::scalar && !q.is_scalar()) {
        if (e.owner.valid() && find_setting(*work.origins[e.owner.index()].declaration, spec.name) != nullptr)
            return;  // its owner has handed it on, and the same was said of the owner
        work.diagnostics.error("BG-M020", value.position(),
                               fmt::format("'{}' of '{}' is a single value, not a list", spec.name, e.name));
        return;
    }
    if (spec.shape == Shape::vector && q.value.cols() != 1) {
        work.diagnostics.error("BG-M020", value.position(),
                               fmt::format("'{}' of '{}' is a list, not a matrix", spec.name, e.name));
        return;
    }
    for (Eigen::Index r = 0; r < q.value.rows(); ++r) {
        for (Eigen::Index c = 0; c < q.value.cols(); ++c) {
            if (!q.value(r, c).is_constant()) continue;
            if (r != c && q.value.cols() > 1) continue;  // bounds hold for scalars, vectors and diagonals
            const double v = q.value(r, c).constant();
            if (std::isnan(v)) return;  // already reported
            if (!spec.minimum || v > *spec.minimum || (v == *spec.minimum && !spec.exclusive_minimum)) continue;
            work.diagnostics.error("BG-M013", value.position(),
                                   fmt::format("'{}' of '{}' must be {} {:g}, it is {:g}", spec.name, e.name,
                                               spec.exclusive_minimum ? "greater than" : "at least", *spec.minimum, v));
            return;
        }
    }
}

bool check_driven_shape(Flattening& work, std::uint32_t index, std::size_t k, const Text& source, const Quantity& q) {
    const Element& e = work.graph.elements[index];
    const ParameterSpec& spec = e.type->parameters[k];
    Value value;
    value.scalar = source;
    const std::size_t errors = work.diagnostics.error_count();
    const char* due = spec.shape == Shape::scalar                          ? "is a single value"
                      : spec.shape == Shape::vector && q.value.cols() != 1 ? "is a list"
                                                                           : nullptr;
    if (spec.shape == Shape::table) {
        check_table(work, spec.over_time, value, q);
    } else if (due != nullptr && !q.is_scalar()) {
        report_driven_shape(
            work, value,
            fmt::format("'{}' of '{}' {}, '{}' is {}", spec.name, e.name, due, source.text, shape_text(q.value)));
    }
    return work.diagnostics.error_count() == errors;
}

bool check_single_input(Flattening& work, std::uint32_t index, std::string_view input, const Value& source,
                        const Quantity& q) {
    if (q.is_scalar()) return true;
    report_driven_shape(work, source,
                        fmt::format("the input '{}.{}' is a single value, {} is {}", work.graph.elements[index].name,
                                    input, shown_source(source), shape_text(q.value)));
    return false;
}

}  // namespace bondgraph::model
