#include "bench/four_bars.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace bondgraph::bench {

double FourBars::acceleration(double angle) const {
    const auto n = static_cast<double>(bars);
    const double moment = (0.5 * (n + 1.0) + n) * kMass * kGravity * kLength;
    const double inertia = ((n + 1.0) / 3.0 + n) * kMass * kLength * kLength;
    return moment * std::sin(angle) / inertia;
}

std::string to_yaml(const FourBars& m) {
    std::string text;
    const auto out = std::back_inserter(text);
    const double across = FourBars::kMass * FourBars::kLength * FourBars::kLength / 12.0;
    const auto joint = [&](char name, std::size_t k, double rate) {
        fmt::format_to(out, "  {}{}: {{type: Revolute, n: [0, 0, 1], guess: {{phi: 0, w: {} rad/s}}}}\n", name, k,
                       rate);
    };
    const auto foot = [](std::size_t k) { return k == 0 ? std::string("world") : fmt::format("foot{}", k); };
    const double rate = FourBars::kSpeed / FourBars::kLength;
    fmt::format_to(out, "model: four_bars_{}\ndescription: {} four-bars side by side\n\n", m.bars, m.bars);
    fmt::format_to(out, "components:\n  world: {{type: World, g: {} m/s2}}\n", FourBars::kGravity);
    fmt::format_to(out, "  p0: {{type: Revolute, n: [0, 0, 1], initial: {{phi: 0, w: {} rad/s}}}}\n", rate);
    for (std::size_t k = 0; k <= m.bars; ++k) {
        if (k > 0) joint('p', k, rate);
        fmt::format_to(out, "  rod{}: {{type: BodyShape, r: [0, {} m, 0], r_CM: [0, {} m, 0], m: {} kg,", k,
                       FourBars::kLength, FourBars::kLength / 2, FourBars::kMass);
        fmt::format_to(out, " I_11: {}, I_33: {}}}\n", across, across);
    }
    for (std::size_t k = 0; k < m.bars; ++k) {
        joint('a', k, -rate);
        joint('b', k, rate);
        fmt::format_to(out, "  bar{}: {{type: BodyShape, r: [{} m, 0, 0], r_CM: [{} m, 0, 0], m: {} kg,", k,
                       FourBars::kLength, FourBars::kLength / 2, FourBars::kMass);
        fmt::format_to(out, " I_22: {}, I_33: {}}}\n", across, across);
        fmt::format_to(out, "  foot{}: {{type: Fixed, r: [{} m, 0, 0]}}\n", k + 1,
                       static_cast<double>(k + 1) * FourBars::kLength);
    }
    fmt::format_to(out, "\nconnect:\n");
    for (std::size_t k = 0; k <= m.bars; ++k) {
        fmt::format_to(out, "  - [{}.frame_b, p{}.frame_a]\n  - [p{}.frame_b, rod{}.frame_a]\n", foot(k), k, k, k);
    }
    for (std::size_t k = 0; k < m.bars; ++k) {
        fmt::format_to(out, "  - [rod{}.frame_b, a{}.frame_a]\n  - [a{}.frame_b, bar{}.frame_a]\n", k, k, k, k);
        fmt::format_to(out, "  - [bar{}.frame_b, b{}.frame_a]\n  - [b{}.frame_b, rod{}.frame_b]\n", k, k, k, k + 1);
    }
    fmt::format_to(out, "\nexperiment: {{stop: {} s, tolerance: {}, interval: 10 ms}}\n", m.stop, m.tolerance);
    fmt::format_to(out, "outputs: [p0.phi, p0.w, p{}.phi]\n", m.bars);
    return text;
}

}  // namespace bondgraph::bench
