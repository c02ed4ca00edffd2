// Places that the file gives.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "bondgraph/drawing/draw.hpp"
#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/io/load_model.hpp"
#include "tests/drawing/flaws.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

io::ReadModel read(const std::string& text) {
    SourceMap sources;
    return io::read_model_text("model: m\n" + text, "m.yaml", sources, [](const auto&) { return io::TextFile{}; });
}

Picture picture_of_layout(const std::string& text) {
    const io::ReadModel model = read(text);
    PictureOptions options;
    options.layout = model.layout;
    return picture_of_model(model.model, options);
}

std::vector<std::string> mistakes_in(const std::string& text) {
    std::vector<std::string> lines;
    const io::ReadModel model = read(text);
    for (const Diagnostic& d : model.diagnostics.items()) lines.push_back(d.code + " " + d.message);
    return lines;
}

class Places {
   public:
    explicit Places(const std::string& text) : picture_(picture_of_layout(text)), layout_(lay_out(picture_)) {
        EXPECT_THAT(flaws_of(picture_, layout_, draw(picture_, layout_, theme_named(ThemeName::colour))),
                    testing::IsEmpty());
        for (std::size_t i = 0; i < layout_.nodes.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k)
                EXPECT_FALSE(overlap(layout_.nodes[i], layout_.nodes[k]))
                    << picture_.nodes[i].name << " and " << picture_.nodes[k].name;
        }
    }
    Point operator()(const char* name) const { return layout_.nodes[node_named(picture_, name)].centre; }

   private:
    Picture picture_;
    Layout layout_;
};

// A chain of four with an element more on each junction; `places` of source, first, second and load.
std::string chain(const std::string& source, const std::string& first, const std::string& second,
                  const std::string& load, const std::string& more = "") {
    return "components:\n  s: {type: Se, e: 1" + source + "}\n  a: {type: 1" + first + "}\n  b: {type: 0" + second +
           "}\n  r: {type: R, R: 1" + load +
           "}\n  l: {type: I, I: 1}\n  c: {type: C, C: 1}\nbonds: [s -> a, a -> b, b -> r, a -> l, b -> c]\n" + more;
}

TEST(WrittenLayout, ComponentsStandWhereTheFilePutsThem) {
    const Places at(chain(", at: [0, 0]", ", at: [1, 0]", ", at: [1, 2]", ", at: [3, 2]"));
    // Steps are equally long to the right and upwards; y points down on paper.
    const double step = at("a").x - at("s").x;
    EXPECT_GT(step, 0.0);
    EXPECT_NEAR(at("a").y, at("s").y, 1e-9);
    EXPECT_NEAR(at("b").x, at("a").x, 1e-9);
    EXPECT_NEAR(at("b").y, at("a").y - 2 * step, 1e-9);
    EXPECT_NEAR(at("r").x, at("b").x + 2 * step, 1e-9);
}

TEST(WrittenLayout, PlacesCountedFromElsewhereAreTheSame) {
    const Places here(chain(", at: [0, 0]", ", at: [1, 0]", ", at: [2, 1]", ", at: [3, 1]"));
    const Places there(chain(", at: [-7, 40]", ", at: [-6, 40]", ", at: [-5, 41]", ", at: [-4, 41]"));
    for (const char* name : {"a", "b", "r", "l", "c"}) {
        EXPECT_NEAR(here(name).x - here("s").x, there(name).x - there("s").x, 1e-9) << name;
        EXPECT_NEAR(here(name).y - here("s").y, there(name).y - there("s").y, 1e-9) << name;
    }
}

TEST(WrittenLayout, WhatHasNoPlaceStandsBesideOrHangsOnWhatHasOne) {
    const Places at(chain("", ", at: [0, 0]", ", at: [0, -1]", ""));
    EXPECT_NEAR(at("a").x, at("b").x, 1e-9);
    EXPECT_LT(at("a").y, at("b").y);
}

