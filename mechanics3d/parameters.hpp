#pragma once

#include <optional>

#include "bondgraph/model/law_context.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

/// A vector parameter, or what stands for it where none was given.
Vec3 vector_or(const model::LawContext& k, std::string_view parameter, const Vec3& otherwise);
Expr scalar_or(const model::LawContext& k, std::string_view parameter, double otherwise);
/// The same with length 1.
Vec3 unit_or(const model::LawContext& k, std::string_view parameter, const Vec3& otherwise);
/// The word chosen for a parameter of kind choice, as its number among the choices.
std::size_t choice(const model::LawContext& k, std::string_view parameter);

/// A vector of lengths in the frame it is given in; optional, 0 by default.
model::ParameterSpec arm(std::string_view name, std::string_view doc);
/// A direction: a vector of any length but 0.
model::ParameterSpec direction(std::string_view name, std::string_view doc);
/// A number with a unit.
model::ParameterSpec number(std::string_view name, std::string_view doc, std::string_view unit,
                            std::optional<double> by_default = {});
/// The same of a value that may change with time: no velocity and no inertia depends on it.
model::ParameterSpec varying(model::ParameterSpec parameter);
/// `locked`: a condition.
model::ParameterSpec locked();

/// Reports a direction of length 0 (BG-F002) or one that is not three known numbers (BG-M020).
void check_direction(const model::LawContext& k, std::string_view parameter, Diagnostics& diagnostics);
/// Reports two directions that are parallel (BG-F008); what stands for one that was not given is named as the default.
void check_not_parallel(const model::LawContext& k, std::string_view a, const Vec3& default_a, std::string_view b,
                        const Vec3& default_b, std::string_view because, Diagnostics& diagnostics);
/// Warns of a direction given that is not perpendicular to another: only its part across that counts (BG-F009).
void check_perpendicular(const model::LawContext& k, std::string_view given, std::string_view to,
                         const Vec3& default_to, Diagnostics& diagnostics);
/// Reports a ratio that is a known 0 (BG-M013).
void check_ratio(const model::LawContext& k, Diagnostics& diagnostics);
/// Whether the file gives a parameter; others may have a default.
bool is_given(const model::LawContext& k, std::string_view parameter);
/// Where the file gives a parameter, or the component itself.
SourcePosition place_of(const model::LawContext& k, std::string_view parameter);
/// Reports a vector that has not three components (BG-M020).
void check_vector(const model::LawContext& k, std::string_view parameter, Diagnostics& diagnostics);

}  // namespace bondgraph::mechanics3d
