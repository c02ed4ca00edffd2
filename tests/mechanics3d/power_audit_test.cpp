// The power audit over every mechanical type, written as its example says: each transformer inside gives out exactly
// the power it takes in, for any efforts, flows, positions and orientations.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/model/law_context.hpp"
#include "converters/frames.hpp"
#include "mechanics3d/catalogue.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using expression::Expr;
using expression::Op;
using model::BondGraph;
using model::ComponentType;
using model::Element;
using test::Pipeline;

const model::Catalogue& catalogue() {
    static const model::Catalogue types = mechanics3d::full_catalogue();
    return types;
}

bool planar(const ComponentType& type) { return type.connectors.front().type == &converters::kPlanarFrame; }

bool mechanical(const ComponentType& type) { return !type.connectors.empty() && !type.example.empty(); }

std::vector<const ComponentType*> mechanical_types() {
    std::vector<const ComponentType*> result;
    for (const ComponentType* t : catalogue().types()) {
        if (mechanical(*t) && t->alias_of.empty()) result.push_back(t);
    }
    return result;
}

/// What a type needs around it besides.
struct Surroundings {
    std::string components;
    std::string connections;
    std::string bonds;
};

Surroundings surroundings(const ComponentType& type) {
    // What comes out of multibonds has to go into them somewhere.
    if (type.name == "MBG2Mech") {
        return {"  inside: {type: Mech2MBG}\n", "  - [arm.frame_b, inside]\n",
                "bonds: [inside.trans -> outside.trans, inside.rot -> outside.rot]\n"};
    }
    if (type.name == "GearConstraint")
        return {"  other: {type: Body, m: 1, I_11: 1, I_22: 1, I_33: 1}\n", "  - [gear.frame_a, other]\n", ""};
    if (type.name == "PlanarMBG2Mech") {
        return {"  inside: {type: PlanarMech2MBG}\n", "  - [arm.frame_b, inside]\n",
                "bonds: [inside.force -> outside.force, inside.torque -> outside.torque]\n"};
    }
    if (type.name == "BevelGear1D") {
        return {"  one: {type: I, I: 1}\n  two: {type: I, I: 2}\n", "",
                "bonds: [bevel.flange_a -> one, bevel.flange_b -> two]\n"};
    }
    return {};
}

constexpr const char* kChain =
    "  knuckle: {type: Spherical, initial: {angles: [0.3, 0.2, 0.1], w: [1, 2, 3]}}\n"
    "  arm: {type: BodyShape, r: [0.3, 0.2, 0.1], m: 1, I_11: 0.1, I_22: 0.1, I_33: 0.1}\n"
    "  far: {type: Body, m: 2, r_CM: [0.1, 0.2, 0.3], I_11: 0.1, I_22: 0.1, I_33: 0.1, I_21: 0.01}\n";
constexpr const char* kPlanarChain =
    "  fixed: {type: PlanarFixed}\n"
    "  knuckle: {type: PlanarRevolute, initial: {phi: 0.3, w: 2}}\n"
    "  arm: {type: PlanarRod, r: [0.3, 0.2]}\n"
    "  far: {type: PlanarBody, m: 2, r_CM: [0.1, 0.2], J: 0.1}\n";

bool converter(const ComponentType& type) { return type.name == "MBG2Mech" || type.name == "PlanarMBG2Mech"; }

/// The type between a moving arm and a body, or at the end of the arm, or as a root of its own.
std::string model_with(const ComponentType& type) {
    const std::string example(type.example);
    const std::string name = example.substr(0, example.find(':'));
    const std::string world = type.name == "World" ? "" : "  ground: {type: World}\n";
    std::string root = type.name == "World" ? name + ".frame_b" : "ground.frame_b";
    if (planar(type)) root = "fixed.frame_b";
    const Surroundings needs = surroundings(type);
    std::string text = "components:\n" + world + needs.components + "  " + example + "\n" +
                       (planar(type) ? kPlanarChain : kChain) + "connect:\n  - [" + root +
                       ", knuckle.frame_a]\n  - [knuckle.frame_b, arm.frame_a]\n";
    if (type.name == "World") return text + "  - [arm.frame_b, far.frame_a]\n";
    text += needs.connections;
    if (type.root == model::RootKind::always && !converter(type))
        return text + "  - [" + name + "." + std::string(type.connectors.front().name) + ", far.frame_a]\n";
    for (const model::ConnectorSpec& c : type.connectors) {
        if (c.optional) continue;
        const std::string own = name + "." + std::string(c.name);
        const bool near = &c == &type.connectors.front() && c.name != "frame_b";
        if (needs.connections.find(own + ",") != std::string::npos) continue;
        text += "  - [" + own + ", " + (near ? "arm.frame_b" : "far.frame_a") + "]\n";
    }
    return text + needs.bonds;
}

