#include "bondgraph/drawing/route_circuit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "bondgraph/drawing/schematic.hpp"

namespace bondgraph::drawing {
namespace {

using Terminal = WiringTask::Terminal;

constexpr std::int32_t kFree = -1;
constexpr float kBendCost = 4.0F;
constexpr float kCrossingCost = 6.0F;
constexpr float kNear = 0.4F;     ///< for a step beside a symbol or text
constexpr int kCellsAround = 10;  ///< cells around everything

/// Steps to the right, up, left and down; even ones are horizontal.
constexpr std::array<std::array<int, 2>, 4> kSteps{{{1, 0}, {0, -1}, {-1, 0}, {0, 1}}};

struct Cell {
    std::int32_t horizontal = kFree;  ///< the net that passes there
    std::int32_t vertical = kFree;
    std::int32_t kept_for = kFree;  ///< the net whose terminal is beside it
    bool blocked = false;
    bool near = false;
};

class Router {
   public:
    Router(const WiringTask& task, bool regardless) : task_(task), regardless_(regardless) {
        find_extent();
        for (const Box& box : task.obstacles) block(box);
        for (std::size_t n = 0; n < task.nets.size(); ++n) {
            for (const Terminal& t : task.nets[n]) keep(t, static_cast<std::int32_t>(n));
        }
        start_ = cells_;
        cost_.assign(2 * cells_.size(), 0.0F);
        from_.assign(2 * cells_.size(), 0);
        seen_.assign(2 * cells_.size(), 0);
    }

    std::optional<Wiring> run() {
        constexpr int kAttempts = 6;
        std::vector<std::uint32_t> order = by_length();
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            cells_ = start_;
            paths_.assign(task_.nets.size(), {});
            std::vector<std::uint32_t> failed;
            for (const std::uint32_t net : order) {
                if (!lead(net)) failed.push_back(net);
            }
            if (failed.empty()) return result();
            // who found no way comes first
            std::stable_partition(order.begin(), order.end(),
                                  [&](std::uint32_t n) { return std::ranges::find(failed, n) != failed.end(); });
        }
        return std::nullopt;
    }

   private:
    static int grid(double x) { return static_cast<int>(std::lround(x / kCircuitGrid)); }
    std::size_t at(int x, int y) const {
        return static_cast<std::size_t>(y - top_) * static_cast<std::size_t>(width_) +
               static_cast<std::size_t>(x - left_);
    }
    std::size_t at(Point p) const { return at(grid(p.x), grid(p.y)); }
    Point place(std::size_t cell) const {
        const int n = static_cast<int>(cell);
        const int row = n / width_;
        return {kCircuitGrid * (left_ + n % width_), kCircuitGrid * (top_ + row)};
    }

    void find_extent() {
        Box all = task_.obstacles.empty() ? Box{} : task_.obstacles.front();
        for (const Box& box : task_.obstacles) all = around(all, box);
        for (const auto& net : task_.nets) {
            for (const Terminal& t : net) all = around(all, {t.at, 0, 0});
        }
        left_ = grid(all.left()) - kCellsAround;
        top_ = grid(all.top()) - kCellsAround;
        width_ = grid(all.right()) + kCellsAround - left_ + 1;
        height_ = grid(all.bottom()) + kCellsAround - top_ + 1;
        cells_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    }

    void block(const Box& box) {
        constexpr double kRounding = 1e-6;
        const auto first = [](double x) { return static_cast<int>(std::ceil(x / kCircuitGrid - kRounding)); };
        const auto last = [](double x) { return static_cast<int>(std::floor(x / kCircuitGrid + kRounding)); };
        const int x0 = first(box.left());
        const int x1 = last(box.right());
        const int y0 = first(box.top());
        const int y1 = last(box.bottom());
        for (int y = y0 - 1; y <= y1 + 1; ++y) {
            for (int x = x0 - 1; x <= x1 + 1; ++x) {
                Cell& cell = cells_[at(x, y)];
                cell.near = true;
                cell.blocked = cell.blocked || (x >= x0 && x <= x1 && y >= y0 && y <= y1);
            }
        }
    }

    void keep(const Terminal& t, std::int32_t net) {
        cells_[at(t.at)].blocked = true;
        Cell& cell = cells_[at(t.at + kCircuitGrid * t.out)];
        if (cell.kept_for == kFree) cell.kept_for = net;
    }

