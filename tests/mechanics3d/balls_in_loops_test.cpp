// A ball joint that closes a loop is a constraint where nothing asks for its coordinates: the same motion, by fewer
// unknowns, wherever it stands and whatever it is called.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/mechanics3d/edited_models.hpp"
#include "tests/mechanics3d/ways_of_closing.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::edited;
using test::Pipeline;
using Names = std::vector<std::string>;

std::string slider_crank(const std::string& ball = "{type: Spherical}") {
    return test::with_part(test::model_of(test::model_path("mechanics3d/slider_crank_spatial.yaml")), "ball", ball);
}

bool is_constraint(const std::string& text, const std::string& name = "ball") {
    Pipeline p(text);
    const model::BondGraph& g = p.graph();
    return g.elements[g.element_by_name.at(name).index()].type->paths.empty();
}

std::vector<std::vector<double>> motion(const std::string& text, const Names& names) {
    Pipeline p(text);
    simulation::Settings settings = p.settings();
    settings.stop = 1.0;
    settings.interval = 0.1;
    const auto run = p.run(settings, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    return test::rows_at(run.result, settings.interval);
}

void expect_same(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t row = 0; row < a.size(); ++row) {
        for (std::size_t c = 0; c < a[row].size(); ++c)
            EXPECT_NEAR(a[row][c], b[row][c], 1e-7 * std::max(1.0, std::abs(a[row][c]))) << row << ", " << c;
    }
}

const Names kResults{"main.phi",          "main.w",           "guide.s", "cross.phi_a", "cross.w_b",
                     "main.frame_a.f[2]", "ball.frame_b.f[3]"};

TEST(BallsInLoops, AreConstraintsWhereNothingAsksForCoordinates) {
    const std::string text = slider_crank();
    EXPECT_TRUE(is_constraint(text));
    EXPECT_TRUE(is_constraint(text + "outputs: [\"ball.w[2]\", \"ball.frame_a.f[1]\", \"ball.w\"]\n"));
    EXPECT_TRUE(is_constraint(text + "plots:\n  - {title: ball.q is not asked for here, y: [\"ball.w[2]\"]}\n"));
}

TEST(BallsInLoops, KeepCoordinatesThatAreAskedFor) {
    const std::string text = slider_crank();
    for (const std::string ball :
         {"{type: Spherical, orientation: quaternion}", "{type: Spherical, orientation: angles}",
          "{type: Spherical, guess: {angles: [0, 0, 0]}}", "{type: Spherical, states: avoid}",
          "{type: Spherical, locked: false}"})
        EXPECT_FALSE(is_constraint(slider_crank(ball))) << ball;
    EXPECT_FALSE(is_constraint(text + "outputs: [\"ball.q[1]\"]\n"));
    EXPECT_FALSE(is_constraint(text + "plots:\n  - {title: A, y: [\"ball.q[1]\"]}\n"));
    const auto with_signal = [&](const std::string& from) {
        return edited(text, {{"\nconnect:", "\nsignals:\n  - " + from + " -> shown.u\n\nconnect:"},
                             {"\ncomponents:\n", "\ncomponents:\n  shown: {type: Gain, k: 2}\n"}});
    };
    EXPECT_FALSE(is_constraint(with_signal("ball.w[1]")));
    EXPECT_TRUE(is_constraint(with_signal("guide.v")));
}

TEST(BallsInLoops, MoveAsWithCoordinates) {
    Names names = kResults;
    for (const char* w : {"ball.w[1]", "ball.w[2]", "ball.w[3]"}) names.emplace_back(w);
    const auto before = motion(slider_crank("{type: Spherical, orientation: quaternion}"), names);
    expect_same(before, motion(slider_crank(), names));
    const std::string text = slider_crank();
    Names turned = names;
    // Arrows reversed: its rate is that of the other side, seen there.
    turned.resize(kResults.size() - 1);
    auto without_ball = before;
    for (auto& row : without_ball) row.resize(turned.size());
    const std::string reversed = edited(text, {{"rod.frame_b, ball.frame_a", "rod.frame_b, ball.frame_b"},
                                               {"slider.frame_a, ball.frame_b", "slider.frame_a, ball.frame_a"}});
    EXPECT_TRUE(is_constraint(reversed));
    expect_same(without_ball, motion(reversed, turned));
    // First by name, and last in the file.
    const std::string line = "  ball: {type: Spherical}\n";
    std::string moved = edited(text, {{line, ""}, {"\nconnect:", "  a_ball: {type: Spherical}\n\nconnect:"}});
    moved = edited(moved, {{"[rod.frame_b, ball.", "[rod.frame_b, a_ball."},
                           {"slider.frame_a, ball.", "slider.frame_a, a_ball."}});
    EXPECT_TRUE(is_constraint(moved, "a_ball"));
    expect_same(without_ball, motion(moved, turned));
    // Something of the same name elsewhere, asked for its coordinates.
    const std::string beside =
        edited(text,
               {{"\ncomponents:\n",
                 "\ntypes:\n  Pendulum:\n    components:\n      world: {type: Fixed}\n      ball: {type: Spherical, "
                 "initial: {angles: [0, 0.1, 0]}}\n      bob: {type: Body, m: 1, r_CM: [0, 0, -1], I_33: 1}\n    "
                 "connect:\n      "
                 "- [world.frame_b, ball.frame_a]\n      - [ball.frame_b, bob.frame_a]\n\ncomponents:\n  aside: {type: "
                 "Pendulum}\n"}}) +
        "outputs: [\"aside.ball.q[1]\"]\n";
    EXPECT_TRUE(is_constraint(beside));
    EXPECT_FALSE(is_constraint(beside, "aside.ball"));
    expect_same(without_ball, motion(beside, turned));
}

// Six legs on balls hold a platform whose start values are given as those of a free body; one ball alone carries it.
TEST(BallsInLoops, LeaveABodyFreeWhoseStartIsGiven) {
    std::string text = test::model_of(test::model_path("mechanics3d/stewart_platform.yaml"));
    const Names names{"platform.frame_a.x[1]", "platform.frame_a.x[3]", "platform.frame_a.R[1,2]", "slide1.s"};
    const auto before = motion(text, names);
    for (int k = 1; k <= 6; ++k) text = test::with_part(text, fmt::format("ball{}", k), "{type: Spherical}");
    for (int k = 1; k <= 6; ++k) EXPECT_TRUE(is_constraint(text, fmt::format("ball{}", k)));
    expect_same(before, motion(text, names));
}

// Of a rod on two balls one remains a joint: the first by name, wherever the loop goes round.
TEST(BallsInLoops, OneOfTwoBallsOnARodCarriesIt) {
    const std::string start = test::with_part(slider_crank(), "cross", "{type: Spherical}");
    EXPECT_FALSE(is_constraint(start, "ball"));
    EXPECT_TRUE(is_constraint(start, "cross"));
}

}  // namespace
}  // namespace bondgraph