TEST(WrittenLayout, AQuarterTurnBringsWhatHangsBelowToTheRight) {
    const Places level(chain("", "", "", ""));
    EXPECT_NEAR(level("l").x, level("a").x, 0.1);
    EXPECT_GT(level("l").y, level("a").y);
    const Places turned(chain("", ", turn: 90", "", ""));
    EXPECT_GT(turned("l").x, turned("a").x);
    EXPECT_NEAR(turned("l").y, turned("a").y, 0.1);
    const Places back(chain("", ", turn: -180", "", ""));
    EXPECT_NEAR(back("l").x, back("a").x, 0.1);
    EXPECT_LT(back("l").y, back("a").y);
}

TEST(WrittenLayout, RowsStandBelowEachOtherAndReadFromLeftToRight) {
    const Places at(chain("", "", "", "", "layout: {rows: [[s, a], [r, b]]}\n"));
    EXPECT_LT(at("s").x, at("a").x);
    EXPECT_NEAR(at("s").y, at("a").y, 1e-9);
    EXPECT_LT(at("r").x, at("b").x);
    EXPECT_NEAR(at("r").y, at("b").y, 1e-9);
    EXPECT_LT(at("s").y, at("r").y);
}

TEST(WrittenLayout, ARingRunsClockwiseFromTheTop) {
    const Places at(chain("", "", "", "", "layout: {rings: [[r, a, b]]}\n"));
    EXPECT_LT(at("r").y, at("a").y);
    EXPECT_GT(at("a").x, at("b").x);
    EXPECT_NEAR(at("a").y, at("b").y, 1e-9);
    EXPECT_NEAR(length(at("r") - at("a")), length(at("a") - at("b")), 1e-6);
}

TEST(WrittenLayout, IsNoPartOfThePhysics) {
    const io::ReadModel plain = read(chain("", "", "", ""));
    const io::ReadModel placed =
        read(chain(", at: [0, 0], turn: 90", ", at: [1, 0]", "", "", "layout: {rows: [[b, r]]}\n"));
    ASSERT_FALSE(placed.diagnostics.has_errors());
    for (std::size_t i = 0; i < plain.model.body.components.size(); ++i)
        EXPECT_EQ(plain.model.body.components[i].settings.size(), placed.model.body.components[i].settings.size());
}

// Values that components give, as "name.key = value".
std::vector<std::string> settings_in(const model::Body& body) {
    std::vector<std::string> lines;
    for (const model::ComponentDeclaration& c : body.components) {
        for (const model::Setting& s : c.settings)
            lines.push_back(c.name.text + "." + s.key.text + " = " + s.value.scalar.text + (s.free ? " (free)" : ""));
    }
    return lines;
}

// A type with parameters and inputs that have the names of places.
const std::string kTimer =
    "{Timer: {ports: {p: {domain: electrical}}, parameters: {at: {unit: s}}, inputs: {turn: {}}, "
    "equations: [p.e = if time > at then turn else 0]}";

TEST(WrittenLayout, ParametersAndInputsOfOwnTypesMayHaveTheNamesOfPlaces) {
    const std::string components =
        "components: {t: {type: Timer, at: 2 s, turn: 4}, u: {type: Timer, turn: 5, at: {value: 3 s, free: true}}, "
        "r: {type: R, at: [3, 1], R: 1 ohm}}\n";
    const std::vector<std::string> values{"t.at = 2 s", "t.turn = 4", "u.turn = 5", "u.at = 3 s (free)", "r.R = 1 ohm"};
    for (const std::string& text : {components + "types: " + kTimer + "}\n", "types: " + kTimer + "}\n" + components}) {
        const io::ReadModel read_in = read(text);
        EXPECT_THAT(read_in.diagnostics.items(), testing::IsEmpty());
        EXPECT_EQ(settings_in(read_in.model.body), values);
        ASSERT_EQ(read_in.layout.places.size(), 1U);
        EXPECT_EQ(read_in.layout.places[0].component.text, "r");
    }
    SourceMap sources;
    const io::ReadModel imported =
        io::read_model_text("model: m\nimport: [timers.yaml]\n" + components, "m.yaml", sources,
                            [](const auto&) { return io::TextFile{.text = "types: " + kTimer + "}\n"}; });
    EXPECT_THAT(imported.diagnostics.items(), testing::IsEmpty());
    EXPECT_EQ(settings_in(imported.model.body), values);
}

