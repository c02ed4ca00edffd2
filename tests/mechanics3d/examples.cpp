#include "tests/mechanics3d/examples.hpp"

#include <utility>

#include "converters/frames.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::test {

using model::ComponentType;

namespace {

bool planar(const ComponentType& type) { return type.connectors.front().type == &converters::kPlanarFrame; }

bool mechanical(const ComponentType& type) { return !type.connectors.empty() && !type.example.empty(); }

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
    // What holds in a plane only asks for one.
    if (type.name == "JointRRR" || type.name == "JointRRP") {
        return {"  table: {type: Planar}\n",
                "  - [arm.frame_b, table.frame_a]\n  - [dyad.frame_b, table.frame_b, far.frame_a]\n", ""};
    }
    for (const auto& [cut, name] : {std::pair("CutRevolute2D", "pin"), std::pair("CutPrismatic2D", "guide")}) {
        if (type.name == cut)
            return {"  table: {type: Planar}\n",
                    "  - [arm.frame_b, table.frame_a]\n  - [" + std::string(name) +
                        ".frame_b, table.frame_b, far.frame_a]\n",
                    ""};
    }
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
    "  tip: {type: PlanarPointMass, m: 1}\n"
    "  far: {type: PlanarBody, m: 2, r_CM: [0.1, 0.2], J: 0.1}\n";

bool converter(const ComponentType& type) { return type.name == "MBG2Mech" || type.name == "PlanarMBG2Mech"; }

}  // namespace

const model::Catalogue& catalogue() {
    static const model::Catalogue types = mechanics3d::full_catalogue();
    return types;
}

std::vector<const ComponentType*> mechanical_types() {
    std::vector<const ComponentType*> result;
    for (const ComponentType* t : catalogue().types()) {
        if (mechanical(*t) && t->alias_of.empty()) result.push_back(t);
    }
    return result;
}

std::string model_with(const ComponentType& type) {
    const std::string example(type.example);
    const std::string name = example.substr(0, example.find(':'));
    const std::string world = type.name == "World" ? "" : "  ground: {type: World}\n";
    std::string root = type.name == "World" ? name + ".frame_b" : "ground.frame_b";
    if (planar(type)) root = "fixed.frame_b";
    const Surroundings needs = surroundings(type);
    std::string text = "components:\n" + world + needs.components + "  " + example + "\n" +
                       (planar(type) ? kPlanarChain : kChain) + "connect:\n  - [" + root +
                       ", knuckle.frame_a]\n  - [knuckle.frame_b, arm.frame_a]\n" +
                       (planar(type) ? "  - [arm.frame_b, tip.frame_a]\n" : "");
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

}  // namespace bondgraph::test
