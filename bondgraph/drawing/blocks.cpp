#include "bondgraph/drawing/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kLeast = 3;
constexpr std::size_t kMost = 16;  // longer ones are larger as a ring than what is said by it

/// Cycles of bonds that share no bond with another: blocks (in the sense of graph theory) with as many bonds as nodes.
/// Hopcroft, Tarjan: Efficient algorithms for graph manipulation, 1973, without recursion.
class Cycles {
   public:
    explicit Cycles(const Picture& picture) : picture_(picture), at_(picture.nodes.size()) {
        for (std::uint32_t e = 0; e < picture.edges.size(); ++e) {
            const Edge& edge = picture.edges[e];
            if (edge.kind != EdgeKind::bond || edge.from == edge.to) continue;
            at_[edge.from].push_back(e);
            at_[edge.to].push_back(e);
        }
    }

    /// Those that may be drawn as rings, each as its bonds in order around the cycle.
    std::vector<std::vector<std::uint32_t>> run() {
        order_.assign(at_.size(), kNone);
        low_.assign(at_.size(), kNone);
        for (std::uint32_t n = 0; n < at_.size(); ++n) {
            if (order_[n] == kNone) search(n);
        }
        return std::move(cycles_);
    }

   private:
    struct Visit {
        std::uint32_t node;
        std::uint32_t by;  // the bond it was reached by
        std::size_t next = 0;
    };

    std::uint32_t other(std::uint32_t e, std::uint32_t node) const {
        const Edge& edge = picture_.edges[e];
        return edge.from == node ? edge.to : edge.from;
    }

    void search(std::uint32_t root) {
        std::vector<Visit> visits{{root, kNone}};
        order_[root] = low_[root] = count_++;
        while (!visits.empty()) {
            Visit& v = visits.back();
            const std::uint32_t node = v.node;
            if (v.next < at_[node].size()) {
                const std::uint32_t e = at_[node][v.next++];
                if (e == v.by) continue;
                const std::uint32_t there = other(e, node);
                if (order_[there] == kNone) {
                    open_.push_back(e);
                    order_[there] = low_[there] = count_++;
                    visits.push_back({there, e});
                } else if (order_[there] < order_[node]) {
                    open_.push_back(e);
                    low_[node] = std::min(low_[node], order_[there]);
                }
                continue;
            }
            const std::uint32_t by = v.by;
            visits.pop_back();
            if (visits.empty()) continue;
            const std::uint32_t parent = visits.back().node;
            low_[parent] = std::min(low_[parent], low_[node]);
            if (low_[node] >= order_[parent]) close(by);
        }
    }

    /// The bonds since `first` are a block.
    void close(std::uint32_t first) {
        std::vector<std::uint32_t> bonds;
        do {
            bonds.push_back(open_.back());
            open_.pop_back();
        } while (bonds.back() != first);
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t e : bonds) {
            nodes.push_back(picture_.edges[e].from);
            nodes.push_back(picture_.edges[e].to);
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        if (nodes.size() == bonds.size() && nodes.size() >= kLeast && nodes.size() <= kMost)
            cycles_.push_back(in_order(bonds));
    }

    std::vector<std::uint32_t> in_order(std::vector<std::uint32_t>& bonds) const {
        // From the first in the file on, along its half arrow.
        std::iter_swap(bonds.begin(), std::min_element(bonds.begin(), bonds.end()));
        std::uint32_t at = picture_.edges[bonds.front()].to;
        for (std::size_t i = 1; i < bonds.size(); ++i) {
            const auto next = std::find_if(bonds.begin() + static_cast<std::ptrdiff_t>(i), bonds.end(), [&](auto e) {
                return picture_.edges[e].from == at || picture_.edges[e].to == at;
            });
            at = other(*next, at);
            std::iter_swap(bonds.begin() + static_cast<std::ptrdiff_t>(i), next);
        }
        return bonds;
    }

    const Picture& picture_;
    std::vector<std::vector<std::uint32_t>> at_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> low_;
    std::vector<std::uint32_t> open_;
    std::vector<std::vector<std::uint32_t>> cycles_;
    std::uint32_t count_ = 0;
};

