#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

// Texts of models with parts replaced, for tests.

namespace bondgraph::test {

/// A text with pieces replaced (first: old, second: new), each of which has to be there once when its turn comes.
std::string edited(std::string text, const std::vector<std::pair<std::string, std::string>>& edits);

/// The model of a file up to its experiment: without results, plots, and what it expects.
std::string model_of(const std::filesystem::path& file);

/// A text with another component, or several lines, in place of the line that begins with this name, indented by two.
std::string with_part(std::string text, const std::string& name, const std::string& now);

/// A text without the lines of these components.
std::string without(std::string text, const std::vector<std::string>& parts);

}  // namespace bondgraph::test