class Numbers {
   public:
    explicit Numbers(std::uint64_t seed) : random_(seed) {}
    double of(std::uint32_t variable) {
        return values_.try_emplace(variable, std::uniform_real_distribution<double>(-2.0, 2.0)(random_)).first->second;
    }
    void set(std::uint32_t variable, double value) { values_[variable] = value; }

   private:
    std::mt19937_64 random_;
    std::unordered_map<std::uint32_t, double> values_;
};

double value(const BondGraph& g, Expr e, Numbers& numbers) {
    if (e.is_constant()) return e.constant();
    const std::array roots{e};
    const Expr result = expression::substitute(*g.expressions, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = (*g.expressions)[n];
        if (node.op == Op::variable) return Expr(numbers.of(node.a));
        if (node.op == Op::time) return Expr(0.7);
        return std::nullopt;
    })[0];
    return result.constant();
}

/// Power in at p1 minus power out at p2, and the size of the terms.
std::pair<double, double> imbalance(const BondGraph& g, std::size_t index, std::uint64_t seed) {
    const Element& e = g.elements[index];
    std::vector<model::Equation> equations;
    model::LawContext context(g, model::ElementId(index), equations);
    e.type->law(context);
    Numbers numbers(seed);
    for (const model::Equation& q : equations) {
        const expression::Node& node = (*g.expressions)[q.lhs.node()];
        const bool negative = node.op == Op::negate;
        const std::uint32_t variable = negative ? (*g.expressions)[node.a].a : node.a;
        numbers.set(variable, (negative ? -1.0 : 1.0) * value(g, q.rhs, numbers));
    }
    double sum = 0.0;
    double size = 0.0;
    for (std::size_t p = 0; p < e.ports.size(); ++p) {
        const auto efforts = context.effort(p);
        const auto flows = context.flow(p);
        for (Eigen::Index k = 0; k < efforts.size(); ++k) {
            const double power = value(g, efforts(k), numbers) * value(g, flows(k), numbers);
            sum += e.ports[p].direction == model::PortDirection::in ? power : -power;
            size += std::abs(power);
        }
    }
    return {sum, size};
}

class MechanicalPower : public testing::TestWithParam<const ComponentType*> {};

TEST_P(MechanicalPower, IsConservedByEveryTransformer) {
    const std::string text = model_with(*GetParam());
    SCOPED_TRACE(text);
    Pipeline p(text);
    const BondGraph& g = p.graph();
    std::size_t audited = 0;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (!g.elements[i].directed) continue;
        ++audited;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto [sum, size] = imbalance(g, i, seed);
            EXPECT_LE(std::abs(sum), 1e-12 * size) << g.elements[i].name;
        }
    }
    EXPECT_GT(audited, 0U);
    p.compiled();  // and the whole has a causality and sorted equations
}

INSTANTIATE_TEST_SUITE_P(Types, MechanicalPower, testing::ValuesIn(mechanical_types()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(MechanicalTypes, SayWhereTheyComeFromAndHowTheyAreWritten) {
    for (const ComponentType* t : catalogue().types()) {
        EXPECT_FALSE(t->source.empty()) << t->name;
        EXPECT_FALSE(t->summary.empty()) << t->name;
        if (t->name.find(' ') == std::string_view::npos) {
            EXPECT_FALSE(t->example.empty()) << t->name;
        }
        for (const model::ParameterSpec& parameter : t->parameters)
            EXPECT_FALSE(parameter.doc.empty()) << t->name << "." << parameter.name;
    }
}

}  // namespace
}  // namespace bondgraph
