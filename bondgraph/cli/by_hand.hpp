#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::cli {

/// What was typed after an option that takes "NAME=…", or a line of a file of these.
struct Entry {
    std::string text;
    std::string file = {};  ///< of a line
    int line = 0;

    [[nodiscard]] bool has_sign() const { return text.find('=') != std::string::npos; }
};

/// Each text, or the lines of a file where it has no "=", which may have none either. Empty lines, and what stands
/// behind a "#", are no matter. Throws UsageError where a file can't be read.
std::vector<Entry> entries_of(const std::vector<std::string>& typed);

/// "shaft=drum" as a stroke at the end of bond 'shaft' at 'drum'. Throws UsageError where a file can't be read, or a
/// line has no "=".
std::vector<api::PlacedStroke> placed_strokes(const std::vector<std::string>& typed);

/// How much of something somebody has found by hand.
struct FoundByHand {
    std::size_t right = 0;
    std::size_t of = 0;
    std::size_t wrong = 0;
    std::string remark;  ///< the first thing that is wrong and what else is to be told, or why it can't be judged
};

/// Of the strokes of a model those that a file has; `placed` gets those in it that are right or possible.
FoundByHand strokes_in(const api::Model& model, const std::string& file, std::vector<api::PlacedStroke>& placed);
/// Of the derivatives of its states, in the causality that strokes leave.
FoundByHand equations_in(const api::Model& model, const std::string& file,
                         const std::vector<api::PlacedStroke>& placed);

/// Judges strokes and shows what was found; the exit status of the command.
int judge_strokes(const api::Model& model, const std::vector<std::string>& placed, bool json);

/// The same of derivatives of states, in the causality that strokes leave.
int judge_equations(const api::Model& model, const std::vector<std::string>& derived,
                    const std::vector<std::string>& placed, bool json);

}  // namespace bondgraph::cli
