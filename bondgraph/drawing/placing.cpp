#include "bondgraph/drawing/placing.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bondgraph/drawing/blocks.hpp"
#include "bondgraph/drawing/close_up.hpp"
#include "bondgraph/drawing/feedback.hpp"
#include "bondgraph/drawing/fold.hpp"
#include "bondgraph/drawing/graphviz.hpp"
#include "bondgraph/drawing/hanging.hpp"
#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/make_way.hpp"
#include "bondgraph/drawing/mirror.hpp"
#include "bondgraph/drawing/stars.hpp"
#include "bondgraph/drawing/straighten.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kRankGap = 16.0;
constexpr double kFrameMargin = 22.0;
constexpr double kNodeGap = 16.0;

int weight_of(const Edge& edge) {
    switch (edge.kind) {
        case EdgeKind::bond:
            return 20;
        case EdgeKind::frame:
            return 30;
        case EdgeKind::signal:
            break;
    }
    return 1;
}

/// Per node a number that those have in common which bonds and frames join.
std::vector<std::uint32_t> joined_by_bonds(const Picture& picture) {
    std::vector<std::uint32_t> group(picture.nodes.size());
    std::iota(group.begin(), group.end(), 0U);
    const auto root = [&](std::uint32_t n) {
        while (group[n] != n) n = group[n] = group[group[n]];
        return n;
    };
    for (const Edge& e : picture.edges) {
        if (e.kind != EdgeKind::signal) group[root(e.from)] = root(e.to);
    }
    for (std::uint32_t n = 0; n < group.size(); ++n) group[n] = root(n);
    return group;
}

class Placer {
   public:
    Placer(const Picture& picture, const std::vector<Box>& boxes, double bond)
        : picture_(picture), bond_(bond), boxes_(boxes) {
        named_ =
            std::any_of(picture.edges.begin(), picture.edges.end(), [](const Edge& e) { return !e.effort.empty(); });
        blocks_ = find_blocks(picture);
        std::vector<Settled> settled = settle(picture, blocks_);
        std::vector<bool> taken;
        for (const Settled& s : settled) taken.push_back(s.in_block);
        stars_ = find_stars(picture, boxes, taken, bond);
        star_of_.assign(boxes.size(), kNone);
        for (std::uint32_t s = 0; s < stars_.size(); ++s) {
            for (const std::uint32_t n : stars_[s].nodes) {
                settled[n].in_block = true;
                star_of_[n] = s;
            }
        }
        hanging_ = hang(picture, boxes, settled, kShortestBond);
        find_rooms();
    }

