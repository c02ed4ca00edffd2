// What runs of one model share.

#include "bondgraph/simulation/shared_modes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/expression/expr.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;

/// How many expressions a first and a second run of a shipped model add, one beginning with what the other has found.
std::vector<std::size_t> added_by_runs(const std::string& file, const std::string& output) {
    Pipeline p(test::load_file(test::model_path(file)));
    Settings settings = p.settings();
    settings.shared = std::make_shared<SharedModes>(p.compiled());
    std::vector<std::size_t> added;
    for (int run = 0; run < 2; ++run) {
        const std::size_t before = p.graph().expressions->size();
        const Run done = p.run(settings, {output});
        EXPECT_FALSE(done.summary.failure);
        added.push_back(p.graph().expressions->size() - before);
    }
    return added;
}

TEST(SharedModes, ALaterRunMakesNoExpressions) {
    for (const auto& [file, output] :
         std::vector<std::pair<std::string, std::string>>{{"electromechanical/dc_motor.yaml", "La.f"},
                                                          {"electrical/freewheeling.yaml", "coil.f"},
                                                          {"rotational/clutch_engaging.yaml", "disc1.f"},
                                                          {"translational/stick_slip.yaml", "mass.f"},
                                                          {"translational/bouncing_ball.yaml", "floor.q"},
                                                          {"mechanics3d/slider_crank.yaml", "main.w"},
                                                          {"mechanics3d/robot_arm.yaml", "yaw.phi"}}) {
        EXPECT_EQ(added_by_runs(file, output)[1], 0U) << file;
    }
}

TEST(SharedModes, ModesAreCompiledOnce) {
    const auto added = added_by_runs("electrical/freewheeling.yaml", "coil.f");
    EXPECT_GT(added[0], 0U);
    Pipeline p(test::load_file(test::model_path("electrical/freewheeling.yaml")));
    Settings settings = p.settings();
    settings.shared = std::make_shared<SharedModes>(p.compiled());
    p.run(settings, {"coil.f"});
    // The switch is open, and the diode conducts.
    const CompiledMode once = settings.shared->find({0.0, 1.0});
    ASSERT_TRUE(once);
    p.run(settings, {"coil.f"});
    EXPECT_EQ(settings.shared->find({0.0, 1.0}).compiled, once.compiled);
}

// The values of another model say nothing of this one.
TEST(SharedModes, ThoseOfAnotherModelAreNotTaken) {
    Pipeline first(
        "components: {S: {type: Se, e: 1}, j: {type: 1}, R: {type: R, R: 2}, C: {type: C, C: 1}}\n"
        "bonds: [S -> j, j -> R, j -> C]\n");
    Pipeline second(
        "components: {S: {type: Se, e: 1}, j: {type: 1}, R: {type: R, R: 3}, C: {type: C, C: 1}}\n"
        "bonds: [S -> j, j -> R, j -> C]\n");
    Settings settings;
    const auto alone = second.run(settings, {"C.e"});
    settings.shared = std::make_shared<SharedModes>(first.compiled());
    first.run(settings, {"C.e"});
    EXPECT_EQ(second.run(settings, {"C.e"}).result.data, alone.result.data);
}

}  // namespace
}  // namespace bondgraph::simulation
