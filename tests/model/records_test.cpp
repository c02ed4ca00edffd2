// Parameters that belong together, handed on as one: the same results as with each of them by itself.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/io/load_model.hpp"
#include "tests/model/same_results.hpp"
#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using Codes = std::vector<std::string>;

const std::string kRecords = R"(
records:
  Fluid:
    parameters:
      rho: {value: 900 kg/m3, above: 0 kg/m3}
      mu: {value: 50 mPa.s, unit: Pa.s}
      nu: mu/rho
  Water:
    extends: Fluid
    parameters: {rho: 1000 kg/m3, mu: 1 mPa.s}
)";
const std::string kPipes = R"(
types:
  Pipe:
    parameters: {fluid: {record: Fluid}, L: {value: 2 m}, A: 1e-3 m2, mu: {value: 7, doc: no viscosity}}
    ports: {a: {domain: hydraulic}}
    components:
      j: {type: 1}
      r: {type: R, R: fluid.nu*fluid.rho*L/A^2}
      m: {type: I, I: fluid.rho*L/A}
    bonds: [a -> j, j -> r, j -> m]
  Twin:
    parameters: {liquid: {record: Fluid, mu: 20 mPa.s}}
    ports: {a: {domain: hydraulic}}
    components:
      j: {type: 0}
      one: {type: Pipe, fluid: liquid}
      two: {type: Pipe, fluid: {rho: liquid.rho, mu: 2*liquid.mu}, L: 1 m}
    bonds: [a -> j, j -> one.a, j -> two.a]
)";

std::string pipe_with(const std::string& component, const std::string& parameters = "{}") {
    return kRecords + kPipes + "parameters: " + parameters + "\ncomponents:\n  s: {type: Se, e: 1 bar}\n  x: {" +
           component + "}\nbonds: [s -> x.a]\n";
}

std::string figures(double rho, double mu, double length) {
    return fmt::format("{{type: 1}}\n  r{0}: {{type: R, R: {1}}}\n  m{0}: {{type: I, I: {2}}}\n", "", mu * length * 1e6,
                       rho * length * 1e3);
}

void expect_pipe(const std::string& model, double rho, double mu, double length = 2.0, const std::string& set = {}) {
    Pipeline p(model);
    if (!set.empty()) p.set(set);
    Pipeline flat("components:\n  s: {type: Se, e: 1 bar}\n  j: " + figures(rho, mu, length) +
                  "bonds: [s -> j, j -> r, j -> m]\n");
    expect_same(p, {"x.m.f"}, flat, {"m.f"}, 1e-9);
}

TEST(Records, GiveTheirParametersBehindOneName) {
    expect_pipe(pipe_with("type: Pipe"), 900, 0.05);
    expect_pipe(pipe_with("type: Pipe, fluid: {rho: 800 kg/m3}, L: 3 m"), 800, 0.05, 3);
    expect_pipe(pipe_with("type: Pipe, fluid.rho: 800 kg/m3"), 800, 0.05);
    expect_pipe(pipe_with("type: Pipe, fluid: oil", "{oil: {record: Fluid, mu: 30 mPa.s}}"), 900, 0.03);
    expect_pipe(pipe_with("type: Pipe, fluid: oil", "{oil: {record: Water}}"), 1000, 0.001);
    expect_pipe(pipe_with("type: Pipe, fluid: oil, fluid.mu: 2 mPa.s", "{oil: {record: Water}}"), 1000, 0.002);
}

TEST(Records, NameTheirOwnParametersAndOwnersNameTheirs) {
    // mu of the pipe and of the model are others than the fluid's; beside `record:` stand names of the model
    expect_pipe(pipe_with("type: Pipe, mu: 3"), 900, 0.05);
    expect_pipe(pipe_with("type: Pipe, fluid: oil", "{mu: 20 mPa.s, oil: {record: Fluid, mu: 2*mu}}"), 900, 0.04);
    expect_pipe(pipe_with("type: Pipe, fluid: {mu: oil.mu/2}", "{oil: {record: Fluid, rho: 5 kg/m3}}"), 900, 0.025);
    EXPECT_EQ(test::errors_in(pipe_with("type: Pipe, fluid: {mu: nu}")), Codes{"BG-X001"});
}

