#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"

namespace bondgraph::io {

// A file of the library of parts has many types, and a model uses a few of them. Which these are is seen in the texts,
// so that the others need not be parsed: their lines are left empty, which keeps positions.

/// The lines of one type under `types:`, from its name to before the next.
struct TypeLines {
    std::string name;
    SourcePosition position;
    std::size_t first = 0;  ///< offsets in the text
    std::size_t last = 0;
};

/// The types of a file whose `types:` stands alone on a line, each with its name alone on a line and two blanks before
/// it; empty where it doesn't.
std::vector<TypeLines> find_types(std::string_view text, std::uint32_t file);

/// The text with nothing under `types:`, not even the key.
std::string without_types(std::string_view text, const std::vector<TypeLines>& types);
/// `types:` and those that are wanted, and nothing else.
std::string types_alone(std::string_view text, const std::vector<TypeLines>& types, const std::vector<bool>& wanted);

/// Adds all words that a text has.
void add_words(std::string_view text, std::unordered_set<std::string_view>& words);

/// A file of the library of parts whose types wait until all other files are known.
struct PartFile {
    std::size_t number = 0;
    std::uint32_t source = 0;
    std::vector<TypeLines> types;
    std::vector<bool> wanted = {};
};

/// Finds which types the files that have been read, or types that these need, have a word for; with `all`, every one.
void find_wanted_types(std::vector<PartFile>& parts, const SourceMap& sources, bool all);

}  // namespace bondgraph::io
