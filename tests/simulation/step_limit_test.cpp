#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

// Sampled every 10 ms, so that the integration begins anew a hundred times: the limit is for all of them together.
TEST(StepLimit, HoldsForTheWholeRunHoweverOftenItIsBegunAnew) {
    const char* model = R"(
components:
  s: {type: Se}
  j: {type: 1}
  R: {type: R, R: 1}
  C: {type: C, C: 1, initial: {q: 1}}
  held: {type: SampleHold, period: 10 ms}
  back: {type: Gain, k: -1}
bonds: [s -> j, j -> R, j -> C]
signals: [C.e -> held.u, held.y -> back.u, back.y -> s.e]
)";
    test::Pipeline p(model);
    const auto run = p.run({.stop = 1.0}, {"C.q"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    ASSERT_GT(run.summary.steps, 200);
    const auto limited = p.run({.stop = 1.0, .max_steps = 100}, {"C.q"});
    ASSERT_TRUE(limited.summary.failure);
    EXPECT_THAT(limited.summary.failure->message, testing::HasSubstr("the limit of 100 steps is reached"));
    EXPECT_LE(limited.summary.steps, 101);
}

}  // namespace
}  // namespace bondgraph
