#include "bondgraph/api/latex_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/api/latex_lines.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::api {
namespace {

std::vector<double> column_widths(const LatexEntries& m) {
    constexpr double kBetween = 10.0;
    std::vector<double> widths(m.columns, 0.0);
    for (std::size_t k = 0; k < m.values.size(); ++k)
        widths[k % m.columns] = std::max(widths[k % m.columns], latex_width(m.values[k]) + kBetween);
    return widths;
}

std::vector<LatexDefinition> single_entries(const std::string& name, const LatexEntries& m) {
    std::vector<LatexDefinition> entries;
    for (std::size_t k = 0; k < m.values.size(); ++k) {
        if (m.values[k] != "0")
            entries.push_back({fmt::format("{}_{{{},{}}}", name, k / m.columns + 1, k % m.columns + 1), m.values[k]});
    }
    return entries;
}

/// As many columns in each as there is room for.
std::vector<LatexEntries> blocks_of(const LatexEntries& m, const std::vector<double>& widths, double room) {
    std::vector<LatexEntries> blocks;
    double width = 0.0;
    for (std::size_t c = 0; c < m.columns; ++c) {
        if (blocks.empty() || width + widths[c] > room) {
            blocks.emplace_back();
            width = 0.0;
        }
        width += widths[c];
        ++blocks.back().columns;
    }
    std::size_t first = 0;
    for (LatexEntries& block : blocks) {
        for (std::size_t k = 0; k < m.values.size(); ++k) {
            const std::size_t c = k % m.columns;
            if (c >= first && c < first + block.columns) block.values.push_back(m.values[k]);
        }
        first += block.columns;
    }
    return blocks;
}

}  // namespace

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

std::string latex_vector(const std::vector<std::string>& names) {
    std::vector<std::string> values;
    for (const std::string& name : names) values.push_back(expression::latex_name(name));
    return latex_matrix(values, 1);
}

double latex_matrix_width(const LatexEntries& matrix) {
    constexpr double kBrackets = 10.0;
    double width = kBrackets;
    for (const double column : column_widths(matrix)) width += column;
    return width;
}

std::vector<LatexDefinition> latex_definitions(const std::string& name, const LatexEntries& matrix) {
    if (matrix.values.empty()) return {};
    const double room = kLatexLine - latex_width(name + "_{10}") - kAroundRelation - 10.0;
    const std::vector<double> widths = column_widths(matrix);
    if (*std::max_element(widths.begin(), widths.end()) > room) return single_entries(name, matrix);
    const std::vector<LatexEntries> blocks = blocks_of(matrix, widths, room);
    if (blocks.size() == 1) return {{name, latex_matrix(matrix.values, matrix.columns)}};
    std::vector<std::string> names;
    for (std::size_t b = 0; b < blocks.size(); ++b) names.push_back(fmt::format("{}_{{{}}}", name, b + 1));
    std::vector<LatexDefinition> lines{{name, latex_matrix(names, names.size())}};
    for (std::size_t b = 0; b < blocks.size(); ++b)
        lines.push_back({names[b], latex_matrix(blocks[b].values, blocks[b].columns)});
    return lines;
}

}  // namespace bondgraph::api
