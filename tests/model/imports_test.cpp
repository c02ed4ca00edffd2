// Types of other files by their own names and behind prefixes: the same results either way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bondgraph/io/load_model.hpp"
#include "tests/model/same_results.hpp"
#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using testing::HasSubstr;

class Imports : public test::InTemporaryFolder {
   protected:
    model::Model load(const std::string& text) {
        write("model.yaml", "model: m\n" + text);
        SourceMap sources;
        return io::load_model(folder_ / "model.yaml", sources);
    }

    /// Codes and messages of what is wrong, one line each.
    std::string mistakes(const std::string& text) {
        try {
            Pipeline p(load(text));
            p.graph();
        } catch (const ModelError& error) {
            std::string said;
            for (const Diagnostic& d : error.diagnostics()) {
                EXPECT_TRUE(d.position.known()) << d.message;
                said += d.code + " " + d.message + "\n";
            }
            return without_folder(said);
        }
        return "none";
    }
};

constexpr const char* kElectrical = R"(
connector_types:
  wire: {bonds: {p: electrical}}
types:
  TwoPins:
    connectors: {p: wire, n: wire}
    components: {loop: {type: 1}}
    bonds: [p -> loop, loop -> n]
  Resistor:
    extends: TwoPins
    parameters: {R: 1 kohm}
    components: {r: {type: R, R: R}}
    bonds: [loop -> r]
  Capacitor:
    extends: TwoPins
    components: {c: {type: C, C: 1 mF}}
    bonds: [loop -> c]
  Section:
    connectors: {a: wire, b: wire, g: wire}
    components: {r: {type: Resistor}, c: {type: Capacitor}}
    connect: [[a, r.p], [r.n, c.p, b], [c.n, g]]
  Battery:
    connectors: {p: wire, n: wire}
    equations: [p.e - n.e = 5, p.f + n.f = 0]
  Ground:
    connectors: {p: wire}
    equations: [p.e = 0]
)";

std::string circuit(const std::string& prefix) {
    return "components:\n  b: {type: " + prefix + "Battery}\n  s[2]: {type: " + prefix +
           "Section}\n  load: {type: Heavy}\n  g: {type: " + prefix +
           "Ground}\nconnect:\n  - b.p -- s[1].a\n  - s[i].b -- s[i+1].a\n  - [b.n, g, load.n]\n  - s[i].g -- g\n"
           "  - s[2].b -- load.p\ntypes: {Heavy: {extends: " +
           prefix + "Resistor, parameters: {R: 100 ohm}}}\n";
}
const std::vector<std::string> kWatched{"s[2].c.c.e", "s[1].r.r.f", "load.r.power", "s[2].c.p.e", "b.p.f"};

TEST_F(Imports, ByListAndByPrefixGiveTheSameResults) {
    write("electrical.yaml", kElectrical);
    Pipeline list(load("import: [electrical.yaml]\n" + circuit("")));
    for (const char* how :
         {"{el: electrical.yaml}", "[{el: electrical}]", "{other: electrical, el: electrical.yaml}"}) {
        Pipeline prefixed(load(std::string("import: ") + how + "\n" + circuit("el.")));
        expect_same(list, kWatched, prefixed, kWatched);
    }
}

TEST_F(Imports, TwoFilesMayHaveTypesOfOneName) {
    write("electrical.yaml", kElectrical);
    write("hydraulic.yaml",
          "types:\n  Resistor:\n    ports: {p: {domain: hydraulic}}\n    parameters: {R: 3 Pa.s/m3}\n    equations: "
          "[p.e = "
          "R*p.f]\n");
    Pipeline p(
        load("import: {el: electrical, hy: hydraulic}\ncomponents:\n  pump: {type: Se, e: 6 Pa}\n  valve: {type: "
             "hy.Resistor}\n  b: {type: el.Battery}\n  r: {type: el.Resistor}\n  g: {type: el.Ground}\nbonds: [pump -> "
             "valve]\nconnect: [[b.p, r.p], [b.n, r.n, g]]\n"));
    const auto run = p.run({.stop = 1.0}, {"valve.f", "r.r.f"});
    EXPECT_NEAR(run.result.at(0, 0), 2.0, 1e-12);
    EXPECT_NEAR(run.result.at(0, 1), 5e-3, 1e-12);
}

