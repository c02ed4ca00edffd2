#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::parts {

/// A line "KIND PATTERN: REASON" of exceptions.txt. In a pattern "*" stands for any letters.
struct Exception {
    std::string kind;     ///< "keep", "drives" or "survives"
    std::string pattern;  ///< of "Type.parameter"; of the others of "Type/name"
    std::string reason;
    int uses = 0;
};

/// Throws std::runtime_error where the file can't be read, or a line has no reason.
std::vector<Exception> read_exceptions(const std::string& file);

/// The exception of this kind that names it, counted as used; nothing where there is none.
Exception* find_exception(std::vector<Exception>& all, std::string_view kind, std::string_view name);

}  // namespace bondgraph::parts
