#pragma once

#include <string>

#include "bondgraph/cli/pages/outline.hpp"

namespace bondgraph::cli {

// What each shell reads to complete command lines of the program: commands, options, files by the endings that an
// argument takes, and words where all are known.

/// For bash with the functions of bash-completion.
std::string bash_completion(const Outline& outline);
/// A function that zsh finds by the name of its file.
std::string zsh_completion(const Outline& outline);
std::string fish_completion(const Outline& outline);

}  // namespace bondgraph::cli
