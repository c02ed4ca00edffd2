#include "bondgraph/drawing/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/draw_edges.hpp"
#include "bondgraph/drawing/labels.hpp"
#include "bondgraph/drawing/legend.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kMargin = 14.0;
constexpr double kJunctionSize = 16.0;
constexpr double kNodeHalo = 4.0;
constexpr double kClosing = 2.2;  // outline of what closes a loop

Shape text_shape(const std::string& role, const std::string& text, Point at, double size, const std::string& ink) {
    return {.kind = ShapeKind::text, .role = role, .points = {at}, .ink = ink, .text = text, .size = size};
}

/// The box around a shape as it is seen.
Box extent_of(const Shape& shape) {
    if (shape.kind == ShapeKind::box) return shape.box.grown(shape.width / 2);
    if (shape.kind == ShapeKind::text) {
        Box box = text_box(shape.text, shape.size, shape.bold);
        box.centre = shape.points.front();
        if (shape.anchor == Anchor::start) box.centre.x += box.width / 2;
        if (shape.anchor == Anchor::end) box.centre.x -= box.width / 2;
        return box;
    }
    Point low = shape.points.front();
    Point high = low;
    for (const Point& p : shape.points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    const Box box{0.5 * (low + high), high.x - low.x, high.y - low.y};
    return box.grown(shape.kind == ShapeKind::disc ? shape.radius : shape.width / 2);
}

Box extent_of(const std::vector<Shape>& shapes) {
    constexpr double kFar = std::numeric_limits<double>::max();
    Point low{kFar, kFar};
    Point high{-kFar, -kFar};
    for (const Shape& shape : shapes) {
        const Box box = extent_of(shape);
        low = {std::min(low.x, box.left()), std::min(low.y, box.top())};
        high = {std::max(high.x, box.right()), std::max(high.y, box.bottom())};
    }
    if (shapes.empty()) return {};
    return {0.5 * (low + high), high.x - low.x, high.y - low.y};
}

bool is_mark(const Shape& shape) { return shape.role == "stroke" || shape.role == "barb"; }

class Drawer {
   public:
    Drawer(const Picture& picture, const Layout& layout, const Theme& theme)
        : picture_(picture), layout_(layout), theme_(theme) {}

    Sheet run() {
        for (std::size_t i = 0; i < picture_.frames.size(); ++i) of("frame", i, [&] { draw_frame(i); });
        for (std::size_t i = 0; i < picture_.edges.size(); ++i)
            of("edge", i, [&] { draw_halo(picture_.edges[i], layout_.routes[i], theme_, shapes_); });
        for (std::size_t i = 0; i < picture_.nodes.size(); ++i) of("node", i, [&] { draw_node_halo(i); });
        draw_bars();
        draw_edges();
        draw_sizes();
        place_badges();
        draw_frame_titles();
        for (std::size_t i = 0; i < picture_.nodes.size(); ++i) of("node", i, [&] { draw_node(i); });
        draw_texts();
        shapes_.insert(shapes_.end(), badges_.begin(), badges_.end());
        return finished();
    }

   private:
    /// What `draw` adds is part of that node, edge or frame.
    template <class Draw>
    void of(const char* what, std::size_t index, const Draw& draw) {
        const std::size_t first = shapes_.size();
        draw();
        for (std::size_t i = first; i < shapes_.size(); ++i) shapes_[i].of = fmt::format("{}-{}", what, index);
    }

    void draw_bars() {
        for (const Bar& bar : layout_.bars) {
            of("node", bar.node, [&] {
                for (const Polyline& piece : bar.pieces) {
                    shapes_.push_back({.kind = ShapeKind::line,
                                       .role = "bar",
                                       .points = piece,
                                       .ink = theme_.text,
                                       .width = kBarWidth});
                }
            });
        }
    }

    void draw_edges() {
        // Signals and frame connections below bonds.
        for (const bool bonds : {false, true}) {
            for (std::size_t i = 0; i < picture_.edges.size(); ++i) {
                if ((picture_.edges[i].kind == EdgeKind::bond) != bonds) continue;
                of("edge", i, [&] { draw_edge(picture_.edges[i], layout_.routes[i], theme_, shapes_); });
            }
        }
    }

    /// Each in the middle of its bond, or as near to that as it hides no stroke, which may be that of a bond beside it.
    void draw_sizes() {
        BoxIndex near_marks;
        std::vector<Polyline> marks;
        for (const Shape& shape : shapes_) {
            if (!is_mark(shape)) continue;
            near_marks.add(extent_of(shape));
            marks.push_back(shape.points);
        }
        const auto hides_a_mark = [&](const Box& box) {
            const auto near = near_marks.near(box);
            return std::any_of(near.begin(), near.end(), [&](std::uint32_t m) { return crosses(box, marks[m]); });
        };
        for (std::size_t i = 0; i < picture_.edges.size(); ++i) {
            const Edge& edge = picture_.edges[i];
            sizes_.push_back(size_box(edge, layout_.routes[i], 0.5));
            if (sizes_[i].width == 0.0) continue;
            for (const double share : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74}) {
                const Box box = size_box(edge, layout_.routes[i], share);
                if (hides_a_mark(box)) continue;
                sizes_[i] = box;
                break;
            }
            of("edge", i,
               [&] { draw_size("size", fmt::format("{}", edge.size()), sizes_[i].centre, theme_, shapes_); });
        }
    }

    void draw_frame(std::size_t i) {
        Box box = layout_.frames[i];
        box.width = std::max(box.width, text_width(title_of(picture_.frames[i]), kSmallSize, true) + 16.0);
        drawn_frames_.push_back(box);
        const bool closes = picture_.frames[i].closes;
        shapes_.push_back({.kind = ShapeKind::box,
                           .role = "frame",
                           .box = box,
                           .radius = 10.0,
                           .ink = closes ? theme_.text : theme_.frame,
                           .width = closes ? kClosing : 1.2});
    }

    /// Titles stand in the upper left corners of their frames, or elsewhere along the border where a bond passes there,
    /// or above it; where one passes everywhere, over it.
    void draw_frame_titles() {
        Labels labels;
        for (const Box& node : layout_.nodes) labels.avoid(node);
        for (const Polyline& route : layout_.routes) labels.avoid(route);
        for (const Shape& shape : shapes_) {
            if (is_mark(shape)) labels.avoid_hiding(shape.points);
        }
        for (std::size_t i = 0; i < picture_.frames.size(); ++i) of("frame", i, [&] { draw_frame_title(i, labels); });
    }

    void draw_frame_title(std::size_t i, Labels& labels) {
        constexpr double kBeside = 8.0;
        constexpr double kBelow = 10.0;
        const Box& frame = drawn_frames_[i];
        Box box = text_box(title_of(picture_.frames[i]), kSmallSize, true).grown(1.0);
        const double first = frame.left() + kBeside - 1.0 + box.width / 2;
        const double last = std::max(first, frame.right() - kBeside + 1.0 - box.width / 2);
        std::vector<Box> candidates;
        const auto add = [&](double share, double y) {
            box.centre = {first + share * (last - first), y};
            candidates.push_back(box);
        };
        constexpr std::array kShares{0.0, 0.25, 0.5, 0.75, 1.0, 0.125, 0.375, 0.625, 0.875};
        for (const double y : {frame.top() + kBelow, frame.bottom() - kBelow, frame.top() - kBelow}) {
            for (const double share : kShares) add(share, y);
        }
        // Where bonds pass everywhere there: the nearest free place in the frame, or close to it.
        constexpr double kStep = 6.0;
        const auto rows = static_cast<int>((frame.height + 4 * kBelow) / kStep);
        for (int row = 0; row <= rows; ++row) {
            for (double x = first - box.width / 2; x <= last + box.width / 2; x += kStep) {
                box.centre = {x, frame.top() + kBelow + kStep * row};
                candidates.push_back(box);
            }
        }
        const Box ground = labels.place(candidates);
        shapes_.push_back({.kind = ShapeKind::box, .role = "frame-title-gap", .box = ground, .fill = theme_.paper});
        Shape text = text_shape("frame-title", title_of(picture_.frames[i]), {ground.left() + 1.0, ground.centre.y},
                                kSmallSize, theme_.faint);
        text.anchor = Anchor::start;
        text.bold = true;
        shapes_.push_back(std::move(text));
        frame_titles_.push_back(ground);
    }

    void draw_node_halo(std::size_t i) {
        const Node& node = picture_.nodes[i];
        if (node.loop > 0) {
            shapes_.push_back({.kind = ShapeKind::box,
                               .role = "loop",
                               .box = layout_.nodes[i].grown(kNodeHalo),
                               .radius = 11.0,
                               .fill = theme_.loop});
        }
    }

    void draw_node(std::size_t i) {
        const Node& node = picture_.nodes[i];
        const Box& box = layout_.nodes[i];
        if (node.kind == NodeKind::junction) {
            Shape text = text_shape("junction", node.type, box.centre, kJunctionSize, theme_.text);
            text.bold = true;
            shapes_.push_back(std::move(text));
            return;
        }
        const bool composite = node.kind == NodeKind::composite;
        const bool outlined = composite || node.kind == NodeKind::block;
        Shape body{.kind = ShapeKind::box, .role = "node", .box = box, .radius = composite ? 8.0 : 5.0};
        if (node.kind == NodeKind::block) body.radius = 0.0;
        body.fill = outlined ? theme_.box : node.mixed ? theme_.of(model::kGeneric).fill : theme_.of(node.domain).fill;
        if (outlined) body.ink = theme_.box_line;
        if (node.conditions > 0) {
            body.ink = theme_.text;
            body.width = kClosing;
        }
        if (node.derivative || node.conflict) {
            body.ink = node.conflict ? theme_.conflict : theme_.derivative;
            body.width = 1.8;
        }
        shapes_.push_back(std::move(body));
        if (composite) {
            Box lines = box;
            if (!node.value.empty()) {
                lines.height -= kThirdLine;
                lines.centre.y -= kThirdLine / 2;
                shapes_.push_back(
                    text_shape("closing", node.value, {box.centre.x, lines.bottom() + 1.0}, kSmallSize, theme_.text));
            }
            two_lines(lines, node.type, true, node.label);
        } else {
            two_lines(box, node.type + " : " + node.label, false, node.value);
        }
    }

    void two_lines(const Box& box, const std::string& first, bool bold, const std::string& second) {
        constexpr double kUp = 6.5;
        constexpr double kDown = 8.5;
        const double up = second.empty() ? 0.0 : kUp;
        Shape title = text_shape("title", first, box.centre - Point{0.0, up}, kTitleSize, theme_.text);
        title.bold = bold;
        shapes_.push_back(std::move(title));
        if (!second.empty())
            shapes_.push_back(text_shape("subtitle", second, box.centre + Point{0.0, kDown}, kSmallSize, theme_.faint));
    }

    void draw_texts() {
        Labels labels;
        for (std::size_t i = 0; i < picture_.nodes.size(); ++i) {
            labels.avoid(picture_.nodes[i].loop > 0 ? layout_.nodes[i].grown(kNodeHalo) : layout_.nodes[i]);
        }
        for (const Shape& badge : badges_) labels.avoid(extent_of(badge));
        for (const Box& title : frame_titles_) labels.keep_apart(title);
        for (const Box& size : sizes_) {
            if (size.width > 0.0) labels.keep_apart(size);
        }
        for (const Box& f : drawn_frames_) {
            labels.avoid(Polyline{{f.left(), f.top()},
                                  {f.right(), f.top()},
                                  {f.right(), f.bottom()},
                                  {f.left(), f.bottom()},
                                  {f.left(), f.top()}});
        }
        for (const Polyline& route : layout_.routes) labels.avoid(route);
        for (const Shape& shape : shapes_) {
            if (is_mark(shape) || shape.role == "bar") labels.avoid_hiding(shape.points);
        }
        // Short lines first: they leave their texts little choice.
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t i = 0; i < picture_.edges.size(); ++i)
            order.emplace_back(length(layout_.routes[i].back() - layout_.routes[i].front()), i);
        std::sort(order.begin(), order.end());
        for (const auto& entry : order) {
            const std::size_t i = entry.second;
            of("edge", i, [&] { draw_edge_texts(picture_.edges[i], layout_.routes[i], theme_, labels, shapes_); });
        }
        for (std::size_t i = 0; i < picture_.nodes.size(); ++i) {
            if (picture_.nodes[i].kind != NodeKind::junction) continue;
            of("node", i, [&] { draw_junction_name(i, labels); });
        }
    }

    void draw_junction_name(std::size_t i, Labels& labels) {
        const std::string& name = picture_.nodes[i].label;
        const Box& junction = layout_.nodes[i];
        const Box text = text_box(name, kSmallSize);
        std::vector<Box> candidates;
        const auto add = [&](Point corner, double aside, double down) {
            const double side = corner.x == 0.0 ? 0.0 : aside + text.width / 2;
            candidates.push_back({junction.centre + Point{corner.x * side, corner.y * down}, text.width, text.height});
        };
        for (const double far : {0.0, 8.0, 16.0, 28.0, 40.0, 54.0, 70.0, 88.0, 108.0}) {
            for (const Point corner :
                 {Point{1, -1}, Point{-1, -1}, Point{1, 1}, Point{-1, 1}, Point{0, -1}, Point{0, 1}})
                add(corner, 4.0 + far / 2, 15.0 + far);
            // Level with the junction, where no bond leaves it to that side.
            for (const Point side : {Point{1, 0}, Point{-1, 0}}) add(side, junction.width / 2 + far / 2, 0.0);
        }
        shapes_.push_back(text_shape("name", name, labels.place(candidates).centre, kSmallSize, theme_.faint));
    }

    /// Badges stand on a corner of their box, side by side, the upper right one unless they would hide a stroke there.
    void place_badges() {
        BoxIndex marks;
        std::vector<const Shape*> shapes;
        for (const Shape& shape : shapes_) {
            if (!is_mark(shape)) continue;
            shapes.push_back(&shape);
            marks.add(extent_of(shape));
        }
        const auto hidden = [&](const std::vector<Shape>& badges) {
            std::size_t count = 0;
            for (const Shape& badge : badges) {
                const Box box = extent_of(badge);
                for (const std::uint32_t m : marks.near(box)) count += crosses(box, shapes[m]->points) ? 1 : 0;
            }
            return count;
        };
        for (std::size_t i = 0; i < picture_.nodes.size(); ++i) {
            std::vector<Shape> best = badges_of(i, {1, -1});
            for (const Point corner : {Point{-1, -1}, Point{1, 1}, Point{-1, 1}}) {
                if (hidden(best) == 0) break;
                std::vector<Shape> badges = badges_of(i, corner);
                if (hidden(badges) < hidden(best)) best = std::move(badges);
            }
            for (Shape& badge : best) badge.of = fmt::format("node-{}", i);
            badges_.insert(badges_.end(), best.begin(), best.end());
        }
    }

    /// The badges of a node on a corner, inwards from there.
    std::vector<Shape> badges_of(std::size_t i, Point corner) const {
        constexpr double kInside = 2.0;
        constexpr double kApart = 16.0;
        std::vector<Shape> badges;
        const Node& node = picture_.nodes[i];
        const Box& box = layout_.nodes[i];
        Point at = box.centre + Point{corner.x * (box.width / 2 - kInside), corner.y * box.height / 2};
        const auto badge = [&](const std::string& text, const std::string& colour) {
            draw_badge(text, colour, theme_, at, badges);
            at.x -= kApart * corner.x;
        };
        if (node.conflict) badge("!", theme_.conflict);
        if (node.derivative) badge("D", theme_.derivative);
        if (node.loop > 0 && node.kind != NodeKind::junction) badge(fmt::format("{}", node.loop), theme_.text);
        return badges;
    }

    Sheet finished() {
        Sheet sheet{.title = picture_.title};
        const auto bonds = std::count_if(picture_.edges.begin(), picture_.edges.end(),
                                         [](const Edge& e) { return e.kind == EdgeKind::bond; });
        sheet.description =
            fmt::format("Bond graph of {}: {} components and {} bonds.", picture_.title, picture_.nodes.size(), bonds);
        const Box graph = extent_of(shapes_);
        constexpr double kNarrowest = 420.0;
        constexpr double kAir = 16.0;
        draw_legend(picture_, theme_, {graph.left(), graph.bottom() + kAir}, std::max(graph.width, kNarrowest),
                    shapes_);
        sheet.extent = extent_of(shapes_).grown(kMargin);
        sheet.shapes = std::move(shapes_);
        return sheet;
    }

    const Picture& picture_;
    const Layout& layout_;
    const Theme& theme_;
    std::vector<Shape> shapes_;
    std::vector<Box> drawn_frames_;
    std::vector<Box> sizes_;  ///< by edge; empty where none stands
    std::vector<Box> frame_titles_;
    std::vector<Shape> badges_;
};

}  // namespace

Sheet draw(const Picture& picture, const Layout& layout, const Theme& theme) {
    return Drawer(picture, layout, theme).run();
}

}  // namespace bondgraph::drawing
