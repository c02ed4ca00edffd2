#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bondgraph/base/diagnostic.hpp"

namespace bondgraph::io {

/// Where reading stood when the YAML parser gave up. Offsets are bytes of `text`, which has no byte-order mark.
struct YamlProgress {
    std::string_view text;
    std::uint32_t file = 0;
    std::size_t last_node = 0;                       ///< start of the last node that was read completely or opened
    std::optional<std::size_t> last_quoted;          ///< start of that node when it is a text in quotes
    std::optional<std::size_t> innermost_bracket{};  ///< the innermost '[' or '{' still open
};

SourcePosition position_at(std::string_view text, std::uint32_t file, std::size_t offset);

/// The parser's complaint in the words of someone writing a model: what is wrong, where, and what to do about it.
Diagnostic explain_yaml_error(const YamlProgress& progress, std::string_view complaint, std::size_t offset);

/// What makes a text unfit for any YAML parser: bytes that are not UTF-8, control characters, a line that begins with
/// '%' (a parser would take it for a directive and drop it in silence).
std::optional<Diagnostic> unreadable_text(std::string_view text, std::uint32_t file);

/// The tab in the blanks before `offset` on its line, when nothing but blanks precedes it.
std::optional<std::size_t> tab_in_indentation(std::string_view text, std::size_t offset);
Diagnostic tab_diagnostic(std::string_view text, std::uint32_t file, std::size_t tab);

/// Where a ':' is followed by neither a blank nor the end: "R:10" is one text to YAML, not a key and a value.
std::optional<std::size_t> colon_without_space(std::string_view scalar);
Diagnostic colon_diagnostic(std::string_view scalar, SourcePosition position);

/// At most 40 characters of a text, in quotes, for a message.
std::string quoted_excerpt(std::string_view text);

}  // namespace bondgraph::io
