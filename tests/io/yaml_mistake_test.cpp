#include <gtest/gtest.h>

#include <string>

#include "bondgraph/io/yaml_tree.hpp"

namespace bondgraph::io {
namespace {

/// Everything a user would see for that file.
std::string report(const std::string& text) {
    SourceMap sources;
    sources.add("m.yaml", text);
    Diagnostics diagnostics;
    parse_yaml(text, 0, diagnostics);
    std::string result;
    for (const Diagnostic& diagnostic : diagnostics.items()) result += render(diagnostic, sources);
    return result;
}

TEST(YamlMistake, ATabInIndentation) {
    EXPECT_EQ(report("a:\n\tb: 1\n"),
              "m.yaml:2:1: error: this line is indented with a tab [BG-Y001]\n"
              "    2 | \tb: 1\n"
              "      | ^\n"
              "  because: YAML allows only spaces in front of a line\n"
              "  try:     replace the tab by two spaces (most editors can do so for the whole file)\n");
}

TEST(YamlMistake, ATabBeforeAListItem) {
    EXPECT_EQ(report("a:\n  - x\n\t- y\n"),
              "m.yaml:3:1: error: this line is indented with a tab [BG-Y001]\n"
              "    3 | \t- y\n"
              "      | ^\n"
              "  because: YAML allows only spaces in front of a line\n"
              "  try:     replace the tab by two spaces (most editors can do so for the whole file)\n");
}

TEST(YamlMistake, ATabBehindSpacesOfASecondKey) {
    EXPECT_EQ(report("a:\n  b: 1\n\tc: 2\n"),
              "m.yaml:3:1: error: this line is indented with a tab [BG-Y001]\n"
              "    3 | \tc: 2\n"
              "      | ^\n"
              "  because: YAML allows only spaces in front of a line\n"
              "  try:     replace the tab by two spaces (most editors can do so for the whole file)\n");
}

TEST(YamlMistake, OnlyTheFirstOfManyTabs) {
    EXPECT_EQ(report("a:\n\t- x\n\t- y\nb:\n\tc: 1\n"),
              "m.yaml:2:1: error: this line is indented with a tab [BG-Y001]\n"
              "    2 | \t- x\n"
              "      | ^\n"
              "  because: YAML allows only spaces in front of a line\n"
              "  try:     replace the tab by two spaces (most editors can do so for the whole file)\n");
}

TEST(YamlMistake, AMissingSpaceBehindAColon) {
    EXPECT_EQ(report("a: 1\nb:2\nc: 3\n"),
              "m.yaml:2:2: error: a space is missing after ':' [BG-Y001]\n"
              "    2 | b:2\n"
              "      |  ^\n"
              "  because: YAML reads 'b:2' as one text\n"
              "  try:     write 'b: 2'\n");
}

TEST(YamlMistake, AMissingSpaceBehindTheLastColon) {
    EXPECT_EQ(report("a: 1\nb:2\n"),
              "m.yaml:2:2: error: a space is missing after ':' [BG-Y001]\n"
              "    2 | b:2\n"
              "      |  ^\n"
              "  because: YAML reads 'b:2' as one text\n"
              "  try:     write 'b: 2'\n");
}

TEST(YamlMistake, AMissingSpaceInTheOnlyLine) {
    EXPECT_EQ(report("a:1\n"),
              "m.yaml:1:2: error: a space is missing after ':' [BG-Y001]\n"
              "    1 | a:1\n"
              "      |  ^\n"
              "  because: YAML reads 'a:1' as one text\n"
              "  try:     write 'a: 1'\n");
}

TEST(YamlMistake, AMissingSpaceInsideBraces) {
    EXPECT_EQ(report("R: {type: R, R:10}\n"),
              "m.yaml:1:15: error: a space is missing after ':' [BG-Y001]\n"
              "    1 | R: {type: R, R:10}\n"
              "      |               ^\n"
              "  because: YAML reads 'R:10' as one text\n"
              "  try:     write 'R: 10'\n");
}

TEST(YamlMistake, AMissingColon) {
    EXPECT_EQ(report("a: 1\nb\nc: 3\n"),
              "m.yaml:2:1: error: a ':' is missing after 'b' [BG-Y001]\n"
              "    2 | b\n"
              "      | ^\n"
              "  because: each line of a map is a key, a ':', a space and a value\n");
}

TEST(YamlMistake, AMissingColonInTheLastLine) {
    EXPECT_EQ(report("a: 1\nb\n"),
              "m.yaml:2:1: error: a ':' is missing after 'b' [BG-Y001]\n"
              "    2 | b\n"
              "      | ^\n"
              "  because: each line of a map is a key, a ':', a space and a value\n");
}

TEST(YamlMistake, ASecondColonInOneValue) {
    EXPECT_EQ(report("a: b: c\n"),
              "m.yaml:1:5: error: a second ':' in one value [BG-Y001]\n"
              "    1 | a: b: c\n"
              "      |     ^\n"
              "  because: the text before this ':' is already a value, and a value can't be a key\n"
              "  try:     put the whole value in quotes, or begin the inner map on a line of its own\n");
}

TEST(YamlMistake, AColonInAValueInBraces) {
    EXPECT_EQ(report("{a: b: c}\n"),
              "m.yaml:1:6: error: expected ',' or '}' before ':' [BG-Y001]\n"
              "    1 | {a: b: c}\n"
              "      |      ^\n"
              "  where:   inside the '{' opened at line 1, column 1\n"
              "  try:     look for a missing '}' or ','; put a text that holds ': ' in quotes\n");
}

TEST(YamlMistake, AValueWithLinesNestedUnderIt) {
    EXPECT_EQ(report("a: 1\n  b: 2\n"),
              "m.yaml:2:3: error: unexpected indentation [BG-Y001]\n"
              "    2 |   b: 2\n"
              "      |   ^\n"
              "  because: 'a: 1' on line 1 has its value already, so nothing can be nested under it\n"
              "  try:     indent this line like the other keys of its map\n");
}

TEST(YamlMistake, ALineIndentedTooLittle) {
    EXPECT_EQ(report("a:\n  b: 1\n c: 2\n"),
              "m.yaml:3:2: error: the indentation of this line fits nothing above it [BG-Y001]\n"
              "    3 |  c: 2\n"
              "      |  ^\n"
              "  because: the lines of one block begin in the same column\n"
              "  try:     indent this line exactly like the line it belongs with\n");
}

TEST(YamlMistake, AListItemIndentedTooLittle) {
    EXPECT_EQ(report("a:\n  - x\n - y\n"),
              "m.yaml:3:2: error: the indentation of this line fits nothing above it [BG-Y001]\n"
              "    3 |  - y\n"
              "      |  ^\n"
              "  because: the lines of one block begin in the same column\n"
              "  try:     indent this line exactly like the line it belongs with\n");
}

TEST(YamlMistake, AListItemAmongKeys) {
    EXPECT_EQ(report("a: 1\n- b\n"),
              "m.yaml:2:1: error: a list item stands among the keys of a map [BG-Y001]\n"
              "    2 | - b\n"
              "      | ^\n"
              "  because: one block is either a list ('- item') or a map ('key: value')\n"
              "  try:     give it a key of its own, or indent it under the key it belongs to\n");
}

TEST(YamlMistake, AKeyAfterAList) {
    EXPECT_EQ(report("- a\nb: 1\n"),
              "m.yaml:2:1: error: this line belongs to nothing above it [BG-Y001]\n"
              "    2 | b: 1\n"
              "      | ^\n"
              "  because: the list or map above ended before this line\n"
              "  try:     give it the form of the lines above ('key: value' or '- item')\n");
}

TEST(YamlMistake, AMissingSpaceBehindADash) {
    EXPECT_EQ(report("- a\n-b\n"),
              "m.yaml:2:1: error: a space is missing after '-' [BG-Y001]\n"
              "    2 | -b\n"
              "      | ^\n");
}

TEST(YamlMistake, AListOnTheLineOfItsKey) {
    EXPECT_EQ(report("a: - b\n"),
              "m.yaml:1:4: error: a list can't begin on the line of its key [BG-Y001]\n"
              "    1 | a: - b\n"
              "      |    ^\n"
              "  try:     begin the list on the next line, write it as [a, b], or put a text beginning with '- ' in "
              "quotes\n");
}

TEST(YamlMistake, AnOpenList) {
    EXPECT_EQ(report("a: [1,\n  2\n"),
              "m.yaml:1:4: error: this '[' is never closed [BG-Y001]\n"
              "    1 | a: [1,\n"
              "      |    ^\n"
              "  try:     add the missing ']'\n");
}

TEST(YamlMistake, AnOpenMap) {
    EXPECT_EQ(report("a: {x: 1, y: 2\n"),
              "m.yaml:1:4: error: this '{' is never closed [BG-Y001]\n"
              "    1 | a: {x: 1, y: 2\n"
              "      |    ^\n"
              "  try:     add the missing '}'\n");
}

TEST(YamlMistake, ALineThatAnOpenListSwallows) {
    EXPECT_EQ(report("a: [1, 2\nb: 3\n"),
              "m.yaml:2:2: error: expected ',' or ']' before ':' [BG-Y001]\n"
              "    2 | b: 3\n"
              "      |  ^\n"
              "  where:   inside the '[' opened at line 1, column 4\n"
              "  try:     look for a missing ']' or ','; put a text that holds ': ' in quotes\n");
}

TEST(YamlMistake, TheWrongClosingBracket) {
    EXPECT_EQ(report("a: [1, 2}\n"),
              "m.yaml:1:9: error: '}' does not close the '[' that is open [BG-Y001]\n"
              "    1 | a: [1, 2}\n"
              "      |         ^\n"
              "  where:   the bracket opened at line 1, column 4\n");
}

TEST(YamlMistake, AClosingBracketTooMany) {
    EXPECT_EQ(report("a: {b: 1}}\n"),
              "m.yaml:1:10: error: '}' closes no bracket that is open here [BG-Y001]\n"
              "    1 | a: {b: 1}}\n"
              "      |          ^\n"
              "  try:     remove it, or put the text in quotes if the bracket belongs to it\n");
}

TEST(YamlMistake, AnExpressionCutByACommaInBraces) {
    EXPECT_EQ(report("a: {R: max(x, y)}\n"),
              "m.yaml:1:8: error: 'max(x' lacks a ')' [BG-Y001]\n"
              "    1 | a: {R: max(x, y)}\n"
              "      |        ^\n"
              "  because: inside [ ] and { } a ',' ends the value, even between parentheses\n"
              "  try:     put the value in quotes\n");
}

TEST(YamlMistake, AnOpenQuote) {
    EXPECT_EQ(report("a: \"x\nb: 3\n"),
              "m.yaml:1:4: error: the closing quote is missing [BG-Y001]\n"
              "    1 | a: \"x\n"
              "      |    ^\n"
              "  because: the text in quotes runs on to the end of the document\n"
              "  try:     close it on this line\n");
}

TEST(YamlMistake, AnOpenQuoteThatMeetsTheNextOne) {
    EXPECT_EQ(report("a: \"x\nb: \"y\"\n"),
              "m.yaml:1:4: error: the closing quote is missing [BG-Y001]\n"
              "    1 | a: \"x\n"
              "      |    ^\n"
              "  because: the text in quotes only ends at line 2, column 5\n"
              "  try:     close it on this line\n");
}

TEST(YamlMistake, AnOpenQuoteBeforeADocumentMark) {
    EXPECT_EQ(report("a: 'x\n---\nb: 1\n"),
              "m.yaml:1:4: error: the closing quote is missing [BG-Y001]\n"
              "    1 | a: 'x\n"
              "      |    ^\n"
              "  because: the text in quotes runs on to the end of the document\n"
              "  try:     close it on this line\n");
}

TEST(YamlMistake, TextBehindAQuote) {
    EXPECT_EQ(report("a: \"x\" y\n"),
              "m.yaml:1:8: error: unexpected 'y' after a complete value [BG-Y001]\n"
              "    1 | a: \"x\" y\n"
              "      |        ^\n"
              "  because: a quoted text, a list or a map is the whole value of its key\n"
              "  try:     put the whole value in one pair of quotes\n");
}

TEST(YamlMistake, AnApostropheInSingleQuotes) {
    EXPECT_EQ(report("a: 'it's'\n"),
              "m.yaml:1:8: error: unexpected 's'' after a complete value [BG-Y001]\n"
              "    1 | a: 'it's'\n"
              "      |        ^\n"
              "  because: a quoted text, a list or a map is the whole value of its key\n"
              "  try:     use double quotes around a text with an apostrophe\n");
}

TEST(YamlMistake, AnUnknownEscape) {
    EXPECT_EQ(report("a: \"\\q\"\n"),
              "m.yaml:1:5: error: unknown escape sequence in a text in double quotes [BG-Y001]\n"
              "    1 | a: \"\\q\"\n"
              "      |     ^\n"
              "  because: a backslash in double quotes begins an escape such as \\n\n"
              "  try:     use single quotes, or write the backslash twice\n");
}

TEST(YamlMistake, AReservedFirstCharacter) {
    EXPECT_EQ(report("a: @x\n"),
              "m.yaml:1:4: error: a value can't begin with '@' [BG-Y001]\n"
              "    1 | a: @x\n"
              "      |    ^\n"
              "  because: '@' is reserved in YAML\n"
              "  try:     put the value in quotes\n");
}

TEST(YamlMistake, APercentSignInFront) {
    EXPECT_EQ(report("a: 1\n%b: 2\n"),
              "m.yaml:2:1: error: a line can't begin with '%' [BG-Y001]\n"
              "    2 | %b: 2\n"
              "      | ^\n"
              "  because: YAML takes such a line for an instruction to the parser\n"
              "  try:     write comments with '#', put names in quotes\n");
}

TEST(YamlMistake, ABareAsterisk) {
    EXPECT_EQ(report("a: *\n"),
              "m.yaml:1:4: error: '*' and '&' at the start of a value need a name [BG-Y001]\n"
              "    1 | a: *\n"
              "      |    ^\n"
              "  because: YAML marks values to be repeated with them ('&name', '*name')\n"
              "  try:     put the value in quotes if the sign belongs to it\n");
}

TEST(YamlMistake, AnUnfinishedTag) {
    EXPECT_EQ(report("a: !<x\n"),
              "m.yaml:1:4: error: a value can't begin with '!' and a name like this [BG-Y001]\n"
              "    1 | a: !<x\n"
              "      |    ^\n"
              "  because: '!name' at the start of a value is a type tag in YAML\n"
              "  try:     put the value in quotes if the '!' belongs to it\n");
}

TEST(YamlMistake, ATextBehindABlockSign) {
    EXPECT_EQ(report("a: > 3\n"),
              "m.yaml:1:6: error: only '|' or '>' may stand here [BG-Y001]\n"
              "    1 | a: > 3\n"
              "      |      ^\n"
              "  because: '|' and '>' at the start of a value begin a text on the lines below\n"
              "  try:     put the value in quotes if the sign belongs to it\n");
}

TEST(YamlMistake, AQuestionMark) {
    EXPECT_EQ(report("a: ? b\n"),
              "m.yaml:1:4: error: a value can't begin with '? ' [BG-Y001]\n"
              "    1 | a: ? b\n"
              "      |    ^\n"
              "  try:     put the value in quotes\n");
}

TEST(YamlMistake, ADuplicateKey) {
    EXPECT_EQ(report("R: 1\nC: 2\nR: 3\n"),
              "m.yaml:3:1: error: the key 'R' is given twice [BG-Y002]\n"
              "    3 | R: 3\n"
              "      | ^\n"
              "  where:   first given at line 1\n");
}

TEST(YamlMistake, AKeyGivenThreeTimes) {
    EXPECT_EQ(report("{R: 1, R: 2, R: 3}\n"),
              "m.yaml:1:8: error: the key 'R' is given twice [BG-Y002]\n"
              "    1 | {R: 1, R: 2, R: 3}\n"
              "      |        ^\n"
              "  where:   first given at line 1\n"
              "m.yaml:1:14: error: the key 'R' is given twice [BG-Y002]\n"
              "    1 | {R: 1, R: 2, R: 3}\n"
              "      |              ^\n"
              "  where:   first given at line 1\n");
}

TEST(YamlMistake, AListAsAKey) {
    EXPECT_EQ(report("[a]: 1\n"),
              "m.yaml:1:1: error: a key must be a text, not a list [BG-Y003]\n"
              "    1 | [a]: 1\n"
              "      | ^\n"
              "  try:     put a text with special characters in quotes\n");
}

TEST(YamlMistake, AMapAsAKey) {
    EXPECT_EQ(report("? {a: 1}\n: 1\n"),
              "m.yaml:1:3: error: a key must be a text, not a map [BG-Y003]\n"
              "    1 | ? {a: 1}\n"
              "      |   ^\n"
              "  try:     put a text with special characters in quotes\n");
}

TEST(YamlMistake, NothingAsAKey) {
    EXPECT_EQ(report(": 1\n"),
              "m.yaml:1:1: error: a key must be a text, not nothing [BG-Y003]\n"
              "    1 | : 1\n"
              "      | ^\n"
              "  try:     put a text with special characters in quotes\n");
}

TEST(YamlMistake, ASecondDocument) {
    EXPECT_EQ(report("a: 1\n---\nb: 2\n"),
              "m.yaml:2:1: error: a second document begins here [BG-Y004]\n"
              "    2 | ---\n"
              "      | ^\n"
              "  because: a model is one YAML document\n"
              "  try:     give each model a file of its own\n");
}

TEST(YamlMistake, NestingTooDeep) {
    EXPECT_EQ(report("a: " + std::string(100, '[') + std::string(100, ']')),
              "m.yaml:1:103: error: nested deeper than 100 levels [BG-Y005]\n"
              "    1 | "
              "…[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]"
              "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]…\n"
              "      |                                                                                  ^\n");
}

TEST(YamlMistake, AnUnknownAlias) {
    EXPECT_EQ(report("a: *x + 1\n"),
              "m.yaml:1:4: error: '*x' repeats a value that has not been given [BG-Y006]\n"
              "    1 | a: *x + 1\n"
              "      |    ^\n"
              "  because: '*name' at the start of a value repeats the value marked '&name' above it\n"
              "  try:     put the value in quotes if the '*' belongs to it\n");
}

TEST(YamlMistake, AnAliasInsideItself) {
    EXPECT_EQ(report("a: &x [1, *x]\n"),
              "m.yaml:1:11: error: this alias stands inside the value it repeats [BG-Y006]\n"
              "    1 | a: &x [1, *x]\n"
              "      |           ^\n");
}

TEST(YamlMistake, AMergeKey) {
    EXPECT_EQ(report("a: &x {b: 1}\nc:\n  <<: *x\n"),
              "m.yaml:3:3: error: merge keys ('<<') are not supported [BG-Y007]\n"
              "    3 |   <<: *x\n"
              "      |   ^\n"
              "  try:     write the keys out, or repeat a whole value with an alias ('key: *name')\n");
}

TEST(YamlMistake, AFileInLatin1) {
    EXPECT_EQ(report("a: 5 \xB5"
                     "F\n"),
              "m.yaml:1:6: error: the file is not UTF-8: byte 0xB5 [BG-Y008]\n"
              "    1 | a: 5 �F\n"
              "      |      ^\n"
              "  because: an older encoding such as Latin-1 writes letters like µ or ° this way\n"
              "  try:     save the file as UTF-8\n");
}

TEST(YamlMistake, AFileInUtf16) {
    EXPECT_EQ(report(std::string("\xFF\xFE"
                                 "a\0:\0",
                                 6)),
              "m.yaml:1:1: error: the file is UTF-16, not UTF-8 [BG-Y008]\n"
              "    1 | ��a�:�\n"
              "      | ^\n"
              "  try:     save it as UTF-8\n");
}

TEST(YamlMistake, AZeroByte) {
    EXPECT_EQ(report(std::string("a: x\0y\n", 7)),
              "m.yaml:1:5: error: control character 0x00 in the file [BG-Y008]\n"
              "    1 | a: x�y\n"
              "      |     ^\n"
              "  because: a model is a text file without control characters\n");
}

TEST(YamlMistake, AControlCharacter) {
    EXPECT_EQ(report("a: x\x04"
                     "y\n"),
              "m.yaml:1:5: error: control character 0x04 in the file [BG-Y008]\n"
              "    1 | a: x�y\n"
              "      |     ^\n"
              "  because: a model is a text file without control characters\n");
}

TEST(YamlMistake, ALoneCarriageReturn) {
    EXPECT_EQ(report("a: 1\rb: 2\n"),
              "m.yaml:1:5: error: control character 0x0D in the file [BG-Y008]\n"
              "    1 | a: 1�b: 2\n"
              "      |     ^\n"
              "  because: a carriage return ends a line only together with a line feed\n");
}

TEST(YamlMistake, AnUnknownVersion) {
    EXPECT_EQ(report("%YAML 3.0\n---\na: 1\n"),
              "m.yaml:1:1: error: this instruction to the YAML parser is not understood [BG-Y001]\n"
              "    1 | %YAML 3.0\n"
              "      | ^\n"
              "  because: only '%YAML 1.1' and '%YAML 1.2' may stand in front of a model\n"
              "  try:     remove the line\n");
}

}  // namespace
}  // namespace bondgraph::io
