#include "bondgraph/causality/dirac.hpp"

#include <cmath>
#include <limits>

namespace bondgraph::causality {
namespace {

constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

Dirac::Table exact(const Eigen::MatrixXd& matrix) {
    Dirac::Table table(static_cast<std::size_t>(matrix.rows()));
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
        auto& row = table[static_cast<std::size_t>(r)];
        row.reserve(static_cast<std::size_t>(matrix.cols()));
        for (Eigen::Index c = 0; c < matrix.cols(); ++c) row.emplace_back(matrix(r, c));
    }
    return table;
}

bool better_pivot(const ExactNumber& x, const ExactNumber& than) {
    if (x.is_unit() != than.is_unit()) return x.is_unit();
    return std::abs(x.value()) > std::abs(than.value());
}

/// Solves for the unknowns in the order given as far as the equations reach: per unknown the row that names no other
/// unknown solved for, or kNoRow.
std::vector<std::size_t> solve(Dirac::Table& rows, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> row_of(order.size(), kNoRow);
    std::size_t done = 0;
    for (const std::size_t c : order) {
        std::size_t best = kNoRow;
        for (std::size_t r = done; r < rows.size(); ++r) {
            if (!rows[r][c].is_zero() && (best == kNoRow || better_pivot(rows[r][c], rows[best][c]))) best = r;
        }
        if (best == kNoRow) continue;
        std::swap(rows[done], rows[best]);
        auto& own = rows[done];
        const ExactNumber scale = own[c].inverse();
        std::vector<std::size_t> entries;
        for (std::size_t k = 0; k < own.size(); ++k) {
            if (own[k].is_zero()) continue;
            own[k] = own[k] * scale;
            entries.push_back(k);
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const ExactNumber factor = rows[r][c];
            if (r == done || factor.is_zero()) continue;
            for (const std::size_t k : entries) rows[r][k] = rows[r][k] - factor * own[k];
            rows[r][c] = {};
        }
        row_of[c] = done++;
    }
    return row_of;
}

}  // namespace

Dirac::Dirac(Table table)
    : table_(std::move(table)),
      used_(table_.empty() ? 0 : table_.front().size(), false),
      column_(table_.size(), kNoRow) {}

Dirac::Dirac(const Eigen::MatrixXd& rows) : Dirac(exact(rows)) {}

std::optional<Dirac> Dirac::from_equations(const Eigen::MatrixXd& equations, std::size_t ports,
                                           std::size_t& free_unknown) {
    Table rows = exact(equations);
    const auto unknowns = static_cast<std::size_t>(equations.cols());
    std::vector<std::size_t> order;
    for (std::size_t u = 2 * ports; u < unknowns; ++u) order.push_back(u);
    for (std::size_t u = 0; u < 2 * ports; ++u) order.push_back(u);
    const std::vector<std::size_t> row_of = solve(rows, order);
    for (std::size_t u = 2 * ports; u < unknowns; ++u) {
        free_unknown = u;
        if (row_of[u] == kNoRow) return std::nullopt;
    }
    std::vector<std::size_t> parameters;
    for (std::size_t u = 0; u < 2 * ports; ++u) {
        if (row_of[u] == kNoRow) parameters.push_back(u);
    }
    Table table(2 * ports, std::vector<ExactNumber>(parameters.size()));
    for (std::size_t u = 0; u < 2 * ports; ++u) {
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (row_of[u] != kNoRow) {
                table[u][k] = -rows[row_of[u]][parameters[k]];
            } else if (parameters[k] == u) {
                table[u][k] = ExactNumber(1.0);
            }
        }
    }
    return Dirac(std::move(table));
}

bool Dirac::determined(std::size_t row) const {
    for (std::size_t c = 0; c < used_.size(); ++c) {
        if (!used_[c] && !table_[row][c].is_zero()) return false;
    }
    return true;
}

bool Dirac::choose(std::size_t row) {
    std::size_t pivot = kNoRow;
    for (std::size_t c = 0; c < used_.size(); ++c) {
        if (used_[c] || table_[row][c].is_zero()) continue;
        if (pivot == kNoRow || better_pivot(table_[row][c], table_[row][pivot])) pivot = c;
    }
    if (pivot == kNoRow) return false;
    // Change of parameters: the pivot parameter is replaced by the chosen variable itself.
    const std::vector<ExactNumber> chosen = table_[row];
    const ExactNumber scale = chosen[pivot].inverse();
    for (std::size_t r = 0; r < table_.size(); ++r) {
        const ExactNumber factor = table_[r][pivot] * scale;
        if (r == row || factor.is_zero()) continue;
        for (std::size_t c = 0; c < chosen.size(); ++c) {
            if (c != pivot && !chosen[c].is_zero()) table_[r][c] = table_[r][c] - factor * chosen[c];
        }
        table_[r][pivot] = factor;
    }
    table_[row].assign(chosen.size(), {});
    table_[row][pivot] = ExactNumber(1.0);
    used_[pivot] = true;
    column_[row] = pivot;
    return true;
}

double Dirac::transfer(std::size_t output_row, std::size_t input_row) const {
    const std::size_t column = column_[input_row];
    return column == kNoRow ? 0.0 : table_[output_row][column].value();
}

}  // namespace bondgraph::causality