/// A cycle with a beginning and an end is read from left to right like everything else.
bool is_ring(const Picture& picture, const std::vector<std::uint32_t>& bonds, const std::vector<std::uint32_t>& nodes) {
    constexpr auto kGyrators = 3;
    const auto frame = picture.nodes[nodes.front()].frame;
    const bool together =
        std::all_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) { return picture.nodes[n].frame == frame; });
    if (!together) return false;
    bool around = true;
    for (std::size_t i = 0; i < bonds.size(); ++i) around = around && picture.edges[bonds[i]].from == nodes[i];
    const auto gyrators =
        std::count_if(nodes.begin(), nodes.end(), [&](std::uint32_t n) { return picture.nodes[n].gyrator; });
    return around || gyrators >= kGyrators;
}

// ---- places in a ring ----------------------------------------------------------------------------------------------

/// The direction from the middle to the k-th of n: clockwise, the first at the top; of four in the corners, so that
/// their lines are level and upright.
Point direction_in_ring(std::size_t k, std::size_t n) {
    constexpr std::size_t kSquare = 4;
    const double step = 2 * std::numbers::pi / static_cast<double>(n);
    const double angle = step * (static_cast<double>(k) - (n == kSquare ? 0.5 : 0.0));
    return {std::sin(angle), -std::cos(angle)};
}

Side outward(Point direction) {
    constexpr double kMoreAside = 0.6;
    if (std::abs(direction.x) > kMoreAside) return direction.x > 0.0 ? Side::right : Side::left;
    return direction.y > 0.0 ? Side::below : Side::above;
}

/// From a box's middle to its border, in a direction.
double reach(const Box& box, Point towards) {
    const double x = std::abs(towards.x) > 0.0 ? box.width / 2 / std::abs(towards.x) : box.height + box.width;
    const double y = std::abs(towards.y) > 0.0 ? box.height / 2 / std::abs(towards.y) : box.height + box.width;
    return std::min(x, y);
}

std::vector<Point> ring_offsets(const std::vector<std::uint32_t>& nodes, std::span<const Box> boxes,
                                std::span<const Box> cells, double bond) {
    constexpr double kInRing = 60.0;  // slanting strokes take more room
    const std::size_t n = nodes.size();
    double radius = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        const Point here = direction_in_ring(k, n);
        const Point there = direction_in_ring(k + 1, n);
        const Point along = direction(here, there);
        const std::uint32_t a = nodes[k];
        const std::uint32_t b = nodes[(k + 1) % n];
        double apart = std::max(bond, kInRing) + reach(boxes[a], along) + reach(boxes[b], along);
        // What hangs on neighbours to the same side needs room, too.
        const Side side = outward(here);
        if (side == outward(there)) {
            const bool upright = side == Side::left || side == Side::right;
            const double room = upright ? cells[a].height + cells[b].height : cells[a].width + cells[b].width;
            apart = std::max(apart, room / 2 / std::max(std::abs(upright ? along.y : along.x), 0.3));
        }
        radius = std::max(radius, apart / length(there - here));
    }
    std::vector<Point> offsets;
    for (std::size_t k = 0; k < n; ++k) offsets.push_back(radius * direction_in_ring(k, n));
    return offsets;
}

std::vector<Point> row_offsets(const std::vector<std::vector<std::uint32_t>>& rows, std::span<const Box> boxes,
                               std::span<const Box> cells, double bond) {
    constexpr double kBetweenRows = 30.0;
    std::vector<Point> offsets;
    double bottom = 0.0;
    for (const auto& row : rows) {
        double height = 0.0;
        for (const std::uint32_t n : row) height = std::max(height, cells[n].height);
        double x = 0.0;
        for (const std::uint32_t n : row) {
            const double width = std::max(boxes[n].width + bond, cells[n].width);
            offsets.push_back({x + width / 2, bottom + height / 2});
            x += width;
        }
        bottom += height + kBetweenRows;
    }
    return offsets;
}

// ---- places written in the file ------------------------------------------------------------------------------------

