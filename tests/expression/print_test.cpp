#include "bondgraph/expression/print.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/expression/syntax.hpp"

namespace bondgraph::expression {
namespace {

std::string letter(const Node& leaf) {
    const std::string name(1, static_cast<char>('a' + leaf.a));
    switch (leaf.op) {
        case Op::variable:
            return name;
        case Op::derivative:
            return "der(" + name + ")";
        default:
            return "p." + name;
    }
}

std::string text(Expr e) { return to_text(e, letter); }
std::string latex(Expr e) { return to_text(e, letter, PrintStyle::latex); }

/// Builds a parsed text again, children first. Knows the names that `letter` gives and every operation that prints.
class Rebuild {
   public:
    explicit Rebuild(Graph& graph) : graph_(graph) {
        for (int i = static_cast<int>(Op::negate); i < static_cast<int>(Op::table1); ++i) {
            const Op op = static_cast<Op>(i);
            (operand_count(op) == 1 ? unary_ : binary_).emplace(op_name(op), op);
        }
        unary_.insert_or_assign("-", Op::negate);
        binary_.insert_or_assign("-", Op::subtract);
    }

    Expr operator()(const std::string& text) {
        const Syntax syntax = parse_expression(text);
        std::vector<Expr> built;
        for (const SyntaxNode& node : syntax.nodes) built.push_back(node_of(node, syntax, built));
        return graph_.at(graph_.node_of(built[syntax.root]));
    }

   private:
    Expr node_of(const SyntaxNode& node, const Syntax& syntax, const std::vector<Expr>& built) {
        const auto child = [&](std::size_t i) { return built[node.children.at(i)]; };
        switch (node.kind) {
            case SyntaxKind::number:
                return node.number;
            case SyntaxKind::name:
                if (node.text == "time") return graph_.time();
                if (node.text.starts_with("p."))
                    return graph_.parameter(static_cast<std::uint32_t>(node.text[2] - 'a'));
                return graph_.variable(static_cast<std::uint32_t>(node.text.at(0) - 'a'));
            case SyntaxKind::unary:
                return graph_.make(unary_.at(node.text), child(0));
            case SyntaxKind::binary:
                return graph_.make(binary_.at(node.text), child(0), child(1));
            case SyntaxKind::conditional:
                return graph_.make(Op::if_else, child(0), child(1), child(2));
            case SyntaxKind::call:
                break;
            default:
                throw std::logic_error("not printed");
        }
        if (node.text == "der") {
            return graph_.derivative(static_cast<std::uint32_t>(syntax.nodes[node.children[0]].text[0] - 'a'));
        }
        if (node.text == "table1_0") return graph_.table1(0, child(0));
        return node.children.size() == 1 ? graph_.make(unary_.at(node.text), child(0))
                                         : graph_.make(binary_.at(node.text), child(0), child(1));
    }

    Graph& graph_;
    std::map<std::string, Op, std::less<>> unary_;
    std::map<std::string, Op, std::less<>> binary_;
};

class Print : public testing::Test {
   protected:
    Graph graph;
    Expr a = graph.variable(0);
    Expr b = graph.variable(1);
    Expr c = graph.variable(2);
    Expr d = graph.variable(3);
    Expr x = graph.variable('x' - 'a');
    Rebuild rebuild{graph};

