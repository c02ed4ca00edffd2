#pragma once

#include <optional>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/layout_declaration.hpp"

namespace bondgraph::io {

/// `symbol: {size: [60, 20], path: "M-30,0 H-15 …", connectors: {p: [-30, 0]}}` of a type. Paths are those of SVG with
/// the letters M, L, H, V, C, A and Z, in places counted from the middle. Connectors lie on the grid of circuits
/// (model::kSymbolGrid) and on the border, everything else within it. Reports what doesn't (BG-M090) and paths that
/// can't be read (BG-M091); nothing then.
std::optional<model::Symbol> load_symbol(YamlNode&& node, Diagnostics& diagnostics);

/// Gives types that extend others the symbols of these, if they have none of their own. A connector of a symbol that
/// its type hasn't got is reported (BG-M092).
void settle_symbols(model::LayoutDeclaration& layout, const model::Model& model, Diagnostics& diagnostics);

}  // namespace bondgraph::io
