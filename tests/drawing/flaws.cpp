#include "tests/drawing/flaws.hpp"

#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

// What is painted of a node: a junction is a digit without a box around it.
Box painted(const Node& node, const Box& box) {
    constexpr double kDigitWidth = 10.0;
    constexpr double kDigitHeight = 13.0;
    return node.kind == NodeKind::junction ? Box{box.centre, kDigitWidth, kDigitHeight} : box;
}

void lines_through_boxes(const Picture& picture, const Layout& layout, std::vector<std::string>& flaws) {
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        const Edge& edge = picture.edges[e];
        for (std::size_t n = 0; n < picture.nodes.size(); ++n) {
            if (n == edge.from || n == edge.to) continue;
            if (crosses(painted(picture.nodes[n], layout.nodes[n]), layout.routes[e]))
                flaws.push_back(picture.nodes[edge.from].name + " -> " + picture.nodes[edge.to].name + " through " +
                                picture.nodes[n].name);
        }
    }
}

void bonds_through_frames(const Picture& picture, const Layout& layout, std::vector<std::string>& flaws) {
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        const Edge& edge = picture.edges[e];
        if (edge.kind == EdgeKind::signal) continue;
        for (std::uint32_t f = 0; f < picture.frames.size(); ++f) {
            const auto ends_inside = [&](std::uint32_t node) {
                std::uint32_t frame = picture.nodes[node].frame;
                while (frame != kNone && frame != f) frame = picture.frames[frame].parent;
                return frame == f;
            };
            if (ends_inside(edge.from) || ends_inside(edge.to)) continue;
            if (crosses(layout.frames[f], layout.routes[e]))
                flaws.push_back(picture.nodes[edge.from].name + " -> " + picture.nodes[edge.to].name +
                                " through the frame of " + picture.frames[f].name);
        }
    }
}

// The areas that are painted over what lies there.
std::vector<std::pair<std::string, Box>> covers(const Picture& picture, const Layout& layout, const Sheet& sheet) {
    std::vector<std::pair<std::string, Box>> result;
    for (std::size_t n = 0; n < picture.nodes.size(); ++n)
        result.emplace_back(picture.nodes[n].name, painted(picture.nodes[n], layout.nodes[n]));
    for (const Shape& s : sheet.shapes) {
        if (s.kind == ShapeKind::text) result.emplace_back("'" + s.text + "'", letters(s));
        if (s.kind == ShapeKind::disc)
            result.emplace_back("a badge", Box{s.points.front(), 2 * s.radius, 2 * s.radius});
        if (s.kind == ShapeKind::box && s.role.ends_with("-gap")) result.emplace_back(s.role, s.box);
    }
    return result;
}

}  // namespace

Box letters(const Shape& text) {
    constexpr double kOtherFonts = 1.12;
    constexpr double kCapitals = 0.75;
    Box box{text.points.front(), text_width(text.text, text.size, text.bold) / kOtherFonts, kCapitals * text.size};
    if (text.anchor == Anchor::start) box.centre.x += box.width / 2;
    if (text.anchor == Anchor::end) box.centre.x -= box.width / 2;
    return box;
}

std::vector<std::string> flaws_of(const Picture& picture, const Layout& layout, const Sheet& sheet) {
    std::vector<std::string> flaws;
    lines_through_boxes(picture, layout, flaws);
    bonds_through_frames(picture, layout, flaws);
    const auto areas = covers(picture, layout, sheet);
    for (const Shape& s : sheet.shapes) {
        if (s.role != "stroke" && s.role != "barb") continue;
        for (const auto& [name, box] : areas) {
            if (crosses(box, s.points)) flaws.push_back(s.role + " under " + name);
        }
    }
    return flaws;
}

}  // namespace bondgraph::drawing
