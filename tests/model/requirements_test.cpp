// Conditions on parameters, and parameters that are whole numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A model with one component of a type with these parameters and requirements.
std::string model_of_required(const std::string& parameters, const std::string& require, const std::string& settings) {
    return "types:\n  Limits:\n    parameters: {" + parameters + "}\n    require: " + require +
           "\n    outputs: [y]\n    equations: [\"y = time\"]\ncomponents:\n  l: {type: Limits" +
           (settings.empty() ? "" : ", " + settings) + "}\n";
}

std::vector<std::string> errors_of_required(const std::string& parameters, const std::string& require,
                                            const std::string& settings = "") {
    return test::errors_in(model_of_required(parameters, require, settings));
}

TEST(Requirements, AreLookedAtWithTheValuesGiven) {
    const std::string two = "lower: 0, upper: 1";
    EXPECT_THAT(errors_of_required(two, "[upper > lower]"), IsEmpty());
    EXPECT_THAT(errors_of_required(two, "[upper > lower]", "lower: 2"), ElementsAre("BG-M095"));
    EXPECT_THAT(errors_of_required(two, "upper > lower", "lower: 2"), ElementsAre("BG-M095")) << "without a list";
    EXPECT_THAT(errors_of_required(two, "[upper > lower]", "lower: 2, upper: 2.5"), IsEmpty());
    EXPECT_THAT(errors_of_required(two, "[upper > lower, upper < 10]", "lower: 20, upper: 15"),
                ElementsAre("BG-M095", "BG-M095"));
}

TEST(Requirements, ThatNothingStandsTwiceInAList) {
    const std::string once = "\"position(list, list[i]) == i\"";
    EXPECT_THAT(errors_of_required("list: [3, 1, 2]", once), IsEmpty());
    EXPECT_THAT(errors_of_required("list: [3, 1, 2]", once, "list: [5]"), IsEmpty());
    EXPECT_THAT(errors_of_required("list: [3, 1, 2]", once, "list: [7, 4, 7, 4]"), ElementsAre("BG-M095", "BG-M095"));
    EXPECT_THAT(errors_of_required("list: [3, 1, 2]", "\"position(list, 4) == 0 and position(list, 2) == 3\""),
                IsEmpty());
    EXPECT_THAT(errors_of_required("list: [3 m, 1 m]", "\"position(list, 1 s) == 0\""), ElementsAre("BG-X001"));
    EXPECT_THAT(errors_of_required("list: [[1, 2], [3, 4]]", "\"position(list, 1) == 0\""), ElementsAre("BG-X001"));
    EXPECT_THAT(errors_of_required("list: [1, 2]", "\"position(list, list) == 0\""), ElementsAre("BG-X001"));
}

TEST(Requirements, SayWhatIsWrongInTheWordsOfTheType) {
    const std::string text =
        model_of_required("lower: 0 m, upper: 1 m",
                          "[{condition: upper > lower, message: the limits are the wrong way round}]", "lower: 2 m");
    EXPECT_EQ(test::message_of([&] { Pipeline(text).graph(); }), "'l': the limits are the wrong way round");
    const std::string plain = model_of_required("lower: 0 m, upper: 1 m", "[upper > lower]", "lower: 2 m");
    EXPECT_EQ(test::message_of([&] { Pipeline(plain).graph(); }), "'l' requires that 'upper > lower'");
}

TEST(Requirements, AreToldWhereAValueIsGiven) {
    const std::string text = model_of_required("lower: 0, upper: 1", "[upper > lower]", "lower: 2");
    try {
        Pipeline(text).graph();
        FAIL();
    } catch (const ModelError& e) {
        ASSERT_EQ(e.diagnostics().size(), 1U);
        EXPECT_EQ(e.diagnostics()[0].position.line, 9U);
        ASSERT_EQ(e.diagnostics()[0].notes.size(), 1U);
        EXPECT_EQ(e.diagnostics()[0].notes[0].text, "lower is 2, upper is 1");
    }
}

TEST(Requirements, SpeakOfWordsRecordsAndLists) {
    EXPECT_THAT(errors_of_required("kind: {choices: [a, b], value: a}, n: 1", "[kind.a or n > 3]"), IsEmpty());
    EXPECT_THAT(errors_of_required("kind: {choices: [a, b], value: a}, n: 1", "[kind.a or n > 3]", "kind: b"),
                ElementsAre("BG-M095"));
    EXPECT_THAT(errors_of_required("xs: {}, zs: {}", "[size(xs) == size(zs)]", "xs: [1, 2], zs: [3, 4]"), IsEmpty());
    EXPECT_THAT(errors_of_required("xs: {}, zs: {}", "[size(xs) == size(zs)]", "xs: [1, 2], zs: [3, 4, 5]"),
                ElementsAre("BG-M095"));
    const std::string records = "records: {Oil: {parameters: {a: 1, b: 2}, require: [b > a]}}\n";
    const std::string component = "components: {c: {type: Constant, k: oil.a}}\n";
    EXPECT_THAT(test::errors_in(records + "parameters: {oil: {record: Oil}}\n" + component), IsEmpty());
    EXPECT_THAT(test::errors_in(records + "parameters: {oil: {record: Oil, a: 3}}\n" + component),
                ElementsAre("BG-M095"));
}

