#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/layout_declaration.hpp"

namespace bondgraph::io {

/// `at:`, `turn:` or `mirror:` of a component as it was read. What it means is known when all types are.
struct PlaceKey {
    static constexpr std::size_t kOfModel = std::numeric_limits<std::size_t>::max();
    std::size_t type = kOfModel;  ///< the type whose part the component is, by its number
    std::size_t component = 0;    ///< its number in that body
    YamlNode key;
    YamlNode value;
};

/// Where a component's own type has a parameter or an input of that name, the key gives its value, as any other.
/// Otherwise it is a place in drawings: `at: [x, y]`, two numbers without units, `turn: 90`, a multiple of 90
/// degrees, or `mirror: true`; only the model's own components have one. Anything else is reported (BG-M071).
void settle_place_keys(std::vector<PlaceKey>&& keys, model::Model& model, model::LayoutDeclaration& layout,
                       Diagnostics& diagnostics);

/// `layout: {rows: [[a, b], [c]], rings: [[d, e, f]]}`.
void load_layout(YamlNode&& node, model::LayoutDeclaration& layout, Diagnostics& diagnostics);

/// Names that are no components of the model, components placed twice, and two in the same place (BG-M072).
void check_layout(const model::LayoutDeclaration& layout, const model::Body& body, Diagnostics& diagnostics);

}  // namespace bondgraph::io