    /// Prints e, after making sure that the text means e.
    std::string round_trip(Expr e) {
        const std::string printed = text(e);
        EXPECT_EQ(graph.node_of(e), rebuild(printed).node()) << printed;
        return printed;
    }
};

TEST_F(Print, SumsAndProductsNeedParenthesesOnlyWhereTheGrammarDoes) {
    EXPECT_EQ(round_trip(a + b * c), "a + b*c");
    EXPECT_EQ(round_trip((a + b) * c), "c*(a + b)");
    EXPECT_EQ(round_trip(a / (b * c)), "a/(b*c)");
    EXPECT_EQ(round_trip(a / b / c), "a/b/c");
    EXPECT_EQ(round_trip(a - (b - c)), "a - (b - c)");
    EXPECT_EQ(round_trip(a - b - c), "a - b - c");
    const Expr sum = a + b;
    EXPECT_EQ(round_trip(sum + (c + d)), "a + b + (c + d)");
}

TEST_F(Print, TheOperandThatSavesParenthesesComesFirst) {
    EXPECT_EQ(round_trip(a + (b + c)), "b + c + a");
    EXPECT_EQ(round_trip(a + (b - c)), "b - c + a");
    EXPECT_EQ(round_trip(a * (b / c)), "b/c*a");
}

TEST_F(Print, NumbersStandAtTheEndOfSumsAndInFrontOfProducts) {
    EXPECT_EQ(round_trip(3 + x), "x + 3");
    EXPECT_EQ(round_trip(x + 3), "x + 3");
    EXPECT_EQ(round_trip(graph.make(Op::add, -3, x)), "x - 3");
    EXPECT_EQ(round_trip(3 - x), "3 - x");
    EXPECT_EQ(round_trip(x * 2), "2*x");
    EXPECT_EQ(round_trip(2 * (a * b)), "2*(a*b)");
    EXPECT_EQ(round_trip(2 * a * b), "2*a*b");
}

TEST_F(Print, SignsStandInFront) {
    EXPECT_EQ(round_trip(-x), "-x");
    EXPECT_EQ(round_trip(-(a / b)), "-a/b");
    EXPECT_EQ(round_trip(-2 * x), "-2*x");
    EXPECT_EQ(round_trip(-(a + b)), "-(a + b)");
    EXPECT_EQ(round_trip(-a - b), "-(a + b)");
    EXPECT_EQ(round_trip(graph.constant(-2.5)), "-2.5");
}

TEST_F(Print, PowersReadFromTheRight) {
    EXPECT_EQ(round_trip(-pow(x, 3)), "-x^3");
    EXPECT_EQ(round_trip(pow(-x, 3)), "(-x)^3");
    EXPECT_EQ(round_trip(pow(2, -x)), "2^-x");
    EXPECT_EQ(round_trip(pow(-2, x)), "(-2)^x");
    EXPECT_EQ(round_trip(pow(x, -3)), "x^-3");
    EXPECT_EQ(round_trip(pow(pow(a, b), c)), "(a^b)^c");
    EXPECT_EQ(round_trip(pow(a, pow(b, c))), "a^b^c");
    EXPECT_EQ(round_trip(pow(a + b, c * d)), "(a + b)^(c*d)");
    EXPECT_EQ(round_trip(pow(2, -(a * b))), "2^(-a*b)");
}

TEST_F(Print, RelationsAndLogicAreWordsAndSigns) {
    EXPECT_EQ(round_trip(apply(Op::less_equal, a + b, c)), "a + b <= c");
    EXPECT_EQ(round_trip(apply(Op::equal, a, 0)), "a == 0");
    EXPECT_EQ(round_trip(apply(Op::not_equal, a, b)), "a != b");
    const Expr p = apply(Op::less, a, b);
    const Expr q = apply(Op::greater, c, d);
    EXPECT_EQ(round_trip(apply(Op::logical_not, p)), "not a < b");
    EXPECT_EQ(round_trip(apply(Op::logical_not, apply(Op::logical_and, p, q))), "not (a < b and c > d)");
    EXPECT_EQ(round_trip(apply(Op::logical_or, apply(Op::logical_and, p, q), x)), "x or a < b and c > d");
    EXPECT_EQ(round_trip(apply(Op::logical_and, apply(Op::logical_or, p, q), x)), "x and (a < b or c > d)");
    EXPECT_EQ(round_trip(p * x), "x*(a < b)");
}

TEST_F(Print, ConditionalsChainWithElseifAndAreEnclosedAsOperands) {
    const Expr e = if_else(apply(Op::greater, a, 0), b, c);
    EXPECT_EQ(round_trip(e), "if a > 0 then b else c");
    EXPECT_EQ(round_trip(e * d), "d*(if a > 0 then b else c)");
    EXPECT_EQ(round_trip(if_else(d, 1, e)), "if d then 1 elseif a > 0 then b else c");
}

TEST_F(Print, FunctionsPrintByName) {
    EXPECT_EQ(round_trip(sin(a + b)), "sin(a + b)");
    EXPECT_EQ(round_trip(atan2(a, -b)), "atan2(a, -b)");
    EXPECT_EQ(round_trip(apply(Op::no_event, apply(Op::less, a, b))), "noEvent(a < b)");
    EXPECT_EQ(round_trip(apply(Op::smooth, 1, abs(a))), "smooth(1, abs(a))");
    EXPECT_EQ(round_trip(sqrt(graph.time())), "sqrt(time)");
    const Expr rate = graph.derivative(0);
    EXPECT_EQ(round_trip(rate + graph.parameter(1)), "der(a) + p.b");
}

TEST_F(Print, GuardedProductsLookLikeProducts) {
    EXPECT_EQ(text(apply(Op::guarded_multiply, a + b, c / d)), "(a + b)*(c/d)");
}

TEST_F(Print, TablesPrintWithTheirNumber) {
    graph.add_table(Table1{{0, 1}, {0, 2}});
    const std::uint32_t second = graph.add_table(Table1{{0, 1}, {0, 3}});
    EXPECT_EQ(round_trip(graph.table1(0, a + b)), "table1_0(a + b)");
    EXPECT_EQ(text(graph.table1_slope(second, a)), "table1_slope_1(a)");
    const std::uint32_t plane = graph.add_table(Table2{{0, 1}, {0, 1}, {0, 1, 2, 3}});
    EXPECT_EQ(text(graph.table2(plane, a, b)), "table2_0(a, b)");
}

TEST_F(Print, QuotientsOfNumbersThatAreNotFiniteStayVisible) {
    EXPECT_EQ(round_trip(graph.make(Op::divide, 1, 0)), "1/0");
    EXPECT_EQ(round_trip(graph.make(Op::divide, -1, 0)), "(-1)/0");
}

TEST_F(Print, BareNumbersNeedNoGraph) {
    EXPECT_EQ(text(Expr(2.5)), "2.5");
    EXPECT_EQ(latex(Expr(1e-6)), "10^{-6}");
}

/// Expressions of every kind, from the leaves up; operands are drawn from what is there already.
std::vector<Expr> random_expressions(Graph& graph, std::uint32_t seed, int count) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::vector<Expr> pool{graph.time(), graph.derivative(2), graph.parameter(1)};
    for (std::uint32_t i = 0; i < 4; ++i) pool.push_back(graph.variable(i));
    for (const double value : {2.0, -3.0, 0.1, 1e-9, -2.5e20, 1.0 / 3.0, 0.0, 1.0})
        pool.push_back(graph.constant(value));
    graph.add_table(Table1{{0, 1}, {0, 2}});
    constexpr auto kOperations = static_cast<std::size_t>(Op::table1) - static_cast<std::size_t>(Op::negate) + 1;
    const std::array arithmetic{Op::add, Op::subtract, Op::multiply, Op::divide, Op::power, Op::negate};
    for (int i = 0; i < count; ++i) {
        // Recent operands make deep expressions, any operands make shared ones.
        const auto pick = [&] { return pool[pool.size() - 1 - (below(2) == 0 ? below(5) : below(pool.size()))]; };
        Op op = arithmetic[below(arithmetic.size())];
        if (below(2) == 0) op = static_cast<Op>(static_cast<std::size_t>(Op::negate) + below(kOperations));
        if (op == Op::guarded_multiply) continue;  // prints as a plain product
        pool.push_back(op >= Op::table1 ? graph.table1(0, pick()) : graph.make(op, pick(), pick(), pick()));
    }
    return pool;
}

TEST(PrintRandomly, TextReadAgainIsTheSameNode) {
    int compared = 0;
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        Graph graph;
        Rebuild rebuild(graph);
        for (const Expr e : random_expressions(graph, seed, 40)) {
            const std::string printed = text(e);
            if (printed.size() > 5'000) continue;  // little to learn from, for the time it takes
            ASSERT_TRUE(same(rebuild(printed), e)) << printed << "\nreads back as\n" << text(rebuild(printed));
            ++compared;
        }
    }
    EXPECT_GT(compared, 10'000);
}

/// All pairs of parentheses of a text, with what remains when one pair is left out.
std::vector<std::string> with_one_pair_less(const std::string& text) {
    std::vector<std::string> result;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') open.push_back(i);
        if (text[i] != ')') continue;
        const std::size_t begin = open.back();
        open.pop_back();
        if (begin > 0 && std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0) continue;  // a call
        // A signed number in front of a quotient (only where it can't be computed: 2 - (-1)/0) is always enclosed.
        if (text[begin + 1] == '-' && i + 1 < text.size() && text[i + 1] == '/') continue;
        std::string less = text;
        less.erase(i, 1).erase(begin, 1);
        result.push_back(less);
    }
    return result;
}

TEST(PrintRandomly, NoPairOfParenthesesCanBeLeftOut) {
    int tried = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        Graph graph;
        for (const Expr e : random_expressions(graph, seed, 25)) {
            const std::string printed = text(e);
            if (printed.size() > 200) continue;
            for (const std::string& less : with_one_pair_less(printed)) {
                const auto shape = [](const std::string& source) {
                    std::string all;
                    for (const SyntaxNode& node : parse_expression(source).nodes) {
                        all += node.text + number_text(node.number) + "/";
                        for (const std::uint32_t child : node.children) all += std::to_string(child) + ",";
                    }
                    return all;
                };
                try {
                    ASSERT_NE(shape(less), shape(printed)) << printed;
                } catch (const SyntaxError&) {
                    // Without this pair it isn't even an expression.
                }
                ++tried;
            }
        }
    }
    EXPECT_GT(tried, 500);
}

