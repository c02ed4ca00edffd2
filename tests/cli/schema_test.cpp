// The schema of model files, judged by a validator that is not ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/cli/command.hpp"
#include "tests/cli/python_program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sweep.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Schema : public testing::Test {
   protected:
    void SetUp() override {
        if (!python_has({"jsonschema", "yaml"}))
            GTEST_SKIP() << "Python has no module jsonschema or yaml (apt install python3-jsonschema python3-yaml)";
        const Outcome o = folder_.run({"schema"});
        ASSERT_EQ(o.status, 0) << o.err;
        folder_.write("schema.json", o.out);
    }

    [[nodiscard]] Outcome validate(std::vector<std::string> files) const {
        files.insert(files.begin(), "schema.json");
        return run_python(folder_, "check_schema.py", files);
    }

    Folder folder_;
};

TEST_F(Schema, AcceptsEveryModelThatIsShipped) {
    auto files = test::model_files_below(test::source_folder() + "/models");
    const auto others = test::model_files_below(test::source_folder() + "/tests/models");
    ASSERT_GT(BONDGRAPH_SWEEP * files.size(), 20U);
    ASSERT_GT(BONDGRAPH_SWEEP * others.size(), 20U);
    for (std::size_t i = 0; i < others.size(); i += 4) files.push_back(others[i]);  // the validator is slow
    const Outcome o = validate(files);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, IsEmpty());
}

TEST_F(Schema, AcceptsTheFormsOfTheManual) {
    folder_.write("forms.yaml", R"(model: forms
description:
parameters: {U: 12 V, k: {value: 3, unit: V, min: 0, max: 5, free: true, doc: text}, "v": [1, 2], M: [[1, 2], [3, 4]]}
types:
  T: {ports: {p: , q: {domain: electrical, size: 2}}, variables: [x, y], equations: p.e = x}
  W: {parameters: {at: 1, turn: 2}, equations: [a = b], components: {t: {type: W, at: 3 s}}}
  R: {doc: one of the catalogue's names, parameters: {other: 1}, inputs: {u: {unit: V}, v: }, equations: [a = b]}
components:
  s: {type: Se, e: if time > 1 then U else 0}
  j: {type: 1, size: 3}
  n: {type: "0"}
  r: {type: R, other: 2}
  c: {type: C, K: {value: 100 N/m, free: true}, initial: {q: 0}, states: avoid, domain: translational, doc: }
  i: {type: I, law: f = p^3, initial: steady, guess: {p: 1}, nominal: {p: 1e-6}}
  sum: {type: Sum, u1: 3, u17: x.y, at: [0, -2.5], turn: 90}
  w: {type: W, at: 3 s, turn: {value: 2, free: true}}
layout: {rows: [[s, j], [n]], rings: [[r, c, i]]}
bonds:
  - s -> j
  - named: j → r
signals: ["2*c.e -> sum.u2"]
connect: [[a.frame_b, b.frame_a], [x, y, z]]
when: {if: time > 1, reinit: {c.q: 0}}
initial: [m.f = 2*k.q]
experiment: {start: 0, stop: 2 s, tolerance: 1e-6, interval: 5 ms}
outputs: c.q
plots: [{title: Speed, y: c.q}, {y: [c.q, c.e]}]
expect:
  - {at: 2 s, c.q: 1, tolerance: 1e-5, source: hand}
  - {dependent_storages: 1, poles: [-1, [-2, 3]]}
)");
    folder_.write("library.yaml",
                  "description: types\ntypes: {T: {components: {r: {type: R, R: 1}}}}\nimport: [a.yaml]\n");
    folder_.write("imports.yaml", "model: m\nimport: lib.yaml\ncomponents: {a: {type: Unheard, x: 1}, b: {type: R}}\n");
    folder_.write("override.yaml",
                  "model: m\ncomponents: {a: {type: R}, s: {type: Constant, k: 1}}\nsignals: [s.y -> a.R]\n");
    const Outcome o = validate({"forms.yaml", "library.yaml", "imports.yaml", "override.yaml"});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
}

struct Wrong {
    const char* text;
    const char* place;  // where the validator points
    const char* said;
};

// In one run of the validator: it takes seconds to read the schema.
TEST_F(Schema, RefusesMistakesInTheirPlaceAsTheProgramDoes) {
    const std::vector<Wrong> mistakes{
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1}}\nbond: [a -> b]\n", "", "'bond' was unexpected"},
        Wrong{"model: m\ncomponents: {a: {type: Resistor, R: 1}}\n", "components/a/type", "'Resistor' is not one of"},
        Wrong{"model: m\ncomponents: {a: {type: R, Rr: 1}}\nsignals: []\n", "components/a", "'Rr' was unexpected"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1, at: 3 s}}\n", "components/a/at", "is not of type 'array'"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1, turn: 45}}\n", "components/a/turn", "is not a multiple of 90"},
        Wrong{"model: m\ntypes: {T: {components: {r: {type: R, R: 1, at: [0, 0]}}}}\ncomponents: {a: {type: T}}\n",
              "types/T/components/r", "should not be valid under"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1}}\nlayout: {rings: [[a]]}\n", "layout/rings/0", "too short"},
        Wrong{"model: m\ncomponents: {a: {type: R}}\n", "components/a", "{'type': 'R'} is not valid"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1, G: 1}}\n", "components/a", "is valid under each of"},
        Wrong{"model: m\ncomponents: {a: {type: Se}}\n", "components/a", "'e' is a required property"},
        Wrong{"model: m\ncomponents: {a: {R: 1}}\n", "components/a", "'type' is a required property"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1, domain: electric}}\n", "components/a/domain", "'electric'"},
        Wrong{"model: m\ncomponents: {1a: {type: R, R: 1}}\n", "components", "'1a' does not match"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: {x: 1}}}\n", "components/a/R", "is not valid under any"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1}}\nbonds: [a b]\n", "bonds/0", "'a b'"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1}}\nexperiment: {end: 1}\n", "experiment",
              "'end' was unexpected"},
        Wrong{"model: m\ncomponents: {a: {type: R, R: 1}}\nexpect: [{a.e: 1}]\n", "expect/0", "is not valid under any"},
        Wrong{"model: m\ntypes: {T: {doc: x}}\ncomponents: {a: {type: T}}\n", "types/T", "is not valid under any"},
        Wrong{"model: m\ntypes: {T: {components: {r: {type: R, X: 1}}}}\ncomponents: {a: {type: T}}\n",
              "types/T/components/r", "'X' was unexpected"}};
    std::vector<std::string> files;
    for (const Wrong& wrong : mistakes) {
        const std::string name = "wrong" + std::to_string(files.size()) + ".yaml";
        files.push_back(folder_.write(name, wrong.text));
        EXPECT_EQ(folder_.run({"check", name}).status, 2) << wrong.text;
    }
    const Outcome o = validate(files);
    EXPECT_EQ(o.status, 1) << o.err;
    std::istringstream lines(o.out);
    for (std::size_t k = 0; k < mistakes.size(); ++k) {
        std::string line;
        std::getline(lines, line);
        EXPECT_THAT(line, StartsWith(files[k] + ": " + mistakes[k].place + ": ")) << mistakes[k].text;
        EXPECT_THAT(line, HasSubstr(mistakes[k].said)) << mistakes[k].text;
    }
}

}  // namespace
}  // namespace bondgraph::cli
