#include "bondgraph/drawing/draw_circuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "bondgraph/drawing/layout.hpp"

namespace bondgraph::drawing {
namespace {

using model::CircuitNet;

constexpr double kSymbolLine = 1.2;
constexpr double kWireLine = 1.0;
constexpr double kDot = 2.2;
constexpr double kSheetMargin = 15.0;
constexpr double kPinName = 7.0;
constexpr double kFar = 1e9;

/// A value as people write it: "10 kohm" as 10 kΩ, "5 uF" as 5 µF.
std::string typeset(std::string text) {
    const std::size_t blank = text.rfind(' ');
    if (blank == std::string::npos) return text;
    std::string unit = text.substr(blank + 1);
    if (const std::size_t ohm = unit.find("ohm"); ohm != std::string::npos) unit.replace(ohm, 3, "Ω");
    if (const std::size_t degree = unit.find("degC"); degree != std::string::npos) unit.replace(degree, 4, "°C");
    const bool micro =
        unit.size() > 1 && unit[0] == 'u' && std::string_view("FHAVWsmgJNPCS").find(unit[1]) != std::string_view::npos;
    if (micro) unit.replace(0, 1, "µ");
    return text.substr(0, blank + 1) + unit;
}

class CircuitSheet {
   public:
    CircuitSheet(const Schematic& schematic, const CircuitLayout& layout, const Theme& theme)
        : s_(schematic), layout_(layout), theme_(theme) {}

    Sheet run() {
        const auto nets = static_cast<std::uint32_t>(s_.nets.size());
        const auto parts = static_cast<std::uint32_t>(s_.parts.size());
        for (std::uint32_t n = 0; n < nets; ++n) of("net", n, [&] { wire(n); });
        for (std::uint32_t k = 0; k < parts; ++k) of("part", k, [&] { part(k); });
        for (std::uint32_t n = 0; n < nets; ++n) of("net", n, [&] { end_marks(n); });
        for (std::uint32_t k = 0; k < parts; ++k) of("part", k, [&] { label(k); });
        sheet_.title = s_.title;
        sheet_.description = description();
        sheet_.extent = extent();
        return std::move(sheet_);
    }

   private:
    /// What `draw` adds is part of that net or part.
    template <class Draw>
    void of(const char* what, std::uint32_t index, const Draw& draw) {
        const std::size_t first = sheet_.shapes.size();
        draw();
        for (std::size_t i = first; i < sheet_.shapes.size(); ++i)
            sheet_.shapes[i].of = fmt::format("{}-{}", what, index);
    }

    std::string ink_of(const CircuitNet& net) const {
        return net.kind == CircuitNet::Kind::signal ? theme_.signal : theme_.of(net.domain).line;
    }

    void line(std::string role, Polyline points, const std::string& ink, double width,
              std::vector<double> dashes = {}) {
        sheet_.shapes.push_back({.kind = ShapeKind::line,
                                 .role = std::move(role),
                                 .points = std::move(points),
                                 .ink = ink,
                                 .width = width,
                                 .dashes = std::move(dashes)});
    }

    void area(std::string role, Polyline points, const std::string& fill) {
        sheet_.shapes.push_back(
            {.kind = ShapeKind::area, .role = std::move(role), .points = std::move(points), .fill = fill});
    }

    void text(std::string role, std::string says, Point at, double size, const std::string& ink,
              Anchor anchor = Anchor::middle, bool bold = false) {
        sheet_.shapes.push_back({.kind = ShapeKind::text,
                                 .role = std::move(role),
                                 .points = {at},
                                 .ink = ink,
                                 .text = std::move(says),
                                 .size = size,
                                 .anchor = anchor,
                                 .bold = bold});
    }

