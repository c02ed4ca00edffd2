// What the loader says about wrong files: one test for each code and way to get it, on the full text.

#include <gtest/gtest.h>

#include <string>

#include "bondgraph/io/load_model.hpp"

namespace bondgraph::io {
namespace {

/// All that is said about a text, without the excerpts of the file.
std::string mistakes(const std::string& text) {
    SourceMap sources;
    try {
        load_model_text(text, "m.yaml", sources);
    } catch (const ModelError& error) {
        std::string said;
        for (const Diagnostic& d : error.diagnostics()) {
            said += std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " + d.code + " " +
                    d.message + "\n";
            for (const DiagnosticNote& note : d.notes) said += "  " + note.label + ": " + note.text + "\n";
        }
        return said;
    }
    return "none";
}

const std::string kHeadOfMistakes = "model: m\ncomponents: {a: {type: R}}\n";

TEST(LoadMistakes, AreShownWithTheLine) {
    SourceMap sources;
    try {
        load_model_text("model: m\ncompnents: {}\ncomponents:\n", "m.yaml", sources);
        FAIL() << "the unknown key was accepted";
    } catch (const ModelError& error) {
        ASSERT_EQ(error.diagnostics().size(), 1U);
        EXPECT_EQ(render(error.diagnostics()[0], sources),
                  "m.yaml:2:1: error: unknown key 'compnents' in the model; did you mean 'components'? [BG-M036]\n"
                  "    2 | compnents: {}\n"
                  "      | ^\n");
    }
}

TEST(LoadMistakes, ANameMustBeUsableInExpressions) {
    EXPECT_EQ(mistakes("model: m\ncomponents: {R.1: {type: R}, 2a: {type: R}, a b: {type: R}, 'x[1': {type: R}, '': "
                       "{type: R}}\n"),
              "2:14 BG-M017 'R.1' can't be the name of a component: it contains '.'\n"
              "  because: a name consists of letters, digits and '_' and must be usable in expressions\n"
              "2:30 BG-M017 '2a' can't be the name of a component: it begins with a digit\n"
              "  because: a name consists of letters, digits and '_' and must be usable in expressions\n"
              "2:45 BG-M017 'a b' can't be the name of a component: it contains a space\n"
              "  because: a name consists of letters, digits and '_' and must be usable in expressions\n"
              "2:61 BG-M017 'x[1' can't be the name of a component: it contains '['\n"
              "  because: a name consists of letters, digits and '_' and must be usable in expressions\n"
              "2:79 BG-M017 '' can't be the name of a component: it is empty\n"
              "  because: a name consists of letters, digits and '_' and must be usable in expressions\n");
}

TEST(LoadMistakes, AReservedWordIsNoName) {
    const std::string because =
        "\n  because: a name consists of letters, digits and '_' and must be usable in expressions\n";
    const auto refused = [&](const std::string& name) {
        return mistakes("model: m\ncomponents: {" + name + ": {type: R}}\n");
    };
    EXPECT_EQ(refused("time"),
              "2:14 BG-M017 'time' can't be the name of a component: in expressions it means the time" + because);
    EXPECT_EQ(refused("pi"),
              "2:14 BG-M017 'pi' can't be the name of a component: in expressions it means the number π" + because);
    EXPECT_EQ(
        refused("der"),
        "2:14 BG-M017 'der' can't be the name of a component: in expressions it means the time derivative" + because);
    for (const std::string word : {"and", "or", "not", "if", "then", "else", "elseif", "true", "false"}) {
        EXPECT_EQ(refused(word), "2:14 BG-M017 '" + word +
                                     "' can't be the name of a component: it is a word of the expression language" +
                                     because);
    }
    EXPECT_EQ(refused("times"), "none");
}

TEST(LoadMistakes, EveryKindOfNameIsChecked) {
    const std::string text =
        kHeadOfMistakes +
        "parameters: {p.1: 1}\nbonds: [b.1: a -> c]\ntypes:\n  T.1:\n    equations: [x = 1]\n    parameters: {q.1: 1}\n"
        "    ports: {r.1: }\n    inputs: [s.1]\n    outputs: [t.1]\n    variables: {u.1: }\n";
    const std::string said = mistakes(text);
    for (const char* part : {"'p.1' can't be the name of a parameter:", "'b.1' can't be the name of a bond:",
                             "'T.1' can't be the name of a type:", "'q.1' can't be the name of a parameter:",
                             "'r.1' can't be the name of a port:", "'s.1' can't be the name of an input:",
                             "'t.1' can't be the name of an output:", "'u.1' can't be the name of a variable:"})
        EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
}

TEST(LoadMistakes, AParameterOfATypeMustNotHideAKeyOfItsComponents) {
    EXPECT_EQ(
        mistakes(
            kHeadOfMistakes +
            "parameters: {size: 1}\ntypes: {T: {equations: [x = 1], parameters: {size: 1}, inputs: {domain: }}}\n"),
        "4:46 BG-M017 'size' can't be the name of a parameter of a type: every component has a key 'size:'\n"
        "4:65 BG-M017 'domain' can't be the name of an input: every component has a key 'domain:'\n");
}

TEST(LoadMistakes, NamesInATypeMustBeTellable) {
    EXPECT_EQ(
        mistakes(
            kHeadOfMistakes +
            "types:\n  T:\n    equations: [x = 1]\n    parameters: {x: 1}\n    outputs: [y, y]\n    variables: {x: }\n"
            "    ports: {p: }\n    components: {p: {type: R}}\n"),
        "7:18 BG-M017 type 'T' has an output 'y' and an output of that name\n"
        "8:17 BG-M017 type 'T' has a parameter 'x' and a variable of that name\n"
        "10:18 BG-M017 type 'T' has a port 'p' and a component of that name\n");
}

TEST(LoadMistakes, ATypeDeclaredTwiceIsADuplicateKey) {
    EXPECT_EQ(mistakes(kHeadOfMistakes + "types:\n  T: {equations: [x = 1]}\n  T: {equations: [x = 1]}\n"),
              "5:3 BG-Y002 the key 'T' is given twice\n  where: first given at line 4\n");
}

TEST(LoadMistakes, AModelNeedsANameAndComponents) {
    EXPECT_EQ(mistakes("bonds: []\n"),
              "1:1 BG-M030 the model has no name: 'model:' is missing\n"
              "  try: begin the file with 'model: name'\n"
              "1:1 BG-M030 the model has no components: 'components:' is missing\n");
    EXPECT_EQ(mistakes("model: lib\ntypes: {T: {equations: [x = 1]}}\n"),
              "1:1 BG-M030 the model has no components: 'components:' is missing\n"
              "  because: a file of types alone is for other models to import\n");
}

TEST(LoadMistakes, AConnectionIsAListOfConnectors) {
    EXPECT_EQ(mistakes(kHeadOfMistakes + "connect:\n  - a.p\n  - [a.p]\n  - [a.p, b.p]\n"),
              "4:5 BG-M033 an entry of 'connect' is a list of connectors that are joined to each other\n"
              "  try: write '- [a.frame_b, b.frame_a]', or '- a.frame_b -- b.frame_a'\n"
              "5:5 BG-M033 an entry of 'connect' is a list of connectors that are joined to each other\n"
              "  try: write '- [a.frame_b, b.frame_a]', or '- a.frame_b -- b.frame_a'\n");
}

TEST(LoadMistakes, AJointHasCoordinatesAndMotions) {
    EXPECT_EQ(mistakes(kHeadOfMistakes +
                       "types:\n  T:\n    joint: {coordinates: {phi: deg}, motion: [{rotate: {angle: phi}}]}\n"),
              "5:32 BG-M056 a coordinate is in rad or in m, not in 'deg'\n"
              "5:47 BG-M056 a motion is a rotation with axis and angle, or a translation\n"
              "  try: write {rotate: {axis: [0, 0, 1], angle: phi}} or {translate: [s, 0, 0]}\n");
    EXPECT_EQ(mistakes(kHeadOfMistakes +
                       "types:\n  T:\n    joint: {coordinates: {phi: rad}, motion: [{rotate: [0, 0, 1]}]}\n"),
              "5:56 BG-M037 'rotate' takes a map, not a list\n"
              "  try: write 'rotate: {axis: [0, 0, 1], angle: phi}'\n");
    EXPECT_EQ(mistakes(kHeadOfMistakes + "types: {T: {joint: {coordinates: {s: m}}}}\n"),
              "3:9 BG-M056 joint 'T' needs 'coordinates:' and 'motion:'\n");
}

TEST(LoadMistakes, AComponentNeedsAType) {
    EXPECT_EQ(mistakes("model: m\ncomponents:\n  x: {R: 1}\n  y:\n"),
              "3:3 BG-M032 component 'x' has no 'type:'\n"
              "  try: write 'x: {type: R, R: 10 ohm}'; 'bondgraph types' lists all types\n"
              "4:3 BG-M032 component 'y' has no 'type:'\n"
              "  try: write 'y: {type: R, R: 10 ohm}'; 'bondgraph types' lists all types\n");
}

TEST(LoadMistakes, ABondHasOneForwardArrow) {
    EXPECT_EQ(
        mistakes(kHeadOfMistakes + "bonds:\n  - a b\n  - a <- b\n  - a ← b\n  - a -- b\n  - a => b\n  - a -> b -> c\n"),
        "4:5 BG-M033 'a b' has no arrow\n"
        "  try: write one bond per line: 'a -> b'\n"
        "5:5 BG-M033 the arrow of 'a <- b' points backwards\n"
        "  because: only '->' is an arrow\n"
        "  try: write 'b -> a'\n"
        "6:5 BG-M033 the arrow of 'a ← b' points backwards\n"
        "  because: only '->' is an arrow\n"
        "  try: write 'b -> a'\n"
        "7:5 BG-M033 'a -- b' has no arrow\n"
        "  because: the arrow '->' gives the direction of positive power\n"
        "  try: write one bond per line: 'a -> b'\n"
        "8:5 BG-M033 'a => b' has no arrow\n"
        "  because: the arrow '->' gives the direction of positive power\n"
        "  try: write one bond per line: 'a -> b'\n"
        "9:5 BG-M033 'a -> b -> c' has 2 arrows\n"
        "  try: write one bond per line: 'a -> b'\n");
}

TEST(LoadMistakes, ABondHasTwoNamedEnds) {
    EXPECT_EQ(mistakes(kHeadOfMistakes + "bonds:\n  - '-> b'\n  - a ->\n  - a x -> b\n  - a <-> b\n  - a -> b, c\n"),
              "4:5 BG-M033 '-> b' has nothing before the arrow\n"
              "  try: write one bond per line: 'a -> b'\n"
              "5:5 BG-M033 'a ->' has nothing after the arrow\n"
              "  try: write one bond per line: 'a -> b'\n"
              "6:5 BG-M033 'a x' is not the name of a component or port\n"
              "  try: write one bond per line: 'a -> b'\n"
              "7:5 BG-M033 'a <' is not the name of a component or port\n"
              "  try: write one bond per line: 'a -> b'\n"
              "8:10 BG-M033 'b, c' is not the name of a component or port\n"
              "  try: write one bond per line: 'a -> b'\n");
}

TEST(LoadMistakes, AnEntryOfBondsIsATextOrANamedText) {
    EXPECT_EQ(mistakes(kHeadOfMistakes +
                       "bonds:\n  - [a, b]\n  - {from: a, to: b}\n  - a -> b: x\n  - name:\n  - name: [a, b]\n  -\n"),
              "4:5 BG-M033 an entry of 'bonds' is a text such as 'a -> b', not a list\n"
              "  try: write one bond per line: 'a -> b'\n"
              "5:5 BG-M033 this entry of 'bonds' has 2 keys\n"
              "  try: write one bond per line: 'a -> b', or with a name 'name: a -> b'\n"
              "6:5 BG-M033 there is a ':' after 'a -> b'\n"
              "  try: a bond's name comes first: 'name: a -> b'\n"
              "7:5 BG-M033 an entry of 'bonds' is a text such as 'a -> b', not nothing\n"
              "  try: write one bond per line: 'a -> b'\n"
              "8:11 BG-M033 an entry of 'bonds' is a text such as 'a -> b', not a list\n"
              "  try: write one bond per line: 'a -> b'\n"
              "9:3 BG-M033 an entry of 'bonds' is a text such as 'a -> b', not nothing\n"
              "  try: write one bond per line: 'a -> b'\n");
}

TEST(LoadMistakes, ASignalLeadsToOneInput) {
    EXPECT_EQ(
        mistakes(kHeadOfMistakes +
                 "signals:\n  - a.y\n  - speed: a.y -> b.u\n  - a.y -> b u\n  - a.y -> b.u -> c.u\n  - [a.y, b.u]\n"),
        "4:5 BG-M033 'a.y' has no arrow\n"
        "  try: write one signal per line: 'a.y -> b.u'\n"
        "5:5 BG-M033 a signal has no name, but 'speed' stands before it\n"
        "  try: write one signal per line: 'a.y -> b.u'\n"
        "6:12 BG-M033 'b u' is not the name of an input\n"
        "  try: write one signal per line: 'a.y -> b.u'\n"
        "7:5 BG-M033 'a.y -> b.u -> c.u' has 2 arrows\n"
        "  try: write one signal per line: 'a.y -> b.u'\n"
        "8:5 BG-M033 an entry of 'signals' is a text such as 'a.y -> b.u', not a list\n"
        "  try: write one signal per line: 'a.y -> b.u'\n");
}

TEST(LoadMistakes, ATypeNeedsLawsOrParts) {
    const std::string because = "  because: a type is given by its laws, by its parts, or by both\n";
    EXPECT_EQ(mistakes(kHeadOfMistakes + "types:\n  T: {ports: {p: }}\n  U:\n  V: {equations: [], components: {}}\n"),
              "4:3 BG-M034 type 'T' has neither 'equations:' nor 'components:'\n" + because +
                  "5:3 BG-M034 type 'U' has neither 'equations:' nor 'components:'\n" + because +
                  "6:3 BG-M034 type 'V' has neither 'equations:' nor 'components:'\n" + because);
}

TEST(LoadMistakes, AnExpectedValueNeedsATime) {
    EXPECT_EQ(
        mistakes(kHeadOfMistakes + "expect:\n  - {tolerance: 1, a.f: 2}\n  - {at: 2 s}\n"),
        "4:20 BG-M035 'a.f' is expected at no time: 'at:' is missing\n"
        "  try: say when, as in {at: 2 s, J.f: 235.3}\n"
        "5:5 BG-M035 this entry of 'expect' expects nothing\n"
        "  try: give a result and a time, as in {at: 2 s, J.f: 235.3}, or a fact such as {dependent_storages: 1}\n");
}

TEST(LoadMistakes, UnknownKeysAreNamedWithWhatWasMeant) {
    EXPECT_EQ(mistakes(kHeadOfMistakes +
                       "zzz: 1\nparameters: {k: {units: V}}\nexperiment: {end: 2}\nplots: [{titel: x, y: a.f}]\n"
                       "expect: [{at: 1, a.f: 2, tolerence: 3}]\n"
                       "types: {T: {equation: [x = 1], equations: [x = 1], ports: {p: {dmain: x}}, variables: {x: "
                       "{strat: 1}}}}\n"),
              "3:1 BG-M036 unknown key 'zzz' in the model\n"
              "  try: one of: model, description, parameters, require, components, bonds, connect, signals, "
              "experiment, layout, "
              "outputs, "
              "plots, "
              "expect, when, initial, types, records, connector_types, import\n"
              "4:18 BG-M036 unknown key 'units' in parameter 'k'; did you mean 'unit'?\n"
              "5:14 BG-M036 unknown key 'end' in 'experiment'\n"
              "  try: one of: start, stop, tolerance, interval\n"
              "6:10 BG-M036 unknown key 'titel' in an entry of 'plots'; did you mean 'title'?\n"
              "7:26 BG-M036 unknown key 'tolerence' in an entry of 'expect'; did you mean 'tolerance'?\n"
              "8:13 BG-M036 unknown key 'equation' in type 'T'; did you mean 'equations'?\n"
              "8:64 BG-M036 unknown key 'dmain' in port 'p'; did you mean 'domain'?\n"
              "8:92 BG-M036 unknown key 'strat' in 'x'; did you mean 'start'?\n");
}

TEST(LoadMistakes, SectionsOfTheWrongKindSayWhatTheyTake) {
    EXPECT_EQ(
        mistakes("model: [m]\ndescription: {a: 1}\ncomponents: [a]\nparameters: [p]\nbonds: {b: a -> c}\nsignals: x\n"),
        "1:8 BG-M037 'model' takes a name, not a list\n"
        "2:14 BG-M037 'description' takes a text, not a map\n"
        "3:13 BG-M037 'components' takes a map, not a list\n"
        "  try: write 'name: {type: …}' on each line, without '-'\n"
        "4:13 BG-M037 'parameters' takes a map, not a list\n"
        "  try: write 'name: value' on each line, without '-'\n"
        "5:8 BG-M037 'bonds' takes a list, not a map\n"
        "  try: begin each line with '- ', as in '- a -> b'\n"
        "6:10 BG-M037 'signals' takes a list, not a text\n"
        "  try: begin each line with '- ', as in '- a.y -> b.u'\n");
    EXPECT_EQ(mistakes(kHeadOfMistakes +
                       "experiment: 2 s\noutputs: {a: 1}\nplots: a.f\nexpect: {at: 1}\ntypes: [T]\nimport: {a: [1]}\n"),
              "3:13 BG-M037 'experiment' takes a map, not a text\n"
              "  try: write 'experiment: {stop: 2 s}'\n"
              "4:10 BG-M037 'outputs' takes the name of a result or a list of them, not a map\n"
              "5:8 BG-M037 'plots' takes a list, not a text\n"
              "  try: begin each plot with '- ', as in '- {title: Speed, y: [J.f]}'\n"
              "6:9 BG-M037 'expect' takes a list, not a map\n"
              "  try: begin each entry with '- ', as in '- {at: 2 s, J.f: 235.3}'\n"
              "7:8 BG-M037 'types' takes a map, not a list\n"
              "  try: write 'Name: {ports: …, equations: …}' on each line, without '-'\n"
              "8:13 BG-M037 'a' takes the name of a file, not a list\n");
}

TEST(LoadMistakes, EntriesOfTheWrongKindSayWhatTheyTake) {
    EXPECT_EQ(mistakes(kHeadOfMistakes +
                       "outputs: [a.f, [b]]\nplots: [a.f, {y: }]\nexpect: [x]\nimport: ['', b: [3], [c]]\n"),
              "3:16 BG-M037 an entry of 'outputs' takes the name of a result, not a list\n"
              "4:9 BG-M037 an entry of 'plots' takes a map such as {title: Speed, y: [J.f]}, not a text\n"
              "4:15 BG-M037 'y' has no value\n"
              "5:10 BG-M037 an entry of 'expect' takes a map such as {at: 2 s, J.f: 235.3}, not a text\n"
              "6:10 BG-M037 'import' takes the name of a file, not an empty text\n"
              "6:17 BG-M037 'b' takes the name of a file, not a list\n"
              "6:22 BG-M037 an entry of 'import' takes the name of a file, not a list\n");
}

TEST(LoadMistakes, ComponentsOfTheWrongKindSayWhatTheyTake) {
    EXPECT_EQ(mistakes("model: m\ncomponents:\n  a: R\n  b: {type: [R], G: , initial: 2, domain: [x], doc: [x]}\n"),
              "3:6 BG-M037 'a' takes a map such as {type: R, R: 10 ohm}, not a text\n"
              "4:13 BG-M037 'type' takes the name of a component type, not a list\n"
              "4:18 BG-M037 'G' has no value\n"
              "4:32 BG-M037 'initial' takes a map such as {q: 0 C}, or 'steady', not a number\n"
              "4:43 BG-M037 'domain' takes the name of a domain, not a list\n"
              "4:53 BG-M037 'doc' takes a text, not a list\n");
}

TEST(LoadMistakes, PartsOfATypeOfTheWrongKindSayWhatTheyTake) {
    EXPECT_EQ(
        mistakes(kHeadOfMistakes +
                 "types:\n  T: x\n  U:\n    equations: {a: 1}\n    parameters: {p: }\n    ports: {a: electrical}\n"
                 "    inputs: u\n    outputs: [[y]]\n    variables: {v: {unit: [m]}}\n    energy: [x]\n  V: "
                 "{equations: [x = 1], ports: [p]}\n"),
        "4:6 BG-M037 'T' takes a map, not a text\n"
        "6:16 BG-M037 'equations' takes a text or a list of them, not a map\n"
        "7:18 BG-M037 'p' has no value\n"
        "  try: write 'p: {unit: …}' for a parameter without a default\n"
        "8:16 BG-M037 'a' takes a map such as {domain: electrical}, not a text\n"
        "9:13 BG-M037 'inputs' takes a map or a list of names, not a text\n"
        "10:15 BG-M037 an entry of 'outputs' takes a name, not a list\n"
        "11:27 BG-M037 'unit' takes a unit, not a list\n"
        "12:13 BG-M037 'energy' takes an expression, not a list\n"
        "13:34 BG-M037 'ports' takes a map, not a list\n"
        "  try: write 'ports: {p: {domain: electrical}}'\n");
}

TEST(LoadMistakes, ListsNestTwoDeep) {
    EXPECT_EQ(mistakes("model: m\ncomponents: {a: {type: R, R: [[[1]]]}}\n"),
              "2:32 BG-M037 an entry of 'R' has lists inside lists of lists\n"
              "  because: a vector is a list, a matrix a list of its rows\n");
    EXPECT_EQ(mistakes("model: m\nparameters: {p: }\ncomponents:\n"), "2:14 BG-M037 'p' has no value\n");
}

TEST(LoadMistakes, AFileIsAMap) {
    EXPECT_EQ(mistakes(""),
              "1:1 BG-M037 'm.yaml' is empty\n  try: begin with 'model: name', then 'components:' and 'bonds:'\n");
    EXPECT_EQ(mistakes("- a\n"),
              "1:1 BG-M037 a model file is a map of keys such as 'model:', not a list\n"
              "  try: begin with 'model: name', then 'components:' and 'bonds:'\n");
}

TEST(LoadMistakes, StatesTakesOneOfFiveWords) {
    EXPECT_EQ(
        mistakes("model: m\ncomponents: {a: {type: C, states: alway}}\n"),
        "2:35 BG-M038 'states' is one of always, prefer, default, avoid, never, not 'alway'; did you mean 'always'?\n");
}

TEST(LoadMistakes, APlotShowsSomething) {
    EXPECT_EQ(mistakes(kHeadOfMistakes + "plots: [{title: x}]\n"),
              "3:9 BG-M039 this plot shows nothing: 'y:' is missing\n"
              "  try: name the results it shows, as in {title: Speed, y: [J.f]}\n");
}

TEST(LoadMistakes, ThePortOfATypeHasAKnownDomain) {
    EXPECT_EQ(mistakes(kHeadOfMistakes + "types: {T: {equations: [x = 1], ports: {p: {domain: electric}}}}\n"),
              "3:53 BG-M011 unknown domain 'electric'; did you mean 'electrical'?\n");
}

TEST(LoadMistakes, BrokenYamlHidesWhatWouldFollowFromIt) {
    const std::string said = mistakes("compnents: {a: [}\n");
    EXPECT_NE(said.find("BG-Y001"), std::string::npos) << said;
    EXPECT_EQ(said.find("BG-M"), std::string::npos) << said;
}

TEST(LoadMistakes, ARepeatedKeyHidesNothing) {
    EXPECT_EQ(mistakes("model: m\ncomponents: {a: {type: R}, a: {type: R}}\nzzzz: 1\nbond: []\n"),
              "2:28 BG-Y002 the key 'a' is given twice\n"
              "  where: first given at line 2\n"
              "3:1 BG-M036 unknown key 'zzzz' in the model\n"
              "  try: one of: model, description, parameters, require, components, bonds, connect, signals, "
              "experiment, layout, "
              "outputs, "
              "plots, expect, when, initial, types, records, connector_types, import\n"
              "4:1 BG-M036 unknown key 'bond' in the model; did you mean 'bonds'?\n");
}

}  // namespace
}  // namespace bondgraph::io
