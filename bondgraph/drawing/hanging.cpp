#include "bondgraph/drawing/hanging.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kMostPerSide = 3;
constexpr std::size_t kMostInRows = 16;
constexpr double kGap = 14.0;  // between elements side by side

/// Boxes on a circle about the origin, clockwise from the left, that leave each other and each other's spokes room.
class Circle {
   public:
    /// Open to the left and right it keeps these sides free.
    Circle(std::vector<Box> boxes, std::array<bool, 2> open) : boxes_(std::move(boxes)), open_(open) {}

    /// On the smallest circle that has room, of those that are not smaller than that.
    std::vector<Box> run(double radius) {
        constexpr double kLarger = 1.04;
        while (!fits(radius)) radius *= kLarger;
        return std::move(boxes_);
    }

   private:
    static constexpr double kTurn = 2 * std::numbers::pi;
    static constexpr double kOpen = kTurn / 18;  // to either side of the level line

    bool fits(double radius) {
        constexpr double kStep = 2.0;
        const double step = kStep / radius;
        double angle = 0.0;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            do {
                angle += step;
                if (angle > kTurn) return false;
                boxes_[i].centre = {-radius * std::cos(angle), -radius * std::sin(angle)};
            } while (is_in_opening(angle) || meets_another(i));
        }
        return true;
    }

    bool is_in_opening(double angle) const {
        const bool left = std::min(angle, kTurn - angle) < kOpen;
        return (open_[0] && left) || (open_[1] && std::abs(angle - kTurn / 2) < kOpen);
    }

    /// One of the last few, or of the first ones, which come next on the circle.
    bool meets_another(std::size_t i) const {
        constexpr std::size_t kFew = 4;
        for (std::size_t k = 1; k <= kFew; ++k) {
            if (k <= i && meet(boxes_[i], boxes_[i - k])) return true;
            if (k <= i && k - 1 < i - std::min(i, kFew) && meet(boxes_[i], boxes_[k - 1])) return true;
        }
        return false;
    }

    static bool meet(const Box& a, const Box& b) {
        constexpr double kBesideSpoke = 5.0;
        return overlap(a.grown(kGap / 2), b.grown(kGap / 2)) || crosses(a.grown(kBesideSpoke), {}, b.centre) ||
               crosses(b.grown(kBesideSpoke), {}, a.centre);
    }

    std::vector<Box> boxes_;
    std::array<bool, 2> open_;
};

class Hanger {
   public:
    Hanger(const Picture& picture, const std::vector<Box>& boxes, std::span<const Settled> settled, double bond)
        : picture_(picture), boxes_(boxes), settled_(settled), bond_(bond), edges_at_(picture.nodes.size()) {
        for (std::uint32_t e = 0; e < picture.edges.size(); ++e) {
            edges_at_[picture.edges[e].from].push_back(e);
            edges_at_[picture.edges[e].to].push_back(e);
        }
        result_.places.resize(picture.nodes.size());
        for (const Box& box : boxes) result_.cells.push_back({{}, box.width, box.height});
    }

