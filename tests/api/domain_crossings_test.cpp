// What crosses from one domain to another in the course of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/page_energy.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;

Run run_with_course(const std::string& file) {
    const auto model = Model::load(test::source_folder() + "/models/electromechanical/" + file);
    auto run = model->run({.energy_account = true, .energy_instants = 60});
    EXPECT_TRUE(run && run->course);
    return std::move(*run);
}

std::vector<std::string> names_of(const EnergyCourse& course) {
    std::vector<std::string> names;
    for (const EnergyRow& row : course.domain_rows) names.push_back(row.name);
    return names;
}

/// Per domain what has come into it from others until an instant.
std::map<std::string, double> given(const EnergyCourse& course, std::size_t at) {
    std::map<std::string, double> sums;
    for (const EnergyCourse::Crossing& c : course.crossings) sums[course.domain_rows[c.domain].name] += c.net[at];
    return sums;
}

/// Of a domain what has not come from others: supplied there, less what was stored and lost.
double own(const EnergyCourse::Part& part, std::size_t at) {
    return part.supplied[at] - part.stored[at] - part.dissipated[at] - part.other[at] - part.events[at];
}

TEST(ApiDomainCrossings, AMotorTakesFromTheCircuitWhatItGivesTheShaft) {
    const api::Run run = run_with_course("dc_motor.yaml");
    const EnergyCourse& course = *run.course;
    EXPECT_THAT(names_of(course), ElementsAre("electrical", "rotational"));
    ASSERT_EQ(course.crossings.size(), 2U);
    EXPECT_EQ(course.crossings[0].domain, 0U);
    EXPECT_EQ(course.crossings[1].domain, 1U);
    // The source gives electrical energy, the shaft takes it.
    EXPECT_LT(course.crossings[0].net.back(), -0.1 * run.account->balance.supplied);
    EXPECT_GT(course.crossings[1].net.back(), 0.1 * run.account->balance.supplied);
    const double all = run.account->balance.supplied;
    for (std::size_t k = 0; k < course.time.size(); ++k) {
        EXPECT_NEAR(course.crossings[0].net[k], -course.crossings[1].net[k], 1e-9 * all);
        for (std::size_t d = 0; d < 2; ++d)
            EXPECT_NEAR(own(course.domains[d], k) + course.crossings[d].net[k], 0.0, 1e-6 * all) << k;
    }
    EXPECT_EQ(course.crossings[0].net.front(), 0.0);
}

TEST(ApiDomainCrossings, InAndOutOfADomainAreTheirSumsAtTheEnd) {
    for (const char* file : {"dc_motor.yaml", "solenoid.yaml", "condenser_microphone.yaml"}) {
        const api::Run run = run_with_course(file);
        const EnergyCourse& course = *run.course;
        std::vector<double> in(course.domain_rows.size(), 0.0);
        std::vector<double> out = in;
        for (const EnergyCourse::Crossing& c : course.crossings) {
            ASSERT_EQ(c.net.size(), course.time.size());
            (c.net.back() > 0.0 ? in : out)[c.domain] += std::abs(c.net.back());
        }
        ASSERT_EQ(run.account->domains.size(), course.domain_rows.size());
        for (std::size_t d = 0; d < in.size(); ++d) {
            EXPECT_EQ(run.account->domains[d].name, course.domain_rows[d].name);
            EXPECT_DOUBLE_EQ(course.domain_rows[d].in, in[d]) << file << " " << course.domain_rows[d].name;
            EXPECT_DOUBLE_EQ(course.domain_rows[d].out, out[d]) << file << " " << course.domain_rows[d].name;
            EXPECT_EQ(run.account->domains[d].in, course.domain_rows[d].in);
            EXPECT_EQ(course.domains[d].stored.back(), run.account->domains[d].stored);
        }
    }
}

