#pragma once

#include <optional>
#include <string>
#include <utility>

#include "bondgraph/model/connection_sets.hpp"

namespace bondgraph::model {

// Signals of connectors whose kind the file declares: one of the components that are joined gives each of them, all
// others may read it.

/// The connector and the number of its signal that a name is for in an instance: "bus.speed". Nothing where there is no
/// such connector; a number that the kind hasn't got where there is no such signal.
std::optional<std::pair<std::uint32_t, std::size_t>> handed_signal(const Flattening& work, std::uint32_t scope,
                                                                   const std::string& name);

/// Finds out who gives each signal of every set. BG-M086 where two do.
void join_handed_signals(Flattening& work, const ConnectionSets& sets);

/// The instance, and the name of the value there, that a connector's signal is. Nothing where nobody gives it, which is
/// reported (BG-M086) the first time, or where that is not known.
std::optional<std::pair<std::uint32_t, std::string>> giver_of(Flattening& work, std::uint32_t place,
                                                              std::size_t signal);

/// Puts what connectors hand on, and outputs of types that their parts determine, among the results. BG-U002 where one
/// is not in the unit that is declared.
void evaluate_handed_signals(Flattening& work);

}  // namespace bondgraph::model