    Hanging run() {
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            const NodeKind kind = picture_.nodes[n].kind;
            if (kind == NodeKind::junction || kind == NodeKind::composite) arrange(n);
        }
        return std::move(result_);
    }

   private:
    std::uint32_t other_end(std::uint32_t edge, std::uint32_t node) const {
        const Edge& e = picture_.edges[edge];
        return e.from == node ? e.to : e.from;
    }

    /// Whether the node at the other end is joined to nothing else; on what is in a block also what has signals hangs.
    /// Chains of frames stay chains.
    bool is_leaf(std::uint32_t edge, std::uint32_t host) const {
        const std::uint32_t leaf = other_end(edge, host);
        const Node& node = picture_.nodes[leaf];
        if (settled_[leaf].in_block) return false;
        if (picture_.edges[edge].kind != EdgeKind::bond || node.frame != picture_.nodes[host].frame) return false;
        if (node.kind == NodeKind::composite && picture_.nodes[host].kind != NodeKind::composite) return false;
        const bool only_here = std::all_of(edges_at_[leaf].begin(), edges_at_[leaf].end(), [&](std::uint32_t e) {
            if (picture_.edges[e].kind == EdgeKind::signal && settled_[host].in_block) return true;
            return other_end(e, leaf) == host && picture_.edges[e].kind != EdgeKind::frame;
        });
        return only_here && node.kind != NodeKind::junction && result_.places[host].host == kNone;
    }

    void arrange(std::uint32_t host) {
        bool left = settled_[host].in_block;
        bool right = settled_[host].in_block;
        std::vector<std::uint32_t> leaves;
        for (const std::uint32_t e : edges_at_[host]) {
            const Edge& edge = picture_.edges[e];
            if (is_leaf(e, host)) {
                const std::uint32_t leaf = other_end(e, host);
                const auto same = [&](std::uint32_t known) { return other_end(known, host) == leaf; };
                if (std::none_of(leaves.begin(), leaves.end(), same)) leaves.push_back(e);
            } else if (edge.kind == EdgeKind::frame) {
                left = right = true;
            } else if (edge.kind == EdgeKind::bond) {
                (edge.to == host ? left : right) = true;
            }
        }
        if (leaves.size() > kMostInRows && !settled_[host].in_block) return place_around(host, leaves, left, right);
        std::array<std::vector<std::uint32_t>, 2> rows;
        for (const std::uint32_t e : leaves) {
            bool& side = picture_.edges[e].to == host ? left : right;
            if (!side) {
                side = true;
                continue;
            }
            auto& row = rows[1].size() < rows[0].size() ? rows[1] : rows[0];
            if (row.size() < kMostPerSide) row.push_back(e);
        }
        const auto& sides = settled_[host].hanging;
        if (sides[0] == sides[1]) {
            rows[0].insert(rows[0].end(), rows[1].begin(), rows[1].end());
            rows[1].clear();
        }
        Box& cell = result_.cells[host];
        for (const std::size_t k : {0U, 1U}) {
            const Box room = place_row(host, rows[k], sides[k]);
            cell.width = std::max(cell.width, room.width);
            cell.height = std::max(cell.height, room.height);
        }
    }

    /// So many that rows had no room for them: in a circle around the junction.
    void place_around(std::uint32_t host, const std::vector<std::uint32_t>& leaves, bool left, bool right) {
        std::vector<Box> boxes;
        for (const std::uint32_t e : leaves) {
            boxes.push_back(boxes_[other_end(e, host)]);
            boxes.back().height += room_for_ports({e});
        }
        boxes = Circle(std::move(boxes), {left, right}).run(boxes_[host].width / 2 + 2 * bond_);
        Box& cell = result_.cells[host];
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            result_.places[other_end(leaves[k], host)] = {host, boxes[k].centre};
            cell.width = std::max(cell.width, 2 * std::abs(boxes[k].centre.x) + boxes[k].width);
            cell.height = std::max(cell.height, 2 * std::abs(boxes[k].centre.y) + boxes[k].height);
        }
    }

    /// The width a hanging element takes, its bond's texts included.
    double width_of(std::uint32_t host, std::uint32_t edge) const {
        const Edge& e = picture_.edges[edge];
        const double text = std::max(text_width(e.effort, kSmallSize), text_width(e.flow, kSmallSize));
        const double beside = text > 0.0 ? 2 * (text + kGap) : 0.0;
        return std::max(boxes_[other_end(edge, host)].width, beside) + kGap;
    }

    /// Names of ports at the ends of an upright bond and of variables at its middle stand above each other.
    double room_for_ports(const std::vector<std::uint32_t>& row) const {
        constexpr double kLine = 12.0;
        double most = 0.0;
        for (const std::uint32_t e : row) {
            const Edge& edge = picture_.edges[e];
            if (edge.effort.empty()) continue;
            most = std::max(most, kLine * ((edge.ports[0].empty() ? 0.0 : 1.0) + (edge.ports[1].empty() ? 0.0 : 1.0)));
        }
        return most;
    }

    /// Gives the size of a box around the host's middle with room for the row.
    Box place_row(std::uint32_t host, const std::vector<std::uint32_t>& row, Side side) {
        const bool upright = side == Side::left || side == Side::right;  // what hangs stands one above the other
        const auto extent = [&](std::uint32_t e) {
            return upright ? boxes_[other_end(e, host)].height + kGap : width_of(host, e);
        };
        double total = 0.0;
        for (const std::uint32_t e : row) total += extent(e);
        double along = -total / 2;
        double deepest = 0.0;
        const double bond = bond_ + (upright ? room_for_texts(row) : room_for_ports(row));
        for (const std::uint32_t e : row) {
            const std::uint32_t element = other_end(e, host);
            const double own = upright ? boxes_[element].width : boxes_[element].height;
            const double depth = (upright ? boxes_[host].width : boxes_[host].height) / 2 + bond + own / 2;
            const double signed_depth = side == Side::below || side == Side::right ? depth : -depth;
            const double middle = along + extent(e) / 2;
            result_.places[element] = {host, upright ? Point{signed_depth, middle} : Point{middle, signed_depth}};
            along += extent(e);
            deepest = std::max(deepest, depth + own / 2);
        }
        return upright ? Box{{}, 2 * deepest, total} : Box{{}, total, 2 * deepest};
    }

    /// Texts along a level bond.
    double room_for_texts(const std::vector<std::uint32_t>& row) const {
        double most = 0.0;
        for (const std::uint32_t e : row) {
            const Edge& edge = picture_.edges[e];
            const auto width = [](const std::string& text) { return text_width(text, kSmallSize); };
            most = std::max(most, std::max(width(edge.effort), width(edge.flow)) - kGap + width(edge.ports[0]) +
                                      width(edge.ports[1]));
        }
        return std::max(most, 0.0);
    }

    const Picture& picture_;
    const std::vector<Box>& boxes_;
    std::span<const Settled> settled_;
    double bond_;
    std::vector<std::vector<std::uint32_t>> edges_at_;
    Hanging result_;
};

}  // namespace

Hanging hang(const Picture& picture, const std::vector<Box>& boxes, std::span<const Settled> settled, double bond) {
    return Hanger(picture, boxes, settled, bond).run();
}

}  // namespace bondgraph::drawing