// --- sizes

TEST(PrintSize, ADeepExpressionPrintsCompletelyWithinTheLimit) {
    Graph graph;
    const Expr a = graph.variable(0);
    Expr e = a;
    std::string expected = "a";
    for (int i = 0; i < 20'000; ++i) {
        e = e + graph.variable(1 + i % 3);
        expected += std::string(" + ") + static_cast<char>('b' + i % 3);
    }
    EXPECT_EQ(text(e), expected);
}

TEST(PrintSize, AMillionOperationsEndInAnEllipsisAtTheInnerEnd) {
    Graph graph;
    Expr e = graph.variable(0);
    for (int i = 0; i < 1'000'000; ++i) e = e - graph.variable(1 + i % 3);
    const std::string printed = text(e);
    EXPECT_TRUE(printed.starts_with("…")) << printed.substr(0, 20);
    EXPECT_TRUE(printed.ends_with(" - c - d - b")) << printed.substr(printed.size() - 20);
    EXPECT_GT(printed.size(), 90'000U);
    EXPECT_LT(printed.size(), 110'000U);
}

TEST(PrintSize, ASharedExpressionOfAnyLengthPrintsItsOuterPart) {
    Graph graph;
    Expr e = graph.variable(0);
    for (int i = 0; i < 200; ++i) {  // 2^200 leaves when written out
        const Expr first = sin(e);
        e = first * cos(e);
    }
    for (const std::string& printed : {text(e), latex(e)}) {
        EXPECT_LT(printed.size(), 1'000'000U);
        EXPECT_GT(printed.size(), 100'000U);
    }
    EXPECT_TRUE(text(e).starts_with("sin(sin(")) << text(e).substr(0, 40);
    EXPECT_NE(text(e).find("…"), std::string::npos);
    EXPECT_NE(latex(e).find("\\ldots"), std::string::npos);
}

// --- numbers

TEST(NumberText, IsTheShortestThatReadsBack) {
    EXPECT_EQ(number_text(0.0), "0");
    EXPECT_EQ(number_text(3.0), "3");
    EXPECT_EQ(number_text(-2.5), "-2.5");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(1e-6), "1e-6");
    EXPECT_EQ(number_text(1e10), "1e10");
    EXPECT_EQ(number_text(1.5e-12), "1.5e-12");
    EXPECT_EQ(number_text(1e300), "1e300");
    EXPECT_EQ(number_text(0.1 + 0.2), "0.30000000000000004");
}

TEST(NumberText, ReadsBackExactlyWhateverTheBits) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 100'000; ++i) {
        const double value = std::abs(std::bit_cast<double>(random()));
        if (!std::isfinite(value)) continue;
        ASSERT_EQ(parse_expression(number_text(value)).nodes.at(0).number, value) << number_text(value);
    }
    const double least = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(parse_expression(number_text(least)).nodes.at(0).number, least);
}

