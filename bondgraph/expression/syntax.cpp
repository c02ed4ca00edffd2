#include "bondgraph/expression/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "bondgraph/expression/lexer.hpp"

namespace bondgraph::expression {
namespace {

using Index = std::uint32_t;

constexpr int kNestingLimit = 200;

bool is_relation(TokenKind kind) { return kind >= TokenKind::less && kind <= TokenKind::not_equal; }

bool is_reserved(TokenKind kind) { return kind >= TokenKind::word_if && kind <= TokenKind::word_false; }

bool begins_value(TokenKind kind) {
    return kind == TokenKind::number || kind == TokenKind::identifier || kind == TokenKind::open ||
           kind == TokenKind::open_bracket || kind == TokenKind::word_true || kind == TokenKind::word_false ||
           kind == TokenKind::word_if || kind == TokenKind::word_not;
}

/// Recursive descent, one function per rule of the grammar. Rules that repeat (sums, products, elseif) are loops;
/// what recurses is counted by Nesting.
class Parser {
   public:
    explicit Parser(std::string_view text) : tokens_(tokenize(text)) {
        result_.text = text;
        if (text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos) {
            fail(0, "an expression is expected here");
        }
        stop_at_mistake();
    }

    Syntax expression() {
        result_.root = parse_expression();
        if (kind() != TokenKind::end) fail_after_value();
        return std::move(result_);
    }

    Syntax equation() {
        result_.root = parse_expression();
        if (kind() == TokenKind::end) fail_without_assignment();
        if (kind() != TokenKind::assign) fail_after_value();
        advance();
        result_.right = parse_expression();
        if (kind() == TokenKind::assign) {
            fail(current().offset, "an equation has only one '='; write '==' to compare");
        }
        if (kind() != TokenKind::end) fail_after_value();
        return std::move(result_);
    }

   private:
    /// Lives while one more level is open.
    class Nesting {
       public:
        Nesting(Parser& parser, Index offset) : parser_(parser) {
            if (parser_.depth_ == kNestingLimit) fail(offset, "the expression is nested too deeply");
            ++parser_.depth_;
        }
        ~Nesting() { --parser_.depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

       private:
        Parser& parser_;
    };

    [[noreturn]] static void fail(Index offset, const std::string& message, std::string suggestion = {}) {
        throw SyntaxError(offset, message, std::move(suggestion));
    }

    // --- tokens

    [[nodiscard]] const Token& current() const { return tokens_.items[at_]; }
    [[nodiscard]] TokenKind kind() const { return current().kind; }
    /// The token `ahead` places further on, or the last one.
    [[nodiscard]] const Token& look(std::size_t ahead) const {
        return tokens_.items[std::min(at_ + ahead, tokens_.items.size() - 1)];
    }
    void advance() {
        ++at_;
        stop_at_mistake();
    }
    void stop_at_mistake() const {
        if (kind() == TokenKind::mistake) throw SyntaxError(*tokens_.mistake);
    }

    // --- nodes

    Index add(SyntaxKind kind, Index offset, std::string text, std::initializer_list<Index> children) {
        return add(kind, offset, std::move(text), std::vector<Index>(children));
    }
    Index add(SyntaxKind kind, Index offset, std::string text, std::vector<Index> children) {
        result_.nodes.push_back({kind, offset, 0.0, std::move(text), std::move(children)});
        return static_cast<Index>(result_.nodes.size() - 1);
    }
    Index add_number(double number) {
        const Index node = add(SyntaxKind::number, current().offset, {}, {});
        result_.nodes[node].number = number;
        advance();
        return node;
    }

    // --- the grammar

    Index parse_expression() { return kind() == TokenKind::word_if ? parse_conditional() : parse_or(); }

