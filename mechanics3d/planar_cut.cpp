// What closes a loop of planar frames.

#include "mechanics3d/hold.hpp"
#include "mechanics3d/planar.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

void build_planar_rigid(PartsBuilder& b) {
    const auto ends = [&](const char* bond, const char* a, const char* far, const char* name, std::uint32_t size,
                          std::string_view domain) {
        const PartEnd near = b.junction1(a, size, domain);
        const PartEnd other = b.junction1(far, size, domain);
        b.attach("frame_a", bond, near);
        b.attach("frame_b", bond, other);
        const PartEnd relative = b.junction0(name, size, domain);
        b.bond(other, relative);
        b.bond(relative, near);
        return relative;
    };
    const auto offset = [](const LawContext& k) {
        return ExprMatrix(planar_pose_of(k, "frame_b").x - planar_pose_of(k, "frame_a").x);  // no row can be redundant
    };
    // 0 at whole turns only.
    const auto angle = [](const LawContext& k) {
        return column(
            {Expr(2.0) * sin((planar_pose_of(k, "frame_b").phi - planar_pose_of(k, "frame_a").phi) / Expr(2.0))});
    };
    add_hold(b, ends("force", "v_a", "v_b", "v_rel", 2, "translational"), "force", "translational", 2, {},
             {{"position", offset}});
    add_hold(b, ends("torque", "w_a", "w_b", "w_rel", 1, "rotational"), "torque", "rotational", 1, {},
             {{"position", angle}});
}

void planar_cut_law(LawContext&) {}

}  // namespace

const ComponentType kPlanarCutRigid = [] {
    ComponentType t;
    t.name = "PlanarCutRigid";
    t.structure = Structure::block;
    t.law = planar_cut_law;
    t.source = kCutSource;
    t.build = build_planar_rigid;
    t.summary = "Two planar frames held together: what an ordinary connection that closes a planar loop becomes.";
    t.law_text = "x_b = x_a, phi_b = phi_a but for whole turns: 3 conditions";
    t.example = "weld: {type: PlanarCutRigid}";
    t.connectors = two_planar_frames("one side", "the other side");
    return t;
}();

}  // namespace bondgraph::mechanics3d
