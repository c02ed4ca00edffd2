#include "mechanics3d/point_mass.hpp"

#include "mechanics3d/gravity.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

ExprMatrix one_entry(Expr e) { return ExprMatrix::Constant(1, 1, e); }

}  // namespace

void add_point_mass(PartsBuilder& b, const PartEnd& velocity, const ScalarOf& m, const VectorOf& position) {
    b.bond(velocity,
           b.add(b.unique("mass"), b.type("I"), {{"I", [m](const LawContext& k) { return one_entry(m(k)); }}}));
    b.bond(velocity,
           b.add(b.unique("weight"), kPotential,
                 {{"e", [=](const LawContext& k) { return ExprMatrix(scaled(-m(k), gravity(k, position(k)))); }},
                  {"U", [=](const LawContext& k) {
                       const auto U = potential_energy(k, m(k), position(k));
                       return U ? one_entry(*U) : ExprMatrix();
                   }}}));
}

void add_mass_between(PartsBuilder& b, const PartEnd& near, const PartEnd& far, const ScalarOf& fraction,
                      const ScalarOf& m, const VectorOf& position) {
    const PartEnd sum = b.junction0(b.unique("v_sum"), 3, "translational");
    const auto share = [&](const char* name, const PartEnd& end, const ScalarOf& part) {
        const PartEnd tf =
            b.add(name, b.type("TF"), {{"m", [part](const LawContext& k) { return one_entry(part(k)); }}});
        b.direct(tf, true);
        b.bond(end, PartsBuilder::port(tf, "p1"));
        b.bond(PartsBuilder::port(tf, "p2"), sum);
    };
    share("share_a", near, [=](const LawContext& k) { return Expr(1.0) - fraction(k); });
    share("share_b", far, fraction);
    const PartEnd velocity = b.junction1(b.unique("v"), 3, "translational");
    b.bond(sum, velocity);
    add_point_mass(b, velocity, m, position);
}

}  // namespace bondgraph::mechanics3d
