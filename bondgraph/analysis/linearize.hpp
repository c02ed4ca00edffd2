#pragma once

#include <Eigen/Core>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::analysis {

/// dx/dt = A x + B u, y = C x + D u around a point. Inputs are the sources' values, and signals where asked for.
struct LinearModel {
    std::vector<std::string> states;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<std::string> left_out;  ///< inputs not asked for by name whose derivative would be needed
    Eigen::MatrixXd A, B, C, D;
    std::vector<std::complex<double>> eigenvalues;  ///< ascending by real part, then imaginary part
    std::vector<double> values;                     ///< of the outputs at the point
    std::vector<double> rates;                      ///< of the unknowns that are states there, in SI units per second
    std::vector<double> start;                      ///< these unknowns there
};

/// Something to linearize, as an expression of time, unknowns, their rates and perturbations.
struct Output {
    std::string name;
    expression::Expr value;
};

/// Linearizes at a point that a run has reached, in the mode and with the states the run has there, exactly (automatic
/// differentiation). The model that was run has to be one with perturbed sources. Empty `inputs`: all sources but those
/// in `left_out`; empty `outputs`: none beyond the states. Names of inputs are sources ("Se1" or "Se1.e") or signal
/// blocks ("step" or "step.y": something added to what the block gives), names of outputs result names. Throws
/// std::invalid_argument for a name that is neither, ModelError BG-L001 where an output or rate depends on the
/// derivative of a chosen input (no proper state-space form), BG-L002 where the model has delays.
LinearModel linearize(const simulation::Point& point, const std::vector<std::string>& inputs = {},
                      const std::vector<std::string>& outputs = {});
/// The same with outputs that need not be results.
LinearModel linearize_values(const simulation::Point& point, const std::vector<std::string>& inputs,
                             std::span<const Output> outputs);

}  // namespace bondgraph::analysis