TEST_F(Imports, PrefixesOfOneFileMeanTheSameTypes) {
    write("electrical.yaml", kElectrical);
    write("lamps.yaml",
          "import: {base: electrical}\ntypes: {Lamp: {extends: base.Resistor, parameters: {R: 7 ohm}}}\n");
    for (const char* import :
         {"{a: electrical, l: lamps}", "[electrical, {a: electrical, l: lamps}]", "[{a: electrical}, {l: lamps}]"}) {
        Pipeline p(load(std::string("import: ") + import +
                        "\ncomponents: {b: {type: a.Battery}, x: {type: l.Lamp}, g: {type: a.Ground}}\nconnect: [[b.p, "
                        "x.p], [b.n, x.n, g]]\n"));
        EXPECT_NEAR(p.run({.stop = 1.0}, {"x.r.f"}).result.at(0, 0), 5.0 / 7.0, 1e-12);
    }
}

TEST_F(Imports, NamesInAFileMeanWhatTheyMeanThere) {
    // its own R, and the built-in one where the model has an R of its own
    write("own.yaml",
          "types: {R: {ports: {p: {}}, equations: [p.e = 2*p.f]}, T: {ports: {q: {}}, components: {r: {type: "
          "R}}, bonds: [q -> r.p]}}\n");
    write("plain.yaml", "types: {T: {ports: {q: {}}, components: {r: {type: R, R: 4}}, bonds: [q -> r]}}\n");
    Pipeline p(
        load("import: {own: own, plain: plain}\ntypes: {R: {ports: {p: {}}, equations: [p.e = 8*p.f]}}\n"
             "components: {s1: {type: Se, e: 8}, s2: {type: Se, e: 8}, s3: {type: Se, e: 8}, a: {type: own.T}, b: "
             "{type: plain.T}, c: {type: R}}\nbonds: [s1 -> a.q, s2 -> b.q, s3 -> c.p]\n"));
    const auto run = p.run({.stop = 1.0}, {"s1.f", "s2.f", "s3.f"});
    EXPECT_NEAR(run.result.at(0, 0), 4.0, 1e-12);
    EXPECT_NEAR(run.result.at(0, 1), 2.0, 1e-12);
    EXPECT_NEAR(run.result.at(0, 2), 1.0, 1e-12);
    // what the model declares is none of a file's business behind a prefix
    write("asks.yaml", "types: {T: {components: {r: {type: OfTheModel}}}}\n");
    EXPECT_EQ(
        mistakes(
            "import: {a: asks}\ntypes: {OfTheModel: {ports: {p: {}}, equations: [p.e = 1]}}\ncomponents: {t: {type: "
            "a.T}}\n"),
        "BG-M001 unknown component type 'OfTheModel'\n");
}

TEST_F(Imports, ALibraryOfSeveralFilesSharesItsNames) {
    write("lib.yaml", "import: [one, two]\n");
    write("one.yaml", "types: {One: {ports: {p: {}}, equations: [p.e = 3*p.f]}}\n");
    write("two.yaml", "types: {Two: {extends: One}}\n");
    for (const char* how : {"lib", "{k: lib}"}) {
        const std::string prefix = how[0] == '{' ? "k." : "";
        Pipeline p(load(std::string("import: ") + how + "\ncomponents: {s: {type: Se, e: 6}, t: {type: " + prefix +
                        "Two}}\nbonds: [s -> t.p]\n"));
        EXPECT_NEAR(p.run({.stop = 1.0}, {"s.f"}).result.at(0, 0), 2.0, 1e-12);
    }
}

TEST_F(Imports, NamesShowTheirPrefix) {
    write("a.yaml", "import: {b: b}\ntypes: {A: {extends: b.B}}\nconnector_types: {k: {bonds: {p: electrical}}}\n");
    write("b.yaml", "types: {B: {ports: {p: {}}, equations: [p.e = 1]}}\n");
    const model::Model m = load("import: {x: a}\ncomponents: {}\n");
    ASSERT_EQ(m.types.size(), 2);
    EXPECT_EQ(m.types[0].name.text, "x.A");
    EXPECT_EQ(m.types[1].name.text, "x.b.B");
    EXPECT_EQ(m.types[0].base_type, 1);
    EXPECT_EQ(m.connector_types.at(0).type.name, "x.k");
    write("c.yaml", "import: {x: b}\n");
    const model::Model two = load("import: [c, {x: a}]\ncomponents: {}\n");
    std::vector<std::string> names;
    for (const auto& type : two.types) names.push_back(type.name.text);
    EXPECT_THAT(names, testing::UnorderedElementsAre("x.A", HasSubstr("x.B")));
}

