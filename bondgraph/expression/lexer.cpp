#include "bondgraph/expression/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace bondgraph::expression {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Character {
    char32_t code = 0;
    std::size_t length = 1;
    bool valid = false;
};

/// The UTF-8 character at `at`; a byte that begins none is an invalid character of length 1.
Character decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
    char32_t code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) return {};
        code = code << 6U | (byte(at + i) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < kSmallest[length] || surrogate || code > 0x10FFFF) return {};
    return {code, length, true};
}

/// Blocks of Unicode without letters: their characters are signs that nobody would expect within a name. Superscripts
/// are among them on purpose, since x² looks like a power; subscripts (x₁) and letter-like symbols (Ω) are not.
bool is_letter(char32_t code) {
    if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || code == '_';
    if (code == 0xAA || code == 0xB5 || code == 0xBA) return true;
    constexpr std::array<std::pair<char32_t, char32_t>, 12> kSigns{{
        {0x80, 0xBF},
        {0xD7, 0xD7},
        {0xF7, 0xF7},
        {0x2000, 0x207F},
        {0x20A0, 0x20FF},
        {0x2150, 0x2BFF},
        {0x3000, 0x303F},
        {0xD800, 0xF8FF},
        {0xFE00, 0xFE6F},
        {0xFEFF, 0xFF20},
        {0xFFE0, 0xFFFF},
        {0x1F000, 0x1FAFF},
    }};
    return std::none_of(kSigns.begin(), kSigns.end(),
                        [&](const auto& block) { return code >= block.first && code <= block.second; });
}

struct Spelling {
    std::string_view text;
    TokenKind kind;
};

// Longer signs come before their beginnings.
constexpr std::array<Spelling, 19> kSigns{{
    {"<=", TokenKind::less_equal},  {">=", TokenKind::greater_equal}, {"==", TokenKind::equal},
    {"!=", TokenKind::not_equal},   {"<>", TokenKind::not_equal},     {"<", TokenKind::less},
    {">", TokenKind::greater},      {"=", TokenKind::assign},         {"+", TokenKind::plus},
    {"-", TokenKind::minus},        {"*", TokenKind::times},          {"/", TokenKind::divide},
    {"^", TokenKind::power},        {"(", TokenKind::open},           {")", TokenKind::close},
    {"[", TokenKind::open_bracket}, {"]", TokenKind::close_bracket},  {",", TokenKind::comma},
    {".", TokenKind::dot},
}};

constexpr std::array<Spelling, 9> kWords{{
    {"if", TokenKind::word_if},
    {"then", TokenKind::word_then},
    {"elseif", TokenKind::word_elseif},
    {"else", TokenKind::word_else},
    {"and", TokenKind::word_and},
    {"or", TokenKind::word_or},
    {"not", TokenKind::word_not},
    {"true", TokenKind::word_true},
    {"false", TokenKind::word_false},
}};

struct Foreign {
    std::string_view text;
    std::string_view advice;
};

// Signs of other languages and of typeset mathematics, with what they are called here.
constexpr std::array<Foreign, 19> kForeign{{
    {"&&", "write 'and'"},
    {"&", "write 'and'"},
    {"||", "write 'or'"},
    {"|", "write 'or'"},
    {"!", "write 'not'"},
    {"?", "write 'if c then a else b' for 'c ? a : b'"},
    {"**", "write '^' for a power"},
    {"×", "write '*' for a product"},
    {"·", "write '*' for a product"},
    {"⋅", "write '*' for a product"},
    {"÷", "write '/' for a quotient"},
    {"−", "write '-'"},
    {"–", "write '-'"},
    {"≤", "write '<='"},
    {"≥", "write '>='"},
    {"≠", "write '!='"},
    {"²", "write '^2'"},
    {"³", "write '^3'"},
    {"√", "write 'sqrt(x)'"},
}};