TEST(Records, OfASubkindBringWhatTheyNeed) {
    const std::string model = R"(
records:
  Brine:
    extends: Fluid
    parameters: {salt: 0.1, rho: 1000*(1 + salt)*one, one: 1 kg/m3}
)" + pipe_with("type: Twin, liquid: sea", "{sea: {record: Brine, salt: 0.03, mu: 1 mPa.s}}");
    std::string text = model;
    text.erase(text.rfind("records:"), 9);  // one section of records
    Pipeline p(text);
    Pipeline salty(pipe_with("type: Twin, liquid: {rho: 1030 kg/m3, mu: 1 mPa.s}"));
    expect_same(p, {"x.one.m.f", "x.two.m.f"}, salty, {"x.one.m.f", "x.two.m.f"}, 1e-12);
    Pipeline set(text);
    set.set("sea.salt=0.05");
    Pipeline saltier(pipe_with("type: Twin, liquid: {rho: 1050 kg/m3, mu: 1 mPa.s}"));
    expect_same(set, {"x.one.m.f", "x.two.m.f"}, saltier, {"x.one.m.f", "x.two.m.f"}, 1e-12);
}

TEST(Records, MayStandInAnyOrder) {
    expect_pipe(pipe_with("fluid: oil, type: Pipe", "{oil: {mu: 2*water.mu, record: Fluid}, water: {record: Water}}"),
                900, 0.002);
    const std::string types = kPipes;
    expect_pipe("components:\n  s: {type: Se, e: 1 bar}\n  x: {type: Pipe, fluid: oil}\nbonds: [s -> x.a]\n" + types +
                    "parameters: {oil: {record: Water}}\n" + R"(
records:
  Water:
    extends: Fluid
    parameters: {mu: 1 mPa.s, rho: 1000 kg/m3}
  Fluid:
    parameters:
      nu: mu/rho
      mu: {value: 50 mPa.s, unit: Pa.s}
      rho: {value: 900 kg/m3, above: 0 kg/m3}
)",
                1000, 0.001);
}

TEST(Records, AreHandedThroughTypes) {
    const auto expect_twin = [](const std::string& model, double rho, double mu) {
        Pipeline p(model);
        Pipeline flat(
            fmt::format("components:\n  s: {{type: Se, e: 1 bar}}\n  n: {{type: 0}}\n  j1: {{type: 1}}\n"
                        "  j2: {{type: 1}}\n  r1: {{type: R, R: {}}}\n  m1: {{type: I, I: {}}}\n"
                        "  r2: {{type: R, R: {}}}\n  m2: {{type: I, I: {}}}\n"
                        "bonds: [s -> n, n -> j1, n -> j2, j1 -> r1, j1 -> m1, j2 -> r2, j2 -> m2]\n",
                        mu * 2e6, rho * 2e3, 2 * mu * 1e6, rho * 1e3));
        expect_same(p, {"x.one.m.f", "x.two.m.f"}, flat, {"m1.f", "m2.f"}, 1e-9);
    };
    expect_twin(pipe_with("type: Twin"), 900, 0.02);
    expect_twin(pipe_with("type: Twin, liquid: oil", "{oil: {record: Water, rho: 990 kg/m3}}"), 990, 0.001);
    expect_twin(pipe_with("type: Twin, liquid: {rho: 700 kg/m3}"), 700, 0.02);
}

TEST(Records, TakeValuesFromTheCommandLine) {
    const std::string handed = pipe_with("type: Pipe, fluid: oil", "{one: 1 kg/m3, oil: {record: Fluid}}");
    expect_pipe(handed, 950, 0.05, 2, "oil.rho=950 kg/m3");
    expect_pipe(handed, 950, 0.05, 2, "x.fluid.rho=950 kg/m3");
    expect_pipe(handed, 800, 0.05, 2, "x.fluid.rho=800*one");
    expect_pipe(pipe_with("type: Pipe"), 950, 0.05, 2, "x.fluid.rho=0.95 g/cm3");
    Pipeline wrong(handed);
    wrong.set("oil.rho=-1 kg/m3");
    EXPECT_EQ(test::errors_of([&] { wrong.graph(); }), Codes{"BG-M013"});
}

