#include "tests/mechanics3d/ways_of_closing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "tests/mechanics3d/edited_models.hpp"

namespace bondgraph::test {
namespace {

using Names = std::vector<std::string>;

// ---- in a plane -----------------------------------------------------------------------------------------------------

const Names kBearingInPlane{"main.frame_a.f[1]", "main.frame_a.f[2]"};

/// The same joints with one of them cut, in space and for loops in a plane.
void add_cuts(ClosedMechanism& m, const WayOfClosing& joints, const Names& pins, const std::string& axis) {
    for (const std::string type : {"CutRevolute2D", "CutRevolute"}) {
        WayOfClosing way = joints;
        way.name = type;
        for (const std::string& pin : pins)
            way.text = with_part(way.text, pin, fmt::format("{{type: {}, n: {}}}", type, axis));
        m.ways.push_back(std::move(way));
    }
}

ClosedMechanism four_bar(const std::filesystem::path& models) {
    const std::string text = model_of(models / "crank_rocker.yaml");
    const WayOfClosing joints{"joints",
                              with_part(text, "j2", "{type: Revolute, n: [0, 0, 1]}"),
                              {"main.phi", "j1.phi", "j4.phi"},
                              {"main.w", "j1.w", "j4.w"},
                              {"main.frame_a.f[1]", "main.frame_a.f[2]", "j4.frame_a.f[1]", "j4.frame_a.f[2]"}};
    ClosedMechanism m{"four-bar", 1.0, {joints}};
    add_cuts(m, joints, {"j2"}, "[0, 0, 1]");
    m.ways.push_back(
        {"JointRRR",
         edited(without(with_part(text, "j1",
                                  "{type: JointRRR, rRod1_ia: [b, 0, 0], rRod2_ib: [c, 0, 0], guess: {phi_a: 0 deg, "
                                  "phi: 70 deg}}"),
                        {"j2", "j4"}),
                {{"[j1.frame_b, coupler.frame_a]", "[j1.frame_ia, coupler.frame_a]"},
                 {"  - [coupler.frame_b, j2.frame_a]\n", ""},
                 {"[ground.frame_b, j4.frame_a]", "[ground.frame_b, j1.frame_b]"},
                 {"[j4.frame_b, rocker.frame_a]", "[j1.frame_ib, rocker.frame_a]"},
                 {"  - [rocker.frame_b, j2.frame_b]", ""}}),
         {"main.phi", "j1.phi_a", "j1.phi"},
         {"main.w", "j1.w_a", "j1.w"},
         {"main.frame_a.f[1]", "main.frame_a.f[2]", "j1.frame_b.f[1]", "j1.frame_b.f[2]"}});
    return m;
}

ClosedMechanism parallelogram(const std::filesystem::path& models) {
    const std::string text = model_of(models / "parallelogram.yaml");
    const WayOfClosing joints{"joints",
                              text,
                              {"j1.phi", "j2.phi", "j4.phi"},
                              {"j1.w", "j2.w", "j4.w"},
                              {"j1.frame_a.f[1]", "j1.frame_a.f[2]"}};
    ClosedMechanism m{"parallelogram", 2.0, {joints}};
    add_cuts(m, joints, {"j3"}, "[0, 0, 1]");
    m.ways.push_back(
        {"JointRRR",
         edited(without(with_part(text, "j2",
                                  "{type: JointRRR, rRod1_ia: [b, 0, 0], rRod2_ib: [0, -l, 0], guess: {phi_a: -60 deg, "
                                  "phi: 60 deg}}"),
                        {"j3", "j4"}),
                {{"[j2.frame_b, beam.frame_a]", "[j2.frame_ia, beam.frame_a]"},
                 {"  - [beam.frame_b, j3.frame_a]\n", ""},
                 {"[apart.frame_b, j4.frame_a]", "[apart.frame_b, j2.frame_b]"},
                 {"[j4.frame_b, rod2.frame_a]", "[j2.frame_ib, rod2.frame_a]"},
                 {"  - [rod2.frame_b, j3.frame_b] ", ""}}),
         {"j1.phi", "j2.phi_a", "j2.phi"},
         {"j1.w", "j2.w_a", "j2.w"},
         joints.forces});
    return m;
}

ClosedMechanism watt_linkage(const std::filesystem::path& models) {
    const std::string text = model_of(models / "watt_linkage.yaml");
    const WayOfClosing joints{"joints",
                              text,
                              {"j1.phi", "j2.phi", "j4.phi"},
                              {"j1.w", "j2.w", "j4.w"},
                              {"j1.frame_a.f[1]", "j1.frame_a.f[2]"}};
    ClosedMechanism m{"Watt's linkage", 1.0, {joints}};
    add_cuts(m, joints, {"j3"}, "[0, 0, 1]");
    m.ways.push_back(
        {"JointRRR",
         edited(without(with_part(text, "j2",
                                  "{type: JointRRR, rRod1_ia: [0, -b, 0], rRod2_ib: [-a, 0, 0], guess: {phi_a: 0, phi: "
                                  "10 deg}}"),
                        {"j3", "j4"}),
                {{"[j2.frame_b, coupler.frame_a, half.frame_a]", "[j2.frame_ia, coupler.frame_a, half.frame_a]"},
                 {"  - [coupler.frame_b, j3.frame_a]\n", ""},
                 {"[right.frame_b, j4.frame_a]", "[right.frame_b, j2.frame_b]"},
                 {"[j4.frame_b, arm2.frame_a]", "[j2.frame_ib, arm2.frame_a]"},
                 {"  - [arm2.frame_b, j3.frame_b] ", ""}}),
         {"j1.phi", "j2.phi_a", "j2.phi"},
         {"j1.w", "j2.w_a", "j2.w"},
         joints.forces});
    return m;
}

ClosedMechanism slider_crank(const std::filesystem::path& models) {
    const std::string text = model_of(models / "slider_crank.yaml");
    const WayOfClosing joints{
        "joints", text, {"main.phi", "big.phi", "guide.s"}, {"main.w", "big.w", "guide.v"}, kBearingInPlane};
    ClosedMechanism m{"slider-crank", 1.0, {joints}};
    add_cuts(m, joints, {"small"}, "[0, 0, 1]");
    for (const std::string type : {"CutPrismatic2D", "CutPrismatic"}) {
        // The slide is cut, so that its place is that of the slider in the world.
        m.ways.push_back({type,
                          with_part(text, "guide", fmt::format("{{type: {}, n: [1, 0, 0]}}", type)),
                          {"main.phi", "big.phi", "slider.frame_a.x[1]"},
                          {"main.w", "big.w", "slider.frame_a.v[1]"},
                          kBearingInPlane});
    }
    m.ways.push_back({"JointRRP",
                      model_of(models / "slider_crank_assembly.yaml"),
                      {"main.phi", "rest.phi_a", "rest.s"},
                      {"main.w", "rest.w_a", "rest.v"},
                      kBearingInPlane});
    return m;
}

/// The lower loop of a scissor is closed by an assembly, the upper one (two hinges about a slide) by its joints.
ClosedMechanism scissor_lift(const std::filesystem::path& models) {
    const std::string text = model_of(models / "scissor_lift.yaml");
    const WayOfClosing joints{"joints",
                              text,
                              {"foot.phi", "floor.s", "rail.s"},
                              {"foot.w", "floor.v", "rail.v"},
                              {"foot.frame_a.f[1]", "foot.frame_a.f[2]"}};
    ClosedMechanism m{"scissor lift", 1.0, {joints}};
    add_cuts(m, joints, {"middle", "wheel"}, "[0, 0, 1]");
    m.ways.push_back(
        {"JointRRP",
         edited(without(with_part(with_part(text, "middle",
                                            "{type: JointRRP, rRod1_ia: [-L/2, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0, "
                                            "0], guess: {phi_a: 60 deg, s: 0.6 m}}"),
                                  "half2", "{type: FixedTranslation, r: [-L/2, 0, 0]}"),
                        {"floor", "roller"}),
                {{"foot.frame_a, floor.frame_a", "foot.frame_a, middle.frame_b"},
                 {"  - [floor.frame_b, roller.frame_a]\n", ""},
                 {"[roller.frame_b, arm2.frame_a, half2.frame_a]", "[half2.frame_b, arm2.frame_a]"},
                 {"[half2.frame_b, middle.frame_b]", "[middle.frame_ia, half2.frame_a]"},
                 {"push -> floor.axis", "push -> middle.axis"},
                 {"floor.axis -> damper", "middle.axis -> damper"}}),
         {"foot.phi", "middle.s", "rail.s"},
         {"foot.w", "middle.v", "rail.v"},
         joints.forces});
    return m;
}

ClosedMechanism pantograph(const std::filesystem::path& models) {
    const std::string text = model_of(models / "pantograph.yaml");
    const WayOfClosing joints{"joints",
                              text,
                              {"base.phi", "top.phi", "near.phi", "far.phi"},
                              {"base.w", "top.w", "near.w", "far.w"},
                              {"base.frame_a.f[1]", "base.frame_a.f[2]"}};
    ClosedMechanism m{"pantograph", 2.0, {joints}};
    add_cuts(m, joints, {"meet"}, "[0, 0, 1]");
    m.ways.push_back(
        {"JointRRR",
         edited(without(with_part(text, "near",
                                  "{type: JointRRR, rRod1_ia: [l2/k, 0, 0], rRod2_ib: [-l1*(1 - 1/k), 0, 0], guess: "
                                  "{phi_a: 80 deg, phi: -80 deg}}"),
                        {"far", "meet"}),
                {{"[near.frame_b, short2.frame_a]", "[near.frame_ia, short2.frame_a]"},
                 {"[part2.frame_b, far.frame_a]", "[part2.frame_b, near.frame_b]"},
                 {"[far.frame_b, short1.frame_a]", "[near.frame_ib, short1.frame_a]"},
                 {"[short2.frame_b, meet.frame_a, tracer", "[short2.frame_b, tracer"},
                 {"  - [short1.frame_b, meet.frame_b] ", ""}}),
         {"base.phi", "top.phi", "near.phi_a", "near.phi"},
         {"base.w", "top.w", "near.w_a", "near.w"},
         joints.forces});
    return m;
}

ClosedMechanism engine(const std::filesystem::path& models) {
    const std::string text = model_of(models / "engine_v6_analytic.yaml");
    const Names crank{"bearing.phi", "bearing.w", "bearing.frame_a.f[2]", "bearing.frame_a.f[3]"};
    const auto way = [&](std::string name, std::string model, const std::string& guide) {
        return WayOfClosing{std::move(name),
                            std::move(model),
                            {crank[0], "cylinder1." + guide + ".s", "cylinder6." + guide + ".s"},
                            {crank[1], "cylinder1." + guide + ".v", "cylinder6." + guide + ".v"},
                            {crank[2], crank[3]}};
    };
    const std::string jointed =
        edited(with_part(text, "    joints",
                         "{type: Prismatic, n: [0, -1, 0], offset: -0.42 m, guess: {s: 0.1 m}}\n"
                         "      b1:       {type: Revolute, n: [1, 0, 0], guess: {phi: -offset}}\n"
                         "      b2:       {type: Revolute, n: [1, 0, 0]}"),
               {{"[mid.frame_b, joints.frame_a]", "[mid.frame_b, b1.frame_a]"},
                {"[tilt.frame_b, joints.frame_b]", "[tilt.frame_b, joints.frame_a]"},
                {"[joints.frame_ia, rod.frame_a]", "[b1.frame_b, rod.frame_a]"},
                {"[joints.frame_ib, piston.frame_b]",
                 "[joints.frame_b, piston.frame_b]\n      - [rod.frame_b, b2.frame_a]\n      - [b2.frame_b, "
                 "piston.frame_a]"}});
    ClosedMechanism m{"V6 engine", 0.05, {way("joints", jointed, "joints")}};
    for (const std::string type : {"CutRevolute2D", "CutRevolute"})
        m.ways.push_back(
            way(type, with_part(jointed, "    b2", fmt::format("{{type: {}, n: [1, 0, 0]}}", type)), "joints"));
    m.ways.push_back(way("JointRRP", text, "joints"));
    return m;
}

// ---- in space -------------------------------------------------------------------------------------------------------

/// Of a ball in a loop of which nothing is asked the constraint alone is left.
const char* const kBallWithCoordinates = "{type: Spherical, orientation: quaternion}";

ClosedMechanism spatial_slider_crank(const std::filesystem::path& models) {
    const std::string text = model_of(models / "slider_crank_spatial.yaml");
    const Names forces{"main.frame_a.f[1]", "main.frame_a.f[2]", "main.frame_a.f[3]"};
    const auto way = [&](std::string name, std::string model) {
        return WayOfClosing{std::move(name),
                            std::move(model),
                            {"main.phi", "guide.s", "cross.phi_a", "cross.phi_b"},
                            {"main.w", "guide.v", "cross.w_a", "cross.w_b"},
                            forces};
    };
    ClosedMechanism m{"slider-crank in space", 1.0, {way("joints", with_part(text, "ball", kBallWithCoordinates))}};
    m.ways.push_back(way("Spherical", with_part(text, "ball", "{type: Spherical}")));
    m.ways.push_back(way("CutSpherical", text));
    m.ways.push_back(
        {"JointUSP",
         edited(without(with_part(text, "cross",
                                  "{type: JointUSP, n1_a: [0, 0, 1], rRod1_ia: [l, 0, 0], n_b: [1, 0, 0], rRod2_ib: "
                                  "[0, 0, 0], guess: {phi_1: -20 deg, phi_2: 50 deg, s: 0.2 m}}"),
                        {"guide", "ball"}),
                {{"stand.frame_a, guide.frame_a", "stand.frame_a, cross.frame_b"},
                 {"[cross.frame_b, rod.frame_a]", "[cross.frame_ia, rod.frame_a]"},
                 {"  - [rod.frame_b, ball.frame_a]\n", ""},
                 {"[guide.frame_b, slider.frame_a, ball.frame_b]", "[cross.frame_ib, slider.frame_a]"}}),
         {"main.phi", "cross.s", "cross.phi_1", "cross.phi_2"},
         {"main.w", "cross.v", "cross.w_1", "cross.w_2"},
         forces});
    return m;
}

/// A crank about z and what its rod leads to, about or along x: `rest`, and how the rod is held.
std::string beside_a_crank(const std::string& parts, const std::string& connect) {
    return "components:\n"
           "  world: {type: World}\n"
           "  a: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.3, w: 8}}\n"
           "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.5, I_22: 1e-3, I_33: 1e-3}\n"
           "  bed: {type: FixedTranslation, r: [0.3, 0, 0.2]}\n" +
           parts + "connect:\n  - [world.frame_b, a.frame_a, bed.frame_a]\n  - [a.frame_b, crank.frame_a]\n" + connect;
}

struct Driven {
    std::string parts, connect;                      ///< with `HEAD` for what the rod is joined to
    std::string joint, coordinate, velocity, guess;  ///< its own joint
};

Driven rocker() {
    return {
        "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n"
        "  arm: {type: BodyShape, r: [0, 0.25, 0], r_CM: [0, 0.12, 0], m: 0.7, I_11: 4e-3, I_22: 1e-3, I_33: "
        "4e-3}\n",
        "  - [bed.frame_b, d.frame_a]\n  - [d.frame_b, arm.frame_a]\n",
        "d",
        "phi",
        "w",
        "n_b: [1, 0, 0], rRod2_ib: [0, 0.25, 0], guess: {phi: 0.2}"};
}

Driven slider() {
    return {
        "  d: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.2}}\n"
        "  arm: {type: BodyShape, r: [0, 0.02, 0], m: 0.7, I_11: 1e-3, I_22: 1e-3, I_33: 1e-3}\n",
        "  - [bed.frame_b, d.frame_a]\n  - [d.frame_b, arm.frame_a]\n",
        "d",
        "s",
        "v",
        "n_b: [1, 0, 0], rRod2_ib: [0, 0.02, 0], guess: {s: 0.2}"};
}

const Names kBearingInSpace{"a.frame_a.f[1]", "a.frame_a.f[2]", "a.frame_a.f[3]"};

WayOfClosing driven_by(const Driven& d, std::string name, const std::string& parts, const std::string& connect,
                       const std::string& joint) {
    const bool own = joint != d.joint;  // an assembly has the driven joint in it
    std::string rest = d.parts, joined = d.connect;
    if (own) {
        rest = without(rest, {d.joint});
        joined = "  - [bed.frame_b, j.frame_b]\n  - [j.frame_ib, arm.frame_a]\n";
    }
    return {std::move(name),
            beside_a_crank(parts + rest, joined + connect),
            {"a.phi", joint + "." + d.coordinate},
            {"a.w", joint + "." + d.velocity},
            kBearingInSpace};
}

const char* const kCross = "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n";
const char* const kRodOnCross = "  - [crank.frame_b, u.frame_a]\n  - [u.frame_b, rod.frame_a]\n";
const char* const kBallOnRod = "  - [rod.frame_b, ball.frame_a]\n  - [ball.frame_b, arm.frame_b]\n";

/// Over a rod with mass, with a cross at the crank and a ball at the other end.
ClosedMechanism over_heavy_rod(std::string name, const Driven& d, const std::string& assembly) {
    const std::string properties = "r_CM: [0.2, 0, 0], m: 0.2, I_11: 1e-4, I_22: 2e-3, I_33: 2e-3}\n";
    const std::string rod = "  rod: {type: BodyShape, r: [0.45, 0, 0], " + properties;
    const auto ball = [&](const std::string& type, const std::string& cross = kCross) {
        return driven_by(d,
                         cross != kCross                ? "CutUniversal"
                         : type == kBallWithCoordinates ? "joints"
                                                        : type,
                         rod + cross + "  ball: " + type + "\n", std::string(kRodOnCross) + kBallOnRod, d.joint);
    };
    ClosedMechanism m{
        std::move(name), 1.0, {ball(kBallWithCoordinates), ball("{type: Spherical}"), ball("{type: CutSpherical}")}};
    m.ways.push_back(ball("{type: Spherical}", "  u: {type: CutUniversal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n"));
    m.ways.push_back(driven_by(
        d, assembly,
        "  j: {type: " + assembly + ", rRod1_ia: [0.45, 0, 0], " + d.guess + "}\n  rod: {type: Body, " + properties,
        "  - [crank.frame_b, j.frame_a]\n  - [j.frame_ia, rod]\n", "j"));
    return m;
}

/// Over a rod without mass, which is a distance.
ClosedMechanism over_light_rod(std::string name, const Driven& d, const std::string& assembly) {
    ClosedMechanism m{std::move(name), 1.0, {}};
    for (const std::string ball : {kBallWithCoordinates, "{type: Spherical}"})
        m.ways.push_back(driven_by(
            d, ball == kBallWithCoordinates ? "joints" : "Spherical",
            std::string("  rod: {type: FixedTranslation, r: [0.45, 0, 0]}\n") + kCross + "  ball: " + ball + "\n",
            std::string(kRodOnCross) + kBallOnRod, d.joint));
    for (const std::string type : {"ConnectingRod", "SphericalSpherical"})
        m.ways.push_back(driven_by(d, type, "  rod: {type: " + type + ", length: 0.45}\n",
                                   "  - [crank.frame_b, rod.frame_a]\n  - [rod.frame_b, arm.frame_b]\n", d.joint));
    m.ways.push_back(driven_by(d, assembly, "  j: {type: " + assembly + ", rod1Length: 0.45, " + d.guess + "}\n",
                               "  - [crank.frame_b, j.frame_a]\n", "j"));
    return m;
}

ClosedMechanism flyball_governor(const std::filesystem::path& models) {
    const std::string text = model_of(models / "flyball_governor.yaml");
    const auto way = [](std::string name, std::string model, const Names& arms) {
        return WayOfClosing{std::move(name),
                            std::move(model),
                            {"main.phi", arms[0] + ".phi", arms[1] + ".phi", "sleeve.s"},
                            {"main.w", arms[0] + ".w", arms[1] + ".w", "sleeve.v"},
                            {"main.frame_a.f[2]"}};
    };
    const Names arms{"arm1", "arm2"};
    std::string jointed = text, assembled = without(text, {"rod1", "rod2"});
    for (const std::string k : {"1", "2"}) {
        const std::string side = k == "1" ? "" : "-";
        jointed = edited(with_part(jointed, "link" + k,
                                   "{type: FixedTranslation, r: [0, -L, 0]}\n  upper" + k +
                                       ": {type: Revolute, n: [0, 0, 1], guess: {phi: " + (k == "1" ? "-" : "") +
                                       "60 deg}}\n  lower" + k + ": {type: Revolute, n: [0, 0, 1]}"),
                         {{"ball" + k + ".frame_a, link" + k + ".frame_a]",
                           "ball" + k + ".frame_a, upper" + k + ".frame_a]\n  - [upper" + k + ".frame_b, link" + k +
                               ".frame_a]\n  - [link" + k + ".frame_b, lower" + k + ".frame_a]"},
                          {", link" + k + ".frame_b", ", lower" + k + ".frame_b"}});
        assembled = without(assembled, {"link" + k});
        assembled = edited(assembled, {{", link" + k + ".frame_b", ", arm" + k + ".frame_a"}});
        assembled =
            with_part(assembled, "arm" + k,
                      "{type: JointSSR, rod1Length: L, n_b: [0, 0, 1], rRod2_ib: [0, -L, 0], " +
                          std::string(k == "1" ? "initial: {phi: alpha0, w: 0}" : "guess: {phi: -30 deg}") + "}");
        assembled = edited(assembled, {{"  - [arm" + k + ".frame_b, rod" + k + ".frame_a]\n", ""},
                                       {"[rod" + k + ".frame_b, ball" + k + ".frame_a, link" + k + ".frame_a]",
                                        "[arm" + k + ".frame_im, ball" + k + ".frame_a]"}});
    }
    assembled = edited(assembled, {{"arm1.frame_a, arm2.frame_a, sleeve.frame_a",
                                    "arm1.frame_b, arm2.frame_b, "
                                    "sleeve.frame_a"}});
    return {"flyball governor",
            1.0,
            {way("joints", jointed, arms), way("ConnectingRod", text, arms), way("JointSSR", assembled, arms)}};
}

ClosedMechanism bricard(const std::filesystem::path& models) {
    const std::string text = model_of(models / "bricard.yaml");
    const WayOfClosing joints{"joints",
                              text,
                              {"h1.phi", "h2.phi", "h3.phi", "rod3.frame_b.x[1]"},
                              {"h1.w", "h2.w", "h3.w"},
                              {}};  // one of its reactions can't be told
    ClosedMechanism m{"Bricard's linkage", 1.0, {joints, joints}};
    m.ways[1].name = "CutRevolute";
    m.ways[1].text = with_part(text, "h6", "{type: CutRevolute, n: [0, 0, 1]}");
    return m;
}

ClosedMechanism stewart_platform(const std::filesystem::path& models) {
    const std::string text = model_of(models / "stewart_platform.yaml");
    const auto way = [](std::string name, std::string model, const std::string& leg) {
        WayOfClosing w{std::move(name), std::move(model), {}, {}, {}};
        for (int k = 1; k <= 3; ++k) {
            w.coordinates.push_back(fmt::format("platform.frame_a.x[{}]", k));
            w.velocities.push_back(fmt::format("platform.frame_a.v[{}]", k));
            w.velocities.push_back(fmt::format("platform.frame_a.w[{}]", k));
            w.forces.push_back(fmt::format("head1.frame_b.f[{}]", k));
        }
        for (int k = 1; k <= 6; ++k) {
            w.coordinates.push_back(fmt::format("{}{}.s", leg, k));
            w.velocities.push_back(fmt::format("{}{}.v", leg, k));
        }
        return w;
    };
    // Where balls are joints with coordinates, the legs carry the platform: its place is theirs to tell, unless a joint
    // without forces does.
    const std::string start = "initial: {x:";
    const std::string body = text.substr(text.find("platform: {"), text.find(start) - text.find("platform: {"));
    std::string jointed =
        edited(text, {{body + start, body.substr(0, body.rfind(',')) + "}\n  free: {type: FreeMotion, initial: {r:"},
                      {"[world.frame_b, foot1", "[world.frame_b, free.frame_a, foot1"},
                      {"[platform.frame_a, head1", "[platform.frame_a, free.frame_b, head1"}});
    std::string balls = text;
    std::string assembled = text;
    for (int k = 1; k <= 6; ++k) {
        const auto numbered = [&](const char* pattern) { return fmt::format(fmt::runtime(pattern), k); };
        jointed = with_part(jointed, numbered("ball{0}"), kBallWithCoordinates);
        balls = with_part(balls, numbered("ball{0}"), "{type: Spherical}");
        assembled = without(with_part(assembled, numbered("slide{0}"),
                                      "{type: JointUPS, n1_a: [1, 0, 0], nAxis_ia: [0, 0, 1], guess: {s: 0.9 m}}"),
                            {numbered("cross{0}"), numbered("ball{0}")});
        assembled =
            edited(assembled,
                   {{numbered("[foot{0}.frame_b, cross{0}.frame_a,"), numbered("[foot{0}.frame_b, slide{0}.frame_a,")},
                    {numbered("[cross{0}.frame_b, tube{0}.frame_a, slide{0}.frame_a]"),
                     numbered("[slide{0}.frame_ia, tube{0}.frame_a]")},
                    {numbered("[slide{0}.frame_b, rod{0}.frame_a, ball{0}.frame_a]"),
                     numbered("[slide{0}.frame_ib, rod{0}.frame_a]")},
                    {numbered("[head{0}.frame_b, ball{0}.frame_b,"), numbered("[head{0}.frame_b, slide{0}.frame_b,")}});
    }
    return {"Stewart platform",
            0.2,
            {way("joints", jointed, "slide"), way("Spherical", balls, "slide"), way("CutSpherical", text, "slide"),
             way("JointUPS", assembled, "slide")}};
}

}  // namespace

std::vector<ClosedMechanism> closed_mechanisms(const std::filesystem::path& models) {
    return {four_bar(models),
            parallelogram(models),
            watt_linkage(models),
            slider_crank(models),
            scissor_lift(models),
            pantograph(models),
            engine(models),
            spatial_slider_crank(models),
            over_heavy_rod("RUSR", rocker(), "JointUSR"),
            over_heavy_rod("RUSP", slider(), "JointUSP"),
            over_light_rod("RSSR", rocker(), "JointSSR"),
            over_light_rod("RSSP", slider(), "JointSSP"),
            flyball_governor(models),
            bricard(models),
            stewart_platform(models)};
}

std::vector<std::vector<double>> rows_at(const simulation::Result& result, double interval) {
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < result.time.size(); ++k) {
        const double t = result.time[k];
        if (std::abs(t - static_cast<double>(rows.size()) * interval) > 1e-8 * interval) continue;
        if (k + 1 < result.time.size() && result.time[k + 1] == t) continue;
        rows.emplace_back();
        for (std::size_t n = 0; n < result.signals.size(); ++n) rows.back().push_back(result.at(k, n));
    }
    return rows;
}

double largest_difference(const std::vector<std::vector<double>>& rows, const std::vector<std::vector<double>>& first,
                          std::size_t from, std::size_t to) {
    if (rows.size() != first.size()) throw std::invalid_argument("rows at other times");
    double worst = 0.0;
    for (std::size_t c = from; c < to; ++c) {
        double off = 0.0, range = 0.0, size = 0.0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            off = std::max(off, std::abs(rows[r][c] - first[r][c]));
            range = std::max(range, std::abs(first[r][c] - first[0][c]));
            size = std::max(size, std::abs(first[r][c]));
        }
        worst = std::max(worst, off / (range > 0.0 ? range : std::max(size, 1.0)));
    }
    return worst;
}

}  // namespace bondgraph::test
