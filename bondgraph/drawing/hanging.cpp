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
            if (picture_.nodes[n].kind == NodeKind::junction) arrange(n);
        }
        return std::move(result_);
    }

   private:
    std::uint32_t other_end(std::uint32_t edge, std::uint32_t node) const {
        const Edge& e = picture_.edges[edge];
        return e.from == node ? e.to : e.from;
    }

    bool is_leaf(std::uint32_t edge, std::uint32_t junction) const {
        const std::uint32_t other = other_end(edge, junction);
        return picture_.edges[edge].kind == EdgeKind::bond && picture_.nodes[other].kind == NodeKind::element &&
               edges_at_[other].size() == 1 && picture_.nodes[other].frame == picture_.nodes[junction].frame;
    }

    void arrange(std::uint32_t junction) {
        bool left = false;
        bool right = false;
        std::vector<std::uint32_t> leaves;
        for (const std::uint32_t e : edges_at_[junction]) {
            const Edge& edge = picture_.edges[e];
            if (is_leaf(e, junction))
                leaves.push_back(e);
            else if (edge.kind == EdgeKind::bond)
                (edge.to == junction ? left : right) = true;
        }
        std::vector<std::uint32_t> below;
        std::vector<std::uint32_t> above;
        for (const std::uint32_t e : leaves) {
            bool& side = picture_.edges[e].to == junction ? left : right;
            if (!side) {
                side = true;
                continue;
            }
            auto& row = above.size() < below.size() ? above : below;
            if (row.size() < kMostPerSide) row.push_back(e);
        }
        Box& cell = result_.cells[junction];
        for (const bool down : {true, false}) {
            const Box room = place_row(junction, down ? below : above, down);
            cell.width = std::max(cell.width, room.width);
            cell.height = std::max(cell.height, room.height);
        }
    }

    /// The width a hanging element takes, its bond's texts included.
    double width_of(std::uint32_t junction, std::uint32_t edge) const {
        const Edge& e = picture_.edges[edge];
        const double text = std::max(text_width(e.effort, kSmallSize), text_width(e.flow, kSmallSize));
        const double beside = text > 0.0 ? 2 * (text + kGap) : 0.0;
        return std::max(boxes_[other_end(edge, junction)].width, beside) + kGap;
    }

    /// Gives the size of a box around the junction's middle with room for the row.
    Box place_row(std::uint32_t junction, const std::vector<std::uint32_t>& row, bool down) {
        double width = 0.0;
        for (const std::uint32_t e : row) width += width_of(junction, e);
        double x = -width / 2;
        double deepest = 0.0;
        for (const std::uint32_t e : row) {
            const std::uint32_t element = other_end(e, junction);
            const double own = width_of(junction, e);
            const double height = boxes_[element].height;
            const double depth = boxes_[junction].height / 2 + bond_ + height / 2;
            result_.places[element] = {junction, e, {x + own / 2, down ? depth : -depth}};
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
