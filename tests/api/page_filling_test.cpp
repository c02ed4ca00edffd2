// How the page holds its data: as they are, or deflated.

#include "bondgraph/api/page_filling.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/deflated.hpp"
#include "bondgraph/api/packed_numbers.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/page_data.hpp"

namespace bondgraph::api {
namespace {

using testing::HasSubstr;
using testing::Not;
using OrderedJson = nlohmann::ordered_json;

class PageFilling : public testing::Test {
   protected:
    void SetUp() override {
        if (empty_page().empty()) GTEST_SKIP() << "this build was made without npm";
    }
};

OrderedJson data_with_text(std::size_t length) {
    return {{"program", "p"}, {"model", "m"}, {"text", std::string(length, 'x')}};
}

std::size_t length_around_text() { return data_with_text(0).dump().size(); }

bool deflated_in(const std::string& page) { return test::held_by_page(page).contains("deflated"); }

/// Such as results, times, triangles and nothing, with all that doubles can be.
OrderedJson data_with_numbers(std::size_t count) {
    std::mt19937_64 random(7);
    std::vector<float> floats(count);
    std::vector<double> doubles(count);
    std::vector<std::uint16_t> halves(count | 1U);  // an odd number: what follows would begin between words
    for (std::size_t i = 0; i < count; ++i) {
        floats[i] = std::sin(1e-3F * static_cast<float>(i));
        doubles[i] = std::bit_cast<double>(random());
    }
    for (std::uint16_t& h : halves) h = static_cast<std::uint16_t>(random());
    return {{"program", "p"},
            {"model", "m"},
            {"text", "\xe2\x88\x82 \xf0\x9d\x9c\x94 </script><!-- \" \\ \n"},
            {"run",
             {{"none", packed(std::span<const float>())},
              {"halves", packed(std::span<const std::uint16_t>(halves))},
              {"floats", packed(std::span<const float>(floats))},
              {"list", {{{"doubles", packed(std::span<const double>(doubles))}}, 1.5, nullptr}}}}};
}

nlohmann::json as_it_is_read(OrderedJson data) {
    write_base64(data);
    return nlohmann::json::parse(data.dump());
}

TEST_F(PageFilling, DataUpToABoundAreReadable) {
    const std::size_t most = kReadableData - length_around_text();
    const std::string within = filled_page(data_with_text(most));
    const std::string beyond = filled_page(data_with_text(most + 1));
    EXPECT_FALSE(deflated_in(within));
    EXPECT_TRUE(deflated_in(beyond));
    EXPECT_EQ(test::data_of_page(within)["text"], std::string(most, 'x'));
    EXPECT_EQ(test::data_of_page(beyond)["text"], std::string(most + 1, 'x'));
    EXPECT_LT(beyond.size(), empty_page().size() + 2000);
}

TEST_F(PageFilling, NumbersCountAsTheBase64ThatTheyWouldBe) {
    const auto with_numbers = [](std::size_t count) {
        return OrderedJson{
            {"program", "p"}, {"model", "m"}, {"run", {packed(std::span<const float>(std::vector<float>(count)))}}};
    };
    EXPECT_FALSE(deflated_in(filled_page(with_numbers(kReadableData / 16 * 3 - 100))));
    EXPECT_TRUE(deflated_in(filled_page(with_numbers(kReadableData / 16 * 3))));
    EXPECT_TRUE(deflated_in(filled_page(with_numbers(kReadableData))));
}

TEST_F(PageFilling, WhatIsDeflatedIsTheSame) {
    for (const std::size_t count : {100U, 20'000U, 20'001U}) {
        const OrderedJson data = data_with_numbers(count);
        const std::string page = filled_page(data);
        EXPECT_EQ(deflated_in(page), count > 100);
        EXPECT_EQ(test::data_of_page(page), as_it_is_read(data)) << count;
    }
}

TEST_F(PageFilling, OfALargePageTheNameIsToBeReadAtOnce) {
    OrderedJson data = data_with_numbers(20'000);
    data["model"] = "</script> \xe2\x88\x82";
    const std::string page = filled_page(data);
    EXPECT_EQ(test::held_by_page(page)["model"], data["model"].get<std::string>());
    EXPECT_EQ(test::held_by_page(page)["program"], "p");
    EXPECT_EQ(std::ranges::count(page, '<'), std::ranges::count(empty_page(), '<'));
}

TEST_F(PageFilling, TextsThatAreNoUtf8AreReplaced) {
    OrderedJson data = data_with_numbers(20'000);
    data["text"] = "a\xff";
    EXPECT_EQ(test::data_of_page(filled_page(data))["text"], "a\xef\xbf\xbd");
}

TEST_F(PageFilling, ALongRunIsDeflatedAndItsNumbersAreThose) {
    const auto model = Model::parse(kCharging);
    ASSERT_TRUE(model) << model.error().text();
    const ReportOptions options{.interval = 1e-6};
    ReportOptions data = options;
    data.content = ReportOptions::Content::data;
    const auto page = report(*model, options);
    const auto alone = report(*model, data);
    ASSERT_TRUE(page && alone);
    EXPECT_TRUE(deflated_in(page->page));
    const nlohmann::json run = test::data_of_page(page->page)["run"];
    EXPECT_EQ(run, nlohmann::json::parse(alone->page)["run"]);
    EXPECT_GT(alone->page.size(), 2 * kReadableData);
    EXPECT_LT(page->page.size(), empty_page().size() + kReadableData);
}

TEST(PackedNumbers, BeginAtWords) {
    OrderedJson data = data_with_numbers(3);
    const std::string numbers = part_bytes(data);
    const OrderedJson& run = data["run"];
    EXPECT_EQ(run["none"]["bytes"], OrderedJson({0, 0}));
    EXPECT_EQ(run["halves"]["bytes"], OrderedJson({0, 6}));
    EXPECT_EQ(run["floats"]["bytes"], OrderedJson({8, 12}));
    EXPECT_EQ(run["list"][0]["doubles"]["bytes"], OrderedJson({20, 24}));
    EXPECT_EQ(numbers.size(), 44U);
}

TEST(Deflated, IsInflatedToTheSame) {
    std::mt19937 random(3);
    for (const std::size_t size : {0U, 1U, 5U, 70'000U, 1'000'000U}) {
        std::string noise(size, '\0');
        for (char& c : noise) c = static_cast<char>(random());
        EXPECT_EQ(test::inflated(deflated(noise)), noise);
        const std::string zeros(size, '\0');
        EXPECT_EQ(test::inflated(deflated(zeros)), zeros);
        EXPECT_LT(deflated(zeros).size(), 20 + size / 500);
    }
}

TEST(Planes, HaveLowestBytesOfDifferencesFirst) {
    // 0x00000001, 0x04030201, 0x00000101, 0x04030200, filled up: 0x000000ff.
    const std::string numbers = std::string("\x01\0\0\0\x01\x02\x03\x04\x01\x01\0\0\0\x02\x03\x04\xff", 17);
    // Differences from the last but one: 1, 0x04030201, 0x100, -1, 0xff - 0x101 = -2.
    EXPECT_EQ(in_planes(numbers), std::string("\x01\x01\0\xff\xfe"
                                              "\0\x02\x01\xff\xff"
                                              "\0\x03\0\xff\xff"
                                              "\0\x04\0\xff\xff",
                                              20));
    EXPECT_EQ(in_planes(""), "");
}

TEST(Planes, AreTakenBack) {
    std::mt19937 random(5);
    for (std::size_t size = 0; size < 40; ++size) {
        std::string bytes(size, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        EXPECT_EQ(test::out_of_planes(in_planes(bytes)), bytes + std::string((4 - size % 4) % 4, '\0'));
    }
}

}  // namespace
}  // namespace bondgraph::api
