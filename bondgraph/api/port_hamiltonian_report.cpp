#include "bondgraph/api/port_hamiltonian_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bondgraph/api/latex_lines.hpp"
#include "bondgraph/api/latex_matrices.hpp"
#include "bondgraph/api/linear_report.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::api {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

constexpr std::size_t kMostToRead = 100;    // of a table to be read
constexpr std::size_t kMostToPrint = 2000;  // of an expression to be printed whole

/// One of the matrices, and what stands at its rows and columns.
struct NamedMatrix {
    const char* name;
    const std::vector<double>& values;
    const Names& rows;
    const Names& columns;
    const Names& texts;  ///< of its entries, where they are no constants
    const Names& latex;

    [[nodiscard]] bool zero() const {
        return std::ranges::all_of(values, [](double v) { return v == 0.0; }) &&
               std::ranges::all_of(texts, [](const std::string& t) { return t == "0"; });
    }
};

std::vector<NamedMatrix> named_matrices_of(const PortHamiltonian& f) {
    static const Names none;
    const EntryTexts &t = f.entries, &l = f.entries_latex;
    return {{"J", f.J, f.states, f.states, t.J, l.J},   {"R", f.R, f.states, f.states, t.R, l.R},
            {"Q", f.Q, f.states, f.states, none, none}, {"G", f.G, f.states, f.inputs, t.G, l.G},
            {"P", f.P, f.states, f.inputs, t.P, l.P},   {"M", f.M, f.inputs, f.inputs, t.M, l.M},
            {"S", f.S, f.inputs, f.inputs, t.S, l.S}};
}

/// What is behind a minus sign that is of all of it; empty: there is none.
std::string_view behind_minus(std::string_view text) {
    if (!text.starts_with('-')) return {};
    const std::string_view rest = text.substr(1);
    int depth = 0;
    bool whole = rest.starts_with('(');  // one pair of parentheses around all
    for (std::size_t k = 0; k < rest.size(); ++k) {
        depth += rest[k] == '(' ? 1 : rest[k] == ')' ? -1 : 0;
        if (depth != 0) continue;
        if (k + 1 < rest.size()) whole = false;
        if (rest.substr(k).starts_with(" + ") || rest.substr(k).starts_with(" - ")) return {};
    }
    return whole ? rest.substr(1, rest.size() - 2) : rest;
}

/// Entries that are too long for a table get names, the same name wherever the same stands, or its negative.
class ShortEntries {
   public:
    /// Names that none of the expressions has in it.
    explicit ShortEntries(const PortHamiltonian& f) {
        const auto has = [&](const std::string& text) { return text.find(prefix_ + "1") != std::string::npos; };
        const auto taken = [&] {
            return has(f.energy) || std::ranges::any_of(f.states, has) ||
                   std::ranges::any_of(named_matrices_of(f),
                                       [&](const NamedMatrix& m) { return std::ranges::any_of(m.texts, has); });
        };
        while (taken()) prefix_ += 's';
    }

    std::string operator()(const std::string& entry, double at_start) {
        constexpr std::size_t kLongest = 24;
        if (entry.size() <= kLongest) return entry;
        if (entry.size() > kMostToPrint)
            return told(fmt::format("{:.6g} at the start, an expression too long to read", at_start));
        const std::string_view negated = behind_minus(entry);
        return negated.empty() ? told(entry) : "-" + told(std::string(negated));
    }

    [[nodiscard]] std::string text() const {
        Table table({Align::right, Align::left, Align::left});
        for (std::size_t k = 0; k < texts_.size(); ++k)
            table.add({fmt::format("{}{}", prefix_, k + 1), "=", texts_[k]});
        return table.text();
    }

   private:
    std::string told(const std::string& text) {
        auto at = std::ranges::find(texts_, text);
        if (at == texts_.end()) at = texts_.insert(texts_.end(), text);
        return fmt::format("{}{}", prefix_, at - texts_.begin() + 1);
    }

    std::string prefix_ = "s";
    std::vector<std::string> texts_;
};

bool worth_showing(const NamedMatrix& m) {
    const bool often_zero = *m.name == 'P' || *m.name == 'M' || *m.name == 'S';
    return !m.values.empty() && !(often_zero && m.zero());
}

/// "(G - P) u" with what there is of it.
struct Shape {
    std::string gain = "G", back = "G'", direct;
};
Shape shape_of(const PortHamiltonian& f) {
    const std::vector<NamedMatrix> all = named_matrices_of(f);
    Shape shape;
    if (worth_showing(all[4])) shape = {"(G - P)", "(G + P)'", ""};
    if (worth_showing(all[5]) && worth_showing(all[6]))
        shape.direct = "(M + S)";
    else if (worth_showing(all[5]) || worth_showing(all[6]))
        shape.direct = worth_showing(all[5]) ? "M" : "S";
    return shape;
}

