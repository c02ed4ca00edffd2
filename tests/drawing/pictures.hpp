// Model texts and files taken to pictures.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/picture.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::drawing {

inline Picture picture_of(test::Pipeline& pipeline, const PictureOptions& options = {}) {
    return picture_of(causality::assign_as_far_as_possible(pipeline.graph()), pipeline.model(), options);
}

inline Picture picture_of_text(std::string_view text, const PictureOptions& options = {}) {
    test::Pipeline pipeline(text);
    return picture_of(pipeline, options);
}

inline Picture picture_of_model(const model::Model& model, const PictureOptions& options = {}) {
    test::Pipeline pipeline(model);
    return picture_of(pipeline, options);
}

inline Picture picture_of_file(std::string_view file, const PictureOptions& options = {}) {
    return picture_of_model(test::load_file(test::model_path(file)), options);
}

// The number of the node with that name. Throws when there is none.
inline std::uint32_t node_named(const Picture& picture, std::string_view name) {
    for (std::uint32_t i = 0; i < picture.nodes.size(); ++i) {
        if (picture.nodes[i].name == name) return i;
    }
    throw std::invalid_argument("no node " + std::string(name));
}

// Where the nodes with these names stand along the rows.
inline std::vector<double> abscissae(const Picture& picture, const Layout& layout,
                                     const std::vector<std::string>& names) {
    std::vector<double> x;
    for (const std::string& name : names) x.push_back(layout.nodes[node_named(picture, name)].centre.x);
    return x;
}

// Every line as "from -> to", in the order of the picture.
inline std::vector<std::string> lines_of(const Picture& picture, EdgeKind kind) {
    std::vector<std::string> lines;
    for (const Edge& e : picture.edges) {
        if (e.kind == kind) lines.push_back(picture.nodes[e.from].name + " -> " + picture.nodes[e.to].name);
    }
    return lines;
}

inline const Edge& line_between(const Picture& picture, std::string_view from, std::string_view to) {
    const std::uint32_t a = node_named(picture, from);
    const std::uint32_t b = node_named(picture, to);
    const auto found = std::find_if(picture.edges.begin(), picture.edges.end(),
                                    [&](const Edge& e) { return e.from == a && e.to == b; });
    if (found == picture.edges.end()) throw std::invalid_argument("no line there");
    return *found;
}

}  // namespace bondgraph::drawing
