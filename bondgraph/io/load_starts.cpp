#include "bondgraph/io/load_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kWanted = "the name of a state, or an expression of variables";

/// Nothing where it has no value, which is reported.
std::optional<model::StartDeclaration> read_start(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics) {
    check_name(name, "a start value", diagnostics);
    model::StartDeclaration start;
    std::optional<model::Text> value;
    if (node.kind == Kind::map) {
        const std::size_t errors = diagnostics.error_count();
        read_keys(
            std::move(node), fmt::format("start value {}", quoted_excerpt(name.scalar)),
            {{"value",
              [&](const YamlNode&, YamlNode&& v) { value = read_text(std::move(v), {"value"}, kWanted, diagnostics); }},
             {"unit", [&](const YamlNode&,
                          YamlNode&& v) { start.unit = read_text(std::move(v), {"unit"}, "a unit", diagnostics); }},
             {"doc", [&](const YamlNode&, YamlNode&& v) { start.doc = read_doc(std::move(v), {"doc"}, diagnostics); }}},
            diagnostics);
        if (!value && diagnostics.error_count() == errors)
            diagnostics.error("BG-M084", name.position,
                              fmt::format("start value {} has no 'value:'", quoted_excerpt(name.scalar)),
                              {{"because", "it is another name for something that the type has"},
                               {"try", "value: p/m, or the name of a state of a part, as C1.q"}});
    } else {
        value = read_text(std::move(node), {name.scalar}, kWanted, diagnostics);
    }
    if (!value) return std::nullopt;
    start.value = *std::move(value);
    start.name = text_of(std::move(name));
    return start;
}

}  // namespace

void load_starts(YamlNode&& node, model::TypeDeclaration& type, Diagnostics& diagnostics) {
    if (!is_map(node, {"starts"}, diagnostics, "write 'starts: {v: p/m}'")) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
        auto start = read_start(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), diagnostics);
        if (start) type.starts.push_back(*std::move(start));
    }
}

}  // namespace bondgraph::io