std::string comma_list(const Names& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string checks_text(const PortHamiltonian& f) {
    Table table({Align::left, Align::left});
    const auto share = [](double value) { return fmt::format("{:.2g}", value); };
    table.add({"J is skew to", share(f.skewness) + " of its size, R being what the elements lose"});
    table.add({"Q is symmetric to", share(f.asymmetry) + " of its size, by the storages' laws"});
    table.add({"y agrees to", share(f.reciprocity) + ", dx/dt at the start to " + share(f.imbalance)});
    const std::string at_start = f.constant ? "" : " at the start";
    table.add({f.without_energy.empty() ? "Q" + (f.quadratic ? std::string() : at_start)
                                        : fmt::format("Q without {}", comma_list(f.without_energy)),
               fmt::format("{} (smallest eigenvalue with its diagonal scaled to 1: {:.6g})",
                           f.positive() ? "is positive definite" : "is not positive definite", f.least_energy)});
    const bool ports = std::ranges::any_of(f.P, [](double v) { return v != 0.0; }) ||
                       std::ranges::any_of(f.S, [](double v) { return v != 0.0; });
    table.add(
        {(ports ? "[R P; P' S]" : "R") + at_start,
         fmt::format("{} (smallest eigenvalue with its diagonal scaled to 1: {:.6g})",
                     f.passive() ? "is positive semi-definite" : "is not positive semi-definite", f.least_loss + 0.0)});
    if (f.positive())
        table.add({"R Q" + at_start, fmt::format("has the smallest eigenvalue {:.6g} 1/s", f.least_decay + 0.0)});
    if (!f.active.empty()) table.add({"active", comma_list(f.active) + ": energy comes out of it"});
    return table.text();
}

}  // namespace

std::string port_hamiltonian_text(const PortHamiltonian& f, const Heading& heading) {
    const Shape shape = shape_of(f);
    const bool driven = !f.inputs.empty();
    std::string title = "Port-Hamiltonian form: dx/dt = (J - R) dH/dx";
    if (driven) {
        title += fmt::format(" + {} u, y = {} dH/dx", shape.gain, shape.back);
        if (!shape.direct.empty()) title += fmt::format(" + {} u", shape.direct);
    }
    std::string text = heading(title);
    Table energy({Align::right, Align::left, Align::left});
    energy.add({"H", "=", f.energy});
    if (driven) energy.add({"y", "=", comma_list(f.outputs)});
    text += energy.text();
    ShortEntries shortened(f);
    for (const NamedMatrix& m : named_matrices_of(f)) {
        if (!worth_showing(m)) continue;
        if (m.columns.size() > kMostToRead) {
            text += fmt::format("  {}  {} x {}: --format json shows it\n", m.name, m.rows.size(), m.columns.size());
            continue;
        }
        text += matrix_text(m.name, m.rows, m.columns, [&](std::size_t r, std::size_t c) {
            const std::size_t k = r * m.columns.size() + c;
            return m.texts.empty() ? fmt::format("{:.6g}", m.values[k]) : shortened(m.texts[k], m.values[k]);
        });
    }
    text += shortened.text();
    text +=
        fmt::format("  Q is the second derivative of H{}; all are in SI units\n", f.quadratic ? "" : " at the start");
    Table start({Align::left, Align::right, Align::right});
    start.add({"At the start", "x", "dH/dx"});
    for (std::size_t i = 0; i < f.states.size(); ++i)
        start.add({f.states[i], fmt::format("{:.6g}", f.start[i]), fmt::format("{:.6g}", f.gradient[i])});
    start.add({"H [J]", fmt::format("{:.6g}", f.stored)});
    text += start.text();
    text += heading("Checks") + checks_text(f);
    if (!f.mode.empty())
        text += fmt::format("This is the form of the mode at the start, {}: others have one of their own.\n",
                            comma_list(f.mode));
    if (!f.controlled.empty())
        text += fmt::format("Signals give {}: an input like others here, with what controls it outside.\n",
                            comma_list(f.controlled));
    if (!f.outside.empty())
        text += fmt::format("J, R or G change with states outside of this form: {}.\n", comma_list(f.outside));
    if (!f.left_out.empty())
        text += fmt::format("Left out, as no energy and nothing here depends on them: {}.\n", comma_list(f.left_out));
    return text;
}

