#pragma once

// The data in a page, read without what has written them.

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::test {

inline constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string bytes_of_base64(std::string_view base64) {
    std::string bytes;
    unsigned held = 0;
    int bits = 0;
    for (const char c : base64) {
        if (c == '=') break;
        held = held << 6U | static_cast<unsigned>(kBase64Digits.find(c));
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(held >> static_cast<unsigned>(bits) & 0xFFU);
    }
    return bytes;
}

template <class Number>
std::vector<Number> numbers_of_base64(const std::string& text) {
    const std::string bytes = bytes_of_base64(text);
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return numbers;
}

inline std::string base64_of(std::string_view bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t held = 0;
        for (std::size_t k = 0; k < 3; ++k)
            held = held << 8U | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
        for (unsigned k = 0; k < 4; ++k)
            text += i + k > bytes.size() ? '=' : kBase64Digits[held >> (18U - 6U * k) & 63U];
    }
    return text;
}

inline std::string inflated(const std::string& bytes) {
    std::string text;
    std::string piece(1U << 16U, '\0');
    z_stream stream{};
    EXPECT_EQ(inflateInit(&stream), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    int told = Z_OK;
    while (told == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        told = inflate(&stream, Z_NO_FLUSH);
        text.append(piece, 0, piece.size() - stream.avail_out);
    }
    EXPECT_EQ(told, Z_STREAM_END);
    EXPECT_EQ(stream.avail_in, 0U);
    inflateEnd(&stream);
    return text;
}

/// Of words whose bytes lie apart, each as its difference from the last but one.
inline std::string out_of_planes(const std::string& planes) {
    const std::size_t count = planes.size() / 4;
    std::vector<std::uint32_t> words(count);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
        words[i] = i < 2 ? 0U : words[i - 2];
        for (std::size_t k = 0; k < 4; ++k)
            words[i] += std::uint32_t{static_cast<std::uint8_t>(planes[k * count + i])} << 8U * k;
        for (std::size_t k = 0; k < 4; ++k) bytes += static_cast<char>(words[i] >> 8U * k & 0xFFU);
    }
    return bytes;
}

inline void put_numbers(nlohmann::json& data, const std::string& numbers) {
    if (data.is_object() && data.size() == 1 && data.contains("bytes") && data["bytes"].is_array()) {
        const auto from = data["bytes"][0].get<std::size_t>();
        data = base64_of(std::string_view(numbers).substr(from, data["bytes"][1].get<std::size_t>()));
    } else if (data.is_structured()) {
        for (nlohmann::json& inner : data) put_numbers(inner, numbers);
    }
}

/// What stands in its script.
inline nlohmann::json held_by_page(const std::string& page) {
    constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(kBegin) + kBegin.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Numbers as base64, whichever way the page holds them.
inline nlohmann::json data_of_page(const std::string& page) {
    const nlohmann::json held = held_by_page(page);
    if (!held.contains("deflated")) return held;
    const auto part = [&](const char* name) {
        return inflated(bytes_of_base64(held["deflated"][name].get<std::string>()));
    };
    nlohmann::json data = nlohmann::json::parse(part("data"));
    put_numbers(data, out_of_planes(part("numbers")));
    return data;
}

}  // namespace bondgraph::test
