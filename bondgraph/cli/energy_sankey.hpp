#pragma once

#include <string>

#include "bondgraph/cli/energy_report.hpp"
#include "bondgraph/io/sankey.hpp"

namespace bondgraph::cli {

/// "117.6 J", "59.47 mJ", "3.2 MJ": four digits.
std::string energy_text(double joule);

/// The account as a diagram. Net energies decide the directions; a component that is more than the end of one band has
/// bands of its own for what it supplied, stored, released or lost. What is less than a thousandth of the largest band
/// is left out and said so.
io::Sankey energy_sankey(const std::string& model, const EnergyAccount& account);

}  // namespace bondgraph::cli
