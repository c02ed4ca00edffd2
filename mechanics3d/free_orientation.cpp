#include "mechanics3d/free_orientation.hpp"

#include <fmt/format.h>

#include "mechanics3d/parameters.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

/// How fast |q| is drawn back to 1, in 1/s.
constexpr double kQuaternionRate = 10.0;

std::vector<int> sequence_of(const LawContext& k) {
    if (k.element().integers.size() == 3) return k.element().integers;
    return {1, 2, 3};
}

Vec3 axis_of(const LawContext& k, std::size_t turn) {
    const int axis = sequence_of(k)[turn];
    return vec3(axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0, axis == 3 ? 1.0 : 0.0);
}

Step angle_step(std::size_t coordinates, std::size_t turn) {
    const auto index = static_cast<Eigen::Index>(turn);
    Step step{.kind = Step::Kind::rotate};
    step.P = [=](const LawContext& k) { return planar_rotation(axis_of(k, turn), k.slot("angles")(index)); };
    step.w = [=](const LawContext& k) { return scaled(k.slot("der_angles")(index), axis_of(k, turn)); };
    step.moved = {{.coordinates = coordinates, .H = [=](const LawContext& k) {
                       ExprMatrix H = ExprMatrix::Zero(3, 3);
                       H.col(index) = axis_of(k, turn);
                       return H;
                   }}};
    return step;
}

}  // namespace

std::vector<ParameterSpec> orientation_parameters() {
    return {{.name = "orientation",
             .doc = "how orientation is described: quaternion (no singular position) or angles",
             .kind = ParameterKind::choice,
             .required = false,
             .choices = {"quaternion", "angles"}},
            {.name = "sequence",
             .doc = "axes 1, 2, 3 about which the angles turn one after the other; [1, 2, 3] by default",
             .kind = ParameterKind::integers,
             .required = false}};
}

bool wants_angles(const PartsBuilder& b) { return b.word("orientation", "quaternion") == "angles"; }
bool uses_angles(const LawContext& k) { return k.element().slot("angles") != nullptr; }

void orientation_state(PartsBuilder& b, bool angles) {
    if (angles)
        b.state("angles", 3, "");
    else
        b.quaternion("q");
}

std::vector<Step> orientation_steps(bool angles, std::size_t coordinates) {
    if (angles) {
        return {angle_step(coordinates, 0), angle_step(coordinates, 1), angle_step(coordinates, 2)};
    }
    Step step{.kind = Step::Kind::rotate};
    step.P = [](const LawContext& k) { return quaternion_rotation(Vec4(k.slot("q"))); };
    step.w = [](const LawContext& k) { return Vec3(k.slot("w")); };
    step.moved = {{.coordinates = coordinates}};
    return {step};
}

void orientation_law(LawContext& k) {
    if (uses_angles(k))
        k.equations(k.derivative("angles"), k.slot("der_angles"));
    else
        k.equations(k.derivative("q"), quaternion_rate(Vec4(k.slot("q")), Vec3(k.slot("w")), kQuaternionRate));
}

Mat3 free_orientation(const LawContext& k) {
    if (!uses_angles(k)) return quaternion_rotation(Vec4(k.slot("q")));
    Mat3 R = identity();
    for (const Step& s : orientation_steps(true, 0)) R = s.P(k) * R;
    return R;
}

void check_sequence(const LawContext& k, Diagnostics& diagnostics) {
    const std::vector<int>& axes = k.element().integers;
    if (!uses_angles(k) || axes.size() != 3 || (axes[0] != axes[1] && axes[1] != axes[2])) return;
    diagnostics.error(
        "BG-F008", place_of(k, "sequence"),
        fmt::format("'sequence' of '{}' turns twice about axis {}", k.element().name, axes[1]),
        {{"because", "two turns about one axis after each other are one: nothing tells their angles apart"},
         {"try", "alternate the axes, as in [1, 2, 3] or [3, 1, 3]"}});
}

std::optional<SingularPosition> gimbal_lock(const LawContext& k) {
    if (!uses_angles(k)) return std::nullopt;
    const auto axes = sequence_of(k);
    const Expr middle = k.slot("angles")(1);
    // The first and the third axis coincide: at 90 degrees for three different axes, at 0 for Euler's sequences.
    const Expr distance = axes[0] == axes[2] ? sin(middle) : cos(middle);
    return SingularPosition{distance, "the angles", "orientation: quaternion, which has no singular position"};
}

StartAlias angles_alias() {
    return {.name = "angles",
            .target = "q",
            .size = 3,
            .convert =
                [](const LawContext& k, const ExprMatrix& given) {
                    const auto axes = sequence_of(k);
                    const std::vector<Expr> angles(given.reshaped().begin(), given.reshaped().end());
                    return ExprMatrix(sequence_quaternion(axes, angles));
                },
            .doc = "angles about the axes of the sequence, in place of q",
            .unit = "rad"};
}

}  // namespace bondgraph::mechanics3d
