#pragma once

#include "bondgraph/analysis/transfer_function.hpp"

namespace bondgraph::analysis {

/// Angular frequencies in rad/s, ascending: from a decade below the lowest pole or zero to one above the highest of all
/// `functions`, in even steps of the logarithm, and closer around lightly damped ones.
std::vector<double> bode_frequencies(const std::vector<TransferFunction>& functions);

/// H(jω) as a Bode plot shows it.
struct BodePoint {
    double magnitude_db = 0.0;  ///< 20 log10 |H|; −∞ for a channel without transfer
    double phase_deg = 0.0;     ///< continuous over ω but for steps of 180° at undamped poles and zeros
};

/// The phase is a sum over poles and zeros, each of which is continuous: nothing needs to be unwrapped. It begins at
/// −90° per integrator, −180° lower where the sign of the gain is negative.
BodePoint bode_point(const TransferFunction& h, double angular_frequency);

/// Until slow poles have settled (or undamped ones shown some periods), for all `functions`, in s.
double step_duration(const std::vector<TransferFunction>& functions);

/// The answer to a unit step from rest at `count` evenly spaced times from 0 to `duration` seconds, the first just
/// after the step: exact to rounding, by the matrix exponential.
std::vector<double> step_response(const SingleChannel& channel, double duration, std::size_t count);

}  // namespace bondgraph::analysis
