// Massless rigid parts between two frames.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

std::vector<ConnectorSpec> rod_frames() {
    return {{"frame_a", &converters::kFrame, "one end"},
            {"frame_b", &converters::kFrame, "the other end", PortDirection::out}};
}

std::vector<Step> translation() {
    return {{.kind = Step::Kind::translate,
             .d = [](const LawContext& k) { return vector_or(k, "r", vec3(0.0, 0.0, 0.0)); }}};
}

Mat3 constant_rotation(const LawContext& k) {
    if (k.has("n_x") || k.has("n_y"))
        return from_two_axes(vector_or(k, "n_x", vec3(1.0, 0.0, 0.0)), vector_or(k, "n_y", vec3(0.0, 1.0, 0.0)));
    if (k.has("angles")) {
        std::vector<int> axes{1, 2, 3};
        if (k.has("sequence")) {
            for (int i = 0; i < 3; ++i)
                axes[static_cast<std::size_t>(i)] = k.element().integers[static_cast<std::size_t>(i)];
        }
        const auto angles = k.vector("angles", 3);
        return sequence_rotation(axes, std::vector<Expr>(angles.begin(), angles.end()));
    }
    return planar_rotation(unit_or(k, "n", vec3(1.0, 0.0, 0.0)), scalar_or(k, "angle", 0.0));
}

// An angle about n, two axes, or a sequence of angles: one of these.
void check_one_rotation(const LawContext& k, Diagnostics& d) {
    const std::array<std::array<const char*, 2>, 3> ways{{{"n", "angle"}, {"n_x", "n_y"}, {"sequence", "angles"}}};
    const char* first = nullptr;
    for (const auto& way : ways) {
        for (const char* parameter : way) {
            if (!is_given(k, parameter)) continue;
            if (first == nullptr) {
                first = parameter;
            } else if (std::find(way.begin(), way.end(), first) == way.end()) {
                d.error(
                    "BG-M004", place_of(k, parameter),
                    fmt::format("'{}' has '{}' and '{}': give one of 'n' with 'angle', 'n_x' with 'n_y', or 'sequence' "
                                "with 'angles'",
                                k.element().name, first, parameter));
                return;
            }
            break;
        }
    }
}

/// Without what rounding leaves of 0 and 1 (the cosine of 90 degrees is 6e-17): otherwise what is parallel for good
/// would seem to be so by chance.
Mat3 clean_rotation(const LawContext& k) {
    constexpr double kRounding = 2e-15;
    Mat3 P = constant_rotation(k);
    for (Expr& e : P.reshaped()) {
        if (!e.is_constant()) continue;
        const double nearest = std::round(e.constant());
        if (std::abs(e.constant() - nearest) < kRounding) e = nearest;
    }
    return P;
}

std::vector<Step> rotation() {
    std::vector<Step> steps = translation();
    steps.push_back({.kind = Step::Kind::rotate, .P = clean_rotation});
    return steps;
}

template <std::vector<Step> (*steps)()>
void build(PartsBuilder& b) {
    ChainBuilder chain(b);
    for (const Step& s : steps()) chain.step(s);
    chain.end_at("frame_b");
}

template <std::vector<Step> (*steps)()>
void law(LawContext& k) {
    chain_law(k, steps());
}

}  // namespace

const ComponentType kFixedTranslation{
    .name = "FixedTranslation",
    .structure = Structure::block,
    .summary = "A rigid massless rod: frame_b is frame_a moved by r.",
    .law_text = "x_b = x_a + R_a^T r, R_b = R_a;  v_b = v_a + R_a^T (w x r)",
    .example = "rod: {type: FixedTranslation, r: [1 m, 0, 0]}",
    .parameters = {arm("r", "from frame_a to frame_b, in frame_a")},
    .law = law<translation>,
    .source = kMultibondLibrary,
    .connectors = rod_frames(),
    .paths = {{0, 1, {"R"}}},
    .build = build<translation>,
    .check = [](const LawContext& k, Diagnostics& d) { check_vector(k, "r", d); },
    .shapes = rod_shape,
};

const ComponentType kFixedRotation{
    .name = "FixedRotation",
    .structure = Structure::block,
    .summary =
        "A rigid massless part: frame_b is frame_a moved by r and turned, by an angle about n, by two axes, or by "
        "a sequence of angles.",
    .law_text = "x_b = x_a + R_a^T r, R_b = P R_a",
    .example = "corner: {type: FixedRotation, n: [0, 0, 1], angle: 90 deg}",
    .parameters =
        {arm("r", "from frame_a to frame_b, in frame_a"),
         direction("n", "axis of the rotation, in frame_a; [1, 0, 0] by default"),
         number("angle", "angle about n", "rad", 0.0),
         direction("n_x", "x-axis of frame_b, in frame_a"),
         direction("n_y", "y-axis of frame_b, in frame_a: its part across n_x"),
         {.name = "sequence",
          .doc = "axes 1, 2, 3 of successive rotations; [1, 2, 3] by default",
          .kind = ParameterKind::integers,
          .required = false},
         {.name = "angles", .doc = "angles of the sequence", .shape = Shape::vector, .unit = "rad", .required = false}},
    .law = law<rotation>,
    .source = kMultibondLibrary,
    .connectors = rod_frames(),
    .paths = {{0, 1, {}}},
    .build = build<rotation>,
    .check =
        [](const LawContext& k, Diagnostics& d) {
            check_vector(k, "r", d);
            check_vector(k, "angles", d);
            for (const char* n : {"n", "n_x", "n_y"}) check_direction(k, n, d);
            check_one_rotation(k, d);
            if (k.has("n_x") || k.has("n_y"))
                check_not_parallel(k, "n_x", vec3(1.0, 0.0, 0.0), "n_y", vec3(0.0, 1.0, 0.0),
                                   "they say nothing of the other axes", d);
        },
    .shapes = rod_shape,
};

}  // namespace bondgraph::mechanics3d
