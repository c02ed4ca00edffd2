#include "tests/mechanics3d/assembly_models.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph::test {

/// Results by time.
std::vector<std::vector<double>> rows_of(std::string_view text, double stop, const Names& names, double interval,
                                         double tolerance) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = interval}, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "") << text;
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        rows.push_back({});
        for (std::size_t n = 0; n < names.size(); ++n) rows.back().push_back(run.result.at(k, n));
    }
    return rows;
}

/// A crank about z and a place on the ground, from where the rest leads.
std::string crank(const std::string& more, const std::string& connect) {
    return "components:\n"
           "  world: {type: World}\n"
           "  a: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.3, w: 8}}\n"
           "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.5, I_11: 1e-3, I_22: 1e-3, I_33: "
           "1e-3}\n"
           "  bed: {type: FixedTranslation, r: [0.3, 0, 0.2]}\n" +
           more +
           "connect:\n"
           "  - [world.frame_b, a.frame_a, bed.frame_a]\n"
           "  - [a.frame_b, crank.frame_a]\n" +
           connect;
}

/// As `crank`, with the ground in the plane of the crank.
std::string in_plane(std::string text) {
    text.replace(text.find("[0.3, 0, 0.2]"), 13, "[0.3, 0, 0]");
    return text;
}

const char* const kRocker = "{type: Body, r_CM: [0, 0.12, 0], m: 0.7, I_11: 4e-3, I_22: 1e-3, I_33: 4e-3}\n";
const char* const kRod = "{type: Body, r_CM: [0.2, 0, 0], m: 0.2, I_11: 1e-4, I_22: 2e-3, I_33: 2e-3}\n";

std::string with_usr() {
    return crank(std::string("  j: {type: JointUSR, rRod1_ia: [0.45, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.25, 0], "
                             "guess: {phi: 0.2}}\n"
                             "  rod_body: ") +
                     kRod + "  rocker: " + kRocker,
                 "  - [crank.frame_b, j.frame_a]\n"
                 "  - [bed.frame_b, j.frame_b]\n"
                 "  - [j.frame_ia, rod_body]\n"
                 "  - [j.frame_ib, rocker]\n");
}

std::string with_usp(double guess) {
    return crank(fmt::format("  j: {{type: JointUSP, rRod1_ia: [0.45, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.02, 0], "
                             "guess: {{s: {}}}}}\n",
                             guess) +
                     "  rod_body: " + kRod + "  slider: {type: Body, m: 0.7}\n",
                 "  - [crank.frame_b, j.frame_a]\n"
                 "  - [bed.frame_b, j.frame_b]\n"
                 "  - [j.frame_ia, rod_body]\n"
                 "  - [j.frame_ib, slider]\n");
}

std::string with_ssp(double mass, double guess) {
    return crank(
        fmt::format("  j: {{type: JointSSP, rod1Length: 0.45, rod1Mass: {}, n_b: [1, 0, 0], rRod2_ib: [0, 0.02, "
                    "0], guess: {{s: {}}}}}\n",
                    mass, guess) +
            "  slider: {type: Body, m: 0.7}\n",
        "  - [crank.frame_b, j.frame_a]\n"
        "  - [bed.frame_b, j.frame_b]\n"
        "  - [j.frame_ib, slider]\n");
}

std::string with_ssr(double mass, double guess) {
    return crank(
        fmt::format("  j: {{type: JointSSR, rod1Length: 0.45, rod1Mass: {}, n_b: [1, 0, 0], rRod2_ib: [0, 0.25, "
                    "0], guess: {{phi: {}}}}}\n  rocker: ",
                    mass, guess) +
            kRocker,
        "  - [crank.frame_b, j.frame_a]\n"
        "  - [bed.frame_b, j.frame_b]\n"
        "  - [j.frame_ib, rocker]\n");
}

std::string with_rrr(const std::string& more, const std::string& guess) {
    return in_plane(crank("  j: {type: JointRRR, rRod1_ia: [0.35, 0, 0], rRod2_ib: [0, 0.25, 0]" + more + ", guess: {" +
                              guess + "}}\n  rod_body: " + kRod + "  rocker: " + kRocker,
                          "  - [crank.frame_b, j.frame_a]\n"
                          "  - [bed.frame_b, j.frame_b]\n"
                          "  - [j.frame_ia, rod_body]\n"
                          "  - [j.frame_ib, rocker]\n"));
}

std::string with_rrp(double guess) {
    return in_plane(
        crank(fmt::format("  j: {{type: JointRRP, rRod1_ia: [0.4, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.02, "
                          "0], guess: {{s: {}}}}}\n  rod_body: ",
                          guess) +
                  kRod + "  slider: {type: Body, m: 0.7}\n",
              "  - [crank.frame_b, j.frame_a]\n"
              "  - [bed.frame_b, j.frame_b]\n"
              "  - [j.frame_ia, rod_body]\n"
              "  - [j.frame_ib, slider]\n"));
}

}  // namespace bondgraph::test
