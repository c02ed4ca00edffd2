// Loops that lengths alone keep from closing: random polygons, ways of closing a loop, and where nothing may be said.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "bondgraph/base/diagnostic.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::compile {
namespace {

using test::Pipeline;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Why a model is refused with this code; empty where it isn't, or for another reason.
std::string because(const std::string& text, std::string_view code = "BG-I007") {
    try {
        Pipeline(text).sorted();
    } catch (const ModelError& error) {
        const Diagnostic& d = error.diagnostics().front();
        EXPECT_EQ(d.code, code) << text;
        for (const DiagnosticNote& note : d.notes) {
            if (note.label == "because") return note.text;
        }
    }
    return "";
}

/// Links in a row between hinges from World to the end of the ground, the last joint as given. Each link may lie anyhow
/// in its frame.
std::string polygon(const std::vector<double>& lengths, const std::string& last, std::minstd_rand& random) {
    std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
    const auto vector = [&](double length) {
        const double a = angle(random);
        return fmt::format("[{:.17g}, {:.17g}, 0]", length * std::cos(a), length * std::sin(a));
    };
    std::string parts = fmt::format(
        "components:\n  world: {{type: World}}\n  link0: {{type: FixedTranslation, r: {}}}\n", vector(lengths[0]));
    std::string connect = "connect:\n  - [world, link0.frame_a, j1.frame_a]\n";
    for (std::size_t k = 1; k < lengths.size(); ++k) {
        parts += fmt::format("  j{}: {{type: Revolute}}\n", k);
        parts += fmt::format("  link{}: {{type: BodyShape, r: {}, m: 1, I_33: 1}}\n", k, vector(lengths[k]));
        connect += fmt::format("  - [j{}.frame_b, link{}.frame_a]\n", k, k);
        if (k + 1 < lengths.size()) connect += fmt::format("  - [link{}.frame_b, j{}.frame_a]\n", k, k + 1);
    }
    parts += fmt::format("  last: {{type: {}}}\n", last);
    connect +=
        fmt::format("  - [link{}.frame_b, last.frame_a]\n  - [link0.frame_b, last.frame_b]\n", lengths.size() - 1);
    return parts + connect;
}

// A polygon closes if and only if no side is longer than all others together.
TEST(LinkLengths, TellWhichRandomPolygonsCantClose) {
    std::minstd_rand random(11);
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    for (int k = 0; k < 60; ++k) {
        std::vector<double> lengths(static_cast<std::size_t>(3 + k % 4));
        const double size = std::pow(10.0, uniform(-4.0, 4.0));
        for (double& length : lengths) length = size * uniform(0.2, 1.0);
        const std::size_t longest = static_cast<std::size_t>(k) % lengths.size();
        lengths[longest] = 0.0;
        const double others = std::accumulate(lengths.begin(), lengths.end(), 0.0);
        const bool closes = k % 5 == 0;
        // Well within reach; or beyond it by a ten thousandth up to three times.
        lengths[longest] = others * (closes ? uniform(0.6, 0.95) : 1.0 + std::pow(10.0, uniform(-4.0, 0.5)));
        const std::string text = polygon(lengths,
                                         k % 2 == 0   ? "Revolute"
                                         : k % 3 == 0 ? "CutRevolute"
                                                      : "CutSpherical",
                                         random);
        const std::string reason = because(text);
        if (closes && *std::ranges::max_element(lengths) == lengths[longest]) {
            EXPECT_EQ(reason, "") << text;
        } else if (!closes) {
            EXPECT_THAT(reason, StartsWith(fmt::format("the lengths can't close: {:.6g} m (link{}) is longer than ",
                                                       lengths[longest], longest)))
                << text;
            EXPECT_THAT(reason, testing::EndsWith(fmt::format(" = {:.6g} m together", others))) << text;
        }
    }
}

// The end of a crank whose angle is given is as far from the rocker's hinge as the cosine rule says: the other two
// links reach that far if and only if no side of this triangle is longer than the other two.
TEST(LinkLengths, TellWhichGivenAnglesOfACrankCantBeReached) {
    std::minstd_rand random(23);
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    int refused = 0;
    for (int k = 0; k < 30; ++k) {
        const double size = std::pow(10.0, uniform(-3.0, 3.0));
        const std::vector<double> lengths{size, size * uniform(0.4, 1.4), size * uniform(0.3, 1.0),
                                          size * uniform(0.3, 1.0)};
        const double angle = uniform(-std::numbers::pi, std::numbers::pi);
        const double away = std::sqrt(lengths[0] * lengths[0] + lengths[1] * lengths[1] -
                                      2.0 * lengths[0] * lengths[1] * std::cos(angle));
        std::vector<double> sides{away, lengths[2], lengths[3]};
        std::ranges::sort(sides);
        const double lacks = (sides[2] - sides[1] - sides[0]) / sides[2];
        if (std::abs(lacks) < 1e-3) continue;
        // The ground's own axis is where angles count from.
        std::string text = polygon(lengths, k % 2 == 0 ? "Revolute" : "CutSpherical", random);
        const auto put = [&](std::string_view part, const std::string& by) {
            const std::size_t at = text.find(part);
            text.replace(at, text.find('\n', at) - at, by);
        };
        put("link0: {", fmt::format("link0: {{type: FixedTranslation, r: [{:.17g}, 0, 0]}}", lengths[0]));
        put("link1: {", fmt::format("link1: {{type: BodyShape, r: [{:.17g}, 0, 0], m: 1, I_33: 1}}", lengths[1]));
        put("j1: {", fmt::format("j1: {{type: Revolute, initial: {{phi: {:.17g}}}}}", angle));
        put("j2: {", "j2: {type: Revolute, guess: {phi: 1}}");
        const double longest = *std::ranges::max_element(lengths);
        const bool never = 2.0 * longest > std::accumulate(lengths.begin(), lengths.end(), 0.0);
        if (lacks < 0.0) {
            EXPECT_EQ(because(text, "none"), "") << text;
            continue;
        }
        const std::string reason = because(text, never ? "BG-I007" : "BG-I001");
        EXPECT_THAT(reason, HasSubstr("the lengths can't close: ")) << text;
        if (never) continue;
        ++refused;
        EXPECT_THAT(reason, StartsWith("with 'j1.phi' as given, ")) << text;
        EXPECT_THAT(reason, AnyOf(HasSubstr(fmt::format("{:.6g} m (link0, link1)", away)),
                                  HasSubstr(fmt::format("{:.6g} m (link1, link0)", away))))
            << text;
    }
    EXPECT_GT(refused, 5);
}

std::string four_bar(const std::string& bed, const std::string& coupler, const std::string& more = "") {
    return "components:\n  world: {type: World}\n  bed: {type: " + bed + "}\n" +
           "  j1: {type: Revolute}\n  crank: {type: BodyShape, r: [0.1, 0, 0], m: 1, I_33: 1}\n" + coupler +
           "  j4: {type: Revolute}\n  rocker: {type: BodyShape, r: [0.25, 0, 0], m: 1, I_33: 1}\n" + more +
           "connect:\n  - [world, j1.frame_a, bed.frame_a]\n  - [j1.frame_b, crank.frame_a]\n"
           "  - [bed.frame_b, j4.frame_a]\n  - [j4.frame_b, rocker.frame_a]\n"
           "  - [crank.frame_b, c.frame_a]\n  - [rocker.frame_b, c.frame_b]\n";
}

TEST(LinkLengths, CountRodsBetweenBalls) {
    const std::string is_longer = "the lengths can't close: 1 m (bed) is longer than ";
    for (const char* rod :
         {"ConnectingRod, length: 0.5", "SphericalSpherical, length: 0.5", "UniversalSpherical, rRod_ia: [0.5, 0, 0]"})
        EXPECT_EQ(because(four_bar("FixedTranslation, r: [0.6, 0, 0.8]", std::string("  c: {type: ") + rod + "}\n")),
                  is_longer + "0.25 m (rocker) + 0.5 m (c) + 0.1 m (crank) = 0.85 m together")
            << rod;
    // Two rods between the crank and the rocker's end.
    for (const char* rods : {"JointUSR, rRod1_ia: [0.3, 0, 0], rRod2_ib: [0, 0.2, 0]",
                             "JointSSR, rod1Length: 0.3, rRod2_ib: [0, 0.2, 0]"}) {
        const std::string reason =
            because(four_bar("FixedTranslation, r: [0.6, 0, 0.8]", std::string("  c: {type: ") + rods + "}\n"));
        EXPECT_THAT(reason, StartsWith(is_longer)) << rods;
        EXPECT_THAT(reason, HasSubstr("0.3 m (c)")) << rods;
        EXPECT_THAT(reason, HasSubstr("0.2 m (c)")) << rods;
    }
}

// A link of two parts at a right angle is as long as its hypotenuse, wherever the loop is cut.
TEST(LinkLengths, GoThroughWhatIsRigid) {
    const std::string reason = because(
        "components:\n  world: {type: World}\n  near: {type: FixedTranslation, r: [0.3, 0, 0]}\n"
        "  far: {type: FixedRotation, r: [0, 0.4, 0], n: [0, 0, 1], angle: 50 deg}\n"
        "  j1: {type: Revolute}\n  a: {type: BodyShape, r: [0.1, 0, 0], m: 1, I_33: 1}\n  j2: {type: Revolute}\n"
        "  b: {type: BodyShape, r: [0.2, 0, 0], m: 1, I_33: 1}\n  j3: {type: Revolute}\nconnect:\n"
        "  - [world, j1.frame_a, near.frame_a]\n  - [near.frame_b, far.frame_a]\n  - [j1.frame_b, a.frame_a]\n"
        "  - [a.frame_b, j2.frame_a]\n  - [j2.frame_b, b.frame_a]\n  - [b.frame_b, j3.frame_a]\n"
        "  - [j3.frame_b, far.frame_b]\n");
    EXPECT_THAT(reason, StartsWith("the lengths can't close: 0.5 m ("));
    EXPECT_THAT(reason, HasSubstr("near"));
    EXPECT_THAT(reason, HasSubstr("far"));
    EXPECT_THAT(reason, testing::EndsWith(" = 0.3 m together"));
}

// Both feet of a welded frame stand on hinges, the frame itself is cut.
TEST(LinkLengths, GoThroughWeldsThatCloseALoop) {
    const std::string reason = because(
        "components:\n  world: {type: World}\n  wall: {type: Fixed, r: [2, 0, 0]}\n"
        "  j1: {type: Revolute}\n  a: {type: BodyShape, r: [0.3, 0, 0], m: 1, I_33: 1}\n"
        "  weld: {type: CutRigid}\n"
        "  j2: {type: Revolute}\n  b: {type: BodyShape, r: [0, 0.4, 0], m: 1, I_33: 1}\nconnect:\n"
        "  - [world, j1.frame_a]\n  - [j1.frame_b, a.frame_a]\n  - [wall, j2.frame_a]\n"
        "  - [j2.frame_b, b.frame_a]\n  - [a.frame_b, weld.frame_a]\n  - [b.frame_b, weld.frame_b]\n");
    EXPECT_THAT(reason, HasSubstr("2 m (world, wall) is longer than 0.5 m (b, a)")) << reason;
}

TEST(LinkLengths, InThePlane) {
    EXPECT_THAT(
        because("components:\n  world: {type: World}\n  ground: {type: PlanarFixed}\n  wall: {type: PlanarFixed, r: "
                "[3, 0]}\n"
                "  j1: {type: PlanarRevolute}\n  a: {type: PlanarRod, r: [1, 0]}\n  m: {type: PlanarBody, m: 1, J: 1}\n"
                "  j2: {type: PlanarRevolute}\n  b: {type: PlanarRod, r: [0, 1.5]}\n"
                "  j3: {type: PlanarRevolute}\nconnect:\n"
                "  - [ground, j1.frame_a]\n  - [j1.frame_b, a.frame_a]\n  - [a.frame_b, j2.frame_a, m]\n"
                "  - [j2.frame_b, b.frame_a]\n  - [b.frame_b, j3.frame_a]\n  - [j3.frame_b, wall]\n"),
        testing::Eq("the lengths can't close: 3 m (wall, ground) is longer than 1 m (a) + 1.5 m (b) = 2.5 m together"));
}

// Where something slides, no length is what it is; a joint that leaves out a direction takes a shift along it; and
// where lengths do, axes may not.
TEST(LinkLengths, SayNothingWhereTheyDontKnow) {
    const std::string gap = "the nearest position that was found leaves a gap of ";
    std::string slides = four_bar("FixedTranslation, r: [0, 0, 2]", "  c: {type: ConnectingRod, length: 0.5}\n");
    EXPECT_THAT(because(slides), StartsWith("the lengths can't close"));
    slides.replace(slides.find("j4: {type: Revolute}"), 20, "j4: {type: Prismatic, n: [1, 0, 0]}");
    EXPECT_THAT(because(slides), StartsWith(gap));
    EXPECT_THAT(because(four_bar("FixedTranslation, r: [0.3, 0, 0.1]", "  c: {type: CutSpherical}\n")),
                StartsWith(gap));
}

}  // namespace
}  // namespace bondgraph::compile
