#include "bondgraph/drawing/draw_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/drawing/layout.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;

constexpr double kBondWidth = 1.6;
constexpr double kMultibondWidth = 4.8;  // both lines and what is between them
constexpr double kMultibondGap = 2.0;
constexpr double kBarbLength = 10.0;
constexpr double kBarbHeight = 5.5;
constexpr double kStrokeLength = 15.0;
constexpr double kStrokeWidth = 1.8;

Shape line(std::string role, Polyline points, std::string ink, double width) {
    return {.role = std::move(role), .points = std::move(points), .ink = std::move(ink), .width = width};
}

/// A stroke across the bond at `end`, or its share from `first` to `last` (0 on the effort's side, 1 on the flow's).
Shape stroke(Point end, Point across, double size, double first, double last, const Theme& theme) {
    const Point from = end + (size * (first - 0.5)) * across;
    const Point to = end + (size * (last - 0.5)) * across;
    return line("stroke", {from, to}, theme.text, kStrokeWidth);
}

void draw_strokes(const Edge& edge, const Polyline& route, const Theme& theme, std::vector<Shape>& shapes) {
    const Point overall = direction(route.front(), route.back());
    const auto across_at = [&](Point along) {
        const Point side{-along.y, along.x};
        const Point flow = flow_side(overall);
        return side.x * flow.x + side.y * flow.y < 0.0 ? -1.0 * side : side;
    };
    const Point tail_across = across_at(direction(route[0], route[1]));
    const Point head_across = across_at(direction(route[route.size() - 2], route.back()));
    const auto at = [&](Stroke where, double first, double last, double size) {
        if (where == Stroke::at_from) shapes.push_back(stroke(route.front(), tail_across, size, first, last, theme));
        if (where == Stroke::at_to) shapes.push_back(stroke(route.back(), head_across, size, first, last, theme));
    };
    if (!edge.is_mixed()) return at(edge.strokes.front(), 0.0, 1.0, kStrokeLength);
    constexpr double kPerComponent = 9.0;
    constexpr double kBetween = 0.3;  // share of a component's room that stays empty
    const auto n = static_cast<double>(edge.size());
    for (std::size_t k = 0; k < edge.size(); ++k) {
        const auto i = static_cast<double>(k);
        at(edge.strokes[k], (i + kBetween / 2) / n, (i + 1.0 - kBetween / 2) / n, kPerComponent * n);
    }
}

void draw_bond(const Edge& edge, const Polyline& route, const Theme& theme, std::vector<Shape>& shapes) {
    const DomainStyle& style = theme.of(edge.domain);
    const std::string& ink = edge.conflict ? theme.conflict : style.line;
    const bool multibond = edge.size() > 1;
    Shape body = line("bond", route, ink, multibond ? kMultibondWidth : kBondWidth);
    body.dashes = style.dashes;
    shapes.push_back(body);
    if (multibond) shapes.push_back(line("bond-middle", route, theme.paper, kMultibondGap));
    const Point tip = route.back();
    const Point along = direction(route[route.size() - 2], tip);
    Point side{-along.y, along.x};
    const Point flow = flow_side(direction(route.front(), tip));
    if (side.x * flow.x + side.y * flow.y < 0.0) side = -1.0 * side;
    const Point start = multibond ? tip + (kMultibondWidth / 2) * side : tip;
    shapes.push_back(line("barb", {start, start - kBarbLength * along + kBarbHeight * side}, ink, kBondWidth));
    if (!edge.strokes.empty()) draw_strokes(edge, route, theme, shapes);
}

void draw_signal(const Polyline& route, const Theme& theme, std::vector<Shape>& shapes) {
    constexpr double kThin = 0.9;
    constexpr double kLong = 7.0;
    constexpr double kHalf = 2.6;
    const Point tip = route.back();
    const Point along = direction(route[route.size() - 2], tip);
    const Point side{-along.y, along.x};
    shapes.push_back(line("signal", route, theme.signal, kThin));
    Shape head{.kind = ShapeKind::area, .role = "signal-arrow", .fill = theme.signal};
    head.points = {tip, tip - kLong * along + kHalf * side, tip - kLong * along - kHalf * side};
    shapes.push_back(std::move(head));
}

Shape small_text(const std::string& role, const std::string& text, const Box& box, const std::string& ink) {
    return {
        .kind = ShapeKind::text, .role = role, .points = {box.centre}, .ink = ink, .text = text, .size = kSmallSize};
}

}  // namespace

Point flow_side(Point direction) {
    constexpr double kUpright = 0.35;
    const Point normal{-direction.y, direction.x};
    const bool upright = std::abs(direction.x) < kUpright * std::abs(direction.y);
    return (upright ? normal.x : normal.y) < 0.0 ? -1.0 * normal : normal;
}

void draw_halo(const Edge& edge, const Polyline& route, const Theme& theme, std::vector<Shape>& shapes) {
    constexpr double kHalo = 11.0;
    if (edge.loop > 0) shapes.push_back(line("loop", route, theme.loop, kHalo));
}

