#include "bench/chains.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace bondgraph::bench {

namespace {

struct KnownTip {
    Chain::Joint joint;
    std::size_t links;
    double time;
    Position tip;
};

constexpr auto kPin = Chain::Joint::pin;
constexpr auto kBall = Chain::Joint::ball;

// One pin: the rod pendulum, exact by elliptic functions. All others: a Runge-Kutta method of order 8 at 1e-13,
// confirmed by a second program.
constexpr std::array<KnownTip, 13> kKnownTips{{
    {kPin, 1, 1.0, {-0.99996658807186814, -0.0081745177170757822, 0.0}},
    {kPin, 1, 5.0, {-0.97924749655353698, -0.20266805494115393, 0.0}},
    {kPin, 1, 10.0, {0.69682240679391919, -0.71724370571649480, 0.0}},
    {kPin, 2, 1.0, {-1.662115135816, -1.041466637193, 0.0}},
    {kPin, 2, 2.0, {0.3135247764501, -1.914746617562, 0.0}},
    {kPin, 2, 5.0, {1.855221937759, -0.7395679325443, 0.0}},
    {kPin, 5, 1.0, {0.5335694751424, -4.919709597571, 0.0}},
    {kPin, 5, 2.0, {-4.596001576615, -0.7560764306323, 0.0}},
    {kPin, 10, 1.0, {7.52722901556, -4.906262319715, 0.0}},
    {kPin, 10, 2.0, {-7.60005510842, -5.956157140634, 0.0}},
    {kBall, 1, 1.0, {-0.8684889661543, -0.01013609982657, 0.4956048578742}},
    {kBall, 1, 5.0, {0.8273972602091, -0.2494940263403, 0.5031565408688}},
    {kBall, 1, 10.0, {0.3147269585196, -0.8218891342383, 0.4748106913309}},
}};

}  // namespace

std::string to_yaml(const Chain& chain) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "model: {}_chain_{}\n", chain.joint_name(), chain.links);
    fmt::format_to(out, "description: Chain of {} links on {}s\n\n", chain.links, chain.joint_name());
    fmt::format_to(out, "components:\n  world: {{type: World, g: {} m/s2}}\n", Chain::kGravity);
    for (std::size_t k = 1; k <= chain.links; ++k) {
        if (chain.joint == Chain::Joint::pin) {
            fmt::format_to(out, "  j{}: {{type: Revolute, n: [0, 0, 1], initial: {{phi: 0, w: 0}}}}\n", k);
        } else {
            fmt::format_to(out, "  j{}: {{type: Spherical, initial: {{angles: [0, 0, 0], w: [0, {}, 0]}}}}\n", k,
                           k == 1 ? Chain::kTurning : 0.0);
        }
        fmt::format_to(out, "  l{}: {{type: BodyShape, r: [{} m, 0, 0], r_CM: [{} m, 0, 0], m: {} kg,", k,
                       Chain::kLength, Chain::kLength / 2, Chain::kMass);
        fmt::format_to(out, " I_11: {}, I_22: {}, I_33: {}}}\n", Chain::kAlong, Chain::kAcross, Chain::kAcross);
    }
    fmt::format_to(out, "\nconnect:\n");
    for (std::size_t k = 1; k <= chain.links; ++k) {
        const std::string carrier = k == 1 ? "world" : fmt::format("l{}", k - 1);
        fmt::format_to(out, "  - [{}.frame_b, j{}.frame_a]\n  - [j{}.frame_b, l{}.frame_a]\n", carrier, k, k, k);
    }
    fmt::format_to(out, "\nexperiment: {{stop: {} s, tolerance: {}, interval: 100 ms}}\n", chain.stop, chain.tolerance);
    fmt::format_to(out, "outputs: [l{}.frame_b.x]\n", chain.links);
    return text;
}

std::optional<double> first_acceleration(const Chain& chain) {
    constexpr std::size_t kLong = 20;  // each further link changes it by less than a tenth of the one before
    if (chain.links == 1) return -14.715;
    if (chain.links == 2) return -12.6128571428571;
    if (chain.links >= kLong) return -12.4385815777493;
    return std::nullopt;
}

std::optional<Position> known_tip(const Chain& chain, double time) {
    for (const KnownTip& known : kKnownTips) {
        if (known.joint == chain.joint && known.links == chain.links && known.time == time) return known.tip;
    }
    return std::nullopt;
}

double distance(const Position& a, const Position& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

}  // namespace bondgraph::bench
