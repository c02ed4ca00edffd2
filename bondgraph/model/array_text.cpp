// Texts with the indices of arrays in them.

#include "bondgraph/model/array_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "bondgraph/expression/lexer.hpp"

namespace bondgraph::model {

namespace {

using expression::Token;
using expression::TokenKind;

/// Whether a token is a name by itself: no part of a longer one ("x.i", "i.e", "i[2]"), no function and no unit ("2
/// i").
bool stands_alone(const std::vector<Token>& tokens, std::size_t t) {
    if (tokens[t].kind != TokenKind::identifier) return false;
    const TokenKind before = t > 0 ? tokens[t - 1].kind : TokenKind::end;
    const TokenKind after = t + 1 < tokens.size() ? tokens[t + 1].kind : TokenKind::end;
    return before != TokenKind::dot && before != TokenKind::number && after != TokenKind::dot &&
           after != TokenKind::open_bracket && after != TokenKind::open;
}

}  // namespace

std::string with_index(std::string_view text, const PartIndex& index) {
    const auto tokens = expression::tokenize(text).items;
    std::string result;
    std::size_t copied = 0;
    int depth = 0;  // of brackets
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        const Token& token = tokens[t];
        if (token.kind == TokenKind::open_bracket) ++depth;
        if (token.kind == TokenKind::close_bracket) --depth;
        if (!stands_alone(tokens, t) || (token.text != kIndexNames[0] && token.text != kIndexNames[1])) continue;
        const std::size_t number = token.text == kIndexNames[0] ? index.i : index.j;
        const bool whole = t == 0 && t + 1 < tokens.size() && tokens[1].kind == TokenKind::end;
        result += text.substr(copied, token.offset - copied);
        // "i m" is no 3 m: a number with a unit is written as one.
        result += whole || depth > 0 ? fmt::format("{}", number) : fmt::format("({})", number);
        copied = token.offset + token.text.size();
    }
    result += text.substr(copied);
    return result;
}

bool names_index(std::string_view text, std::string_view index) {
    if (text.find(index) == std::string_view::npos) return false;
    const auto tokens = expression::tokenize(text).items;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        if (tokens[t].text == index && stands_alone(tokens, t)) return true;
    }
    return false;
}

std::optional<std::size_t> whole_number(std::string_view text) {
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<Text> comma_parts(const Text& list) {
    std::vector<Text> parts;
    for (std::size_t begin = 0; begin <= list.text.size();) {
        const std::size_t comma = std::min(list.text.find(',', begin), list.text.size());
        const std::size_t first = std::min(list.text.find_first_not_of(" \t", begin), comma);
        std::size_t last = comma;
        while (last > first && (list.text[last - 1] == ' ' || list.text[last - 1] == '\t')) --last;
        Text part{list.text.substr(first, last - first), list.position};
        part.position.column += static_cast<std::uint32_t>(first);
        parts.push_back(std::move(part));
        begin = comma + 1;
    }
    return parts;
}

std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names;
    const auto tokens = expression::tokenize(text);
    const auto kind = [&](std::size_t t) { return tokens.items[std::min(t, tokens.items.size() - 1)].kind; };
    for (std::size_t t = 0; t < tokens.items.size(); ++t) {
        if (kind(t) != TokenKind::identifier) continue;
        const std::size_t begin = tokens.items[t].offset;
        std::size_t end = t + 1;
        while (kind(end) == TokenKind::dot || kind(end) == TokenKind::open_bracket) {
            const TokenKind last = kind(end) == TokenKind::dot ? TokenKind::identifier : TokenKind::close_bracket;
            while (kind(end) != last && kind(end) != TokenKind::end && kind(end) != TokenKind::mistake) ++end;
            if (kind(end) != last) break;
            ++end;
        }
        const std::size_t stop = end < tokens.items.size() ? tokens.items[end].offset : text.size();
        std::string name(text.substr(begin, stop - begin));
        name.erase(name.find_last_not_of(" \t") + 1);
        names.push_back(std::move(name));
        t = end - 1;
    }
    return names;
}

std::size_t find_index(std::string_view text, std::size_t from) {
    const auto in_name = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c < 0;
    };
    for (std::size_t open = text.find('[', from); open != std::string_view::npos; open = text.find('[', open + 1)) {
        if (open > 0 && in_name(text[open - 1])) return open;
    }
    return std::string_view::npos;
}

bool has_open_index(std::string_view text) {
    for (std::size_t open = find_index(text, 0); open != std::string_view::npos; open = find_index(text, open + 1)) {
        const std::size_t stop = text.find_first_not_of("0123456789, ", open + 1);
        if (stop != std::string_view::npos && text[stop] != ']') return true;
    }
    return false;
}

std::string without_indices(std::string_view name) {
    std::string result;
    int depth = 0;
    for (const char c : name) {
        if (c == '[') ++depth;
        if (depth == 0) result += c;
        if (c == ']') --depth;
    }
    return result;
}

std::optional<std::size_t> largest_of(const ArraySizes& arrays, std::string_view name, std::size_t indices,
                                      std::size_t d) {
    std::optional<std::size_t> result;
    const auto look = [&](const std::vector<std::size_t>& sizes) {
        if (sizes.size() == indices) result = std::max(result.value_or(0), sizes[d]);
    };
    if (name.find('[') == std::string_view::npos) {
        if (const auto found = arrays.find(name); found != arrays.end()) look(found->second);
        return result;
    }
    const std::string wanted = without_indices(name);
    for (const auto& [other, sizes] : arrays) {
        if (without_indices(other) == wanted) look(sizes);
    }
    return result;
}

IndexedText::IndexedText(const Text& text) : position(text.position) {
    std::size_t begin = 0;
    std::string name;
    bool exact = true;
    while (true) {
        const std::size_t open = find_index(text.text, begin);
        const std::size_t close = open == std::string::npos ? open : text.text.find(']', open);
        if (close == std::string::npos) break;
        Text inside{text.text.substr(open + 1, close - open - 1), text.position};
        inside.position.column += static_cast<std::uint32_t>(open + 1 + (text.quoted ? 1 : 0));
        Index index{.before = text.text.substr(begin, open - begin), .exact = exact, .parts = comma_parts(inside)};
        name += index.before;
        index.array = name;
        index.inner = text.text.substr(close + 1).starts_with('.');
        name += '[';
        std::string_view comma;
        for (const Text& part : index.parts) {
            const auto number = whole_number(part.text);
            exact = exact && number;
            name += fmt::format("{}{}", comma, number.value_or(1));
            comma = ",";
        }
        name += ']';
        indices.push_back(std::move(index));
        begin = close + 1;
    }
    after = text.text.substr(begin);
}

bool IndexedText::names(std::string_view index) const {
    return std::ranges::any_of(indices, [&](const Index& one) {
        return std::ranges::any_of(one.parts, [&](const Text& part) { return names_index(part.text, index); });
    });
}

std::optional<std::string> IndexedText::with(const Number& number) const {
    std::string text;
    for (const Index& index : indices) {
        std::vector<std::string> parts;
        for (const Text& part : index.parts) {
            auto one = number(index, part);
            if (!one) return std::nullopt;
            parts.push_back(*std::move(one));
        }
        text += fmt::format("{}[{}]", index.before, fmt::join(parts, ","));
    }
    return text + after;
}

}  // namespace bondgraph::model
