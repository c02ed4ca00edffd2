#include "bondgraph/base/diagnostic.hpp"

#include <gtest/gtest.h>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph {
namespace {

std::string rendered(std::string text, SourcePosition position) {
    SourceMap sources;
    sources.add("m.yaml", std::move(text));
    return render({Severity::error, "BG-M003", position, "wrong", {}}, sources);
}

TEST(SourceMap, GivesLinesWithoutTheirEndings) {
    SourceMap sources;
    sources.add("a.yaml", "one\r\ntwo\n\nfour");
    EXPECT_EQ(sources.line({0, 1, 1}), "one");
    EXPECT_EQ(sources.line({0, 2, 1}), "two");
    EXPECT_EQ(sources.line({0, 3, 1}), "");
    EXPECT_EQ(sources.line({0, 4, 1}), "four");
}

TEST(SourceMap, HasNoLineWhereThereIsNone) {
    SourceMap sources;
    sources.add("a.yaml", "one");
    EXPECT_EQ(sources.line({0, 2, 1}), "");
    EXPECT_EQ(sources.line({7, 1, 1}), "");
    EXPECT_EQ(sources.line({}), "");
}

TEST(SourceMap, NumbersFilesInTheOrderAdded) {
    SourceMap sources;
    EXPECT_EQ(sources.add("a.yaml", "x"), 0U);
    EXPECT_EQ(sources.add("b.yaml", "y"), 1U);
    EXPECT_EQ(sources.name(1), "b.yaml");
    EXPECT_EQ(sources.text(1), "y");
    EXPECT_EQ(sources.size(), 2U);
}

TEST(SourceMap, HidesTheByteOrderMark) {
    SourceMap sources;
    sources.add("a.yaml", "\xEF\xBB\xBFone");
    EXPECT_EQ(sources.line({0, 1, 1}), "one");
}

TEST(Render, ShowsTheLineTheCaretAndTheNotes) {
    SourceMap sources;
    sources.add("m.yaml", "a: 1\nR: {type: X}\n");
    EXPECT_EQ(render({Severity::error,
                      "BG-M003",
                      {0, 2, 11},
                      "unknown type 'X'",
                      {{"where", "component R"}, {"because", "no such type"}, {"try", "R"}, {"note", "done"}}},
                     sources),
              "m.yaml:2:11: error: unknown type 'X' [BG-M003]\n"
              "    2 | R: {type: X}\n"
              "      |           ^\n"
              "  where:   component R\n"
              "  because: no such type\n"
              "  try:     R\n"
              "  note:    done\n");
}

TEST(Render, SaysWarningAndNote) {
    const SourceMap none;
    EXPECT_EQ(render({Severity::warning, "BG-M001", {}, "odd", {}}, none), "warning: odd [BG-M001]\n");
    EXPECT_EQ(render({Severity::note, "BG-M001", {}, "odd", {}}, none), "note: odd [BG-M001]\n");
}

TEST(Render, LeavesOutWhatIsNotKnown) {
    EXPECT_EQ(rendered("a: 1\n", {}), "error: wrong [BG-M003]\n");
    EXPECT_EQ(rendered("a: 1\n", {0, 1, 0}), "m.yaml:1: error: wrong [BG-M003]\n    1 | a: 1\n");
}

TEST(Render, CountsCharactersNotBytes) {
    EXPECT_EQ(rendered("µΩ°: x\n", {0, 1, 6}), "m.yaml:1:6: error: wrong [BG-M003]\n    1 | µΩ°: x\n      |      ^\n");
}

TEST(Render, KeepsTabsSoThatTheCaretStaysUnderItsColumn) {
    EXPECT_EQ(rendered("\ta:\tx\n", {0, 1, 5}),
              "m.yaml:1:5: error: wrong [BG-M003]\n    1 | \ta:\tx\n      | \t  \t^\n");
}

TEST(Render, PutsTheCaretAtMostBehindTheLine) {
    EXPECT_EQ(rendered("ab\n", {0, 1, 99}), "m.yaml:1:99: error: wrong [BG-M003]\n    1 | ab\n      |   ^\n");
}

TEST(Render, ShowsAWindowOfALongLine) {
    std::string text(1000, 'x');
    text[500] = '!';
    EXPECT_EQ(rendered(text, {0, 1, 501}), "m.yaml:1:501: error: wrong [BG-M003]\n    1 | …" + std::string(80, 'x') +
                                               "!" + std::string(79, 'x') + "…\n      | " + std::string(81, ' ') +
                                               "^\n");
}

TEST(Render, CutsALongLineOnlyWhereItIsCut) {
    EXPECT_EQ(rendered(std::string(161, 'x'), {0, 1, 1}),
              "m.yaml:1:1: error: wrong [BG-M003]\n    1 | " + std::string(160, 'x') + "…\n      | ^\n");
    EXPECT_EQ(rendered(std::string(161, 'x'), {0, 1, 162}), "m.yaml:1:162: error: wrong [BG-M003]\n    1 | …" +
                                                                std::string(160, 'x') + "\n      | " +
                                                                std::string(161, ' ') + "^\n");
    EXPECT_EQ(rendered(std::string(160, 'x'), {0, 1, 1}),
              "m.yaml:1:1: error: wrong [BG-M003]\n    1 | " + std::string(160, 'x') + "\n      | ^\n");
}

TEST(Render, ReplacesBytesThatWouldDisturbATerminal) {
    EXPECT_EQ(rendered("a\x1B[31m\xB5z\n", {0, 1, 8}),
              "m.yaml:1:8: error: wrong [BG-M003]\n    1 | a�[31m�z\n      |        ^\n");
}

TEST(Render, IndentsTheFurtherLinesOfANote) {
    const SourceMap none;
    EXPECT_EQ(render({Severity::error, "BG-C001", {}, "loop", {{"where", "a\nb"}}}, none),
              "error: loop [BG-C001]\n  where:   a\n           b\n");
}

TEST(Diagnostics, ThrowOnlyForErrors) {
    Diagnostics diagnostics;
    diagnostics.warning("BG-M001", {}, "odd");
    diagnostics.note("BG-M002", {}, "so");
    EXPECT_FALSE(diagnostics.has_errors());
    EXPECT_NO_THROW(diagnostics.throw_if_errors());
}

TEST(Diagnostics, ThrowEverythingInFileOrder) {
    Diagnostics diagnostics;
    diagnostics.error("E", {1, 1, 1}, "other file");
    diagnostics.warning("W", {0, 2, 5}, "later column");
    diagnostics.error("E", {0, 2, 1}, "first of two at one place");
    diagnostics.note("N", {0, 2, 1}, "second of two at one place");
    diagnostics.error("E", {0, 1, 9}, "line one");
    try {
        diagnostics.throw_if_errors();
        FAIL() << "nothing thrown";
    } catch (const ModelError& error) {
        std::vector<std::string> messages;
        for (const auto& diagnostic : error.diagnostics()) messages.push_back(diagnostic.message);
        EXPECT_EQ(messages, (std::vector<std::string>{"line one", "first of two at one place",
                                                      "second of two at one place", "later column", "other file"}));
        EXPECT_STREQ(error.what(), "line one [E] (and 2 more)");
    }
}

TEST(Diagnostics, CountTheErrorsAppended) {
    Diagnostics first;
    first.error("E", {}, "a");
    first.warning("W", {}, "b");
    Diagnostics second;
    second.append(first.items());
    EXPECT_EQ(second.error_count(), 1U);
    EXPECT_EQ(second.items().size(), 2U);
}

TEST(Utf8, AcceptsOnlyWellFormedCharacters) {
    EXPECT_EQ(utf8_length("a", 0), 1U);
    EXPECT_EQ(utf8_length("µ", 0), 2U);
    EXPECT_EQ(utf8_length("…", 0), 3U);
    EXPECT_EQ(utf8_length("\U0001F50B", 0), 4U);
    for (const char* broken : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\xC3"})
        EXPECT_EQ(utf8_length(broken, 0), 0U);
    EXPECT_EQ(utf8_length("a", 1), 0U);
    EXPECT_EQ(utf8_count("aµ\xFF…"), 4U);
}

}  // namespace
}  // namespace bondgraph
