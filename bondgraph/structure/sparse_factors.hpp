#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

/// Of a matrix, whose determinant may be beyond all numbers; sign 0: singular.
struct Determinant {
    double sign = 0.0;
    double log_size = 0.0;
};

/// By column: the rows of its entries. It is the pattern of the transposed matrix, with the entries in the same order.
[[nodiscard]] Incidence pattern_of_columns(const Eigen::SparseMatrix<double>& matrix);

/// The order in which matrices of one pattern are factorized. Found once, used by as many factors as there are, in
/// several threads.
class SparseOrder {
   public:
    explicit SparseOrder(const Incidence& pattern);
    ~SparseOrder();
    SparseOrder(const SparseOrder&) = delete;
    SparseOrder& operator=(const SparseOrder&) = delete;

   private:
    friend class SparseFactors;
    struct Klu;

    int size_ = 0;
    std::vector<int> starts_, rows_;
    std::vector<std::size_t> place_;
    std::unique_ptr<Klu> klu_;
};

/// LU factors of sparse matrices of one pattern by KLU (Davis, Palamadai Natarajan: Algorithm 907, ACM TOMS 37, 2010),
/// which keeps order and pivots from one matrix to the next as long as these serve.
class SparseFactors {
   public:
    enum class Scaling : std::uint8_t {
        rows,  ///< rows are brought to one magnitude, so that pivots don't depend on units
        none   ///< faster, for factors that only speed an iteration up
    };
    explicit SparseFactors(const Incidence& pattern, Scaling scaling = Scaling::rows);
    explicit SparseFactors(std::shared_ptr<const SparseOrder> order, Scaling scaling = Scaling::rows);
    ~SparseFactors();
    SparseFactors(const SparseFactors&) = delete;
    SparseFactors& operator=(const SparseFactors&) = delete;

    /// How many entries the factors will have, by the order that was found for the pattern.
    [[nodiscard]] double expected_entries() const;
    /// `entries` in the order of the pattern. False when the matrix is singular.
    bool factorize(std::span<const double> entries);
    /// From now on pivots are the largest there are, at the cost of entries, instead of those on the diagonal where
    /// these are not far smaller. False where they have been already.
    bool take_largest_pivots();
    /// The diagonal blocks of the pattern's block triangular form, upper triangular: a block's rows name, beside its
    /// own columns, those of blocks that follow it only.
    struct Block {
        std::vector<std::uint32_t> rows;     ///< ascending
        std::vector<std::uint32_t> columns;  ///< ascending
    };
    [[nodiscard]] std::vector<Block> blocks() const;
    /// Of each of these blocks of the matrix that was factorized last; nothing where that failed.
    [[nodiscard]] std::vector<Determinant> determinants() const;
    /// Overwrites the right side with the solution; or several, one after the other.
    void solve(std::span<double> x);
    /// With the transposed matrix.
    void solve_transposed(std::span<double> x);

   private:
    struct Klu;

    std::shared_ptr<const SparseOrder> order_;
    std::vector<double> values_;
    std::unique_ptr<Klu> klu_;
};

}  // namespace bondgraph::structure
