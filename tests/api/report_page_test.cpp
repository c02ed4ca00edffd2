// What the page of a model is given to show.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/api/page_data.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

Json data_of(const Report& report) { return test::data_of_page(report.page); }

const Json& named(const Json& list, const std::string& name) {
    const auto found = std::ranges::find_if(list, [&](const Json& one) { return one.at("name") == name; });
    if (found == list.end()) throw std::out_of_range(name);
    return *found;
}

/// Any other reason why there is no page is a failure.
bool built_with_page() {
    const auto page = report(parsed(kCharging));
    return page.ok() || page.error().text().find("made without npm") == std::string::npos;
}

class ReportPage : public testing::Test {
   protected:
    void SetUp() override {
        if (!built_with_page()) GTEST_SKIP() << "this build was made without npm";
    }
};

TEST_F(ReportPage, HasTheGraphWithStrokesInTheOrderOfTheirAssignment) {
    const auto page = report(parsed(kCharging));
    const Json data = data_of(*page);
    EXPECT_EQ(data["model"], "charging");
    const Json& graph = data["graphs"][0];
    EXPECT_EQ(named(graph["nodes"], "loop")["kind"], "junction");
    EXPECT_EQ(named(graph["nodes"], "C1")["type"], "C");
    EXPECT_EQ(named(graph["nodes"], "C1")["domain"], "electrical");
    const Json& source = named(graph["edges"], "source")["components"][0];
    const Json& feed = named(graph["edges"], "feed")["components"][0];
    const Json& resistor = named(graph["edges"], "R1")["components"][0];
    EXPECT_EQ(source["kind"], "source");
    EXPECT_EQ(feed["kind"], "integral");
    EXPECT_LT(source["order"], feed["order"]);
    EXPECT_LT(feed["order"], resistor["order"]);
    EXPECT_EQ(feed["stroke"], "from");  // the capacitor answers with its effort
    EXPECT_THAT(source["reason"].get<std::string>(), HasSubstr("fixes its effort"));
    // Each node and bond is drawn, and tells so.
    const std::string svg = graph["svg"];
    for (std::size_t n = 0; n < graph["nodes"].size(); ++n)
        EXPECT_THAT(svg, HasSubstr("data-of=\"node-" + std::to_string(n) + "\""));
    for (std::size_t e = 0; e < graph["edges"].size(); ++e)
        EXPECT_THAT(svg, HasSubstr("class=\"stroke\" data-of=\"edge-" + std::to_string(e) + "\""));
}

TEST_F(ReportPage, HasTheRunAsItIs) {
    const Model model = parsed(kCharging);
    const auto page = report(model);
    const Json data = data_of(*page);
    const auto run = model.run({.outputs = {"C1.e", "R1.f"}});
    ASSERT_TRUE(run);
    const Json& tables = data["run"]["tables"];
    for (const char* name : {"C1.e", "R1.f"}) {
        bool found = false;
        for (const Json& table : tables) {
            for (const Json& column : table["columns"]) {
                if (column["name"] != name) continue;
                found = true;
                const auto time = test::numbers_of_base64<double>(table["time"]);
                const auto values = test::numbers_of_base64<float>(column["data"]);
                ASSERT_EQ(time.size(), run->series.rows());
                ASSERT_EQ(values.size(), time.size());
                for (std::size_t row = 0; row < time.size(); ++row) {
                    EXPECT_EQ(time[row], run->series.time()[row]);
                    // Both runs record other columns, which changes no step.
                    EXPECT_NEAR(values[row], run->series[name][row], 1e-6 * 10.0) << name << " in row " << row;
                }
            }
        }
        EXPECT_TRUE(found) << name;
    }
    EXPECT_EQ(page->rows, run->series.rows());
}

