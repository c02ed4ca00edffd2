// Runs of one model after each other: what earlier ones have found out and compiled changes nothing in later ones.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/all_of.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

std::vector<double> run_of(const Model& model, const RunOptions& options = {}) {
    const auto run = model.run(options);
    EXPECT_TRUE(run) << run.error().text();
    if (!run) return {};
    EXPECT_FALSE(run->failure) << run->failure->text();
    return all_of(*run);
}

struct Repeated {
    std::string file;
    std::string parameter;  ///< one that may be another
    double value;
};

class RepeatedRuns : public ::testing::TestWithParam<Repeated> {};

TEST_P(RepeatedRuns, AreTheSame) {
    const auto& [file, parameter, value] = GetParam();
    const std::string path = test::source_folder() + "/models/" + file + ".yaml";
    const std::vector<double> alone = run_of(Model::load(path).value());
    const std::vector<double> otherwise = run_of(Model::load(path).value(), {.values = {{parameter, value}}});
    ASSERT_NE(alone, otherwise);
    const Model model = Model::load(path).value();
    EXPECT_EQ(run_of(model), alone);
    EXPECT_EQ(run_of(model), alone);
    EXPECT_EQ(run_of(model, {.values = {{parameter, value}}}), otherwise);
    EXPECT_EQ(run_of(model, {.values = {{parameter, value}}}), otherwise);
    run_of(model, {.tolerance = 1e-4, .energy = false});
    run_of(model, {.values = {{parameter, value}}, .outputs = {model.outputs().value().back()}});
    EXPECT_EQ(run_of(model), alone);
    EXPECT_EQ(run_of(model, {.values = {{parameter, value}}}), otherwise);
}

TEST_P(RepeatedRuns, AreTheSameStepByStep) {
    const std::string path = test::source_folder() + "/models/" + GetParam().file + ".yaml";
    const auto stepped = [](const Model& model) {
        Simulation s = model.start({.stop = 0.02}).value();
        while (!s.done() && s.advance(s.time() + 0.005)) {
        }
        return all_of(s.finish());
    };
    const std::vector<double> alone = stepped(Model::load(path).value());
    const Model model = Model::load(path).value();
    run_of(model);
    EXPECT_EQ(stepped(model), alone);
    EXPECT_EQ(stepped(model), alone);
}

INSTANTIATE_TEST_SUITE_P(Models, RepeatedRuns,
                         ::testing::Values(Repeated{"electromechanical/dc_motor", "J.I", 2e-3},  // linear
                                           Repeated{"nonlinear/pendulum", "g", 9.0},
                                           Repeated{"electrical/rectifier_bridge", "R", 40.0},  // diodes
                                           Repeated{"electrical/freewheeling", "L", 0.3},       // modes and jumps
                                           Repeated{"rotational/clutch_engaging", "J1", 0.5},
                                           Repeated{"translational/stick_slip", "K", 30.0},
                                           Repeated{"translational/bouncing_ball", "h", 0.8},
                                           Repeated{"electrical/wheatstone_bridge", "U", 2.0},  // no states
                                           Repeated{"signals/sampled_control", "k", 5.0},
                                           Repeated{"mechanics3d/slider_crank", "m3", 0.7},  // states by numbers
                                           Repeated{"mechanics3d/robot_arm", "world.g", 5.0},
                                           Repeated{"mechanics3d/bricard", "g", 5.0},
                                           Repeated{"hydraulic/two_liquids", "p", 3e3},  // records
                                           Repeated{"thermal/melting_ice", "G", 0.6}),
                         [](const auto& info) {
                             std::string name = info.param.file;
                             return name.replace(name.find('/'), 1, "_");
                         });

}  // namespace
}  // namespace bondgraph::api
