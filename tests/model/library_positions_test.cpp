// Where mistakes in values for parts of the library are told.

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

/// "line code: message (where …)" of all errors, which have to be in the model's own file.
std::vector<std::string> told(const std::string& text) {
    std::vector<std::string> lines;
    try {
        Pipeline(text).graph();
    } catch (const ModelError& e) {
        for (const Diagnostic& d : e.diagnostics()) {
            EXPECT_EQ(d.position.file, 0U) << d.message;
            std::string where;
            for (const DiagnosticNote& note : d.notes) {
                if (note.label == "where") where = " (" + note.text + ")";
            }
            lines.push_back(std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " + d.code +
                            " " + d.message + where);
        }
    }
    return lines;
}

TEST(LibraryPositions, AreThoseOfTheValueGiven) {
    const std::string head = "model: m\nimport: [blocks]\ncomponents:\n  c: {type: Constant, k: 1}\n";
    const std::string tail = "signals: [c.y -> t.u]\n";
    EXPECT_THAT(told(head + "  t: {type: Table1D, x: [0, 1, 1], y: [0, 1, 2]}\n" + tail),
                ElementsAre("5:25 BG-X001 the abscissae of interpolate() must increase "
                            "('value = interpolate(u, x, y)' of Table1D in 't')"));
    EXPECT_THAT(told(head + "  t: {type: Table1D, y: [0, 1, 2], x: [0, 1, 1]}\n" + tail),
                ElementsAre(HasSubstr("5:39 BG-X001 the abscissae")))
        << "wherever it stands";
    EXPECT_THAT(told(head + "  t: {type: Table1D, x: xs, y: [0, 1, 2]}\n" + tail + "parameters: {xs: [0, 1, 1]}\n"),
                ElementsAre(HasSubstr("5:25 BG-X001 the abscissae")))
        << "also where it is named";
}

TEST(LibraryPositions, OfWhatFollowsInRecords) {
    const std::string text =
        "model: m\nimport: [hydraulic]\nparameters:\n  mud: {record: Fluid, vapour: 5 bar}\ncomponents:\n"
        "  r: {type: Reservoir}\n  t: {type: Tank, fluid: mud, area: 1 m2}\nconnect: [[r.port, t.port]]\n";
    EXPECT_THAT(told(text), ElementsAre(HasSubstr("4:32 BG-M013 'air_pressure' must be greater than 0 Pa")));
}

TEST(LibraryPositions, OfSizesAndBoundsInside) {
    EXPECT_THAT(told("model: m\nimport: [filters]\ncomponents:\n  c: {type: Constant, k: 1}\n"
                     "  f: {type: ButterworthFilter, order: 2.5}\nsignals: [c.y -> f.u]\n"),
                ElementsAre("5:39 BG-M013 'order' must be a whole number, it is 2.5"));
}

// Each instance has its own mistake.
TEST(LibraryPositions, OfEachInstance) {
    EXPECT_THAT(told("model: m\nimport: [blocks]\ncomponents:\n  c: {type: Constant, k: 1}\n"
                     "  a: {type: Table1D, x: [1, 0], y: [0, 1]}\n  b: {type: Table1D, x: [0, 1], y: [0, 1]}\n"
                     "  d: {type: Table1D, x: [0, 0], y: [0, 1]}\nsignals: [c.y -> a.u, c.y -> b.u, c.y -> d.u]\n"),
                ElementsAre(HasSubstr("5:25 BG-X001"), HasSubstr("7:25 BG-X001")));
}

}  // namespace
}  // namespace bondgraph
