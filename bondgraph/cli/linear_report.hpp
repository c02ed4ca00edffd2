#pragma once

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bondgraph/analysis/linearize.hpp"

namespace bondgraph::cli {

/// A list of rows.
nlohmann::ordered_json matrix_json(const Eigen::MatrixXd& matrix);
/// Keys states, inputs, outputs, A, B, C, D, eigenvalues (re, im, frequency_hz, damping; damping null at the origin).
nlohmann::ordered_json linear_json(const analysis::LinearModel& linear);

/// A, B, C and D with the names of states, inputs and outputs at their rows and columns.
std::string state_space_text(const analysis::LinearModel& linear);
/// All matrices and the eigenvalues.
std::string linear_text(const analysis::LinearModel& linear);

}  // namespace bondgraph::cli
