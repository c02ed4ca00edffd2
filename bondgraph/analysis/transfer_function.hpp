#pragma once

#include <complex>
#include <optional>

#include "bondgraph/analysis/roots.hpp"
#include "bondgraph/analysis/rounded_value.hpp"

namespace bondgraph::analysis {

/// H(s) = gain · Π(s − zeros) / Π(s − poles), minimal: poles and zeros that agree to kSameRoot have been cancelled.
/// Roots are listed as often as they occur, by real part, then imaginary part.
struct TransferFunction {
    Roots zeros;
    Roots poles;
    double gain = 0.0;          ///< 0: the input does not act on the output
    Roots cancelled;            ///< poles of the model's that this channel does not show
    double disagreement = 0.0;  ///< largest relative difference from c (sI − A)⁻¹ b + d at some frequencies
};

/// A larger disagreement has to be told: the roots are too ill-conditioned to stand for the matrices.
inline constexpr double kTrusted = 1e-6;

/// `eigenvalues`: those of the channel's A, where they are known.
TransferFunction transfer_function(const SingleChannel& channel, const Roots* eigenvalues = nullptr);

/// H at a complex frequency, from poles and zeros.
std::complex<double> value_at(const TransferFunction& h, std::complex<double> s);
/// The same from the matrices.
std::complex<double> value_at(const SingleChannel& channel, std::complex<double> s);
RoundedValue rounded_value_at(const SingleChannel& channel, std::complex<double> s);

/// H(0), the gain at rest; nothing where a pole at 0 makes it infinite.
std::optional<double> static_gain(const TransferFunction& h);
/// H(∞): the part of a step that the output follows at once.
double high_frequency_gain(const TransferFunction& h);

/// Polynomials of more degrees say little: their coefficients span too many powers of ten.
inline constexpr std::size_t kMostDegrees = 12;

/// Numerator and denominator, highest power first, the denominator's first coefficient 1. Nothing beyond kMostDegrees.
struct Ratio {
    std::vector<double> numerator;
    std::vector<double> denominator;
};
std::optional<Ratio> as_polynomials(const TransferFunction& h);

}  // namespace bondgraph::analysis