/// Of each mistake what stands at its place (a line "model:" is put before the text), and the note.
std::vector<std::string> told_of_entries(const std::string& require, const std::string& settings) {
    const std::string text = model_of_required("x: [1, 2, 3], z: [3, 2, 1], n: 2", "[\"" + require + "\"]", settings);
    std::vector<std::string> result;
    try {
        Pipeline(text).graph();
    } catch (const ModelError& e) {
        for (const Diagnostic& d : e.diagnostics()) {
            std::size_t at = 0;
            for (std::uint32_t line = 2; line < d.position.line; ++line) at = text.find('\n', at) + 1;
            at += d.position.column - 1;
            const std::string there = text.substr(at, text.find_first_of(",]}:\n", at) - at);
            result.push_back(d.code + " at " + there + ": " + (d.notes.empty() ? "" : d.notes[0].text));
        }
    }
    return result;
}

// Of a condition with i each that fails is told where its entry stands.
TEST(Requirements, SpeakOfEveryEntry) {
    const auto told = told_of_entries;
    const std::string given = "x: [4, -5, 6, -7]";
    EXPECT_THAT(told("x[i] > 0", ""), IsEmpty());
    EXPECT_THAT(told("x[i] > 0", given), ElementsAre("BG-M095 at -5: x[2] is -5", "BG-M095 at -7: x[4] is -7"));
    EXPECT_THAT(told("x[i+1] > x[i]", given),
                ElementsAre("BG-M095 at -5: x[2] is -5, x[1] is 4", "BG-M095 at -7: x[4] is -7, x[3] is 6"));
    EXPECT_THAT(told("x[n*i] > n", given),
                ElementsAre("BG-M095 at -5: x[2] is -5, n is 2", "BG-M095 at -7: x[4] is -7, n is 2"))
        << "every second";
    EXPECT_THAT(told("x[i] + z[i] < 9", "x: [1, 2, 9, 99]"), ElementsAre("BG-M095 at 9: x[3] is 9, z[3] is 1"))
        << "only where both are there";
    EXPECT_THAT(told("x[i] < 2*i", "x: [1, 4, 5]"), ElementsAre("BG-M095 at 4: x[2] is 4"));
    EXPECT_THAT(told("x[i] > 0 and x[i] < 4", "x: [1, 4, 5]"),
                ElementsAre("BG-M095 at 4: x[2] is 4", "BG-M095 at 5: x[3] is 5"));
    EXPECT_THAT(told("contains(z, x[i])", "x: [3, 2, 8]"), ElementsAre("BG-M095 at 8: x[3] is 8, z has 3 entries"));
    EXPECT_THAT(told("x[1] > 1", ""), ElementsAre("BG-M095 at l: x has 3 entries")) << "one entry, and no other";
}

TEST(Requirements, OfEntriesNameParametersOnly) {
    EXPECT_EQ(test::message_of([] { Pipeline(model_of_required("n: 1", "[\"y[i] > 1\"]", "")).graph(); }),
              "'y' is no parameter, so that nothing can be required of it");
    EXPECT_THAT(errors_of_required("n: 1", "[\"q[i] > 1\"]"), ElementsAre("BG-X001"));
    EXPECT_THAT(errors_of_required("n: 1", "[2*i > n]"), ElementsAre("BG-X001")) << "of no list";
}

// Where the list is handed on by name, its entries stand elsewhere: it is told where it is given.
TEST(Requirements, OfEntriesAreToldWhereTheListIsHandedOn) {
    const std::string type =
        "types:\n  T: {parameters: {x: {}}, require: [\"x[i] > 0\"], outputs: [y], equations: [\"y = x[1]\"]}\n";
    for (const auto& [file, place] :
         {std::pair{"parameters: {xs: [1, -2]}\ncomponents:\n  t: {type: T, x: xs}\n", 6U},
          std::pair{"parameters: {xs: 5}\ncomponents:\n  t: {type: T, x: [1, -xs]}\n", 6U}}) {
        try {
            Pipeline(type + file).graph();
            FAIL();
        } catch (const ModelError& e) {
            ASSERT_EQ(e.diagnostics().size(), 1U);
            EXPECT_EQ(e.diagnostics()[0].code, "BG-M095");
            EXPECT_EQ(e.diagnostics()[0].position.line, place);
        }
    }
}

