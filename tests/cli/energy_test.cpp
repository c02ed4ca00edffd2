// The energy audit of `run`: tables, JSON and Sankey diagrams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kParts[] = {"supplied", "stored", "dissipated", "own_types", "lost_in_events"};

std::string shipped(const std::string& name) { return test::source_folder() + "/models/" + name; }

Json audited(const std::string& model, const std::vector<std::string>& more = {}) {
    const Folder folder;
    std::vector<std::string> arguments{"run", shipped(model), "--quiet", "-o", "r.csv", "--audit-json", "a.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome o = folder.run(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    return Json::parse(folder.read("a.json"), nullptr, false);
}

double sum(const Json& rows, const char* key) {
    double total = 0.0;
    for (const Json& row : rows) total += row[key].get<double>();
    return total;
}

TEST(Audit, JointsStoreNothing) {
    const Json a = audited("mechanics3d/double_pendulum.yaml", {"--tolerance", "1e-4"});
    int joints = 0;
    for (const Json& row : a["elements"]) {
        if (row["type"] != "Revolute") continue;
        ++joints;
        EXPECT_EQ(row["stored"], 0.0) << row["name"];
        EXPECT_NE(row["residual"], 0.0) << row["name"];
    }
    EXPECT_EQ(joints, 2);
}

class AuditOfModel : public testing::TestWithParam<const char*> {};

TEST_P(AuditOfModel, AddsUpByElementJunctionAndDomain) {
    const Json a = audited(GetParam());
    const double moved = a["balance"]["moved"];
    ASSERT_GT(moved, 0.0);
    for (const char* part : kParts) {
        const double total = a["balance"][part];
        EXPECT_NEAR(sum(a["elements"], part), total, 1e-12 * moved) << part;
        EXPECT_NEAR(sum(a["domains"], part), total, 1e-12 * moved) << part;
    }
    EXPECT_NEAR(sum(a["elements"], "residual"), a["balance"]["imbalance"], 1e-9 * moved);
    for (const Json& row : a["junctions"]) EXPECT_NEAR(row["in"], row["out"].get<double>(), 1e-9 * moved);
    for (const Json& row : a["elements"]) {
        const auto of = [&](const char* key) { return row[key].get<double>(); };
        EXPECT_NEAR(of("supplied") + of("in") - of("out") - of("stored") - of("dissipated") - of("own_types") -
                        of("lost_in_events"),
                    of("residual"), 1e-12 * moved)
            << row["name"];
        EXPECT_LT(std::abs(of("residual")), 1e-4 * moved) << row["name"];
    }
    for (const Json& row : a["domains"])
        EXPECT_LT(std::abs(row["residual"].get<double>()), 1e-4 * moved) << row["name"];
}

TEST_P(AuditOfModel, HasFlowsThatGiveTheSumsOfItsRows) {
    const Json a = audited(GetParam());
    std::map<std::string, std::pair<double, double>> sums;
    for (const Json& flow : a["flows"]) {
        EXPECT_GE(flow["energy"].get<double>(), 0.0);
        sums[flow["from"]].second += flow["energy"].get<double>();
        sums[flow["to"]].first += flow["energy"].get<double>();
    }
    for (const char* rows : {"elements", "junctions"}) {
        for (const Json& row : a[rows]) {
            const auto& [in, out] = sums[row["name"]];
            EXPECT_NEAR(row["in"], in, 1e-12 * (1.0 + in));
            EXPECT_NEAR(row["out"], out, 1e-12 * (1.0 + out));
        }
    }
}

// The diagram of a model as the program makes it, and the account it is of.
struct Drawn {
    api::EnergyAccount account;
    api::Sankey sankey;
};

Drawn drawn(const std::string& file) {
    const api::Model model = api::Model::load(shipped(file)).value();
    const api::Run run = model.run({.energy_account = true}).value();
    EXPECT_FALSE(run.failure);
    return {*run.account, api::sankey(*run.account, model.name())};
}

TEST_P(AuditOfModel, HasASankeyDiagramThatBalancesAtEveryNode) {
    const auto [account, sankey] = drawn(GetParam());
    std::vector<double> in(sankey.nodes.size(), 0.0);
    std::vector<double> out(sankey.nodes.size(), 0.0);
    double most = 0.0;
    for (const api::SankeyFlow& flow : sankey.flows) {
        EXPECT_GT(flow.amount, 0.0);
        out[flow.from] += flow.amount;
        in[flow.to] += flow.amount;
        most = std::max(most, flow.amount);
    }
    // What is not drawn is less than a thousandth of the largest band, each.
    for (std::size_t n = 0; n < sankey.nodes.size(); ++n) {
        if (in[n] == 0.0 || out[n] == 0.0) continue;
        EXPECT_NEAR(in[n], out[n], 4e-3 * most) << sankey.nodes[n].name;
    }
    // What ends is what the audit says was dissipated, stored, lost or taken back; what begins was supplied or
    // released.
    double begins = 0.0;
    double ends = 0.0;
    for (std::size_t n = 0; n < sankey.nodes.size(); ++n) {
        if (in[n] == 0.0) begins += out[n];
        if (out[n] == 0.0) ends += in[n];
    }
    double taken = 0.0;
    double given = 0.0;
    for (const api::EnergyRow& row : account.components) {
        for (const double part : {-row.supplied, row.stored, row.dissipated, row.other, row.events})
            (part > 0.0 ? taken : given) += std::abs(part);
    }
    EXPECT_NEAR(ends, taken, 0.02 * most);
    EXPECT_NEAR(begins, given, 0.02 * most);
}

INSTANTIATE_TEST_SUITE_P(Models, AuditOfModel,
                         testing::Values("electromechanical/dc_motor.yaml", "translational/half_car.yaml",
                                         "electrical/rectifier_bridge.yaml", "hydraulic/hydraulic_ram.yaml",
                                         "mechanics3d/robot_arm.yaml", "electrical/series_rlc.yaml",
                                         "electromechanical/solenoid.yaml", "thermal/heated_winding.yaml",
                                         "mechanics3d/hydraulic_crane.yaml", "translational/bouncing_ball.yaml"));

const api::SankeyNode* node_named(const api::Sankey& s, const std::string& name) {
    const auto found =
        std::find_if(s.nodes.begin(), s.nodes.end(), [&](const api::SankeyNode& n) { return n.name == name; });
    return found == s.nodes.end() ? nullptr : &*found;
}

TEST(EnergySankey, SaysOfEveryEndWhatBecameOfTheEnergy) {
    const api::Sankey s = drawn("electromechanical/dc_motor.yaml").sankey;
    // Closed form of the two-state system, integrated independently: see the model's `expect:` for the speed.
    ASSERT_NE(node_named(s, "J"), nullptr);
    EXPECT_EQ(node_named(s, "J")->note, "27.68 J stored");  // ½ J ω² at 235.287 rad/s
    EXPECT_THAT(node_named(s, "Ra")->note, HasSubstr("J dissipated"));
    EXPECT_THAT(node_named(s, "source")->note, HasSubstr("J supplied"));
    EXPECT_EQ(node_named(s, "emf")->note, "");
    EXPECT_EQ(node_named(s, "La"), nullptr);  // next to nothing
    EXPECT_THAT(s.remark, HasSubstr("not drawn: 1 below"));
}

TEST(EnergySankey, EventsThatHandEnergyOnAreANodeOfTheirOwn) {
    api::EnergyAccount account;
    account.balance.known = true;
    account.components = {{"a", "C"}, {"b", "C"}, {"r", "R"}};
    account.components[0].stored = -10.0;
    account.components[0].events = 9.0;
    account.components[0].out = 1.0;
    account.components[1].stored = 4.0;
    account.components[1].events = -4.0;
    account.components[2].in = 1.0;
    account.components[2].dissipated = 1.0;
    account.flows = {{0, 2, "r", "generic", 1.0}};
    const api::Sankey s = api::sankey(account, "m");
    double lost = 0.0;
    for (const api::SankeyFlow& flow : s.flows) {
        if (s.nodes[flow.from].name == "events" && s.nodes[flow.to].name == "events") lost += flow.amount;
    }
    EXPECT_DOUBLE_EQ(lost, 5.0);
}

TEST(EnergyText, HasAPrefixAndFourDigits) {
    EXPECT_EQ(api::energy_text(0.0), "0 J");
    EXPECT_EQ(api::energy_text(117.586), "117.6 J");
    EXPECT_EQ(api::energy_text(0.059472), "59.47 mJ");
    EXPECT_EQ(api::energy_text(-2435.6), "-2.436 kJ");
    EXPECT_EQ(api::energy_text(999.99), "1 kJ");
    EXPECT_EQ(api::energy_text(3.2e6), "3.2 MJ");
    EXPECT_EQ(api::energy_text(4.5e-7), "450 nJ");
}

TEST(AuditWindow, ReversesFlowsWhereTheEnergyReturns) {
    // The capacitor of an RLC circuit overshoots: for a while it gives energy back to the source.
    const Json a = audited("electrical/series_rlc.yaml", {"--window", "3 s,6 s"});
    EXPECT_EQ(a["from"], 3.0);
    EXPECT_EQ(a["to"], 6.0);
    bool back = false;
    for (const Json& flow : a["flows"]) back = back || (flow["from"] == "loop" && flow["to"] == "source");
    EXPECT_TRUE(back);
    for (const Json& row : a["elements"]) {
        EXPECT_TRUE(row["name"] != "capacitor" || row["stored"].get<double>() < -0.1);
    }
}

TEST(Audit, SankeyDiagramsOfTheSameRunAreTheSame) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    for (const char* name : {"a.svg", "b.svg"})
        ASSERT_EQ(folder.run({"run", "m.yaml", "--quiet", "--sankey", name}).status, 0);
    EXPECT_EQ(folder.read("a.svg"), folder.read("b.svg"));
    EXPECT_THAT(folder.read("a.svg"), HasSubstr("R1</tspan> 50 µJ dissipated"));  // half of C U² = 100 µJ
}

