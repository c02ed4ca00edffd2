#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

// Reading a YAML tree by form: a value of the wrong kind is reported (BG-M037) and gives nothing. The functions take
// the nodes' texts with them.

/// What a message calls a value: that of a key, or an item of that key's list.
struct Place {
    std::string_view key;
    bool item = false;
    [[nodiscard]] std::string text() const;
};

/// "'bonds' takes a list, not a map"; where there is nothing at all, "'bonds' has no value".
void report_kind(const YamlNode& node, Place place, std::string_view wanted, Diagnostics& diagnostics,
                 std::vector<DiagnosticNote> notes = {});

model::Text text_of(YamlNode&& scalar);
std::optional<model::Text> read_text(YamlNode&& node, Place place, std::string_view wanted, Diagnostics& diagnostics);
/// A `doc:` or title; empty when it is missing or wrong.
std::string read_doc(YamlNode&& node, Place place, Diagnostics& diagnostics);
/// `true` or `false`; false when it is neither, which is reported.
bool read_flag(YamlNode&& node, std::string_view key, Diagnostics& diagnostics);
/// A text, or a list of values at most two deep.
std::optional<model::Value> read_value(YamlNode&& node, Place place, Diagnostics& diagnostics);
/// One text or a list of texts.
std::vector<model::Text> read_texts(YamlNode&& node, std::string_view key, std::string_view wanted,
                                    Diagnostics& diagnostics);
/// A map of values.
std::vector<model::Setting> read_settings(YamlNode&& node, std::string_view key, Diagnostics& diagnostics);

/// Whether there are entries to read: nothing at all stands for an empty map or list, other kinds are reported.
bool is_map(const YamlNode& node, Place place, Diagnostics& diagnostics, std::string_view advice = {});
bool is_list(const YamlNode& node, Place place, Diagnostics& diagnostics, std::string_view advice = {});

/// Reports (BG-M017) what can't be named in an expression or a bond: anything but an identifier, and reserved words.
/// `what` says whose name it is: "a component". Whether it is a name.
bool check_name(const model::Text& name, std::string_view what, Diagnostics& diagnostics);
bool check_name(const YamlNode& name, std::string_view what, Diagnostics& diagnostics);

/// A key of a map and what reads its value.
struct KeyReader {
    std::string_view name;
    std::function<void(const YamlNode& key, YamlNode&& value)> read;
    bool offered = true;  ///< suggested in place of an unknown key
};

/// Gives each value of a map to its reader. An unknown key is reported (BG-M036); `where` says in what: "the model".
/// Returns the known keys that unknown ones may have been meant for: the nearest, or when none is near all that the map
/// lacks.
std::vector<std::string_view> read_keys(YamlNode&& map, std::string_view where, const std::vector<KeyReader>& readers,
                                        Diagnostics& diagnostics);

/// Whether a key of the map that none reads is likely meant for `name`: then `name` is not to be reported as missing.
bool has_misspelt(const YamlNode& map, std::string_view name, const std::vector<KeyReader>& readers);

}  // namespace bondgraph::io