void draw_edge(const Edge& edge, const Polyline& route, const Theme& theme, std::vector<Shape>& shapes) {
    if (route.size() < 2) return;
    constexpr double kFrameWidth = 6.0;
    switch (edge.kind) {
        case EdgeKind::bond:
            return draw_bond(edge, route, theme, shapes);
        case EdgeKind::signal:
            return draw_signal(route, theme, shapes);
        case EdgeKind::frame:
            shapes.push_back(line("frame-connection", route, theme.frame, kFrameWidth));
    }
}

void draw_size(const std::string& role, const std::string& size, Point middle, const Theme& theme,
               std::vector<Shape>& shapes) {
    Box gap = text_box(size, kSmallSize).grown(1.0);
    gap.centre = middle;
    shapes.push_back({.kind = ShapeKind::box, .role = role + "-gap", .box = gap, .radius = 2.0, .fill = theme.paper});
    shapes.push_back(small_text(role, size, gap, theme.text));
}

Box size_box(const Edge& edge, const Polyline& route, double share) {
    if (edge.kind != EdgeKind::bond || edge.size() < 2 || route.size() < 2) return {};
    Box gap = text_box(fmt::format("{}", edge.size()), kSmallSize).grown(1.0);
    gap.centre = place_on(route, share).point;
    return gap;
}

namespace {

/// Places for a text beside a line: where it has most room first, near before far, and on the other side only where
/// nothing else is free.
std::vector<Box> places_along(const std::string& text, const Polyline& route, Point side, double air) {
    constexpr std::array kShares{0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.12, 0.88};
    std::vector<Box> candidates;
    const auto add = [&](Point towards, double distance) {
        for (const double share : kShares)
            candidates.push_back(beside(text_box(text, kSmallSize), place_on(route, share).point, towards, distance));
    };
    for (const double more : {0.0, 7.0, 14.0}) add(side, air + more);
    for (const double more : {0.0, 10.0}) add(-1.0 * side, air + more);
    for (const double more : {22.0, 30.0}) add(side, air + more);
    // Long names in a crowd: better away from the line than on another name.
    for (const double more : {20.0, 30.0}) add(-1.0 * side, air + more);
    for (const double more : {40.0, 52.0, 64.0, 78.0, 92.0, 110.0, 130.0, 150.0}) {
        for (const double sign : {1.0, -1.0}) add(sign * side, air + more);
    }
    return candidates;
}

std::vector<Box> places_of_port(const std::string& port, const Polyline& route, Point flow, bool head, double air) {
    std::vector<Box> candidates;
    const Box text = text_box(port, kSmallSize);
    const Point way = direction(route.front(), route.back());
    const double half = std::abs(way.x) * text.width / 2 + std::abs(way.y) * text.height / 2;
    const double total = std::max(length(route.back() - route.front()), 1.0);
    const auto add = [&](double distance, double farther) {
        const double share = std::min((distance + half) / total, 0.5);
        for (const double sign : {1.0, -1.0}) {
            const bool beside_barb = head && sign > 0.0;
            candidates.push_back(beside(text, place_on(route, head ? 1.0 - share : share).point, sign * flow,
                                        farther + (beside_barb ? air + 3.0 : air)));
        }
    };
    constexpr std::array kDistances{4.0, 8.0, 14.0, 22.0, 30.0};
    for (const double distance : kDistances) add(distance, 0.0);
    // In a crowd of lines, away from them.
    for (const double farther : {7.0, 14.0, 22.0, 32.0, 44.0}) {
        for (const double distance : kDistances) add(distance, farther);
    }
    for (const double distance : {40.0, 52.0, 66.0}) add(distance, 0.0);
    return candidates;
}

}  // namespace

void draw_edge_texts(const Edge& edge, const Polyline& route, const Theme& theme, Labels& labels,
                     std::vector<Shape>& shapes) {
    if (edge.kind != EdgeKind::bond || route.size() < 2) return;
    const Point flow = flow_side(direction(route.front(), route.back()));
    const auto put = [&](const std::string& role, const std::string& text, std::vector<Box> candidates) {
        shapes.push_back(small_text(role, text, labels.place(candidates), theme.faint));
    };
    const double air = (edge.size() > 1 ? 7.5 : 3.5) + (edge.loop > 0 ? 3.0 : 0.0);
    const double low = air + (edge.effort.empty() ? 0.0 : 2.0);
    // Ports before variables: these may stand anywhere along the line.
    for (const bool head : {false, true}) {
        const std::string& port = edge.ports[head ? 1 : 0];
        if (!port.empty()) put("port", port, places_of_port(port, route, flow, head, air));
    }
    if (!edge.effort.empty()) put("effort", edge.effort, places_along(edge.effort, route, -1.0 * flow, air));
    if (!edge.flow.empty()) put("flow", edge.flow, places_along(edge.flow, route, flow, low));
}

}  // namespace bondgraph::drawing
