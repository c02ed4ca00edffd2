#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bondgraph/api/equations_report.hpp"
#include "bondgraph/api/latex_lines.hpp"
#include "bondgraph/api/latex_matrices.hpp"
#include "bondgraph/api/mode_report.hpp"
#include "bondgraph/api/structure.hpp"
#include "bondgraph/base/tex_text.hpp"

namespace bondgraph::api {
namespace {

using expression::PrintStyle;

/// One line of a display, or more where it is wider than the page.
struct Equation {
    std::string left;
    std::string relation;
    std::string right;
    std::string remark = {};  ///< what it is for, behind it
};
using Display = std::vector<Equation>;

constexpr double kIndent = 10.0;
constexpr double kBeforeRemark = 25.0;

double left_width(const Display& equations) {
    double width = 0.0;
    for (const Equation& e : equations) width = std::max(width, latex_width(e.left));
    return width;
}

/// The rows of a display; remarks stand in a column of their own where every equation has one line.
std::vector<std::string> rows_of(const Display& equations) {
    const double room = kLatexLine - left_width(equations) - kAroundRelation;
    double right = 0.0;
    double remarks = 0.0;
    for (const Equation& e : equations) {
        right = std::max(right, latex_width(e.right));
        if (!e.remark.empty()) remarks = std::max(remarks, kBeforeRemark + latex_width(e.remark));
    }
    std::vector<std::string> rows;
    const bool fits = right + remarks <= room;
    for (const Equation& e : equations) {
        const std::string first = fmt::format("{} {} ", e.left, e.relation);
        if (fits) {
            rows.push_back(first + e.right + (e.remark.empty() ? "" : " && " + e.remark));
            continue;
        }
        const std::vector<std::string> lines = latex_lines(e.right, room - kIndent);
        for (const std::string& line : lines) rows.push_back((&line == lines.data() ? first : "&\\quad ") + line);
        if (e.remark.empty()) continue;
        const bool beside = latex_width(lines.back()) + kBeforeRemark + latex_width(e.remark) <= room - kIndent;
        if (beside)
            rows.back() += " \\qquad " + e.remark;
        else
            rows.push_back("&\\quad " + e.remark);
    }
    return rows;
}

/// Displays that a page can hold each.
std::string aligned(const Display& equations) {
    constexpr std::size_t kMostRows = 12;
    const std::vector<std::string> rows = rows_of(equations);
    std::string text;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (k % kMostRows == 0) text += "\\begin{align*}\n";
        const bool last = k + 1 == rows.size() || (k + 1) % kMostRows == 0;
        text += "  " + rows[k] + (last ? "\n\\end{align*}\n" : " \\\\\n");
    }
    return text;
}

std::string running_text(const std::string& name) {
    std::set<std::uint32_t> unknown;  // those of the whole output are looked for at its end
    return tex_text(name, unknown);
}

/// What the preamble needs for letters of names that pdflatex has none of: the output is only part of a document.
std::string needed_of_preamble(const std::string& output) {
    const std::set<std::uint32_t> unknown = unknown_to_pdflatex(output);
    if (unknown.empty()) return {};
    std::string text =
        "% Names have letters that pdflatex lacks: use lualatex or xelatex with a font that has them, or put into the\n"
        "% preamble how pdflatex is to write them, such as\n";
    for (const std::uint32_t code : unknown)
        text += fmt::format("% \\DeclareUnicodeCharacter{{{0:04X}}}{{[{0:04X}]}}\n", code);
    return text;
}

class EquationsLatex {
   public:
    explicit EquationsLatex(const EquationsReport& report) : r_(report), system_(*report.system) {}

