#include "bondgraph/drawing/layout.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>

#include "bondgraph/drawing/attach.hpp"
#include "bondgraph/drawing/bond_ends.hpp"
#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/detours.hpp"
#include "bondgraph/drawing/frames.hpp"
#include "bondgraph/drawing/placing.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kLongestBond = 150.0;

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

std::vector<Box> node_boxes(const Picture& picture) {
    std::vector<Box> boxes;
    for (const Node& node : picture.nodes) boxes.push_back(node_box(node));
    // Strokes at one side of a box need room below each other. What comes in meets the left side, most of the time.
    constexpr double kPerStroke = 15.0;
    constexpr std::size_t kMany = 5;
    std::vector<std::array<std::size_t, 2>> bonds(boxes.size());
    for (const Edge& e : picture.edges) {
        if (e.kind != EdgeKind::bond) continue;
        ++bonds[e.to][0];
        ++bonds[e.from][1];
    }
    for (std::size_t n = 0; n < boxes.size(); ++n) {
        const std::size_t most = std::max(bonds[n][0], bonds[n][1]);
        if (picture.nodes[n].kind == NodeKind::composite && most >= kMany)
            boxes[n].height = std::max(boxes[n].height, kPerStroke * static_cast<double>(most + 1));
    }
    return boxes;
}

