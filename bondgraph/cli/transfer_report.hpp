#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

/// A list of: input, output, poles, zeros (re, im, multiplicity), gain, static_gain (null: infinite),
/// high_frequency_gain, numerator, denominator (null beyond twelve powers of s), cancelled, disagreement.
nlohmann::ordered_json transfers_json(const std::vector<api::Transfer>& transfers);
std::string transfers_text(const std::vector<api::Transfer>& transfers);

/// "s^2 + 3 s + 2" from coefficients, highest power first.
std::string polynomial_text(const std::vector<double>& coefficients);

}  // namespace bondgraph::cli
