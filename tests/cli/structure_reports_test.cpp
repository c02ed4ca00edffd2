// What `check` and `equations` say of models with constraints and events.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

// Two locks hold one mass: each could do without the other.
constexpr const char* kTwoLocks = R"(model: two_locks
components:
  m: {type: I, I: 1 kg}
  j: {type: 1}
  a: {type: rSe}
  b: {type: rSe}
bonds: [j -> m, j -> a, j -> b]
)";

constexpr const char* kPendulum = R"(model: pendulum
types:
  Pendulum:
    variables: {x: {}, y: {}, vx: {}, vy: {}, lambda: {}}
    equations:
      - der(x) = vx
      - der(y) = vy
      - der(vx) = -lambda*x
      - der(vy) = -lambda*y - 9.81
      - x^2 + y^2 = 1
components:
  bob: {type: Pendulum, initial: {x: 0.6, vx: 0}, guess: {y: -1}}
)";

constexpr const char* kSwitched = R"(model: switched
components:
  s: {type: Se, e: 12 V}
  loop: {type: 1}
  gate: {type: Sw, open: time > 1}
  load: {type: R, R: 3 ohm}
bonds: [s -> loop, loop -> gate, loop -> load]
)";

// A counter of the bounces, a relation in an equation, and a when in the model.
constexpr const char* kEvents = R"(model: events
types:
  Counter:
    inputs: [u]
    variables: {low: {type: boolean}, n: {type: integer, start: 3}}
    outputs: [y]
    equations:
      - low = u < 0.1 or pre(low) and u < 0.2
      - y = if low then 2*u else (if u > 0.5 then 1 else u)
components:
  weight: {type: Se, e: -9.81 N}
  fall:   {type: 1}
  ball:   {type: I, I: 2 kg, initial: {f: 0 m/s}}
  height: {type: Dq, initial: {y: 1 m}}
  count:  {type: Counter}
bonds: [weight -> fall, fall -> ball, fall -> height]
signals: [height.y -> count.u]
when:
  - {if: height.y < 0, reinit: {ball.f: -0.8*ball.f}, set: {count.n: pre(count.n) + 1}}
)";

Json json_report(const Folder& folder, const std::vector<std::string>& arguments) {
    const Outcome o = folder.run(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    return Json::parse(o.out, nullptr, false);
}

TEST(Check, AConstraintThatOthersImplyIsNamedWithThem) {
    const Folder folder;
    folder.write("m.yaml", kTwoLocks);
    const Json report = json_report(folder, {"check", "m.yaml", "--format", "json"});
    EXPECT_EQ(report["states"], Json::array());
    EXPECT_EQ(report["dependent_storages"][0]["name"], "m");
    EXPECT_EQ(report["constraints_removed"], Json::parse(R"([{"element": "b", "implied_by": ["m", "j", "a"]}])"));
    EXPECT_EQ(report["set_to_zero"], Json({"a.e"}));
    EXPECT_THAT(folder.run({"check", "m.yaml"}).out,
                HasSubstr("Removed constraints: 1\n  one of b, implied by m, j, a\n"
                          "  set to 0, as nothing determines it: a.e\n"));
}

TEST(Check, VariablesThatAConstraintDeterminesAreNoStates) {
    const Folder folder;
    folder.write("m.yaml", kPendulum);
    const Json report = json_report(folder, {"check", "m.yaml", "--format", "json"});
    EXPECT_EQ(report["states"], Json({"bob.x", "bob.vx"}));
    EXPECT_EQ(report["dependent_variables"], Json({"bob.y", "bob.vy"}));
    EXPECT_THAT(folder.run({"check", "m.yaml"}).out,
                HasSubstr("Variables that constraints make dependent: 2\n  bob.y\n  bob.vy\n"));
}

TEST(Check, TellsForWhichSwitchPositionsItShowsTheStructure) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    EXPECT_EQ(json_report(folder, {"check", "m.yaml", "--format", "json"})["modes"], Json({{"gate.closed", true}}));
    EXPECT_THAT(folder.run({"check", "m.yaml"}).out, HasSubstr("switched\n  structure with gate.closed = true\n"));
    EXPECT_THAT(folder.run({"equations", "m.yaml"}).out, HasSubstr("Structure with gate.closed = true\n"));
}

TEST(Structure, IsThatOfTheTimeAskedFor) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    const auto begins = [&](std::vector<std::string> arguments) {
        const Outcome done = folder.run(arguments);
        EXPECT_EQ(done.status, 0) << done.err;
        return done.out.substr(0, done.out.find('\n'));
    };
    EXPECT_EQ(begins({"causality", "m.yaml"}), "Structure with gate.closed = true");
    EXPECT_EQ(begins({"causality", "m.yaml", "--at", "1500 ms"}), "Structure with gate.closed = false");
    EXPECT_EQ(begins({"equations", "m.yaml", "--at", "1.5 s", "--symbols"}), "Structure with gate.closed = false");
    EXPECT_EQ(json_report(folder, {"causality", "m.yaml", "--format", "json", "--at", "1.5"})["modes"],
              Json({{"gate.closed", false}}));
    EXPECT_THAT(folder.run({"draw", "m.yaml", "-o", "-", "--at", "1.5"}).out, HasSubstr("gate.closed = false"));
    EXPECT_THAT(folder.run({"draw", "m.yaml", "-o", "-", "--at", "1.5", "--simplify"}).out,
                HasSubstr("gate.closed = false"));
}

