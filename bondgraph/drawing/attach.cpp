#include "bondgraph/drawing/attach.hpp"

#include <algorithm>
#include <tuple>

namespace bondgraph::drawing {
namespace {

/// Where an edge meets a node: a side and its place among the edges on that side.
enum class Border : std::uint8_t { left, right, top, bottom };

struct Contact {
    std::uint32_t node;
    Border side;
    double order;  // along the side
    std::uint32_t edge;
    bool at_head;
};

class Attachment {
   public:
    Attachment(const Picture& picture, std::span<const Box> boxes) : picture_(picture), boxes_(boxes) {}

    std::vector<std::array<Point, 2>> run(std::span<const std::optional<Point>> bends) {
        std::vector<Contact> contacts;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            ends_.push_back({boxes_[edge.from].centre, boxes_[edge.to].centre});
            if (!bends[e]) continue;
            contacts.push_back(contact(e, edge.from, edge.to, false, *bends[e]));
            contacts.push_back(contact(e, edge.to, edge.from, true, *bends[e]));
        }
        std::stable_sort(contacts.begin(), contacts.end(), [](const Contact& a, const Contact& b) {
            return std::tie(a.node, a.side, a.order) < std::tie(b.node, b.side, b.order);
        });
        for (std::size_t i = 0; i < contacts.size();) {
            std::size_t end = i;
            while (end < contacts.size() && contacts[end].node == contacts[i].node &&
                   contacts[end].side == contacts[i].side)
                ++end;
            spread(std::span(contacts).subspan(i, end - i));
            i = end;
        }
        return std::move(ends_);
    }

   private:
    /// Of several lines that lead the same way each meets the side where it is bent to.
    Contact contact(std::uint32_t e, std::uint32_t node, std::uint32_t other, bool at_head, Point bend) const {
        constexpr double kOrderOnly = 0.01;
        const Box& box = boxes_[node];
        const Point to = boxes_[other].centre - box.centre;
        const bool sideways = std::abs(to.x) - box.width / 2 >= std::abs(to.y) - box.height / 2;
        const Border side =
            sideways ? (to.x < 0 ? Border::left : Border::right) : (to.y < 0 ? Border::top : Border::bottom);
        return {node, side, sideways ? to.y + kOrderOnly * bend.y : to.x + kOrderOnly * bend.x, e, at_head};
    }

    void spread(std::span<const Contact> side) {
        const std::uint32_t node = side.front().node;
        if (picture_.nodes[node].kind == NodeKind::junction) return;
        constexpr double kBetween = 18.0;
        const Box& box = boxes_[node];
        // A single level (or upright) line stays so where the others find room beside it.
        const auto is_level = [](const Contact& c) { return std::abs(c.order) < 1.0; };
        double middle = (static_cast<double>(side.size()) - 1.0) / 2.0;
        if (side.size() <= 3 && std::count_if(side.begin(), side.end(), is_level) == 1)
            middle = static_cast<double>(std::find_if(side.begin(), side.end(), is_level) - side.begin());
        for (std::size_t k = 0; k < side.size(); ++k) {
            const double place = static_cast<double>(k) - middle;
            const auto along = [&](double extent) {
                return place * std::min(kBetween, extent / (static_cast<double>(side.size()) + 1.0));
            };
            Point p = box.centre;
            switch (side[k].side) {
                case Border::left:
                    p = p + Point{-box.width / 2, along(box.height)};
                    break;
                case Border::right:
                    p = p + Point{box.width / 2, along(box.height)};
                    break;
                case Border::top:
                    p = p + Point{along(box.width), -box.height / 2};
                    break;
                case Border::bottom:
                    p = p + Point{along(box.width), box.height / 2};
                    break;
            }
            ends_[side[k].edge][side[k].at_head ? 1 : 0] = p;
        }
    }

    const Picture& picture_;
    std::span<const Box> boxes_;
    std::vector<std::array<Point, 2>> ends_;
};

}  // namespace

std::vector<std::array<Point, 2>> attach(const Picture& picture, std::span<const Box> boxes,
                                         std::span<const std::optional<Point>> bends) {
    return Attachment(picture, boxes).run(bends);
}

}  // namespace bondgraph::drawing
