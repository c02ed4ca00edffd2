#include "bondgraph/structure/index_reduction.hpp"

#include <algorithm>

namespace bondgraph::structure {

namespace {

/// For each column the column at the lower end of its chain of derivatives.
std::vector<std::uint32_t> chain_bases(std::span<const std::uint32_t> derivative_of) {
    std::vector<std::uint32_t> base(derivative_of.size(), kNone);
    std::vector<bool> is_derivative(derivative_of.size(), false);
    for (const std::uint32_t d : derivative_of) {
        if (d != kNone) is_derivative[d] = true;
    }
    for (std::uint32_t c = 0; c < derivative_of.size(); ++c) {
        if (is_derivative[c]) continue;
        for (std::uint32_t k = c; k != kNone; k = derivative_of[k]) base[k] = c;
    }
    return base;
}

class Pantelides {
   public:
    Pantelides(const Incidence& rows, std::span<const std::uint32_t> derivative_of) {
        plan_.derivative_of.assign(derivative_of.begin(), derivative_of.end());
        rows_.reserve(rows.rows());
        for (std::uint32_t r = 0; r < rows.rows(); ++r) {
            rows_.emplace_back(rows.row(r).begin(), rows.row(r).end());
            std::ranges::sort(rows_.back());
            rows_.back().erase(std::unique(rows_.back().begin(), rows_.back().end()), rows_.back().end());
            plan_.origin.push_back(r);
            latest_.push_back(r);
        }
        plan_.order.assign(rows.rows(), 0);
        plan_.equation_derivative.assign(rows.rows(), kNone);
        plan_.differentiations.assign(rows.rows(), 0);
    }

    IndexReduction run() {
        if (!solvable()) {
            IndexReduction failed;
            failed.singular_equations = std::move(plan_.singular_equations);
            failed.undetermined_columns = std::move(plan_.undetermined_columns);
            return failed;
        }
        for (;;) {
            const Incidence highest = highest_derivatives();
            matching_ = maximum_matching(highest, plan_.derivative_of.size(), std::move(matching_));
            if (matching_.size() == latest_.size()) return finish();
            differentiate(singular_parts(highest, plan_.derivative_of.size(), matching_));
        }
    }

   private:
    /// Whether the equations suffice when each chain of derivatives is one unknown: exactly then the method ends.
    bool solvable() {
        const std::vector<std::uint32_t> base = chain_bases(plan_.derivative_of);
        Incidence chains;
        std::vector<std::uint32_t> row;
        for (const auto& columns : rows_) {
            row.clear();
            for (const std::uint32_t c : columns) row.push_back(base[c]);
            std::ranges::sort(row);
            row.erase(std::unique(row.begin(), row.end()), row.end());
            chains.add_row(row);
        }
        const Matching matching = maximum_matching(chains, base.size());
        const SingularParts parts = singular_parts(chains, base.size(), matching);
        for (const std::uint32_t c : parts.underdetermined_columns) {
            if (base[c] == c) plan_.undetermined_columns.push_back(c);
        }
        plan_.singular_equations = parts.overdetermined_rows;
        return plan_.singular_equations.empty();
    }

    /// Per input equation the columns without derivative in its latest derivative.
    [[nodiscard]] Incidence highest_derivatives() const {
        Incidence highest;
        std::vector<std::uint32_t> row;
        for (const std::uint32_t r : latest_) {
            row.clear();
            for (const std::uint32_t c : rows_[r]) {
                if (plan_.derivative_of[c] == kNone) row.push_back(c);
            }
            highest.add_row(row);
        }
        return highest;
    }

    /// The equations that name fewer highest derivatives than they are, each once more; the pairs go along.
    void differentiate(const SingularParts& parts) {
        for (const std::uint32_t c : parts.overdetermined_columns) {
            plan_.derivative_of[c] = static_cast<std::uint32_t>(plan_.derivative_of.size());
            plan_.derivative_of.push_back(kNone);
        }
        matching_.row_of.resize(plan_.derivative_of.size(), kUnmatched);
        for (const std::uint32_t origin : parts.overdetermined_rows) {
            const std::uint32_t r = latest_[origin];
            std::vector<std::uint32_t> row = rows_[r];
            for (const std::uint32_t c : rows_[r]) row.push_back(plan_.derivative_of[c]);
            std::ranges::sort(row);
            row.erase(std::unique(row.begin(), row.end()), row.end());
            latest_[origin] = plan_.equation_derivative[r] = static_cast<std::uint32_t>(rows_.size());
            rows_.push_back(std::move(row));
            plan_.equation_derivative.push_back(kNone);
            plan_.origin.push_back(origin);
            plan_.order.push_back(++plan_.differentiations[origin]);
            const std::uint32_t column = matching_.column_of[origin];
            if (column == kUnmatched) continue;
            matching_.row_of[column] = kUnmatched;
            matching_.column_of[origin] = plan_.derivative_of[column];
            matching_.row_of[plan_.derivative_of[column]] = origin;
        }
    }

    IndexReduction finish() {
        for (const auto& row : rows_) plan_.rows.add_row(row);
        plan_.matching.row_of.assign(plan_.derivative_of.size(), kUnmatched);
        plan_.matching.column_of.assign(rows_.size(), kUnmatched);
        for (std::size_t k = 0; k < latest_.size(); ++k) {
            plan_.matching.column_of[latest_[k]] = matching_.column_of[k];
            plan_.matching.row_of[matching_.column_of[k]] = latest_[k];
        }
        return std::move(plan_);
    }

    IndexReduction plan_;
    std::vector<std::vector<std::uint32_t>> rows_;
    std::vector<std::uint32_t> latest_;  ///< per input equation its latest derivative
    Matching matching_;                  ///< input equations (for their latest derivatives) with columns
};

}  // namespace

IndexReduction reduce_index(const Incidence& rows, std::span<const std::uint32_t> derivative_of) {
    return Pantelides(rows, derivative_of).run();
}

}  // namespace bondgraph::structure