TEST(WrittenLayout, PartsOfTypesGiveValuesToSuchParametersAndHaveNoPlace) {
    const std::string two = "types: " + kTimer + ", Two: {ports: {p: {domain: electrical}}, bonds: [p -> t.p], ";
    const io::ReadModel read_in =
        read(two + "components: {t: {type: Timer, at: 2 s, turn: 1}}}}\ncomponents: {x: {type: Two}}\n");
    EXPECT_THAT(read_in.diagnostics.items(), testing::IsEmpty());
    EXPECT_EQ(settings_in(read_in.model.types[1].body), (std::vector<std::string>{"t.at = 2 s", "t.turn = 1"}));
    EXPECT_THAT(mistakes_in(two + "components: {t: {type: Timer, at: 2 s, turn: 1}, r: {type: R, R: 1, turn: 90}}}}\n" +
                            "components: {x: {type: Two, at: [1, 1]}}\n"),
                testing::ElementsAre("BG-M071 'r' is part of a type: it can't be placed"));
}

// A type of one's own may have the name of one of the catalogue.
TEST(WrittenLayout, AnOwnTypeOfTheNameOfAnotherDecides) {
    const io::ReadModel read_in = read(
        "types: {R: {ports: {p: {domain: electrical}}, parameters: {at: 1}, equations: [p.e = at*p.f]}}\n"
        "components: {r: {type: R, at: 2}}\n");
    EXPECT_THAT(read_in.diagnostics.items(), testing::IsEmpty());
    EXPECT_THAT(read_in.layout.places, testing::IsEmpty());
}

TEST(WrittenLayout, WhereTheTypeCantBeReadNothingIsSaidOfItsKeys) {
    SourceMap sources;
    const io::ReadModel read_in =
        io::read_model_text("model: m\nimport: [x.yaml]\ncomponents: {t: {type: Timer, at: 2 s}}\n", "m.yaml", sources,
                            [](const auto&) { return io::TextFile{.failure = "no such file"}; });
    ASSERT_EQ(read_in.diagnostics.items().size(), 1U);
    EXPECT_EQ(read_in.diagnostics.items()[0].code, "BG-M022");
}

TEST(WrittenLayout, TheOrderOfLinesChangesNoPlace) {
    std::vector<std::string> lines{"  s: {type: Se, e: 1, at: [0, 0]}\n", "  a: {type: 1, at: [1.5, 0], turn: 90}\n",
                                   "  b: {type: 0, at: [1, 2]}\n",        "  r: {type: R, R: 1, at: [3, 1]}\n",
                                   "  l: {type: I, I: 1, at: [-1, 1]}\n", "  c: {type: C, C: 1, at: [2, -1]}\n"};
    std::vector<std::string> bonds{"s -> a", "a -> b", "b -> r", "a -> l", "b -> c"};
    std::mt19937 random(7);
    std::map<std::string, Point> first;
    for (int i = 0; i < 20; ++i) {
        std::string text = "components:\n";
        for (const std::string& line : lines) text += line;
        const Places at(text + "bonds: [" + fmt::format("{}", fmt::join(bonds, ", ")) + "]\n");
        for (const char* name : {"a", "b", "r", "l", "c"}) {
            const Point from = at(name) - at("s");
            const Point same = first.emplace(name, from).first->second;
            EXPECT_NEAR(from.x, same.x, 1e-9) << name;
            EXPECT_NEAR(from.y, same.y, 1e-9) << name;
        }
        std::shuffle(lines.begin(), lines.end(), random);
        std::shuffle(bonds.begin(), bonds.end(), random);
    }
}

