// A rectifier whose diodes leak, and conduct by a resistance far smaller than that of what they leak by.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

// Where one of two diodes in a row turns off the other's flow is about zero and its own resistance no longer what it is
// found from: one that went on conducting shorted the source through its neighbour half a period later, or asked for
// steps without end. Voltages of the capacitor by Ohm's law in each state of the diodes and LSODA at 1e-9, in Python.
TEST(LeakyBridge, BothDiodesOfABranchTurnOff) {
    struct Diode {
        double on;
        double off;
        double voltage;
    };
    for (const auto& [on, off, voltage] : {Diode{1e-5, 1e-5, 9.41896457}, Diode{1e-3, 1e-9, 9.4188757}}) {
        Pipeline p(fmt::format(R"(
parameters: {{on: {} ohm, off: {} S}}
components:
  s: {{type: Se, e: 10*sin(100*pi*time)}}
  rs: {{type: R, R: 0.5 ohm}}
  js: {{type: 1}}
  A: {{type: 0}}
  P: {{type: 0}}
  B: {{type: 0}}
  d1: {{type: D, Ron: on, Goff: off}}
  d2: {{type: D, Ron: on, Goff: off}}
  d3: {{type: D, Ron: on, Goff: off}}
  d4: {{type: D, Ron: on, Goff: off}}
  x1: {{type: 1}}
  x2: {{type: 1}}
  x3: {{type: 1}}
  x4: {{type: 1}}
  R: {{type: R, R: 100 ohm}}
  C: {{type: C, C: 1 mF}}
bonds: [s -> js, js -> rs, js -> A, B -> js, A -> x1, x1 -> d1, x1 -> P, B -> x2, x2 -> d2, x2 -> P, x3 -> d3, x3 -> A,
  x4 -> d4, x4 -> B, P -> R, P -> C]
)",
                               on, off));
        const auto run = p.run({.stop = 0.06, .tolerance = 1e-8, .interval = 1e-4},
                               {"C.e", "d1.on", "d1.f", "d2.on", "d2.f", "d3.on", "d3.f", "d4.on", "d4.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        const std::size_t rows = run.result.time.size();
        EXPECT_NEAR(run.result.at(rows - 1, 0), voltage, 1e-6);  // ten times the tolerance of 10 V
        double back = 0.0;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t d = 1; d < 9; d += 2)
                back = std::max(back, -run.result.at(row, d) * run.result.at(row, d + 1));
        }
        EXPECT_LT(back, 2e-5);  // what rounding of 10 V makes of the flow through the smaller resistance
    }
}

}  // namespace
}  // namespace bondgraph
