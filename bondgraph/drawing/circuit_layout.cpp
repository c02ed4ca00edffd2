#include "bondgraph/drawing/circuit_layout.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <set>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/clusters.hpp"
#include "bondgraph/drawing/graphviz.hpp"

namespace bondgraph::drawing {
namespace {

using model::CircuitNet;

double on_grid(double x) { return kCircuitGrid * std::round(x / kCircuitGrid); }
double grid_above(double x) { return kCircuitGrid * std::ceil(x / kCircuitGrid - 1e-9); }

/// An exit of a cluster.
struct Tip {
    std::uint32_t cluster = 0;
    std::uint32_t exit = 0;
};

/// A height and how much it counts.
struct Wish {
    double height = 0.0;
    double weight = 1.0;
};

/// What stands together because it would overlap.
struct Pool {
    std::vector<Wish> wishes;

    [[nodiscard]] double median() const {
        std::vector<Wish> sorted = wishes;
        std::ranges::stable_sort(sorted, {}, &Wish::height);
        double half = 0.0;
        for (const Wish& w : sorted) half += w.weight / 2;
        for (const Wish& w : sorted) {
            half -= w.weight;
            if (half <= 0.0) return w.height;
        }
        return sorted.back().height;
    }
};

/// What places clusters in columns.
class Columns {
   public:
    Columns(const Schematic& schematic, const std::vector<Cluster>& clusters) : clusters_(clusters) {
        tips_.resize(schematic.nets.size());
        for (const CircuitNet& net : schematic.nets) weights_.push_back(weight_of(net));
        for (std::uint32_t c = 0; c < clusters.size(); ++c) {
            for (std::uint32_t e = 0; e < clusters[c].exits.size(); ++e)
                tips_[clusters[c].exits[e].net].push_back({c, e});
        }
    }

    /// Places of the clusters' origins. `more`: room beyond what wires are thought to need.
    std::vector<Point> places(double more) {
        if (columns_.empty()) {
            rank();
            align();
        }
        gap_ = kLeastGap + more;
        std::vector<Point> result(clusters_.size());
        settle_heights();
        double x = 0.0;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            double left = 0.0;
            double right = 0.0;
            for (const std::uint32_t k : columns_[c]) {
                left = std::max(left, -clusters_[k].box.left());
                right = std::max(right, clusters_[k].box.right());
            }
            x = grid_above(x + left);
            for (const std::uint32_t k : columns_[c]) result[k] = {x, y_[k]};
            x = grid_above(x + right) + channel(c) + more;
        }
        return result;
    }

   private:
    static constexpr double kLeastGap = 2 * kCircuitGrid;

    /// How much it counts that a net is straight: heat that a circuit gives off bends before that does.
    static std::size_t weight_of(const CircuitNet& net) {
        static const auto heat = model::find_domain("thermal_pseudo");
        if (net.kind == CircuitNet::Kind::signal || net.domain == heat) return 1;
        return net.kind == CircuitNet::Kind::bond ? 3 : 6;
    }

    const Cluster::Exit& exit(const Tip& tip) const { return clusters_[tip.cluster].exits[tip.exit]; }

    /// From left to right along each net: what it leaves to the right, what hangs on it, what it enters from the left.
    void rank() {
        RankedGraph graph;
        for (const Cluster& c : clusters_)
            graph.nodes.push_back({std::max(c.box.width, 1.0), std::max(c.box.height, 1.0), UINT32_MAX});
        for (std::size_t n = 0; n < tips_.size(); ++n) {
            const std::size_t first = graph.edges.size();
            add_edges(graph, tips_[n]);
            for (std::size_t e = first; e < graph.edges.size(); ++e)
                graph.edges[e].weight *= static_cast<int>(weights_[n]);
        }
        graph.node_gap = 2 * kCircuitGrid;
        graph.rank_gap = 3 * kCircuitGrid;
        const RankedLayout layout = rank_layout(graph);
        std::map<long, std::vector<std::uint32_t>> by_x;
        for (std::uint32_t k = 0; k < clusters_.size(); ++k) by_x[std::lround(layout.nodes[k].x)].push_back(k);
        for (auto& [x, column] : by_x) {
            std::ranges::stable_sort(column, {}, [&](std::uint32_t k) { return layout.nodes[k].y; });
            columns_.push_back(std::move(column));
        }
        y_.resize(clusters_.size());
        for (std::uint32_t k = 0; k < clusters_.size(); ++k) y_[k] = layout.nodes[k].y;
    }