    Index parse_conditional() {
        struct Branch {
            Index offset;
            Index condition;
            Index value;
        };
        const Nesting level(*this, current().offset);
        std::vector<Branch> branches;
        do {
            const Index offset = current().offset;
            const std::string_view word = current().text;
            advance();
            const Index condition = parse_expression();
            if (kind() != TokenKind::word_then) {
                if (!begins_value(kind())) fail_if_misplaced();
                fail(current().offset, fmt::format("'then' is expected here, after the condition of '{}'", word));
            }
            advance();
            branches.push_back({offset, condition, parse_expression()});
        } while (kind() == TokenKind::word_elseif);
        if (kind() != TokenKind::word_else) {
            fail_if_misplaced();
            fail(current().offset, "an 'if' expression needs an 'else'",
                 "write 'if condition then value else other value'");
        }
        advance();
        Index node = parse_expression();
        for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
            node = add(SyntaxKind::conditional, branch->offset, {}, {branch->condition, branch->value, node});
        }
        return node;
    }

    Index parse_or() {
        Index left = parse_and();
        while (kind() == TokenKind::word_or) left = add_binary(left, "or", &Parser::parse_and);
        return left;
    }

    Index parse_and() {
        Index left = parse_not();
        while (kind() == TokenKind::word_and) left = add_binary(left, "and", &Parser::parse_not);
        return left;
    }

    Index parse_not() {
        if (kind() != TokenKind::word_not) return parse_relation();
        const Index offset = current().offset;
        const Nesting level(*this, offset);
        advance();
        return add(SyntaxKind::unary, offset, "not", {parse_not()});
    }

    Index parse_relation() {
        const Index left = parse_sum();
        if (!is_relation(kind())) return left;
        // "<>" and "!=" are one operator.
        const std::string_view sign = kind() == TokenKind::not_equal ? "!=" : current().text;
        return add_binary(left, sign, &Parser::parse_sum);
    }

    Index parse_sum() {
        Index left = 0;
        if (kind() == TokenKind::plus || kind() == TokenKind::minus) {
            const bool negative = kind() == TokenKind::minus;
            const Index offset = current().offset;
            const Nesting level(*this, offset);
            advance();
            left = parse_term();
            if (negative) left = add(SyntaxKind::unary, offset, "-", {left});
        } else {
            left = parse_term();
        }
        while (kind() == TokenKind::plus || kind() == TokenKind::minus) {
            left = add_binary(left, current().text, &Parser::parse_term);
        }
        return left;
    }

    Index parse_term() {
        Index left = parse_factor();
        while (kind() == TokenKind::times || kind() == TokenKind::divide) {
            left = add_binary(left, current().text, &Parser::parse_factor);
        }
        return left;
    }

    Index parse_factor() {
        const Index offset = current().offset;
        if (kind() == TokenKind::minus) {
            const Nesting level(*this, offset);
            advance();
            return add(SyntaxKind::unary, offset, "-", {parse_factor()});
        }
        const Index base = parse_atom();
        if (kind() != TokenKind::power) return base;
        const Nesting level(*this, current().offset);
        return add_binary(base, "^", &Parser::parse_factor);
    }

    Index add_binary(Index left, std::string_view sign, Index (Parser::*operand)()) {
        const Index offset = current().offset;
        advance();
        const Index right = (this->*operand)();
        return add(SyntaxKind::binary, offset, std::string(sign), {left, right});
    }

    Index parse_atom() {
        const Token& token = current();
        switch (token.kind) {
            case TokenKind::number:
                return add_number(token.number);
            case TokenKind::word_true:
                return add_number(1.0);
            case TokenKind::word_false:
                return add_number(0.0);
            case TokenKind::identifier:
                return parse_name();
            case TokenKind::open: {
                advance();
                const Nesting level(*this, token.offset);
                const Index inner = parse_expression();
                close(token, TokenKind::close);
                return inner;
            }
            case TokenKind::open_bracket: {
                advance();
                return add(SyntaxKind::list, token.offset, {}, parse_items(token, TokenKind::close_bracket));
            }
            default:
                fail_without_value();
        }
    }