TEST(Records, MayHoldRecordsAndWords) {
    const std::string model = R"(
records:
  Law: {parameters: {kind: {choices: [even, odd], value: even}, k: 2}}
  Part: {parameters: {law: {record: Law, k: 3}, gain: law.k*10}}
types:
  Load:
    parameters: {part: {record: Part}}
    ports: {p: {}}
    components:
      j: {type: 1}
      a: {type: R, R: part.gain}
      b: {type: R, R: part.law.k, if: part.law.kind.odd}
    bonds: [p -> j, j -> a, j -> b]
  Outer:
    parameters: {inner: {record: Part}}
    ports: {p: {}}
    components:
      j: {type: 1}
      x[2]: {type: Load, part: inner, part.law.k: i*inner.law.k}
    bonds: [p -> j, "j -> x[i].p"]
parameters: PARAMETERS
components:
  s: {type: Se, e: 1}
  x: {COMPONENT}
bonds: [s -> x.p]
)";
    const auto resistance = [&](const std::string& component, const std::string& parameters = "{}") {
        std::string text = model;
        text.replace(text.find("COMPONENT"), 9, component);
        text.replace(text.find("PARAMETERS"), 10, parameters);
        Pipeline p(text);
        return 1.0 / p.run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0);
    };
    EXPECT_NEAR(resistance("type: Load"), 30, 1e-9);
    EXPECT_NEAR(resistance("type: Load, part: {law: {kind: odd}}"), 33, 1e-9);
    EXPECT_NEAR(resistance("type: Load, part: p", "{p: {record: Part, law: l}, l: {record: Law, kind: odd}}"), 22,
                1e-9);
    EXPECT_NEAR(resistance("type: Load, part: {law: l}", "{l: {record: Law, kind: odd, k: 4}}"), 44, 1e-9);
    EXPECT_NEAR(resistance("type: Load, part: p, part.law.kind: odd", "{p: {record: Part}}"), 33, 1e-9);
    EXPECT_NEAR(resistance("type: Outer"), 30 + 60, 1e-9) << "gain is computed anew";
    EXPECT_NEAR(resistance("type: Outer, inner: {gain: 7}"), 7 + 7, 1e-9) << "but what is given stays";
    EXPECT_NEAR(resistance("type: Outer, inner: {law: {kind: odd}}"), 30 + 3 + 60 + 6, 1e-9);
}

TEST(Records, TakeSignalsAndFreeValues) {
    const std::string driven =
        pipe_with("type: Pipe, fluid: {rho: 900 kg/m3}") + "signals: ['0.05+0*time -> x.fluid.mu']\n";
    expect_pipe(driven, 900, 0.05);
    Pipeline p(kRecords + kPipes + R"(
parameters: {oil: {record: Fluid, mu: {value: 30 mPa.s, free: true}}}
components:
  s: {type: Se, e: 1 bar}
  x: {type: Pipe, fluid: oil, initial: {m.f: 1 m3/s}}
bonds: [s -> x.a]
initial: [x.r.e = 1e5]
)");
    const auto run = p.run({.stop = 1.0}, {"x.r.e"});
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 1e5, 1e-3);
}

TEST(Records, OfTypesThatExtendOthersMayChange) {
    const auto of = [&](const std::string& name) {
        std::string text = pipe_with("type: " + name);
        text.insert(text.find("  Twin:"), R"(  WaterPipe:
    extends: Pipe
    parameters: {fluid: {record: Water}}
  ThinOil:
    extends: Pipe
    parameters: {fluid: {record: Fluid, mu: 5 mPa.s}}
  Thick:
    extends: ThinOil
    parameters: {L: 1 m}
)");
        return text;
    };
    expect_pipe(of("WaterPipe"), 1000, 0.001);
    expect_pipe(of("ThinOil"), 900, 0.005);
    expect_pipe(of("Thick"), 900, 0.005, 1);
}

