#pragma once

#include "bondgraph/model/law_context.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

// Default shapes of components, for pictures of their motion. Lengths without a value of their own are those of a
// mechanism of about a metre.

inline constexpr double kShapeSize = 0.1;  ///< m: of what has no lengths of its own

/// A shape from a point of a connector's frame along a direction given in that frame.
model::Shape3D shape_along(const model::LawContext& k, std::string_view kind, std::string_view connector,
                           const Vec3& from, const Vec3& direction, Expr length, Expr width, Expr height);
/// A disc or sphere of revolution about `axis` through the origin of a connector's frame, turned about it by `angle`.
model::Shape3D shape_about(const model::LawContext& k, std::string_view kind, std::string_view connector,
                           const Vec3& axis, Expr length, Expr diameter, Expr angle = Expr(0.0));
/// The same shape, with sizes that are none of the model's lengths.
model::Shape3D nominal(model::Shape3D shape);
/// The same shape, with a width that is none of the model's lengths.
model::Shape3D of_nominal_thickness(model::Shape3D shape);
/// An arrow from the origin of a connector's frame along a vector given in the world, as long as that.
model::Shape3D arrow_at(const model::LawContext& k, std::string_view measures, std::string_view connector,
                        const Vec3& vector);
/// The same from a point of the world. A vector of length 0 has an orientation as well.
model::Shape3D arrow_from(std::string_view measures, const Vec3& x, const Vec3& vector);
/// A shape between the origins of two connectors.
model::Shape3D shape_between(const model::LawContext& k, std::string_view kind, Expr width,
                             std::string_view from = "frame_a", std::string_view to = "frame_b");
/// One that a type of the file declares.
model::Shape3D declared_shape(const model::BondGraph& graph, const model::DeclaredShape& shape);

std::vector<model::Shape3D> joint_shape(const model::LawContext& k);   ///< along the axis n (or n_a)
std::vector<model::Shape3D> ball_shape(const model::LawContext& k);    ///< at frame_a
std::vector<model::Shape3D> block_shape(const model::LawContext& k);   ///< at frame_a, along its axes
std::vector<model::Shape3D> fixed_shape(const model::LawContext& k);   ///< the same at frame_b
std::vector<model::Shape3D> rod_shape(const model::LawContext& k);     ///< along r
std::vector<model::Shape3D> mass_shape(const model::LawContext& k);    ///< at r_CM
std::vector<model::Shape3D> spring_shape(const model::LawContext& k);  ///< between the frames
std::vector<model::Shape3D> line_shape(const model::LawContext& k);    ///< the same, as a cylinder

}  // namespace bondgraph::mechanics3d
