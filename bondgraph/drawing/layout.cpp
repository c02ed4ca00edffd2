#include "bondgraph/drawing/layout.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "bondgraph/drawing/bond_ends.hpp"
#include "bondgraph/drawing/fold.hpp"
#include "bondgraph/drawing/frames.hpp"
#include "bondgraph/drawing/graphviz.hpp"
#include "bondgraph/drawing/hanging.hpp"
#include "bondgraph/drawing/straighten.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kShortestBond = 44.0;
constexpr double kLongestBond = 150.0;
constexpr double kRankGap = 16.0;

double width_of(const std::string& text) { return text_width(text, kSmallSize); }

/// Long enough for the texts along the bonds between junctions.
double bond_length(const Picture& picture) {
    constexpr double kRoomForEnds = 34.0;
    constexpr double kRoomForSize = 14.0;
    double longest = kShortestBond;
    for (const Edge& e : picture.edges) {
        double texts = std::max(width_of(e.effort), width_of(e.flow)) + width_of(e.ports[0]) + width_of(e.ports[1]);
        if (e.size() > 1) texts += kRoomForSize;
        if (texts > 0.0) longest = std::max(longest, texts + kRoomForEnds);
    }
    return std::min(longest, kLongestBond);
}

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

/// Where an edge meets a node: a side and its place among the edges on that side.
enum class Side : std::uint8_t { left, right, top, bottom };

class LayoutMaker {
   public:
    explicit LayoutMaker(const Picture& picture) : picture_(picture), bond_(bond_length(picture)) {
        for (const Node& node : picture.nodes) boxes_.push_back(node_box(node));
        named_ =
            std::any_of(picture.edges.begin(), picture.edges.end(), [](const Edge& e) { return !e.effort.empty(); });
        hanging_ = hang(picture, boxes_, kShortestBond);
    }

