// Joints that users declare by coordinates and motions: as good as the built-in ones, because those are made the same
// way.

#include <fmt/format.h>

#include "bondgraph/expression/derivative.hpp"
#include "mechanics3d/joints.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;
using expression::ExprVector;

namespace {

// The states are the rates of all coordinates, then the coordinates.
std::size_t freedom_count(const LawContext& k) { return k.element().ports.size(); }

const std::string& rate_name(const LawContext& k, std::size_t c) { return k.element().slots[c].name; }
const std::string& position_name(const LawContext& k, std::size_t c) {
    return k.element().slots[freedom_count(k) + c].name;
}
const std::string& acceleration_name(const LawContext& k, std::size_t c) {
    return k.element().slots[2 * freedom_count(k) + c].name;
}

Expr rate(const LawContext& k, std::size_t c) { return k.slot(rate_name(k, c))(0); }
Expr by(const LawContext& k, Expr e, std::size_t c) {
    return expression::derivative(e, k.slot(position_name(k, c))(0));
}

Vec3 own_axis(const LawContext& k, std::size_t motion) {
    const Vec3 n = k.element().motions[motion].topRows(3);
    const Expr length = expression::sqrt(dot(n, n));
    return vec3(n(0) / length, n(1) / length, n(2) / length);
}
Expr angle_of(const LawContext& k, std::size_t motion) { return k.element().motions[motion](3, 0); }
Vec3 shift_of(const LawContext& k, std::size_t motion) { return Vec3(k.element().motions[motion]); }

Vec3 slope(const LawContext& k, const Vec3& d, std::size_t c) {
    return vec3(by(k, d(0), c), by(k, d(1), c), by(k, d(2), c));
}

Step turning(std::size_t motion, std::size_t freedoms) {
    Step step{.kind = Step::Kind::rotate};
    step.P = [=](const LawContext& k) { return planar_rotation(own_axis(k, motion), angle_of(k, motion)); };
    step.w = [=](const LawContext& k) {
        Expr sum = 0.0;
        for (std::size_t c = 0; c < freedoms; ++c) sum += by(k, angle_of(k, motion), c) * rate(k, c);
        return scaled(sum, own_axis(k, motion));
    };
    for (std::size_t c = 0; c < freedoms; ++c) {
        step.moved.push_back({.coordinates = c, .H = [=](const LawContext& k) {
                                  return ExprMatrix(scaled(by(k, angle_of(k, motion), c), own_axis(k, motion)));
                              }});
    }
    return step;
}

Step sliding(std::size_t motion, std::size_t freedoms) {
    Step step{.kind = Step::Kind::translate};
    step.d = [=](const LawContext& k) { return shift_of(k, motion); };
    step.dd = [=](const LawContext& k) {
        Vec3 sum = vec3(0.0, 0.0, 0.0);
        for (std::size_t c = 0; c < freedoms; ++c) sum += scaled(rate(k, c), slope(k, shift_of(k, motion), c));
        return sum;
    };
    for (std::size_t c = 0; c < freedoms; ++c) {
        Step::Moved moved{.coordinates = c};
        moved.H = [=](const LawContext& k) { return ExprMatrix(slope(k, shift_of(k, motion), c)); };
        moved.bias = [=](const LawContext& k) {
            Vec3 sum = vec3(0.0, 0.0, 0.0);
            const Vec3 along = slope(k, shift_of(k, motion), c);
            for (std::size_t o = 0; o < freedoms; ++o) sum += scaled(rate(k, c) * rate(k, o), slope(k, along, o));
            return sum;
        };
        step.moved.push_back(std::move(moved));
    }
    return step;
}

std::vector<Step> own_steps(const LawContext& k) {
    std::vector<Step> steps;
    for (std::size_t m = 0; m < k.element().motions.size(); ++m)
        steps.push_back(k.element().motions[m].rows() == 4 ? turning(m, freedom_count(k))
                                                           : sliding(m, freedom_count(k)));
    return steps;
}

void build(PartsBuilder& b) {
    const JointDeclaration& joint = *b.joint();
    std::vector<Coordinates> coordinates;
    for (const auto& c : joint.coordinates) {
        b.state("der_" + c.name.text, 1, c.rotation ? "rad/s" : "m/s");
        coordinates.push_back({"axis_" + c.name.text, 1, c.rotation ? "rotational" : "translational"});
    }
    for (const auto& c : joint.coordinates) b.state(c.name.text, 1, c.rotation ? "" : "m");
    for (const auto& c : joint.coordinates) b.variable("a_" + c.name.text, 1, c.rotation ? "rad/s2" : "m/s2");
    ChainBuilder chain(b);
    chain.coordinates(coordinates);
    for (std::size_t m = 0; m < joint.motions.size(); ++m)
        chain.step(joint.motions[m].rotation ? turning(m, coordinates.size()) : sliding(m, coordinates.size()));
    chain.end_at("frame_b");
}

void own_joint_law(LawContext& k) {
    for (std::size_t c = 0; c < freedom_count(k); ++c) {
        coordinate_law(k, c, rate_name(k, c));
        k.equations(k.derivative(position_name(k, c)), k.slot(rate_name(k, c)));
        k.equations(k.slot(acceleration_name(k, c)), k.derivative(rate_name(k, c)));
    }
    chain_law(k, own_steps(k));
}

/// How much a coordinate moves the joint, in units of the motions.
Expr mobility(const LawContext& k, std::size_t c) {
    Expr sum = 0.0;
    for (std::size_t m = 0; m < k.element().motions.size(); ++m) {
        if (k.element().motions[m].rows() == 4) {
            const Expr turn = by(k, angle_of(k, m), c);
            sum += turn * turn;
        } else {
            const Vec3 shift = slope(k, shift_of(k, m), c);
            sum += dot(shift, shift);
        }
    }
    return sum;
}

// Where a coordinate's rate moves nothing, no force determines it.
std::optional<SingularPosition> stands_still(const LawContext& k) {
    // Below this a rate moves nothing that counts; above it the distance is of the order 1.
    constexpr double kNothing = 1e-18;
    Expr distance = 1.0;
    for (std::size_t c = 0; c < freedom_count(k); ++c) {
        const Expr moved = mobility(k, c);
        distance *= moved / (moved + kNothing);
    }
    return SingularPosition{distance, "the coordinates",
                            "start where each coordinate moves the joint, or choose coordinates that always do"};
}

}  // namespace

const ComponentType kOwnJoint = [] {
    ComponentType t;
    t.name = "own joint";
    t.structure = Structure::border;
    t.summary = "A joint declared in the model file by its coordinates and motions.";
    t.law_text = "as declared";
    t.causality = coordinate_causality;
    t.law = own_joint_law;
    t.source = "the model file";
    t.connectors = joint_frames();
    t.paths = {{0, 1, {}}};
    t.free_rates = true;
    t.build = build;
    t.shapes = ball_shape;
    t.singular = stands_still;
    return t;
}();

}  // namespace bondgraph::mechanics3d
