#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;
using testing::ElementsAre;
using testing::IsEmpty;

// Se drives R, I and, against its arrow, C: one current through all.
constexpr const char* kSeries = R"(
components:
  s: {type: Se, e: 12 V}
  j: {type: 1}
  r: {type: R, R: 2 ohm}
  l: {type: I, I: 3 H}
  c: {type: C, C: 4 F}
bonds: [s -> j, j -> r, j -> l, c -> j]
)";

constexpr const char* kTwoSources = R"(
components:
  a: {type: Se, e: 1}
  b: {type: Se, e: 2}
  node: {type: 0}
  load: {type: R, R: 1}
bonds: [a -> node, b -> node, node -> load]
)";

constexpr const char* kMotor = R"(
types:
  Motor:
    ports: {terminals: {domain: electrical}, shaft: {domain: rotational}}
    components:
      j: {type: 1}
      La: {type: I, I: 1 mH}
      emf: {type: GY, r: 0.1 N.m/A}
    bonds: [terminals -> j, j -> La, j -> emf.p1, emf.p2 -> shaft]
components:
  u: {type: Se, e: 1 V}
  drive: {type: Motor}
  load: {type: I, I: 1 kg.m2}
bonds: [u -> drive.terminals, drive.shaft -> load]
)";

std::vector<std::string> types_of(const Picture& picture) {
    std::vector<std::string> types;
    for (const Node& n : picture.nodes) types.push_back(n.type + " " + n.label);
    return types;
}

TEST(Picture, HasTheComponentsInTheOrderOfTheFile) {
    EXPECT_THAT(types_of(picture_of_text(kSeries)), ElementsAre("Se s", "1 j", "R r", "I l", "C c"));
}

TEST(Picture, BondsHaveTheDirectionInWhichTheyWereWritten) {
    EXPECT_THAT(lines_of(picture_of_text(kSeries), EdgeKind::bond),
                ElementsAre("s -> j", "j -> r", "j -> l", "c -> j"));
}

TEST(Picture, StrokesStandWhereTheEffortActs) {
    const Picture picture = picture_of_text(kSeries);
    // The source gives an effort to the junction, the inertia takes one and gives the flow to all others.
    EXPECT_THAT(line_between(picture, "s", "j").strokes, ElementsAre(Stroke::at_to));
    EXPECT_THAT(line_between(picture, "j", "l").strokes, ElementsAre(Stroke::at_to));
    EXPECT_THAT(line_between(picture, "j", "r").strokes, ElementsAre(Stroke::at_from));
    // Drawn out of the compliance, the stroke is at the junction all the same.
    EXPECT_THAT(line_between(picture, "c", "j").strokes, ElementsAre(Stroke::at_to));
}

TEST(Picture, ValuesAreThoseOfTheFileOrTheCommandLine) {
    EXPECT_EQ(picture_of_text(kSeries).nodes[3].value, "3 H");
    EXPECT_EQ(picture_of_text(kSeries, {.overrides = {{"l.I", "7 H"}}}).nodes[3].value, "7 H");
}

TEST(Picture, VariablesAreNamedOnlyWhereAskedFor) {
    EXPECT_EQ(picture_of_text(kSeries).edges[1].effort, "");
    const Picture named = picture_of_text(kSeries, {.variables = true});
    EXPECT_EQ(named.edges[1].effort, "r.e");
    EXPECT_EQ(named.edges[1].flow, "r.f");
}

TEST(Picture, TheDomainIsThatOfTheBondAndOfTheElement) {
    const Picture picture = picture_of_text(kSeries);
    EXPECT_EQ(model::domains()[picture.edges[0].domain].name, "electrical");
    EXPECT_EQ(model::domains()[picture.nodes[2].domain].name, "electrical");
}

TEST(Picture, ATransducerBelongsToNoDomain) {
    const Picture picture = picture_of_text(kMotor, {.expand = true});
    EXPECT_TRUE(picture.nodes[node_named(picture, "drive.emf")].mixed);
    EXPECT_FALSE(picture.nodes[node_named(picture, "drive.La")].mixed);
}

TEST(Picture, ASubModelIsABoxWithItsPorts) {
    const Picture picture = picture_of_text(kMotor);
    EXPECT_THAT(types_of(picture), ElementsAre("Se u", "Motor drive", "I load"));
    EXPECT_EQ(picture.nodes[1].kind, NodeKind::composite);
    EXPECT_THAT(lines_of(picture, EdgeKind::bond), ElementsAre("u -> drive", "drive -> load"));
    EXPECT_EQ(picture.edges[0].ports[1], "terminals");
    EXPECT_EQ(picture.edges[1].ports[0], "shaft");
    EXPECT_THAT(picture.frames, IsEmpty());
}

