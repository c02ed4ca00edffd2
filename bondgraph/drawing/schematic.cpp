#include "bondgraph/drawing/schematic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

using model::CircuitNet;
using model::CircuitPart;
using model::CircuitPin;

constexpr Point kLeft{-1, 0};
constexpr Point kRight{1, 0};
constexpr Point kUp{0, -1};
constexpr Point kDown{0, 1};
constexpr double kPinStep = 2 * kCircuitGrid;  ///< from pin to pin, and between sizes
constexpr double kPinText = 7.0;

double rounded_up(double length) { return kPinStep * std::ceil(length / kPinStep); }

/// On which side of a symbol's extent a place lies.
Point side_of(const std::array<double, 2>& at, const std::array<double, 2>& size) {
    if (std::abs(at[0]) >= size[0] / 2) return at[0] < 0 ? kLeft : kRight;
    return at[1] < 0 ? kUp : kDown;
}

bool same(Point a, Point b) { return a.x == b.x && a.y == b.y; }

/// The pins of a part by the side of its box, each side in order.
struct Sides {
    std::vector<std::size_t> left, right, top, bottom;
};

bool is_heat(const CircuitPin& pin) { return pin.kind == CircuitPin::Kind::power && pin.name.starts_with("heat"); }

/// The places of symbols for what has no place in them: what drives a component comes from above, what is read of it
/// leaves there or below, wherever there is room.
class FreePlaces {
   public:
    explicit FreePlaces(Part& part) : part_(part) {}

    void give(Pin& pin, bool input) {
        const double half = part_.size.x / 2 - kCircuitGrid;
        for (const double y : {-part_.size.y / 2, part_.size.y / 2}) {
            for (double far = 0; far <= half; far += kCircuitGrid) {
                for (const double x : {input ? -far : far, input ? far : -far}) {
                    if (is_free({x, y})) return put(pin, {x, y}, y < 0 ? kUp : kDown);
                }
            }
        }
        for (double far = 0; far < part_.size.y / 2; far += kCircuitGrid) {
            for (const Point p : {Point{part_.size.x / 2, far}, Point{part_.size.x / 2, -far},
                                  Point{-part_.size.x / 2, far}, Point{-part_.size.x / 2, -far}}) {
                if (is_free(p)) return put(pin, p, p.x < 0 ? kLeft : kRight);
            }
        }
        part_.size.x += 2 * kPinStep;  // all taken: what the symbol places stays where it is, away from the border
        give(pin, input);
    }

   private:
    bool is_free(Point p) const {
        return std::ranges::none_of(part_.pins, [&](const Pin& other) { return length(other.at - p) < 1.0; });
    }
    static void put(Pin& pin, Point at, Point out) {
        pin.at = at;
        pin.out = out;
    }

    Part& part_;
};

class SchematicMaker {
   public:
    explicit SchematicMaker(const model::Circuit& circuit) : circuit_(circuit) {}

    Schematic run() {
        made_.title = circuit_.title;
        for (const CircuitPart& part : circuit_.parts) made_.parts.push_back(drawn(part));
        for (const CircuitNet& net : circuit_.nets) add_net(net);
        drop_replaced_grounds();
        return std::move(made_);
    }

   private:
    static Part drawn(const CircuitPart& from) {
        Part part{.name = from.name, .type = from.type, .value = from.value, .place = from.place};
        for (const CircuitPin& pin : from.pins) {
            part.pins.push_back({.name = pin.name,
                                 .at = {1e9, 1e9},  // nowhere yet
                                 .signal = pin.kind != CircuitPin::Kind::power});
        }
        if (from.symbol)
            take_symbol(part, from);
        else if (from.kind == CircuitPart::Kind::junction && from.pins.size() <= 4)
            round_junction(part, from);
        else
            make_box(part, from);
        return part;
    }

