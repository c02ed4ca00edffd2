#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"

namespace bondgraph::io {

/// A YAML document as read: what is where, nothing interpreted. Built from parser events, so every node (keys too)
/// knows its line and column, duplicate keys are seen, and reading is linear in the size of the file.
struct YamlNode {
    enum class Kind : std::uint8_t { null, scalar, sequence, map };

    Kind kind = Kind::null;
    bool quoted = false;  ///< a scalar in quotes: text, never a number
    SourcePosition position;
    std::string scalar;
    std::vector<YamlNode> children;  ///< sequence: the items; map: key, value, key, value, …
    [[nodiscard]] std::size_t size() const { return kind == Kind::map ? children.size() / 2 : children.size(); }
    [[nodiscard]] const YamlNode& key(std::size_t i) const { return children[2 * i]; }
    [[nodiscard]] const YamlNode& value(std::size_t i) const { return children[2 * i + 1]; }
    /// The value of a key of a map, or null when it has no such key (linear in the number of keys).
    [[nodiscard]] const YamlNode* find(std::string_view name) const;
    /// "a number", "a text", "a list", "a map", "nothing": for messages
    [[nodiscard]] std::string kind_text() const;
};

/// Parses one document. Mistakes (broken YAML, duplicate keys, keys that are not plain texts, aliases to nothing,
/// more than one document, nesting deeper than 100 levels) go to `diagnostics`; after broken YAML the tree holds
/// what was read before it. `file` is the file's number in the SourceMap. Columns count characters.
YamlNode parse_yaml(const std::string& text, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace bondgraph::io
