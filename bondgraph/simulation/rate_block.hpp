#pragma once

#include <Eigen/Dense>
#include <optional>

#include "bondgraph/simulation/cut_tangents.hpp"
#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

/// The rows of F in which several rates or algebraic unknowns stand: for a mechanism, those of its inverse dynamics.
/// None where no state's row depends on the rate of another.
std::vector<std::uint32_t> rows_of_rates_together(const compile::CompiledModel& model, bool with_forces = false);

/// How these rows depend on their rates and algebraic unknowns at the point itself: M in M(y) y' + h(y).
///
/// Newton's iteration with a Jacobian from earlier steps converges as fast as that Jacobian resembles the present one.
/// In F = M(y) y' + h(y) the mass matrix stands before y', which BDF multiplies by 1/step: its change since then
/// counts in full however short the step is, magnified by the condition of M. In M⁻¹F what stands before y' is always
/// the identity, and what has changed is of the order of the step (Hairer, Wanner: Solving Ordinary Differential
/// Equations II, 2nd ed., section IV.8 on M u' = φ(u)). With J of an earlier point, where the matrix was M_J, the
/// Jacobian of M⁻¹F is M_J⁻¹J, so its Newton step is J⁻¹ M_J M⁻¹ F.
class RateBlock {
   public:
    /// `rows` as rows_of_rates_together() gives them. Few rates with a full matrix, many with values on the way cut.
    RateBlock(Evaluator& evaluator, std::vector<std::uint32_t> rows);

    /// F, with M at this point. False when something is not finite.
    bool residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out);
    /// M of the last residual() becomes M_J.
    void keep();
    /// Overwrites the block's part of a residual with M_J M⁻¹ times it; the others stay. Does nothing while no matrix
    /// was kept, or where M is singular.
    void correct(std::span<double> right);
    /// Overwrites the block's part of a vector with M_J times it; the others stay.
    void multiply(std::span<double> vector) const;

   private:
    void cut_at(std::size_t wide);
    [[nodiscard]] bool factorize();
    void factorize_full();
    void divide_full();
    void multiply_cut(std::span<double> extended, Eigen::VectorXd& into) const;

    Evaluator& ev_;
    std::vector<std::uint32_t> rows_;
    std::vector<double> speeds_;
    bool factored_ = false;
    bool regular_ = false;
    bool kept_ = false;
    // Full.
    std::optional<expression::Tangents> tangents_;
    Eigen::MatrixXd matrix_, kept_matrix_;  ///< transposed: columns are rows of F
    double sign_ = 1.0;                     ///< what makes the matrix positive definite
    bool definite_ = false;
    Eigen::LLT<Eigen::MatrixXd> cholesky_;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
    Eigen::VectorXd part_;
    // Cut.
    std::optional<CutTangents> cut_;
    structure::Incidence pattern_;  ///< without rows of other outputs, which are empty
    std::optional<structure::SparseFactors> factors_;
    std::vector<double> entries_, kept_entries_, extended_;
};

}  // namespace bondgraph::simulation