class Lexer {
   public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Tokens run() {
        Tokens tokens;
        if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
            tokens.mistake = SyntaxError(0, "the expression is longer than 4 GB");
        }
        try {
            while (!tokens.mistake && skip_space()) tokens.items.push_back(next());
        } catch (const SyntaxError& mistake) {
            tokens.mistake = mistake;
        }
        const auto at = tokens.mistake ? tokens.mistake->offset() : static_cast<std::uint32_t>(text_.size());
        tokens.items.push_back({tokens.mistake ? TokenKind::mistake : TokenKind::end, at, {}, 0.0});
        return tokens;
    }

   private:
    [[noreturn]] static void fail(std::size_t at, const std::string& message) {
        throw SyntaxError(static_cast<std::uint32_t>(at), message);
    }
    [[nodiscard]] char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
    [[nodiscard]] bool continues_name(std::size_t at) const {
        if (at >= text_.size()) return false;
        if (is_digit(text_[at])) return true;
        const Character c = decode(text_, at);
        return c.valid && is_letter(c.code);
    }

    bool skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
        return at_ < text_.size();
    }

    Token take(TokenKind kind, std::size_t length, double number = 0.0) {
        const Token token{kind, static_cast<std::uint32_t>(at_), text_.substr(at_, length), number};
        at_ += length;
        return token;
    }

    Token next() {
        if (is_digit(text_[at_]) || (text_[at_] == '.' && is_digit(peek(at_ + 1)))) return number();
        if (continues_name(at_)) return word();
        const std::string_view rest = text_.substr(at_);
        const auto begins = [&](const auto& candidate) { return rest.starts_with(candidate.text); };
        const auto sign = std::find_if(kSigns.begin(), kSigns.end(), begins);
        if (!rest.starts_with("**") && sign != kSigns.end()) return take(sign->kind, sign->text.size());
        const auto foreign = std::find_if(kForeign.begin(), kForeign.end(), begins);
        if (foreign != kForeign.end()) fail(at_, fmt::format("'{}' is unknown; {}", foreign->text, foreign->advice));
        const Character c = decode(text_, at_);
        if (!c.valid || c.code < 0x20 || c.code == 0x7F) {
            fail(at_, fmt::format("unexpected character (byte 0x{:02X})", static_cast<unsigned char>(text_[at_])));
        }
        if (c.code == 0xA0) fail(at_, "unexpected character: a no-break space; write an ordinary space");
        fail(at_, fmt::format("unexpected character '{}'", rest.substr(0, c.length)));
    }

    Token word() {
        std::size_t end = at_;
        while (continues_name(end)) end += decode(text_, end).length;
        const std::string_view text = text_.substr(at_, end - at_);
        const auto word = std::find_if(kWords.begin(), kWords.end(), [&](const auto& w) { return w.text == text; });
        return take(word == kWords.end() ? TokenKind::identifier : word->kind, text.size());
    }

    [[nodiscard]] std::size_t digits(std::size_t at) const {
        while (is_digit(peek(at))) ++at;
        return at;
    }

    /// The exponent that begins at `at`, if one does: "2eV" is a number and a name, "2e" and "2e+" are mistakes.
    [[nodiscard]] std::size_t exponent(std::size_t at) const {
        if (peek(at) != 'e' && peek(at) != 'E') return at;
        const std::size_t sign = peek(at + 1) == '+' || peek(at + 1) == '-' ? 1 : 0;
        if (is_digit(peek(at + 1 + sign))) return digits(at + 1 + sign);
        if (sign == 0 && continues_name(at + 1)) return at;
        fail(at + 1 + sign,
             fmt::format("'{}' is not a number: digits are expected after it", text_.substr(at_, at + 1 + sign - at_)));
    }

    Token number() {
        std::size_t end = digits(at_);
        if (end == at_ + 1 && text_[at_] == '0' && (peek(end) == 'x' || peek(end) == 'X')) {
            if (std::isxdigit(static_cast<unsigned char>(peek(end + 1))) != 0) {
                fail(end, "numbers are written in decimal digits; '0x' means nothing here");
            }
        }
        if (peek(end) == '.') end = digits(end + 1);
        end = exponent(end);
        if (peek(end) == '.') fail(end, "a number has only one decimal point, and none in its exponent");
        double value = 0.0;
        const std::string_view text = text_.substr(at_, end - at_);
        const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
        if (result.ec == std::errc::result_out_of_range) {
            fail(at_,
                 fmt::format("the number '{}' is {}: numbers go from 4.9e-324 to 1.8e+308", text, beyond_range(text)));
        }
        return take(TokenKind::number, text.size(), value);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::string_view beyond_range(std::string_view number) {
    const std::size_t e = number.find_first_of("eE");
    const std::string_view mantissa = number.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t leading = std::min(mantissa.find_first_of("123456789"), mantissa.size());
    // Of the first digit that isn't zero, up to one.
    const auto power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading);
    if (e == std::string_view::npos) return power < 0 ? "too small" : "too large";
    std::string_view digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    std::int64_t exponent = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    const bool endless = result.ec == std::errc::result_out_of_range || exponent > kFar || exponent < -kFar;
    const bool negative = endless ? digits.starts_with('-') : exponent + power < 0;
    return negative ? "too small" : "too large";
}

Tokens tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace bondgraph::expression
