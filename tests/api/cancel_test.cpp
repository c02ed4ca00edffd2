// What comes before a run is ended as the run itself is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMeanwhile{100};
constexpr std::chrono::milliseconds kAtOnce{1000};  // what is cancelled here takes many times as long

/// A condition that never comes true, of which that is hard to prove: many sines of different speed.
std::string hard_to_foresee() {
    std::string sum;
    for (int k = 0; k < 150; ++k)
        sum += (k == 0 ? "" : " + ") + ("sin(" + std::to_string(k + 3) + "*time^1.3)*cos(" + std::to_string(k)) +
               "*sqrt(time + 1))";
    return R"(
model: hard_to_foresee
components:
  S: {type: Se, e: "if abs()" +
           sum + R"() < -1e-9 then 1 else 0"}
  j: {type: 1}
  R: {type: R, R: 1}
  C: {type: C, C: 1, initial: {q: 0}}
bonds: [S -> j, j -> R, j -> C]
experiment: {stop: 100 s}
)";
}

TEST(Cancel, EndsTheSearchForWhatIsForeseen) {
    const auto model = Model::parse(hard_to_foresee());
    ASSERT_TRUE(model) << model.error().text();
    std::atomic<bool> cancel = false;
    std::thread user([&cancel] {
        std::this_thread::sleep_for(kMeanwhile);
        cancel = true;
    });
    const auto began = Clock::now();
    const auto started = model->start({.cancel = &cancel});
    const auto took = Clock::now() - began;
    user.join();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, Error::Kind::cancelled);
    EXPECT_LT(took, kMeanwhile + kAtOnce);
}

/// Resistors in a grid of which one takes what no law gives it: no start has values.
std::string without_start() {
    constexpr int kNodes = 300;
    std::string components;
    std::string bonds;
    for (int k = 0; k < kNodes; ++k) {
        const std::string n = std::to_string(k);
        components += "  n" + n + ": {type: 0}\n  R" + n + ": {type: R, law: \"f = e^2 + 1 + 0.1*sin(" + n +
                      "*e)\"}\n  S" + n + ": {type: Sf, f: " + (k == kNodes / 2 ? "0" : "3") + "}\n";
        bonds += (k == 0 ? "" : ", ") + ("n" + n + " -> R" + n + ", S" + n + " -> n" + n);
        if (k == 0) continue;
        components += "  j" + n + ": {type: 1}\n  Q" + n + ": {type: R, law: \"f = tanh(e) + 0.01*e\"}\n";
        bonds += ", n" + std::to_string(k - 1) + " -> j" + n + ", j" + n + " -> n" + n + ", j" + n + " -> Q" + n;
    }
    return "model: without_start\ncomponents:\n" + components + "bonds: [" + bonds + "]\n";
}

TEST(Cancel, EndsTheSearchForAStart) {
    const auto model = Model::parse(without_start());
    ASSERT_TRUE(model) << model.error().text();
    std::atomic<bool> cancel = false;
    std::thread user([&cancel] {
        std::this_thread::sleep_for(3 * kMeanwhile);
        cancel = true;
    });
    const auto began = Clock::now();
    const auto started = model->start({.cancel = &cancel});
    const auto took = Clock::now() - began;
    user.join();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, Error::Kind::cancelled);
    EXPECT_LT(took, 3 * kMeanwhile + kAtOnce);
}

// Diodes make the start try out states of theirs; whoever has cancelled before gets none of it.
TEST(Cancel, IsLookedAtBeforeAnythingIsCompiledAndBeforeAStart) {
    const auto model = Model::parse(R"(
model: rectifier
components:
  S: {type: Se, e: 1}
  j: {type: 1}
  D: {type: D}
  R: {type: R, R: 1}
bonds: [S -> j, j -> D, j -> R]
outputs: [D.f]
experiment: {stop: 1 s}
)");
    ASSERT_TRUE(model) << model.error().text();
    std::atomic<bool> cancel = true;
    const auto before = model->start({.cancel = &cancel});
    ASSERT_FALSE(before);
    EXPECT_EQ(before.error().kind, Error::Kind::cancelled);
    EXPECT_EQ(model->compilations(), 0U);
    cancel = false;
    ASSERT_TRUE(model->start({.cancel = &cancel}));
    cancel = true;
    const auto again = model->start({.cancel = &cancel});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, Error::Kind::cancelled);
    EXPECT_EQ(model->compilations(), 1U);
    cancel = false;
    EXPECT_TRUE(model->run({.cancel = &cancel}));
}

}  // namespace
}  // namespace bondgraph::api