    void add_edges(RankedGraph& graph, const std::vector<Tip>& tips) const {
        std::vector<std::uint32_t> from;
        std::vector<std::uint32_t> on;
        std::vector<std::uint32_t> to;
        for (const Tip& tip : tips) {
            auto& list = exit(tip).out.x > 0 ? from : exit(tip).out.x < 0 ? to : on;
            if (std::ranges::find(list, tip.cluster) == list.end()) list.push_back(tip.cluster);
        }
        const auto in = [](const std::vector<std::uint32_t>& list, std::uint32_t c) {
            return std::ranges::find(list, c) != list.end();
        };
        std::erase_if(on, [&](std::uint32_t c) { return in(from, c) || in(to, c); });
        std::erase_if(to, [&](std::uint32_t c) { return in(from, c); });
        constexpr int kStraight = 4;
        const auto edge = [&](std::uint32_t a, std::uint32_t b, int weight) { graph.edges.push_back({a, b, weight}); };
        if (on.empty()) {
            if (from.size() == 1 || to.size() == 1 || from.size() * to.size() <= 4) {
                for (const std::uint32_t a : from) {
                    for (const std::uint32_t b : to) edge(a, b, from.size() + to.size() == 2 ? kStraight : 2);
                }
                if (from.empty() || to.empty()) join_alike(graph, from.empty() ? to : from, from.empty());
                return;
            }
            const auto hub = static_cast<std::uint32_t>(graph.nodes.size());
            graph.nodes.push_back({1.0, 1.0, UINT32_MAX});
            for (const std::uint32_t a : from) edge(a, hub, 1);
            for (const std::uint32_t b : to) edge(hub, b, 1);
            return;
        }
        for (const std::uint32_t a : from) edge(a, on.front(), kStraight);
        for (std::size_t k = 0; k + 1 < on.size(); ++k) edge(on[k], on[k + 1], kStraight);
        for (const std::uint32_t b : to) edge(on.back(), b, kStraight);
    }

    /// All of them on the same side of their wire: they stand above each other.
    static void join_alike(RankedGraph& graph, const std::vector<std::uint32_t>& all, bool from_left) {
        const auto hub = static_cast<std::uint32_t>(graph.nodes.size());
        graph.nodes.push_back({1.0, 1.0, UINT32_MAX});
        for (const std::uint32_t c : all) {
            if (from_left)
                graph.edges.push_back({hub, c, 1});
            else
                graph.edges.push_back({c, hub, 1});
        }
    }

    /// Heights at which wires are straight where that can be: in turns, columns follow the one before and the one
    /// behind, each cluster the middle one of those it is joined to there; then all stay where it makes no difference.
    void align() {
        constexpr int kSweeps = 11;  // the last of them from left to right
        constexpr int kSettling = 8;
        gap_ = kLeastGap;
        column_of_.resize(clusters_.size());
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            for (const std::uint32_t k : columns_[c]) column_of_[k] = c;
        }
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            const bool forward = sweep % 2 == 0;
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                const std::size_t c = forward ? i : columns_.size() - 1 - i;
                align_column(columns_[c],
                             [&](std::uint32_t k) { return forward ? column_of_[k] < c : column_of_[k] > c; });
            }
        }
        for (int sweep = 0; sweep < kSettling; ++sweep) {
            for (const auto& column : columns_) align_column(column, [](std::uint32_t) { return true; });
        }
        ideal_ = y_;
    }

    template <class Looked>
    void align_column(const std::vector<std::uint32_t>& column, const Looked& is_looked_at) {
        std::vector<Wish> wanted;
        for (const std::uint32_t k : column) wanted.push_back(wanted_height(k, is_looked_at));
        put(column, wanted);
    }

    template <class Looked>
    Wish wanted_height(std::uint32_t k, const Looked& is_looked_at) const {
        std::vector<double> heights;
        for (const Cluster::Exit& mine : clusters_[k].exits) {
            for (const Tip& tip : tips_[mine.net]) {
                if (tip.cluster == k || !is_looked_at(tip.cluster)) continue;
                heights.insert(heights.end(), weights_[mine.net], y_[tip.cluster] + exit(tip).at.y - mine.at.y);
            }
        }
        if (heights.empty()) return {y_[k], 0.5};
        std::ranges::sort(heights);
        // between two middle ones all places are as good
        return {std::clamp(y_[k], heights[(heights.size() - 1) / 2], heights[heights.size() / 2]),
                static_cast<double>(heights.size())};
    }

    /// In their order, at their distances, as near to where they want to be as together they can, by sums of distances:
    /// so what counts more stays, and what counts less makes way (pool adjacent violators).
    void put(const std::vector<std::uint32_t>& column, const std::vector<Wish>& wanted) {
        std::vector<double> below(column.size(), 0.0);
        for (std::size_t i = 1; i < column.size(); ++i) {
            below[i] = below[i - 1] +
                       grid_above(clusters_[column[i - 1]].box.bottom() - clusters_[column[i]].box.top() + gap_);
        }
        std::vector<Pool> pools;
        for (std::size_t i = 0; i < column.size(); ++i) {
            pools.push_back({{{wanted[i].height - below[i], wanted[i].weight}}});
            while (pools.size() > 1 && pools[pools.size() - 2].median() > pools.back().median()) {
                auto& upper = pools[pools.size() - 2].wishes;
                upper.insert(upper.end(), pools.back().wishes.begin(), pools.back().wishes.end());
                pools.pop_back();
            }
        }
        std::size_t i = 0;
        for (const Pool& pool : pools) {
            const double height = on_grid(pool.median());
            for (std::size_t n = 0; n < pool.wishes.size(); ++n, ++i) y_[column[i]] = height + below[i];
        }
    }

    void settle_heights() {
        y_ = ideal_;
        for (const auto& column : columns_) {
            std::vector<Wish> wanted;
            for (const std::uint32_t k : column)
                wanted.push_back({ideal_[k], wanted_height(k, [](std::uint32_t) { return true; }).weight});
            put(column, wanted);
        }
    }

    /// Room for the upright pieces of wires to the right of a column.
    double channel(std::size_t column) const {
        int bent = 0;
        for (const auto& tips : tips_) {
            std::set<long> heights;
            bool before = false;
            bool behind = false;
            for (const Tip& tip : tips) {
                const std::size_t c = column_of_[tip.cluster];
                before = before || c <= column;
                behind = behind || c > column;
                if (c == column || c == column + 1) heights.insert(std::lround(y_[tip.cluster] + exit(tip).at.y));
            }
            if (before && behind && heights.size() > 1) ++bent;
        }
        return kLeastGap + kCircuitGrid * std::min(bent, 20);
    }

    const std::vector<Cluster>& clusters_;
    std::vector<std::vector<Tip>> tips_;  ///< by net
    std::vector<std::size_t> weights_;    ///< likewise
    std::vector<std::vector<std::uint32_t>> columns_;
    std::vector<std::size_t> column_of_;
    std::vector<double> y_;
    std::vector<double> ideal_;
    double gap_ = 0.0;
};