/// Lines between nodes that have their places: straight where nothing is in the way, else around it.
class LineMaker {
   public:
    LineMaker(const Picture& picture, const Placing& placing)
        : picture_(picture),
          boxes_(placing.nodes),
          frames_(placing.frames),
          hosts_(placing.hosts),
          bars_(placing.bars),
          feet_(placing.feet),
          index_(boxes_),
          edges_at_(boxes_.size()) {
        for (std::uint32_t e = 0; e < picture.edges.size(); ++e) {
            const Edge& edge = picture.edges[e];
            siblings_[pair_of(edge)].push_back(e);
            if (hangs_on(edge.from, edge.to) || hangs_on(edge.to, edge.from)) continue;
            edges_at_[edge.from].push_back(e);
            edges_at_[edge.to].push_back(e);
        }
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) {
            if (hosts_[n] == kNone) continue;
            hanging_.push_back(n);
            hanging_lines_.add_line(boxes_[n].centre, boxes_[hosts_[n]].centre);
        }
        find_bars();
    }

    std::vector<Polyline> run() {
        std::vector<bool> straight;
        std::vector<std::optional<Point>> to_the_side;  // of what is attached, how far it is bent
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            straight.push_back(is_straight(e));
            to_the_side.emplace_back();
            if (feet_[e]) continue;
            const double bend = bend_of(e);
            const Edge& edge = picture_.edges[e];
            if (bend != 0.0) to_the_side[e] = bend * across(boxes_[edge.from].centre, boxes_[edge.to].centre);
            if (bend == 0.0 && straight[e]) to_the_side[e] = Point{};
        }
        const auto ends = attach(picture_, boxes_, to_the_side);
        std::vector<Polyline> lines(picture_.edges.size());
        Detours detours(boxes_);
        for (const BarPiece& piece : bar_pieces_) {
            if (piece.arm == kNone) detours.lay({piece.a, piece.b});
        }
        std::vector<std::tuple<bool, double, std::uint32_t>> others;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            const Point a = boxes_[edge.from].centre;
            const Point b = boxes_[edge.to].centre;
            if (feet_[e]) {
                lines[e] = {end_box(e, false).centre, end_box(e, true).centre};
                detours.lay(lines[e]);
                continue;
            }
            const double bend = bend_of(e);
            if (bend != 0.0) lines[e] = arc(ends[e][0], ends[e][1], bend);
            if (bend == 0.0 && straight[e]) lines[e] = {ends[e][0], ends[e][1]};
            // Spread along the sides of boxes a line may run elsewhere than from middle to middle.
            if (lines[e].empty() || passes_a_box(e, lines[e]) || passes_a_foreign_frame(e, lines[e]))
                others.emplace_back(edge.kind == EdgeKind::signal, length(b - a), e);
            else
                detours.lay(lines[e]);
        }
        // Bonds before signals, short ones before long ones: these find ways more easily.
        std::sort(others.begin(), others.end());
        for (const auto& [signal, distance, e] : others) {
            lines[e] = beside_sibling(e, lines);
            if (lines[e].empty()) lines[e] = detours.find(picture_.edges[e].from, picture_.edges[e].to, foreign_to(e));
            detours.lay(lines[e]);
        }
        return lines;
    }

    /// How far lines end from what they join: farther where they meet a junction from nearly the same side, so that
    /// their strokes don't touch.
    std::vector<EndGaps> gaps(const std::vector<Polyline>& lines) const {
        constexpr double kAir = 4.0;
        constexpr double kMoreAir = 10.0;
        constexpr double kFromBar = 7.0 + kBarWidth / 2;  // no stroke is read as a second bar
        std::vector<EndGaps> gaps;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            const Edge& edge = picture_.edges[e];
            const auto room = [&](std::uint32_t node) {
                if (meets_bar(e, node)) return kFromBar;
                return is_crowded(e, node, lines) ? kMoreAir : kAir;
            };
            gaps.push_back({room(edge.from), room(edge.to)});
        }
        make_room_in_crowds(gaps);
        std::vector<std::array<Box, 2>> ends;
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) ends.push_back({end_box(e, false), end_box(e, true)});
        keep_ends_apart(picture_, boxes_, ends, lines, gaps);
        return gaps;
    }

    /// Where a line ends: at its node, or at this node's bar.
    Box end_box(std::uint32_t e, bool at_head) const {
        const std::uint32_t node = at_head ? picture_.edges[e].to : picture_.edges[e].from;
        return meets_bar(e, node) ? Box{*feet_[e], 0.0, 0.0} : boxes_[node];
    }

   private:
    static constexpr double kClearance = 6.0;

    /// A piece of a bar, or the line from it to the first node of an arm.
    struct BarPiece {
        Point a;
        Point b;
        std::uint32_t arm = kNone;
    };

    /// Where so many bonds come from all sides that their strokes would lie on each other, these stand on a circle
    /// around the junction.
    void make_room_in_crowds(std::vector<EndGaps>& gaps) const {
        std::map<std::uint32_t, std::vector<double>> angles;  // per junction, of what hangs on it with a mark there
        const auto each = [&](const auto& act) {
            for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
                const Edge& edge = picture_.edges[e];
                if (hangs_on(edge.to, edge.from) && has_mark(edge, false)) act(edge.from, edge.to, gaps[e][0]);
                if (hangs_on(edge.from, edge.to)) act(edge.to, edge.from, gaps[e][1]);
            }
        };
        const auto way = [&](std::uint32_t host, std::uint32_t other) {
            return direction(boxes_[host].centre, boxes_[other].centre);
        };
        each([&](std::uint32_t host, std::uint32_t other, double&) {
            const Point p = way(host, other);
            if (picture_.nodes[host].kind == NodeKind::junction) angles[host].push_back(std::atan2(p.y, p.x));
        });
        std::map<std::uint32_t, double> radii;
        for (auto& [host, all] : angles) {
            if (const double radius = circle_of_strokes(all); radius > 0.0) radii.emplace(host, radius);
        }
        each([&](std::uint32_t host, std::uint32_t other, double& gap) {
            const auto radius = radii.find(host);
            if (radius == radii.end()) return;
            // Lines end at a square around the junction.
            const Point p = way(host, other);
            gap = std::max(gap, radius->second * std::max(std::abs(p.x), std::abs(p.y)) - boxes_[host].width / 2);
        });
    }

    /// The radius on which strokes in these directions stand beside each other; 0 of few, which find room by
    /// themselves.
    static double circle_of_strokes(std::vector<double>& angles) {
        constexpr double kPerStroke = 17.0;
        constexpr std::size_t kFew = 12;
        if (angles.size() <= kFew) return 0.0;
        std::sort(angles.begin(), angles.end());
        double least = angles.front() + 2 * std::numbers::pi - angles.back();
        for (std::size_t i = 1; i < angles.size(); ++i) least = std::min(least, angles[i] - angles[i - 1]);
        return least > 0.0 ? kPerStroke / least : 0.0;
    }

    bool meets_bar(std::uint32_t e, std::uint32_t node) const { return feet_[e] && has_bar_[node]; }

    /// Other lines lead around bars and what stands along them.
    void find_bars() {
        has_bar_.assign(boxes_.size(), false);
        for (const Bar& bar : bars_) {
            has_bar_[bar.node] = true;
            for (const Polyline& piece : bar.pieces) bar_pieces_.push_back({piece.front(), piece.back()});
        }
        for (std::uint32_t e = 0; e < picture_.edges.size(); ++e) {
            if (!feet_[e]) continue;
            const Polyline line{end_box(e, false).centre, end_box(e, true).centre};
            if (passes_a_box(e, line) || passes_a_foreign_frame(e, line)) {  // it has to lead around
                feet_[e].reset();
                continue;
            }
            const Edge& edge = picture_.edges[e];
            const std::uint32_t arm = meets_bar(e, edge.from) ? edge.to : edge.from;
            bar_pieces_.push_back({line[0], line[1], arm});
        }
        for (const BarPiece& piece : bar_pieces_) bar_lines_.add_line(piece.a, piece.b);
    }

    bool crosses_a_bar(const Edge& edge, Point a, Point b) const {
        return bar_lines_.any_along(a, b, 0.0, [&](std::uint32_t k) {
            const BarPiece& piece = bar_pieces_[k];
            return piece.arm != edge.from && piece.arm != edge.to && segments_cross(a, b, piece.a, piece.b);
        });
    }

    bool hangs_on(std::uint32_t node, std::uint32_t host) const { return hosts_[node] == host; }

    static std::pair<std::uint32_t, std::uint32_t> pair_of(const Edge& edge) {
        return {std::min(edge.from, edge.to), std::max(edge.from, edge.to)};
    }

    /// Nothing is in the line's way, and no other takes that way.
    bool is_straight(std::uint32_t e) const {
        const Edge& edge = picture_.edges[e];
        if (hangs_on(edge.from, edge.to) || hangs_on(edge.to, edge.from)) return true;
        if (edge.from == edge.to) return false;
        const Point a = boxes_[edge.from].centre;
        const Point b = boxes_[edge.to].centre;
        if (meets_a_box(edge, {a, b}, kClearance) || passes_a_foreign_frame(e, {a, b})) return false;
        if (crosses_a_bar(edge, a, b)) return false;
        for (const std::uint32_t k : hanging_lines_.near(a, b)) {
            const std::uint32_t n = hanging_[k];
            const std::uint32_t host = hosts_[n];
            if (n == edge.from || n == edge.to || host == edge.from || host == edge.to) continue;
            if (segments_cross(a, b, boxes_[n].centre, boxes_[host].centre)) return false;
        }
        return !beside_another(e, edge.from) && !beside_another(e, edge.to);
    }

    /// The frames a bond leads around. Signals are few and thin: led around, they'd cross more than they pass.
    std::vector<Box> foreign_to(std::uint32_t e) const {
        if (frames_.empty() || picture_.edges[e].kind == EdgeKind::signal) return {};
        return foreign_frames(picture_, picture_.edges[e].from, picture_.edges[e].to, frames_);
    }

    bool passes_a_foreign_frame(std::uint32_t e, const Polyline& line) const {
        const std::vector<Box> frames = foreign_to(e);
        return std::any_of(frames.begin(), frames.end(), [&](const Box& frame) { return crosses(frame, line); });
    }

    bool passes_a_box(std::uint32_t e, const Polyline& line) const {
        return meets_a_box(picture_.edges[e], line, kClearance / 2);
    }

    bool meets_a_box(const Edge& edge, const Polyline& line, double clearance) const {
        for (std::size_t i = 1; i < line.size(); ++i) {
            const Box area = around({line[i - 1], 0, 0}, {line[i], 0, 0}).grown(clearance);
            for (const std::uint32_t n : index_.near(area)) {
                const bool own = n == edge.from || n == edge.to;
                if (!own && crosses(boxes_[n].grown(clearance), line[i - 1], line[i])) return true;
            }
        }
        return false;
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
            if (meets_bar(k, node)) return false;
            const Point other = way_of(k);
            const double product = length(way) * length(other);
            return k != e && length(other) < length(way) &&
                   way.x * other.x + way.y * other.y > kSameDirection * product;
        });
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

    /// Of two bonds between the same boxes that both have to lead around, the second one runs beside the first: force
    /// and torque at what closes a loop. Nothing where there is no room for that.
    Polyline beside_sibling(std::uint32_t e, const std::vector<Polyline>& lines) const {
        constexpr double kBeside = 14.0;
        const Edge& edge = picture_.edges[e];
        const auto& siblings = siblings_.at(pair_of(edge));
        const bool boxes = picture_.nodes[edge.from].kind == NodeKind::composite &&
                           picture_.nodes[edge.to].kind == NodeKind::composite;
        if (!boxes || siblings.size() != 2) return {};
        const std::uint32_t other = siblings[0] == e ? siblings[1] : siblings[0];
        if (lines[other].size() < 3) return {};
        Polyline along = lines[other];
        if (picture_.edges[other].from != edge.from) std::reverse(along.begin(), along.end());
        for (const double side : {kBeside, -kBeside}) {
            Polyline beside = shifted(along, side);
            if (!passes_a_box(e, beside) && !passes_a_foreign_frame(e, beside)) return beside;
        }
        return {};
    }

    /// A line at a distance from another one, to its side.
    static Polyline shifted(const Polyline& line, double by) {
        Polyline result;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const Point way = direction(line[i == 0 ? 0 : i - 1], line[std::min(i + 1, line.size() - 1)]);
            result.push_back(line[i] + by * Point{-way.y, way.x});
        }
        return result;
    }

    static Point across(Point a, Point b) {
        const Point along = direction(a, b);
        return {-along.y, along.x};
    }

    /// From a to b in an arc that leaves the straight line by `bend` in its middle.
    static Polyline arc(Point a, Point b, double bend) {
        constexpr int kPieces = 16;
        const Point aside = across(a, b);
        Polyline line;
        for (int i = 0; i <= kPieces; ++i) {
            const double t = static_cast<double>(i) / kPieces;
            line.push_back(a + t * (b - a) + (4.0 * bend * t * (1.0 - t)) * aside);
        }
        return line;
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
            if (meets_bar(k, node)) return false;
            const Point other = way_of(k);
            return k != e && way.x * other.x + way.y * other.y > kNearly;
        });
    }

    const Picture& picture_;
    const std::vector<Box>& boxes_;
    const std::vector<Box>& frames_;
    const std::vector<std::uint32_t>& hosts_;
    const std::vector<Bar>& bars_;
    std::vector<std::optional<Point>> feet_;  ///< per edge where it meets a bar
    BoxIndex index_;
    std::vector<std::vector<std::uint32_t>> edges_at_;  ///< per node, without those to what hangs on it
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> siblings_;
    std::vector<std::uint32_t> hanging_;  ///< what hangs, and the boxes around its lines
    BoxIndex hanging_lines_;
    std::vector<bool> has_bar_;  ///< per node
    std::vector<BarPiece> bar_pieces_;
    BoxIndex bar_lines_;
};

}  // namespace

