#include "mechanics3d/shapes.hpp"

#include "converters/frames.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/planar.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

constexpr double kJoint = kShapeSize;
constexpr double kMass = 0.11;     ///< m
constexpr double kSlender = 0.05;  ///< width of rods and arrows for a length of 1

Expr without_event(expression::Op relation, Expr a, Expr b) {
    return apply(expression::Op::no_event, apply(relation, a, b));
}

Vec3 either(Expr condition, const Vec3& yes, const Vec3& no) {
    return vec3(if_else(condition, yes(0), no(0)), if_else(condition, yes(1), no(1)),
                if_else(condition, yes(2), no(2)));
}

// Length and direction of any vector: 0 has the direction x, and squares neither overflow nor vanish.
struct Directed {
    Expr length;
    Vec3 direction;
};

Directed directed(const Vec3& v) {
    const Expr largest = max(max(abs(v(0)), abs(v(1))), abs(v(2)));
    const Expr nothing = without_event(expression::Op::less_equal, largest, 0.0);
    const Vec3 part = either(nothing, vec3(1.0, 0.0, 0.0), vec3(v(0) / largest, v(1) / largest, v(2) / largest));
    const Expr length = sqrt(dot(part, part));
    return {largest * length, scaled(Expr(1.0) / length, part)};
}

// The frame with its x-axis along a vector. The other axes follow a direction that hardly any part has, so that they
// turn smoothly with the vector; next to it they follow another.
Mat3 frame_along(const Vec3& v) {
    const Vec3 x = directed(v).direction;
    const Vec3 aside = vec3(0.31, 0.53, 0.79);
    const Vec3 across = cross(x, aside);
    const Expr parallel = without_event(expression::Op::less, dot(across, across), 1e-4);
    return from_two_axes(x, either(parallel, vec3(0.53, -0.31, 0.0), aside));
}

// The same with the y-axis as near to that of the frame as may be, for what is not the same all around; where x lies
// along that, as near to the frame's x.
Mat3 axes_near_the_frames(const Vec3& v) {
    const Vec3 x = directed(v).direction;
    const Expr parallel = without_event(expression::Op::less, x(0) * x(0) + x(2) * x(2), 1e-8);
    return from_two_axes(x, either(parallel, vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0)));
}

bool is_zero(const Vec3& v) {
    return std::all_of(v.begin(), v.end(), [](const Expr& x) { return x.is_constant(0.0); });
}

// What moves in the plane is shown at z = 0.
Pose pose_in_space(const LawContext& k, std::string_view connector) {
    if (k.element().connector(connector)->type != &converters::kPlanarFrame) return pose_of(k, connector);
    const PlanarPose pose = planar_pose_of(k, connector);
    return {vec3(pose.x(0), pose.x(1), 0.0), planar_rotation(vec3(0.0, 0.0, 1.0), pose.phi)};
}
Vec3 vector_in_space(const LawContext& k, std::string_view parameter, const Vec3& otherwise) {
    const Quantity* q = k.element().parameter(parameter);
    if (q == nullptr || q->value.rows() == 3) return vector_or(k, parameter, otherwise);
    return vec3(q->value(0, 0), q->value(1, 0), 0.0);
}

Shape3D block_at(const LawContext& k, std::string_view connector) {
    const Pose pose = pose_in_space(k, connector);
    const Vec3 start = pose.x - Vec3(pose.R.transpose() * vec3(kJoint / 2.0, 0.0, 0.0));
    return nominal({"box", ExprMatrix(start), ExprMatrix(pose.R), kJoint, kJoint, kJoint});
}

}  // namespace

Shape3D nominal(Shape3D shape) {
    shape.nominal = Shape3D::Nominal::all;
    return shape;
}

Shape3D of_nominal_thickness(Shape3D shape) {
    shape.nominal = Shape3D::Nominal::thickness;
    return shape;
}

Shape3D shape_along(const LawContext& k, std::string_view kind, std::string_view connector, const Vec3& from,
                    const Vec3& direction, Expr length, Expr width, Expr height) {
    const Pose pose = pose_in_space(k, connector);
    const Vec3 start = pose.x + Vec3(pose.R.transpose() * from);
    return {kind, ExprMatrix(start), ExprMatrix(frame_along(direction) * pose.R), length, width, height};
}

Shape3D shape_about(const LawContext& k, std::string_view kind, std::string_view connector, const Vec3& axis,
                    Expr length, Expr diameter, Expr angle) {
    const Pose pose = pose_in_space(k, connector);
    const Mat3 R = planar_rotation(vec3(1.0, 0.0, 0.0), angle) * frame_along(axis) * pose.R;
    const Vec3 start = pose.x - scaled(Expr(0.5) * length, Vec3(R.row(0).transpose()));
    return {kind, ExprMatrix(start), ExprMatrix(R), length, diameter, diameter};
}