namespace {

std::string displayed_definition(const LatexDefinition& d) {
    return fmt::format("\\begin{{align*}}\n  {} &= {}\n\\end{{align*}}\n", d.name, d.value);
}

/// Each matrix, or block of its columns, in a display of its own: pages break between them.
std::string latex_matrices_of(const PortHamiltonian& f) {
    std::string text;
    for (const NamedMatrix& m : named_matrices_of(f)) {
        if (!worth_showing(m)) continue;
        LatexEntries entries{m.latex, m.columns.size()};
        for (std::size_t k = 0; k < m.latex.size(); ++k) {
            // As a number, that of the start, with a mark: such an expression fits on no page.
            if (m.texts[k].size() > kMostToPrint) entries.values[k] = fmt::format("{:.6g}^{{\\ast}}", m.values[k]);
        }
        for (const double v : m.latex.empty() ? m.values : std::vector<double>{})
            entries.values.push_back(expression::to_text(expression::Expr(v), {}, expression::PrintStyle::latex));
        for (const LatexDefinition& d : latex_definitions(fmt::format("\\mathbf{{{}}}", m.name), entries))
            text += displayed_definition(d);
    }
    return text;
}

/// In one row where that fits on the page, else as a column.
std::string latex_names(const Names& names) {
    LatexEntries row{{}, names.size()};
    for (const std::string& name : names) row.values.push_back(expression::latex_name(name));
    if (latex_matrix_width(row) + kAroundRelation + 40.0 > kLatexLine) return latex_vector(names);
    return latex_matrix(row.values, row.columns) + "^{\\mathsf{T}}";
}

}  // namespace

std::string port_hamiltonian_latex(const PortHamiltonian& f) {
    const Shape shape = shape_of(f);
    const bool driven = !f.inputs.empty();
    const std::string gradient = "\\frac{\\partial H}{\\partial\\mathbf{x}}";
    const bool crossed = shape.gain != "G";
    std::string text = "% Port-Hamiltonian form\n\\begin{align*}\n";
    text += "  \\frac{\\mathrm{d}\\mathbf{x}}{\\mathrm{d}t} &= (\\mathbf{J} - \\mathbf{R})\\," + gradient;
    if (driven) {
        text += crossed ? " + (\\mathbf{G} - \\mathbf{P})\\,\\mathbf{u}" : " + \\mathbf{G}\\,\\mathbf{u}";
        text += " \\\\\n  \\mathbf{y} &= ";
        text += (crossed ? "(\\mathbf{G} + \\mathbf{P})" : "\\mathbf{G}") + std::string("^{\\mathsf{T}}\\,") + gradient;
        if (shape.direct == "(M + S)")
            text += " + (\\mathbf{M} + \\mathbf{S})\\,\\mathbf{u}";
        else if (!shape.direct.empty())
            text += fmt::format(" + \\mathbf{{{}}}\\,\\mathbf{{u}}", shape.direct);
    }
    text += "\n\\end{align*}\n\\begin{align*}\n";
    const std::vector<std::string> lines = latex_lines(f.energy_latex, kLatexLine - 40.0);
    for (std::size_t k = 0; k < lines.size(); ++k) text += (k == 0 ? "  H &= " : "  &\\quad ") + lines[k] + " \\\\\n";
    text.erase(text.rfind(" \\\\\n"));
    text += "\n\\end{align*}\n";
    text += displayed_definition({"\\mathbf{x}", latex_names(f.states)});
    if (driven) {
        text += displayed_definition({"\\mathbf{u}", latex_names(f.inputs)});
        text += displayed_definition({"\\mathbf{y}", latex_names(f.outputs)});
    }
    return text + latex_matrices_of(f);
}

Json port_hamiltonian_json(const PortHamiltonian& f) {
    Json report{{"states", f.states}, {"inputs", f.inputs}, {"outputs", f.outputs}};
    for (const NamedMatrix& m : named_matrices_of(f))
        report[m.name] = matrix_json(m.values, m.rows.size(), m.columns.size());
    report["energy"] = f.energy;
    report["quadratic"] = f.quadratic;
    report["at_start"] = {{"states", f.start}, {"gradient", f.gradient}, {"energy", f.stored}};
    report["constant"] = f.constant;
    report["entries"] = nullptr;
    if (!f.constant) {
        Json entries = Json::object();
        for (const NamedMatrix& m : named_matrices_of(f)) {
            if (m.texts.empty() && *m.name == 'Q') continue;
            Json rows = Json::array();
            for (std::size_t r = 0; r < m.rows.size(); ++r) {
                Json row = Json::array();
                for (std::size_t c = 0; c < m.columns.size(); ++c) {
                    const std::string& text = m.texts[r * m.columns.size() + c];
                    row.push_back(text.size() > kMostToPrint ? Json(nullptr) : Json(text));
                }
                rows.push_back(std::move(row));
            }
            entries[m.name] = std::move(rows);
        }
        report["entries"] = std::move(entries);
    }
    report["mode"] = f.mode;
    report["without_energy"] = f.without_energy;
    report["outside"] = f.outside;
    report["controlled"] = f.controlled;
    report["left_out"] = f.left_out;
    report["active"] = f.active;
    report["positive"] = f.positive();
    report["passive"] = f.passive();
    report["checks"] = {{"skewness", f.skewness},      {"asymmetry", f.asymmetry},       {"reciprocity", f.reciprocity},
                        {"imbalance", f.imbalance},    {"least_energy", f.least_energy}, {"least_loss", f.least_loss},
                        {"least_decay", f.least_decay}};
    return report;
}

}  // namespace bondgraph::api
