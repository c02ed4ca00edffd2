#include "bondgraph/expression/syntax.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "bondgraph/expression/print.hpp"

namespace bondgraph::expression {
namespace {

/// The tree as a list in prefix notation: "a + 2*b" is "(+ a (* 2 b))". For small trees only (it recurses).
std::string prefix(const Syntax& syntax, std::uint32_t index) {
    const SyntaxNode& node = syntax.nodes[index];
    std::string text = "(";
    switch (node.kind) {
        case SyntaxKind::number:
            return number_text(node.number);
        case SyntaxKind::name:
            return node.text;
        case SyntaxKind::call:
            text += "call " + node.text;
            break;
        case SyntaxKind::conditional:
            text += "if";
            break;
        case SyntaxKind::list:
            text += "list";
            break;
        case SyntaxKind::index:
            text += "index";
            break;
        case SyntaxKind::unary:
        case SyntaxKind::binary:
            text += node.text;
            break;
    }
    for (const std::uint32_t child : node.children) text += fmt::format(" {}", prefix(syntax, child));
    return text + ")";
}

std::string tree(std::string_view text) {
    const Syntax syntax = parse_expression(text);
    return prefix(syntax, syntax.root);
}

/// "offset: message" of the error that parsing must give.
template <class Parse>
std::string error_of(Parse parse, std::string_view text) {
    try {
        parse(text);
    } catch (const SyntaxError& error) {
        return std::to_string(error.offset()) + ": " + error.what();
    }
    return "no error";
}
std::string error_of(std::string_view text) { return error_of(parse_expression, text); }
std::string suggestion_of(std::string_view text) {
    try {
        parse_expression(text);
    } catch (const SyntaxError& error) {
        return error.suggestion();
    }
    return "no error";
}
std::string equation_error_of(std::string_view text) { return error_of(parse_equation, text); }

std::string repeat(std::string_view text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
}

// --- what is understood

TEST(Syntax, ProductsBindTighterThanSumsAndBothReadFromTheLeft) {
    EXPECT_EQ(tree("a + b*c - d/e/f"), "(- (+ a (* b c)) (/ (/ d e) f))");
    EXPECT_EQ(tree("(a + b)*c"), "(* (+ a b) c)");
    EXPECT_EQ(tree("a - (b - c)"), "(- a (- b c))");
}

TEST(Syntax, PowersReadFromTheRightAndBindTighterThanMinus) {
    EXPECT_EQ(tree("a^b^c"), "(^ a (^ b c))");
    EXPECT_EQ(tree("-x^2"), "(- (^ x 2))");
    EXPECT_EQ(tree("2^-1"), "(^ 2 (- 1))");
    EXPECT_EQ(tree("2^-x^3"), "(^ 2 (- (^ x 3)))");
    EXPECT_EQ(tree("(-x)^2"), "(^ (- x) 2)");
}

TEST(Syntax, AMinusInFrontOfASumBelongsToTheFirstTerm) {
    EXPECT_EQ(tree("-a*b + c"), "(+ (- (* a b)) c)");
    EXPECT_EQ(tree("a*-b"), "(* a (- b))");
    EXPECT_EQ(tree("a - -b"), "(- a (- b))");
    EXPECT_EQ(tree("--x"), "(- (- x))");
}

TEST(Syntax, APlusInFrontOfASumMeansNothing) { EXPECT_EQ(tree("+a + b"), "(+ a b)"); }

TEST(Syntax, RelationsBindLooserThanSumsAndTighterThanLogic) {
    EXPECT_EQ(tree("not a < b + 1 and c or d"), "(or (and (not (< a (+ b 1))) c) d)");
    EXPECT_EQ(tree("a or b and c"), "(or a (and b c))");
    EXPECT_EQ(tree("not not a"), "(not (not a))");
}

TEST(Syntax, EveryRelationIsKnownAndUnequalHasTwoSpellings) {
    for (const std::string sign : {"<", "<=", ">", ">=", "==", "!="}) {
        EXPECT_EQ(tree("a" + sign + "b"), "(" + sign + " a b)");
    }
    EXPECT_EQ(tree("a <> b"), "(!= a b)");
}

TEST(Syntax, ConditionalsHaveAnElseAndMayHaveElseifs) {
    EXPECT_EQ(tree("if a > 0 then 1 else 2 + 3"), "(if (> a 0) 1 (+ 2 3))");
    EXPECT_EQ(tree("if a then 1 elseif b then 2 elseif c then 3 else 4"), "(if a 1 (if b 2 (if c 3 4)))");
    EXPECT_EQ(tree("2*(if a then 1 else 2)"), "(* 2 (if a 1 2))");
    EXPECT_EQ(tree("if a then if b then 1 else 2 else 3"), "(if a (if b 1 2) 3)");
}

TEST(Syntax, TrueAndFalseAreNumbers) { EXPECT_EQ(tree("true or false"), "(or 1 0)"); }

TEST(Syntax, NumbersMayLackDigitsOnOneSideOfThePoint) {
    const auto value = [](std::string_view text) { return parse_expression(text).nodes.at(0).number; };
    EXPECT_EQ(value("1"), 1.0);
    EXPECT_EQ(value("1.5"), 1.5);
    EXPECT_EQ(value(".5"), 0.5);
    EXPECT_EQ(value("1."), 1.0);
    EXPECT_EQ(value("1e-3"), 1e-3);
    EXPECT_EQ(value("1E5"), 1e5);
    EXPECT_EQ(value("1.e+2"), 100.0);
    EXPECT_EQ(value("0.1"), 0.1);
    EXPECT_EQ(value("4.9406564584124654e-324"), 4.9406564584124654e-324);
    EXPECT_EQ(value("1.7976931348623157e308"), 1.7976931348623157e308);
    EXPECT_EQ(value("007"), 7.0);
}

TEST(Syntax, CallsHaveAnyNumberOfArguments) {
    EXPECT_EQ(tree("f()"), "(call f)");
    EXPECT_EQ(tree("atan2(y, x + 1)"), "(call atan2 y (+ x 1))");
    EXPECT_EQ(tree("math.sin (x)"), "(call math.sin x)");
    EXPECT_EQ(tree("f(if a then 1 else 2, b)"), "(call f (if a 1 2) b)");
}

TEST(Syntax, ListsHoldExpressionsAndNest) {
    EXPECT_EQ(tree("[1, 2*a]"), "(list 1 (* 2 a))");
    EXPECT_EQ(tree("[[1, 0], [0, 1]]"), "(list (list 1 0) (list 0 1))");
}

TEST(Syntax, DottedNamesAreOneNode) {
    EXPECT_EQ(tree("tank.valve.y"), "tank.valve.y");
    EXPECT_EQ(tree("tank . y"), "tank.y");
}

TEST(Syntax, ATrailingIndexIsANodeOverTheName) {
    EXPECT_EQ(tree("q[2]"), "(index q 2)");
    EXPECT_EQ(tree("M[1,i + 1]"), "(index M 1 (+ i 1))");
    EXPECT_EQ(tree("body.frame_a.x[2]"), "(index body.frame_a.x 2)");
    EXPECT_EQ(tree("q[2]^2"), "(^ (index q 2) 2)");
}

TEST(Syntax, AnIndexWithinANameIsPartOfIt) {
    EXPECT_EQ(tree("a[1].b"), "a[1].b");
    EXPECT_EQ(tree("a[ 1, 2 ].b[3].c[4]"), "(index a[1,2].b[3].c 4)");
    EXPECT_EQ(tree("cell[3].f(x)"), "(call cell[3].f x)");
}

TEST(Syntax, NamesMayUseLettersOfAnyAlphabet) {
    EXPECT_EQ(tree("Ω*µ + φ_ä + x₁ + 角度"), "(+ (+ (+ (* Ω µ) φ_ä) x₁) 角度)");
}

TEST(Syntax, WordsThatBeginLikeReservedWordsAreNames) {
    EXPECT_EQ(tree("iffy + order + nota"), "(+ (+ iffy order) nota)");
}

TEST(Syntax, LinesAndTabsAreSpaces) { EXPECT_EQ(tree("a\n\t+ b\r\n"), "(+ a b)"); }

TEST(Syntax, EveryNodeKnowsWhereItBegins) {
    const Syntax syntax = parse_expression("ab + f(not c)*q[2]");
    std::vector<std::pair<std::string, std::uint32_t>> places;
    for (const SyntaxNode& node : syntax.nodes) places.emplace_back(node.text, node.offset);
    const std::vector<std::pair<std::string, std::uint32_t>> expected{
        {"ab", 0}, {"c", 11}, {"not", 7}, {"f", 5}, {"q", 14}, {"", 16}, {"", 14}, {"*", 13}, {"+", 3}};
    EXPECT_EQ(places, expected);
}

TEST(Syntax, AnElseifBeginsAtItsOwnWord) {
    const Syntax syntax = parse_expression("if a then 1 elseif b then 2 else 3");
    const SyntaxNode& outer = syntax.nodes[syntax.root];
    EXPECT_EQ(outer.offset, 0U);
    EXPECT_EQ(syntax.nodes[outer.children.at(2)].offset, 12U);
}

TEST(Syntax, ChildrenPrecedeParentsAndTheTextIsKept) {
    const std::string text = "if a[1] > -2^3 then [f(x, y), 2] elseif b then not c else (d)";
    const Syntax syntax = parse_expression(text);
    EXPECT_EQ(syntax.text, text);
    EXPECT_EQ(syntax.root, syntax.nodes.size() - 1);
    for (std::uint32_t i = 0; i < syntax.nodes.size(); ++i) {
        for (const std::uint32_t child : syntax.nodes[i].children) EXPECT_LT(child, i);
    }
}

TEST(Syntax, AnEquationHasTwoSides) {
    const Syntax syntax = parse_equation("p.f = Cd*A*sqrt(abs(p.e))");
    EXPECT_EQ(prefix(syntax, syntax.root), "p.f");
    EXPECT_EQ(prefix(syntax, syntax.right), "(* (* Cd A) (call sqrt (call abs p.e)))");
}

TEST(Syntax, ASideOfAnEquationMayCompare) {
    const Syntax syntax = parse_equation("open = a == b");
    EXPECT_EQ(prefix(syntax, syntax.right), "(== a b)");
}

// --- sizes

TEST(Syntax, AMillionTermsAreNoProblem) {
    constexpr int kTerms = 1'000'000;
    const Syntax sum = parse_expression(repeat("x+", kTerms - 1) + "x");
    EXPECT_EQ(sum.nodes.size(), 2U * kTerms - 1);
    const Syntax product = parse_expression(repeat("x*", kTerms - 1) + "x");
    EXPECT_EQ(product.nodes.size(), 2U * kTerms - 1);
}

TEST(Syntax, AHundredThousandElseifsAreNoProblem) {
    const Syntax syntax = parse_expression("if a then 1 " + repeat("elseif a then 1 ", 100'000) + "else 2");
    EXPECT_EQ(syntax.nodes.size(), 3U * 100'001 + 1);
}

TEST(Syntax, NestingHasALimitOf200WhateverNests) {
    struct Nest {
        std::string open;
        std::string close;
    };
    const std::vector<Nest> nests{{"(", ")"},
                                  {"-", ""},
                                  {"not ", ""},
                                  {"f(", ")"},
                                  {"[", "]"},
                                  {"2^", ""},
                                  {"if a then 1 else ", ""},
                                  {"if a then ", " else 1"},
                                  {"a[", "]"}};
    for (const auto& [open, close] : nests) {
        SCOPED_TRACE(open);
        EXPECT_EQ(error_of(repeat(open, 200) + "x" + repeat(close, 200)), "no error");
        const std::string error = error_of(repeat(open, 201) + "x" + repeat(close, 201));
        EXPECT_TRUE(error.ends_with(": the expression is nested too deeply")) << error;
        EXPECT_EQ(error_of(repeat(open, 1'000'000)), error);
    }
}

TEST(Syntax, TooDeepNestingPointsAtTheFirstLevelTooMany) {
    EXPECT_EQ(error_of(repeat("(", 300)), "200: the expression is nested too deeply");
    EXPECT_EQ(error_of(repeat("-", 300)), "200: the expression is nested too deeply");
}

TEST(Syntax, NestingCountsOpenLevelsOnly) { EXPECT_EQ(error_of("(a)" + repeat(" + (-f(a))", 1000)), "no error"); }

// --- what is refused

TEST(SyntaxError, AnEmptyTextSaysThatAnExpressionIsExpected) {
    EXPECT_EQ(error_of(""), "0: an expression is expected here");
    EXPECT_EQ(error_of(" \n"), "0: an expression is expected here");
    EXPECT_EQ(equation_error_of(""), "0: an expression is expected here");
}

TEST(SyntaxError, ATextThatEndsEarlySaysSo) {
    EXPECT_EQ(error_of("a + "), "4: the expression ends where a value is expected");
    EXPECT_EQ(error_of("f("), "2: the expression ends where a value is expected");
    EXPECT_EQ(error_of("not"), "3: the expression ends where a value is expected");
    EXPECT_EQ(equation_error_of("a ="), "3: the expression ends where a value is expected");
}

TEST(SyntaxError, AMissingOperandNamesWhatStandsInItsPlace) {
    EXPECT_EQ(error_of("a + * b"), "4: a value is expected here, not '*'");
    EXPECT_EQ(error_of("f(a,)"), "4: a value is expected here, not ')'");
    EXPECT_EQ(error_of("()"), "1: a value is expected here, not ')'");
    EXPECT_EQ(error_of("[]"), "1: a value is expected here, not ']'");
    EXPECT_EQ(error_of("a*+b"), "2: a value is expected here, not '+'");
    EXPECT_EQ(error_of("1 + if a then 1 else 2"), "4: 'if' needs parentheses around it to be an operand");
    EXPECT_EQ(error_of("1 + not a"), "4: 'not' needs parentheses around it to be an operand");
}

TEST(SyntaxError, AMissingParenthesisPointsAtBothEnds) {
    EXPECT_EQ(error_of("2*(a + b"), "8: ')' is expected here, to close an earlier '('");
    EXPECT_EQ(error_of("sin(a"), "5: ')' is expected here, to close an earlier '('");
    EXPECT_EQ(error_of("q[a"), "3: ']' is expected here, to close an earlier '['");
    EXPECT_EQ(error_of("[a, (b]"), "6: ')' is expected here, to close an earlier '('");
}

TEST(SyntaxError, AParenthesisTooManyIsNamed) {
    EXPECT_EQ(error_of("(a))"), "3: this ')' has no '(' before it");
    EXPECT_EQ(error_of("a]"), "1: this ']' has no '[' before it");
}

TEST(SyntaxError, AnEqualsSignInAnExpressionExplainsComparison) {
    EXPECT_EQ(error_of("a = b"), "2: '=' declares an equation; write '==' to compare");
    EXPECT_EQ(error_of("if a = b then 1 else 2"), "5: '=' declares an equation; write '==' to compare");
    EXPECT_EQ(equation_error_of("(a = b)"), "3: '=' declares an equation; write '==' to compare");
}

TEST(SyntaxError, AnEquationNeedsExactlyOneEqualsSign) {
    EXPECT_EQ(equation_error_of("a == b"), "2: write '=' for an equation; '==' compares");
    EXPECT_EQ(equation_error_of("a + b"), "5: an equation needs an '='");
    EXPECT_EQ(equation_error_of("a = b = c"), "6: an equation has only one '='; write '==' to compare");
    EXPECT_EQ(equation_error_of("= b"), "0: a value is expected here, not '='");
}

TEST(SyntaxError, SignsOfOtherLanguagesAreTranslated) {
    EXPECT_EQ(error_of("a && b"), "2: '&&' is unknown; write 'and'");
    EXPECT_EQ(error_of("a || b"), "2: '||' is unknown; write 'or'");
    EXPECT_EQ(error_of("!a"), "0: '!' is unknown; write 'not'");
    EXPECT_EQ(error_of("a**2"), "1: '**' is unknown; write '^' for a power");
    EXPECT_EQ(error_of("a ≤ b"), "2: '≤' is unknown; write '<='");
    EXPECT_EQ(error_of("a²"), "1: '²' is unknown; write '^2'");
    EXPECT_EQ(error_of("a − b"), "2: '−' is unknown; write '-'");
}

TEST(SyntaxError, OtherCharactersAreShownWhole) {
    EXPECT_EQ(error_of("a % b"), "2: unexpected character '%'");
    EXPECT_EQ(error_of("a;"), "1: unexpected character ';'");
    EXPECT_EQ(error_of("\"a\""), "0: unexpected character '\"'");
    EXPECT_EQ(error_of("'a'"), "0: unexpected character '''");
    EXPECT_EQ(error_of("ä + €"), "5: unexpected character '€'");
    EXPECT_EQ(error_of("a 😀"), "2: unexpected character '😀'");
}

TEST(SyntaxError, BytesThatAreNoCharacterAreShownAsNumbers) {
    EXPECT_EQ(error_of("a\x01"), "1: unexpected character (byte 0x01)");
    EXPECT_EQ(error_of("a\xFF"), "1: unexpected character (byte 0xFF)");
    EXPECT_EQ(error_of("a\xC3"), "1: unexpected character (byte 0xC3)");
    EXPECT_EQ(error_of("a\xC0\xAF"), "1: unexpected character (byte 0xC0)");
    EXPECT_EQ(error_of("a\xED\xA0\x80"), "1: unexpected character (byte 0xED)");
    EXPECT_EQ(error_of(std::string_view("a\0b", 3)), "1: unexpected character (byte 0x00)");
}

TEST(SyntaxError, NumbersThatAreNoneAreRefusedWhereTheyGoWrong) {
    EXPECT_EQ(error_of("1e"), "2: '1e' is not a number: digits are expected after it");
    EXPECT_EQ(error_of("2 + 1e+"), "7: '1e+' is not a number: digits are expected after it");
    EXPECT_EQ(error_of("0x10"), "1: numbers are written in decimal digits; '0x' means nothing here");
    EXPECT_EQ(error_of("1.2.3"), "3: a number has only one decimal point, and none in its exponent");
    EXPECT_EQ(error_of("1e2.5"), "3: a number has only one decimal point, and none in its exponent");
}

TEST(SyntaxError, NumbersBeyondDoublePrecisionAreTooLargeOrTooSmall) {
    const std::string range = ": numbers go from 4.9e-324 to 1.8e+308";
    const std::string nine_hundred(900, '9');
    for (const std::string& number :
         {std::string("1e999"), std::string("0.001e+400"), "1e" + nine_hundred, nine_hundred, nine_hundred + "e-100"})
        EXPECT_EQ(error_of(number), "0: the number '" + number + "' is too large" + range);
    for (const std::string& number : {std::string("1e-999"), std::string("1000.5e-400"), "1e-" + nine_hundred,
                                      "0." + std::string(400, '0') + "1", "." + std::string(600, '0') + "5e100"})
        EXPECT_EQ(error_of(number), "0: the number '" + number + "' is too small" + range);
}

TEST(SyntaxError, ANumberFollowedByANameExplainsUnitsAndProducts) {
    const std::string rule = "a unit can only stand behind a single number, not in an expression; ";
    EXPECT_EQ(error_of("2 kohm + a"),
              "2: " + rule + "give '2 kohm' to a parameter and write its name here, or '2*kohm' for a product");
    EXPECT_EQ(error_of("5x"),
              "1: " + rule + "give '5 x' to a parameter and write its name here, or '5*x' for a product");
    EXPECT_EQ(error_of("a*(2eV)"),
              "4: " + rule + "give '2 eV' to a parameter and write its name here, or '2*eV' for a product");
    // What a product of numbers is can be told.
    EXPECT_EQ(error_of("2*3 ohm"), "4: " + rule + "write '6 ohm'");
    EXPECT_EQ(error_of("1/4*3 N.s/m"), "6: " + rule + "write '0.75 N.s/m'");
    for (const std::string& other : {std::string("2*a*3 ohm"), std::string("2+3 ohm"), std::string("2^3 ohm"),
                                     std::string("-2*3 ohm"), std::string("2*3 ohm*a"), std::string("2*3 ohm + a")})
        EXPECT_NE(error_of(other).find("give '3 ohm' to a parameter"), std::string::npos) << error_of(other);
    for (const std::string& behind : {std::string("(2*3) ohm"), std::string("2*a ohm"), std::string("sqrt(2) ohm")})
        EXPECT_EQ(suggestion_of(behind), "write '*' for a product; a unit can only stand behind a single number");
    EXPECT_EQ(suggestion_of("a b*2"), "write '*' for a product");
}

TEST(SyntaxError, AMissingOperatorIsNamed) {
    EXPECT_EQ(error_of("a b"), "2: an operator is missing before 'b'");
    EXPECT_EQ(error_of("(a)(b)"), "3: an operator is missing before '('");
    EXPECT_EQ(error_of("f(a 2)"), "4: an operator is missing before '2'");
    EXPECT_EQ(error_of("2 [1]"), "2: only a name can have an index");
}

TEST(SyntaxError, ConditionalsSayWhatTheyLack) {
    EXPECT_EQ(error_of("if x > 0 then 1"), "15: an 'if' expression needs an 'else'");
    EXPECT_EQ(error_of("(if x > 0 then 1)"), "16: an 'if' expression needs an 'else'");
    EXPECT_EQ(error_of("if x > 0"), "8: 'then' is expected here, after the condition of 'if'");
    EXPECT_EQ(error_of("if x > 0 1 else 2"), "9: 'then' is expected here, after the condition of 'if'");
    EXPECT_EQ(error_of("if a then 1 elseif b else 2"), "21: 'then' is expected here, after the condition of 'elseif'");
    EXPECT_EQ(error_of("a else b"), "2: this 'else' belongs to no 'if'");
    EXPECT_EQ(error_of("a then b"), "2: this 'then' belongs to no 'if'");
}

TEST(SyntaxError, ComparisonsDoNotChain) {
    EXPECT_EQ(error_of("a < b < c"), "6: only two values can be compared at a time");
}

TEST(SyntaxError, CommasOutsideOfListsAreExplained) {
    EXPECT_EQ(error_of("1,5"), "1: a ',' separates the arguments of a function or the items of a list");
    EXPECT_EQ(error_of("(1,5)"), "2: a ',' separates the arguments of a function or the items of a list");
}

TEST(SyntaxError, NamesThatAreNoneAreRefused) {
    EXPECT_EQ(error_of("a."), "2: a name is expected after '.'");
    EXPECT_EQ(error_of("a.2b"), "1: a name is expected after '.', and names don't begin with a digit");
    EXPECT_EQ(error_of("a.if"), "2: 'if' is reserved and can't be a name");
    EXPECT_EQ(error_of("q[1,2,3]"), "1: a name has at most two indices, for row and column");
    EXPECT_EQ(error_of("q[i].x"), "1: an index within a name has to be a whole number");
}

TEST(SyntaxError, TheFirstMistakeInTheTextIsReported) {
    EXPECT_EQ(error_of("a b % c"), "2: an operator is missing before 'b'");
    EXPECT_EQ(error_of("a % b c"), "2: unexpected character '%'");
}

TEST(SyntaxError, ASuggestionIsGivenWhereOneHelps) {
    try {
        parse_expression("a < b < c");
        FAIL();
    } catch (const SyntaxError& error) {
        EXPECT_EQ(error.suggestion(), "write 'a < b and b < c' for 'a < b < c'");
    }
}

// --- any text at all

TEST(Syntax, AnyTextIsParsedOrRefusedAtAPlaceWithinIt) {
    const std::vector<std::string> pieces{"a", "b.c",  "1",    "2.5",   "(",    ")",      "[",      "]",        ",",
                                          ".", "+",    "-",    "*",     "/",    "^",      "<",      "==",       "=",
                                          " ", "not",  " or ", " and ", " if ", " then ", " else ", " elseif ", "Ω",
                                          "%", "\xFF", "e",    "true",  "f(",   "q[1"};
    std::mt19937 random(7);
    std::uniform_int_distribution<std::size_t> piece(0, pieces.size() - 1);
    std::uniform_int_distribution<int> length(0, 12);
    int parsed = 0;
    for (int run = 0; run < 50'000; ++run) {
        std::string text;
        for (int i = length(random); i > 0; --i) text += pieces[piece(random)];
        try {
            const Syntax syntax = parse_expression(text);
            ASSERT_EQ(syntax.root, syntax.nodes.size() - 1) << text;
            ++parsed;
        } catch (const SyntaxError& error) {
            ASSERT_LE(error.offset(), text.size()) << text;
            ASSERT_FALSE(std::string_view(error.what()).empty()) << text;
        }
    }
    EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace bondgraph::expression
