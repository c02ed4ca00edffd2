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

const model::Setting* value_of_shape(const model::ShapeDeclaration& shape, std::string_view key) {
    const auto found = std::ranges::find_if(shape.values, [&](const model::Setting& s) { return s.key.text == key; });
    return found == shape.values.end() ? nullptr : &*found;
}

/// What has to be there, and what goes together.
class ShapeCheck {
   public:
    ShapeCheck(const model::ShapeDeclaration& shape, Diagnostics& diagnostics)
        : shape_(shape), diagnostics_(diagnostics) {}

    /// Whether it does; reported otherwise.
    bool run() {
        if (shape_.file ? !fits_file() : !fits_kind()) return false;
        if (!shape_.frame) return refuse(shape_.position, "a shape has no 'frame:' that it moves with", kShapeExample);
        return shape_.file || ends_once();
    }

   private:
    /// The file says what form it has and how large it is.
    bool fits_file() {
        if (!shape_.kind.text.empty())
            return refuse(shape_.kind.position, "a shape is either one of a kind or that of a file",
                          "leave out 'shape:', or 'file:'");
        if (shape_.to) return refuse(shape_.to->position, "a shape of a file has an end of its own", "leave out 'to:'");
        for (const std::string_view key : {"length", "width", "height"}) {
            if (const model::Setting* size = value_of_shape(shape_, key); size != nullptr)
                return refuse(size->key.position, fmt::format("a shape of a file has no '{}:'", key),
                              "'scale: 1 mm', which is what 1 in the file stands for");
        }
        return true;
    }

    bool fits_kind() {
        const model::Text& kind = shape_.kind;
        if (kind.text.empty()) return refuse(shape_.position, "a shape has no 'shape:'", kShapeExample);
        if (std::ranges::find(kShapeKinds, kind.text) == kShapeKinds.end()) {
            const std::vector<std::string> kinds(kShapeKinds.begin(), kShapeKinds.end());
            return refuse(kind.position,
                          fmt::format("unknown shape {}{}", quoted_excerpt(kind.text), did_you_mean(kind.text, kinds)),
                          fmt::format("one of {}; or in place of 'shape:' the 'file:' that has it",
                                      fmt::join(kShapeKinds, ", ")));
        }
        if (const model::Setting* scale = value_of_shape(shape_, "scale"); scale != nullptr)
            return refuse(scale->key.position, "'scale:' is what 1 in a file stands for, and there is no 'file:'",
                          kShapeExample);
        return true;
    }

    bool ends_once() {
        const bool has_length = value_of_shape(shape_, "length") != nullptr;
        if (shape_.to && (has_length || value_of_shape(shape_, "lengthDirection") != nullptr))
            return refuse(shape_.to->position,
                          "a shape that ends at a frame has the length and direction between the two",
                          "leave out 'to:', or 'length:' and 'lengthDirection:'");
        if (!shape_.to && !has_length)
            return refuse(shape_.position, fmt::format("the {} has no 'length:'", shape_.kind.text),
                          "'length: 0.1 m', or 'to:' and the frame at which it ends");
        return true;
    }

    bool refuse(SourcePosition position, const std::string& message, const std::string& advice) {
        diagnostics_.error("BG-M085", position, message, {{"try", advice}});
        return false;
    }

    const model::ShapeDeclaration& shape_;
    Diagnostics& diagnostics_;
};

void read_shape(YamlNode&& node, std::vector<model::ShapeDeclaration>& shapes, Diagnostics& diagnostics) {
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
        {"file",
         [&](const YamlNode&, YamlNode&& v) {
             shape.file = read_text(std::move(v), {"file"}, "the name of a file", diagnostics);
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
    if (diagnostics.error_count() > errors || !ShapeCheck(shape, diagnostics).run()) return;
    if (shape.file) shape.kind.text = kMeshShape;
    shapes.push_back(std::move(shape));
}

}  // namespace

std::vector<model::ShapeDeclaration> load_shapes(YamlNode&& node, Diagnostics& diagnostics) {
    std::vector<model::ShapeDeclaration> shapes;
    if (!is_list(node, {"shapes"}, diagnostics, "begin each shape with '- '")) return shapes;
    for (YamlNode& child : node.children) read_shape(std::move(child), shapes, diagnostics);
    return shapes;
}

}  // namespace bondgraph::io