TEST(Equations, HaveNoStateSpaceWhereAConstantBelongsToIt) {
    const Folder folder;
    const std::string model =
        "model: knee\ncomponents:\n  u: {type: Se, e: 10 V}\n  j: {type: 1}\n  r: {type: R, R: 1 ohm}\n"
        "  d: {type: D, Ron: 0.1 ohm, e_knee: KNEE V}\n  c: {type: C, C: 1 F}\n"
        "bonds: [u -> j, j -> r, j -> d, j -> c]\n";
    const auto report = [&](const std::string& knee) {
        std::string text = model;
        text.replace(text.find("KNEE"), 4, knee);
        folder.write("m.yaml", text);
        return json_report(folder, {"equations", "m.yaml", "--format", "json", "--at", "0.1"})["state_space"];
    };
    EXPECT_TRUE(report("0.7").is_null());
    EXPECT_EQ(report("0")["A"].size(), 1U);
}

// floor() is evaluated at events, and has held values of its own beside those of relations.
TEST(Equations, ConditionsAreThoseOfTheFileBesideStepsToo) {
    const Folder folder;
    folder.write("m.yaml", R"yaml(model: steps
types:
  Load:
    parameters: {e0: 1 V, k: 1 ohm}
    ports: {p: {domain: electrical}}
    equations: ["p.f = if p.e > e0 then (p.e - e0)/k else 0"]
  Count:
    inputs: [u]
    outputs: {n: {type: integer}}
    equations: ["n = floor(u)"]
components:
  u: {type: Se, e: 10 V}
  j: {type: 1}
  r: {type: R, R: 1 ohm}
  n: {type: 0}
  c: {type: C, C: 1 F}
  one: {type: Load, e0: 1 V}
  two: {type: Load, e0: 2 V}
  three: {type: Load, e0: 3 V}
  count: {type: Count}
bonds: [u -> j, j -> r, j -> n, n -> c, n -> one.p, n -> two.p, n -> three.p]
signals: [c.e -> count.u]
)yaml");
    const std::string text = folder.run({"equations", "m.yaml"}).out;
    for (const char* load : {"> 1 then c.q - 1 else 0", "> 2 then c.q - 2 else 0", "> 3 then c.q - 3 else 0"})
        EXPECT_THAT(text, HasSubstr(load));
    EXPECT_THAT(text, HasSubstr("floor(c.q)"));
}

TEST(Structure, OfATimeDoesNotGoWithWhatIsOfTheStart) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    const auto refused = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--at", "1.5"});
        const Outcome done = folder.run(arguments);
        EXPECT_EQ(done.status, 1);
        return done.err;
    };
    EXPECT_THAT(refused({"causality", "m.yaml", "--placed", "s=loop"}), HasSubstr("does not go with --at"));
    EXPECT_THAT(refused({"equations", "m.yaml", "--derived", "x=1"}), HasSubstr("does not go with --at"));
    EXPECT_THAT(refused({"equations", "m.yaml", "--port-hamiltonian"}), HasSubstr("does not go with --at"));
    EXPECT_THAT(refused({"draw", "m.yaml", "--circuit"}), HasSubstr("--circuit"));
    EXPECT_THAT(folder.run({"causality", "m.yaml", "--at", "-1"}).err, HasSubstr("before the start"));
    EXPECT_THAT(folder.run({"causality", "m.yaml", "--at", "2 kg"}).err, HasSubstr("--at"));
}

TEST(Check, ShowsTheStructureTheRunBeginsWith) {
    const Folder folder;
    const auto model = (std::filesystem::path(test::source_folder()) / "models/translational/stick_slip.yaml").string();
    // The belt begins to pull at a block at rest: it sticks.
    EXPECT_THAT(folder.run({"check", model}).out, HasSubstr("friction.mode = 0"));
    EXPECT_THAT(folder.run({"equations", model}).out, HasSubstr("friction.mode = 0"));
}

