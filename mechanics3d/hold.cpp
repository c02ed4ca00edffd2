// What constraints on positions are made of.

#include "mechanics3d/hold.hpp"

#include <algorithm>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

void hold_law(LawContext& k) {
    const ExprMatrix& position = k.element().parameter("position")->value;
    for (Eigen::Index i = 0; i < position.rows(); ++i) k.equation(position(i, 0), 0.0);
}

void hold_while_law(LawContext& k) {
    hold_law(k);
    k.update("on", k.scalar("active"));
}

bool every_mode(const Element&) { return true; }

PortCausality effort_out(const Element&, std::size_t, std::size_t) { return PortCausality::effort_out; }

}  // namespace

ExprMatrix column(const std::vector<Expr>& values) {
    ExprMatrix m(static_cast<Eigen::Index>(values.size()), 1);
    for (std::size_t i = 0; i < values.size(); ++i) m(static_cast<Eigen::Index>(i), 0) = values[i];
    return m;
}

ExprMatrix rows(const std::vector<Vec3>& all) {
    ExprMatrix m(static_cast<Eigen::Index>(all.size()), 3);
    for (std::size_t i = 0; i < all.size(); ++i) m.row(static_cast<Eigen::Index>(i)) = all[i].transpose();
    return m;
}

void add_hold(PartsBuilder& b, const PartEnd& relative, std::string_view name, std::string_view domain,
              std::size_t count, const std::function<ExprMatrix(const LawContext&)>& map,
              std::vector<PartParameter> conditions) {
    const bool passes = std::ranges::any_of(conditions, [](const PartParameter& p) { return p.name == "active"; });
    const PartEnd hold = b.add(name, passes ? kHoldWhile : kHold, std::move(conditions));
    if (!map) return b.bond(relative, hold);
    const PartEnd rate = b.junction1(std::string(name) + "_rate", static_cast<std::uint32_t>(count), domain);
    const PartEnd transformer = b.add(std::string(name) + "_map", b.type("TF"), {{"m", map}});
    b.direct(transformer, true);
    b.bond(relative, PartsBuilder::port(transformer, "p1"));
    b.bond(PartsBuilder::port(transformer, "p2"), rate);
    b.bond(rate, hold);
}

void add_rod(PartsBuilder& b, const PartEnd& near, const PartEnd& far,
             const std::function<Vec3(const LawContext&)>& between,
             const std::function<Expr(const LawContext&)>& length) {
    const PartEnd relative = b.junction0("v_rel", 3, "translational");
    b.bond(far, relative);
    b.bond(relative, near);
    const auto position = [=](const LawContext& k) {
        const Vec3 r = between(k);
        const Expr L = length(k);
        return column({(dot(r, r) - L * L) / (Expr(2.0) * L)});
    };
    const auto map = [=](const LawContext& k) { return rows({scaled(Expr(1.0) / length(k), between(k))}); };
    const auto gap = [=](const LawContext& k) {
        const Vec3 r = between(k);
        return column({expression::sqrt(dot(r, r)) - length(k)});
    };
    add_hold(b, relative, "force", "translational", 1, map, {{"position", position}, {"gap", gap}});
}

const ComponentType kHold{
    .name = "hold",
    .structure = Structure::border,
    .energy = Energy::supplied,
    .firmness = Firmness::constraint,
    .symbol = "rSe",
    .summary = "Residual effort source whose effort is whatever makes conditions on positions hold.",
    .law_text = "position = 0, e follows",
    .ports = {{"p", PortDirection::in, "a relative velocity that vanishes with the condition's rate"}},
    .parameters = {{.name = "position", .doc = "what has to vanish"},
                   {.name = "gap", .doc = "how far it is from that, where it is no length itself", .required = false},
                   {.name = "assumed", .doc = "what the rest of the loop keeps as it is", .required = false},
                   {.name = "upright", .doc = "what has to be positive then", .required = false}},
    .causality = effort_out,
    .law = hold_law,
    .source = kCutSource,
    .holds_positions = true,
};

const ComponentType kHoldWhile = [] {
    ComponentType t = kHold;
    t.name = "hold while";
    t.summary = "Residual effort source that makes conditions on positions hold while another condition is true.";
    t.law_text = "active: position = 0, e follows;  otherwise e = 0";
    t.parameters.push_back({.name = "active", .doc = "true while it holds", .shape = Shape::scalar, .condition = true});
    t.discretes = {{.name = "on", .doc = "whether it holds", .structural = every_mode, .start = 1.0}};
    t.law = hold_while_law;
    return t;
}();

}  // namespace bondgraph::mechanics3d
