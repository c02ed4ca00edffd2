#include "bondgraph/io/load_shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;

constexpr const char* kShapeExample = "{shape: box, frame: frame_a, length: 0.5 m, width: 4 cm}";

bool has_value(const model::ShapeDeclaration& shape, std::string_view key) {
    return std::ranges::any_of(shape.values, [&](const model::Setting& s) { return s.key.text == key; });
}

/// What has to be there, and what goes together. Whether it does; reported otherwise.
bool check_shape(const model::ShapeDeclaration& shape, Diagnostics& diagnostics) {
    const auto refuse = [&](SourcePosition position, const std::string& message, const std::string& advice) {
        diagnostics.error("BG-M085", position, message, {{"try", advice}});
        return false;
    };
    if (shape.kind.text.empty()) return refuse(shape.position, "a shape has no 'shape:'", kShapeExample);
    if (std::ranges::find(kShapeKinds, shape.kind.text) == kShapeKinds.end()) {
        const std::vector<std::string> kinds(kShapeKinds.begin(), kShapeKinds.end());
        return refuse(
            shape.kind.position,
            fmt::format("unknown shape {}{}", quoted_excerpt(shape.kind.text), did_you_mean(shape.kind.text, kinds)),
            fmt::format("one of {}", fmt::join(kShapeKinds, ", ")));
    }
    if (!shape.frame) return refuse(shape.position, "a shape has no 'frame:' that it moves with", kShapeExample);
    if (shape.to && (has_value(shape, "length") || has_value(shape, "lengthDirection")))
        return refuse(shape.to->position, "a shape that ends at a frame has the length and direction between the two",
                      "leave out 'to:', or 'length:' and 'lengthDirection:'");
    if (!shape.to && !has_value(shape, "length"))
        return refuse(shape.position, fmt::format("the {} has no 'length:'", shape.kind.text),
                      "'length: 0.1 m', or 'to:' and the frame at which it ends");
    return true;
}

void read_shape(YamlNode&& node, model::TypeDeclaration& type, Diagnostics& diagnostics) {
    if (node.kind != Kind::map) {
        report_kind(node, {"shapes", true}, fmt::format("a map such as {}", kShapeExample), diagnostics);
        return;
    }
    model::ShapeDeclaration shape;
    shape.position = node.position;
    const std::size_t errors = diagnostics.error_count();
    std::vector<KeyReader> readers{
        {"shape",
         [&](const YamlNode&, YamlNode&& v) {
             if (auto text = read_text(std::move(v), {"shape"}, "the kind of a shape", diagnostics))
                 shape.kind = *std::move(text);
         }},
        {"frame",
         [&](const YamlNode&, YamlNode&& v) {
             shape.frame = read_text(std::move(v), {"frame"}, "the name of a frame", diagnostics);
         }},
        {"to", [&](const YamlNode&,
                   YamlNode&& v) { shape.to = read_text(std::move(v), {"to"}, "the name of a frame", diagnostics); }},
        {"doc", [&](const YamlNode&, YamlNode&& v) { read_doc(std::move(v), {"doc"}, diagnostics); }}};
    for (const std::string_view key : kShapeValues) {
        readers.push_back({key, [&](const YamlNode& name, YamlNode&& v) {
                               model::Text text{name.scalar, name.position};
                               if (auto value = read_value(std::move(v), {name.scalar}, diagnostics))
                                   shape.values.push_back({std::move(text), *std::move(value)});
                           }});
    }
    read_keys(std::move(node), "a shape", readers, diagnostics);
    if (diagnostics.error_count() == errors && check_shape(shape, diagnostics)) type.shapes.push_back(std::move(shape));
}

}  // namespace

void load_shapes(YamlNode&& node, model::TypeDeclaration& type, Diagnostics& diagnostics) {
    if (!is_list(node, {"shapes"}, diagnostics, "begin each shape with '- '")) return;
    for (YamlNode& child : node.children) read_shape(std::move(child), type, diagnostics);
}

}  // namespace bondgraph::io
