#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::expression {

/// What an expression text says, before names mean anything. Parsed once per text, evaluated once per instance.
///
///   equation   := expr "=" expr
///   expr       := "if" expr "then" expr ("elseif" expr "then" expr)* "else" expr | or
///   or         := and ("or" and)*            and := not ("and" not)*        not := "not" not | relation
///   relation   := sum (("<"|"<="|">"|">="|"=="|"!="|"<>") sum)?
///   sum        := ["+"|"-"] term (("+"|"-") term)*
///   term       := factor (("*"|"/") factor)*
///   factor     := "-" factor | atom ["^" factor]         (right associative; -x^2 is -(x^2), 2^-1 is allowed)
///   atom       := number | name | name "(" [expr ("," expr)*] ")" | "(" expr ")" | "[" expr ("," expr)* "]"
///   name       := part ("." part)*           part := identifier ["[" expr ("," expr)* "]"]
///
/// Identifiers are letters (UTF-8 allowed), digits and "_", not starting with a digit; `true` and `false` are numbers.
enum class SyntaxKind : std::uint8_t { number, name, call, unary, binary, conditional, list, index };

struct SyntaxNode {
    SyntaxKind kind = SyntaxKind::number;
    std::uint32_t offset = 0;  ///< byte offset in the text where it begins (binary: of the operator)
    double number = 0.0;
    /// name: the dotted name ("valve.y"); call: the function; unary and binary: the operator ("-", "not", "+", "<=",
    /// "and"; "<>" becomes "!="). Indices before a "." stay in the name: "cell[1].q[2]" is an index node over
    /// "cell[1].q".
    std::string text;
    /// Indices of operands. index: [indexed, i, (j)] where indexed is a name node; conditional: [condition, yes, no].
    std::vector<std::uint32_t> children;
};

/// Children precede parents; `root` is the expression, or for an equation the left side with `right` the other one.
struct Syntax {
    std::string text;
    std::vector<SyntaxNode> nodes;
    std::uint32_t root = 0;
    std::uint32_t right = 0;  ///< equations only
};

/// What is wrong in an expression text, at a byte offset. `suggestion` may be empty.
class SyntaxError : public std::runtime_error {
   public:
    SyntaxError(std::uint32_t offset, const std::string& message, std::string suggestion = {});
    [[nodiscard]] std::uint32_t offset() const { return offset_; }
    [[nodiscard]] const std::string& suggestion() const { return suggestion_; }

   private:
    std::uint32_t offset_;
    std::string suggestion_;
};

/// Throws SyntaxError. Nesting deeper than 200 levels is an error, never a crash.
Syntax parse_expression(std::string_view text);
/// As parse_expression, for `left = right`. A text without "=" is an error that says so ("==" compares).
Syntax parse_equation(std::string_view text);

}  // namespace bondgraph::expression
