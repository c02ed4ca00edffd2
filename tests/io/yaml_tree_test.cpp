#include "bondgraph/io/yaml_tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;

YamlNode parsed(const std::string& text) {
    Diagnostics diagnostics;
    YamlNode node = parse_yaml(text, 0, diagnostics);
    EXPECT_TRUE(diagnostics.items().empty()) << text << diagnostics.items().front().message;
    return node;
}

std::string position(const YamlNode& node) {
    return std::to_string(node.position.line) + ":" + std::to_string(node.position.column);
}

/// The tree on one line: maps in braces, lists in brackets, quoted texts in quotes, nothing as ~.
std::string written(const YamlNode& node) {
    if (node.kind == Kind::null) return "~";
    if (node.kind == Kind::scalar) return node.quoted ? "'" + node.scalar + "'" : node.scalar;
    std::string text;
    for (std::size_t i = 0; i < node.size(); ++i) {
        if (i > 0) text += ", ";
        if (node.kind == Kind::map) text += written(node.key(i)) + ": " + written(node.value(i));
        if (node.kind == Kind::sequence) text += written(node.children[i]);
    }
    return node.kind == Kind::map ? "{" + text + "}" : "[" + text + "]";
}

TEST(YamlTree, HoldsMapsListsAndScalars) {
    EXPECT_EQ(written(parsed("model: m\nR: {type: R, R: 10 kohm}\nbonds:\n  - a -> b\n  - x: c -> d.p1\n")),
              "{model: m, R: {type: R, R: 10 kohm}, bonds: [a -> b, {x: c -> d.p1}]}");
}

TEST(YamlTree, TellsQuotedTextsFromPlainOnes) {
    EXPECT_EQ(written(parsed("a: 1\nb: \"1\"\nc: '1'\nd: |\n  x\n  y\ne: ''\nf: !!str 1\n")),
              "{a: 1, b: '1', c: '1', d: 'x\ny\n', e: '', f: '1'}");
}

TEST(YamlTree, TakesAMissingValueForNothing) {
    EXPECT_EQ(written(parsed("a:\nb: ~\nc: null\nd: {e, f: }\ng:\n-\n- x\nh: !tag\n")),
              "{a: ~, b: ~, c: ~, d: {e: ~, f: ~}, g: [~, x], h: ~}");
}

TEST(YamlTree, IsNothingForAnEmptyFile) {
    for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "   "}) {
        EXPECT_EQ(written(parsed(text)), "~");
        EXPECT_TRUE(parsed(text).position.known());
    }
}

TEST(YamlTree, ReadsAWholeFileWhateverEndsIt) {
    for (const char* text : {"a: 1", "a: 1\n", "a: 1\r\n", "a: 1\n\n  ", "a: 1 # end", "---\na: 1\n...\n", "{a: 1}"})
        EXPECT_EQ(written(parsed(text)), "{a: 1}") << text;
    EXPECT_EQ(written(parsed("a: |\n  x\n")), "{a: 'x\n'}");
    EXPECT_EQ(written(parsed("a: \"x\"")), "{a: 'x'}");
}

TEST(YamlTree, KnowsWhereEveryNodeBegins) {
    const YamlNode root = parsed("# head\nR:\n  type: R\n  list:\n    - 1\n    - {x: \"y\"}\n");
    EXPECT_EQ(position(root), "2:1");
    EXPECT_EQ(position(root.key(0)), "2:1");
    const YamlNode& map = root.value(0);
    EXPECT_EQ(position(map), "3:3");
    EXPECT_EQ(position(map.value(0)), "3:9");
    EXPECT_EQ(position(map.value(1)), "5:5");
    EXPECT_EQ(position(map.value(1).children[0]), "5:7");
    EXPECT_EQ(position(map.value(1).children[1]), "6:7");
    EXPECT_EQ(position(map.value(1).children[1].key(0)), "6:8");
    EXPECT_EQ(position(map.value(1).children[1].value(0)), "6:11");
}

