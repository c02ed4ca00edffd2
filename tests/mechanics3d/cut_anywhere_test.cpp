// Any joint of a loop may be the one that closes it: in every shipped mechanism, constraint joints in place of ordinary
// ones, one after the other. All bodies move as before.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <set>

#include "bondgraph/compile/reduce.hpp"
#include "tests/mechanics3d/edited_models.hpp"
#include "tests/mechanics3d/ways_of_closing.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// A joint that could be cut: nothing but its frames is connected, and it has no start value that must hold.
struct Joint {
    std::string name, type, parameters;
};

std::vector<Joint> joints_in(const std::string& text) {
    static const std::regex kJoint(R"((?:^|\n)  (\w+): *\{type: (Revolute|Prismatic|Universal|Spherical)\b([^\n]*)\})");
    std::vector<Joint> result;
    for (std::sregex_iterator at(text.begin(), text.end(), kJoint), end; at != end; ++at) {
        Joint joint{(*at)[1], (*at)[2], (*at)[3]};
        std::smatch use;
        const std::regex other(R"(\b)" + joint.name + R"(\.(?!frame_[ab]))");
        if (std::regex_search(text, other)) continue;
        if (std::regex_search(joint.parameters, std::regex("initial|locked|orientation"))) continue;
        joint.parameters = std::regex_replace(joint.parameters, std::regex(R"(, *guess: \{[^}]*\})"), "");
        result.push_back(joint);
    }
    return result;
}

/// Names of the joints whose coordinates close loops.
std::set<std::string> joints_of_loops(Pipeline& p) {
    std::set<std::string> result;
    const auto& loops = p.sorted().reduced->loops;
    const model::BondGraph& g = p.graph();
    for (const auto& coordinate : loops->position) {
        const std::size_t slot = coordinate.variable - 2 * std::size_t{g.bond_components};
        result.insert(g.elements[g.slot_variables[slot].element.index()].name);
    }
    return result;
}

/// Where all bodies are during a part of the experiment.
std::vector<std::vector<double>> places(Pipeline& p, const std::vector<std::string>& names, double part) {
    simulation::Settings settings = p.settings();
    settings.stop *= part;
    settings.interval = settings.stop / 10.0;
    settings.tolerance = 1e-9;
    settings.energy = false;
    const auto run = p.run(settings, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    return test::rows_at(run.result, settings.interval);
}

class CutAnywhere : public testing::TestWithParam<const char*> {};

TEST_P(CutAnywhere, BodiesMoveAsBefore) {
    const std::string text = test::model_of(test::model_path(std::string("mechanics3d/") + GetParam() + ".yaml"));
    const std::string head = text.substr(0, text.find("\nexperiment:") + 1);
    Pipeline plain(text);
    const std::set<std::string> in_loops = joints_of_loops(plain);
    std::vector<Joint> joints = joints_in(head);
    std::erase_if(joints, [&](const Joint& j) { return !in_loops.contains(j.name); });
    ASSERT_FALSE(joints.empty());

    std::vector<std::string> names;
    static const std::regex kBody(R"((?:^|\n)  (\w+): *\{type: Body)");
    for (std::sregex_iterator at(head.begin(), head.end(), kBody), end; at != end; ++at) {
        for (const char* k : {"x[1]", "x[2]", "x[3]", "R[1,2]", "R[2,3]"})
            names.push_back((*at)[1].str() + ".frame_a." + k);
    }
    // Some wait at first, for the bump in a road, for a load, for a lever.
    const bool waits = text.find(" time > ") != std::string::npos || text.find("TimeTable") != std::string::npos;
    const double part = waits ? 0.2 : 0.05;
    const auto before = places(plain, names, part);
    double size = 0.0;
    for (std::size_t c = 0; c < names.size(); ++c) {
        for (const auto& row : before) size = std::max(size, std::abs(row[c] - before[0][c]));
    }
    ASSERT_GT(size, 1e-4);
    constexpr std::size_t kMost = 3;
    joints.resize(std::min(joints.size(), kMost));
    for (const Joint& joint : joints) {
        SCOPED_TRACE(joint.name);
        Pipeline cut(test::with_part(text, joint.name, "{type: Cut" + joint.type + joint.parameters + "}"));
        const auto now = places(cut, names, part);
        ASSERT_EQ(now.size(), before.size());
        for (std::size_t row = 0; row < now.size(); ++row) {
            for (std::size_t c = 0; c < names.size(); ++c)
                EXPECT_NEAR(now[row][c], before[row][c], 1e-6 * size) << names[c] << ", row " << row;
        }
    }
}

const std::array kMechanisms{
    "andrews_squeezer",     "bricard",          "chebyshev_linkage",    "crank_rocker",     "double_crank",
    "double_rocker",        "double_wishbone",  "double_wishbone_tyre", "excavator_bucket", "excavator_hydraulic",
    "governed_engine",      "macpherson",       "n_four_bar",           "pantograph",       "parallelogram",
    "peaucellier",          "quick_return",     "scissor_lift",         "scotch_yoke",      "slider_crank",
    "slider_crank_spatial", "stewart_platform", "toggle_press",         "triple_rocker",    "universal_joint_shaft",
    "watt_linkage"};

/// All of them, or under the sanitizers some (tests/support/sweep.hpp).
std::vector<const char*> mechanisms() {
    std::vector<const char*> some;
    for (std::size_t k = 0; k < kMechanisms.size(); k += BONDGRAPH_SWEEP) some.push_back(kMechanisms[k]);
    return some;
}

INSTANTIATE_TEST_SUITE_P(Of, CutAnywhere, testing::ValuesIn(mechanisms()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bondgraph
