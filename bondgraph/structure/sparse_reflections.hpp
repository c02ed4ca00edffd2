#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

namespace bondgraph::structure {

/// What is left of the columns of a matrix beside those that were taken: Householder reflections, one column after
/// another, of entries that are not zero. Columns that have nothing in common with the one taken are not looked at, so
/// that in matrices of many small pieces in a row a column costs what is near it, however large they are.
class SparseReflections {
   public:
    explicit SparseReflections(const Eigen::MatrixXd& matrix);

    [[nodiscard]] Eigen::Index rank() const { return static_cast<Eigen::Index>(taken_.size()); }
    [[nodiscard]] bool full() const { return rank() == rows_; }
    /// Columns in the order in which they were taken.
    [[nodiscard]] const std::vector<Eigen::Index>& taken() const { return taken_; }
    [[nodiscard]] bool is_taken(Eigen::Index column) const { return gone_[at(column)]; }
    /// The length of a column, and of what is left of it.
    [[nodiscard]] double length(Eigen::Index column) const { return length_[at(column)]; }
    [[nodiscard]] double rest(Eigen::Index column);
    /// Takes a column of which something is left.
    void take(Eigen::Index column);

   private:
    struct Entry {
        std::uint32_t row;
        double value;
    };
    using Column = std::vector<Entry>;

    static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
    void reflect(std::uint32_t column, const Column& reflector, std::uint32_t pivot);

    Eigen::Index rows_;
    std::vector<Column> columns_;                     ///< entries in rows that no column has taken
    std::vector<std::vector<std::uint32_t>> in_row_;  ///< by row: columns that have, or had, an entry there
    std::vector<std::uint32_t> place_;   ///< by row: rows change places, the pivot's with the first open one
    std::vector<std::uint32_t> row_at_;  ///< its inverse
    std::vector<double> length_;
    std::vector<double> rest_;
    std::vector<bool> touched_;  ///< columns whose rest has changed
    std::vector<bool> gone_;
    std::vector<Eigen::Index> taken_;
    std::vector<double> mirror_;         ///< by row: the reflector's entry
    std::vector<std::uint32_t> looked_;  ///< by column: the step (from 1) in which it was last reflected
    std::vector<std::uint64_t> filled_;  ///< by row: the reflection (from 1) of a column that had an entry there
    std::uint64_t fill_ = 0;             ///< reflections of columns so far
};

}  // namespace bondgraph::structure
