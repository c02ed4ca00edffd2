#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bondgraph/api/runs.hpp"

namespace bondgraph::api {

/// The colour of a domain's bands in a diagram of energies, "#RRGGBB".
std::string band_colour(const std::string& domain);

/// What the page shows of the energy of a run: its account, the diagram of it, and how the account came about; null
/// where there is none.
nlohmann::ordered_json energy_json(const Run& run, const std::string& model);

}  // namespace bondgraph::api
