#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bondgraph/expression/syntax.hpp"

namespace bondgraph::expression {

enum class TokenKind : std::uint8_t {
    number,
    identifier,
    plus,
    minus,
    times,
    divide,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    assign,
    open,
    close,
    open_bracket,
    close_bracket,
    comma,
    dot,
    word_if,
    word_then,
    word_elseif,
    word_else,
    word_and,
    word_or,
    word_not,
    word_true,
    word_false,
    mistake,  ///< the text from here on is not lexed; see Tokens::mistake
    end,
};

/// One word or sign of an expression text.
struct Token {
    TokenKind kind = TokenKind::end;
    std::uint32_t offset = 0;
    std::string_view text;
    double number = 0.0;
};

/// The tokens of a text, the last one being `end` or `mistake`. The first lexical mistake is kept rather than thrown,
/// so that a mistake in the grammar further left is reported first.
struct Tokens {
    std::vector<Token> items;
    std::optional<SyntaxError> mistake;
};

/// How a decimal number that double precision can't hold misses its range: "too small" or "too large".
std::string_view beyond_range(std::string_view number);

/// The tokens refer to `text`, which must outlive them.
Tokens tokenize(std::string_view text);

}  // namespace bondgraph::expression
