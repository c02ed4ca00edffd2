// Lists that come from files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/io/load_model.hpp"
#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TableFiles : public test::InTemporaryFolder {
   protected:
    /// The value of the parameter `x` of a model whose parameters are these.
    model::Value x_of(const std::string& parameters) {
        write("m.yaml", "model: m\nparameters: " + parameters + "\ncomponents: {}\n");
        SourceMap sources;
        const model::Model model = load_model(folder_ / "m.yaml", sources);
        return *model.body.parameters.front().value;
    }

    std::vector<std::string> codes_of(const std::string& parameters) {
        write("m.yaml", "model: m\nparameters: " + parameters + "\ncomponents: {}\n");
        SourceMap sources;
        std::vector<std::string> codes;
        const ReadModel read = read_model(folder_ / "m.yaml", sources);
        for (const Diagnostic& d : read.diagnostics.items()) {
            codes.push_back(d.code);
            told_ += d.message + "\n";
        }
        return codes;
    }

    static std::vector<std::string> texts_of(const model::Value& list) {
        std::vector<std::string> texts;
        for (const model::Value& item : list.items) texts.push_back(item.scalar.text);
        return texts;
    }

    std::string told_;
};

TEST_F(TableFiles, ColumnsByNameInTheOrderAskedFor) {
    write("data/drive.csv", "time,speed,\"gear, now\"\n0,0,1\n1.5,20,2\n3,1e-3,2\n");
    const model::Value rows = x_of("{x: {from: data/drive.csv, columns: ['gear, now', time]}}");
    ASSERT_EQ(rows.items.size(), 3U);
    EXPECT_THAT(texts_of(rows.items[1]), ElementsAre("2", "1.5"));
    EXPECT_THAT(texts_of(x_of("{x: {from: data/drive.csv, columns: speed}}")), ElementsAre("0", "20", "0.001"));
    EXPECT_EQ(x_of("{x: {from: data/drive.csv}}").items[2].items.size(), 3U);
}

// Editors may leave it so; half a number is none a program that was stopped has left in a file like this.
TEST_F(TableFiles, ALastLineNeedsNoEnd) {
    write("t.csv", "t,x\n0,1\n1,2");
    EXPECT_EQ(x_of("{x: {from: t.csv}}").items.size(), 2U);
}

TEST_F(TableFiles, MistakesAreTold) {
    write("t.csv", "t,x\n0,1\n1,\n");
    EXPECT_THAT(codes_of("{x: {from: u.csv}}"), ElementsAre("BG-M088"));
    EXPECT_THAT(told_, HasSubstr("can't read 'u.csv': No such file or directory"));
    EXPECT_THAT(codes_of("{x: {from: t.csv, columns: [t, X]}}"), ElementsAre("BG-M088"));
    EXPECT_THAT(told_, HasSubstr("'t.csv' has no column 'X'; did you mean 'x'?"));
    EXPECT_THAT(codes_of("{x: {from: t.csv}}"), ElementsAre("BG-M088"));
    EXPECT_THAT(told_, HasSubstr("no number in column 'x', row 2"));
}

// Notes beside the numbers are no mistake where they are not asked for.
TEST_F(TableFiles, ColumnsOfTextAreLeftAlone) {
    write("t.csv", "t,note,x\n0,begin,1\n1,end,2\n");
    EXPECT_THAT(texts_of(x_of("{x: {from: t.csv, columns: x}}")), ElementsAre("1", "2"));
    EXPECT_EQ(x_of("{x: {from: t.csv, columns: [x, t]}}").items.size(), 2U);
    EXPECT_THAT(codes_of("{x: {from: t.csv, columns: note}}"), ElementsAre("BG-M088"));
    EXPECT_THAT(told_, HasSubstr("can't read 't.csv': line 2: 'begin' under 'note' is no number"));
    EXPECT_THAT(codes_of("{x: {from: t.csv}}"), ElementsAre("BG-M088"));
    write("u.csv", "t,note,x\n0,begin,1\n1,end,two\n");
    told_.clear();
    EXPECT_THAT(codes_of("{x: {from: u.csv, columns: x}}"), ElementsAre("BG-M088"));
    EXPECT_THAT(told_, HasSubstr("'u.csv' has no number in column 'x', row 2"));
}

TEST_F(TableFiles, NamesAndRowsHaveToBeThere) {
    const auto told = [&](const std::string& text, const std::string& more = "") {
        write("t.csv", text);
        told_.clear();
        EXPECT_THAT(codes_of("{x: {from: t.csv" + more + "}}"), ElementsAre("BG-M088")) << text;
        return told_;
    };
    EXPECT_THAT(told("t,t\n0,1\n"), HasSubstr("'t.csv' has two columns 't'"));
    EXPECT_THAT(told("t,t\n0,1\n", ", columns: t"), HasSubstr("'t.csv' has two columns 't'"));
    EXPECT_THAT(told("t,x\n"), HasSubstr("'t.csv' has names in its first line, and no row below"));
    EXPECT_THAT(told("t,x", ", columns: x"), HasSubstr("no row below"));
    EXPECT_THAT(told("0,1\n1,2\n"), HasSubstr("the first line of 't.csv' holds no names"));
    EXPECT_THAT(told(""), HasSubstr("it is empty"));
}

// What hangs on a list that could not be read is not said to be wrong as well.
TEST_F(TableFiles, NothingElseIsSaidOfThem) {
    for (const std::string table : {"{from: u.csv}", "{from: u.csv, columns: [a, b]}"}) {
        for (const std::string& parameters : {"{x: " + table + "}", "{x: {value: " + table + ", unit: m}}"})
            EXPECT_THAT(codes_of(parameters), ElementsAre("BG-M088")) << parameters;
    }
}

// As on the command line, by a path from the folder where the program runs.
TEST_F(TableFiles, ValuesOfOptionsTakeThem) {
    write("t.csv", "t,x\n0,1\n1,2\n");
    const std::string file = (folder_ / "t.csv").string();
    SourceMap sources;
    EXPECT_THAT(texts_of(parse_override("a={from: " + file + ", columns: x}", sources).value), ElementsAre("1", "2"));
    EXPECT_THROW(parse_override("a={from: " + file + ", columns: y}", sources), ModelError);
    EXPECT_THROW(parse_override("a={from: " + file + ".csv}", sources), ModelError);
}

// A map that is something else stays what it is.
TEST_F(TableFiles, OtherMapsAreLeftAlone) {
    write("t.csv", "t,x\n0,1\n");
    EXPECT_THAT(codes_of("{x: {from: t.csv, to: 3}}"), testing::Not(testing::Contains("BG-M088")));
    EXPECT_THAT(codes_of("{x: {from: a}}"), testing::Not(testing::Contains("BG-M088")));
}

}  // namespace
}  // namespace bondgraph::io
