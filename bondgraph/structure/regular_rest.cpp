#include "bondgraph/structure/regular_rest.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <utility>

#include "bondgraph/structure/block_triangular.hpp"
#include "bondgraph/structure/index_reduction.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::structure {

namespace {

constexpr double kSingular = 1e-10;
constexpr double kPreferred = 1e-3;        // of a row, independent of those before it
constexpr std::size_t kLargestRest = 300;  // blocks beyond would take seconds, and nobody solves them by themselves

using Numbers = Eigen::SparseMatrix<double, Eigen::RowMajor>;

class RegularRest {
   public:
    RegularRest(const Incidence& rows, const Incidence& preferred, const Matching& matching,
                const std::vector<bool>& rate, const RowJacobian& jacobian)
        : rows_(rows), preferred_(preferred), matching_(matching), rate_(rate), jacobian_(jacobian) {}

    /// The new matching, or nothing.
    Matching run() {
        find_blocks();
        const std::vector<std::size_t> singular = singular_blocks();
        if (singular.empty()) return {};
        const auto [rows, columns] = closure(singular);
        const std::vector<bool> taken = choose(rows, columns);
        return taken.empty() ? Matching{} : rematched(rows, columns, taken);
    }

   private:
    [[nodiscard]] bool of_rate(std::uint32_t row) const { return rate_[matching_.column_of[row]]; }

    /// The triangular form of what is not a rate by the rows that are no rate's, numbered as in the whole.
    void find_blocks() {
        std::vector<std::uint32_t> local(rate_.size(), kNone);
        std::vector<std::uint32_t> column_of;
        for (std::uint32_t c = 0; c < rate_.size(); ++c) {
            if (rate_[c]) continue;
            local[c] = static_cast<std::uint32_t>(column_of.size());
            column_of.push_back(c);
        }
        Incidence rest;
        std::vector<std::uint32_t> rest_rows;
        Matching pairs{std::vector<std::uint32_t>(column_of.size()), {}};
        std::vector<std::uint32_t> row;
        for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
            if (of_rate(r)) continue;
            row.clear();
            for (const std::uint32_t c : rows_.row(r)) {
                if (!rate_[c]) row.push_back(local[c]);
            }
            const std::uint32_t c = local[matching_.column_of[r]];
            pairs.row_of[c] = static_cast<std::uint32_t>(rest_rows.size());
            pairs.column_of.push_back(c);
            rest.add_row(row);
            rest_rows.push_back(r);
        }
        blocks_ = block_triangular(rest, column_of.size(), pairs);
        for (std::uint32_t& r : blocks_.rows.columns) r = rest_rows[r];
        for (std::uint32_t& c : blocks_.columns.columns) c = column_of[c];
    }

    /// Blocks that rates reach, in numbers: others are regular where the whole is.
    std::vector<std::size_t> singular_blocks() {
        std::vector<bool> reached = rate_;
        std::vector<std::size_t> candidates;
        std::vector<std::uint32_t> asked;
        for (std::size_t b = 0; b < blocks_.rows.rows(); ++b) {
            const auto rows = blocks_.rows.row(b);
            const auto columns = blocks_.columns.row(b);
            const bool touched = std::ranges::any_of(rows, [&](std::uint32_t r) {
                return std::ranges::any_of(rows_.row(r), [&](std::uint32_t c) { return reached[c]; });
            });
            if (!touched) continue;
            for (const std::uint32_t c : columns) reached[c] = true;
            const bool sure = rows.size() == 1 && std::ranges::binary_search(preferred_.row(rows[0]), columns[0]);
            if (sure || rows.size() > kLargestRest) continue;
            candidates.push_back(b);
            asked.insert(asked.end(), rows.begin(), rows.end());
        }
        if (asked.empty()) return {};
        const Numbers numbers = jacobian_(asked);
        std::vector<std::size_t> singular;
        Eigen::Index first = 0;
        for (const std::size_t b : candidates) {
            const auto n = static_cast<Eigen::Index>(blocks_.rows.row(b).size());
            if (is_singular(dense(numbers, first, n, blocks_.columns.row(b)))) singular.push_back(b);
            first += n;
        }
        return singular;
    }

    [[nodiscard]] Eigen::MatrixXd dense(const Numbers& numbers, Eigen::Index first, Eigen::Index count,
                                        std::span<const std::uint32_t> columns) const {
        std::vector<Eigen::Index> place(rate_.size(), -1);
        for (std::size_t k = 0; k < columns.size(); ++k) place[columns[k]] = static_cast<Eigen::Index>(k);
        Eigen::MatrixXd result = Eigen::MatrixXd::Zero(count, static_cast<Eigen::Index>(columns.size()));
        for (Eigen::Index r = 0; r < count; ++r) {
            for (Numbers::InnerIterator entry(numbers, first + r); entry; ++entry) {
                const Eigen::Index c = place[static_cast<std::size_t>(entry.col())];
                if (c >= 0) result(r, c) = entry.value();
            }
        }
        return result;
    }

