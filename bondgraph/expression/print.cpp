#include "bondgraph/expression/print.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "bondgraph/expression/layout.hpp"

namespace bondgraph::expression {
namespace {

/// The rules of the grammar from the loosest to the tightest: a text can stand wherever its level or a looser one is
/// asked for.
enum Level : int { kConditional, kOr, kAnd, kNot, kRelation, kSum, kTerm, kFactor, kAtom };

/// Prints one node; see syntax.hpp for the grammar that the levels come from. Texts read back as the same operations on
/// the same operands (guarded products excepted, which look like products); where operands may trade places, the one
/// that saves parentheses comes first.
class TextLayout {
   public:
    TextLayout(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

    [[nodiscard]] Layout operator()(std::uint32_t index) const {
        const Node& node = graph_[index];
        switch (node.op) {
            case Op::constant:
                return Layout().text(number_text(node.number()));
            case Op::time:
                return Layout().text("time");
            case Op::variable:
            case Op::derivative:
            case Op::parameter:
            case Op::held:
                return Layout().text(name_(node));
            case Op::negate: {
                const bool enclosed = level(node.a) < kTerm || graph_[node.a].op == Op::negate;
                return std::move(Layout().text("-").operand(node.a, enclosed, "(", ")"));
            }
            case Op::logical_not:
                return std::move(Layout().text("not ").operand(node.a, level(node.a) < kNot, "(", ")"));
            case Op::add:
                return commutative(node, " + ", kSum, graph_[node.a].op == Op::constant);
            case Op::subtract:
                return binary(node, " - ", kSum, kTerm);
            case Op::multiply:
                return commutative(node, "*", kTerm, false);
            case Op::guarded_multiply:
                return binary(node, "*", kTerm, kFactor);
            case Op::divide:
                return binary(node, "/", kTerm, kFactor);
            case Op::power:
                return binary(node, "^", kAtom, kFactor);
            case Op::logical_and:
                return commutative(node, " and ", kAnd, false);
            case Op::logical_or:
                return commutative(node, " or ", kOr, false);
            case Op::if_else:
                return conditional(index);
            default:
                if (node.op >= Op::less && node.op <= Op::not_equal) return relation(node);
                if (node.op >= Op::table1) return call(node, fmt::format("{}_{}", op_name(node.op), node.a));
                return call(node, op_name(node.op));
        }
    }

   private:
    [[nodiscard]] int level(std::uint32_t index) const {
        const Node& node = graph_[index];
        switch (node.op) {
            case Op::constant:
                return std::signbit(node.number()) ? kFactor : kAtom;
            case Op::negate:
                // -x and -x^2 are factors, -(a + b) too, but -a*b is only the first term of a sum.
                return is_product(graph_[node.a].op) ? kSum : kFactor;
            case Op::power:
                return kFactor;
            case Op::add:
            case Op::subtract:
                return kSum;
            case Op::logical_not:
                return kNot;
            case Op::logical_and:
                return kAnd;
            case Op::logical_or:
                return kOr;
            case Op::if_else:
                return kConditional;
            default:
                if (node.op >= Op::less && node.op <= Op::not_equal) return kRelation;
                return is_product(node.op) ? kTerm : kAtom;
        }
    }

    static bool is_product(Op op) { return op == Op::multiply || op == Op::divide || op == Op::guarded_multiply; }

    /// A sign at the front of a product would be read as the sign of the whole product.
    [[nodiscard]] bool begins_with_sign(std::uint32_t index) const {
        const Node& node = graph_[index];
        return node.op == Op::negate || (node.op == Op::constant && std::signbit(node.number()));
    }

    [[nodiscard]] Layout binary(std::uint32_t left, std::uint32_t right, std::string_view sign, int left_level,
                                int right_level) const {
        const bool enclose_left = level(left) < left_level || (left_level == kTerm && begins_with_sign(left));
        Layout layout;
        layout.operand(left, enclose_left, "(", ")").text(sign);
        return std::move(layout.operand(right, level(right) < right_level, "(", ")"));
    }
    [[nodiscard]] Layout binary(const Node& node, std::string_view sign, int left_level, int right_level) const {
        return binary(node.a, node.b, sign, left_level, right_level);
    }

    /// Operators are read from left to right, so a + (b + c) is written b + c + a; but a number stays in front of a
    /// product and at the end of a sum.
    [[nodiscard]] Layout commutative(const Node& node, std::string_view sign, int own_level, bool swapped) const {
        if (graph_[node.a].op != Op::constant) swapped = level(node.a) > own_level && level(node.b) == own_level;
        const auto [left, right] = swapped ? std::pair(node.b, node.a) : std::pair(node.a, node.b);
        return binary(left, right, sign, own_level, own_level + 1);
    }

    [[nodiscard]] Layout relation(const Node& node) const {
        // A number that is compared with stands on the right, where the order is free.
        const bool swapped = (node.op == Op::equal || node.op == Op::not_equal) && graph_[node.a].op == Op::constant;
        const auto [left, right] = swapped ? std::pair(node.b, node.a) : std::pair(node.a, node.b);
        return binary(left, right, fmt::format(" {} ", op_name(node.op)), kSum, kSum);
    }

    [[nodiscard]] static Layout call(const Node& node, std::string_view function) {
        Layout layout;
        layout.text(function);
        std::string_view before = "(";
        for (const std::uint32_t operand : node.operands()) {
            layout.text(before).operand(operand);
            before = ", ";
        }
        return std::move(layout.text(")"));
    }

    [[nodiscard]] Layout conditional(std::uint32_t index) const {
        const Cases cases = cases_of(graph_, index);
        Layout layout;
        for (std::size_t i = 0; i < cases.conditions.size(); ++i) {
            layout.text(i == 0 ? "if " : " elseif ").operand(cases.conditions[i]);
            layout.text(" then ").operand(cases.values[i]);
        }
        return std::move(layout.text(" else ").operand(cases.values.back()));
    }

    const Graph& graph_;
    const LeafName& name_;
};

}  // namespace

std::string to_text(Expr e, const LeafName& name, PrintStyle style) {
    if (e.is_literal()) return style == PrintStyle::latex ? latex_number(e.literal()) : number_text(e.literal());
    const Graph& graph = *e.graph();
    if (style == PrintStyle::text) return print_layouts(e.node(), TextLayout(graph, name), "…");
    const auto layout_of = [&](std::uint32_t node) { return latex_layout(graph, node, name); };
    return print_layouts(e.node(), layout_of, "\\ldots ");
}

std::string number_text(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(buffer.data(), end);
    const std::size_t e = text.find('e');
    if (e == std::string::npos || !std::isfinite(value)) return text;
    // to_chars writes a sign and at least two digits; neither a "+" nor leading zeros are needed.
    const bool negative = text[e + 1] == '-';
    const std::size_t digits = text.find_first_not_of('0', e + 2);
    return text.substr(0, e + 1) + (negative ? "-" : "") + text.substr(digits);
}

}  // namespace bondgraph::expression