TEST(YamlTree, CountsColumnsInCharacters) {
    const YamlNode root = parsed("µΩ: {größe: 1, b: …, c: 2}\nd: x\n");
    EXPECT_EQ(position(root.value(0)), "1:5");
    EXPECT_EQ(position(root.value(0).value(0)), "1:13");
    EXPECT_EQ(position(root.value(0).key(2)), "1:22");
    EXPECT_EQ(position(root.key(1)), "2:1");
}

TEST(YamlTree, CountsNoColumnForAByteOrderMark) {
    const YamlNode root = parsed(
        "\xEF\xBB\xBF"
        "a: 1\n");
    EXPECT_EQ(written(root), "{a: 1}");
    EXPECT_EQ(position(root.value(0)), "1:4");
}

TEST(YamlTree, PlacesAMissingValueAtItsKeyOrDash) {
    const YamlNode root = parsed("a:\n\nlist:\n  -\n  - x\nb:\n");
    EXPECT_EQ(position(root.value(0)), "1:1");
    EXPECT_EQ(position(root.value(1).children[0]), "4:3");
    EXPECT_EQ(position(root.value(2)), "6:1");
}

TEST(YamlTree, CarriesTheFileNumber) {
    Diagnostics diagnostics;
    const YamlNode root = parse_yaml("a: [1]\n", 3, diagnostics);
    EXPECT_EQ(root.value(0).children[0].position.file, 3U);
}

TEST(YamlTree, RepeatsAnAnchoredValueAtItsAlias) {
    const YamlNode root = parsed("a: &x {r: [1, 2]}\nb: *x\nc: [*x, &y 3, *y]\n");
    EXPECT_EQ(written(root), "{a: {r: [1, 2]}, b: {r: [1, 2]}, c: [{r: [1, 2]}, 3, 3]}");
    EXPECT_EQ(position(root.value(1)), "2:4");
    EXPECT_EQ(position(root.value(1).value(0)), "1:11");
}

TEST(YamlTree, RepeatsWhatLiesInsideAListStillOpen) {
    EXPECT_EQ(written(parsed("a:\n  - b: &x [1]\n    c: {d: *x, e: &z [*x]}\n    f: *z\ng: *z\n")),
              "{a: [{b: [1], c: {d: [1], e: [[1]]}, f: [[1]]}], g: [[1]]}");
}

TEST(YamlTree, RepeatsTheLatestValueOfAName) {
    EXPECT_EQ(written(parsed("a: &n 1\nb: &n 2\nc: *n\n")), "{a: 1, b: 2, c: 2}");
}

TEST(YamlTree, FindsTheValueOfAKey) {
    const YamlNode root = parsed("a: 1\nb: 2\n");
    ASSERT_NE(root.find("b"), nullptr);
    EXPECT_EQ(root.find("b")->scalar, "2");
    EXPECT_EQ(root.find("c"), nullptr);
    EXPECT_EQ(root.value(0).find("a"), nullptr);
}

TEST(YamlTree, NamesItsKinds) {
    const YamlNode root = parsed("[1, -2.5e3, +4, '1', abc, 1 m, {a: 1}, [], ~, '']");
    const char* kinds[] = {"a number", "a number", "a number", "a text",  "a text",
                           "a text",   "a map",    "a list",   "nothing", "a text"};
    ASSERT_EQ(root.size(), std::size(kinds));
    for (std::size_t i = 0; i < root.size(); ++i) EXPECT_EQ(root.children[i].kind_text(), kinds[i]) << i;
}

TEST(YamlTree, ReadsFourHundredThousandEntries) {
    std::string text = "components:\n";
    for (int i = 0; i < 400000; ++i) text += fmt::format("  c{}: {{type: R}}\n", i);
    const YamlNode root = parsed(text);
    ASSERT_EQ(root.value(0).size(), 400000U);
    EXPECT_EQ(root.value(0).key(399999).scalar, "c399999");
    EXPECT_EQ(position(root.value(0).value(399999)), "400001:12");
}