// Results of a component are by its own convention; an arrow drawn against that has their power against it.
TEST_F(ReportPage, TellsOfArrowsThatAreDrawnAgainstAComponent) {
    const Json data = data_of(*report(parsed(R"(
model: reversed
components: {s: {type: Se, e: 1 V}, r: {type: R, R: 1}, c: {type: C, C: 1, initial: {q: 0}}, j: {type: 1}}
bonds: [j -> s, r -> j, named: c -> j]
experiment: {stop: 1 s}
)")));
    const Json& edges = data["graphs"][0]["edges"];
    EXPECT_TRUE(named(edges, "s")["against"]);
    EXPECT_TRUE(named(edges, "r")["against"]);
    EXPECT_FALSE(named(edges, "named")["against"]);  // results of a named bond are along its arrow
    const Json along = data_of(*report(parsed(kCharging)));
    for (const Json& e : along["graphs"][0]["edges"]) EXPECT_FALSE(e["against"]);
}

TEST_F(ReportPage, KeepsHugeAndTinyNumbers) {
    const Json data = data_of(*report(parsed(R"(
model: sizes
components: {s: {type: Se, e: 1e-30}, r: {type: R, R: 1e20}, j: {type: 1}, c: {type: C, C: 1e-20, initial: {q: 0}}}
bonds: [s -> j, j -> r, j -> c]
outputs: [r.f]
experiment: {stop: 1 s}
)")));
    const Json& column = data["run"]["tables"][0]["columns"][0];
    ASSERT_TRUE(column["wide"]);
    EXPECT_NEAR(test::numbers_of_base64<double>(column["data"])[0], 1e-50, 1e-56);
}

TEST_F(ReportPage, KeepsWhatNeverChangesOnce) {
    const Json data = data_of(*report(parsed(kCharging)));
    for (const Json& table : data["run"]["tables"]) {
        for (const Json& column : table["columns"]) {
            if (column["name"] == "source.e") {
                EXPECT_EQ(test::numbers_of_base64<float>(column["data"]), std::vector<float>{10.0F});
            }
        }
    }
}

TEST_F(ReportPage, LeavesOutRowsOfBondsOfLongRunsAndKeepsFirstAndLast) {
    const Model model = parsed(kCharging);
    const Json whole = data_of(*report(model));
    const Json thinned = data_of(*report(model, {.most_numbers = 60}));
    const auto all = test::numbers_of_base64<double>(whole["run"]["tables"][0]["time"]);
    const auto kept = test::numbers_of_base64<double>(thinned["run"]["tables"].back()["time"]);
    EXPECT_LT(kept.size(), all.size() / 2);
    EXPECT_GT(kept.size(), 4U);
    EXPECT_EQ(kept.front(), all.front());
    EXPECT_EQ(kept.back(), all.back());
    EXPECT_EQ(test::numbers_of_base64<double>(thinned["run"]["tables"][0]["time"]), all);  // the model's own outputs
}

TEST_F(ReportPage, HasEquationsInSymbolsAndNumbersTypeset) {
    const Json data = data_of(*report(parsed(kCharging)));
    EXPECT_THAT(data["equations"]["states"][0]["latex"].get<std::string>(), HasSubstr("\\frac{\\mathrm{d}"));
    EXPECT_FALSE(data["symbolic"]["assignments"].empty());
    for (const Json& e : data["symbolic"]["assignments"]) EXPECT_THAT(e["latex"].get<std::string>(), HasSubstr(" = "));
    ASSERT_EQ(data["linear"][0]["poles"].size(), 1U);
    EXPECT_NEAR(data["linear"][0]["poles"][0][0].get<double>(), -1000.0, 1e-6);
}

TEST_F(ReportPage, HasTheAnswersOfTheLinearModel) {
    const Json data = data_of(*report(parsed(kCharging)));
    const Json& bode = data["linear"][0]["bode"];
    ASSERT_EQ(bode["channels"].size(), 1U);
    const auto floats = [](const Json& text) { return test::numbers_of_base64<float>(text); };
    const std::vector<float> frequencies = floats(bode["abscissa"]);
    ASSERT_GT(frequencies.size(), 100U);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double x = double{frequencies[i]} * 1e-3;  // w R C
        EXPECT_NEAR(floats(bode["channels"][0]["values"])[i], -10.0 * std::log10(1.0 + x * x), 1e-4);
        EXPECT_NEAR(floats(bode["channels"][0]["phases"])[i], -std::atan(x) * 180.0 / 3.14159265358979, 1e-3);
    }
    const Json& step = data["linear"][0]["step"];
    const std::vector<float> times = floats(step["abscissa"]);
    ASSERT_GT(times.size(), 100U);
    ASSERT_LE(times.size(), 301U);
    for (std::size_t i = 0; i < times.size(); ++i)
        EXPECT_NEAR(floats(step["channels"][0]["values"])[i], 1.0 - std::exp(-double{times[i]} / 1e-3), 1e-5);
}

TEST_F(ReportPage, OfAConflictShowsTheGraphAndWhy) {
    const auto page = report(parsed(R"(
model: conflict
components: {a: {type: Se, e: 1 V}, b: {type: Se, e: 2 V}, node: {type: 0}}
bonds: [a -> node, b -> node]
)"));
    ASSERT_TRUE(page) << page.error().text();
    ASSERT_TRUE(page->conflict);
    EXPECT_FALSE(page->failure);
    const Json data = data_of(*page);
    EXPECT_EQ(data["conflict"][0]["code"], "BG-C001");
    EXPECT_TRUE(named(data["graphs"][0]["nodes"], "a")["conflict"]);
    EXPECT_FALSE(data.contains("run"));
    EXPECT_FALSE(data.contains("equations"));
}

TEST_F(ReportPage, OfARunThatFailsShowsWhatThereIs) {
    const auto page = report(parsed(R"(
model: explodes
components: {c: {type: C, law: e = -q^3, initial: {q: 1}}, r: {type: R, R: 1}, j: {type: 1}}
bonds: [c -> j, j -> r]
experiment: {stop: 10 s}
)"));
    ASSERT_TRUE(page) << page.error().text();
    EXPECT_FALSE(page->conflict);
    ASSERT_TRUE(page->failure);
    EXPECT_EQ(page->failure->kind, Error::Kind::run);
    const Json data = data_of(*page);
    EXPECT_THAT(data["failure"], Not(IsEmpty()));
    EXPECT_GT(page->rows, 10U);
    EXPECT_TRUE(data.contains("run"));
}

TEST_F(ReportPage, TextsOfTheModelEndNoScript) {
    const auto page = report(parsed(R"(
model: "</script><script>alert(1)</script>"
description: "<!-- <b> & \" -->"
components: {c: {type: C, C: 1, initial: {q: 1}}, r: {type: R, R: 1}, j: {type: 1}}
bonds: [c -> j, j -> r]
experiment: {stop: 1 s}
)"));
    ASSERT_TRUE(page) << page.error().text();
    EXPECT_THAT(page->page, Not(HasSubstr("<script>alert")));
    EXPECT_EQ(data_of(*page)["model"], "</script><script>alert(1)</script>");
    EXPECT_EQ(data_of(*page)["description"], "<!-- <b> & \" -->");
}

TEST_F(ReportPage, ValuesAndTimesAreThoseAskedFor) {
    const auto page = report(parsed(kCharging), {.values = {{"R1.R", 2000.0}}, .stop = 0.01});
    ASSERT_TRUE(page) << page.error().text();
    const Json data = data_of(*page);
    EXPECT_EQ(data["run"]["stop"], 0.01);
    EXPECT_NEAR(data["linear"][0]["poles"][0][0].get<double>(), -500.0, 1e-6);
}

// A switch closes at 0.5 s, and the second of two capacitors depends on the first from then on.
constexpr const char* kCloses = R"(
model: closes
components:
  first: {type: C, C: 1, initial: {q: 1}}
  a: {type: 0}
  leak: {type: R, R: 1}
  link: {type: 1}
  switch: {type: Sw, open: time < 0.5}
  b: {type: 0}
  second: {type: C, C: 2, initial: {q: 1}}
bonds: [a -> first, a -> leak, a -> link, link -> switch, link -> b, b -> second]
experiment: {stop: 1}
)";

TEST_F(ReportPage, HasTheOtherModesOfTheRun) {
    const Json data = data_of(*report(parsed(kCloses)));
    const Json& course = data["run"]["modes"];
    EXPECT_EQ(course["names"], Json({"switch.closed"}));
    EXPECT_EQ(test::numbers_of_base64<std::uint32_t>(course["mode"]), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(test::numbers_of_base64<double>(course["time"]), (std::vector<double>{0.0, 0.5}));
    ASSERT_EQ(data["modes"].size(), 1U);
    const Json& closed = data["modes"][0];
    EXPECT_EQ(closed["modes"], Json({{"switch.closed", true}}));
    EXPECT_TRUE(closed["nodes"]["second"]["derivative"]);
    EXPECT_FALSE(closed["nodes"].contains("first"));  // as at the start
    EXPECT_EQ(closed["edges"]["switch"]["components"][0]["stroke"], "from");
    EXPECT_EQ(closed["equations"]["states"].size(), 1U);
    EXPECT_EQ(data["equations"]["states"].size(), 2U);
    EXPECT_FALSE(closed["symbolic"]["assignments"].empty());
    EXPECT_EQ(closed["causality"]["storages"][1]["integral"], false);
}

TEST_F(ReportPage, KeepsModesBackThatAreToBeFound) {
    const Json data = data_of(*report(parsed(kCloses), {.solved = false}));
    EXPECT_FALSE(data.contains("modes"));
    EXPECT_FALSE(data["run"].contains("modes"));
}

TEST_F(ReportPage, RunsAloneTellTheirModes) {
    const Model model = parsed(kCloses);
    const auto alone = report(model, {.content = ReportOptions::Content::run, .results = {"first.e"}});
    ASSERT_TRUE(alone) << alone.error().text();
    const Json data = Json::parse(alone->page);
    EXPECT_EQ(test::numbers_of_base64<double>(data["run"]["modes"]["time"]), (std::vector<double>{0.0, 0.5}));
    EXPECT_FALSE(data.contains("modes"));
}

TEST_F(ReportPage, IsLinearizedAlongTheRunWhereThatChanges) {
    const Json data = data_of(*report(parsed(kCloses)));
    std::set<std::size_t> poles;
    for (const Json& linear : data["linear"]) poles.insert(linear["poles"].size());
    EXPECT_EQ(poles, (std::set<std::size_t>{1, 2}));
    EXPECT_EQ(data["linear"].back()["time"], 1.0);
    EXPECT_EQ(data_of(*report(parsed(kCharging)))["linear"].size(), 1U);
}

TEST_F(ReportPage, MechanismsHaveTheirMotion) {
    const auto page = report(parsed(R"(
model: swing
components:
  world: {type: World}
  joint: {type: Revolute, n: [0, 0, 1], initial: {phi: 1 rad}}
  rod: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1}
connect: [[world.frame_b, joint.frame_a], [joint.frame_b, rod.frame_a]]
experiment: {stop: 1 s, interval: 0.1 s}
)"));
    ASSERT_TRUE(page) << page.error().text();
    const Json data = data_of(*page);
    const Json& animation = data["run"]["animation"];
    ASSERT_FALSE(animation.is_null());
    const auto time = test::numbers_of_base64<double>(animation["time"]);
    EXPECT_EQ(time.size(), 11U);
    bool moves = false;
    for (const Json& s : animation["shapes"]) {
        const auto x = test::numbers_of_base64<float>(s["x"]);
        EXPECT_TRUE(x.size() == 3U || x.size() == 3 * time.size());
        moves = moves || test::numbers_of_base64<float>(s["R"]).size() == 9 * time.size();
    }
    EXPECT_TRUE(moves);
}

// Position, orientation, force and torque of frames, all in the world.
TEST_F(ReportPage, MechanismsHaveTheirFrames) {
    // A rod turns about z with w: 2 m r w^2/2 towards the axis, and the weight m g across the plane, whose moment about
    // its beginning is m g r/2 at any angle, about the direction of z cross the rod.
    const auto page = report(parsed(R"(
model: turntable
components:
  world: {type: World, g: 10 m/s2, n: [0, 0, -1]}
  joint: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.3 rad, w: 2 rad/s}}
  rod: {type: BodyShape, r: [1 m, 0, 0], r_CM: [0.5 m, 0, 0], m: 3 kg, I_33: 1 kg.m2}
connect: [[world.frame_b, joint.frame_a], [joint.frame_b, rod.frame_a]]
experiment: {stop: 1 s, interval: 0.1 s}
)"));
    ASSERT_TRUE(page) << page.error().text();
    const Json data = data_of(*page);
    const Json& run = data["run"];
    ASSERT_FALSE(run["frames"].is_null());
    const auto time = test::numbers_of_base64<double>(run["frames"]["time"]);
    EXPECT_EQ(time.size(), 11U);
    const Json& frame = named(run["frames"]["frames"], "rod.frame_a");
    const auto R = test::numbers_of_base64<float>(frame["R"]);
    const auto f = test::numbers_of_base64<float>(frame["f"]);
    const auto t = test::numbers_of_base64<float>(frame["t"]);
    ASSERT_EQ(R.size(), 99U);
    ASSERT_EQ(f.size(), 33U);
    constexpr double kSingle = 1e-4;  // digits of 32 bits, of numbers up to 30, and the tolerance of the run
    for (std::size_t row = 0; row < time.size(); ++row) {
        const double phi = 0.3 + 2 * time[row];
        EXPECT_NEAR(R[9 * row + 1], std::sin(phi), kSingle);
        EXPECT_NEAR(R[9 * row + 3], -std::sin(phi), kSingle);
        EXPECT_NEAR(f[3 * row], -3 * 0.5 * 4 * std::cos(phi), kSingle);
        EXPECT_NEAR(f[3 * row + 1], -3 * 0.5 * 4 * std::sin(phi), kSingle);
        EXPECT_NEAR(f[3 * row + 2], 30.0, kSingle);
        EXPECT_NEAR(t[3 * row], 15 * std::sin(phi), kSingle);
        EXPECT_NEAR(t[3 * row + 1], -15 * std::cos(phi), kSingle);
    }
    const auto end = test::numbers_of_base64<float>(named(run["frames"]["frames"], "rod.frame_b")["x"]);
    EXPECT_NEAR(end[30], std::cos(2.3), kSingle);
    // They are no results to be plotted, as nobody asked for them.
    for (const Json& table : run["tables"]) {
        for (const char* variable : {"x[1]", "R[1,2]", "f[3]", "t[3]"})
            EXPECT_THROW((void)named(table["columns"], fmt::format("rod.frame_a.{}", variable)), std::out_of_range);
    }
}

TEST_F(ReportPage, FramesInThePlaneAreThoseOfSpace) {
    const auto page = report(parsed(R"(
model: flat
components:
  world: {type: World, g: 10 m/s2}
  wall: {type: PlanarFixed}
  joint: {type: PlanarRevolute, initial: {phi: 0, w: 2 rad/s}}
  rod: {type: PlanarRod, r: [1 m, 0]}
  body: {type: PlanarBody, m: 3 kg, J: 1 kg.m2}
connect: [[wall.frame_b, joint.frame_a], [joint.frame_b, rod.frame_a], [rod.frame_b, body.frame_a]]
outputs: [joint.phi, "rod.frame_a.x"]
experiment: {stop: 0.5 s, interval: 0.1 s}
)"));
    ASSERT_TRUE(page) << page.error().text();
    const Json data = data_of(*page);
    const Json& frame = named(data["run"]["frames"]["frames"], "rod.frame_b");
    const auto x = test::numbers_of_base64<float>(frame["x"]);
    const auto R = test::numbers_of_base64<float>(frame["R"]);
    const auto phi = test::numbers_of_base64<float>(named(data["run"]["tables"][0]["columns"], "joint.phi")["data"]);
    ASSERT_EQ(x.size(), 3 * phi.size());
    for (std::size_t row = 0; row < phi.size(); ++row) {
        EXPECT_NEAR(x[3 * row], std::cos(phi[row]), 1e-6);
        EXPECT_NEAR(x[3 * row + 1], std::sin(phi[row]), 1e-6);
        EXPECT_EQ(x[3 * row + 2], 0.0F);
        EXPECT_NEAR(R[9 * row + 1], std::sin(phi[row]), 1e-6);
        EXPECT_NEAR(R[9 * row + 3], -std::sin(phi[row]), 1e-6);
        EXPECT_EQ(R[9 * row + 8], 1.0F);
    }
    // An output of the model stays one.
    EXPECT_NO_THROW((void)named(data["run"]["tables"][0]["columns"], "rod.frame_a.x[1]"));
}

}  // namespace
}  // namespace bondgraph::api
