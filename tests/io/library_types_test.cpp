// Which types of a library file are parsed.

#include "bondgraph/io/library_types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bondgraph/io/load_model.hpp"
#include "bondgraph/io/part_library.hpp"

namespace bondgraph::io {
namespace {

using testing::Contains;
using testing::Not;

const std::string kFile =
    "description: of Three\n"
    "types:\n"
    "  # remark\n"
    "  One:\n"
    "    doc: uses Two\n"
    "\n"
    "  Two:\n"
    "    doc: >-\n"
    "      more\n"
    "records:\n"
    "  Three:\n"
    "    parameters: {x: 1}\n";

TEST(LibraryTypes, LinesOfEachType) {
    const auto types = find_types(kFile, 7);
    ASSERT_EQ(types.size(), 2U);
    EXPECT_EQ(types[0].name, "One");
    EXPECT_EQ(types[0].position.line, 4U);
    EXPECT_EQ(types[0].position.column, 3U);
    EXPECT_EQ(types[0].position.file, 7U);
    EXPECT_EQ(kFile.substr(types[0].first, types[0].last - types[0].first), "  One:\n    doc: uses Two\n\n");
    EXPECT_EQ(kFile.substr(types[1].first, types[1].last - types[1].first), "  Two:\n    doc: >-\n      more\n");
}

TEST(LibraryTypes, OtherFormsAreReadAsAWhole) {
    EXPECT_TRUE(find_types("types: {A: {}}\n", 0).empty());
    EXPECT_TRUE(find_types("types:\n  A: {doc: x}\n", 0).empty());
    EXPECT_TRUE(find_types("types:\n  A:\n    doc: x\n  'B':\n    doc: y\n", 0).empty());
    EXPECT_TRUE(find_types("records:\n  A:\n    doc: x\n", 0).empty());
}

// The line, from 1, that begins with a text.
std::ptrdiff_t line_of(const std::string& text, const std::string& what) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? 0
                                   : 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

// Whatever is left out, what is left stands in its line.
TEST(LibraryTypes, EmptyLinesKeepPositions) {
    const auto types = find_types(kFile, 0);
    const std::string rest = without_types(kFile, types);
    EXPECT_EQ(line_of(rest, "description:"), 1);
    EXPECT_EQ(line_of(rest, "records:"), 10);
    EXPECT_EQ(line_of(rest, "    parameters: {x: 1}"), 12);
    EXPECT_EQ(rest.find("One"), std::string::npos);
    EXPECT_EQ(rest.find("types:"), std::string::npos);
    const std::string two = types_alone(kFile, types, {false, true});
    EXPECT_EQ(line_of(two, "types:"), 2);
    EXPECT_EQ(line_of(two, "  Two:"), 7);
    EXPECT_EQ(line_of(two, "      more"), 9);
    EXPECT_EQ(two.find("One"), std::string::npos);
    EXPECT_EQ(two.find("records"), std::string::npos);
}

TEST(LibraryTypes, WordsOfAText) {
    std::unordered_set<std::string_view> words;
    add_words("a: {type: el.Resistor, R: 2*k_1}", words);
    EXPECT_THAT(words, testing::UnorderedElementsAre("a", "type", "el", "Resistor", "R", "2", "k_1"));
}

// Every file of the library is one of which a model reads what it needs.
TEST(LibraryTypes, OfTheLibraryOfParts) {
    for (const LibraryFile& file : library_files()) EXPECT_FALSE(find_types(file.text, 0).empty()) << file.name;
}

TEST(LibraryTypes, AModelHasThoseItNeeds) {
    SourceMap sources;
    const model::Model model = load_model_text(
        "model: m\nimport: {el: electrical}\ncomponents: {r: {type: el.Resistor, R: 1 ohm}}\n", "m", sources);
    std::vector<std::string> read;
    std::vector<std::string> named;
    for (const model::TypeDeclaration& type : model.types) {
        if (!type.body.components.empty() || !type.body.equations.empty()) read.push_back(type.name.text);
        named.push_back(type.name.text);
    }
    EXPECT_THAT(read, Contains("el.Resistor"));
    EXPECT_THAT(read, Not(Contains("el.Capacitor")));
    EXPECT_THAT(named, Contains("el.Capacitor"));
    ASSERT_TRUE(model.body.components.front().own_type);
    const model::TypeDeclaration& used = model.types[*model.body.components.front().own_type];
    EXPECT_EQ(used.name.text, "el.Resistor");
    EXPECT_EQ(sources.line(used.name.position).substr(0, 11), "  Resistor:");
}

// Also those that only another type of the model, or one of the library, names.
TEST(LibraryTypes, WhatTypesOfTheModelNeed) {
    SourceMap sources;
    const model::Model model = load_model_text(
        "model: m\nimport: [electrical]\ntypes:\n  Mine: {extends: Resistor, parameters: {R: 2 ohm}}\n"
        "components: {r: {type: Mine}}\n",
        "m", sources);
    const model::TypeDeclaration& mine = model.types[*model.body.components.front().own_type];
    EXPECT_EQ(mine.name.text, "Mine");
    EXPECT_FALSE(mine.body.components.empty());
}

TEST(LibraryTypes, TheWholeLibrary) {
    SourceMap sources;
    const model::Model library = load_part_library(sources);
    for (const model::TypeDeclaration& type : library.types) {
        const bool empty = type.body.components.empty() && type.body.equations.empty() &&
                           type.body.parameters.empty() && type.connectors.empty();
        EXPECT_FALSE(empty) << type.name.text;
    }
}

}  // namespace
}  // namespace bondgraph::io
