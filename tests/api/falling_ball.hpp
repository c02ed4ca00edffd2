#pragma once

namespace bondgraph::api {

/// Falls from 1 m, and bounces off with 0.8 of its velocity.
inline constexpr const char* kBall = R"(
model: bouncing_ball
components:
  weight: {type: Se, e: -9.81 N}
  fall:   {type: 1}
  ball:   {type: I, I: 1 kg, initial: {f: 0 m/s}}
  height: {type: Dq, initial: {y: 1 m}}
bonds: [weight -> fall, fall -> ball, fall -> height]
when:
  - {if: height.y < 0, reinit: {ball.f: -0.8*ball.f}}
experiment: {stop: 2 s, tolerance: 1e-9}
outputs: [height.y, ball.f]
)";

}  // namespace bondgraph::api