    void wire(std::uint32_t n) {
        const CircuitNet& net = s_.nets[n];
        const std::string ink = ink_of(net);
        const bool signal = net.kind == CircuitNet::Kind::signal;
        const std::string role = signal ? "signal" : net.kind == CircuitNet::Kind::bond ? "bond" : "wire";
        for (const Polyline& points : layout_.wiring.lines[n]) line(role, points, ink, kWireLine);
        for (const Point dot : layout_.wiring.dots[n])
            sheet_.shapes.push_back(
                {.kind = ShapeKind::disc, .role = "dot", .points = {dot}, .radius = kDot, .fill = ink});
    }

    /// Arrows of signals, half arrows of bonds.
    void end_marks(std::uint32_t n) {
        constexpr double kLong = 6.0;
        constexpr double kWide = 2.5;
        constexpr double kBarb = 4.0;
        const CircuitNet& net = s_.nets[n];
        if (net.kind == CircuitNet::Kind::connection) return;
        for (std::size_t k = 1; k < net.ends.size(); ++k) {
            const CircuitNet::End& end = net.ends[k];
            const Point tip = layout_.pin(s_, end);
            const Point out = layout_.parts[end.part].stance.of(s_.parts[end.part].pins[end.pin].out);
            const Point across{-out.y, out.x};
            if (net.kind == CircuitNet::Kind::signal) {
                area("arrow", {tip, tip + kLong * out + kWide * across, tip + kLong * out - kWide * across},
                     ink_of(net));
            } else {
                // below, or right of what is upright
                const double side = across.y > 0 || across.x > 0 ? 1.0 : -1.0;
                line("barb", {tip, tip + kLong * out + (kBarb * side) * across}, ink_of(net), kWireLine);
            }
        }
    }

    Point on_paper(std::uint32_t k, const std::array<double, 2>& p) const {
        return layout_.parts[k].centre + layout_.parts[k].stance.of({p[0], p[1]});
    }

    void part(std::uint32_t k) {
        const Part& part = s_.parts[k];
        switch (part.look) {
            case Part::Look::symbol:
                return symbol(k);
            case Part::Look::junction:
                sheet_.shapes.push_back({.kind = ShapeKind::disc,
                                         .role = "junction",
                                         .points = {layout_.parts[k].centre},
                                         .radius = kCircuitGrid,
                                         .ink = theme_.text,
                                         .fill = theme_.paper});
                return text("type", part.type, layout_.parts[k].centre, kSmallSize, theme_.text, Anchor::middle, true);
            case Part::Look::box:
            case Part::Look::expression:
                return box(k);
        }
    }

    /// From a pin that no line of the symbol reaches straight to the first one.
    void lead(std::uint32_t k, const Pin& pin) {
        constexpr double kTouching = 0.5;
        const Point in = -1.0 * pin.out;
        double nearest = kFar;
        for (const model::Symbol::Line& l : s_.parts[k].lines) {
            for (std::size_t i = 0; i + 1 < l.points.size(); ++i) {
                const Point a = Point{l.points[i][0], l.points[i][1]} - pin.at;
                const Point b = Point{l.points[i + 1][0], l.points[i + 1][1]} - pin.at;
                // along and across the way in
                const double xa = a.x * in.x + a.y * in.y;
                const double xb = b.x * in.x + b.y * in.y;
                const double ya = a.x * in.y - a.y * in.x;
                const double yb = b.x * in.y - b.y * in.x;
                if ((ya > 0) == (yb > 0) && std::abs(ya) > 1e-9 && std::abs(yb) > 1e-9) continue;
                const double x = ya == yb ? std::min(xa, xb) : xa + (xb - xa) * ya / (ya - yb);
                if (x > -kTouching) nearest = std::min(nearest, x);
            }
        }
        if (nearest < kTouching || nearest == kFar) return;
        const Point from = layout_.parts[k].stance.of(pin.at);
        const Point to = layout_.parts[k].stance.of(pin.at + nearest * in);
        line("lead", {layout_.parts[k].centre + from, layout_.parts[k].centre + to}, theme_.text, kWireLine / 2);
    }

