// A rod of constant length between two points.

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/hold.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

/// In the world.
Vec3 between_ends(const LawContext& k) { return pose_of(k, "frame_b").x - pose_of(k, "frame_a").x; }

Expr rod_length(const LawContext& k) { return k.scalar("length"); }

void build_rod(PartsBuilder& b) {
    const auto end = [&](const char* frame, const char* name) {
        const PartEnd v = b.junction1(std::string("v_") + name, 3, "translational");
        b.attach(frame, "trans", v);
        b.attach(frame, "rot", b.junction1(std::string("w_") + name, 3, "rotational"));
        return v;
    };
    const PartEnd near = end("frame_a", "a");
    const PartEnd far = end("frame_b", "b");
    add_rod(b, near, far, between_ends, rod_length);
}

void rod_law(LawContext&) {}

}  // namespace

const ComponentType kConnectingRod = [] {
    ComponentType t;
    t.name = "ConnectingRod";
    t.structure = Structure::block;
    t.law = rod_law;
    t.source = kCutSource;
    t.build = build_rod;
    t.summary = "A massless rod between two points: their distance is constant.";
    t.law_text = "(r . r - length^2) / (2 length) = 0: 1 condition, with the force along the rod";
    t.example = "rod: {type: ConnectingRod, length: 0.4 m}";
    t.parameters = {{.name = "length",
                     .doc = "length of the rod",
                     .shape = Shape::scalar,
                     .minimum = 0.0,
                     .exclusive_minimum = true,
                     .unit = "m"}};
    t.connectors = {{"frame_a", &converters::kFrame, "one end"},
                    {"frame_b", &converters::kFrame, "the other end", PortDirection::out}};
    t.shapes = line_shape;
    return t;
}();

}  // namespace bondgraph::mechanics3d
