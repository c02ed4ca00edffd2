#pragma once

// Models seen as linear ones around a point: matrices, transfer functions, answers, Mason's rule.

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/reports.hpp"

namespace bondgraph::api {

struct LinearizeOptions {
    Values values = {};
    std::optional<double> at = {};         ///< s; none: the start
    std::vector<std::string> inputs = {};  ///< sources and signal blocks; none: all sources whose rate isn't needed
    /// Results; of a vector all components. None: those of the model's `outputs:` but for impulses.
    std::vector<std::string> outputs = {};
    std::optional<Value> stop = {};             ///< of linearize_along: as of RunOptions
    const std::atomic<bool>* cancel = nullptr;  ///< true ends runs on the way to points
    bool or_states = false;  ///< where neither these nor the model names any, the states are the outputs
};

/// dx/dt = A x + B u, y = C x + D u, matrices by rows.
struct LinearModel {
    std::vector<std::string> states;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<double> A, B, C, D;
    std::vector<std::complex<double>> eigenvalues;
    /// Sources that are no inputs: the model depends on their derivatives, as a storage follows them rigidly.
    std::vector<std::string> left_out = {};
    std::vector<std::string> output_units = {};  ///< SI, parallel to outputs; empty where unknown
    double time = 0.0;                           ///< s, of the point
};

/// A root of a polynomial and how often it is one; 1/s.
struct Root {
    std::complex<double> value;
    std::size_t multiplicity = 1;
};

/// H(s) = gain · Π(s − zeros) / Π(s − poles) from an input to an output, minimal: what cancels is left out.
struct Transfer {
    std::string input;
    std::string output;
    std::string output_unit;  ///< SI; empty where unknown
    std::vector<Root> zeros;
    std::vector<Root> poles;
    double gain = 0.0;                  ///< 0: the input does not act on the output
    std::optional<double> static_gain;  ///< H(0); nothing where a pole at 0 makes it infinite
    double high_frequency_gain = 0.0;   ///< H(∞)
    /// Highest power first, the denominator's first coefficient 1; empty beyond twelve powers of s.
    std::vector<double> numerator, denominator;
    std::vector<Root> cancelled;  ///< poles of the model's that this channel does not show
    /// Largest relative difference from the matrices at some frequencies: beyond 1e-6 the roots are not to be trusted.
    double disagreement = 0.0;
};

/// A larger disagreement has to be told: what is shown can't stand for the matrices.
inline constexpr double kTrustedDisagreement = 1e-6;

/// From every input to every output, by inputs first.
std::vector<Transfer> transfer_functions(const LinearModel& linear);

/// What several linear models (of several times) answer, channel by channel: of each input and output first that of the
/// first model, then those of the others. Labels name the time where there are several.
struct Responses {
    struct Channel {
        std::string input;
        std::string output;
        std::string output_unit;
        bool dead = false;  ///< the input does not act on the output
    };
    std::vector<Channel> channels;
    std::vector<double> abscissa;  ///< rad/s, or s
    /// Parallel to channels, each parallel to abscissa. Of steps: the answer to a unit step from rest. Of frequencies:
    /// 20 log10 |H(jω)|, dB.
    std::vector<std::vector<double>> values;
    std::vector<std::vector<double>> phases;  ///< of frequencies, degrees; no numbers for dead channels
};
/// At frequencies that show all poles and zeros.
Responses frequency_responses(std::span<const LinearModel> models);
/// Until all has settled, from just after the step.
Responses step_responses(std::span<const LinearModel> models);

/// A way from an input to an output that meets no node twice.
struct ForwardPath {
    std::vector<std::string> nodes;
    std::string gain;
    std::string cofactor;         ///< the determinant without the loops that touch the path
    bool touched_by_all = false;  ///< every loop touches it: the cofactor is 1
};

/// Mason's rule for one input and one output, in the model's parameters: H = Σ gain · cofactor / determinant.
struct MasonChannel {
    std::string input;
    std::string output;
    std::vector<ForwardPath> paths;
    std::vector<CausalLoop> loops;
    /// Sets of loops no two of which share a node, of two loops and more, by size: indices into loops, ascending.
    std::vector<std::vector<std::uint32_t>> non_touching;
    std::string determinant;
    std::string numerator;  ///< of H; without loops it is all of H
    std::string denominator;
    std::string transfer;  ///< both
    /// The same with the parameters' values: coefficients of s, highest power first, the denominator's first one 1; no
    /// numerator where H is 0, and no denominator where it vanishes with these values.
    std::vector<double> numerator_values, denominator_values;
    /// Largest relative difference from the matrices at some frequencies, beyond rounding. Nothing where the formula
    /// reads 0/0 with the model's values.
    std::optional<double> disagreement;
    std::vector<GainParameter> parameters;  ///< that gains are made of; those that occur here are marked
};

/// Why an output or a channel is not among those of a Mason.
struct MasonGap {
    std::string because;
    bool large = false;  ///< there are more loops or paths than a reader follows; else it has no gains
};

struct Mason {
    std::vector<MasonChannel> channels;     ///< by inputs first
    std::vector<GainParameter> parameters;  ///< that gains are made of
    std::vector<MasonGap> left_out = {};
};

}  // namespace bondgraph::api
