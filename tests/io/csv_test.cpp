#include "bondgraph/io/csv.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace bondgraph::io {
namespace {

std::string written(const TimeSeries& series) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    EXPECT_TRUE(write_csv(file.get(), series));
    std::rewind(file.get());
    std::string text;
    for (int c = 0; (c = std::fgetc(file.get())) != EOF;) text += static_cast<char>(c);
    return text;
}

TEST(Csv, HasOneLineForEveryTime) {
    const std::vector<std::string> names{"a", "b"};
    const std::vector<double> time{0.0, 0.5};
    const std::vector<double> data{1.0, 2.0, -3.5, 1e-20};
    EXPECT_EQ(written({names, time, data, 2}), "time,a,b\n0,1,2\n0.5,-3.5,1e-20\n");
}

TEST(Csv, ColumnsBeyondTheNamesAreLeftOut) {
    const std::vector<std::string> names{"a"};
    const std::vector<double> time{0.0, 1.0};
    const std::vector<double> data{1.0, 90.0, 91.0, 2.0, 92.0, 93.0};
    EXPECT_EQ(written({names, time, data, 3}), "time,a\n0,1\n1,2\n");
}

TEST(Csv, WithoutRowsOnlyTheHeadIsWritten) {
    const std::vector<std::string> names{"a"};
    EXPECT_EQ(written({names, {}, {}, 1}), "time,a\n");
}

TEST(Csv, NumbersReadBackExactly) {
    const std::vector<std::string> names{"a"};
    const std::vector<double> values{0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -2.2250738585072014e-308, 1e22};
    const std::vector<double> time(values.size(), 0.0);
    std::string text = written({names, time, values, 1});
    text.erase(0, text.find('\n') + 1);
    for (const double value : values) {
        EXPECT_EQ(std::strtod(text.c_str() + 2, nullptr), value);
        text.erase(0, text.find('\n') + 1);
    }
    EXPECT_TRUE(text.empty());
}

TEST(Csv, NumbersHaveTheFewestDigits) {
    const std::vector<std::string> names{"a", "b"};
    const std::vector<double> time{0.3};
    const std::vector<double> data{0.1, 235.28689};
    EXPECT_EQ(written({names, time, data, 2}), "time,a,b\n0.3,0.1,235.28689\n");
}

TEST(Csv, NamesAreQuotedOnlyWhereNeeded) {
    EXPECT_EQ(csv_field("body.x[2]"), "body.x[2]");
    EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
    EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, LongSeriesAreCompleteAndInOrder) {
    const std::vector<std::string> names{"a"};
    std::vector<double> time;
    for (int k = 0; k < 50000; ++k) time.push_back(k);
    std::string expected = "time,a\n";
    for (int k = 0; k < 50000; ++k) expected += std::to_string(k) + "," + std::to_string(k) + "\n";
    EXPECT_EQ(written({names, time, time, 1}), expected);
}

TEST(Csv, AStreamThatRefusesIsReported) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> full(std::fopen("/dev/full", "w"), &std::fclose);
    ASSERT_NE(full, nullptr);
    std::setvbuf(full.get(), nullptr, _IONBF, 0);
    const std::vector<std::string> names{"a"};
    const std::vector<double> time{0.0};
    EXPECT_FALSE(write_csv(full.get(), {names, time, time, 1}));
}

}  // namespace
}  // namespace bondgraph::io