    Layout make() {
        place();
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) find_straight(e);
        attach();
        Layout layout;
        std::vector<Polyline> lines;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) lines.push_back(line_of(e));
        const std::vector<EndGaps> gaps = gaps_of(lines);
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            layout.routes.push_back(
                clipped(lines[e], boxes_[edge.from].grown(gaps[e][0]), boxes_[edge.to].grown(gaps[e][1])));
        }
        layout.nodes = std::move(boxes_);
        layout.frames = std::move(ranked_.frames);
        layout.along = std::move(along_);
        return layout;
    }

   private:
    bool hangs(std::uint32_t node) const { return hanging_.places[node].host != kNone; }

    /// Half of the shortest line on either side. Lines that join frames may be short.
    double room_beside(std::uint32_t node) const {
        constexpr double kFrameLine = 26.0;
        const bool frames_only = std::all_of(picture_.edges.begin(), picture_.edges.end(), [&](const Edge& e) {
            return (e.from != node && e.to != node) || e.kind == EdgeKind::frame || hangs(e.from) || hangs(e.to);
        });
        return (frames_only && picture_.nodes[node].kind == NodeKind::composite ? kFrameLine : bond_) - kRankGap;
    }

    void place() {
        RankedGraph graph{
            .frame_margin = kFrameMargin, .node_gap = named_ ? 2 * kNodeGap : kNodeGap, .rank_gap = kRankGap};
        std::vector<std::uint32_t> placed(picture_.nodes.size(), kNone);
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            if (hangs(n)) continue;
            placed[n] = static_cast<std::uint32_t>(graph.nodes.size());
            const Box& cell = hanging_.cells[n];
            const double width = std::max(boxes_[n].width + room_beside(n), cell.width);
            graph.nodes.push_back({width, cell.height, picture_.nodes[n].frame});
        }
        for (const Frame& frame : picture_.frames) graph.frames.push_back({frame.parent});
        ranked_edge_.assign(picture_.edges.size(), kNone);
        edges_at_.resize(picture_.nodes.size());
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            if (hangs(edge.from) || hangs(edge.to)) continue;
            ranked_edge_[e] = static_cast<std::uint32_t>(graph.edges.size());
            edges_at_[edge.from].push_back(e);
            edges_at_[edge.to].push_back(e);
            graph.edges.push_back({placed[edge.from], placed[edge.to], weight_of(edge)});
        }
        ranked_ = rank_layout(graph);
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n) {
            const Hanging::Place& p = hanging_.places[n];
            boxes_[n].centre = hangs(n) ? ranked_.nodes[placed[p.host]] + p.offset : ranked_.nodes[placed[n]];
        }
        straighten_rows();
        make_way();
        for (const Box& box : boxes_) along_.push_back(box.centre.x);
        fold_rows();
    }

    /// What is much wider than high is broken into rows.
    void fold_rows() {
        constexpr double kBetweenRows = 46.0;
        std::vector<FoldLine> lines;
        for (const Edge& edge : picture_.edges) lines.push_back({edge.from, edge.to, edge.kind != EdgeKind::signal});
        std::vector<std::uint32_t> hosts;
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) hosts.push_back(hangs(n) ? hanging_.places[n].host : n);
        const Folding folding = fold(boxes_, hosts, ranked_.frames, lines, kBetweenRows);
        if (!folding.any()) return;
        for (const std::uint32_t n : folding.turned_over())
            boxes_[n].centre.y = 2 * boxes_[hosts[n]].centre.y - boxes_[n].centre.y;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            if (ranked_edge_[e] == kNone) continue;
            const Point from = boxes_[picture_.edges[e].from].centre;
            const Point to = boxes_[picture_.edges[e].to].centre;
            Polyline& route = ranked_.routes[ranked_edge_[e]];
            const std::size_t row = folding.row_of(from.x);
            if (row != folding.row_of(to.x)) route = {from, to};
            const bool turns = row != folding.row_of(to.x);
            for (Point& p : route) p = turns ? folding.moved(p) : folding.moved(p, row);
        }
        for (auto* all : {&boxes_, &ranked_.frames}) {
            for (Box& box : *all) box.centre = folding.moved(box.centre);
        }
    }

    /// Lines that are nearly level become level, unless a sub-model's frame would no longer hold what it is drawn
    /// around.
    void straighten_rows() {
        if (!picture_.frames.empty()) return;
        std::vector<std::uint32_t> together;
        for (std::uint32_t n = 0; n < picture_.nodes.size(); ++n)
            together.push_back(hangs(n) ? hanging_.places[n].host : n);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            if (ranked_edge_[e] != kNone && edge.kind != EdgeKind::signal) lines.emplace_back(edge.from, edge.to);
        }
        const std::vector<double> moved = straighten(boxes_, lines, together);
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            if (ranked_edge_[e] == kNone) continue;
            Polyline& route = ranked_.routes[ranked_edge_[e]];
            const double first = moved[picture_.edges[e].from];
            const double last = moved[picture_.edges[e].to];
            for (std::size_t i = 0; i < route.size(); ++i) {
                const double share = static_cast<double>(i) / static_cast<double>(route.size() - 1);
                route[i].y += first + share * (last - first);
            }
        }
    }

    /// Where edges of a host run through what hangs on it, that is turned over or moved aside to where they run through
    /// less of it.
    void make_way() {
        std::vector<std::vector<std::uint32_t>> hanging_on(boxes_.size());
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) {
            if (hangs(n)) hanging_on[hanging_.places[n].host].push_back(n);
        }
        for (std::uint32_t host = 0; host < boxes_.size(); ++host) {
            const auto& nodes = hanging_on[host];
            if (nodes.empty() || obstructions(host, nodes) == 0) continue;
            double aside = 0.0;
            for (const std::uint32_t n : nodes) aside = std::max(aside, boxes_[n].width / 2 + 2 * kClearance);
            std::size_t least = std::numeric_limits<std::size_t>::max();
            Point best;
            for (const Point way :
                 {Point{0, 1}, Point{0, -1}, Point{aside, 1}, Point{-aside, 1}, Point{aside, -1}, Point{-aside, -1}}) {
                put_aside(nodes, way);
                const std::size_t cost = obstructions(host, nodes);
                if (cost >= least) continue;
                least = cost;
                best = way;
            }
            put_aside(nodes, best);
            for (const std::uint32_t n : nodes) grow_frames(picture_, boxes_[n], n, ranked_.frames);
        }
    }

    /// Everything that hangs on a host at its place, but moved to the side by way.x, and turned over where way.y is -1.
    void put_aside(const std::vector<std::uint32_t>& nodes, Point way) {
        for (const std::uint32_t n : nodes) {
            const Hanging::Place& place = hanging_.places[n];
            boxes_[n].centre = boxes_[place.host].centre + Point{place.offset.x + way.x, place.offset.y * way.y};
        }
    }

    std::size_t obstructions(std::uint32_t host, const std::vector<std::uint32_t>& nodes) const {
        std::size_t count = 0;
        for (const std::uint32_t n : nodes) {
            count += out_of_frame(picture_, boxes_, n, ranked_.frames);
            const Box box = boxes_[n].grown(kClearance);
            const Box texts = texts_between(n, host);
            for (const std::uint32_t e : edges_at_[host]) {
                const Edge& edge = picture_.edges[e];
                const auto runs_through = [&](const Box& b) {
                    return crosses(b, boxes_[edge.from].centre, boxes_[edge.to].centre);
                };
                if (runs_through(box)) count += 2;
                if (!is_free(e) && crosses(box, ranked_.routes[ranked_edge_[e]])) count += 2;
                if (texts.width > 0.0 && runs_through(texts)) ++count;
            }
            for (std::uint32_t other = 0; other < boxes_.size(); ++other) {
                if (std::find(nodes.begin(), nodes.end(), other) == nodes.end() && overlap(box, boxes_[other]))
                    count += 6;
            }
        }
        return count;
    }

    /// The room for effort and flow beside the bond between a host and what hangs on it.
    Box texts_between(std::uint32_t hanging, std::uint32_t host) const {
        double wide = 0.0;
        for (const Edge& e : picture_.edges) {
            if ((e.from == hanging && e.to == host) || (e.from == host && e.to == hanging))
                wide = std::max({wide, width_of(e.effort), width_of(e.flow)});
        }
        if (wide == 0.0) return {};
        return {0.5 * (boxes_[hanging].centre + boxes_[host].centre), 2 * (wide + kClearance), kSmallSize};
    }

    /// An edge is drawn straight where nothing is in its way and no other edge takes that way.
    void find_straight(std::uint32_t e) {
        const Edge& edge = picture_.edges[e];
        siblings_[pair_of(edge)].push_back(e);
        straight_.push_back(ranked_edge_[e] == kNone || (edge.from != edge.to && is_free(e)));
    }

    static std::pair<std::uint32_t, std::uint32_t> pair_of(const Edge& edge) {
        return {std::min(edge.from, edge.to), std::max(edge.from, edge.to)};
    }

    /// Several lines between the same two nodes: where both have sides, they are spread along these; at a junction they
    /// are bent apart. Gives by how much.
    double bend_of(std::uint32_t e) const {
        constexpr double kApart = 26.0;
        const Edge& edge = picture_.edges[e];
        const bool at_junction =
            picture_.nodes[edge.from].kind == NodeKind::junction || picture_.nodes[edge.to].kind == NodeKind::junction;
        const auto& siblings = siblings_.at(pair_of(edge));
        if (!at_junction || siblings.size() < 2) return 0.0;
        const auto place = std::find(siblings.begin(), siblings.end(), e) - siblings.begin();
        const double bend = kApart * (static_cast<double>(place) - (static_cast<double>(siblings.size()) - 1.0) / 2.0);
        return edge.from < edge.to ? bend : -bend;
    }

    /// From a to b in an arc that leaves the straight line by `bend` in its middle.
    static Polyline arc(Point a, Point b, double bend) {
        constexpr int kPieces = 16;
        const Point along = direction(a, b);
        const Point across{-along.y, along.x};
        Polyline line;
        for (int i = 0; i <= kPieces; ++i) {
            const double t = static_cast<double>(i) / kPieces;
            line.push_back(a + t * (b - a) + (4.0 * bend * t * (1.0 - t)) * across);
        }
        return line;
    }

    bool is_free(std::uint32_t e) const {
        const Edge& edge = picture_.edges[e];
        const Point a = boxes_[edge.from].centre;
        const Point b = boxes_[edge.to].centre;
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) {
            if (n == edge.from || n == edge.to) continue;
            if (crosses(boxes_[n].grown(kClearance), a, b)) return false;
            const std::uint32_t host = hanging_.places[n].host;
            if (host == kNone || host == edge.from || host == edge.to) continue;
            if (segments_cross(a, b, boxes_[n].centre, boxes_[host].centre)) return false;
        }
        return !beside_another(e, edge.from) && !beside_another(e, edge.to);
    }

    /// Whether a shorter edge leaves the junction in nearly the same direction.
    bool beside_another(std::uint32_t e, std::uint32_t node) const {
        if (picture_.nodes[node].kind != NodeKind::junction) return false;
        constexpr double kSameDirection = 0.97;  // cosine
        const auto way_of = [&](std::uint32_t k) {
            const Edge& edge = picture_.edges[k];
            return boxes_[edge.from == node ? edge.to : edge.from].centre - boxes_[node].centre;
        };
        const Point way = way_of(e);
        return std::any_of(edges_at_[node].begin(), edges_at_[node].end(), [&](std::uint32_t k) {
            const Point other = way_of(k);
            const double product = length(way) * length(other);
            return k != e && length(other) < length(way) &&
                   way.x * other.x + way.y * other.y > kSameDirection * product;
        });
    }

    // ---- where straight edges meet the boxes ------------------------------------------------------------------------

    struct Contact {
        std::uint32_t node;
        Side side;
        double order;  // along the side
        std::uint32_t edge;
        bool at_head;
    };

    void attach() {
        std::vector<Contact> contacts;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            ends_.push_back({boxes_[edge.from].centre, boxes_[edge.to].centre});
            if (!straight_[e]) continue;
            contacts.push_back(contact(e, edge.from, edge.to, false));
            contacts.push_back(contact(e, edge.to, edge.from, true));
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
    }

    Contact contact(std::uint32_t e, std::uint32_t node, std::uint32_t other, bool at_head) const {
        const Box& box = boxes_[node];
        const Point to = boxes_[other].centre - box.centre;
        const bool sideways = std::abs(to.x) - box.width / 2 >= std::abs(to.y) - box.height / 2;
        const Side side = sideways ? (to.x < 0 ? Side::left : Side::right) : (to.y < 0 ? Side::top : Side::bottom);
        return {node, side, sideways ? to.y : to.x, e, at_head};
    }

    /// Bonds meet a junction in its middle; at a box those of one side are spread along it.
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
                case Side::left:
                    p = p + Point{-box.width / 2, along(box.height)};
                    break;
                case Side::right:
                    p = p + Point{box.width / 2, along(box.height)};
                    break;
                case Side::top:
                    p = p + Point{along(box.width), -box.height / 2};
                    break;
                case Side::bottom:
                    p = p + Point{along(box.width), box.height / 2};
                    break;
            }
            ends_[side[k].edge][side[k].at_head ? 1 : 0] = p;
        }
    }

    /// From inside one node to inside the other.
    Polyline line_of(std::uint32_t e) const {
        const Edge& edge = picture_.edges[e];
        const double bend = bend_of(e);
        if (!straight_[e]) return ranked_.routes[ranked_edge_[e]];
        if (bend != 0.0) return arc(boxes_[edge.from].centre, boxes_[edge.to].centre, bend);
        return {ends_[e][0], ends_[e][1]};
    }

    /// Where bonds meet a junction from nearly the same side they end farther away from it, so that their strokes don't
    /// touch.
    std::vector<EndGaps> gaps_of(const std::vector<Polyline>& lines) const {
        constexpr double kAir = 4.0;
        constexpr double kMoreAir = 10.0;
        std::vector<EndGaps> gaps;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            const auto room = [&](std::uint32_t node) { return is_crowded(e, node, lines) ? kMoreAir : kAir; };
            gaps.push_back({room(edge.from), room(edge.to)});
        }
        keep_ends_apart(picture_, boxes_, lines, gaps);
        return gaps;
    }

    bool is_crowded(std::uint32_t e, std::uint32_t node, const std::vector<Polyline>& lines) const {
        if (picture_.nodes[node].kind != NodeKind::junction) return false;
        constexpr double kReach = 24.0;
        constexpr double kNearly = 0.55;  // cosine
        const auto way_of = [&](std::uint32_t k) {
            const Polyline& line = lines[k];
            const double share = std::min(kReach / std::max(length(line.back() - line.front()), kReach), 1.0);
            const bool at_head = picture_.edges[k].to == node;
            return direction(boxes_[node].centre, place_on(line, at_head ? 1.0 - share : share).point);
        };
        const Point way = way_of(e);
        return std::any_of(edges_at_[node].begin(), edges_at_[node].end(), [&](std::uint32_t k) {
            const Point other = way_of(k);
            return k != e && way.x * other.x + way.y * other.y > kNearly;
        });
    }

    static constexpr double kClearance = 6.0;
    static constexpr double kFrameMargin = 22.0;
    static constexpr double kNodeGap = 16.0;

    const Picture& picture_;
    double bond_;
    bool named_ = false;  ///< there are texts along the bonds
    std::vector<Box> boxes_;
    Hanging hanging_;
    RankedLayout ranked_;
    std::vector<double> along_;
    std::vector<std::uint32_t> ranked_edge_;
    std::vector<std::vector<std::uint32_t>> edges_at_;  ///< per node, without those to what hangs on it
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> siblings_;
    std::vector<bool> straight_;
    std::vector<std::array<Point, 2>> ends_;
};

}  // namespace

Box node_box(const Node& node) {
    constexpr double kJunction = 18.0;
    constexpr double kPadding = 12.0;
    constexpr double kOneLine = 22.0;
    constexpr double kTwoLines = 36.0;
    if (node.kind == NodeKind::junction) return {{}, kJunction, kJunction};
    if (node.kind == NodeKind::composite) {
        const double width = std::max(text_width(node.type, kTitleSize, true), text_width(node.label, kSmallSize));
        constexpr double kRoom = 26.0;
        return {{}, width + kRoom, kTwoLines + 8.0};
    }
    const double title = text_width(node.type + " : " + node.label, kTitleSize);
    const double width = std::max(title, text_width(node.value, kSmallSize)) + kPadding;
    return {{}, width, node.value.empty() ? kOneLine : kTwoLines};
}

Layout lay_out(const Picture& picture) { return LayoutMaker(picture).make(); }

}  // namespace bondgraph::drawing