TEST(Audit, PseudoBondsHaveNoEnergy) {
    const Json a = audited("thermal/wall.yaml");
    EXPECT_TRUE(a["elements"].empty());
    EXPECT_TRUE(a["flows"].empty());
    EXPECT_EQ(a["balance"]["moved"], 0.0);
}

class WrongAudits : public testing::TestWithParam<WrongOption> {};

TEST_P(WrongAudits, AreRefusedBeforeAnythingIsWritten) { expect_refused_before_anything_is_written(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Run, WrongAudits,
    testing::Values(
        WrongOption{{"--window", "1ms,2ms"}, "error: --window needs one of --audit, --audit-json and --sankey\n"},
        WrongOption{{"--audit", "--window", "1ms"},
                    "error: --window takes two times separated by a comma, as in 0.5s,2s, not '1ms'\n"},
        WrongOption{{"--audit", "--window", "2ms,1ms"},
                    "error: --window: 0.002 s to 0.001 s is no stretch of time; the first is to be less\n"},
        WrongOption{{"--audit", "--window", "1ms,1s"},
                    "error: --window: 0.001 s to 1 s is not within the run, which goes from 0 s to 0.005 s\n"},
        WrongOption{{"--audit", "--window", "1ms,5V"}, "[BG-U002]"},
        WrongOption{{"--sankey", "s.png"}, "error: can't write 's.png': Sankey diagrams are .svg, not '.png'\n"},
        WrongOption{{"--audit-json", "no/a.json"}, "error: can't write 'no/a.json': No such file or directory\n"}));

}  // namespace
}  // namespace bondgraph::cli
