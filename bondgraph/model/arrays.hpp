#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// More components than this of one array, or parts than this in a number, are a mistake.
inline constexpr double kMostParts = 500'000;
inline constexpr double kMostPartsInAll = 1'000'000;  ///< of all arrays together: some gigabytes
/// A number this near to a whole one is it: 0.3/0.1, a length in sections, is none exactly.
inline constexpr double kRounded = 1e-9;

/// The number that a text is, which has to be known before there are any components: `what` says what it decides
/// ("how many 'cell' there are"). BG-M074 where it depends on more than parameters.
std::optional<double> known_number(Flattening& work, std::uint32_t scope, const Text& text, const std::string& what);

/// Writes out the components of a scope: `cell[n]: {…}` becomes cell[1] … cell[n], in whose texts i (and j) is the
/// number; what has an `if:` that is false is left out. The scope gets a body of its own, unless nothing in it is
/// repeated or conditional. Sizes and conditions are evaluated here: they may use parameters and inputs.
/// BG-M074 where one of them is no known number.
void write_out_components(Flattening& work, std::uint32_t scope);

/// What the bonds and `connect:` entries of a scope join, by the names they use, with indices worked out and without
/// what is left out: "r[2].heat". Asked before its components are instances; of arrays inside these nothing is known
/// then.
/// What signals lead to is among them by driven_name().
const std::unordered_set<std::string>& connected_names(Flattening& work, std::uint32_t scope);
std::string driven_name(const std::string& target);

/// Writes out the bonds, signals and `connect:` entries of such a scope, once its components are instances: an entry
/// with i (or j) stands for all i for which all of its parts are there; entries lose what an `if:` has left out.
/// BG-M075 where an index is no whole number, or an entry joins nothing.
void write_out_connections(Flattening& work, std::uint32_t scope);

}  // namespace bondgraph::model
