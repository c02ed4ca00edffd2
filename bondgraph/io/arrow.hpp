#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

struct ArrowEnds {
    model::Text from;
    model::Text to;
};

/// What the arrow joins: two ports, or the value of an expression to an input.
enum class ArrowKind { bond, signal };

/// The two ends of "a -> b" ("a → b"), each with its own place in the file. Anything but two ends and one arrow
/// between them is reported (BG-M033).
std::optional<ArrowEnds> split_arrow(const model::Text& text, ArrowKind kind, Diagnostics& diagnostics);

/// The members of "a.p -- b.n -- c.n", each with its own place. A text without "--", or with nothing on one side of it,
/// is reported (BG-M033) and gives fewer than two.
std::vector<model::Text> split_joined(const model::Text& text, Diagnostics& diagnostics);

/// Whether a text has an arrow in it.
bool has_arrow(std::string_view text);

/// "write one bond per line: 'a -> b'"
std::string arrow_advice(ArrowKind kind);

}  // namespace bondgraph::io
