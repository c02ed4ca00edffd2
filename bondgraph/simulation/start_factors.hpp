#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bondgraph/simulation/equilibrate.hpp"
#include "bondgraph/structure/incidence.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

/// LU factors of a sparse matrix with rows and columns brought to one magnitude, so that singular means singular in any
/// units. Small matrices by complete pivoting, others by KLU.
class ScaledFactors {
   public:
    /// `order`: of the pattern, where it is known.
    explicit ScaledFactors(const structure::Incidence& pattern,
                           std::shared_ptr<const structure::SparseOrder> order = nullptr)
        : pattern_(pattern), order_(std::move(order)) {}

    /// False when the matrix is singular.
    bool factorize(std::span<const double> entries);
    /// The same by factors of another form of the matrix, one with values on the way cut (CutTangents) and its entries.
    bool factorize(std::span<const double> entries, const structure::Incidence& cut,
                   std::span<const double> cut_entries);
    [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
    /// Largest magnitude of each row; of each column after rows were scaled.
    [[nodiscard]] const Eigen::VectorXd& rows() const { return rows_; }
    [[nodiscard]] const Eigen::VectorXd& columns() const { return columns_; }
    /// The magnitude of a vector of unknowns, all brought to one scale.
    [[nodiscard]] double size_of(const Eigen::VectorXd& unknowns) const {
        return columns_.cwiseProduct(unknowns).lpNorm<Eigen::Infinity>();
    }

   private:
    bool bring_to_scale(std::span<const double> entries);
    [[nodiscard]] bool far_from_singular() const;

    const structure::Incidence& pattern_;
    std::shared_ptr<const structure::SparseOrder> order_;
    Eigen::VectorXd rows_;
    Eigen::VectorXd columns_;
    std::optional<Divisors> otherwise_;  ///< of a matrix that looked singular scaled by rows first
    Eigen::FullPivLU<Eigen::MatrixXd> dense_;
    std::unique_ptr<structure::SparseFactors> sparse_;
    std::size_t extended_ = 0;  ///< rows of the form with cuts
};

}  // namespace bondgraph::simulation
