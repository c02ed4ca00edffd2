#include "mechanics3d/parameters.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

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
    return {.name = name, .doc = doc, .shape = Shape::vector, .unit = "1", .required = false};
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

ParameterSpec varying(ParameterSpec parameter) {
    parameter.may_vary = true;
    return parameter;
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

namespace {

/// Three known numbers with a length, or nothing: reported elsewhere.
std::optional<std::array<double, 3>> known_direction(const LawContext& k, std::string_view parameter,
                                                     const Vec3& otherwise) {
    const Quantity* q = k.element().parameter(parameter);
    if (q != nullptr && (q->value.rows() != 3 || q->value.cols() != 1)) return std::nullopt;
    const Vec3 given = vector_or(k, parameter, otherwise);
    std::array<double, 3> v{};
    double length = 0.0;
    for (Eigen::Index i = 0; i < 3; ++i) {
        if (!given(i).is_constant()) return std::nullopt;
        v[static_cast<std::size_t>(i)] = given(i).constant();
        length += given(i).constant() * given(i).constant();
    }
    if (!(length > 0.0)) return std::nullopt;
    for (double& x : v) x /= std::sqrt(length);
    return v;
}

double cosine(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The sine of an angle below which two directions are taken as parallel.
constexpr double kParallel = 1e-6;

std::string named(const LawContext& k, std::string_view parameter, const std::array<double, 3>& value) {
    if (k.has(parameter)) return fmt::format("'{}'", parameter);
    return fmt::format("'{}' (by default [{:g}, {:g}, {:g}])", parameter, value[0], value[1], value[2]);
}

}  // namespace

SourcePosition place_of(const LawContext& k, std::string_view parameter) {
    const Element& e = k.element();
    for (std::size_t p = 0; p < e.type->parameters.size(); ++p) {
        if (e.type->parameters[p].name == parameter && p < e.parameter_positions.size() &&
            e.parameter_positions[p].known())
            return e.parameter_positions[p];
    }
    return e.position;
}

bool is_given(const LawContext& k, std::string_view parameter) {
    return k.has(parameter) && place_of(k, parameter) != k.element().position;
}

void check_not_parallel(const LawContext& k, std::string_view a, const Vec3& default_a, std::string_view b,
                        const Vec3& default_b, std::string_view because, Diagnostics& diagnostics) {
    const auto first = known_direction(k, a, default_a);
    const auto second = known_direction(k, b, default_b);
    if (!first || !second) return;
    const double along = cosine(*first, *second);
    if (1.0 - along * along > kParallel * kParallel) return;
    diagnostics.error(
        "BG-F008", place_of(k, k.has(b) ? b : a),
        fmt::format("{} and {} of '{}' are parallel", named(k, a, *first), named(k, b, *second), k.element().name),
        {{"because", std::string(because)}, {"try", "give two directions at an angle to each other"}});
}

void check_perpendicular(const LawContext& k, std::string_view given, std::string_view to, const Vec3& default_to,
                         Diagnostics& diagnostics) {
    if (!k.has(given)) return;
    const auto first = known_direction(k, given, default_to);
    const auto second = known_direction(k, to, default_to);
    if (!first || !second) return;
    const double along = std::abs(cosine(*first, *second));
    if (along < kParallel || 1.0 - along * along <= kParallel * kParallel) return;
    diagnostics.warning(
        "BG-F009", place_of(k, given),
        fmt::format("'{}' of '{}' is not perpendicular to {}", given, k.element().name, named(k, to, *second)),
        {{"because", "only its part in the plane counts"}});
}

void check_ratio(const LawContext& k, Diagnostics& diagnostics) {
    const Expr ratio = k.scalar("ratio");
    if (!ratio.is_constant() || ratio.constant() != 0.0) return;
    diagnostics.error("BG-M013", place_of(k, "ratio"), fmt::format("'ratio' of '{}' is 0", k.element().name),
                      {{"because", "then one side stands still whatever the other does: nothing is geared"},
                       {"try", "give the turns of a for one turn of b, negative where they turn against each other"}});
}

}  // namespace bondgraph::mechanics3d
