#include "bondgraph/structure/colouring.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace bondgraph::structure {

namespace {

constexpr std::uint32_t kUncoloured = std::numeric_limits<std::uint32_t>::max();

/// Rows up to this length are looked through for each of their columns. Longer ones (whose square would hurt) keep the
/// set of their colours instead.
constexpr std::size_t kLongRow = 64;

class GreedyColouring {
   public:
    GreedyColouring(const Incidence& rows, std::size_t column_count)
        : rows_(rows), columns_(rows.transposed(column_count)) {
        result_.colour.assign(column_count, kUncoloured);
    }

    /// Columns in no row, most of them where the rows are few, are of the first colour.
    Colouring run() {
        for (std::size_t column = 0; column < columns_.rows(); ++column) {
            if (columns_.row(column).empty()) result_.colour[column] = 0;
        }
        result_.count = result_.colour.empty() ? 0 : 1;
        for (const std::uint32_t column : by_degree()) {
            const std::uint32_t colour = smallest_free(column);
            result_.colour[column] = colour;
            result_.count = std::max(result_.count, colour + 1);
            for (const std::uint32_t row : columns_.row(column)) {
                if (is_long(row)) used_.emplace(key(row, colour), colour + 1);
            }
        }
        return std::move(result_);
    }

   private:
    [[nodiscard]] bool is_long(std::uint32_t row) const { return rows_.row(row).size() > kLongRow; }

    /// Neighbours counted once per shared row: counting each once would cost as much as the colouring.
    [[nodiscard]] std::vector<std::uint32_t> by_degree() const {
        std::vector<std::uint64_t> degree(columns_.rows(), 0);
        for (std::size_t column = 0; column < degree.size(); ++column) {
            for (const std::uint32_t row : columns_.row(column)) degree[column] += rows_.row(row).size() - 1;
        }
        std::vector<std::uint32_t> order;
        for (std::uint32_t column = 0; column < degree.size(); ++column) {
            if (!columns_.row(column).empty()) order.push_back(column);
        }
        std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t column) { return degree[column]; });
        return order;
    }

    std::uint32_t smallest_free(std::uint32_t column) {
        for (const std::uint32_t row : columns_.row(column)) {
            if (is_long(row)) continue;
            for (const std::uint32_t neighbour : rows_.row(row)) {
                const std::uint32_t taken = result_.colour[neighbour];
                if (taken == kUncoloured) continue;
                if (taken >= taken_by_.size()) taken_by_.resize(taken + 1, kUncoloured);
                taken_by_[taken] = column;
            }
        }
        std::uint32_t colour = 0;
        for (std::uint32_t previous = kUncoloured; previous != colour;) {
            previous = colour;
            while (colour < taken_by_.size() && taken_by_[colour] == column) ++colour;
            for (const std::uint32_t row : columns_.row(column)) {
                if (is_long(row)) colour = free_from(row, colour);
            }
        }
        return colour;
    }

    /// The smallest colour from `colour` on that the long row does not use. Runs of used colours are skipped by links
    /// which are shortened as they are followed: walking through them would cost the square of the row's length.
    std::uint32_t free_from(std::uint32_t row, std::uint32_t colour) {
        std::uint32_t free = colour;
        for (auto link = used_.find(key(row, free)); link != used_.end(); link = used_.find(key(row, free))) {
            free = link->second;
        }
        while (colour != free) {
            std::uint32_t& link = used_.find(key(row, colour))->second;
            colour = link;
            link = free;
        }
        return free;
    }

    static std::uint64_t key(std::uint32_t row, std::uint32_t colour) {
        return (static_cast<std::uint64_t>(row) << 32U) | colour;
    }

    const Incidence& rows_;
    Incidence columns_;
    Colouring result_;
    std::vector<std::uint32_t> taken_by_;  ///< by colour: the column whose short rows were last seen to use it
    /// (long row, used colour) → a later colour, all between them used too.
    std::unordered_map<std::uint64_t, std::uint32_t> used_;
};

}  // namespace

Colouring colour_columns(const Incidence& rows, std::size_t column_count) {
    return GreedyColouring(rows, column_count).run();
}

}  // namespace bondgraph::structure