TEST(Records, ComputeAnewWhatTheySayOfRecordsInThem) {
    const std::string model = R"(
records:
  Liquid: {parameters: {mu: 1, rho: 3}}
  Line: {parameters: {T: 20, own: 2*T, liquid: {record: Liquid, mu: 2*T}}}
types:
  S:
    parameters: {l: {record: Line}}
    ports: {p: {}}
    components:
      j: {type: 1}
      a: {type: R, R: l.own}
      b: {type: R, R: 1000*l.liquid.mu}
    bonds: [p -> j, j -> a, j -> b]
  Outer:
    parameters: {l: {record: Line}}
    ports: {p: {}}
    components: {s: {type: S, l: l}}
    bonds: [p -> s.p]
parameters: {x: {record: Line}, y: {record: Line, T: 30}, z: {record: Line, liquid: y.liquid}, w: {record: Line, own: 5}}
components:
  s: {type: Se, e: 1}
  x1: {COMPONENT}
bonds: [s -> x1.p]
)";
    const auto resistance = [&](const std::string& component, const std::string& set = {}) {
        std::string text = model;
        text.replace(text.find("COMPONENT"), 9, component);
        Pipeline p(text);
        if (!set.empty()) p.set(set);
        return 1.0 / p.run({.stop = 1.0}, {"x1.p.f"}).result.at(0, 0);
    };
    EXPECT_NEAR(resistance("type: S"), 40040, 1e-6);
    EXPECT_NEAR(resistance("type: S, l.T: 40"), 80080, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: x, l.T: 40"), 80080, 1e-6);
    EXPECT_NEAR(resistance("type: Outer, l: x, l.T: 40"), 80080, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: x", "x.T=40"), 80080, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: x", "x1.l.T=40"), 80080, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: y"), 60060, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: z"), 60040, 1e-6) << "the liquid of y, as it is there";
    EXPECT_NEAR(resistance("type: S, l: z, l.T: 50"), 60100, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: w, l.T: 50"), 100005, 1e-6) << "what has been given stays";
    EXPECT_NEAR(resistance("type: S, l.liquid: y.liquid, l.T: 50"), 60100, 1e-6);
    EXPECT_NEAR(resistance("type: S, l: x, l.liquid.mu: 7"), 7040, 1e-6);
}

TEST(Records, GiveWordsByTheirPath) {
    const std::string model = R"(
records:
  Law: {parameters: {kind: {choices: [even, odd], value: odd}}}
types:
  D:
    parameters: {kind: {choices: [even, odd], value: even}}
    ports: {p: {}}
    components: {a: {type: R, R: 2, if: kind.even}, b: {type: R, R: 3, if: kind.odd}}
    bonds: [p -> a, p -> b]
  W:
    parameters: {law: {record: Law}}
    ports: {p: {}}
    components: {d: {type: D, kind: law.kind}}
    bonds: [p -> d.p]
parameters: {law: {record: Law}}
components:
  s: {type: Se, e: 6}
  x: {COMPONENT}
bonds: [s -> x.p]
)";
    const auto with = [&](const std::string& component) {
        std::string text = model;
        text.replace(text.find("COMPONENT"), 9, component);
        return text;
    };
    for (const auto& [component, current] : std::vector<std::pair<std::string, double>>{
             {"type: D", 3}, {"type: D, kind: law.kind", 2}, {"type: W", 2}, {"type: W, law.kind: even", 3}}) {
        Pipeline p(with(component));
        EXPECT_NEAR(p.run({.stop = 1.0}, {"s.f"}).result.at(0, 0), current, 1e-12) << component;
    }
    EXPECT_EQ(test::errors_in(with("type: D, kind: law.kidn")), Codes{"BG-M077"}) << "and nothing of parts left out";
}