// Its energy is p^2 (1 + q/gap)/(2 L0) of flux and gap together: in no domain, but between two.
TEST(ApiDomainCrossings, WhatStoresInTwoDomainsHasItsBooksBetweenThem) {
    auto model = Model::load(test::source_folder() + "/models/electromechanical/solenoid.yaml");
    const auto run =
        model->run({.outputs = {"magnet.p1", "magnet.q2", "mass.f"}, .energy_account = true, .energy_instants = 60});
    ASSERT_TRUE(run && run->course) << run.error().text();
    const EnergyCourse& course = *run->course;
    EXPECT_THAT(names_of(course), ElementsAre("electrical", "translational", "between domains"));
    EXPECT_EQ(course.crossings.size(), 4U);
    const auto energy = [](double p, double q) { return p * p * (1.0 + q / 1e-3) / (2.0 * 0.1); };
    const double stored = energy(run->series["magnet.p1"].back(), run->series["magnet.q2"].back());
    const double all = run->account->balance.supplied;
    EXPECT_GT(stored, 1e-3 * all);
    EXPECT_NEAR(course.domains[2].stored.back(), stored, 1e-6 * all);
    EXPECT_EQ(course.domains[2].dissipated.back(), 0.0);
    double moved = 0.0;
    for (std::size_t k = 0; k < course.time.size(); ++k) {
        const auto sums = given(course, k);
        double sum = 0.0;
        for (std::size_t d = 0; d < 3; ++d) {
            EXPECT_NEAR(own(course.domains[d], k) + sums.at(course.domain_rows[d].name), 0.0, 1e-5 * all) << k;
            sum += sums.at(course.domain_rows[d].name);
        }
        EXPECT_NEAR(sum, 0.0, 1e-12 * all);
        moved = std::max(moved, std::abs(sums.at("translational")));
    }
    EXPECT_GT(moved, 1e-4 * all);
}

// A transformer passes on all it takes: nothing of that is between the domains, also where something else is.
TEST(ApiDomainCrossings, WhatStoresNothingHasNoBooksBetweenDomains) {
    const auto run = parsed(R"(model: rack
parameters: {gap: 1 mm, L0: 100 mH}
components:
  source: {type: Se, e: 12 V}
  circuit: {type: 1}
  winding: {type: R, R: 10 ohm}
  magnet: {type: ICF, kinds: [I, C], energy: p1^2*(1 + q2/gap)/(2*L0), initial: {p1: 0 V.s, q2: 5 mm}}
  plunger: {type: 1}
  mass: {type: I, I: 50 g, initial: {f: 0 m/s}}
  spring: {type: C, K: 3000 N/m, initial: {q: 0 m}}
  rack: {type: TF, m: 50 rad/m}
  shaft: {type: 1}
  brake: {type: R, R: 0.01 N.m.s/rad}
bonds:
  - source -> circuit
  - circuit -> winding
  - circuit -> magnet.p1
  - plunger -> magnet.p2
  - plunger -> mass
  - plunger -> spring
  - plunger -> rack.p1
  - rack.p2 -> shaft
  - shaft -> brake
experiment: {stop: 0.1 s, tolerance: 1e-8}
)")
                         .run({.energy_account = true, .energy_instants = 20});
    ASSERT_TRUE(run && run->course) << run.error().text();
    const EnergyCourse& course = *run->course;
    EXPECT_THAT(names_of(course), ElementsAre("electrical", "translational", "rotational", "between domains"));
    std::vector<std::size_t> count(4, 0);
    for (const EnergyCourse::Crossing& c : course.crossings) ++count[c.domain];
    EXPECT_THAT(count, ElementsAre(1, 2, 1, 2));
    EXPECT_GT(course.domain_rows[2].in, 0.0);
}

TEST(ApiDomainCrossings, OfOneDomainThereAreNone) {
    const auto run = parsed(kCharging).run({.energy_account = true, .energy_instants = 10});
    ASSERT_TRUE(run && run->course) << run.error().text();
    EXPECT_THAT(names_of(*run->course), ElementsAre("electrical"));
    EXPECT_TRUE(run->course->crossings.empty());
}

// The page has what moves, and leaves out all of it where that is too much.
TEST(ApiDomainCrossings, ThePageHasThoseThatMove) {
    api::Run run = run_with_course("dc_motor.yaml");
    const auto course = energy_json(run, "motor")["course"];
    ASSERT_EQ(course["crossings"].size(), 2U);
    EXPECT_EQ(course["crossings"][0]["domain"], 0);
    EXPECT_EQ(course["crossings"][1]["domain"], 1);
    EXPECT_EQ(course["domains"].size(), 2U);
    EnergyCourse& c = *run.course;
    c.crossings.push_back({0, std::vector<double>(c.time.size(), 0.0)});
    EXPECT_EQ(energy_json(run, "motor")["course"]["crossings"].size(), 2U);
    for (int k = 0; k < 58; ++k) c.crossings.push_back({1, std::vector<double>(c.time.size(), 1.0)});
    EXPECT_EQ(energy_json(run, "motor")["course"]["crossings"].size(), 60U);
    c.crossings.push_back({1, std::vector<double>(c.time.size(), 1.0)});
    EXPECT_FALSE(energy_json(run, "motor")["course"].contains("crossings"));
    EXPECT_FALSE(energy_json(run, "motor")["course"].contains("domains"));
}

}  // namespace
}  // namespace bondgraph::api
