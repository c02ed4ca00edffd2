#pragma once

#include <string>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

using api::EnergyAccount;
using api::EnergyFlow;
using api::EnergyRow;

/// Tables for people.
std::string audit_text(const std::string& model, const EnergyAccount& account);
/// The same and the flows for programs.
std::string audit_json(const std::string& model, const EnergyAccount& account);

}  // namespace bondgraph::cli