// --- LaTeX

class Latex : public Print {};

TEST_F(Latex, QuotientsRootsAndPowersAreTypeset) {
    EXPECT_EQ(latex((a + b) / sqrt(c)), "\\frac{a + b}{\\sqrt{c}}");
    EXPECT_EQ(latex(pow(x, 3)), "x^{3}");
    EXPECT_EQ(latex(pow(a + b, c / d)), "\\left(a + b\\right)^{\\frac{c}{d}}");
    EXPECT_EQ(latex(pow(a / b, 3)), "\\left(\\frac{a}{b}\\right)^{3}");
    EXPECT_EQ(latex(exp(-a)), "\\mathrm{e}^{-a}");
    EXPECT_EQ(latex(pow(-2, x)), "\\left(-2\\right)^{x}");
}

TEST_F(Latex, ProductsHaveThinSpacesAndDotsBeforeNumbers) {
    EXPECT_EQ(latex(2 * a * b), "2\\,a\\,b");
    EXPECT_EQ(latex(2 * (a * b)), "2\\,a\\,b");
    EXPECT_EQ(latex(2 * pow(10, x)), "2 \\cdot 10^{x}");
    EXPECT_EQ(latex(2 * (3 / x)), "2 \\cdot \\frac{3}{x}");
    EXPECT_EQ(latex(a * (b + c)), "a\\,\\left(b + c\\right)");
    EXPECT_EQ(latex(-a * b), "-a\\,b");
}