/// From places counted in steps to places on paper: a step is so long that nothing lies on anything else and lines
/// between neighbours have room for their ends.
std::vector<Point> place_offsets(const std::vector<std::uint32_t>& nodes, const Picture& picture,
                                 std::span<const Box> boxes, std::span<const Box> cells, double bond) {
    constexpr double kShortestStep = 60.0;
    constexpr double kApart = 14.0;
    constexpr double kNear = model::kLeastDistance / 2;  // places of two components differ by more in one direction
    std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
    for (const Edge& e : picture.edges) joined.emplace(std::min(e.from, e.to), std::max(e.from, e.to));
    double step = kShortestStep;
    for (const std::uint32_t a : nodes) {
        for (const std::uint32_t b : nodes) {
            if (a >= b) continue;
            const Point apart = *picture.nodes[b].at - *picture.nodes[a].at;
            const Box& first = cells[a];
            const Box& second = cells[b];
            const double wide = ((first.width + second.width) / 2 + kApart) / std::max(std::abs(apart.x), kNear);
            const double high = ((first.height + second.height) / 2 + kApart) / std::max(std::abs(apart.y), kNear);
            double needed = std::min(wide, high);
            if (joined.contains({a, b})) {
                const Point along = direction({}, {apart.x, -apart.y});
                const double line = bond + reach(boxes[a], along) + reach(boxes[b], along);
                needed = std::max(needed, line / std::max(length(apart), kNear));
            }
            step = std::max(step, needed);
        }
    }
    std::vector<Point> offsets;
    for (const std::uint32_t n : nodes)
        offsets.push_back({step * picture.nodes[n].at->x, -step * picture.nodes[n].at->y});
    return offsets;
}

std::vector<Block> written_blocks(const Picture& picture) {
    std::vector<Block> blocks;
    std::vector<std::uint32_t> placed;
    for (std::uint32_t n = 0; n < picture.nodes.size(); ++n) {
        if (picture.nodes[n].at) placed.push_back(n);
    }
    if (!placed.empty()) blocks.push_back({.kind = Block::Kind::places, .rows = {placed}, .written = true});
    if (!picture.rows.empty()) blocks.push_back({.kind = Block::Kind::rows, .rows = picture.rows, .written = true});
    for (const auto& ring : picture.rings)
        blocks.push_back({.kind = Block::Kind::ring, .rows = {ring}, .written = true});
    return blocks;
}

Side turned(Side side, int quarter_turns) {
    constexpr int kSides = 4;
    return static_cast<Side>((static_cast<int>(side) + quarter_turns) % kSides);
}

}  // namespace

std::vector<Block> find_blocks(const Picture& picture) {
    std::vector<Block> blocks = written_blocks(picture);
    std::vector<bool> taken(picture.nodes.size(), false);
    for (const Block& block : blocks) {
        for (const auto& row : block.rows) {
            for (const std::uint32_t n : row) taken[n] = true;
        }
    }
    for (const std::vector<std::uint32_t>& bonds : Cycles(picture).run()) {
        std::vector<std::uint32_t> nodes{picture.edges[bonds.front()].from};
        for (std::size_t i = 0; i + 1 < bonds.size(); ++i) {
            const Edge& edge = picture.edges[bonds[i]];
            nodes.push_back(edge.from == nodes.back() ? edge.to : edge.from);
        }
        const bool free = std::none_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) { return taken[n]; });
        if (!free || !is_ring(picture, bonds, nodes)) continue;
        for (const std::uint32_t n : nodes) taken[n] = true;
        blocks.push_back({.kind = Block::Kind::ring, .rows = {nodes}});
    }
    return blocks;
}

std::vector<Settled> settle(const Picture& picture, std::span<const Block> blocks) {
    std::vector<Settled> settled(picture.nodes.size());
    for (std::size_t n = 0; n < settled.size(); ++n) {
        for (Side& side : settled[n].hanging) side = turned(side, picture.nodes[n].quarter_turns);
    }
    for (const Block& block : blocks) {
        for (const auto& row : block.rows) {
            for (std::size_t k = 0; k < row.size(); ++k) {
                settled[row[k]].in_block = true;
                if (block.kind != Block::Kind::ring) continue;
                const Side side = outward(direction_in_ring(k, row.size()));
                settled[row[k]].hanging.fill(turned(side, picture.nodes[row[k]].quarter_turns));
            }
        }
    }
    return settled;
}

std::vector<Point> offsets_in(const Block& block, const Picture& picture, std::span<const Box> boxes,
                              std::span<const Box> cells, double bond) {
    if (block.kind == Block::Kind::places) return place_offsets(block.rows.front(), picture, boxes, cells, bond);
    if (block.kind == Block::Kind::ring) return ring_offsets(block.rows.front(), boxes, cells, bond);
    return row_offsets(block.rows, boxes, cells, bond);
}

}  // namespace bondgraph::drawing