TEST(Check, WarnsOfADiscreteVariableThatNothingChanges) {
    const Folder folder;
    folder.write("m.yaml", R"(model: forgotten
types:
  Counter:
    inputs: [u]
    variables: {n: {type: integer}, m: {type: integer}, k: {type: integer}}
    outputs: [y]
    equations: [k = pre(k), y = n + m + k]
components:
  s: {type: Se, e: c.y}
  r: {type: R, R: 1}
  c: {type: Counter, u: time}
bonds: [s -> r]
when: {if: time > 0.5, set: {c.n: 3}}
)");
    const Outcome o = folder.run({"check", "m.yaml"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, R"(m.yaml:5:37: warning: 'c.m' never changes [BG-M047]
    5 |     variables: {n: {type: integer}, m: {type: integer}, k: {type: integer}}
      |                                     ^
  because: it has no equation, and no 'when:' sets it
  try:     give it an equation, or 'set:' it in a 'when:'; a constant is better a parameter
)");
}

TEST(Equations, ReadAsTheyWereWrittenBesideEvents) {
    const Folder folder;
    folder.write("m.yaml", kEvents);
    const Json report = json_report(folder, {"equations", "m.yaml", "--format", "json"});
    std::string y;
    for (const Json& a : report["assignments"]) {
        EXPECT_THAT(a["variable"].get<std::string>(), Not(testing::AnyOf("count.low", "count.n")));
        if (a["variable"] == "count.y") y = a["expression"];
    }
    EXPECT_EQ(y, "if count.low then 2*height.y elseif height.y > 0.5 then 1 else height.y");
    ASSERT_EQ(report["discrete"].size(), 1U);
    EXPECT_EQ(report["discrete"][0]["variable"], "count.low");
    EXPECT_EQ(report["discrete"][0]["expression"], "height.y < 0.1 or pre(count.low) and height.y < 0.2");
    EXPECT_EQ(report["discrete"][0]["element"], "count");
    EXPECT_EQ(report["when"], Json::parse(R"([{"if": "height.y < 0", "reinit": {"ball.f": "-0.8*ball.f"},
                                              "set": {"count.n": "pre(count.n) + 1"}}])"));
    EXPECT_EQ(report["modes"], Json::object());
}

TEST(Equations, TextAndLatexListWhatHappensAtEvents) {
    const Folder folder;
    folder.write("m.yaml", kEvents);
    EXPECT_THAT(folder.run({"equations", "m.yaml"}).out,
                HasSubstr("Discrete variables (at events)\n"
                          "  count.low  =  height.y < 0.1 or pre(count.low) and height.y < 0.2\n"
                          "As a condition becomes true\n"
                          "  when height.y < 0\n"
                          "    reinit ball.f  =  -0.8*ball.f\n"
                          "    set count.n    =  pre(count.n) + 1\n"));
    const std::string latex = folder.run({"equations", "m.yaml", "--format", "latex"}).out;
    EXPECT_THAT(latex, HasSubstr("\\operatorname{pre}(\\mathrm{low}_{\\mathrm{count}})"));
    EXPECT_THAT(latex, HasSubstr("% As a condition becomes true\n"));
}

TEST(Check, CountsAnAlgebraicLoopWhateverItsNumbersAre) {
    const Folder folder;
    for (const char* resistance : {"1", "1.3", "2"}) {
        const std::string file = folder.write("m.yaml", std::string("model: divider\n"
                                                                    "components:\n"
                                                                    "  s: {type: Se, e: 1}\n"
                                                                    "  j: {type: 1}\n"
                                                                    "  a: {type: R, R: 1}\n"
                                                                    "  b: {type: R, R: ") +
                                                            resistance + "}\nbonds: [s -> j, j -> a, j -> b]\n");
        EXPECT_THAT(folder.run({"check", file}).out, HasSubstr("Algebraic loops: 1\n")) << resistance;
    }
}

TEST(Causality, KeepsTheHalfArrowsDrawnInsideTypesWithConnectors) {
    const Folder folder;
    const std::string file = folder.write("m.yaml",
                                          "model: pins\n"
                                          "types:\n"
                                          "  Source:\n"
                                          "    connectors: {p: pin, n: pin}\n"
                                          "    components: {s: {type: Se, e: 12 V}, j: {type: 1}}\n"
                                          "    bonds: [s -> j, n -> j, j -> p]\n"
                                          "  Ground:\n"
                                          "    connectors: {p: pin}\n"
                                          "    components: {s: {type: Se, e: 5 V}}\n"
                                          "    bonds: [s -> p]\n"
                                          "components:\n"
                                          "  u: {type: Source}\n"
                                          "  g: {type: Ground}\n"
                                          "  r: {type: R, R: 1 ohm}\n"
                                          "connect: [[u.n, g.p]]\n"
                                          "bonds: [u.p -> r]\n");
    const Outcome o = folder.run({"causality", file});
    EXPECT_EQ(o.err, "");
    EXPECT_THAT(o.out, testing::ContainsRegex("u\\.n\\.p->u\\.j +u\\.n\\.p  -->\\|  u\\.j"));
    EXPECT_THAT(o.out, testing::ContainsRegex("g\\.s +g\\.s  -->\\|  u\\.n\\.p"));
}

}  // namespace
}  // namespace bondgraph::cli
