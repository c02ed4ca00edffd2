#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "bondgraph/expression/operations.hpp"
#include "bondgraph/model/list_conditions.hpp"
#include "bondgraph/model/operations.hpp"
#include "bondgraph/model/quantity.hpp"
#include "bondgraph/model/results.hpp"
#include "bondgraph/model/table_functions.hpp"

namespace bondgraph::model {
namespace {

using expression::Expr;
using expression::ExprMatrix;
using expression::kOperations;
using expression::Op;
using expression::Syntax;
using expression::SyntaxError;
using expression::SyntaxKind;
using expression::SyntaxNode;

using Function = expression::Operation;

constexpr std::array<std::string_view, 5> kEventFunctions{"pre", "edge", "change", "sample", "machine"};

constexpr std::array<std::string_view, 9> kOtherFunctions{"der",  "cross",      "dot",      "transpose", "norm",
                                                          "size", "increasing", "contains", "position"};

bool is_event_function(std::string_view name) {
    return std::find(kEventFunctions.begin(), kEventFunctions.end(), name) != kEventFunctions.end();
}

void throw_unknown_name(const SyntaxNode& node, const EvaluationScope& scope) {
    const auto candidates = scope.candidates ? scope.candidates() : std::vector<std::string>{};
    const std::string name(node.text);
    const bool whole = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const std::string& c) { return c.starts_with(name + "."); });
    // A component by itself is no number.
    if (whole)
        throw SyntaxError(node.offset,
                          fmt::format("'{}' alone is no value{}", name, hint_for_name(name + ".", candidates)));
    throw SyntaxError(node.offset, fmt::format("unknown name '{}'{}", name, hint_for_name(name, candidates)));
}

void throw_unknown_function(const SyntaxNode& node) {
    const auto names = function_names();
    throw SyntaxError(node.offset, fmt::format("unknown function '{}'{}", node.text, did_you_mean(node.text, names)));
}

class Evaluator {
   public:
    Evaluator(const Syntax& syntax, expression::Graph& graph, const EvaluationScope& scope)
        : syntax_(syntax), graph_(graph), scope_(scope) {}

    std::optional<Quantity> run(std::uint32_t root, std::vector<SyntaxError>& mistakes) {
        // Children precede parents, so one scan over the root's nodes needs no recursion.
        std::vector<bool> needed(root + 1, false);
        needed[root] = true;
        for (std::uint32_t i = root + 1; i-- > 0;) {
            if (!needed[i]) continue;
            for (const std::uint32_t child : syntax_.nodes[i].children) needed[child] = true;
        }
        values_.assign(root + 1, unknown_quantity());
        roots_.assign(root + 1, {});
        known_ = words_in(syntax_);
        for (std::uint32_t i = 0; i <= root; ++i) {
            if (known_[i]) continue;  // a word
            if (!needed[i] || !knows_children(syntax_.nodes[i])) continue;
            leave_roots_open(i);
            try {
                values_[i] = value(syntax_.nodes[i]);
                known_[i] = !is_name_without_value(i);
                note_roots(i);
            } catch (const SyntaxError& mistake) {
                mistakes.push_back(mistake);
            }
        }
        if (!known_[root]) return std::nullopt;
        leave_open(root);
        return std::move(values_[root]);
    }

   private:
    // Units had no roots once, and what was left of one counted as unknown: bare coefficients (f = 3e-4*sqrt(e),
    // e = 2000*f^1.75) are common. That stays so unless a unit with a root takes part.
    void leave_roots_open(std::uint32_t i) {
        const SyntaxNode& node = syntax_.nodes[i];
        const bool product = node.kind == SyntaxKind::binary && (node.text == "*" || node.text == "/");
        if (product || is_power(node) || node.children.size() < 2) return;
        for (const std::uint32_t child : node.children) leave_open(child);
    }

    static bool is_power(const SyntaxNode& node) { return node.kind == SyntaxKind::binary && node.text == "^"; }

    void note_roots(std::uint32_t i) {
        const SyntaxNode& node = syntax_.nodes[i];
        Roots& roots = roots_[i];
        roots.taken = is_power(node) || (node.kind == SyntaxKind::call && node.text == "sqrt");
        roots.of_units = node.children.empty() && has_root(values_[i].measure);
        for (const std::uint32_t child : node.children) {
            roots.taken = roots.taken || roots_[child].taken;
            roots.of_units = roots.of_units || roots_[child].of_units;
        }
    }

