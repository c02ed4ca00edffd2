#include "bondgraph/io/cut_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "0" and "5 ohm", the two halves of "0,5 ohm".
bool is_decimal_comma(std::string_view before, std::string_view after) {
    const bool number = std::all_of(before.begin() + (before.starts_with('-') || before.starts_with('+') ? 1 : 0),
                                    before.end(), is_digit);
    return number && !before.empty() && is_digit(before.back()) && is_digit(after.front());
}

bool holds_prose(std::string_view key) {
    constexpr std::array<std::string_view, 3> kProse{"doc", "description", "title"};
    return std::find(kProse.begin(), kProse.end(), key) != kProse.end();
}

void report_decimal_comma(SourcePosition place, const std::string& number, Diagnostics& diagnostics) {
    diagnostics.error("BG-Y009", place, "a number has a decimal point, not a comma",
                      {{"because", "inside { } a ',' ends the value before it"},
                       {"try", fmt::format("write {}", quoted_excerpt(number))}});
}

void report_cut_text(SourcePosition place, const std::string& key, const std::string& text, Diagnostics& diagnostics) {
    diagnostics.error("BG-Y009", place, fmt::format("the text of '{}' is cut at a ','", key),
                      {{"because", "inside { } a ',' ends the value before it"},
                       {"try", fmt::format("put the whole text in quotes: {}: \"{}\"", key, text)}});
}

}  // namespace

bool rejoin_cut_texts(YamlNode& map, std::span<const std::size_t> lone, Diagnostics& diagnostics) {
    bool any = false;
    std::size_t begun = 0;     // the pair whose value was cut
    std::size_t expected = 0;  // the pair that goes on with it
    SourcePosition reported;
    const auto finish = [&] {
        if (reported.known()) report_cut_text(reported, map.key(begun).scalar, map.value(begun).scalar, diagnostics);
        reported = {};
    };
    for (const std::size_t i : lone) {
        YamlNode& key = map.children[2 * i];
        if (i == 0 || key.kind != YamlNode::Kind::scalar || key.quoted || key.scalar.empty()) continue;
        if (i != expected || !reported.known()) {
            finish();
            begun = i - 1;
        }
        YamlNode& text = map.children[2 * begun + 1];
        if (text.kind != YamlNode::Kind::scalar || text.quoted || text.scalar.empty()) continue;
        if (holds_prose(map.key(begun).scalar)) {
            text.scalar += ", " + key.scalar;
            if (!reported.known()) reported = key.position;
        } else if (is_decimal_comma(text.scalar, key.scalar)) {
            text.scalar += "." + key.scalar;
            report_decimal_comma(key.position, text.scalar, diagnostics);
        } else {
            continue;
        }
        expected = i + 1;
        key.kind = YamlNode::Kind::null;
        any = true;
    }
    finish();
    return any;
}

}  // namespace bondgraph::io
