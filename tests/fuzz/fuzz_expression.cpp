// libFuzzer target: a text is parsed as an expression and as an equation. One that is valid is built in the expression
// graph, printed, parsed again and evaluated. What must hold:
//   - a mistake points into the text;
//   - the printed text means the same node of the graph, which shares equal expressions;
//   - the tape gives the value that the operations give one by one on the parsed text, without simplification;
//   - the derivative by a variable can be formed and evaluated.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/print.hpp"
#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/expression/tape.hpp"

namespace {

using namespace bondgraph::expression;

constexpr std::uint32_t kVariables = 26;

/// Variables are the small letters.
std::string letter(const Node& leaf) {
    const std::string name(1, static_cast<char>('a' + leaf.a));
    return leaf.op == Op::derivative ? "der(" + name + ")" : name;
}

/// The graph's operations under the names they print with.
struct Operations {
    std::map<std::string, Op, std::less<>> unary;
    std::map<std::string, Op, std::less<>> binary;

    Operations() {
        for (int i = static_cast<int>(Op::negate); i < static_cast<int>(Op::table1); ++i) {
            const Op op = static_cast<Op>(i);
            (operand_count(op) == 1 ? unary : binary).emplace(op_name(op), op);
        }
        unary.insert_or_assign("-", Op::negate);
        binary.insert_or_assign("-", Op::subtract);
    }

    /// The operation of a node, if it is one.
    [[nodiscard]] std::optional<Op> find(const SyntaxNode& node) const {
        if (node.kind == SyntaxKind::conditional) return Op::if_else;
        const auto& known = node.children.size() == 1 ? unary : binary;
        const auto found = known.find(node.text);
        if (node.children.empty() || node.children.size() > 2 || found == known.end()) return std::nullopt;
        return found->second;
    }
};

const Operations& operations() {
    static const Operations known;
    return known;
}

std::optional<std::uint32_t> variable_of(const SyntaxNode& node) {
    if (node.kind != SyntaxKind::name || node.text.size() != 1) return std::nullopt;
    if (node.text[0] < 'a' || node.text[0] > 'z') return std::nullopt;
    return static_cast<std::uint32_t>(node.text[0] - 'a');
}

/// Builds a parsed text in the graph; nothing when it holds names, functions or lists that the graph has none of.
std::optional<Expr> build(Graph& graph, const Syntax& syntax) {
    std::vector<Expr> built;
    for (const SyntaxNode& node : syntax.nodes) {
        const auto child = [&](std::size_t i) { return built[node.children[i]]; };
        if (node.kind == SyntaxKind::number) {
            built.push_back(graph.constant(node.number));
        } else if (const auto variable = variable_of(node)) {
            built.push_back(graph.variable(*variable));
        } else if (node.kind == SyntaxKind::name && node.text == "time") {
            built.push_back(graph.time());
        } else if (const auto op = node.kind == SyntaxKind::index ? std::nullopt : operations().find(node)) {
            built.push_back(node.children.size() == 1   ? graph.make(*op, child(0))
                            : node.children.size() == 2 ? graph.make(*op, child(0), child(1))
                                                        : graph.make(*op, child(0), child(1), child(2)));
        } else {
            return std::nullopt;
        }
    }
    return built[syntax.root];
}

void require(bool holds, const char* what, std::string_view text) {
    if (holds) return;
    std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(text.size()), text.data());
    std::abort();
}

InputLayout layout() {
    InputLayout layout;
    layout.time = 0;
    for (std::uint32_t i = 0; i < kVariables; ++i) {
        layout.variable.push_back(1 + i);
        layout.derivative.push_back(1 + kVariables + i);
    }
    layout.size = 1 + 2 * kVariables;
    return layout;
}

std::vector<double> point() {
    std::vector<double> inputs(1 + 2 * kVariables);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = std::sin(1.7 * static_cast<double>(i) + 0.3);
    return inputs;
}

double value(Graph& graph, Expr e) {
    static const InputLayout inputs = layout();
    const Tape tape(graph, std::vector<Expr>{e}, inputs);
    auto workspace = tape.make_workspace<double>();
    double result = 0.0;
    tape.evaluate<double>(point(), std::span<double>(&result, 1), workspace);
    return result;
}

/// The value of a parsed text by its operations one after the other; each result is off by up to `error` of itself, up
/// or down as the bits of `signs` say. Nothing when some result isn't finite or lost its digits to underflow.
std::optional<double> plain_value(const Syntax& syntax, double error, std::uint32_t signs) {
    const std::vector<double> at = point();
    std::vector<double> values;
    for (const SyntaxNode& node : syntax.nodes) {
        double operands[3] = {0.0, 0.0, 0.0};
        bool nonzero = true;
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            operands[i] = values[node.children[i]];
            nonzero = nonzero && operands[i] != 0.0;
        }
        double result = node.number;
        if (const auto variable = variable_of(node))
            result = at[1 + *variable];
        else if (node.kind == SyntaxKind::name)
            result = at[0];
        else if (node.kind != SyntaxKind::number)
            result = evaluate_op(*operations().find(node), operands[0], operands[1], operands[2]);
        const bool vanished = result == 0.0 && nonzero && (node.text == "*" || node.text == "/" || node.text == "^");
        const bool tiny = result != 0.0 && std::abs(result) < 1e-150;
        if (!(std::abs(result) < 1e150) || tiny || vanished) return std::nullopt;
        const bool up = ((signs * 2654435761U) >> (values.size() % 32) & 1U) != 0;
        values.push_back(result * (up ? 1.0 + error : 1.0 - error));
    }
    return values[syntax.root];
}

/// The simplified expression may round otherwise, by no more than small errors of all operations make of the result.
bool agrees(double simplified, const Syntax& syntax) {
    const auto exact = plain_value(syntax, 0.0, 0);
    if (!exact) return true;
    double spread = 0.0;
    for (std::uint32_t signs = 1; signs < 9; ++signs) {
        const auto off = plain_value(syntax, 1e-12, signs);
        if (!off) return true;
        spread = std::max(spread, std::abs(*off - *exact));
    }
    return std::abs(simplified - *exact) <= 10.0 * spread + 1e-9 * std::abs(*exact);
}

void check_expression(const std::string& text) {
    const Syntax syntax = parse_expression(text);
    Graph graph;
    const auto built = build(graph, syntax);
    if (!built) return;
    const Expr e = graph.at(graph.node_of(*built));
    const std::string printed = to_text(e, letter);
    const double at_point = value(graph, e);
    require(agrees(at_point, syntax), "simplification changes the value", text);
    for (std::uint32_t i = 0; i < 2; ++i) value(graph, derivative(e, graph.variable(i)));
    to_text(e, letter, PrintStyle::latex);
    if (printed.find("…") != std::string::npos || printed.find("inf") != std::string::npos ||
        printed.find("nan") != std::string::npos)
        return;
    const Syntax again = parse_expression(printed);
    const auto rebuilt = build(graph, again);
    require(rebuilt.has_value(), "the printed text means nothing", printed);
    require(graph.node_of(*rebuilt) == e.node(), "the printed text means something else", printed);
    const double second = value(graph, *rebuilt);
    require(second == at_point || (std::isnan(second) && std::isnan(at_point)), "another value", printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto& check : {std::function<void(const std::string&)>(check_expression),
                              std::function<void(const std::string&)>([](const auto& t) { parse_equation(t); })}) {
        try {
            check(text);
        } catch (const SyntaxError& mistake) {
            require(mistake.offset() <= size, "the mistake lies outside the text", text);
        }
    }
    return 0;
}