    /// Short nets first; those that have to wait after all others.
    std::vector<std::uint32_t> by_length() const {
        std::vector<std::uint32_t> order(task_.nets.size());
        std::iota(order.begin(), order.end(), 0U);
        std::vector<double> length(order.size());
        for (std::size_t n = 0; n < order.size(); ++n) {
            if (task_.nets[n].empty()) continue;
            Box box{task_.nets[n].front().at, 0, 0};
            for (const Terminal& t : task_.nets[n]) box = around(box, {t.at, 0, 0});
            length[n] = box.width + box.height;
        }
        for (const std::uint32_t n : task_.last) length[n] += 1e6;
        std::ranges::stable_sort(order, {}, [&](std::uint32_t n) { return length[n]; });
        return order;
    }

    bool is_open(std::int32_t there, std::int32_t net) const { return there == kFree || there == net || heedless_; }

    bool lead(std::uint32_t net) {
        heedless_ = false;
        const auto& terminals = task_.nets[net];
        std::vector<bool> joined(terminals.size(), false);
        std::set<std::size_t> tree{at(terminals.front().at)};
        joined[0] = true;
        for (std::size_t left = terminals.size() - 1; left > 0; --left) {
            auto path = find_path(static_cast<std::int32_t>(net), tree, joined);
            if (path.empty() && regardless_) {
                heedless_ = true;
                path = find_path(static_cast<std::int32_t>(net), tree, joined);
                heedless_ = false;
            }
            if (path.empty()) return false;
            occupy(path, static_cast<std::int32_t>(net));
            for (const std::size_t cell : path) tree.insert(cell);
            for (std::size_t k = 0; k < terminals.size(); ++k) {
                if (at(terminals[k].at) == path.back()) joined[k] = true;
            }
            paths_[net].push_back(std::move(path));
        }
        return true;
    }

    void occupy(const std::vector<std::size_t>& path, std::int32_t net) {
        for (std::size_t k = 0; k + 1 < path.size(); ++k) {
            const bool horizontal = std::abs(static_cast<long>(path[k + 1]) - static_cast<long>(path[k])) == 1;
            for (const std::size_t cell : {path[k], path[k + 1]})
                (horizontal ? cells_[cell].horizontal : cells_[cell].vertical) = net;
        }
    }

    const Terminal* terminal_at(std::int32_t net, std::size_t cell) const {
        for (const Terminal& t : task_.nets[static_cast<std::size_t>(net)]) {
            if (at(t.at) == cell) return &t;
        }
        return nullptr;
    }

    /// Cells from the tree to the nearest terminal that is not joined yet; empty where there is no way. Dijkstra's
    /// algorithm on cells with the direction they are entered in.
    std::vector<std::size_t> find_path(std::int32_t net, const std::set<std::size_t>& tree,
                                       const std::vector<bool>& joined) {
        ++round_;
        const auto& terminals = task_.nets[static_cast<std::size_t>(net)];
        std::vector<std::pair<std::size_t, Point>> goals;
        for (std::size_t k = 0; k < terminals.size(); ++k) {
            if (!joined[k]) goals.emplace_back(at(terminals[k].at), terminals[k].out);
        }
        using Entry = std::pair<float, std::size_t>;  // cost, state
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        for (const std::size_t cell : tree) {
            for (const std::size_t way : {0U, 1U}) {
                set(2 * cell + way, 0.0F, 2 * cell + way);
                queue.emplace(0.0F, 2 * cell + way);
            }
        }
        while (!queue.empty()) {
            const auto [cost, state] = queue.top();
            queue.pop();
            if (cost > cost_[state]) continue;
            const std::size_t cell = state / 2;
            const auto goal = std::ranges::find(goals, cell, &std::pair<std::size_t, Point>::first);
            if (goal != goals.end()) return traced(state);
            const bool begins = from_[state] == state;
            const Terminal* leaving = begins ? terminal_at(net, cell) : nullptr;
            for (std::size_t d = 0; d < kSteps.size(); ++d) {
                const bool vertical = d % 2 == 1;
                if (leaving != nullptr &&
                    (kSteps[d][0] != std::lround(leaving->out.x) || kSteps[d][1] != std::lround(leaving->out.y)))
                    continue;
                const auto next = step(cell, d);
                if (!next || !may_pass(net, cell, *next, vertical, goals, d)) continue;
                float more = 1.0F;
                if (!begins && vertical != (state % 2 == 1)) more += kBendCost;
                const Cell& there = cells_[*next];
                const std::int32_t across = vertical ? there.horizontal : there.vertical;
                if (across != kFree && across != net) more += kCrossingCost;
                if (there.near) more += kNear;
                const std::size_t to = 2 * *next + (vertical ? 1 : 0);
                if (seen_[to] == round_ && cost_[to] <= cost + more) continue;
                set(to, cost + more, state);
                queue.emplace(cost + more, to);
            }
        }
        return {};
    }

