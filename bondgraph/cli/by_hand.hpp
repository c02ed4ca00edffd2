#pragma once

#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

/// What was typed after an option that takes "NAME=…": each text, or the lines of a file where it has no "=". Empty
/// lines, and what stands behind a "#", are no matter. Throws UsageError where a file can't be read, or a line has no
/// "=".
std::vector<std::string> entries_of(const std::vector<std::string>& typed);

/// "shaft=drum" as a stroke at the end of bond 'shaft' at 'drum'.
std::vector<api::PlacedStroke> placed_strokes(const std::vector<std::string>& typed);

/// Judges strokes and shows what was found; the exit status of the command.
int judge_strokes(const api::Model& model, const std::vector<std::string>& placed, bool json);

/// The same of derivatives of states, in the causality that strokes leave.
int judge_equations(const api::Model& model, const std::vector<std::string>& derived,
                    const std::vector<std::string>& placed, bool json);

}  // namespace bondgraph::cli