    /// A name with what belongs to it: indices before a "." are part of its text, others make an index node.
    Index parse_name() {
        const Index offset = current().offset;
        std::string name(current().text);
        advance();
        while (true) {
            if (kind() == TokenKind::dot) {
                advance();
                if (kind() != TokenKind::identifier) fail_without_part();
                name += fmt::format(".{}", current().text);
                advance();
            } else if (const std::size_t length = inner_index_length(); length > 0) {
                for (std::size_t i = 0; i < length; ++i, advance()) name += current().text;
            } else {
                break;
            }
        }
        const Token& bracket = current();
        if (kind() == TokenKind::open) {
            advance();
            std::vector<Index> arguments;
            if (kind() == TokenKind::close) {
                advance();
            } else {
                arguments = parse_items(bracket, TokenKind::close);
            }
            return add(SyntaxKind::call, offset, std::move(name), std::move(arguments));
        }
        if (kind() != TokenKind::open_bracket) return add(SyntaxKind::name, offset, std::move(name), {});
        std::vector<Index> children{add(SyntaxKind::name, offset, std::move(name), {})};
        advance();
        const std::vector<Index> indices = parse_items(bracket, TokenKind::close_bracket);
        if (indices.size() > 2) fail(bracket.offset, "a name has at most two indices, for row and column");
        if (kind() == TokenKind::dot) fail(bracket.offset, "an index within a name has to be a whole number");
        children.insert(children.end(), indices.begin(), indices.end());
        return add(SyntaxKind::index, offset, {}, std::move(children));
    }

    /// The number of tokens of "[1]" or "[1,2]" here, if a "." follows; 0 otherwise.
    [[nodiscard]] std::size_t inner_index_length() const {
        if (kind() != TokenKind::open_bracket) return 0;
        std::size_t i = 0;
        do {
            const Token& number = look(i + 1);
            const bool whole = number.text.find_first_not_of("0123456789") == std::string_view::npos;
            if (number.kind != TokenKind::number || !whole) return 0;
            i += 2;
        } while (look(i).kind == TokenKind::comma);
        return look(i).kind == TokenKind::close_bracket && look(i + 1).kind == TokenKind::dot ? i + 1 : 0;
    }

    /// At least one expression, commas between them, and the closing sign.
    std::vector<Index> parse_items(const Token& opening, TokenKind closing) {
        const Nesting level(*this, opening.offset);
        std::vector<Index> items{parse_expression()};
        while (kind() == TokenKind::comma) {
            advance();
            items.push_back(parse_expression());
        }
        close(opening, closing);
        return items;
    }

    void close(const Token& opening, TokenKind closing) {
        if (kind() == closing) return advance();
        if (kind() == TokenKind::comma) fail_at_comma();
        fail_if_misplaced();
        fail(current().offset, fmt::format("'{}' is expected here, to close an earlier '{}'",
                                           closing == TokenKind::close ? ")" : "]", opening.text));
    }

    // --- what is wrong

    [[noreturn]] void fail_without_value() const {
        const Token& token = current();
        if (token.kind == TokenKind::end) fail(token.offset, "the expression ends where a value is expected");
        if (token.kind == TokenKind::word_if || token.kind == TokenKind::word_not) {
            fail(token.offset, fmt::format("'{}' needs parentheses around it to be an operand", token.text));
        }
        fail(token.offset, fmt::format("a value is expected here, not '{}'", token.text));
    }

    [[noreturn]] void fail_without_part() const {
        if (is_reserved(kind()))
            fail(current().offset, fmt::format("'{}' is reserved and can't be a name", current().text));
        fail(current().offset, "a name is expected after '.'");
    }

    [[noreturn]] void fail_without_assignment() const {
        const SyntaxNode& left = result_.nodes[result_.root];
        if (left.kind == SyntaxKind::binary && left.text == "==") {
            fail(left.offset, "write '=' for an equation; '==' compares");
        }
        fail(current().offset, "an equation needs an '='", "left side = right side");
    }

    [[noreturn]] void fail_at_comma() const {
        fail(current().offset, "a ',' separates the arguments of a function or the items of a list",
             "write '.' for a decimal point");
    }

