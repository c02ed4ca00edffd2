#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

/// {"R": 1000, …}: what the names in gains stand for.
nlohmann::ordered_json parameters_json(const std::vector<api::GainParameter>& parameters);
/// "with R = 1000, C1 = 1e-06 (C1.C)": those that occur. Empty where there are none.
std::string parameters_text(const std::vector<api::GainParameter>& parameters);

nlohmann::ordered_json mason_json(const api::Mason& mason);
std::string mason_text(const api::Mason& mason);

}  // namespace bondgraph::cli