    void leave_open(std::uint32_t i) {
        if (roots_[i].taken && !roots_[i].of_units && has_root(values_[i].measure)) values_[i].measure = {};
    }

    static bool has_root(const Measure& m) {
        const Dimension& d = m.dimension;
        return m.known() && !(d.metre.is_whole() && d.kilogram.is_whole() && d.second.is_whole() &&
                              d.ampere.is_whole() && d.kelvin.is_whole() && d.mole.is_whole() && d.candela.is_whole());
    }

    bool knows_children(const SyntaxNode& node) const {
        return std::all_of(node.children.begin(), node.children.end(),
                           [&](std::uint32_t child) { return known_[child]; });
    }

    bool is_name_without_value(std::uint32_t i) const {
        return syntax_.nodes[i].kind == SyntaxKind::name && is_unknown(values_[i]);
    }

    Quantity value(const SyntaxNode& node) {
        switch (node.kind) {
            case SyntaxKind::number:
                return Quantity::scalar(graph_.constant(node.number), Measure::number());
            case SyntaxKind::name:
                return name(node);
            case SyntaxKind::call:
                return call(node);
            case SyntaxKind::unary:
                return unary(node);
            case SyntaxKind::binary:
                return binary(node);
            case SyntaxKind::conditional:
                return conditional(node);
            case SyntaxKind::list:
                return list(node);
            case SyntaxKind::index:
                return index(node);
        }
        throw SyntaxError(node.offset, "this can't be evaluated");
    }

    const Quantity& child(const SyntaxNode& node, std::size_t i) const { return values_[node.children[i]]; }

    void need_scalar(const SyntaxNode& node, std::size_t i, std::string_view what) const {
        if (child(node, i).is_scalar()) return;
        throw SyntaxError(syntax_.nodes[node.children[i]].offset,
                          fmt::format("{} is a scalar, not {}", what, shape_text(child(node, i).value)));
    }

    Quantity name(const SyntaxNode& node) {
        // sin(300*time) is how sources are written: time takes part in products without a dimension of its own.
        if (node.text == "time") return Quantity::scalar(graph_.time());
        if (auto found = scope_.lookup(node.text)) return *std::move(found);
        if (node.text == "pi") return Quantity::scalar(graph_.constant(std::numbers::pi), Measure::number());
        throw_unknown_name(node, scope_);
        return {};
    }

    Quantity call(const SyntaxNode& node) {
        const auto* f = std::find_if(kOperations.begin(), kOperations.end(), [&](const Function& candidate) {
            return candidate.called && candidate.name == node.text;
        });
        if (f == kOperations.end()) return special_call(node);
        const bool many = f->op == Op::min || f->op == Op::max;
        if (node.children.size() != static_cast<std::size_t>(f->operands) && !(many && node.children.size() > 2)) {
            throw SyntaxError(node.offset, fmt::format("{}() takes {} argument{}, not {}", node.text, f->operands,
                                                       f->operands == 1 ? "" : "s", node.children.size()));
        }
        if (f->operands == 1) return unary_call(*f, node);
        Quantity result = child(node, 0);
        for (std::size_t i = 1; i < node.children.size(); ++i) result = binary_call(*f, node, result, child(node, i));
        return result;
    }

    Quantity unary_call(const Function& f, const SyntaxNode& node) {
        const Quantity& a = child(node, 0);
        Quantity result = a;
        for (auto& e : result.value.reshaped()) e = expression::apply(f.op, e);
        switch (f.op) {
            case Op::abs:
            case Op::no_event:
                break;
            case Op::sign:
            case Op::floor:
            case Op::ceil:
                result.measure = Measure::number();
                break;
            case Op::sqrt:
                if (a.measure.known()) {
                    const auto root = power(a.measure.dimension, *Exponent::of(1, 2));
                    result.measure = root ? Measure::of(*root) : Measure{};
                }
                break;
            case Op::sin:
            case Op::cos:
            case Op::tan:
                if (a.measure.turns == Turns::periods) {
                    throw SyntaxError(
                        node.offset,
                        fmt::format("{}() takes an angle, and Hz counts periods: multiply by 2*pi", node.text));
                }
                [[fallthrough]];
            default:
                if (!is_pure_number(a.measure)) {
                    throw SyntaxError(node.offset,
                                      fmt::format("{0}() needs a number without dimension, this is in {1}: "
                                                  "divide by a parameter in {1}",
                                                  node.text, unit_name(a.measure)));
                }
                result.measure = Measure::number();
        }
        return result;
    }

