#include "bondgraph/drawing/labels.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {

void Labels::add(const Polyline& line, double cost) {
    for (std::size_t i = 1; i < line.size(); ++i) {
        pieces_.push_back({lines_, cost, line[i - 1], line[i]});
        around_pieces_.add_line(line[i - 1], line[i]);
    }
    ++lines_;
}

double Labels::cost(const Box& box) const {
    double sum = 0.0;
    for (const std::uint32_t n : boxes_.near(box)) {
        if (overlap(box, boxes_[n])) sum += kHides;
    }
    const Box airy = box.grown(kAir);
    std::vector<std::pair<std::size_t, double>> met;  // the lines, each with what it costs most
    for (const std::uint32_t p : around_pieces_.near(airy)) {
        const Piece& piece = pieces_[p];
        if (!crosses(airy, piece.a, piece.b)) continue;
        const double cost = crosses(box, piece.a, piece.b) ? piece.cost : kTouch * piece.cost;
        if (met.empty() || met.back().first != piece.line)
            met.emplace_back(piece.line, cost);
        else
            met.back().second = std::max(met.back().second, cost);
    }
    for (const auto& [line, cost] : met) sum += cost;
    return sum;
}

Box Labels::place(std::span<const Box> candidates) {
    Box best = candidates.front();
    double least = cost(best);
    for (const Box& candidate : candidates.subspan(1)) {
        if (least == 0.0) break;
        const double c = cost(candidate);
        if (c >= least) continue;
        least = c;
        best = candidate;
    }
    keep_apart(best);
    return best;
}

Box text_box(const std::string& text, double size, bool bold) {
    constexpr double kLine = 1.05;
    return {{}, text_width(text, size, bold), kLine * size};
}

Box beside(Box box, Point point, Point towards, double air) {
    // A box beside a level line is centred on the point; beside a slanting one it touches the point with a corner, so
    // that it stays near. In between, both in parts.
    constexpr double kSlanting = 0.35;
    const auto part = [](double component) { return std::clamp(component / kSlanting, -1.0, 1.0); };
    const Point half{box.width / 2, box.height / 2};
    const Point corner{part(towards.x) * half.x, part(towards.y) * half.y};
    const double reach = std::abs(towards.x) * half.x + std::abs(towards.y) * half.y;
    const double reached = towards.x * corner.x + towards.y * corner.y;
    box.centre = point + corner + (air + reach - reached) * towards;
    return box;
}

}  // namespace bondgraph::drawing
