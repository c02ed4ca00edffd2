#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bondgraph/api/reports.hpp"

namespace bondgraph::api {

/// "S1.closed = true, valve.mode = 2"; empty for a model with a single structure.
std::string mode_text(const std::vector<ModeValue>& modes);
/// {"S1.closed": true, "valve.mode": 2}
nlohmann::ordered_json mode_json(const std::vector<ModeValue>& modes);

}  // namespace bondgraph::api
