#include <fmt/format.h>

#include "bondgraph/cli/equations_report.hpp"
#include "bondgraph/cli/structure_report.hpp"

namespace bondgraph::cli {
namespace {

using expression::PrintStyle;
using Lines = std::vector<std::string>;

std::string aligned(const Lines& lines) {
    std::string text = "\\begin{align*}\n";
    for (std::size_t k = 0; k < lines.size(); ++k) text += "  " + lines[k] + (k + 1 < lines.size() ? " \\\\\n" : "\n");
    return text + "\\end{align*}\n";
}

std::string latex_matrix(const std::vector<std::string>& values, std::size_t columns) {
    constexpr std::size_t kMostOfBmatrix = 10;  // amsmath's MaxMatrixCols
    const bool wide = columns > kMostOfBmatrix;
    std::string text =
        wide ? fmt::format("\\left[\\begin{{array}}{{*{{{}}}{{c}}}}", columns) : std::string("\\begin{bmatrix}");
    for (std::size_t k = 0; k < values.size(); ++k) {
        const char* before = k == 0 ? " " : k % columns == 0 ? " \\\\ " : " & ";
        text += before + values[k];
    }
    return text + (wide ? " \\end{array}\\right]" : " \\end{bmatrix}");
}

std::string latex_matrix(const Eigen::MatrixXd& matrix) {
    std::vector<std::string> values;
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
        for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
            const double number = matrix(r, c) + 0.0;  // −0 becomes 0
            values.push_back(expression::to_text(expression::Expr(number), {}, PrintStyle::latex));
        }
    }
    return latex_matrix(values, static_cast<std::size_t>(matrix.cols()));
}

std::string latex_vector(const std::vector<std::string>& names) {
    std::vector<std::string> values;
    for (const std::string& name : names) values.push_back(expression::latex_name(name));
    return latex_matrix(values, 1);
}

/// A name as running text.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("_#$%&{}").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

class EquationsLatex {
   public:
    explicit EquationsLatex(const EquationsReport& report) : r_(report), system_(*report.system) {}

    std::string run() {
        if (const std::string mode = mode_text(*system_.causal); !mode.empty())
            text_ += fmt::format("% Structure with {}\n", mode);
        if (r_.by_element)
            groups();
        else
            sections();
        Lines updates;
        for (const ReadableEquation& e : r_.readable.updates) updates.push_back(assignment(e));
        section("Discrete variables, at events", updates);
        Lines whens;
        for (const ReadableWhen& w : r_.readable.whens) when(w, whens);
        section("As a condition becomes true", whens);
        Lines parameters;
        for (const analysis::Symbol& s : r_.parameters)
            parameters.push_back(fmt::format("{} &= {}", expression::latex_name(s.name),
                                             expression::to_text(expression::Expr(s.value), {}, PrintStyle::latex)));
        section("Parameters, in SI units", parameters);
        state_space();
        return std::move(text_);
    }

   private:
    [[nodiscard]] std::string expression(expression::Expr e) const {
        return equation_text(system_, e, PrintStyle::latex, r_.parameters);
    }
    [[nodiscard]] std::string variable(const ReadableEquation& e) const {
        return variable_text(system_, e.variable, PrintStyle::latex);
    }
    [[nodiscard]] std::string derivative(const ReadableEquation& e) const {
        return derivative_text(system_, e.variable, PrintStyle::latex);
    }
    [[nodiscard]] std::string assignment(const ReadableEquation& e) const {
        return fmt::format("{} &= {}", variable(e), expression(e.value));
    }
    [[nodiscard]] std::string state(const ReadableEquation& e) const {
        return fmt::format("{} &= {}", derivative(e), expression(e.value));
    }
    [[nodiscard]] std::string implicit(const ReadableEquation& e) const {
        return fmt::format("0 &= {} && \\text{{for }} {}", expression(e.value), e.rate ? derivative(e) : variable(e));
    }

    void section(const std::string& title, const Lines& lines) {
        if (!lines.empty()) text_ += "% " + title + "\n" + aligned(lines);
    }

    void sections() {
        Lines sorted;
        for (const ReadableEquation& e : r_.readable.assignments) sorted.push_back(assignment(e));
        section("Sorted equations", sorted);
        Lines states;
        for (const ReadableEquation& e : r_.readable.states) states.push_back(state(e));
        section("State equations", states);
        Lines rows;
        for (const ReadableEquation& e : r_.readable.implicit) rows.push_back(implicit(e));
        section("Implicit equations, solved together", rows);
    }

    void groups() {
        for (const ElementEquations& g : grouped(r_.readable)) {
            Lines lines;
            for (const ReadableEquation& e : g.assignments) lines.push_back(assignment(e));
            for (const ReadableEquation& e : g.implicit) lines.push_back(implicit(e));
            for (const ReadableEquation& e : g.states) lines.push_back(state(e));
            text_ += fmt::format("\\noindent\\textbf{{{}}}\n", escaped(element_title(system_, g.element)));
            text_ += aligned(lines);
        }
    }

    void when(const ReadableWhen& w, Lines& lines) const {
        const auto add = [&](const std::vector<ReadableWhen::Action>& list) {
            for (const ReadableWhen::Action& a : list) {
                lines.push_back(fmt::format("{} &:= {} && \\text{{as }} {}", expression::latex_name(a.target),
                                            expression(a.value), expression(w.condition)));
            }
        };
        add(w.reinit);
        add(w.set);
    }

    /// left = first · states + second · inputs
    static std::string row(const std::string& left, const std::string& first, const std::string& states,
                           const std::string& second, const std::vector<std::string>& inputs) {
        std::string line = fmt::format("{} &= {} {}", left, first, states);
        if (!inputs.empty()) line += fmt::format(" + {} {}", second, latex_vector(inputs));
        return line;
    }

    void state_space() {
        if (!r_.state_space) return;
        const auto& [numbers, symbols, names, latex] = *r_.state_space;
        const std::string x = latex_vector(numbers.states);
        const std::string rate = fmt::format("\\frac{{\\mathrm{{d}}}}{{\\mathrm{{d}}t}} {}", x);
        Lines lines{row(rate, latex_matrix(numbers.A), x, latex_matrix(numbers.B), numbers.inputs)};
        const std::string y = latex_vector(numbers.outputs);
        if (!numbers.outputs.empty())
            lines.push_back(row(y, latex_matrix(numbers.C), x, latex_matrix(numbers.D), numbers.inputs));
        section("State space", lines);
        if (!symbols) return;
        const auto matrix = [&, &texts = latex](const std::vector<analysis::LaurentRatio>& values,
                                                const std::vector<std::string>& columns) {
            return latex_matrix(entries(values, texts, PrintStyle::latex), columns.size());
        };
        lines = {row(rate, matrix(symbols->A, numbers.states), x, matrix(symbols->B, numbers.inputs), numbers.inputs)};
        if (!numbers.outputs.empty())
            lines.push_back(
                row(y, matrix(symbols->C, numbers.states), x, matrix(symbols->D, numbers.inputs), numbers.inputs));
        section("State space in symbols", lines);
    }

    const EquationsReport& r_;
    const compile::SortedSystem& system_;
    std::string text_;
};

}  // namespace

std::string equations_latex(const EquationsReport& report) { return EquationsLatex(report).run(); }

}  // namespace bondgraph::cli
