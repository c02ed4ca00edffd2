#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "bondgraph/analysis/single_channel.hpp"

namespace bondgraph::analysis {

using Roots = std::vector<std::complex<double>>;

/// The eigenvalues of a matrix, one strongly connected block after the other: parts that do not act back on each other
/// keep equal eigenvalues equal and those of pure integrators exactly zero. Sorted by real part, then imaginary part.
Roots block_eigenvalues(const Eigen::MatrixXd& matrix);

/// The zeros of a channel and the gain that goes with them.
struct Zeros {
    Roots values;
    /// Of the highest power of s in the numerator over that in the denominator; 0: no transfer, infinite: too large.
    double gain = 0.0;
};

/// Invariant zeros: where the Rosenbrock pencil [A − sI, b; c, d] loses rank. Its infinite eigenvalues are deflated one
/// by one (differentiating the output until the input shows: Emami-Naeini, Van Dooren: Computation of zeros of linear
/// multivariable systems, Automatica 18, 1982), which also gives the gain; the finite ones of what is left are found as
/// ordinary or, where d is no good pivot, generalized eigenvalues (QZ). The channel should be balanced.
Zeros invariant_zeros(const SingleChannel& system);

/// Roots that are equal to kSameRoot put in the place of their mean, which rounding has moved much less than each of
/// them. A pair of conjugates that near the real axis becomes a double real root. Sorted.
Roots merged(const Roots& roots);

/// Relative distance below which two roots can't be told apart: half the digits, as far as rounding moves double roots.
inline constexpr double kSameRoot = 1e-6;

/// A root and how often it occurs.
struct MultipleRoot {
    std::complex<double> value;
    std::size_t multiplicity = 1;
};
/// Of merged roots.
std::vector<MultipleRoot> multiplicities(const Roots& roots);

/// Π (s − root), highest power first, without what rounding leaves where terms cancel. Complex roots must come with
/// their conjugates.
std::vector<double> polynomial(const Roots& roots);

}  // namespace bondgraph::analysis