Shape3D shape_between(const LawContext& k, std::string_view kind, Expr width, std::string_view from,
                      std::string_view to) {
    const Vec3 start = pose_in_space(k, from).x;
    const Vec3 between = pose_in_space(k, to).x - start;
    return {kind, ExprMatrix(start), ExprMatrix(frame_along(between)), directed(between).length, width, width};
}

Shape3D declared_shape(const BondGraph& graph, const DeclaredShape& s) {
    std::vector<Equation> none;
    const auto pose = [&](const ShapeFrame& f) {
        const LawContext k(graph, f.element, none);
        return pose_in_space(k, k.element().connectors[f.connector].name);
    };
    const Pose at = pose(s.frame);
    const auto axes = [&](const Vec3& along, const ExprMatrix& across) {
        if (across.size() > 0) return from_two_axes(along, Vec3(across));
        return s.mesh ? axes_near_the_frames(along) : frame_along(along);
    };
    const Vec3 start = at.x + Vec3(at.R.transpose() * Vec3(s.r));
    if (!s.to) {
        const Mat3 R = axes(Vec3(s.direction), s.across) * at.R;
        return {s.kind, ExprMatrix(start), ExprMatrix(R), s.length, s.width, s.height};
    }
    // Seen in the frame, so that the width turns with it.
    const Vec3 between = Vec3(at.R * Vec3(pose(*s.to).x - start));
    const Mat3 R = axes(between, s.across) * at.R;
    return {s.kind, ExprMatrix(start), ExprMatrix(R), directed(between).length, s.width, s.height};
}

Shape3D arrow_from(std::string_view measures, const Vec3& x, const Vec3& vector) {
    const Expr length = directed(vector).length;
    const Expr width = Expr(kSlender) * length;
    return {"arrow", ExprMatrix(x), ExprMatrix(frame_along(vector)), length, width, width, measures};
}

Shape3D arrow_at(const LawContext& k, std::string_view measures, std::string_view connector, const Vec3& vector) {
    return arrow_from(measures, pose_in_space(k, connector).x, vector);
}

std::vector<Shape3D> joint_shape(const LawContext& k) {
    const bool two_turns = k.element().slot("phi_a") != nullptr;
    const bool slides = k.element().slot("s") != nullptr;
    const Vec3 by_default = two_turns || slides ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0);
    const Vec3 axis = directed(vector_in_space(k, two_turns ? "n_a" : "n", by_default)).direction;
    if (slides && k.element().slot("phi") == nullptr) {
        // From frame_a to frame_b, which may lie on either side.
        const Expr way = k.slot("s")(0) + scalar_or(k, "offset", 0.0);
        return {of_nominal_thickness(
            shape_along(k, "box", "frame_a", scaled(min(way, 0.0), axis), axis, abs(way), kJoint / 2.0, kJoint / 2.0))};
    }
    return {nominal(shape_along(k, "cylinder", "frame_a", scaled(-kJoint / 2.0, axis), axis, kJoint, kJoint, kJoint))};
}

std::vector<Shape3D> ball_shape(const LawContext& k) {
    return {nominal(shape_along(k, "sphere", "frame_a", vec3(-kJoint / 2.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), kJoint,
                                kJoint, kJoint))};
}

std::vector<Shape3D> block_shape(const LawContext& k) { return {block_at(k, "frame_a")}; }
std::vector<Shape3D> fixed_shape(const LawContext& k) { return {block_at(k, "frame_b")}; }

std::vector<Shape3D> rod_shape(const LawContext& k) {
    const Vec3 r = vector_in_space(k, "r", vec3(0.0, 0.0, 0.0));
    if (is_zero(r)) return {};
    const Expr length = directed(r).length;
    const Expr width = Expr(kSlender) * length;
    return {shape_along(k, "cylinder", "frame_a", vec3(0.0, 0.0, 0.0), r, length, width, width)};
}

std::vector<Shape3D> mass_shape(const LawContext& k) {
    std::vector<Shape3D> shapes = rod_shape(k);
    const Vec3 centre = vector_in_space(k, "r_CM", vec3(0.0, 0.0, 0.0));
    shapes.push_back(nominal(shape_along(k, "sphere", "frame_a", centre - vec3(kMass / 2.0, 0.0, 0.0),
                                         vec3(1.0, 0.0, 0.0), kMass, kMass, kMass)));
    return shapes;
}

std::vector<Shape3D> spring_shape(const LawContext& k) {
    return {of_nominal_thickness(shape_between(k, "spring", kJoint))};
}
std::vector<Shape3D> line_shape(const LawContext& k) {
    return {of_nominal_thickness(shape_between(k, "cylinder", kJoint / 2.0))};
}

}  // namespace bondgraph::mechanics3d