Box node_box(const Node& node) {
    constexpr double kJunction = 18.0;
    constexpr double kPadding = 12.0;
    constexpr double kOneLine = 22.0;
    constexpr double kTwoLines = 36.0;
    if (node.kind == NodeKind::junction) return {{}, kJunction, kJunction};
    if (node.kind == NodeKind::composite) {
        const double width = std::max({text_width(node.type, kTitleSize, true), text_width(node.label, kSmallSize),
                                       text_width(node.value, kSmallSize)});
        constexpr double kRoom = 26.0;
        return {{}, width + kRoom, kTwoLines + 8.0 + (node.value.empty() ? 0.0 : kThirdLine)};
    }
    const double title = text_width(node.type + " : " + node.label, kTitleSize);
    const double width = std::max(title, text_width(node.value, kSmallSize)) + kPadding;
    return {{}, width, node.value.empty() ? kOneLine : kTwoLines};
}

Layout lay_out(const Picture& picture) {
    const Placing placing = place(picture, node_boxes(picture), bond_length(picture));
    LineMaker maker(picture, placing);
    const std::vector<Polyline> lines = maker.run();
    const std::vector<EndGaps> gaps = maker.gaps(lines);
    Layout layout;
    for (std::uint32_t e = 0; e < picture.edges.size(); ++e) {
        layout.routes.push_back(
            clipped(lines[e], maker.end_box(e, false).grown(gaps[e][0]), maker.end_box(e, true).grown(gaps[e][1])));
    }
    layout.bars = placing.bars;
    layout.nodes = placing.nodes;
    layout.frames = placing.frames;
    layout.along = placing.along;
    return layout;
}

}  // namespace bondgraph::drawing