    static void take_symbol(Part& part, const CircuitPart& from) {
        const model::Symbol& symbol = *from.symbol;
        part.look = Part::Look::symbol;
        part.size = {symbol.size[0], symbol.size[1]};
        part.lines = symbol.lines;
        part.labels = symbol.labels;
        if (symbol.ground) part.name = part.value = {};
        for (Pin& pin : part.pins) {
            const auto given = std::ranges::find_if(
                symbol.connectors, [&](const auto& connector) { return connector.name.text == pin.name; });
            if (given == symbol.connectors.end()) continue;
            pin.at = {given->at[0], given->at[1]};
            pin.out = side_of(given->at, symbol.size);
        }
        FreePlaces free(part);
        for (std::size_t k = 0; k < part.pins.size(); ++k) {
            if (part.pins[k].at.x > 1e8) free.give(part.pins[k], from.pins[k].kind != CircuitPin::Kind::output);
        }
    }

    /// A junction of up to four bonds: one on each side, along the arrows from left to right.
    static void round_junction(Part& part, const CircuitPart& from) {
        part.look = Part::Look::junction;
        part.size = {kPinStep, kPinStep};
        std::vector<Point> taken;
        for (std::size_t k = 0; k < part.pins.size(); ++k) {
            const bool in = from.pins[k].kind == CircuitPin::Kind::power ? from.pins[k].arrow_in
                                                                         : from.pins[k].kind == CircuitPin::Kind::input;
            const std::array<Point, 4> order =
                in ? std::array{kLeft, kUp, kDown, kRight} : std::array{kRight, kDown, kUp, kLeft};
            for (const Point side : order) {
                if (std::ranges::any_of(taken, [&](Point p) { return same(p, side); })) continue;
                taken.push_back(side);
                part.pins[k].out = side;
                part.pins[k].at = kCircuitGrid * side;
                break;
            }
        }
    }

