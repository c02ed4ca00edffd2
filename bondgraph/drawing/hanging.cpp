#include "bondgraph/drawing/hanging.hpp"

#include <algorithm>

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kMostPerSide = 3;
constexpr double kGap = 14.0;  // between elements side by side

class Hanger {
   public:
    Hanger(const Picture& picture, const std::vector<Box>& boxes, double bond)
        : picture_(picture), boxes_(boxes), bond_(bond), edges_at_(picture.nodes.size()) {
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

    /// Whether the node at the other end is joined to nothing else. Chains of frames stay chains.
    bool is_leaf(std::uint32_t edge, std::uint32_t host) const {
        const std::uint32_t leaf = other_end(edge, host);
        const Node& node = picture_.nodes[leaf];
        if (picture_.edges[edge].kind != EdgeKind::bond || node.frame != picture_.nodes[host].frame) return false;
        if (node.kind == NodeKind::composite && picture_.nodes[host].kind != NodeKind::composite) return false;
        const bool only_here = std::all_of(edges_at_[leaf].begin(), edges_at_[leaf].end(), [&](std::uint32_t e) {
            return other_end(e, leaf) == host && picture_.edges[e].kind != EdgeKind::frame;
        });
        return only_here && node.kind != NodeKind::junction && result_.places[host].host == kNone;
    }

    void arrange(std::uint32_t host) {
        bool left = false;
        bool right = false;
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
        std::vector<std::uint32_t> below;
        std::vector<std::uint32_t> above;
        for (const std::uint32_t e : leaves) {
            bool& side = picture_.edges[e].to == host ? left : right;
            if (!side) {
                side = true;
                continue;
            }
            auto& row = above.size() < below.size() ? above : below;
            if (row.size() < kMostPerSide) row.push_back(e);
        }
        Box& cell = result_.cells[host];
        for (const bool down : {true, false}) {
            const Box room = place_row(host, down ? below : above, down);
            cell.width = std::max(cell.width, room.width);
            cell.height = std::max(cell.height, room.height);
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
    Box place_row(std::uint32_t host, const std::vector<std::uint32_t>& row, bool down) {
        double width = 0.0;
        for (const std::uint32_t e : row) width += width_of(host, e);
        double x = -width / 2;
        double deepest = 0.0;
        const double bond = bond_ + room_for_ports(row);
        for (const std::uint32_t e : row) {
            const std::uint32_t element = other_end(e, host);
            const double own = width_of(host, e);
            const double height = boxes_[element].height;
            const double depth = boxes_[host].height / 2 + bond + height / 2;
            result_.places[element] = {host, {x + own / 2, down ? depth : -depth}};
            x += own;
            deepest = std::max(deepest, depth + height / 2);
        }
        return {{}, width, 2 * deepest};
    }

    const Picture& picture_;
    const std::vector<Box>& boxes_;
    double bond_;
    std::vector<std::vector<std::uint32_t>> edges_at_;
    Hanging result_;
};

}  // namespace

Hanging hang(const Picture& picture, const std::vector<Box>& boxes, double bond) {
    return Hanger(picture, boxes, bond).run();
}

}  // namespace bondgraph::drawing