    void set(std::size_t state, float cost, std::size_t from) {
        seen_[state] = round_;
        cost_[state] = cost;
        from_[state] = from;
    }

    std::optional<std::size_t> step(std::size_t cell, std::size_t d) const {
        const int x = static_cast<int>(cell) % width_ + kSteps[d][0];
        const int y = static_cast<int>(cell) / width_ + kSteps[d][1];
        if (x < 0 || y < 0 || x >= width_ || y >= height_) return std::nullopt;
        return static_cast<std::size_t>(y * width_ + x);
    }

    bool may_pass(std::int32_t net, std::size_t from, std::size_t to, bool vertical,
                  const std::vector<std::pair<std::size_t, Point>>& goals, std::size_t d) const {
        const auto line = [&](std::size_t cell) { return vertical ? cells_[cell].vertical : cells_[cell].horizontal; };
        if (!is_open(line(from), net) || !is_open(line(to), net)) return false;
        const Cell& there = cells_[to];
        if (there.blocked) {
            const auto goal = std::ranges::find(goals, to, &std::pair<std::size_t, Point>::first);
            return goal != goals.end() && std::lround(goal->second.x) == -kSteps[d][0] &&
                   std::lround(goal->second.y) == -kSteps[d][1];
        }
        return is_open(there.kept_for, net);
    }

    std::vector<std::size_t> traced(std::size_t state) const {
        std::vector<std::size_t> path{state / 2};
        while (from_[state] != state) {
            state = from_[state];
            path.push_back(state / 2);
        }
        std::ranges::reverse(path);
        return path;
    }

    Wiring result() const {
        Wiring wiring;
        for (const auto& paths : paths_) {
            std::vector<Polyline> lines;
            std::set<std::pair<std::size_t, std::size_t>> steps;
            for (const auto& path : paths) {
                Polyline line;
                for (std::size_t k = 0; k < path.size(); ++k) {
                    if (k + 1 < path.size()) steps.insert(std::minmax(path[k], path[k + 1]));
                    const Point p = place(path[k]);
                    const auto n = line.size();
                    const bool on = n >= 2 && ((line[n - 1].x == p.x && line[n - 2].x == p.x) ||
                                               (line[n - 1].y == p.y && line[n - 2].y == p.y));
                    if (on)
                        line.back() = p;
                    else
                        line.push_back(p);
                }
                lines.push_back(std::move(line));
            }
            wiring.lines.push_back(std::move(lines));
            wiring.dots.push_back(meetings(steps));
        }
        return wiring;
    }

    std::vector<Point> meetings(const std::set<std::pair<std::size_t, std::size_t>>& steps) const {
        constexpr int kMeeting = 3;
        std::vector<std::size_t> ends;
        for (const auto& [a, b] : steps) {
            ends.push_back(a);
            ends.push_back(b);
        }
        std::ranges::sort(ends);
        std::vector<Point> dots;
        for (std::size_t k = 0; k < ends.size();) {
            std::size_t next = k;
            while (next < ends.size() && ends[next] == ends[k]) ++next;
            if (next - k >= kMeeting) dots.push_back(place(ends[k]));
            k = next;
        }
        return dots;
    }

    const WiringTask& task_;
    bool regardless_;
    bool heedless_ = false;
    int left_ = 0;
    int top_ = 0;
    int width_ = 0;
    int height_ = 0;
    std::vector<Cell> cells_;
    std::vector<Cell> start_;
    std::vector<float> cost_;
    std::vector<std::size_t> from_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t round_ = 0;
    std::vector<std::vector<std::vector<std::size_t>>> paths_;
};

}  // namespace

std::optional<Wiring> lead_wires(const WiringTask& task, bool regardless) { return Router(task, regardless).run(); }

}  // namespace bondgraph::drawing