TEST(YamlTree, ReadsOneVeryLongLine) {
    std::string text = "µ: {";
    for (int i = 0; i < 100000; ++i) text += fmt::format("µ{}: 1, ", 100000 + i);
    const YamlNode root = parsed(text + "}");
    ASSERT_EQ(root.value(0).size(), 100000U);
    EXPECT_EQ(root.value(0).key(99999).position.column, 5U + 99999U * 12U);
}

TEST(YamlTree, ReadsAHundredLevels) {
    const YamlNode root = parsed(std::string(100, '[') + std::string(100, ']'));
    const YamlNode* node = &root;
    int levels = 1;
    for (; node->size() > 0; ++levels) node = &node->children[0];
    EXPECT_EQ(levels, 100);
}

TEST(YamlTree, KeepsWhatWasReadBeforeAMistake) {
    Diagnostics diagnostics;
    const YamlNode root = parse_yaml("a: 1\nb: {c: 2, d: [3, 4}\n", 0, diagnostics);
    EXPECT_EQ(diagnostics.error_count(), 1U);
    EXPECT_EQ(written(root), "{a: 1, b: {c: 2, d: [3]}}");
}

TEST(YamlTree, KeepsTheFirstOfDuplicateKeysAndNoUnusableOnes) {
    Diagnostics diagnostics;
    const YamlNode root = parse_yaml("a: 1\n[x]: 2\n<<: 3\na: 4\nb: 5\n", 0, diagnostics);
    EXPECT_EQ(diagnostics.error_count(), 3U);
    EXPECT_EQ(written(root), "{a: 1, b: 5}");
}

TEST(YamlTree, ReportsEveryDuplicateOfALargeMap) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += fmt::format("k{}: 1\n", i % 10);
    Diagnostics diagnostics;
    EXPECT_EQ(parse_yaml(text, 0, diagnostics).size(), 10U);
    EXPECT_EQ(diagnostics.error_count(), 10U);
}

TEST(YamlTree, SurvivesAMillionOpeningBrackets) {
    for (const char* opening : {"[", "{", "[a: ", "- ", "? "}) {
        std::string text;
        for (int i = 0; i < 1000000; ++i) text += opening;
        Diagnostics diagnostics;
        parse_yaml(text, 0, diagnostics);
        ASSERT_EQ(diagnostics.items().size(), 1U) << opening;
        EXPECT_EQ(diagnostics.items()[0].code, "BG-Y005") << opening;
    }
}

TEST(YamlTree, SurvivesAliasesThatMultiply) {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        text += fmt::format("a{0}: &a{0} [", i);
        for (int k = 0; k < 10; ++k) text += fmt::format("*a{}, ", i - 1);
        text += "]\n";
    }
    Diagnostics diagnostics;
    parse_yaml(text, 0, diagnostics);
    ASSERT_EQ(diagnostics.items().size(), 1U);
    EXPECT_EQ(diagnostics.items()[0].code, "BG-Y006");
    EXPECT_EQ(diagnostics.items()[0].message, "aliases repeat more than 1000000 values in all");
}

TEST(YamlTree, RefusesAliasesThatNestTooDeep) {
    const std::string text = "a: &a " + std::string(60, '[') + std::string(60, ']') + "\nb: " + std::string(39, '[') +
                             "*a" + std::string(39, ']') + "\nc: " + std::string(40, '[') + "*a" +
                             std::string(40, ']') + "\n";
    Diagnostics diagnostics;
    parse_yaml(text, 0, diagnostics);
    ASSERT_EQ(diagnostics.items().size(), 1U);
    EXPECT_EQ(diagnostics.items()[0].code, "BG-Y005");
    EXPECT_EQ(diagnostics.items()[0].position, (SourcePosition{0, 3, 44}));
}

}  // namespace
}  // namespace bondgraph::io
