#pragma once

#include <span>

#include "bondgraph/io/yaml_tree.hpp"

namespace bondgraph::io {

/// Inside { } a ',' ends the value before it: "0,5 ohm" becomes "0" and a key "5 ohm" without a value, and a remark is
/// cut at its first comma. Such pieces are reported (BG-Y009) and put back where they belong, so that nothing else is
/// said of them; their keys become null. `lone` holds the indices of the keys of `map` behind which no ':' stands.
/// Whether there were any.
bool rejoin_cut_texts(YamlNode& map, std::span<const std::size_t> lone, Diagnostics& diagnostics);

}  // namespace bondgraph::io
