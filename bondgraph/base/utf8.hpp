#pragma once

#include <cstddef>
#include <string_view>

namespace bondgraph {

/// The number of bytes of the well-formed UTF-8 character at `offset`, or 0 when the bytes there are not one
/// (overlong forms, surrogates and values above U+10FFFF are not well formed: The Unicode Standard, table 3-7).
constexpr std::size_t utf8_length(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0U;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (offset >= text.size()) return 0;
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first <= 0xDFU) return continues(1) ? 2 : 0;
    if (first >= 0xE0U && first <= 0xEFU) {
        const unsigned low = first == 0xE0U ? 0xA0U : 0x80U;
        const unsigned high = first == 0xEDU ? 0x9FU : 0xBFU;
        return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const unsigned low = first == 0xF0U ? 0x90U : 0x80U;
        const unsigned high = first == 0xF4U ? 0x8FU : 0xBFU;
        return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

/// The number of characters in `text`; a byte that belongs to no well-formed character counts as one.
constexpr std::size_t utf8_count(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) {
        const std::size_t length = utf8_length(text, i);
        i += length > 0 ? length : 1;
    }
    return count;
}

/// A byte-order mark in front of a file; it is no part of the first line.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace bondgraph