// `Places` looks for boxes on boxes, lines through boxes and hidden strokes.
TEST(WrittenLayout, NothingLiesOnAnythingWhereverThingsAreThrown) {
    std::mt19937 random(11);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int i = 0; i < 100; ++i) {
        const int n = 3 + below(8);
        std::set<std::pair<int, int>> taken;
        std::string text = "components:\n";
        std::string bonds;
        for (int k = 0; k < n; ++k) {
            std::pair<int, int> place{below(7), below(7)};
            while (!taken.insert(place).second) place = {below(7), below(7)};
            const bool placed = below(4) > 0;
            text += fmt::format(
                "  j{}: {{type: {}{}}}\n", k, k % 2,
                placed ? fmt::format(", at: [{}, {}], turn: {}", place.first / 2.0, place.second / 2.0, 90 * below(4))
                       : "");
            if (k > 0) bonds += fmt::format("j{} -> j{}, ", k % 2 == 0 ? k - 1 : 2 * below((k + 1) / 2), k);
            for (int e = below(3); e > 0; --e) {
                text += fmt::format("  r{}_{}: {{type: R, R: {} ohm}}\n", k, e, 1 + below(1000));
                bonds += fmt::format("j{} -> r{}_{}, ", k, k, e);
            }
        }
        SCOPED_TRACE(text + "bonds: [" + bonds + "]\n");
        const Places at(text + "bonds: [" + bonds + "]\n");
    }
}

TEST(WrittenLayout, MistakesOfFormSayWhatIsMeant) {
    for (const char* place : {", at: 3", ", at: [1]", ", at: [1, 2, 3]", ", at: [1 m, 2]", ", at: [nan, 0]",
                              ", at: [x, 0]", ", at: [1e300, 0]", ", at: [1001, 0]", ", at: {x: 1, y: 2}", ", at: "}) {
        EXPECT_THAT(mistakes_in(chain(place, "", "", "")),
                    testing::ElementsAre("BG-M071 'at' is a place in the drawing: two numbers without units, "
                                         "from -1000 to 1000"))
            << place;
    }
    for (const char* turn : {", turn: 45", ", turn: left", ", turn: [90]", ", turn: 90 deg"}) {
        EXPECT_THAT(mistakes_in(chain(turn, "", "", "")),
                    testing::ElementsAre("BG-M071 'turn' is 90, 180 or 270, in degrees without a unit"))
            << turn;
    }
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: {rings: [[s, a]]}\n")),
                testing::ElementsAre("BG-M071 an entry of 'rings' is a list of at least 3 components"));
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: {rows: [s, a]}\n")),
                testing::ElementsAre("BG-M071 an entry of 'rows' is a list of components",
                                     "BG-M071 an entry of 'rows' is a list of components"));
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: {columns: [[s, a]]}\n")),
                testing::ElementsAre("BG-M036 unknown key 'columns' in 'layout'"));
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: [[s, a]]\n")),
                testing::ElementsAre("BG-M037 'layout' takes a map, not a list"));
    EXPECT_THAT(
        mistakes_in("types: {T: {ports: {p: {domain: electrical}}, components: {r: {type: R, R: 1, at: [0, 0]}}, "
                    "bonds: [p -> r]}}\n" +
                    chain("", "", "", "")),
        testing::ElementsAre("BG-M071 'r' is part of a type: it can't be placed"));
}

TEST(WrittenLayout, EveryComponentHasOnePlaceAndEveryPlaceOneComponent) {
    EXPECT_THAT(mistakes_in(chain(", at: [1, 1]", ", at: [1, 1.0]", "", "")),
                testing::ElementsAre("BG-M072 'a' would lie on 's': their places are less than 0.1 apart"));
    EXPECT_THAT(mistakes_in(chain(", at: [0.3, 1]", ", at: [0.2, 1.0]", ", at: [0.3, 1.1]", ", at: [0.25, 1.15]")),
                testing::ElementsAre("BG-M072 'r' would lie on 'b': their places are less than 0.1 apart"));
    EXPECT_THAT(mistakes_in(chain(", at: [1, 1]", "", "", "", "layout: {rows: [[a, s]]}\n")),
                testing::ElementsAre("BG-M072 's' has two places"));
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: {rows: [[a, b, a]]}\n")),
                testing::ElementsAre("BG-M072 'a' has two places"));
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: {rings: [[a, l, s.x]]}\n")),
                testing::ElementsAre("BG-M072 's.x' is a part of 's': it can't be placed"));
    EXPECT_THAT(mistakes_in(chain("", "", "", "", "layout: {rows: [[a, q]]}\n")),
                testing::ElementsAre(testing::StartsWith("BG-M072 'q' under 'layout' is no component of the model")));
}

}  // namespace
}  // namespace bondgraph::drawing