    Quantity binary_call(const Function& f, const SyntaxNode& node, const Quantity& a, const Quantity& b) {
        if (f.op == Op::smooth) {
            need_scalar(node, 0, "the order of smooth()");
            Quantity result = b;
            for (auto& e : result.value.reshaped()) e = expression::apply(Op::smooth, a.value(0, 0), e);
            return result;
        }
        if (!a.is_scalar() || !b.is_scalar()) {
            throw SyntaxError(node.offset, fmt::format("{}() takes scalars, not {} and {}", node.text,
                                                       shape_text(a.value), shape_text(b.value)));
        }
        if (f.op == Op::random) return random(node, a, b);
        const Measure m = common_measure(node, a.measure, b.measure, f.name);
        return Quantity::scalar(expression::apply(f.op, a.value(0, 0), b.value(0, 0)),
                                f.op == Op::atan2 ? Measure::number() : m);
    }

    /// Of rounded numbers, so that it steps where these do, which events find.
    Quantity random(const SyntaxNode& node, const Quantity& seed, const Quantity& number) {
        if (!is_pure_number(seed.measure) || !is_pure_number(number.measure))
            throw SyntaxError(node.offset, "random(seed, n) takes two whole numbers without dimension");
        const auto rounded = [](const Quantity& q) { return expression::apply(Op::floor, q.value(0, 0) + 0.5); };
        return Quantity::scalar(expression::apply(Op::random, rounded(seed), rounded(number)), Measure::number());
    }

    Quantity special_call(const SyntaxNode& node) {
        const auto need = [&](std::size_t n) {
            if (node.children.size() != n) {
                throw SyntaxError(node.offset, fmt::format("{}() takes {} argument{}, not {}", node.text, n,
                                                           n == 1 ? "" : "s", node.children.size()));
            }
        };
        if (node.text == "der") {
            need(1);
            if (scope_.derivative) {
                if (auto result = scope_.derivative(child(node, 0))) return *std::move(result);
            }
            throw SyntaxError(node.offset,
                              "der() takes a variable in the equations of an own type and a state under 'initial:'; it "
                              "stands nowhere else");
        }
        if (is_event_function(node.text)) {
            need(node.text == "sample" || node.text == "machine" ? 2 : 1);
            return event_call(node);
        }
        if (node.text == "transpose") {
            need(1);
            return {child(node, 0).value.transpose(), child(node, 0).measure};
        }
        if (node.text == "norm") {
            need(1);
            Expr sum = 0.0;
            for (const Expr& e : child(node, 0).value.reshaped()) sum += e * e;
            return Quantity::scalar(expression::sqrt(sum), child(node, 0).measure);
        }
        if (node.text == "cross" || node.text == "dot") {
            need(2);
            return vector_product(node, child(node, 0), child(node, 1));
        }
        if (is_table_function(node.text))
            return table_function(
                syntax_, node, [&](std::size_t i) -> const Quantity& { return child(node, i); }, graph_);
        if (node.text == "size") return size(node);
        if (node.text == "increasing") {
            need(1);
            return increasing(child(node, 0));
        }
        if (node.text == "contains" || node.text == "position") {
            need(2);
            return (node.text == "contains" ? contains : position)(node, child(node, 0), child(node, 1));
        }
        throw_unknown_function(node);
        return {};
    }