TEST_F(Latex, SumsHaveNoParenthesesExceptAfterMinus) {
    EXPECT_EQ(latex(a + (b + c)), "b + c + a");
    const Expr sum = a + b;
    EXPECT_EQ(latex(sum + (c - d)), "a + b + c - d");
    EXPECT_EQ(latex(a - (b + c)), "a - \\left(b + c\\right)");
    EXPECT_EQ(latex(3 + x), "x + 3");
}

TEST_F(Latex, FunctionsHaveTheirUsualNames) {
    EXPECT_EQ(latex(sin(a)), "\\sin\\left(a\\right)");
    EXPECT_EQ(latex(apply(Op::atan, a)), "\\arctan\\left(a\\right)");
    EXPECT_EQ(latex(log(a)), "\\ln\\left(a\\right)");
    EXPECT_EQ(latex(sign(a)), "\\operatorname{sign}\\left(a\\right)");
    EXPECT_EQ(latex(abs(a)), "\\left|a\\right|");
    EXPECT_EQ(latex(max(a, b)), "\\max\\left(a, b\\right)");
    EXPECT_EQ(latex(apply(Op::floor, a)), "\\left\\lfloor a\\right\\rfloor ");
    EXPECT_EQ(latex(graph.time()), "t");
}

TEST_F(Latex, RelationsAndLogicAreSymbols) {
    const Expr p = apply(Op::less_equal, a, b);
    EXPECT_EQ(latex(p), "a \\le b");
    EXPECT_EQ(latex(apply(Op::greater_equal, a, b)), "a \\ge b");
    EXPECT_EQ(latex(apply(Op::equal, a, 0)), "a = 0");
    EXPECT_EQ(latex(apply(Op::not_equal, a, b)), "a \\ne b");
    EXPECT_EQ(latex(apply(Op::logical_and, p, c)), "c \\land a \\le b");
    EXPECT_EQ(latex(apply(Op::logical_not, p)), "\\lnot \\left(a \\le b\\right)");
}

