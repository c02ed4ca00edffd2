#include "mechanics3d/parameters.hpp"

#include <fmt/format.h>

namespace bondgraph::mechanics3d {

using namespace model;

Vec3 vector_or(const LawContext& k, std::string_view parameter, const Vec3& otherwise) {
    const Quantity* q = k.element().parameter(parameter);
    return q == nullptr ? otherwise : Vec3(q->value.col(0));
}

Expr scalar_or(const LawContext& k, std::string_view parameter, double otherwise) {
    return k.has(parameter) ? k.scalar(parameter) : Expr(otherwise);
}

Vec3 unit_or(const LawContext& k, std::string_view parameter, const Vec3& otherwise) {
    const Vec3 v = vector_or(k, parameter, otherwise);
    const Expr length = expression::sqrt(dot(v, v));
    return vec3(v(0) / length, v(1) / length, v(2) / length);
}

std::size_t choice(const LawContext& k, std::string_view parameter) {
    const Quantity* q = k.element().parameter(parameter);
    return q == nullptr ? 0 : static_cast<std::size_t>(q->value(0, 0).constant());
}

ParameterSpec arm(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::vector, .unit = "m", .required = false};
}

ParameterSpec direction(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::vector, .required = false};
}

ParameterSpec number(std::string_view name, std::string_view doc, std::string_view unit,
                     std::optional<double> by_default) {
    return {.name = name,
            .doc = doc,
            .shape = Shape::scalar,
            .default_value = by_default,
            .unit = unit,
            .required = !by_default.has_value()};
}

ParameterSpec locked() {
    return {.name = "locked",
            .doc = "condition under which the coordinate stands still",
            .shape = Shape::scalar,
            .required = false,
            .condition = true};
}

void check_vector(const LawContext& k, std::string_view parameter, Diagnostics& diagnostics) {
    const Quantity* q = k.element().parameter(parameter);
    if (q == nullptr || (q->value.rows() == 3 && q->value.cols() == 1)) return;
    diagnostics.error("BG-M020", k.element().position,
                      fmt::format("'{}' of '{}' is a list of three values, this has {}", parameter, k.element().name,
                                  q->value.size()));
}

void check_direction(const LawContext& k, std::string_view parameter, Diagnostics& diagnostics) {
    const Quantity* q = k.element().parameter(parameter);
    if (q == nullptr) return;
    const std::size_t before = diagnostics.error_count();
    check_vector(k, parameter, diagnostics);
    if (diagnostics.error_count() > before) return;
    double length = 0.0;
    for (const Expr& x : q->value.reshaped()) {
        if (!x.is_constant()) {
            diagnostics.error("BG-M020", k.element().position,
                              fmt::format("'{}' of '{}' is a direction of known numbers", parameter, k.element().name));
            return;
        }
        length += x.constant() * x.constant();
    }
    if (length > 0.0) return;
    diagnostics.error("BG-F002", k.element().position,
                      fmt::format("'{}' of '{}' has length 0: it points nowhere", parameter, k.element().name),
                      {{"try", "give a direction such as [0, 0, 1]"}});
}

}  // namespace bondgraph::mechanics3d