    /// The whole text is a complete expression before the current token.
    [[noreturn]] void fail_after_value() const {
        fail_if_misplaced();
        const Token& token = current();
        if (token.kind == TokenKind::comma) fail_at_comma();
        if (token.kind == TokenKind::close) fail(token.offset, "this ')' has no '(' before it");
        if (token.kind == TokenKind::close_bracket) fail(token.offset, "this ']' has no '[' before it");
        if (is_reserved(token.kind)) fail(token.offset, fmt::format("this '{}' belongs to no 'if'", token.text));
        fail(token.offset, fmt::format("unexpected '{}'", token.text));
    }

    /// "6 ohm" of "2*3 ohm", where numbers alone are multiplied and divided before the current word, which ends the
    /// text with what belongs to it: "N.s/m". Empty for all else.
    [[nodiscard]] std::string product_before_unit() const {
        if (at_ < 3 || at_ % 2 == 0) return "";
        double value = tokens_.items[0].number;
        for (std::size_t k = 0; k < at_; ++k) {
            const Token& token = tokens_.items[k];
            const bool number = token.kind == TokenKind::number;
            if (k % 2 == 0 ? !number : token.kind != TokenKind::times && token.kind != TokenKind::divide) return "";
            if (k == 0 || k % 2 == 1) continue;
            value = tokens_.items[k - 1].kind == TokenKind::times ? value * token.number : value / token.number;
        }
        const std::string_view unit = std::string_view(result_.text).substr(current().offset);
        const bool alone = std::ranges::none_of(
            unit, [](char c) { return std::string_view(" \t()[],*+-<>=").find(c) != std::string_view::npos; });
        return alone ? fmt::format("{:.12g} {}", value, unit) : "";
    }

    /// Refuses tokens that can't follow a value whatever is open around it.
    void fail_if_misplaced() const {
        const Token& token = current();
        const Token& before = tokens_.items[at_ - 1];
        if (token.kind == TokenKind::identifier && before.kind == TokenKind::number) {
            if (before.number == 0.0)
                fail(token.offset, "a unit can only stand behind a single number, not in an expression; 0 needs none");
            if (const std::string product = product_before_unit(); !product.empty())
                fail(token.offset,
                     fmt::format("a unit can only stand behind a single number, not in an expression; write '{}'",
                                 product));
            fail(token.offset,
                 fmt::format("a unit can only stand behind a single number, not in an expression; give '{} {}' to a "
                             "parameter and write its name here, or '{}*{}' for a product",
                             before.text, token.text, before.text, token.text));
        }
        if (token.kind == TokenKind::number && before.kind == TokenKind::identifier && token.text.starts_with('.')) {
            fail(token.offset, "a name is expected after '.', and names don't begin with a digit");
        }
        if (token.kind == TokenKind::open_bracket) fail(token.offset, "only a name can have an index");
        if (begins_value(token.kind)) {
            const bool last = look(1).kind == TokenKind::end && token.kind == TokenKind::identifier;
            fail(token.offset, fmt::format("an operator is missing before '{}'", token.text),
                 last ? "write '*' for a product; a unit can only stand behind a single number"
                      : "write '*' for a product");
        }
        if (token.kind == TokenKind::assign) {
            fail(token.offset, "'=' declares an equation; write '==' to compare");
        }
        if (is_relation(token.kind)) {
            fail(token.offset, "only two values can be compared at a time", "write 'a < b and b < c' for 'a < b < c'");
        }
    }

    Tokens tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Syntax result_;
};

}  // namespace

SyntaxError::SyntaxError(std::uint32_t offset, const std::string& message, std::string suggestion)
    : std::runtime_error(message), offset_(offset), suggestion_(std::move(suggestion)) {}

Syntax parse_expression(std::string_view text) { return Parser(text).expression(); }

Syntax parse_equation(std::string_view text) { return Parser(text).equation(); }

}  // namespace bondgraph::expression
