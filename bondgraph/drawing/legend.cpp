#include "bondgraph/drawing/legend.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "bondgraph/drawing/draw_edges.hpp"
#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kSampleLength = 30.0;
constexpr double kLegendGap = 6.0;
constexpr double kBetween = 20.0;
constexpr double kRow = 18.0;

struct Entry {
    std::string text;
    std::function<void(Point left, Point right, std::vector<Shape>& shapes)> sample;
};

bool any_edge(const Picture& picture, const std::function<bool(const Edge&)>& is) {
    return std::any_of(picture.edges.begin(), picture.edges.end(), is);
}

bool any_node(const Picture& picture, const std::function<bool(const Node&)>& is) {
    return std::any_of(picture.nodes.begin(), picture.nodes.end(), is);
}

std::string domain_text(const model::Domain& domain) {
    if (domain.name == "generic") return "domain not determined";
    if (domain.name == "thermal_pseudo") return "thermal (pseudo bonds: heat flow)";
    return std::string(domain.name);
}

void add_domains(const Picture& picture, const Theme& theme, std::vector<Entry>& entries) {
    std::set<model::DomainIndex> found;
    for (const Edge& e : picture.edges) {
        if (e.kind == EdgeKind::bond) found.insert(e.domain);
    }
    if (found == std::set{model::kGeneric}) return;
    for (const model::DomainIndex d : found) {
        entries.push_back({domain_text(model::domains()[d]), [&theme, d](Point a, Point b, std::vector<Shape>& shapes) {
                               draw_edge({.domain = d, .strokes = {causality::Stroke::open}}, {a, b}, theme, shapes);
                           }});
    }
}

void add_lines(const Picture& picture, const Theme& theme, std::vector<Entry>& entries) {
    if (any_edge(picture, [](const Edge& e) { return e.size() > 1; })) {
        entries.push_back({"multibond of size n", [&theme](Point a, Point b, std::vector<Shape>& shapes) {
                               const Edge edge{.strokes = {causality::Stroke::open, causality::Stroke::open}};
                               draw_edge(edge, {a, b}, theme, shapes);
                               draw_size("legend-size", "n", 0.5 * (a + b), theme, shapes);
                           }});
    }
    if (any_edge(picture, [](const Edge& e) { return e.is_mixed(); })) {
        entries.push_back(
            {"mixed causality: a tick for each component", [&theme](Point a, Point b, std::vector<Shape>& shapes) {
                 const Edge edge{.strokes = {causality::Stroke::at_to, causality::Stroke::at_from}};
                 draw_edge(edge, {a, b}, theme, shapes);
             }});
    }
    for (const auto& [kind, text] :
         {std::pair{EdgeKind::signal, "signal"}, std::pair{EdgeKind::frame, "frames joined in space"}}) {
        if (!any_edge(picture, [kind = kind](const Edge& e) { return e.kind == kind; })) continue;
        entries.push_back({text, [&theme, kind = kind](Point a, Point b, std::vector<Shape>& shapes) {
                               draw_edge({.kind = kind}, {a, b}, theme, shapes);
                           }});
    }
}

Entry badge_entry(const std::string& badge, const std::string& colour, const Theme& theme, const std::string& text) {
    return {text, [badge, colour, &theme](Point a, Point b, std::vector<Shape>& shapes) {
                draw_badge(badge, colour, theme, 0.5 * (a + b), shapes);
            }};
}

void add_marks(const Picture& picture, const Theme& theme, std::vector<Entry>& entries) {
    if (any_node(picture, [](const Node& n) { return n.derivative; }))
        entries.push_back(badge_entry("D", theme.derivative, theme,
                                      "no state of its own, follows from others (derivative causality)"));
    if (any_node(picture, [](const Node& n) { return n.loop > 0; }) ||
        any_edge(picture, [](const Edge& e) { return e.loop > 0; })) {
        entries.push_back({"algebraic loop, by its number: solved for together",
                           [&theme](Point a, Point b, std::vector<Shape>& shapes) {
                               draw_halo({.loop = 1}, {a, b}, theme, shapes);
                               draw_badge("1", theme.text, theme, 0.5 * (a + b), shapes);
                           }});
    }
    if (any_node(picture, [](const Node& n) { return n.conflict; }) ||
        any_edge(picture, [](const Edge& e) { return e.conflict; }))
        entries.push_back(badge_entry("!", theme.conflict, theme, "causal conflict"));
}

}  // namespace

std::vector<std::string> mode_lines(const Picture& picture, double width) {
    std::vector<std::string> lines;
    for (const std::string& value : picture.mode) {
        const bool last = &value == &picture.mode.back();
        const std::string text = last ? value : value + ",";
        const std::string longer = lines.empty() ? "causality with " + text : lines.back() + " " + text;
        if (lines.empty())
            lines.push_back(longer);
        else if (text_width(longer, kSmallSize) > width)
            lines.push_back(text);
        else
            lines.back() = longer;
    }
    return lines;
}

void draw_badge(const std::string& text, const std::string& colour, const Theme& theme, Point at,
                std::vector<Shape>& shapes) {
    constexpr double kRadius = 7.0;
    const double wide = std::max(kRadius, text_width(text, kSmallSize, true) / 2 + 3.0);
    shapes.push_back({.kind = ShapeKind::disc, .role = "badge", .points = {at}, .radius = wide, .fill = colour});
    shapes.push_back({.kind = ShapeKind::text,
                      .role = "badge-text",
                      .points = {at},
                      .ink = theme.paper,
                      .text = text,
                      .size = kSmallSize,
                      .bold = true});
}

void draw_legend(const Picture& picture, const Theme& theme, Point corner, double width, std::vector<Shape>& shapes) {
    std::vector<Entry> entries;
    add_domains(picture, theme, entries);
    add_lines(picture, theme, entries);
    add_marks(picture, theme, entries);
    Point at{corner.x, corner.y + kRow / 2};
    for (const std::string& line : mode_lines(picture, width)) {
        shapes.push_back({.kind = ShapeKind::text,
                          .role = "mode",
                          .points = {at},
                          .ink = theme.text,
                          .text = line,
                          .size = kSmallSize,
                          .anchor = Anchor::start});
        at.y += kRow;
    }
    for (const Entry& entry : entries) {
        const double wide = kSampleLength + kLegendGap + text_width(entry.text, kSmallSize);
        if (at.x > corner.x && at.x + wide > corner.x + width) at = {corner.x, at.y + kRow};
        entry.sample(at, at + Point{kSampleLength, 0.0}, shapes);
        shapes.push_back({.kind = ShapeKind::text,
                          .role = "legend",
                          .points = {at + Point{kSampleLength + kLegendGap, 0.0}},
                          .ink = theme.text,
                          .text = entry.text,
                          .size = kSmallSize,
                          .anchor = Anchor::start});
        at.x += wide + kBetween;
    }
}

}  // namespace bondgraph::drawing