    static Sides sides_of(const CircuitPart& from) {
        Sides sides;
        std::vector<std::size_t> order(from.pins.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::size_t k) { return from.pins[k].order; });
        std::vector<std::size_t> power;
        for (const std::size_t k : order) {
            if (from.pins[k].kind == CircuitPin::Kind::power && !is_heat(from.pins[k])) power.push_back(k);
        }
        const bool one_way = power.size() == 1 || from.kind == CircuitPart::Kind::junction;
        for (std::size_t k = 0; k < power.size(); ++k) {
            const bool left = one_way ? from.pins[power[k]].arrow_in : 2 * k < power.size();
            (left ? sides.left : sides.right).push_back(power[k]);
        }
        for (const std::size_t k : order) {
            if (is_heat(from.pins[k])) sides.bottom.push_back(k);
            if (from.pins[k].kind == CircuitPin::Kind::input) sides.left.push_back(k);
            if (from.pins[k].kind == CircuitPin::Kind::output) sides.right.push_back(k);
        }
        return sides;
    }

    static std::string shortened(const std::string& text) {
        constexpr std::size_t kLongest = 28;
        std::string line;
        for (const char c : text) line += c == '\n' ? ' ' : c;
        if (utf8_count(line) <= kLongest) return line;
        std::size_t at = 0;
        for (std::size_t n = 0; n + 1 < kLongest; ++n) at += std::max<std::size_t>(1, utf8_length(line, at));
        return line.substr(0, at) + "…";
    }

    static void make_box(Part& part, const CircuitPart& from) {
        const bool expression = from.kind == CircuitPart::Kind::expression;
        part.look = expression ? Part::Look::expression : Part::Look::box;
        if (expression) part.type = shortened(part.type);
        const Sides sides = sides_of(from);
        const auto widest = [&](const std::vector<std::size_t>& pins) {
            double most = 0.0;
            for (const std::size_t k : pins) most = std::max(most, text_width(part.pins[k].name, kPinText));
            return most;
        };
        const bool named = !expression && from.kind == CircuitPart::Kind::component && from.pins.size() > 2;
        const std::size_t rows = std::max(sides.left.size(), sides.right.size());
        double width = text_width(part.type, kSmallSize) + kCircuitGrid;
        if (named) width = std::max(width, widest(sides.left) + widest(sides.right) + kPinStep);
        width = std::max({width, kPinStep * static_cast<double>(sides.bottom.size() + 1), kPinStep});
        double height = kPinStep * static_cast<double>(rows) + (named ? kPinStep : 0.0);
        height = std::max(height, kPinStep);
        part.size = {rounded_up(width), rounded_up(height)};
        const double first =
            named ? -part.size.y / 2 + kPinStep + kCircuitGrid : -kCircuitGrid * (static_cast<double>(rows) - 1);
        const auto column = [&](const std::vector<std::size_t>& pins, Point out) {
            const double spare = named ? 0.0 : kCircuitGrid * static_cast<double>(rows - pins.size());
            for (std::size_t k = 0; k < pins.size(); ++k) {
                Pin& pin = part.pins[pins[k]];
                pin.at = {out.x * part.size.x / 2, first + spare + kPinStep * static_cast<double>(k)};
                pin.out = out;
                pin.shown = named;
            }
        };
        if (rows > 0) {
            column(sides.left, kLeft);
            column(sides.right, kRight);
        }
        for (std::size_t k = 0; k < sides.bottom.size(); ++k) {
            Pin& pin = part.pins[sides.bottom[k]];
            pin.at = {kCircuitGrid * (2.0 * static_cast<double>(k) + 1.0 - static_cast<double>(sides.bottom.size())),
                      part.size.y / 2};
            pin.out = kDown;
        }
    }

    bool is_ground(const CircuitNet::End& end) const {
        const CircuitPart& part = circuit_.parts[end.part];
        const bool placed = part.place && part.place->at;
        return part.symbol && part.symbol->ground && part.pins.size() == 1 && !placed;
    }

    void add_net(const CircuitNet& net) {
        const auto ground = std::ranges::find_if(net.ends, [&](const auto& end) { return is_ground(end); });
        if (ground == net.ends.end() || net.kind != CircuitNet::Kind::connection) {
            made_.nets.push_back(net);
            return;
        }
        for (const CircuitNet::End& end : net.ends) {
            if (is_ground(end)) {
                replaced_.push_back(end.part);
                continue;
            }
            const auto number = static_cast<std::uint32_t>(made_.parts.size());
            Part part = made_.parts[ground->part];
            part.ground_of = end.part;
            made_.parts.push_back(std::move(part));
            made_.nets.push_back({.kind = net.kind, .domain = net.domain, .ends = {end, {number, 0}}});
        }
    }

    /// Grounds as the file has them are drawn no more, but where they are connected to nothing.
    void drop_replaced_grounds() {
        std::vector<std::uint32_t> number(made_.parts.size());
        std::vector<Part> kept;
        for (std::uint32_t k = 0; k < made_.parts.size(); ++k) {
            number[k] = static_cast<std::uint32_t>(kept.size());
            if (std::ranges::find(replaced_, k) == replaced_.end()) kept.push_back(std::move(made_.parts[k]));
        }
        for (Part& part : kept) {
            if (part.ground_of) part.ground_of = number[*part.ground_of];
        }
        for (CircuitNet& net : made_.nets) {
            for (CircuitNet::End& end : net.ends) end.part = number[end.part];
        }
        made_.parts = std::move(kept);
    }

    const model::Circuit& circuit_;
    Schematic made_;
    std::vector<std::uint32_t> replaced_;
};

}  // namespace

Point Stance::of(Point p) const {
    if (mirrored) p.x = -p.x;
    for (int k = 0; k < turns; ++k) p = {p.y, -p.x};
    // no negative zeros: places are compared and written
    return {p.x + 0.0, p.y + 0.0};
}

Schematic schematic_of(const model::Circuit& circuit) { return SchematicMaker(circuit).run(); }

}  // namespace bondgraph::drawing
