#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bondgraph::structure {

/// How much a variable is wanted as a state.
struct StateWish {
    std::int16_t order = 0;    ///< candidates are made dummies in ascending order of this
    std::int8_t firmness = 0;  ///< 1 by causality, 2 preferred, 3 demanded; negative: avoided, never
    /// What counts as a change of 1: the same for all angles of a mechanism, say, whose rates are to be compared as
    /// they are. 0: unknown; then the largest coefficient decides, which tells nothing of a column with a single one.
    double size = 0.0;
};

/// What a gain counts that would give up the state `lost` for `won`: 1 unless that goes against a wish. Coordinates
/// that a user or a type prefers serve well although others would determine the rest ten times better (angles of a
/// long chain beside the velocity of its end), a storage that is a state by causality is given up earlier, and what is
/// demanded goes only where rank would.
double exchange_weight(StateWish lost, StateWish won);

/// From this gain on, times its weight, a state is exchanged.
inline constexpr double kExchanged = 1.0 / 0.3;

/// What a row counts that was left out because others imply it, where by now it would tell more than one of these: the
/// entries of (left-out rows) · (chosen columns)⁻¹, times this. Rows serve well until next to nothing is left of them.
inline constexpr double kRowWeight = 1.0;

/// What taking column `other` for the chosen column `chosen` counts.
using ExchangeWeight = std::function<double(Eigen::Index chosen, Eigen::Index other)>;

/// The largest entry of (chosen columns)⁻¹ · (other columns), each times its weight. Taking a column for a chosen one
/// multiplies the determinant by such an entry, and where none is large the choice is near the best (Gu, Eisenstat:
/// Efficient algorithms for computing a strong rank-revealing QR factorization, SIAM J. Sci. Comput. 17, 1996).
/// Infinity where as many columns as rows are not chosen, or they depend on each other.
double exchange_gain(const Eigen::MatrixXd& matrix, std::span<const Eigen::Index> chosen, const ExchangeWeight& weight);

/// The choice after exchanging columns, that with the largest gain first, until no gain is beyond kExchanged.
std::vector<Eigen::Index> exchanged(const Eigen::MatrixXd& matrix, std::vector<Eigen::Index> chosen,
                                    const ExchangeWeight& weight);

}  // namespace bondgraph::structure