    Quantity event_call(const SyntaxNode& node) {
        if (!scope_.at_events) {
            throw SyntaxError(node.offset,
                              fmt::format("{}() stands only in 'when:' and the equations of own types", node.text));
        }
        std::vector<Quantity> arguments;
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            arguments.push_back(child(node, i));
            if (!arguments.back().is_scalar())
                throw SyntaxError(node.offset, fmt::format("{}() takes scalars, not {}", node.text,
                                                           shape_text(arguments.back().value)));
        }
        return scope_.at_events(node, arguments);
    }

    /// The number of entries of a list, or of rows; of columns where the second argument is 2.
    Quantity size(const SyntaxNode& node) {
        const std::size_t count = node.children.size();
        if (count != 1 && count != 2)
            throw SyntaxError(
                node.offset, fmt::format("size() takes a list, or a matrix and 1 or 2; these are {} arguments", count));
        const expression::ExprMatrix& of = child(node, 0).value;
        if (count == 2) need_scalar(node, 1, "the second argument of size()");
        const Expr which = count == 2 ? child(node, 1).value(0, 0) : Expr(1.0);
        if (!which.is_constant(1.0) && !which.is_constant(2.0))
            throw SyntaxError(syntax_.nodes[node.children[1]].offset, "size(A, 1) counts rows and size(A, 2) columns");
        const auto number = which.is_constant(2.0) ? of.cols() : of.rows();
        return Quantity::scalar(graph_.constant(static_cast<double>(number)), Measure::number());
    }

    Quantity unary(const SyntaxNode& node) {
        Quantity result = child(node, 0);
        for (auto& e : result.value.reshaped()) e = node.text == "not" ? expression::apply(Op::logical_not, e) : -e;
        return result;
    }

    Quantity binary(const SyntaxNode& node) {
        static constexpr std::array<std::pair<std::string_view, Op>, 14> kOperators{{{"+", Op::add},
                                                                                     {"-", Op::subtract},
                                                                                     {"*", Op::multiply},
                                                                                     {"/", Op::divide},
                                                                                     {"^", Op::power},
                                                                                     {"<", Op::less},
                                                                                     {"<=", Op::less_equal},
                                                                                     {">", Op::greater},
                                                                                     {">=", Op::greater_equal},
                                                                                     {"==", Op::equal},
                                                                                     {"!=", Op::not_equal},
                                                                                     {"<>", Op::not_equal},
                                                                                     {"and", Op::logical_and},
                                                                                     {"or", Op::logical_or}}};
        const auto* op = std::find_if(kOperators.begin(), kOperators.end(),
                                      [&](const auto& entry) { return entry.first == node.text; });
        const Quantity& a = child(node, 0);
        const Quantity& b = child(node, 1);
        switch (op->second) {
            case Op::add:
            case Op::subtract: {
                if (a.value.rows() != b.value.rows() || a.value.cols() != b.value.cols()) {
                    throw SyntaxError(node.offset, fmt::format("'{}' joins {} and {}: the sizes differ", node.text,
                                                               shape_text(a.value), shape_text(b.value)));
                }
                const Measure m = common_measure(node, a.measure, b.measure, node.text);
                return {op->second == Op::add ? ExprMatrix(a.value + b.value) : ExprMatrix(a.value - b.value), m};
            }
            case Op::multiply:
                return multiply(node, a, b);
            case Op::divide: {
                if (!b.is_scalar())
                    throw SyntaxError(node.offset, fmt::format("can't divide by {}", shape_text(b.value)));
                Quantity result{a.value, quotient(a, b)};
                for (auto& e : result.value.reshaped()) e = e / b.value(0, 0);
                return result;
            }
            case Op::power:
                return raise(node, a, b);
            default:
                break;
        }
        if (!a.is_scalar() || !b.is_scalar())
            throw SyntaxError(node.offset, fmt::format("'{}' compares scalars, not {} and {}", node.text,
                                                       shape_text(a.value), shape_text(b.value)));
        if (op->second != Op::logical_and && op->second != Op::logical_or)
            common_measure(node, a.measure, b.measure, node.text);
        return Quantity::scalar(expression::apply(op->second, a.value(0, 0), b.value(0, 0)), Measure::number());
    }

    Quantity conditional(const SyntaxNode& node) {
        const Quantity& c = child(node, 0);
        const Quantity& yes = child(node, 1);
        const Quantity& no = child(node, 2);
        if (!c.is_scalar())
            throw SyntaxError(node.offset,
                              fmt::format("the condition of 'if' must be a scalar, not {}", shape_text(c.value)));
        if (yes.value.rows() != no.value.rows() || yes.value.cols() != no.value.cols()) {
            throw SyntaxError(node.offset, fmt::format("the branches of 'if' are {} and {}: the sizes differ",
                                                       shape_text(yes.value), shape_text(no.value)));
        }
        Quantity result{yes.value, common_measure(node, yes.measure, no.measure, "if")};
        for (Eigen::Index i = 0; i < result.value.size(); ++i) {
            result.value.data()[i] = expression::if_else(c.value(0, 0), yes.value.data()[i], no.value.data()[i]);
        }
        return result;
    }

    Quantity list(const SyntaxNode& node) {
        const std::size_t n = node.children.size();
        const bool rows = child(node, 0).value.size() > 1;
        const auto width = child(node, 0).value.size();
        ExprMatrix m(static_cast<Eigen::Index>(n), rows ? width : 1);
        Measure measure = child(node, 0).measure;
        for (std::size_t i = 0; i < n; ++i) {
            const Quantity& item = child(node, i);
            if (item.value.size() != width || (rows && item.value.cols() != 1)) {
                throw SyntaxError(syntax_.nodes[node.children[i]].offset,
                                  "the rows of this list have different lengths");
            }
            for (Eigen::Index k = 0; k < width; ++k) m(static_cast<Eigen::Index>(i), k) = item.value(k, 0);
            if (!(item.measure.kind == measure.kind && item.measure.dimension == measure.dimension)) measure = {};
        }
        return {m, measure};
    }

    Quantity index(const SyntaxNode& node) {
        const Quantity& of = child(node, 0);
        const auto number = [&](std::size_t i, Eigen::Index limit) {
            need_scalar(node, i, "an index");
            const Expr e = child(node, i).value(0, 0);
            const double v = e.is_constant() ? e.constant() : 0.0;
            if (!e.is_constant() || v != std::round(v) || v < 1 || v > static_cast<double>(limit)) {
                throw SyntaxError(syntax_.nodes[node.children[i]].offset,
                                  fmt::format("an index here is a whole number from 1 to {}{}", limit,
                                              e.is_constant() ? fmt::format(", not {:g}", v) : ""));
            }
            return static_cast<Eigen::Index>(v) - 1;
        };
        if (node.children.size() == 2) {
            if (of.value.cols() != 1) throw SyntaxError(node.offset, "a matrix needs two indices");
            return Quantity::scalar(of.value(number(1, of.value.rows()), 0), of.measure);
        }
        if (node.children.size() != 3) throw SyntaxError(node.offset, "there are at most two indices");
        return Quantity::scalar(of.value(number(1, of.value.rows()), number(2, of.value.cols())), of.measure);
    }

    const Syntax& syntax_;
    expression::Graph& graph_;
    const EvaluationScope& scope_;
    std::vector<Quantity> values_;
    std::vector<bool> known_;
    struct Roots {
        bool taken = false;
        bool of_units = false;
    };
    std::vector<Roots> roots_;
};

}  // namespace

