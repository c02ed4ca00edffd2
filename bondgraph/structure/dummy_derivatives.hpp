#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/structure/exchange.hpp"
#include "bondgraph/structure/index_reduction.hpp"

namespace bondgraph::structure {

/// The highest derivatives that a set of most often differentiated equations determines together: a block of the BLT
/// order. Only blocks with a differentiated equation leave a choice.
struct DerivativeBlock {
    std::vector<std::uint32_t> rows;     ///< equations of the plan without derivative
    std::vector<std::uint32_t> columns;  ///< columns of the plan without derivative
};

/// All blocks in the order of computation.
std::vector<DerivativeBlock> derivative_blocks(const IndexReduction& plan);

/// The dense matrix ∂(rows)/∂(columns) at the point of interest; rows and columns as in the plan, without derivatives.
using BlockJacobian =
    std::function<Eigen::MatrixXd(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns)>;

/// How small is zero. Both are relative to a column of the Jacobian with rows and columns scaled to 1.
struct DummyTolerances {
    double rank = 1e-9;       ///< below this, what is left of a column counts as rounding
    double preferred = 1e-3;  ///< a column is taken before those of a later class only if this much of it is left
};

struct DummyChoice {
    /// Σ combination·(row of the plan) depends on none of its highest derivatives: `equation` (of the input) can be
    /// left out with all its derivatives if the combination holds at all.
    struct Redundant {
        std::uint32_t equation = 0;
        std::vector<std::pair<std::uint32_t, double>> combination;  ///< input equations, ascending; `equation` has 1
        /// The combination still restricts highest derivatives outside its block: it is no redundancy, but a hidden
        /// equation that integer structure could not see.
        bool hidden = false;
    };
    std::vector<std::uint32_t> dummies;  ///< columns (derivatives) to be solved for as algebraic variables, ascending
    std::vector<std::uint32_t> states;   ///< columns whose derivative is integrated, ascending
    std::vector<Redundant> redundant;
    std::vector<std::uint32_t> free_columns;  ///< undetermined once the redundant equations are gone, ascending
    /// The blocks with differentiated equations, as they were used: one with redundant equations is merged with those
    /// that need its results, because together they determine what is left.
    std::vector<DerivativeBlock> blocks;
    /// Per block the magnitudes of its columns where the choice was made, all rows scaled to 1: what differences
    /// between columns are measured by.
    std::vector<Eigen::VectorXd> magnitudes;
    /// Per block the norm of the scaled Jacobian by all candidates over the smallest singular value by the dummies:
    /// 1 is the best there is, infinity means that the dummies are not determined.
    std::vector<double> condition;
    /// The worst condition.
    [[nodiscard]] double worst() const;
};

/// Mattsson, Söderlind: Index reduction in differential-algebraic equations using dummy derivatives, SIAM J. Sci.
/// Comput. 14, 1993. For every block and, within it, from the highest order of differentiation down, columns are chosen
/// whose Jacobian by the differentiated equations is regular; these derivatives become dummies, their integrals are the
/// candidates of the next order.
///
/// `wishes[column]` (indexed by columns of the plan, by the variable that would be a state) order the candidates: those
/// that nobody wants as states are taken first, and among equals the column-pivoted Householder QR decides, that is,
/// what determines the rest best. States that then determine it badly are exchanged (see exchanged()), each for the one
/// that betters it most. What is judged are exchanges, not the condition of all: this also depends on which other
/// unknowns the equations were left with.
/// `drop[equation]` (by input equation; may be empty): among dependent equations those with larger values go first;
/// `release[column]` (may be empty): among undetermined columns those with larger values are set free first.
DummyChoice choose_dummies(const IndexReduction& plan, std::span<const DerivativeBlock> blocks,
                           const BlockJacobian& jacobian, std::span<const StateWish> wishes,
                           std::span<const std::int16_t> drop = {}, std::span<const std::int16_t> release = {},
                           DummyTolerances tolerances = {});

/// The largest exchange_gain() of a choice made elsewhere: beyond kExchanged where it should be made anew, infinity
/// where the dummies depend on each other.
double choice_gain(const IndexReduction& plan, const BlockJacobian& jacobian, const DummyChoice& choice,
                   std::span<const StateWish> wishes);

}  // namespace bondgraph::structure
