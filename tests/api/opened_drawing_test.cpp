// Drawings in which some components are looked into, and what a circuit tells of its wires.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDivider = R"(model: divider
import: [electrical]
components:
  V: {type: ConstantVoltage, V: 10 V}
  R: {type: Resistor, R: 1 kohm}
  C: {type: Capacitor, C: 1 uF}
  R2: {type: Resistor, R: 2 kohm}
  G: {type: Ground}
connect:
  - [V.p, R.p]
  - [R.n, C.p, R2.p]
  - [V.n, C.n, R2.n, G]
experiment: {stop: 5 ms}
)";

std::set<std::string> names_of(const Drawing& drawing) {
    std::set<std::string> names;
    for (const DrawnNode& n : drawing.nodes) names.insert(n.name);
    return names;
}

TEST(ApiOpenedDrawing, LooksIntoOneComponentAndLeavesTheOthers) {
    const Model model = parsed(kDivider);
    const auto folded = model.draw({.parts = true});
    const auto opened = model.draw({.opened = {"R2"}, .parts = true});
    ASSERT_TRUE(folded && opened);
    EXPECT_THAT(names_of(*folded), Contains("R2"));
    EXPECT_THAT(names_of(*opened), Not(Contains("R2")));
    EXPECT_TRUE(std::ranges::any_of(opened->nodes, [](const DrawnNode& n) { return n.name.starts_with("R2."); }));
    for (const char* other : {"V", "R", "C"}) {
        EXPECT_THAT(names_of(*opened), Contains(other));
        // Junctions that join three connectors stand between the components.
        EXPECT_FALSE(std::ranges::any_of(opened->nodes, [&](const DrawnNode& n) {
            return n.kind != "junction" && n.name.starts_with(std::string(other) + ".");
        }));
    }
    EXPECT_THAT(opened->text, HasSubstr("data-of=\"frame-0\""));
    // Strokes are those of the whole: each bond inside has one and a reason.
    for (const DrawnEdge& e : opened->edges) {
        if (e.kind != "bond") continue;
        for (const CausalBond& c : e.components) EXPECT_NE(c.stroke, CausalBond::Stroke::open) << e.name;
    }
}

TEST(ApiOpenedDrawing, OfAllComponentsHasThePartsOfAnExpandedOne) {
    const Model model = parsed(kDivider);
    const auto all = model.draw({.opened = {"V", "R", "C", "R2", "G"}});
    const auto expanded = model.draw({.expand = true});
    ASSERT_TRUE(all && expanded);
    EXPECT_EQ(names_of(*all), names_of(*expanded));
    EXPECT_EQ(all->edges.size(), expanded->edges.size());
}

TEST(ApiOpenedDrawing, OfANameThatIsNoComponentIsAsWithout) {
    const Model model = parsed(kDivider);
    EXPECT_EQ(model.draw({.opened = {"nothing"}})->text, model.draw()->text);
}

TEST(ApiCircuitDrawing, FlowsIntoThePinsOfAConnectionAddUpToZero) {
    const Model model = parsed(kDivider);
    const auto circuit = model.draw({.circuit = true, .parts = true});
    ASSERT_TRUE(circuit) << circuit.error().text();
    EXPECT_THAT(circuit->text, HasSubstr("data-of=\"net-0\""));
    EXPECT_THAT(circuit->text, HasSubstr("data-of=\"part-0\""));
    std::size_t looked_at = 0;
    double into_source = 0.0;
    for (const DrawnNet& net : circuit->nets) {
        RunOptions asked;
        for (const DrawnPin& pin : net.pins) {
            if (pin.inward != 0) asked.outputs.push_back(circuit->parts[pin.part].name + "." + pin.name + ".f");
        }
        const auto run = model.run(asked);
        ASSERT_TRUE(run) << run.error().text();
        double sum = 0.0;
        double largest = 0.0;
        std::size_t column = 0;
        for (const DrawnPin& pin : net.pins) {
            if (pin.inward == 0) continue;
            const double flow = pin.inward * run->series.column(column++)[20];
            sum += flow;
            largest = std::max(largest, std::abs(flow));
            if (circuit->parts[pin.part].name == "V" && pin.name == "p") into_source = flow;
        }
        if (column < net.pins.size()) continue;  // a ground takes the rest
        EXPECT_NEAR(sum, 0.0, 1e-9 * largest);
        EXPECT_GT(largest, 1e-4);
        ++looked_at;
    }
    EXPECT_EQ(looked_at, 2U);
    EXPECT_LT(into_source, 0.0);  // the source gives
}

TEST(ApiCircuitDrawing, PinsStandOnTheirWires) {
    const auto circuit = parsed(kDivider).draw({.circuit = true, .parts = true});
    ASSERT_TRUE(circuit);
    const DrawnPin& p = circuit->nets[0].pins[0];
    EXPECT_THAT(circuit->text, HasSubstr("M" + std::to_string(static_cast<int>(p.x)) + "," +
                                         std::to_string(static_cast<int>(p.y)) + " L"));
}

}  // namespace
}  // namespace bondgraph::api
