// Texts with the indices of arrays in them.

#include "bondgraph/model/array_text.hpp"

#include <algorithm>
#include <charconv>

#include "bondgraph/expression/lexer.hpp"

namespace bondgraph::model {

std::string with_index(std::string_view text, const PartIndex& index) {
    const auto tokens = expression::tokenize(text);
    std::string result;
    std::size_t copied = 0;
    for (std::size_t t = 0; t < tokens.items.size(); ++t) {
        const expression::Token& token = tokens.items[t];
        const bool after_dot = t > 0 && tokens.items[t - 1].kind == expression::TokenKind::dot;
        if (token.kind != expression::TokenKind::identifier || after_dot) continue;
        if (token.text != kIndexNames[0] && token.text != kIndexNames[1]) continue;
        result += text.substr(copied, token.offset - copied);
        result += std::to_string(token.text == kIndexNames[0] ? index.i : index.j);
        copied = token.offset + token.text.size();
    }
    result += text.substr(copied);
    return result;
}

bool names_index(std::string_view text, std::string_view index) {
    if (text.find(index) == std::string_view::npos) return false;
    const auto tokens = expression::tokenize(text);
    for (std::size_t t = 0; t < tokens.items.size(); ++t) {
        const expression::Token& token = tokens.items[t];
        const bool after_dot = t > 0 && tokens.items[t - 1].kind == expression::TokenKind::dot;
        if (token.kind == expression::TokenKind::identifier && token.text == index && !after_dot) return true;
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
    using expression::TokenKind;
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

IndexedText::IndexedText(const Text& text) {
    std::size_t begin = 0;
    while (true) {
        const std::size_t open = find_index(text.text, begin);
        const std::size_t close = open == std::string::npos ? open : text.text.find(']', open);
        if (close == std::string::npos) break;
        Text inside{text.text.substr(open + 1, close - open - 1), text.position};
        inside.position.column += static_cast<std::uint32_t>(open + 1 + (text.quoted ? 1 : 0));
        indices.push_back({std::move(inside), text.text.substr(begin, open - begin)});
        begin = close + 1;
    }
    after = text.text.substr(begin);
}

bool IndexedText::names(std::string_view index) const {
    return std::ranges::any_of(indices, [&](const Index& inside) { return names_index(inside.text.text, index); });
}

}  // namespace bondgraph::model