/// Moves clusters to where the file places them; those that are joined to one go with it, and make way.
class FixedPlaces {
   public:
    FixedPlaces(const Schematic& schematic, const std::vector<Cluster>& clusters)
        : s_(schematic), clusters_(clusters) {}

    void apply(std::vector<Point>& places) {
        std::vector<std::uint32_t> fixed;
        for (std::uint32_t c = 0; c < clusters_.size(); ++c) {
            if (at_of(c)) fixed.push_back(c);
        }
        if (fixed.empty()) return;
        const double step = step_for(fixed);
        std::vector<Point> moved(places.size());
        for (const std::uint32_t c : fixed) {
            const auto [x, y] = *at_of(c);
            moved[c] = Point{on_grid(x * step), on_grid(-y * step)} - places[c];
        }
        const std::vector<std::uint32_t> nearest = nearest_fixed(fixed);
        BoxIndex taken;
        for (const std::uint32_t c : fixed) {
            places[c] = places[c] + moved[c];
            taken.add(box_of(c, places[c]));
        }
        for (std::uint32_t c = 0; c < clusters_.size(); ++c) {
            if (at_of(c)) continue;
            places[c] = free_place(c, places[c] + moved[nearest[c]], taken);
            taken.add(box_of(c, places[c]));
        }
    }

   private:
    std::optional<std::array<double, 2>> at_of(std::uint32_t c) const {
        const auto& place = s_.parts[clusters_[c].members[0].part].place;
        return place ? place->at : std::nullopt;
    }

    Box box_of(std::uint32_t c, Point place) const {
        Box box = clusters_[c].box.grown(kCircuitGrid);
        box.centre = box.centre + place;
        return box;
    }

    /// Long enough for nothing to lie on anything else, at least six grid lines.
    double step_for(const std::vector<std::uint32_t>& fixed) const {
        double step = 6 * kCircuitGrid;
        for (bool again = true; again;) {
            again = false;
            BoxIndex taken;
            for (const std::uint32_t c : fixed) {
                const auto [x, y] = *at_of(c);
                const Box box = box_of(c, {on_grid(x * step), on_grid(-y * step)});
                for (const std::uint32_t other : taken.near(box)) again = again || overlap(taken[other], box);
                taken.add(box);
                if (again) break;
            }
            if (again) step *= 1.1;
        }
        return step;
    }