    Placing run() {
        rank();
        turn_parts();
        straighten_rows();
        make_way(picture_, hanging_, boxes_, frames_);
        close_rows_up();
        Placing placing;
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) placing.along.push_back(along(n));
        find_bars(placing);
        fold_rows(placing);
        for (const Hanging::Place& p : hanging_.places) placing.hosts.push_back(p.host);
        placing.nodes = std::move(boxes_);
        placing.frames = std::move(frames_);
        return placing;
    }

   private:
    bool hangs(std::uint32_t node) const { return hanging_.places[node].host != kNone; }

    /// Half of the shortest line on either side. Lines that join frames may be short.
    void find_rooms() {
        constexpr double kFrameLine = 26.0;
        std::vector<bool> frames_only(picture_.nodes.size(), true);
        for (const Edge& e : picture_.edges) {
            if (e.kind != EdgeKind::frame && !hangs(e.from) && !hangs(e.to))
                frames_only[e.from] = frames_only[e.to] = false;
        }
        for (std::size_t n = 0; n < picture_.nodes.size(); ++n) {
            const bool brief = frames_only[n] && picture_.nodes[n].kind == NodeKind::composite;
            room_.push_back((brief ? kFrameLine : bond_) - kRankGap);
        }
    }

    // ---- ranks
    // -------------------------------------------------------------------------------------------------------

    /// What Graphviz moves as one: a node with what hangs on it, or a block of such.
    struct Unit {
        std::vector<std::uint32_t> nodes;
        std::vector<Point> offsets;
        Box room;
    };

    Box room_of(std::uint32_t node, Point offset) const {
        const Box& cell = hanging_.cells[node];
        return {offset, std::max(boxes_[node].width + room_[node], cell.width), cell.height};
    }

    void find_units() {
        unit_of_.assign(picture_.nodes.size(), kNone);
        for (const Block& block : blocks_) {
            Unit unit;
            for (const auto& row : block.rows) unit.nodes.insert(unit.nodes.end(), row.begin(), row.end());
            unit.offsets = offsets_in(block, picture_, boxes_, hanging_.cells, bond_);
            unit.room = room_of(unit.nodes[0], unit.offsets[0]);
            for (std::size_t k = 1; k < unit.nodes.size(); ++k)
                unit.room = around(unit.room, room_of(unit.nodes[k], unit.offsets[k]));
            for (Point& p : unit.offsets) p = p - unit.room.centre;
            unit.room.centre = {};
            for (const std::uint32_t n : unit.nodes) unit_of_[n] = static_cast<std::uint32_t>(units_.size());
            units_.push_back(std::move(unit));
        }
        for (const Star& star : stars_) {
            Unit unit{star.nodes, star.offsets, star.room};
            unit.room.width += bond_ - kRankGap;
            unit.room.height += kRankGap;
            for (Point& p : unit.offsets) p = p - unit.room.centre;
            unit.room.centre = {};
            for (const std::uint32_t n : unit.nodes) unit_of_[n] = static_cast<std::uint32_t>(units_.size());
            units_.push_back(std::move(unit));
        }
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            if (unit_of_[n] != kNone || hangs(n)) continue;
            unit_of_[n] = static_cast<std::uint32_t>(units_.size());
            units_.push_back({{n}, {Point{}}, room_of(n, {})});
        }
        // In the order of the file: it decides wherever there is a choice.
        std::vector<std::uint32_t> order(units_.size());
        std::iota(order.begin(), order.end(), 0U);
        const auto first = [&](std::uint32_t u) {
            return *std::min_element(units_[u].nodes.begin(), units_[u].nodes.end());
        };
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return first(a) < first(b); });
        std::vector<Unit> sorted;
        for (const std::uint32_t u : order) {
            for (const std::uint32_t n : units_[u].nodes) unit_of_[n] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(std::move(units_[u]));
        }
        units_ = std::move(sorted);
    }

    /// Where bonds tell how two things stand to each other, signals don't. What is fed back goes from the right to the
    /// left beside the bonds: on a cycle not everything can go to the right, and bonds have to.
    std::vector<RankedGraph::Edge> ranked_lines() const {
        std::vector<bool> bonded(units_.size(), false);
        for (const Edge& edge : picture_.edges) {
            if (edge.kind == EdgeKind::signal) continue;
            for (const std::uint32_t n : {edge.from, edge.to}) {
                if (!hangs(n)) bonded[unit_of_[n]] = true;
            }
        }
        const std::vector<std::uint32_t> joined = joined_by_bonds(picture_);
        const std::vector<bool> told = lines_that_rank();
        std::vector<RankedGraph::Edge> lines;
        std::vector<Influence> influences;
        for (std::size_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            if (!told[e] || hangs(edge.from) || hangs(edge.to) || unit_of_[edge.from] == unit_of_[edge.to]) continue;
            const bool signal = edge.kind == EdgeKind::signal;
            const bool directed = !signal || joined[edge.from] != joined[edge.to];
            lines.push_back({unit_of_[edge.from], unit_of_[edge.to], weight_of(edge), directed});
            influences.push_back({directed ? lines.back().from : lines.back().to, lines.back().to, signal});
        }
        const std::vector<bool> back = feedback(bonded, influences);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!back[i] || !lines[i].directed) continue;
            std::swap(lines[i].from, lines[i].to);
            lines[i].directed = !bonded[lines[i].from] && !bonded[lines[i].to];
        }
        return lines;
    }

    /// A node that a hundred lines lead to (the ground of a line in sections) stands well nowhere: of its lines only
    /// those say how things stand to each other that join what nothing else does. Graphviz would take minutes over the
    /// rest.
    std::vector<bool> lines_that_rank() const {
        constexpr std::size_t kMany = 24;
        std::vector<std::size_t> count(units_.size(), 0);
        std::vector<std::uint32_t> group(units_.size());
        std::iota(group.begin(), group.end(), 0U);
        const auto root = [&](std::uint32_t u) {
            while (group[u] != u) u = group[u] = group[group[u]];
            return u;
        };
        const auto ends = [&](const Edge& e) { return std::pair{unit_of_[e.from], unit_of_[e.to]}; };
        const auto ranks = [&](const Edge& e) { return !hangs(e.from) && !hangs(e.to); };
        for (const Edge& e : picture_.edges) {
            if (!ranks(e)) continue;
            ++count[ends(e).first];
            ++count[ends(e).second];
        }
        std::vector<bool> told(picture_.edges.size(), true);
        for (const bool many : {false, true}) {
            for (std::size_t e = 0; e < told.size(); ++e) {
                const Edge& edge = picture_.edges[e];
                if (!ranks(edge)) continue;
                const auto [a, b] = ends(edge);
                if ((std::max(count[a], count[b]) > kMany) != many) continue;
                told[e] = !many || root(a) != root(b);
                if (told[e]) group[root(a)] = root(b);
            }
        }
        return told;
    }

    void rank() {
        find_units();
        RankedGraph graph{
            .frame_margin = kFrameMargin, .node_gap = named_ ? 2 * kNodeGap : kNodeGap, .rank_gap = kRankGap};
        for (const Unit& u : units_)
            graph.nodes.push_back({u.room.width, u.room.height, picture_.nodes[u.nodes[0]].frame});
        for (const Frame& frame : picture_.frames) graph.frames.push_back({frame.parent});
        graph.edges = ranked_lines();
        RankedLayout ranked = rank_layout(graph);
        // Graphviz sets frames close to each other: a bond between two needs room.
        constexpr double kForBonds = 3.0;
        for (const Box& frame : ranked.frames) frames_.push_back(frame.grown(-kForBonds));
        for (std::size_t u = 0; u < units_.size(); ++u) {
            for (std::size_t k = 0; k < units_[u].nodes.size(); ++k)
                boxes_[units_[u].nodes[k]].centre = ranked.nodes[u] + units_[u].offsets[k];
        }
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            if (hangs(n)) boxes_[n].centre = boxes_[hanging_.places[n].host].centre + hanging_.places[n].offset;
        }
    }

    // ---- afterwards
    // --------------------------------------------------------------------------------------------------

    bool is_written() const {
        return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.written; });
    }

    /// A controller beside the bonds it acts on has its ranks apart from theirs.
    void turn_parts() {
        if (!picture_.frames.empty() || is_written()) return;
        std::vector<double> middles;
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) {
            const Unit& unit = units_[unit_of_[hangs(n) ? hanging_.places[n].host : n]];
            middles.push_back(boxes_[unit.nodes[0]].centre.y - unit.offsets[0].y);
        }
        mirror_parts(boxes_, std::move(middles), joined_by_bonds(picture_), all_lines());
    }

    std::vector<std::pair<std::uint32_t, std::uint32_t>> all_lines() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
        for (const Edge& edge : picture_.edges) {
            if (!is_in_star(edge)) lines.emplace_back(edge.from, edge.to);
        }
        return lines;
    }

    /// Per node the first of what is moved with it.
    std::vector<std::uint32_t> moved_together() const {
        std::vector<std::uint32_t> together;
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            const std::uint32_t host = hangs(n) ? hanging_.places[n].host : n;
            together.push_back(units_[unit_of_[host]].nodes.front());
        }
        return together;
    }

    /// Lines that are nearly level become level, unless a sub-model's frame would no longer hold what it is drawn
    /// around.
    void straighten_rows() {
        if (!picture_.frames.empty()) return;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
        for (const Edge& edge : picture_.edges) {
            if (!hangs(edge.from) && !hangs(edge.to) && edge.kind != EdgeKind::signal && !is_in_star(edge))
                lines.emplace_back(edge.from, edge.to);
        }
        straighten(boxes_, lines, moved_together());
    }

    /// Between rows stays room for the names of junctions, and for variables above and below slanting bonds.
    void close_rows_up() {
        constexpr double kText = 12.0;
        const double gap = named_ ? 2 * kNodeGap + 3 * kText : kNodeGap + kText;
        if (!picture_.frames.empty()) return;
        close_up(boxes_, all_lines(), moved_together(), gap);
    }

    /// What is much wider than high is broken into rows, unless the file says where things stand.
    void fold_rows(Placing& placing) {
        constexpr double kBetweenRows = 46.0;
        if (is_written()) return;
        std::vector<FoldLine> lines;
        for (const Edge& edge : picture_.edges) lines.push_back({edge.from, edge.to, edge.kind != EdgeKind::signal});
        std::vector<std::uint32_t> hosts;
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) hosts.push_back(hangs(n) ? hanging_.places[n].host : n);
        const Folding folding = fold(boxes_, hosts, whole(), lines, kBetweenRows);
        if (!folding.any()) return;
        for (const std::uint32_t n : folding.turned_over())
            boxes_[n].centre.y = 2 * boxes_[hosts[n]].centre.y - boxes_[n].centre.y;
        for (auto* all : {&boxes_, &frames_}) {
            for (Box& box : *all) box.centre = folding.moved(box.centre);
        }
        for (Bar& bar : placing.bars) {
            for (Polyline& piece : bar.pieces) {
                for (Point& p : piece) p = folding.moved(p);
            }
        }
        for (auto& foot : placing.feet) {
            if (foot) foot = folding.moved(*foot);
        }
    }

    void find_bars(Placing& placing) const {
        placing.feet.resize(picture_.edges.size());
        for (const Star& star : stars_) {
            const std::uint32_t hub = star.nodes.front();
            const Point middle = boxes_[hub].centre;
            Bar bar{hub, star.bar};
            for (Polyline& piece : bar.pieces) {
                for (Point& p : piece) p = p + middle;
            }
            placing.bars.push_back(std::move(bar));
            for (const Star::Foot& foot : star.feet) placing.feet[foot.edge] = middle + foot.at;
        }
    }

    bool is_in_star(const Edge& edge) const {
        return star_of_[edge.from] != kNone && star_of_[edge.from] == star_of_[edge.to];
    }

    /// What belongs to a ring stands where the ring does.
    double along(std::uint32_t n) const {
        const std::uint32_t host = hangs(n) ? hanging_.places[n].host : n;
        const Unit& unit = units_[unit_of_[host]];
        if (unit.nodes.size() == 1) return boxes_[n].centre.x;
        return boxes_[unit.nodes[0]].centre.x - unit.offsets[0].x;
    }

    /// What no row may end in.
    std::vector<Box> whole() const {
        std::vector<Box> boxes = frames_;
        for (const Unit& u : units_) {
            if (u.nodes.size() > 1)
                boxes.push_back({boxes_[u.nodes[0]].centre - u.offsets[0], u.room.width, u.room.height});
        }
        return boxes;
    }

    const Picture& picture_;
    double bond_;
    bool named_ = false;  ///< there are texts along the bonds
    std::vector<Box> boxes_;
    std::vector<Box> frames_;
    std::vector<Block> blocks_;
    std::vector<Star> stars_;
    std::vector<std::uint32_t> star_of_;  ///< per node
    Hanging hanging_;
    std::vector<double> room_;
    std::vector<Unit> units_;
    std::vector<std::uint32_t> unit_of_;
};

}  // namespace

Placing place(const Picture& picture, const std::vector<Box>& boxes, double bond) {
    return Placer(picture, boxes, bond).run();
}

}  // namespace bondgraph::drawing