TEST(Picture, ASubModelLookedIntoIsAFrameAroundItsParts) {
    const Picture picture = picture_of_text(kMotor, {.expand = true});
    EXPECT_THAT(types_of(picture), ElementsAre("Se u", "1 j", "I La", "GY emf", "I load"));
    ASSERT_EQ(picture.frames.size(), 1U);
    EXPECT_EQ(picture.frames[0].type, "Motor");
    EXPECT_EQ(picture.nodes[0].frame, kNone);
    EXPECT_EQ(picture.nodes[1].frame, 0U);
    EXPECT_EQ(picture.nodes[4].frame, kNone);
}

// Parts with pins: a circuit of three with a ground.
constexpr const char* kThreePins = R"(
types:
  Res:
    parameters: {R: {unit: ohm}}
    connectors: {p: pin, n: pin}
    components: {j: {type: 1}, r: {type: R, R: R}}
    bonds: [p -> j, j -> r, j -> n]
  Cap:
    parameters: {C: {unit: F}}
    connectors: {p: pin, n: pin}
    components: {j: {type: 1}, c: {type: C, C: C}}
    bonds: [p -> j, j -> c, j -> n]
  Volt:
    parameters: {V: {unit: V}}
    connectors: {p: pin, n: pin}
    components: {j: {type: 1}, s: {type: Se, e: V}}
    bonds: [n -> j, s -> j, j -> p]
  Gnd:
    connectors: {p: pin}
    components: {s: {type: Se, e: 0 V}}
    bonds: [s -> p]
components:
  v: {type: Volt, V: 10 V}
  r: {type: Res, R: 1 kohm}
  c: {type: Cap, C: 1 uF}
  g: {type: Gnd}
connect: [[v.p, r.p], [r.n, c.p], [c.n, v.n, g.p]]
)";

TEST(Picture, AConnectionOfThreePinsIsAJunctionAndOneOfTwoABond) {
    const Picture picture = picture_of_text(kThreePins);
    EXPECT_THAT(types_of(picture), ElementsAre("Volt v", "Res r", "Cap c", "Gnd g", "0 v.n"));
    EXPECT_EQ(picture.nodes[4].kind, NodeKind::junction);
    EXPECT_THAT(lines_of(picture, EdgeKind::bond),
                testing::UnorderedElementsAre("v -> r", "r -> c", "c -> v.n.p", "v.n.p -> v", "g -> v.n.p"));
}

TEST(Picture, PinsAreNamedAtBothEndsOfABond) {
    const Picture picture = picture_of_text(kThreePins);
    EXPECT_THAT(line_between(picture, "v", "r").ports, ElementsAre("p", "p"));
    EXPECT_THAT(line_between(picture, "r", "c").ports, ElementsAre("n", "p"));
    EXPECT_THAT(line_between(picture, "c", "v.n.p").ports, ElementsAre("n", ""));
    EXPECT_THAT(line_between(picture, "g", "v.n.p").ports, ElementsAre("p", ""));
}

TEST(Picture, ConnectionsStandOutsideOfWhatTheyJoin) {
    const Picture picture = picture_of_text(kThreePins, {.expand = true});
    EXPECT_EQ(picture.frames.size(), 4U);
    std::size_t outside = 0;
    for (const Node& n : picture.nodes) outside += n.frame == kNone ? 1 : 0;
    EXPECT_EQ(outside, 3U);  // a connection each
}

// A closed path leads from each resistor of a bridge through the meter's branch; none through the source, which fixes
// the effort of its node.
TEST(Picture, TheBandOfALoopCoversTheBondsOfAllItsResistors) {
    const Picture picture = picture_of_file("electrical/wheatstone_bridge.yaml");
    for (const char* resistor : {"r1", "gauge", "r3", "r4", "meter"}) {
        const std::uint32_t n = node_named(picture, resistor);
        for (const Edge& e : picture.edges) EXPECT_TRUE(e.to != n || e.loop == 1U) << resistor;
    }
    EXPECT_EQ(line_between(picture, "left", "bridge").loop, 1U);
    EXPECT_EQ(line_between(picture, "bridge", "right").loop, 1U);
    EXPECT_EQ(line_between(picture, "battery", "top").loop, 0U);
}

TEST(Picture, AStorageThatFollowsASourceIsMarked) {
    const Picture picture = picture_of_file("electrical/capacitor_on_voltage_source.yaml");
    for (const Node& n : picture.nodes) EXPECT_EQ(n.derivative, n.type == "C") << n.name;
}

TEST(Picture, AnAlgebraicLoopIsMarkedAlongItsPath) {
    const Picture picture = picture_of_file("electrical/voltage_divider.yaml");
    for (const Node& n : picture.nodes) EXPECT_EQ(n.loop, n.type == "R" ? 1U : 0U) << n.name;
    EXPECT_EQ(line_between(picture, "loop", "upper").loop, 1U);
    EXPECT_EQ(line_between(picture, "source", "loop").loop, 0U);
}