Quantity unknown_quantity() { return Quantity::scalar(std::numeric_limits<double>::quiet_NaN()); }

bool is_unknown(const Quantity& q) {
    return q.is_scalar() && q.value(0, 0).is_constant() && std::isnan(q.value(0, 0).constant());
}

std::optional<Quantity> evaluate(const Syntax& syntax, std::uint32_t root, expression::Graph& graph,
                                 const EvaluationScope& scope, std::vector<SyntaxError>& mistakes) {
    return Evaluator(syntax, graph, scope).run(root, mistakes);
}

void check_names(const Syntax& syntax, const EvaluationScope& scope, std::vector<SyntaxError>& mistakes) {
    const auto functions = function_names();
    const std::vector<bool> words = words_in(syntax);
    for (std::size_t i = 0; i < syntax.nodes.size(); ++i) {
        const SyntaxNode& node = syntax.nodes[i];
        try {
            if (node.kind == SyntaxKind::name && !words[i] && node.text != "time" && node.text != "pi" &&
                !scope.lookup(node.text))
                throw_unknown_name(node, scope);
            if (node.kind == SyntaxKind::call &&
                std::find(functions.begin(), functions.end(), node.text) == functions.end())
                throw_unknown_function(node);
        } catch (const SyntaxError& mistake) {
            mistakes.push_back(mistake);
        }
    }
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const Function& f : kOperations) {
        if (f.called) names.emplace_back(f.name);
    }
    for (const std::string_view name : kOtherFunctions) names.emplace_back(name);
    for (const std::string_view name : kTableFunctions) names.emplace_back(name);
    for (const std::string_view name : kEventFunctions) names.emplace_back(name);
    return names;
}

}  // namespace bondgraph::model