TEST_F(Imports, MistakesInPrefixesAreNamed) {
    write("electrical.yaml", kElectrical);
    const auto of = [&](const std::string& import, const std::string& type) {
        return mistakes("import: " + import + "\ncomponents: {r: {type: " + type + "}}\n");
    };
    EXPECT_EQ(of("{el: electrical}", "ell.Resistor"),
              "BG-M080 unknown prefix 'ell' of the type 'ell.Resistor'; did you mean 'el'?\n");
    EXPECT_EQ(of("{el: electrical}", "el.Resistr"),
              "BG-M001 'electrical.yaml' has no type 'Resistr'; did you mean 'el.Resistor'?\n");
    EXPECT_EQ(of("{el: electrical}", "Resistor"),
              "BG-M001 unknown component type 'Resistor'; did you mean 'el.Resistor'?\n");
    EXPECT_EQ(of("{el: electrical}", "el.R"),
              "BG-M001 'electrical.yaml' has no type 'R'; did you mean 'el.Resistor'?\n");
    EXPECT_EQ(of("electrical", "el.Ground"), "BG-M080 unknown prefix 'el' of the type 'el.Ground'\n");
    EXPECT_THAT(of("{1a: electrical}", "R"), HasSubstr("BG-M017 '1a' can't be the name of a prefix"));
    EXPECT_EQ(of("[{el: electrical}, {el: electrical}]", "el.Ground"), "BG-M017 the prefix 'el' is given twice\n");
    EXPECT_THAT(of("{el: missing}", "el.Ground"), HasSubstr("BG-M022 can't read 'missing'"));
    EXPECT_EQ(of("{el: electrical, el: electrical}", "el.Ground"), "BG-Y002 the key 'el' is given twice\n");
    EXPECT_EQ(of("{el: [electrical]}", "el.Ground"), "BG-M037 'el' takes the name of a file, not a list\n");
    EXPECT_EQ(mistakes("import: {T: electrical}\ntypes: {T: {ports: {p: {}}, equations: [p.e = 1]}}\ncomponents: {}\n"),
              "BG-M017 the prefix 'T' is the name of a type, too\n");
    EXPECT_EQ(mistakes("import: {el: electrical}\ntypes: {T: {extends: el.Resistr}, U: {connectors: {p: el.wir}, "
                       "equations: [p.e = 0]}}\ncomponents: {}\n"),
              "BG-M001 'electrical.yaml' has no type 'Resistr'; did you mean 'el.Resistor'?\n"
              "BG-M050 'electrical.yaml' has no connector type 'wir'; did you mean 'el.wire'?\n");
}

TEST_F(Imports, ABaseMayWaitInALibraryForWhoExtendsIt) {
    write("bases.yaml", "types: {Base: {ports: {p: {}}, parameters: {k: 1}}}\n");
    for (const char* how : {"bases", "{b: bases}"})
        EXPECT_EQ(mistakes(std::string("import: ") + how + "\ncomponents: {}\n"), "none");
    EXPECT_EQ(mistakes("import: {b: bases}\ncomponents: {x: {type: b.Base}}\n"),
              "BG-M034 type 'b.Base' has neither 'equations:' nor 'components:'\n");
    EXPECT_EQ(mistakes("types: {Base: {ports: {p: {}}}}\ncomponents: {}\n"),
              "BG-M034 type 'Base' has neither 'equations:' nor 'components:'\n");
    EXPECT_EQ(mistakes("import: {b: bases}\ntypes: {T: {extends: Base}}\ncomponents: {}\n"),
              "BG-M001 unknown type 'Base' for 'T' to extend; did you mean 'b.Base'?\n");
}

TEST_F(Imports, TypesDeclaredTwiceAreNamedInEachGroup) {
    write("one.yaml", "types: {T: {ports: {p: {}}, equations: [p.e = 1]}}\n");
    write("two.yaml", "import: [one]\ntypes: {T: {ports: {p: {}}, equations: [p.e = 1]}}\n");
    EXPECT_THAT(mistakes("import: {k: two, l: one}\ncomponents: {}\n"),
                HasSubstr("BG-M017 type 'T' is declared twice"));
    EXPECT_EQ(mistakes("import: {k: one}\ntypes: {T: {ports: {p: {}}, equations: [p.e = 1]}}\ncomponents: {}\n"),
              "none");
}

}  // namespace
}  // namespace bondgraph