TEST(Records, AreNoSignalsNorBuiltInTypesAndEndSomewhere) {
    EXPECT_EQ(test::errors_in(pipe_with("type: Pipe") + "signals: [0.05 + 0*time -> x.fluid]\n"), Codes{"BG-M016"});
    EXPECT_EQ(test::errors_in(pipe_with("type: Pipe", "{oil: {record: Fluid}}") + "signals: [0*time -> oil]\n"),
              Codes{"BG-M016"});
    EXPECT_EQ(test::errors_in("records: {R: {parameters: {k: 1}}}\ncomponents:\n  s: {type: Se, e: 1}\n"
                              "  r: {type: R, R: 1}\nbonds: [s -> r]\n"),
              Codes{"BG-M017"});
    std::string deep = "records:\n  A0: {parameters: {k: 1}}\n";
    for (int level = 1; level <= 60; ++level)
        deep += fmt::format("  A{0}: {{parameters: {{a: {{record: A{1}}}, b: {{record: A{1}}}}}}}\n", level, level - 1);
    const auto of_depth = [&](int depth) {
        return test::errors_in(deep +
                               fmt::format("parameters: {{x: {{record: A{}}}}}\ncomponents:\n"
                                           "  s: {{type: Se, e: x.k}}\n  r: {{type: R, R: 1}}\nbonds: [s -> r]\n",
                                           depth));
    };
    EXPECT_EQ(of_depth(0), Codes{});
    EXPECT_EQ(of_depth(60), Codes{"BG-M064"});
    EXPECT_EQ(of_depth(25), Codes{"BG-M059"});
}

class RecordsOfFiles : public test::InTemporaryFolder {};

TEST_F(RecordsOfFiles, AreKnownByTheirNamesOrBehindAPrefix) {
    write("fluids.yaml", kRecords + kPipes);
    const auto load = [&](const std::string& text) {
        write("model.yaml", "model: m\n" + text);
        SourceMap sources;
        return io::load_model(folder_ / "model.yaml", sources);
    };
    const std::string rest =
        "\ncomponents:\n  s: {type: Se, e: 1 bar}\n  x: {type: TPipe, fluid: oil}\nbonds: [s -> x.a]\n";
    const auto prefixed_by = [&](const std::string& prefix) {
        std::string text = rest;
        text.replace(text.find("TPipe"), 1, prefix);
        return text;
    };
    Pipeline plain(load("import: fluids\nparameters: {oil: {record: Water, mu: 2 mPa.s}}" + prefixed_by("")));
    Pipeline prefixed(
        load("import: {f: fluids}\nrecords: {Fluid: {extends: f.Water, parameters: {mu: 2 mPa.s}}}\n"
             "parameters: {oil: {record: Fluid}}" +
             prefixed_by("f.")));
    expect_same(plain, {"x.m.f"}, prefixed, {"x.m.f"}, 1e-12);
    EXPECT_EQ(
        test::errors_of([&] { load("import: {f: fluids}\nparameters: {oil: {record: f.Oil}}" + prefixed_by("f.")); }),
        Codes{"BG-M081"});
}

TEST(Records, OfOneKindOnlyAreHandedOn) {
    EXPECT_EQ(test::errors_in(pipe_with("type: Pipe, fluid: oil", "{oil: {record: Metal}}") + "\n"), Codes{"BG-M081"});
    std::string metal = pipe_with("type: Pipe, fluid: oil", "{oil: {record: Metal}}");
    metal.insert(metal.find("records:") + 8, "\n  Metal: {parameters: {rho: 1 kg/m3, mu: 1 Pa.s, nu: 1 m2/s}}");
    EXPECT_EQ(test::errors_in(metal), Codes{"BG-M081"}) << "names alone make no fluid";
    EXPECT_EQ(test::errors_in(pipe_with("type: Pipe, fluid: 5")), Codes{"BG-M081"});
    EXPECT_EQ(test::errors_in(pipe_with("type: Pipe, fluid: x")), Codes{"BG-M081"});
}

}  // namespace
}  // namespace bondgraph