TEST_F(Latex, ConditionalsAreCases) {
    const Expr inner = if_else(apply(Op::less, a, 0), b, c);
    EXPECT_EQ(latex(if_else(d, 1, inner)),
              "\\begin{cases} 1 & \\text{if } d \\\\ b & \\text{if } a < 0 \\\\ c & \\text{otherwise} \\end{cases}");
}

TEST_F(Latex, NumbersHavePowersOfTen) {
    EXPECT_EQ(latex(1.5e-6 * a), "1.5 \\cdot 10^{-6}\\,a");
    EXPECT_EQ(latex(pow(1e-6, a)), "\\left(10^{-6}\\right)^{a}");
    EXPECT_EQ(latex(Expr(-1e20)), "-10^{20}");
    EXPECT_EQ(latex(Expr(std::numeric_limits<double>::infinity())), "\\infty");
}

TEST(LatexName, OwnersAreSubscripts) {
    EXPECT_EQ(latex_name("q"), "q");
    EXPECT_EQ(latex_name("La.f"), "f_{\\mathrm{La}}");
    EXPECT_EQ(latex_name("feed->node.e"), "e_{\\mathrm{feed{\\to}node}}");
    EXPECT_EQ(latex_name("tank.level"), "\\mathrm{level}_{\\mathrm{tank}}");
    EXPECT_EQ(latex_name("arm.joint_a.q"), "q_{\\mathrm{arm.joint\\_a}}");
}

TEST(LatexName, GreekLettersAreWritten) {
    EXPECT_EQ(latex_name("alpha"), "\\alpha");
    EXPECT_EQ(latex_name("J.omega"), "\\omega_{\\mathrm{J}}");
    EXPECT_EQ(latex_name("phi2"), "\\phi_{2}");
    EXPECT_EQ(latex_name("ω"), "\\omega");
    EXPECT_EQ(latex_name("φ_rel"), "\\varphi_{\\mathrm{rel}}");
    EXPECT_EQ(latex_name("R_Ω2"), "R_{\\Omega,2}");
}

// Formulas have no letters but those of ASCII and Greek: pdflatex stops at \mathrm{ä}.
TEST(LatexName, OtherLettersStandInTexts) {
    EXPECT_EQ(latex_name("Quelle_ä.e"), "e_{\\text{Quelle\\_ä}}");
    EXPECT_EQ(latex_name("Widerstand_Ω.f"), "f_{\\text{Widerstand\\_$\\Omega$}}");
    EXPECT_EQ(latex_name("größe"), "\\text{größe}");
    EXPECT_EQ(latex_name("φ.e"), "e_{\\varphi}");
    EXPECT_EQ(latex_name("é"), "\\textit{é}");
}

TEST(LatexName, WordsAfterUnderscoresDigitsAndIndicesAreSubscripts) {
    EXPECT_EQ(latex_name("w_rel"), "w_{\\mathrm{rel}}");
    EXPECT_EQ(latex_name("x_0"), "x_{0}");
    EXPECT_EQ(latex_name("R1"), "R_{1}");
    EXPECT_EQ(latex_name("a_b_c"), "a_{b,c}");
    EXPECT_EQ(latex_name("body.frame_a.x[2]"), "x_{2,\\mathrm{body.frame\\_a}}");
    EXPECT_EQ(latex_name("M[1,2]"), "M_{1,2}");
    EXPECT_EQ(latex_name("cell[1].q"), "q_{\\mathrm{cell[1]}}");
}

TEST(LatexName, StrayUnderscoresAreEscaped) {
    EXPECT_EQ(latex_name("_x"), "\\mathrm{\\_x}");
    EXPECT_EQ(latex_name("a__b"), "\\mathrm{a\\_\\_b}");
    EXPECT_EQ(latex_name("x_"), "\\mathrm{x\\_}");
    EXPECT_EQ(latex_name("link 50%"), "\\mathrm{link 50\\%}");
}

}  // namespace
}  // namespace bondgraph::expression