    std::string run() {
        if (const std::string mode = mode_text(mode_of(*system_.causal)); !mode.empty())
            text_ += fmt::format("% Structure with {}\n", mode);
        Display names;
        for (std::size_t k = 0; k < r_.abbreviations.size(); ++k)
            names.push_back({fmt::format("s_{{{}}}", k + 1), "&=", expression(r_.abbreviations[k])});
        section("Abbreviations", names);
        if (r_.by_element)
            groups();
        else
            sections();
        Display updates;
        for (const ReadableEquation& e : r_.readable.updates) updates.push_back(assignment(e));
        section("Discrete variables, at events", updates);
        Display whens;
        for (const ReadableWhen& w : r_.readable.whens) when(w, whens);
        section("As a condition becomes true", whens);
        Display parameters;
        for (const analysis::Symbol& s : r_.parameters)
            parameters.push_back({expression::latex_name(s.name),
                                  "&=", expression::to_text(expression::Expr(s.value), {}, PrintStyle::latex)});
        section("Parameters, in SI units", parameters);
        state_space();
        return needed_of_preamble(text_) + text_;
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
    [[nodiscard]] Equation assignment(const ReadableEquation& e) const {
        return {variable(e), "&=", expression(e.value)};
    }
    [[nodiscard]] Equation state(const ReadableEquation& e) const { return {derivative(e), "&=", expression(e.value)}; }
    [[nodiscard]] Equation implicit(const ReadableEquation& e) const {
        return {"0", "&=", expression(e.value), "\\text{for } " + (e.rate ? derivative(e) : variable(e))};
    }

    void section(const std::string& title, const Display& equations) {
        if (!equations.empty()) text_ += "% " + title + "\n" + aligned(equations);
    }

    void sections() {
        Display sorted;
        for (const ReadableEquation& e : r_.readable.assignments) sorted.push_back(assignment(e));
        section("Sorted equations", sorted);
        Display states;
        for (const ReadableEquation& e : r_.readable.states) states.push_back(state(e));
        section("State equations", states);
        Display rows;
        for (const ReadableEquation& e : r_.readable.implicit) rows.push_back(implicit(e));
        section("Implicit equations, solved together", rows);
    }

    void groups() {
        for (const ElementEquations& g : grouped(r_.readable)) {
            Display lines;
            for (const ReadableEquation& e : g.assignments) lines.push_back(assignment(e));
            for (const ReadableEquation& e : g.implicit) lines.push_back(implicit(e));
            for (const ReadableEquation& e : g.states) lines.push_back(state(e));
            text_ += fmt::format("\\noindent\\textbf{{{}}}\n", running_text(element_title(system_, g.element)));
            text_ += aligned(lines);
        }
    }

    void when(const ReadableWhen& w, Display& lines) const {
        const auto add = [&](const std::vector<ReadableWhen::Action>& list) {
            for (const ReadableWhen::Action& a : list) {
                lines.push_back({expression::latex_name(a.target), "&:=", expression(a.value),
                                 "\\text{as } " + expression(w.condition)});
            }
        };
        add(w.reinit);
        add(w.set);
    }

    using Entries = LatexEntries;

    static Entries entries_of(const Eigen::MatrixXd& matrix) {
        Entries result{{}, static_cast<std::size_t>(matrix.cols())};
        for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
            for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
                const double number = matrix(r, c) + 0.0;  // −0 becomes 0
                result.values.push_back(expression::to_text(expression::Expr(number), {}, PrintStyle::latex));
            }
        }
        return result;
    }

    /// left = first · states + second · inputs
    static Equation row(const std::string& left, const Entries& first, const std::string& states, const Entries& second,
                        const std::vector<std::string>& inputs) {
        std::string right = latex_matrix(first.values, first.columns) + " " + states;
        if (!inputs.empty())
            right += fmt::format(" + {} {}", latex_matrix(second.values, second.columns), latex_vector(inputs));
        return {left, "&=", right};
    }

    void define(const std::string& name, const Entries& m) {
        for (const LatexDefinition& d : latex_definitions(name, m)) matrices_.push_back({d.name, "&=", d.value});
    }

