#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "bondgraph/base/tex_text.hpp"
#include "bondgraph/expression/layout.hpp"
#include "bondgraph/expression/operations.hpp"

namespace bondgraph::expression {
namespace {

/// How tightly a formula holds together. Unlike in the text style, sums and products of several operands need no
/// parentheses between them: a formula is for reading, where + and · are associative.
enum LatexLevel : int {
    kLatexConditional,
    kLatexOr,
    kLatexAnd,
    kLatexNot,
    kLatexRelation,
    kLatexSum,
    kLatexTerm,
    kLatexFactor,
    kLatexAtom
};

constexpr std::string_view kOpen = "\\left(";
constexpr std::string_view kClose = "\\right)";

/// LaTeX's own command for a function, or the function's name made into an operator.
std::string function_name(Op op) {
    const std::string_view command = operation(op).tex;
    return command.empty() ? fmt::format("\\operatorname{{{}}}", op_name(op)) : std::string(command);
}

std::string table_name(const Node& node) {
    switch (node.op) {
        case Op::table1_slope:
            return fmt::format("\\operatorname{{table1}}_{{{}}}'", node.a);
        case Op::table2_slope_x:
            return fmt::format("\\partial_{{1}}\\operatorname{{table2}}_{{{}}}", node.a);
        case Op::table2_slope_y:
            return fmt::format("\\partial_{{2}}\\operatorname{{table2}}_{{{}}}", node.a);
        default:
            return fmt::format("\\operatorname{{{}}}_{{{}}}", op_name(node.op), node.a);
    }
}

class LatexLayout {
   public:
    LatexLayout(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

    [[nodiscard]] Layout operator()(std::uint32_t index) const {
        const Node& node = graph_[index];
        switch (node.op) {
            case Op::constant:
                return Layout().text(latex_number(node.number()));
            case Op::time:
                return Layout().text("t");
            case Op::variable:
            case Op::derivative:
            case Op::parameter:
            case Op::held:
                return Layout().text(name_(node));
            case Op::negate:
                return prefix("-", node.a, kLatexTerm);
            case Op::logical_not:
                return prefix("\\lnot ", node.a, kLatexAtom);
            case Op::sqrt:
                return around("\\sqrt{", node.a, "}");
            case Op::exp:
                return around("\\mathrm{e}^{", node.a, "}");
            case Op::abs:
                return around("\\left|", node.a, "\\right|");
            case Op::floor:
                return around("\\left\\lfloor ", node.a, "\\right\\rfloor ");
            case Op::ceil:
                return around("\\left\\lceil ", node.a, "\\right\\rceil ");
            case Op::add:
            case Op::subtract:
                return sum(node);
            case Op::multiply:
            case Op::guarded_multiply:
                return product(node);
            case Op::divide:
                return std::move(Layout().text("\\frac{").operand(node.a).text("}{").operand(node.b).text("}"));
            case Op::power:
                return std::move(enclosed(node.a, kLatexAtom).text("^{").operand(node.b).text("}"));
            case Op::if_else:
                return conditional(index);
            default:
                if (node.op >= Op::less && node.op <= Op::logical_or) return relation(node);
                return call(node, node.op >= Op::table1 ? table_name(node) : function_name(node.op));
        }
    }

   private:
    [[nodiscard]] int level(std::uint32_t index) const {
        const Node& node = graph_[index];
        switch (node.op) {
            case Op::constant:
                if (std::signbit(node.number())) return kLatexSum;
                return number_text(node.number()).find('e') == std::string::npos ? kLatexAtom : kLatexTerm;
            case Op::negate:
            case Op::add:
            case Op::subtract:
                return kLatexSum;
            case Op::multiply:
            case Op::guarded_multiply:
                return kLatexTerm;
            case Op::divide:
            case Op::power:
            case Op::exp:
                return kLatexFactor;
            case Op::logical_not:
                return kLatexNot;
            case Op::logical_and:
                return kLatexAnd;
            case Op::logical_or:
                return kLatexOr;
            case Op::if_else:
                return kLatexConditional;
            default:
                return node.op >= Op::less && node.op <= Op::not_equal ? kLatexRelation : kLatexAtom;
        }
    }

    [[nodiscard]] Layout enclosed(std::uint32_t node, int least) const {
        return std::move(Layout().operand(node, level(node) < least, kOpen, kClose));
    }

    [[nodiscard]] Layout prefix(std::string_view sign, std::uint32_t node, int least) const {
        return std::move(Layout().text(sign).operand(node, level(node) < least, kOpen, kClose));
    }

    [[nodiscard]] static Layout around(std::string_view before, std::uint32_t node, std::string_view after) {
        return std::move(Layout().text(before).operand(node).text(after));
    }

    [[nodiscard]] Layout binary(std::uint32_t left, std::uint32_t right, std::string_view sign, int left_level,
                                int right_level) const {
        Layout layout = enclosed(left, left_level);
        layout.text(sign);
        return std::move(layout.operand(right, level(right) < right_level, kOpen, kClose));
    }
    [[nodiscard]] Layout binary(const Node& node, std::string_view sign, int left_level, int right_level) const {
        return binary(node.a, node.b, sign, left_level, right_level);
    }

    /// As in the text style, b + c + a stands for a + (b + c), and numbers come last.
    [[nodiscard]] Layout sum(const Node& node) const {
        if (node.op == Op::subtract) return binary(node, " - ", kLatexSum, kLatexTerm);
        const auto is_sum = [&](std::uint32_t i) { return graph_[i].op == Op::add || graph_[i].op == Op::subtract; };
        const bool swapped = graph_[node.a].op == Op::constant || (is_sum(node.b) && !is_sum(node.a));
        const auto [left, right] = swapped ? std::pair(node.b, node.a) : std::pair(node.a, node.b);
        return binary(left, right, " + ", kLatexSum, is_sum(right) ? kLatexSum : kLatexTerm);
    }

    [[nodiscard]] Layout product(const Node& node) const {
        const bool swapped =
            graph_[node.a].op != Op::constant && level(node.a) > kLatexTerm && level(node.b) == kLatexTerm;
        const auto [left, right] = swapped ? std::pair(node.b, node.a) : std::pair(node.a, node.b);
        return binary(left, right, begins_with_digit(right) ? " \\cdot " : "\\,", kLatexTerm, kLatexTerm);
    }

    [[nodiscard]] Layout relation(const Node& node) const {
        // A number that is compared with stands on the right, where the order is free.
        const bool swapped = (node.op == Op::equal || node.op == Op::not_equal) && graph_[node.a].op == Op::constant;
        const auto [left, right] = swapped ? std::pair(node.b, node.a) : std::pair(node.a, node.b);
        switch (node.op) {
            case Op::logical_and:
                return binary(left, right, " \\land ", kLatexAnd, kLatexAnd);
            case Op::logical_or:
                return binary(left, right, " \\lor ", kLatexOr, kLatexOr);
            case Op::less_equal:
                return binary(left, right, " \\le ", kLatexSum, kLatexSum);
            case Op::greater_equal:
                return binary(left, right, " \\ge ", kLatexSum, kLatexSum);
            case Op::equal:
                return binary(left, right, " = ", kLatexSum, kLatexSum);
            case Op::not_equal:
                return binary(left, right, " \\ne ", kLatexSum, kLatexSum);
            default:  // < and >
                return binary(left, right, fmt::format(" {} ", op_name(node.op)), kLatexSum, kLatexSum);
        }
    }

    /// Whether a number stands at the front: a thin space before it would look like one number.
    [[nodiscard]] bool begins_with_digit(std::uint32_t index) const {
        constexpr int kSteps = 64;  // beyond that, the dot is right as well
        for (int i = 0; i < kSteps; ++i) {
            const Node& node = graph_[index];
            const bool has_front = node.op == Op::multiply || node.op == Op::guarded_multiply ||
                                   node.op == Op::divide || node.op == Op::power;
            if (!has_front) return node.op == Op::constant && !std::signbit(node.number());
            if (node.op != Op::divide && level(node.a) < (node.op == Op::power ? kLatexAtom : kLatexTerm)) return false;
            index = node.a;
        }
        return true;
    }

    [[nodiscard]] static Layout call(const Node& node, std::string_view function) {
        Layout layout;
        layout.text(function).text(kOpen);
        std::string_view before;
        for (const std::uint32_t operand : node.operands()) {
            layout.text(before).operand(operand);
            before = ", ";
        }
        return std::move(layout.text(kClose));
    }

    [[nodiscard]] Layout conditional(std::uint32_t index) const {
        const Cases cases = cases_of(graph_, index);
        Layout layout;
        layout.text("\\begin{cases} ");
        for (std::size_t i = 0; i < cases.conditions.size(); ++i) {
            layout.operand(cases.values[i]).text(" & \\text{if } ").operand(cases.conditions[i]).text(" \\\\ ");
        }
        return std::move(layout.operand(cases.values.back()).text(" & \\text{otherwise} \\end{cases}"));
    }

    const Graph& graph_;
    const LeafName& name_;
};

constexpr std::array<std::string_view, 35> kGreek{
    "alpha", "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta",     "theta", "iota", "kappa", "lambda", "mu",
    "nu",    "xi",    "pi",     "rho",   "sigma",   "tau",   "upsilon", "phi",   "chi",  "psi",   "omega",  "Gamma",
    "Delta", "Theta", "Lambda", "Xi",    "Pi",      "Sigma", "Upsilon", "Phi",   "Psi",  "Omega", "varphi",
};

bool is_greek(std::string_view word) { return std::find(kGreek.begin(), kGreek.end(), word) != kGreek.end(); }

/// The number of UTF-8 characters.
std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

/// Other letters than those of ASCII exist in texts only, not in formulas.
std::string as_text(std::string_view text) {
    std::set<std::uint32_t> unknown;  // whoever writes the document looks for these in all of it
    return tex_text(text, unknown);
}

std::string upright(std::string_view text) {
    if (!tex_greek(text).empty()) return tex_greek(text);
    if (!is_ascii(text)) return fmt::format("\\text{{{}}}", as_text(text));
    std::string escaped;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (text.substr(i).starts_with("->")) {  // of a bond that is named by its ends
            escaped += "{\\to}";
            ++i;
            continue;
        }
        switch (c) {
            case '\\':
                escaped += "\\backslash ";
                break;
            case '^':
            case '~':
                escaped += fmt::format("\\text{{\\{}{{}}}}", c);
                break;
            case '_':
            case '#':
            case '$':
            case '%':
            case '&':
            case '{':
            case '}':
                escaped += '\\';
                [[fallthrough]];
            default:
                escaped += c;
        }
    }
    return fmt::format("\\mathrm{{{}}}", escaped);
}

/// One word of a name: a symbol where it is one, upright otherwise.
std::string word(std::string_view text) {
    if (is_greek(text)) return fmt::format("\\{}", text);
    if (!tex_greek(text).empty()) return tex_greek(text);
    if (characters(text) == 1 && !is_ascii(text)) return fmt::format("\\textit{{{}}}", as_text(text));
    const bool number = text.find_first_not_of("0123456789") == std::string_view::npos;
    constexpr std::string_view kSpecial = "\\^~_#$%&{}";
    const bool symbol = characters(text) == 1 && kSpecial.find(text) == std::string_view::npos;
    return number || symbol ? std::string(text) : upright(text);
}

/// "w_rel" → w, rel; "R1" → R, 1. A name with underscores elsewhere than between words stays whole.
std::vector<std::string> words(std::string_view name) {
    if (name.starts_with('_') || name.ends_with('_') || name.find("__") != std::string_view::npos) {
        return {upright(name)};
    }
    std::vector<std::string> found;
    while (true) {
        const std::size_t end = std::min(name.find('_'), name.size());
        const std::string_view part = name.substr(0, end);
        const std::size_t letters = part.find_last_not_of("0123456789") + 1;
        const std::string_view stem = part.substr(0, letters);
        if (letters < part.size() && (characters(stem) == 1 || is_greek(stem))) {
            found.push_back(word(stem));
            found.emplace_back(part.substr(letters));
        } else {
            found.push_back(word(part));
        }
        if (end == name.size()) return found;
        name.remove_prefix(end + 1);
    }
}

}  // namespace

Layout latex_layout(const Graph& graph, std::uint32_t node, const LeafName& name) {
    return LatexLayout(graph, name)(node);
}

std::string latex_number(double value) {
    if (std::isnan(value)) return "\\mathrm{NaN}";
    if (std::isinf(value)) return value < 0.0 ? "-\\infty" : "\\infty";
    const std::string text = number_text(value);
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    const std::string mantissa = text.substr(0, e);
    const std::string power = fmt::format("10^{{{}}}", text.substr(e + 1));
    if (mantissa == "1" || mantissa == "-1") return mantissa.substr(0, mantissa.size() - 1) + power;
    return fmt::format("{} \\cdot {}", mantissa, power);
}

std::string latex_name(const std::string& name) {
    std::string_view own = name;
    std::string_view owner;
    std::string_view index;
    if (own.ends_with(']')) {
        const std::size_t bracket = own.rfind('[');
        if (bracket != std::string_view::npos) {
            index = own.substr(bracket + 1, own.size() - bracket - 2);
            own = own.substr(0, bracket);
        }
    }
    if (const std::size_t dot = own.rfind('.'); dot != std::string_view::npos) {
        owner = own.substr(0, dot);
        own = own.substr(dot + 1);
    }
    if (own.empty()) return upright(name);
    const std::vector<std::string> parts = words(own);
    std::string subscript = fmt::format("{}", fmt::join(parts.begin() + 1, parts.end(), ","));
    for (const std::string& more : {std::string(index), owner.empty() ? std::string() : upright(owner)}) {
        if (more.empty()) continue;
        if (!subscript.empty()) subscript += ',';
        subscript += more;
    }
    return subscript.empty() ? parts[0] : fmt::format("{}_{{{}}}", parts[0], subscript);
}

}  // namespace bondgraph::expression