TEST(Picture, AConflictIsMarkedAndTheStrokesBeforeItAreKept) {
    const Picture picture = picture_of_text(kTwoSources);
    EXPECT_TRUE(picture.nodes[node_named(picture, "a")].conflict);
    EXPECT_TRUE(picture.nodes[node_named(picture, "b")].conflict);
    EXPECT_FALSE(picture.nodes[node_named(picture, "load")].conflict);
    EXPECT_TRUE(line_between(picture, "b", "node").conflict);
    EXPECT_FALSE(line_between(picture, "node", "load").conflict);
    EXPECT_THAT(line_between(picture, "a", "node").strokes, ElementsAre(Stroke::at_to));
}

TEST(Picture, SignalsRunFromWhoGivesThemToWhoUsesThem) {
    const Picture picture = picture_of_file("signals/speed_control.yaml");
    EXPECT_THAT(lines_of(picture, EdgeKind::signal),
                testing::UnorderedElementsAre("setpoint -> error", "tacho -> error", "error -> proportional",
                                              "error -> integral", "proportional -> command", "integral -> command",
                                              "command -> amplifier"));
}

TEST(Picture, SeveralSignalsBetweenTwoBoxesAreOneLine) {
    const Picture picture = picture_of_file("mechanics3d/robot_arm.yaml");
    EXPECT_EQ(lines_of(picture, EdgeKind::signal).size(), 6U);  // two signals for each of six drives
}

TEST(Picture, MechanicsAreBoxesJoinedFrameToFrame) {
    const Picture picture = picture_of_file("mechanics3d/double_pendulum.yaml");
    EXPECT_THAT(lines_of(picture, EdgeKind::frame), ElementsAre("world -> shoulder", "shoulder -> upper",
                                                                "upper -> elbow", "elbow -> lower", "lower -> end"));
    EXPECT_THAT(lines_of(picture, EdgeKind::bond), IsEmpty());
}

// A sensor of position has no bond to the frames it measures.
TEST(Picture, WhatOnlyReadsAFrameIsJoinedToItByASignal) {
    const Picture picture = picture_of_text(R"(
components:
  world: {type: World}
  hinge: {type: Revolute}
  bar: {type: BodyShape, m: 1 kg, r: [1 m, 0, 0], r_CM: [0.5 m, 0, 0], I_33: 0.1 kg.m2}
  where: {type: AbsolutePosition}
  far: {type: Distance}
  how_fast: {type: AbsoluteVelocity}
connect:
  - [world.frame_b, hinge.frame_a, far.frame_a]
  - [hinge.frame_b, bar.frame_a]
  - [bar.frame_b, where.frame_a, far.frame_b, how_fast.frame_a]
)");
    EXPECT_THAT(lines_of(picture, EdgeKind::signal), ElementsAre("bar -> where", "world -> far", "bar -> far"));
    EXPECT_THAT(lines_of(picture, EdgeKind::frame),
                testing::UnorderedElementsAre("world -> hinge", "hinge -> bar", "bar -> how_fast"));
}

// A four-bar in a plane: its last connection closes the loop, at the coupler.
constexpr const char* kFourBar = R"(
components:
  world: {type: World}
  j1: {type: Revolute, initial: {phi: 1.2, w: 1}}
  crank: {type: BodyShape, r: [0.2, 0, 0], m: 1, I_33: 0.01}
  j2: {type: Revolute, guess: {phi: -0.9}}
  coupler: {type: BodyShape, r: [0.5, 0, 0], m: 1, I_33: 0.01}
  base: {type: FixedTranslation, r: [0.5, 0, 0]}
  j4: {type: Revolute, guess: {phi: 1.6}}
  rocker: {type: BodyShape, r: [0.4, 0, 0], m: 1, I_33: 0.01}
  j3: {type: Revolute}
connect:
  - [world.frame_b, j1.frame_a, base.frame_a]
  - [j1.frame_b, crank.frame_a]
  - [crank.frame_b, j2.frame_a]
  - [j2.frame_b, coupler.frame_a]
  - [base.frame_b, j4.frame_a]
  - [j4.frame_b, rocker.frame_a]
  - [rocker.frame_b, j3.frame_a]
  - [j3.frame_b, coupler.frame_b]
)";

std::vector<const Edge*> bonds_at(const Picture& picture, std::uint32_t node) {
    std::vector<const Edge*> found;
    for (const Edge& e : picture.edges) {
        if (e.kind == EdgeKind::bond && (e.from == node || e.to == node)) found.push_back(&e);
    }
    return found;
}