    std::vector<std::uint32_t> nearest_fixed(const std::vector<std::uint32_t>& fixed) const {
        std::vector<std::vector<std::uint32_t>> on(s_.nets.size());
        for (std::uint32_t c = 0; c < clusters_.size(); ++c) {
            for (const Cluster::Exit& e : clusters_[c].exits) on[e.net].push_back(c);
        }
        std::vector<std::uint32_t> nearest(clusters_.size(), UINT32_MAX);
        std::deque<std::uint32_t> queue;
        for (const std::uint32_t c : fixed) {
            nearest[c] = c;
            queue.push_back(c);
        }
        while (!queue.empty()) {
            const std::uint32_t c = queue.front();
            queue.pop_front();
            for (const Cluster::Exit& e : clusters_[c].exits) {
                for (const std::uint32_t next : on[e.net]) {
                    if (nearest[next] != UINT32_MAX) continue;
                    nearest[next] = nearest[c];
                    queue.push_back(next);
                }
            }
        }
        for (std::uint32_t& n : nearest) n = n == UINT32_MAX ? fixed.front() : n;
        return nearest;
    }

    /// The nearest place where nothing lies, in squares around the wanted one.
    Point free_place(std::uint32_t c, Point wanted, const BoxIndex& taken) const {
        const auto is_free = [&](Point p) {
            const Box box = box_of(c, p);
            return std::ranges::none_of(taken.near(box), [&](std::uint32_t k) { return overlap(taken[k], box); });
        };
        for (int ring = 0;; ++ring) {
            for (int a = -ring; a <= ring; ++a) {
                for (const auto& [x, y] :
                     {std::pair(a, ring), std::pair(a, -ring), std::pair(ring, a), std::pair(-ring, a)}) {
                    const Point p = wanted + kCircuitGrid * Point{static_cast<double>(x), static_cast<double>(y)};
                    if (is_free(p)) return p;
                }
            }
        }
    }

    const Schematic& s_;
    const std::vector<Cluster>& clusters_;
};

class CircuitPlacing {
   public:
    explicit CircuitPlacing(const Schematic& schematic)
        : s_(schematic), stances_(stand_up(schematic)), clusters_(cluster(schematic, stances_)) {}

    CircuitLayout run() {
        constexpr int kAttempts = 8;
        Columns columns(s_, clusters_);
        CircuitLayout layout;
        for (int attempt = 0; attempt <= kAttempts; ++attempt) {
            std::vector<Point> places = columns.places(2 * kCircuitGrid * attempt);
            FixedPlaces(s_, clusters_).apply(places);
            layout.parts = placed(places);
            auto wiring = lead_wires(task(layout), attempt == kAttempts);
            if (!wiring) continue;
            layout.wiring = *std::move(wiring);
            break;
        }
        return layout;
    }

   private:
    std::vector<CircuitLayout::Place> placed(const std::vector<Point>& places) const {
        std::vector<CircuitLayout::Place> result(s_.parts.size());
        for (std::size_t c = 0; c < clusters_.size(); ++c) {
            for (const Cluster::Member& m : clusters_[c].members) {
                CircuitLayout::Place& place = result[m.part];
                place.stance = stances_.of[m.part];
                place.centre = places[c] + m.offset;
                place.box = standing_box(s_.parts[m.part], place.stance);
                place.box.centre = place.centre;
                place.label = m.label;
                if (place.label) place.label->box.centre = place.label->box.centre + places[c];
            }
        }
        return result;
    }

    WiringTask task(const CircuitLayout& layout) const {
        WiringTask task;
        for (const CircuitLayout::Place& place : layout.parts) {
            task.obstacles.push_back(place.box);
            if (place.label) task.obstacles.push_back(place.label->box);
        }
        for (std::uint32_t n = 0; n < s_.nets.size(); ++n) {
            task.nets.emplace_back();
            for (const CircuitNet::End& end : s_.nets[n].ends) {
                const Pin& pin = s_.parts[end.part].pins[end.pin];
                task.nets.back().push_back({layout.pin(s_, end), layout.parts[end.part].stance.of(pin.out)});
            }
            if (s_.nets[n].kind == CircuitNet::Kind::signal) task.last.push_back(n);
        }
        return task;
    }

    const Schematic& s_;
    Stances stances_;
    std::vector<Cluster> clusters_;
};

}  // namespace

Point CircuitLayout::pin(const Schematic& schematic, const model::CircuitNet::End& end) const {
    return parts[end.part].centre + parts[end.part].stance.of(schematic.parts[end.part].pins[end.pin].at);
}

CircuitLayout lay_out(const Schematic& schematic) { return CircuitPlacing(schematic).run(); }

}  // namespace bondgraph::drawing