    static bool is_singular(const Eigen::MatrixXd& matrix) {
        if (!matrix.allFinite()) return false;
        Eigen::FullPivLU<Eigen::MatrixXd> lu(scaled(matrix));
        lu.setThreshold(kSingular);
        return lu.rank() < matrix.rows();
    }

    /// These blocks and all that need their results: their rows, those of rates at the end, and their columns.
    [[nodiscard]] std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> closure(
        const std::vector<std::size_t>& singular) const {
        std::vector<bool> inside(rate_.size(), false);
        std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> result;
        auto& [rows, columns] = result;
        for (std::size_t b = singular.front(); b < blocks_.rows.rows(); ++b) {
            const auto its_rows = blocks_.rows.row(b);
            const bool needs = std::ranges::any_of(its_rows, [&](std::uint32_t r) {
                return std::ranges::any_of(rows_.row(r), [&](std::uint32_t c) { return inside[c]; });
            });
            if (!needs && !std::ranges::binary_search(singular, b)) continue;
            rows.insert(rows.end(), its_rows.begin(), its_rows.end());
            for (const std::uint32_t c : blocks_.columns.row(b)) {
                columns.push_back(c);
                inside[c] = true;
            }
        }
        for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
            if (of_rate(r)) rows.push_back(r);
        }
        return result;
    }

    /// Per row whether the columns are to follow from it; nothing where too few are independent.
    [[nodiscard]] std::vector<bool> choose(const std::vector<std::uint32_t>& rows,
                                           const std::vector<std::uint32_t>& columns) const {
        constexpr std::size_t kLargestDense = 1500;
        if (rows.size() > kLargestDense) return {};
        const Eigen::MatrixXd numbers = dense(jacobian_(rows), 0, static_cast<Eigen::Index>(rows.size()), columns);
        if (!numbers.allFinite()) return {};
        std::vector<std::int16_t> first;
        for (const std::uint32_t r : rows) first.push_back(of_rate(r) ? 0 : 1);
        const auto independent = independent_columns(scaled(numbers).transpose(), first, kSingular, kPreferred);
        if (independent.size() < columns.size()) return {};
        std::vector<bool> taken(rows.size(), false);
        for (const Eigen::Index r : independent) taken[static_cast<std::size_t>(r)] = true;
        return taken;
    }

    /// A matching of some rows with some columns, preferred pairs first; row_of by position in `columns`.
    [[nodiscard]] Matching match(const std::vector<std::uint32_t>& rows,
                                 const std::vector<std::uint32_t>& columns) const {
        std::vector<std::uint32_t> place(rate_.size(), kNone);
        for (std::uint32_t k = 0; k < columns.size(); ++k) place[columns[k]] = k;
        Matching matching;
        for (const Incidence* pattern : {&preferred_, &rows_}) {
            Incidence part;
            for (const std::uint32_t r : rows) {
                std::vector<std::uint32_t> row;
                for (const std::uint32_t c : pattern->row(r)) {
                    if (place[c] != kNone) row.push_back(place[c]);
                }
                std::ranges::sort(row);
                part.add_row(row);
            }
            matching = maximum_matching(part, columns.size(), std::move(matching));
        }
        return matching;
    }

    [[nodiscard]] Matching rematched(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns,
                                     const std::vector<bool>& taken) const {
        std::vector<std::uint32_t> of_rest;
        std::vector<std::uint32_t> of_rates;
        for (std::size_t k = 0; k < rows.size(); ++k) (taken[k] ? of_rest : of_rates).push_back(rows[k]);
        std::vector<std::uint32_t> rates;
        for (std::uint32_t c = 0; c < rate_.size(); ++c) {
            if (rate_[c]) rates.push_back(c);
        }
        const Matching rest = match(of_rest, columns);
        if (rest.size() < columns.size()) return {};
        Matching result = matching_;
        const auto pair = [&](std::uint32_t row, std::uint32_t column) {
            result.column_of[row] = column;
            result.row_of[column] = row;
        };
        for (std::size_t k = 0; k < of_rest.size(); ++k) pair(of_rest[k], columns[rest.column_of[k]]);
        const Matching others = match(of_rates, rates);
        std::size_t free = 0;
        for (std::size_t k = 0; k < of_rates.size(); ++k) {
            std::uint32_t c = others.column_of[k];
            if (c == kUnmatched) {
                while (others.row_of[free] != kUnmatched) ++free;
                c = static_cast<std::uint32_t>(free++);
            }
            pair(of_rates[k], rates[c]);
        }
        return result;
    }

    const Incidence& rows_;
    const Incidence& preferred_;
    const Matching& matching_;
    const std::vector<bool>& rate_;
    const RowJacobian& jacobian_;
    BlockTriangular blocks_;
};

}  // namespace

Matching with_regular_rest(const Incidence& rows, const Incidence& preferred, Matching matching,
                           const std::vector<bool>& rate, const RowJacobian& jacobian) {
    Matching better = RegularRest(rows, preferred, matching, rate, jacobian).run();
    return better.row_of.empty() ? std::move(matching) : std::move(better);
}

}  // namespace bondgraph::structure