TEST(Picture, WhatClosesALoopShowsItsConditionsAndBonds) {
    const std::string text = kFourBar;
    const Picture picture =
        picture_of_text(text, {.released = {{"coupler_closure.force", 3}, {"coupler_closure.torque", std::nullopt}}});
    const std::uint32_t closure = node_named(picture, "coupler_closure");
    EXPECT_EQ(picture.nodes[closure].type, "CutRigid");
    EXPECT_EQ(picture.nodes[closure].value, "closes a loop: 6 conditions, 2 set to 0");
    // Force and torque at either side, and nowhere else.
    const auto bonds = bonds_at(picture, closure);
    ASSERT_EQ(bonds.size(), 4U);
    EXPECT_EQ(lines_of(picture, EdgeKind::bond).size(), 4U);
    for (const Edge* e : bonds) {
        EXPECT_EQ(e->size(), 3U);
        // Both sides are moved by what they are joined to, and answer with the force that holds them together.
        const Stroke away = e->from == closure ? Stroke::at_to : Stroke::at_from;
        for (const Stroke s : e->strokes) EXPECT_EQ(s, away);
    }
    for (const Node& n : picture.nodes) EXPECT_EQ(n.conditions, n.name == "coupler_closure" ? 6U : 0U) << n.name;
}

TEST(Picture, InsideWhatClosesALoopAreResidualEffortSources) {
    const std::string text = kFourBar;
    const Picture picture = picture_of_text(
        text, {.expand = true, .released = {{"coupler_closure.force", 3}, {"coupler_closure.torque", std::nullopt}}});
    const Node& force = picture.nodes[node_named(picture, "coupler_closure.force")];
    const Node& torque = picture.nodes[node_named(picture, "coupler_closure.torque")];
    EXPECT_EQ(force.type, "rSe");
    EXPECT_EQ(force.value, "3 conditions, e[3] set to 0");
    EXPECT_EQ(torque.type, "rSe");
    EXPECT_EQ(torque.value, "3 conditions, 1 set to 0");
    for (const char* name : {"coupler_closure.force", "coupler_closure.torque"}) {
        const auto bonds = bonds_at(picture, node_named(picture, name));
        ASSERT_EQ(bonds.size(), 1U);
        // An effort source gives the effort: the stroke is at the other end.
        for (const Stroke s : bonds[0]->strokes) EXPECT_EQ(s, Stroke::at_from) << name;
    }
    for (const Frame& f : picture.frames) EXPECT_EQ(f.closes, f.name == "coupler_closure") << f.name;
}

TEST(Picture, AJointThatIsLetGoClosesNothing) {
    const auto conditions = [](const std::string& active) {
        const Picture picture = picture_of_text(R"(
components:
  world: {type: World}
  body: {type: Body, m: 1 kg, I_11: 1, I_22: 1, I_33: 1}
  hinge: {type: JointRevoluteZ, active: )" + active +
                                                R"(}
connect: [[world.frame_b, hinge.frame_a], [body.frame_a, hinge.frame_b]]
)");
        return picture.nodes[node_named(picture, "hinge")].conditions;
    };
    EXPECT_EQ(conditions("time < 1"), 5U);
    EXPECT_EQ(conditions("true"), 5U);
    EXPECT_EQ(conditions("time > 1"), 0U);
    EXPECT_EQ(conditions("false"), 0U);
}

TEST(Picture, InsideMechanicsAreMultibonds) {
    const Picture picture = picture_of_file("mechanics3d/double_pendulum.yaml", {.expand = true});
    EXPECT_THAT(lines_of(picture, EdgeKind::frame), IsEmpty());
    const auto multibonds =
        std::count_if(picture.edges.begin(), picture.edges.end(), [](const Edge& e) { return e.size() == 3; });
    EXPECT_GT(multibonds, 10);
    EXPECT_GE(picture.frames.size(), 6U);
}

TEST(Picture, AMultibondHasAStrokeForEachComponent) {
    const Picture picture = picture_of_text(R"(
components:
  s: {type: Se, e: [1, 2, 3]}
  j: {type: 1, size: 3}
  l: {type: I, I: 1}
bonds: [s -> j, j -> l]
)");
    EXPECT_THAT(picture.edges[0].strokes, ElementsAre(Stroke::at_to, Stroke::at_to, Stroke::at_to));
}

TEST(Picture, MarksAsDependentWhatIsSoWhereStatesAreChosenByNumbers) {
    const PictureOptions options{.dependent = std::vector<std::string>{"l"}};
    const Picture picture = picture_of_text(kSeries, options);
    EXPECT_TRUE(picture.nodes[node_named(picture, "l")].derivative);
    EXPECT_FALSE(picture.nodes[node_named(picture, "c")].derivative);
}

}  // namespace
}  // namespace bondgraph::drawing
