#include "bondgraph/drawing/labels.hpp"

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
    boxes_.push_back(best);
    return best;
}

Box text_box(const std::string& text, double size, bool bold) {
    constexpr double kLine = 1.05;
    return {{}, text_width(text, size, bold), kLine * size};
}

Box beside(Box box, Point point, Point towards, double air) {
    const double reach = air + std::abs(towards.x) * box.width / 2 + std::abs(towards.y) * box.height / 2;
    box.centre = point + reach * towards;
    return box;
}

}  // namespace bondgraph::drawing
