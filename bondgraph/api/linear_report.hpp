#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/text_table.hpp"

namespace bondgraph::api {

/// A list of rows.
nlohmann::ordered_json matrix_json(const std::vector<double>& by_rows, std::size_t rows, std::size_t columns);
/// Keys states, inputs, outputs, A, B, C, D, eigenvalues (re, im, frequency_hz, damping; damping null at the origin).
nlohmann::ordered_json linear_json(const LinearModel& linear);

/// A table with names at rows and columns; empty for a matrix without entries. Too wide a one is only mentioned.
std::string matrix_text(const char* name, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                        const std::function<std::string(std::size_t row, std::size_t column)>& entry);
/// A, B, C and D with the names of states, inputs and outputs at their rows and columns.
std::string state_space_text(const LinearModel& linear);
/// All matrices and the eigenvalues. Of a large model only how many they are, and that `file` has them or how to get
/// one.
std::string linear_text(const LinearModel& linear, const std::string& file, const Heading& heading);

}  // namespace bondgraph::api
