#pragma once

#include <Eigen/LU>
#include <optional>

#include "bondgraph/simulation/cut_tangents.hpp"
#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

/// Newton's matrix ∂F/∂y + c ∂F/∂y' with its factors, in the form that costs least for a model.
class NewtonMatrix {
   public:
    enum class Form : std::uint8_t {
        full,    ///< LU with row exchanges in blocks (Eigen)
        sparse,  ///< KLU on the pattern of F
        cut      ///< KLU on CutTangents: for F whose rows depend on almost everything, as those of a chain of bodies
    };

    /// `dense_limit`: as in Settings; 0 for sparse in any case.
    [[nodiscard]] static Form form_for(const compile::CompiledModel& model, std::size_t dense_limit);

    NewtonMatrix(Evaluator& evaluator, Form form);

    /// The matrix at a point; false when an entry is not finite.
    bool evaluate(double time, std::span<const double> y, std::span<const double> yp, double c);
    /// False when the matrix is singular.
    bool factorize();
    /// Overwrites the right side with the solution.
    void solve(std::span<double> x);

   private:
    Evaluator& ev_;
    Form form_;
    std::vector<double> entries_;
    Eigen::MatrixXd matrix_;
    Eigen::PartialPivLU<Eigen::MatrixXd> full_;
    std::optional<CutTangents> tangents_;
    std::vector<double> speeds_;
    std::optional<structure::SparseFactors> sparse_;
    std::vector<double> extended_;  ///< with the cuts
};

}  // namespace bondgraph::simulation
