#include "bondgraph/drawing/labels.hpp"

#include <algorithm>

#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {

double Labels::cost(const Box& box) const {
    constexpr double kHidesBox = 5.0;
    constexpr double kOnLine = 1.0;
    double sum = 0.0;
    for (const Box& other : boxes_) {
        if (overlap(box, other)) sum += kHidesBox;
    }
    for (const Polyline& line : lines_) {
        if (crosses(box, line)) sum += kOnLine;
    }
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