    /// The matrices of one form, in their equations where these fit on the page, else apart from them.
    void form(const std::string& title, const Entries& a, const Entries& b, const Entries& c, const Entries& d) {
        const analysis::LinearModel& numbers = r_.state_space->numbers;
        const std::string x = latex_vector(numbers.states);
        const std::string rate = fmt::format("\\frac{{\\mathrm{{d}}}}{{\\mathrm{{d}}t}} {}", x);
        const std::string y = latex_vector(numbers.outputs);
        const auto names_width = [](const std::vector<std::string>& names) {
            double width = 0.0;
            for (const std::string& name : names) width = std::max(width, latex_width(expression::latex_name(name)));
            return names.empty() ? 0.0 : width + 20.0;
        };
        const double left = std::max(15.0 + names_width(numbers.states), names_width(numbers.outputs));
        const double inputs = numbers.inputs.empty() ? 0.0 : 12.0 + names_width(numbers.inputs);
        const double right =
            names_width(numbers.states) + inputs +
            std::max(latex_matrix_width(a) + latex_matrix_width(b), latex_matrix_width(c) + latex_matrix_width(d));
        Display rows;
        if (left + kAroundRelation + right <= kLatexLine) {
            rows.push_back(row(rate, a, x, b, numbers.inputs));
            if (!numbers.outputs.empty()) rows.push_back(row(y, c, x, d, numbers.inputs));
            text_ += "% " + title + "\n" + displayed(rows);
            return;
        }
        const bool driven = !numbers.inputs.empty();
        const auto bold = [](char letter) { return fmt::format("\\mathbf{{{}}}", letter); };
        const auto sum = [&](char first, char second) {
            const std::string input = fmt::format(" + {}\\,{}", bold(second), bold('u'));
            return fmt::format("{}\\,{}{}", bold(first), bold('x'), driven ? input : "");
        };
        rows.push_back({"\\frac{\\mathrm{d}" + bold('x') + "}{\\mathrm{d}t}", "&=", sum('A', 'B')});
        if (!numbers.outputs.empty()) rows.push_back({bold('y'), "&=", sum('C', 'D')});
        matrices_.clear();
        matrices_.push_back({bold('x'), "&=", x});
        if (driven) matrices_.push_back({bold('u'), "&=", latex_vector(numbers.inputs)});
        if (!numbers.outputs.empty()) matrices_.push_back({bold('y'), "&=", y});
        define(bold('A'), a);
        if (driven) define(bold('B'), b);
        if (!numbers.outputs.empty()) define(bold('C'), c);
        if (!numbers.outputs.empty() && driven) define(bold('D'), d);
        text_ += "% " + title + "\n" + displayed(rows);
        for (const Equation& matrix : matrices_) {
            const bool entry =
                matrix.right.find("matrix}") == std::string::npos && !matrix.right.starts_with("\\left[");
            text_ += entry ? aligned({matrix}) : displayed({matrix});
        }
    }

    /// Without a look at widths: matrices are not broken.
    static std::string displayed(const Display& equations) {
        std::string text = "\\begin{align*}\n";
        for (const Equation& e : equations)
            text += fmt::format("  {} {} {}{}\n", e.left, e.relation, e.right, &e == &equations.back() ? "" : " \\\\");
        return text + "\\end{align*}\n";
    }

    void state_space() {
        if (!r_.state_space) return;
        const auto& [numbers, symbols, names, latex] = *r_.state_space;
        form("State space", entries_of(numbers.A), entries_of(numbers.B), entries_of(numbers.C), entries_of(numbers.D));
        if (!symbols) return;
        const auto named = [&, &texts = latex](const std::vector<analysis::LaurentRatio>& values, std::size_t columns) {
            return Entries{entries(values, texts, PrintStyle::latex), columns};
        };
        const std::size_t states = numbers.states.size();
        const std::size_t inputs = numbers.inputs.size();
        form("State space in symbols", named(symbols->A, states), named(symbols->B, inputs), named(symbols->C, states),
             named(symbols->D, inputs));
    }

    const EquationsReport& r_;
    const compile::SortedSystem& system_;
    std::string text_;
    Display matrices_;  ///< of a form that doesn't fit into its equations
};

}  // namespace

std::string equations_latex(const EquationsReport& report) { return EquationsLatex(report).run(); }

}  // namespace bondgraph::api