    void symbol(std::uint32_t k) {
        const Part& part = s_.parts[k];
        for (const model::Symbol::Line& l : part.lines) {
            Polyline points;
            for (const auto& p : l.points) points.push_back(on_paper(k, p));
            if (l.filled)
                area("symbol", std::move(points), theme_.text);
            else
                line("symbol", std::move(points), theme_.text, kSymbolLine);
        }
        for (const Pin& pin : part.pins) lead(k, pin);
        for (const model::Symbol::Label& l : part.labels)
            text("symbol", l.text.text, on_paper(k, l.at), l.size, theme_.text);
    }

    void box(std::uint32_t k) {
        constexpr double kRound = 3.0;
        const Part& part = s_.parts[k];
        const Box& box = layout_.parts[k].box;
        const bool expression = part.look == Part::Look::expression;
        sheet_.shapes.push_back({.kind = ShapeKind::box,
                                 .role = expression ? "expression" : "box",
                                 .box = box,
                                 .radius = expression ? 0.0 : kRound,
                                 .ink = theme_.text,
                                 .fill = expression ? theme_.paper : theme_.box});
        const bool named = std::ranges::any_of(part.pins, &Pin::shown);
        const bool sideways = layout_.parts[k].stance.turns % 2 == 1;
        const Point at{box.centre.x, named && !sideways ? box.top() + kCircuitGrid : box.centre.y};
        text("type", part.type, at, kSmallSize, theme_.text, Anchor::middle, !expression);
        for (const Pin& pin : part.pins) {
            if (!pin.shown || sideways) continue;
            const Point out = layout_.parts[k].stance.of(pin.out);
            const Point place = layout_.parts[k].centre + layout_.parts[k].stance.of(pin.at) - 3.0 * out;
            text("port", pin.name, place, kPinName, theme_.faint,
                 out.x < 0   ? Anchor::start
                 : out.x > 0 ? Anchor::end
                             : Anchor::middle);
        }
    }

    void label(std::uint32_t k) {
        const auto& label = layout_.parts[k].label;
        if (!label) return;
        const Box& box = label->box;
        const double x = label->anchor == Anchor::start ? box.left()
                         : label->anchor == Anchor::end ? box.right()
                                                        : box.centre.x;
        for (std::size_t i = 0; i < label->lines.size(); ++i) {
            const bool name = i == 0;
            text(name ? "name" : "value", name ? label->lines[i] : typeset(label->lines[i]),
                 {x, box.top() + kLabelLine * (static_cast<double>(i) + 0.5)}, kSmallSize,
                 name ? theme_.text : theme_.faint, label->anchor);
        }
    }

    std::string description() const {
        std::map<std::string, int> count;
        for (const Part& part : s_.parts) {
            if (part.look != Part::Look::expression && !part.ground_of) ++count[part.type];
        }
        std::string text = "Circuit of";
        for (const auto& [type, n] : count) text += fmt::format("{}{} {}", text.ends_with("of") ? " " : ", ", n, type);
        return text;
    }

    Box extent() const {
        std::optional<Box> all;
        const auto add = [&](const Box& box) { all = all ? around(*all, box) : box; };
        for (const CircuitLayout::Place& place : layout_.parts) {
            add(place.box);
            if (place.label) add(place.label->box);
        }
        for (const auto& lines : layout_.wiring.lines) {
            for (const Polyline& points : lines) {
                for (const Point p : points) add({p, 0, 0});
            }
        }
        return all.value_or(Box{}).grown(kSheetMargin);
    }

    const Schematic& s_;
    const CircuitLayout& layout_;
    const Theme& theme_;
    Sheet sheet_;
};

}  // namespace

Sheet draw_circuit(const Schematic& schematic, const CircuitLayout& layout, const Theme& theme) {
    return CircuitSheet(schematic, layout, theme).run();
}

}  // namespace bondgraph::drawing
