#include "bondgraph/drawing/make_way.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/frames.hpp"
#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kClearance = 6.0;

class WayMaker {
   public:
    WayMaker(const Picture& picture, const Hanging& hanging, std::span<Box> boxes, std::span<Box> frames)
        : picture_(picture), hanging_(hanging), boxes_(boxes), frames_(frames), index_(boxes) {
        edges_at_.resize(boxes.size());
        between_.resize(boxes.size(), 0.0);
        hanging_on_.resize(boxes.size());
        for (std::uint32_t e = 0; e < picture.edges.size(); ++e) {
            const Edge& edge = picture.edges[e];
            if (!hangs(edge.from) && !hangs(edge.to)) {
                edges_at_[edge.from].push_back(e);
                edges_at_[edge.to].push_back(e);
            }
            for (const auto& [leaf, host] : {std::pair{edge.from, edge.to}, std::pair{edge.to, edge.from}}) {
                if (hanging.places[leaf].host != host) continue;
                between_[leaf] =
                    std::max({between_[leaf], text_width(edge.effort, kSmallSize), text_width(edge.flow, kSmallSize)});
            }
        }
        for (std::uint32_t n = 0; n < boxes.size(); ++n) {
            if (hangs(n)) hanging_on_[hanging.places[n].host].push_back(n);
        }
    }

    void run() {
        for (std::uint32_t host = 0; host < boxes_.size(); ++host) {
            const auto& nodes = hanging_on_[host];
            if (nodes.empty() || obstructions(host) == 0) continue;
            double aside = 0.0;
            for (const std::uint32_t n : nodes) aside = std::max(aside, boxes_[n].width / 2 + 2 * kClearance);
            std::size_t least = std::numeric_limits<std::size_t>::max();
            Point best;
            for (const Point way :
                 {Point{0, 1}, Point{0, -1}, Point{aside, 1}, Point{-aside, 1}, Point{aside, -1}, Point{-aside, -1}}) {
                put_aside(nodes, way);
                const std::size_t cost = obstructions(host);
                if (cost >= least) continue;
                least = cost;
                best = way;
            }
            put_aside(nodes, best);
            for (const std::uint32_t n : nodes) grow_frames(picture_, boxes_[n], n, frames_);
        }
    }

   private:
    bool hangs(std::uint32_t node) const { return hanging_.places[node].host != kNone; }

    /// Everything that hangs on a host at its place, but moved to the side by way.x, and turned over where way.y is -1.
    void put_aside(const std::vector<std::uint32_t>& nodes, Point way) {
        for (const std::uint32_t n : nodes) {
            const Hanging::Place& place = hanging_.places[n];
            boxes_[n].centre = boxes_[place.host].centre + Point{place.offset.x + way.x, place.offset.y * way.y};
            index_.move(n, boxes_[n]);
        }
    }

    std::size_t obstructions(std::uint32_t host) const {
        std::size_t count = 0;
        const auto& nodes = hanging_on_[host];
        for (const std::uint32_t n : nodes) {
            if (!frames_.empty()) count += out_of_frame(picture_, boxes_, n, frames_);
            const Box box = boxes_[n].grown(kClearance);
            const Box texts = texts_between(n, host);
            for (const std::uint32_t e : edges_at_[host]) {
                const Edge& edge = picture_.edges[e];
                const auto runs_through = [&](const Box& b) {
                    return crosses(b, boxes_[edge.from].centre, boxes_[edge.to].centre);
                };
                if (runs_through(box)) count += 2;
                if (texts.width > 0.0 && runs_through(texts)) ++count;
            }
            for (const std::uint32_t other : index_.near(box)) {
                if (std::find(nodes.begin(), nodes.end(), other) == nodes.end() && overlap(box, boxes_[other]))
                    count += 6;
            }
        }
        return count;
    }

    /// The room for effort and flow beside the bond between a host and what hangs on it.
    Box texts_between(std::uint32_t hanging, std::uint32_t host) const {
        const double wide = between_[hanging];
        if (wide == 0.0) return {};
        return {0.5 * (boxes_[hanging].centre + boxes_[host].centre), 2 * (wide + kClearance), kSmallSize};
    }

    const Picture& picture_;
    const Hanging& hanging_;
    std::span<Box> boxes_;
    std::span<Box> frames_;
    BoxIndex index_;
    std::vector<std::vector<std::uint32_t>> edges_at_;  ///< per node, without those to what hangs on it
    std::vector<std::vector<std::uint32_t>> hanging_on_;
    std::vector<double> between_;  ///< the width of the texts beside the bond to the host
};

}  // namespace

void make_way(const Picture& picture, const Hanging& hanging, std::span<Box> boxes, std::span<Box> frames) {
    WayMaker(picture, hanging, boxes, frames).run();
}

}  // namespace bondgraph::drawing