TEST(Requirements, LeaveAParameterOfTheNameIAlone) {
    EXPECT_THAT(errors_of_required("i: 2, x: [1, -2, 1]", "[\"x[i] > 0\"]"), ElementsAre("BG-M095"));
    EXPECT_THAT(errors_of_required("i: 3, x: [1, -2, 1]", "[\"x[i] > 0\"]"), IsEmpty());
}

TEST(Requirements, OfEntriesHoldForFreeParameters) {
    const auto text = [](const std::string& list) {
        return "parameters: {K: {value: 100 N/m, free: true}, most: " + list +
               "}\nrequire: [\"K < most[i]\"]\ncomponents:\n  weight: {type: Se, e: 9.81 N}\n  motion: {type: 1}\n"
               "  mass: {type: I, I: 1 kg, initial: {f: 0 m/s}}\n  spring: {type: C, K: K, initial: {q: 2 cm}}\n"
               "bonds: [weight -> motion, motion -> mass, motion -> spring]\ninitial: [der(mass.p) = 0]\n";
    };
    EXPECT_THAT(test::errors_in(text("[600 N/m, 500 N/m]")), IsEmpty());
    EXPECT_THAT(test::errors_in(text("[600 N/m, 400 N/m]")), ElementsAre("BG-I006"));
}

TEST(Requirements, HoldInTypesThatExtend) {
    const std::string text =
        "types:\n  A: {parameters: {n: 1}, require: [n < 5], outputs: [y], equations: [\"y = n\"]}\n"
        "  B: {extends: A, parameters: {n: 9}}\ncomponents: {b: {type: B}}\n";
    EXPECT_THAT(test::errors_in(text), ElementsAre("BG-M095"));
    EXPECT_THAT(test::errors_in("parameters: {n: 1}\nrequire: [n > 3]\ncomponents: {c: {type: Constant, k: n}}\n"),
                ElementsAre("BG-M095"))
        << "of the model itself";
}

TEST(Requirements, NameParametersOnly) {
    EXPECT_THAT(errors_of_required("n: 1", "[y > n]"), ElementsAre("BG-M095"));
    EXPECT_THAT(errors_of_required("n: 2", "[n]"), ElementsAre("BG-M095")) << "no condition";
    EXPECT_THAT(errors_of_required("n: 2", "[m > 1]"), ElementsAre("BG-X001"));
}

// What is solved for at the start is looked at then.
TEST(Requirements, HoldForFreeParameters) {
    const auto text = [](const std::string& at_most) {
        return "parameters: {K: {value: 100 N/m, free: true}, most: " + at_most +
               "}\nrequire: [K < most]\ncomponents:\n  weight: {type: Se, e: 9.81 N}\n  motion: {type: 1}\n"
               "  mass: {type: I, I: 1 kg, initial: {f: 0 m/s}}\n  spring: {type: C, K: K, initial: {q: 2 cm}}\n"
               "bonds: [weight -> motion, motion -> mass, motion -> spring]\ninitial: [der(mass.p) = 0]\n";
    };
    EXPECT_THAT(test::errors_in(text("500 N/m")), IsEmpty());
    EXPECT_THAT(test::errors_in(text("400 N/m")), ElementsAre("BG-I006"));
}

TEST(WholeNumbers, AreAskedFor) {
    EXPECT_THAT(errors_of_required("n: {whole: true}", "[]", "n: 3"), IsEmpty());
    EXPECT_THAT(errors_of_required("n: {whole: true}", "[]", "n: 2.5"), ElementsAre("BG-M013"));
    EXPECT_THAT(errors_of_required("n: {whole: true}", "[]", "n: 0.1*30"), IsEmpty()) << "but for rounding";
    EXPECT_THAT(errors_of_required("n: {whole: true}", "[]", "n: [1, 2.5]"), ElementsAre("BG-M013"));
    EXPECT_EQ(test::message_of([] { Pipeline(model_of_required("n: {whole: true}", "[]", "n: 5/2")).graph(); }),
              "'n' must be a whole number, it is 5/2 = 2.5");
    EXPECT_THAT(errors_of_required("n: {whole: true, value: 1, free: true}", "[]"), ElementsAre("BG-M043"));
}

// The size of an array that follows from it is not reported as well.
TEST(WholeNumbers, DecideSizesOfArrays) {
    const std::string text =
        "types:\n  Row:\n    parameters: {n: {whole: true, min: 1}}\n    outputs: [y]\n"
        "    components:\n      c[n]: {type: Constant, k: i}\n    signals: [\"c[1].y -> y\"]\n";
    EXPECT_THAT(test::errors_in(text + "components: {r: {type: Row, n: 2}}\n"), IsEmpty());
    EXPECT_THAT(test::errors_in(text + "components: {r: {type: Row, n: 2.5}}\n"), ElementsAre("BG-M013"));
    EXPECT_THAT(test::errors_in(text + "components: {r: {type: Row, n: -1}}\n"), ElementsAre("BG-M013"));
}

}  // namespace
}  // namespace bondgraph
