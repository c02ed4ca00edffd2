#include "bondgraph/drawing/bond_ends.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/draw_edges.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;

constexpr double kStep = 6.0;      // at junctions
constexpr double kFineStep = 2.0;  // at boxes, whose sides show how far away a line ends
constexpr double kFarthest = 30.0;
constexpr double kShortestLine = 34.0;   // that looks like one; half of it where strokes would lie on each other
constexpr std::size_t kMostAtOnce = 32;  // beyond that there is no room anyway

using Mark = std::array<Point, 2>;

struct End {
    std::uint32_t edge;
    std::uint32_t node;
    bool at_head;
    bool short_one;  ///< has no room to end anywhere else
    double slant;    ///< 0 where the line is level or upright
};

class Spreader {
   public:
    Spreader(const Picture& picture, std::span<const Box> nodes, std::span<const std::array<Box, 2>> ends,
             std::span<const Polyline> lines, std::span<EndGaps> gaps)
        : picture_(picture), nodes_(nodes), ends_(ends), lines_(lines), gaps_(gaps), boxes_(nodes) {}

    void run() {
        std::vector<End> ends = marked_ends();
        // The first keep their places: short lines, then those that are level or upright.
        std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
            return std::tuple(a.node, !a.short_one, a.slant) < std::tuple(b.node, !b.short_one, b.slant);
        });
        for (auto first = ends.begin(); first != ends.end();) {
            const auto last = std::find_if(first, ends.end(), [&](const End& e) { return e.node != first->node; });
            if (static_cast<std::size_t>(last - first) <= kMostAtOnce || !is_junction(first->node))
                spread({first, last});
            first = last;
        }
    }

   private:
    std::vector<End> marked_ends() const {
        std::vector<End> ends;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            for (const bool at_head : {false, true}) {
                const std::uint32_t node = at_head ? edge.to : edge.from;
                const bool at_bar = ends_[e][at_head ? 1 : 0].width == 0.0;  // where there is room
                if (at_bar || !has_mark(edge, at_head)) continue;
                const Polyline line = drawn(e);
                const Point way = direction(nodes_[node].centre, at_head ? line.back() : line.front());
                const bool short_one = length(line.back() - line.front()) < kShortestLine + kFarthest;
                ends.push_back({e, node, at_head, short_one, std::min(std::abs(way.x), std::abs(way.y))});
            }
        }
        return ends;
    }

    bool is_junction(std::uint32_t node) const { return picture_.nodes[node].kind == NodeKind::junction; }

    Polyline drawn(std::uint32_t e) const {
        return clipped(lines_[e], ends_[e][0].grown(gaps_[e][0]), ends_[e][1].grown(gaps_[e][1]));
    }

    /// Strokes and half arrow of a bond, a bit longer than they are drawn: they are to have air around them.
    std::vector<Mark> marks_on(const Edge& edge, const Polyline& line) const {
        constexpr double kAir = 1.5;
        std::vector<Shape> shapes;
        draw_edge(edge, line, theme_, shapes);
        std::vector<Mark> marks;
        for (const Shape& s : shapes) {
            if (s.role != "stroke" && s.role != "barb") continue;
            const Point along = direction(s.points[0], s.points[1]);
            marks.push_back({s.points[0] - kAir * along, s.points[1] + kAir * along});
        }
        return marks;
    }

    void spread(std::span<const End> ends) {
        std::vector<Mark> taken;
        for (const End& end : ends) {
            double& gap = gaps_[end.edge][end.at_head ? 1 : 0];
            const double narrowest = gap;
            const double step = is_junction(end.node) ? kStep : kFineStep;
            double best = gap;
            std::size_t least = std::numeric_limits<std::size_t>::max();
            std::vector<Mark> chosen;
            // A stroke that shows is worth more than a long line.
            for (gap = narrowest; gap <= narrowest + kFarthest && least > 0; gap += step) {
                const Polyline line = drawn(end.edge);
                if (gap > narrowest && length(line.back() - line.front()) < kShortestLine / 2) break;
                std::vector<Mark> marks = marks_on(picture_.edges[end.edge], line);
                const std::size_t crossed = crossings(marks, taken);
                if (crossed >= least) continue;
                least = crossed;
                best = gap;
                chosen = std::move(marks);
            }
            gap = best;
            taken.insert(taken.end(), chosen.begin(), chosen.end());
        }
    }

    /// How often marks lie on others or on boxes.
    std::size_t crossings(const std::vector<Mark>& marks, const std::vector<Mark>& taken) const {
        constexpr double kHalfLine = 1.0;
        std::size_t count = 0;
        for (const Mark& mark : marks) {
            const auto meets = [&](const Mark& t) { return segments_cross(mark[0], mark[1], t[0], t[1]); };
            count += static_cast<std::size_t>(std::count_if(taken.begin(), taken.end(), meets));
            for (const std::uint32_t n : boxes_.near(mark[0], mark[1])) {
                if (!is_junction(n) && crosses(nodes_[n].grown(kHalfLine), mark[0], mark[1])) ++count;
            }
        }
        return count;
    }

    const Theme theme_ = theme_named(ThemeName::colour);
    const Picture& picture_;
    std::span<const Box> nodes_;
    std::span<const std::array<Box, 2>> ends_;
    std::span<const Polyline> lines_;
    std::span<EndGaps> gaps_;
    BoxIndex boxes_;
};

}  // namespace

bool has_mark(const Edge& edge, bool at_head) {
    if (edge.kind != EdgeKind::bond) return false;
    return at_head || std::find(edge.strokes.begin(), edge.strokes.end(), Stroke::at_from) != edge.strokes.end();
}

void keep_ends_apart(const Picture& picture, std::span<const Box> nodes, std::span<const std::array<Box, 2>> ends,
                     std::span<const Polyline> lines, std::span<EndGaps> gaps) {
    Spreader(picture, nodes, ends, lines, gaps).run();
}

}  // namespace bondgraph::drawing
