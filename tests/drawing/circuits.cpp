#include "tests/drawing/circuits.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace bondgraph::drawing {
namespace {

using GridPoint = std::pair<long, long>;
using GridStep = std::pair<GridPoint, GridPoint>;

GridPoint grid_point(Point p) { return {std::lround(p.x / kCircuitGrid), std::lround(p.y / kCircuitGrid)}; }
bool lies_on_grid(Point p) {
    return std::abs(p.x - kCircuitGrid * std::round(p.x / kCircuitGrid)) < 1e-6 &&
           std::abs(p.y - kCircuitGrid * std::round(p.y / kCircuitGrid)) < 1e-6;
}

struct NamedBox {
    std::string name;
    Box box;
    std::uint32_t part;
};

std::vector<NamedBox> boxes_of(const Schematic& schematic, const CircuitLayout& layout) {
    std::vector<NamedBox> boxes;
    for (std::uint32_t k = 0; k < schematic.parts.size(); ++k) {
        const std::string name = schematic.parts[k].name.empty() ? schematic.parts[k].type : schematic.parts[k].name;
        boxes.push_back({"symbol " + name, layout.parts[k].box, k});
        if (layout.parts[k].label) boxes.push_back({"label " + name, layout.parts[k].label->box, k});
    }
    return boxes;
}

std::string net_name(const Schematic& schematic, std::size_t n) {
    const auto& end = schematic.nets[n].ends.front();
    return "net of " + schematic.parts[end.part].name + "." + schematic.parts[end.part].pins[end.pin].name;
}

/// Every step along the grid of a net; what is no line along it is told.
std::set<GridStep> steps_of(const CircuitLayout& layout, std::size_t n, const std::string& name,
                            std::vector<std::string>& flaws) {
    std::set<GridStep> steps;
    for (const Polyline& line : layout.wiring.lines[n]) {
        for (std::size_t k = 0; k + 1 < line.size(); ++k) {
            if (!lies_on_grid(line[k]) || !lies_on_grid(line[k + 1])) flaws.push_back(name + " leaves the grid");
            GridPoint at = grid_point(line[k]);
            const GridPoint to = grid_point(line[k + 1]);
            if (at.first != to.first && at.second != to.second) {
                flaws.push_back(name + " has an oblique line");
                continue;
            }
            while (at != to) {
                GridPoint next = at;
                if (at.first != to.first) next.first += at.first < to.first ? 1 : -1;
                if (at.second != to.second) next.second += at.second < to.second ? 1 : -1;
                steps.insert(std::minmax(at, next));
                at = next;
            }
        }
    }
    return steps;
}

/// Whether all steps hang together and reach all of the points.
bool is_whole(const std::set<GridStep>& steps, const std::vector<GridPoint>& points) {
    std::map<GridPoint, std::vector<GridPoint>> next;
    for (const auto& [a, b] : steps) {
        next[a].push_back(b);
        next[b].push_back(a);
    }
    std::set<GridPoint> seen{points.front()};
    std::vector<GridPoint> open{points.front()};
    while (!open.empty()) {
        const GridPoint at = open.back();
        open.pop_back();
        for (const GridPoint& p : next[at]) {
            if (seen.insert(p).second) open.push_back(p);
        }
    }
    const auto is_seen = [&](const GridPoint& p) { return seen.contains(p); };
    return std::ranges::all_of(points, is_seen) &&
           std::ranges::all_of(steps, [&](const GridStep& s) { return is_seen(s.first); });
}

}  // namespace

std::vector<std::string> flaws_of(const Schematic& schematic, const CircuitLayout& layout) {
    std::vector<std::string> flaws;
    const std::vector<NamedBox> boxes = boxes_of(schematic, layout);
    for (std::size_t a = 0; a < boxes.size(); ++a) {
        for (std::size_t b = a + 1; b < boxes.size(); ++b) {
            if (overlap(boxes[a].box.grown(-0.5), boxes[b].box.grown(-0.5)))
                flaws.push_back(boxes[a].name + " lies on " + boxes[b].name);
        }
    }
    std::map<GridPoint, std::map<std::size_t, std::array<bool, 2>>> passing;  // by net: horizontally, vertically
    std::set<GridStep> taken;
    for (std::size_t n = 0; n < schematic.nets.size(); ++n) {
        const std::string name = net_name(schematic, n);
        const std::set<GridStep> steps = steps_of(layout, n, name, flaws);
        for (const GridStep& step : steps) {
            if (!taken.insert(step).second) flaws.push_back(name + " runs along another one");
            for (const GridPoint& p : {step.first, step.second})
                passing[p][n][step.first.first == step.second.first ? 1 : 0] = true;
            const Point middle{kCircuitGrid * static_cast<double>(step.first.first + step.second.first) / 2,
                               kCircuitGrid * static_cast<double>(step.first.second + step.second.second) / 2};
            for (const NamedBox& box : boxes) {
                if (box.box.grown(-0.5).contains(middle)) flaws.push_back(name + " goes through " + box.name);
            }
        }
        std::vector<GridPoint> pins;
        for (const auto& end : schematic.nets[n].ends) pins.push_back(grid_point(layout.pin(schematic, end)));
        if (!is_whole(steps, pins)) flaws.push_back(name + " does not reach all of its pins");
    }
    for (const auto& [point, nets] : passing) {
        if (nets.size() > 2) flaws.emplace_back("three nets cross in a point");
        for (const auto& [n, ways] : nets) {
            if (nets.size() > 1 && ways[0] && ways[1])
                flaws.push_back(net_name(schematic, n) + " bends or branches on another one");
        }
    }
    return flaws;
}

}  // namespace bondgraph::drawing
