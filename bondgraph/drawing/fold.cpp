#include "bondgraph/drawing/fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace bondgraph::drawing {

class Folder {
   public:
    Folder(std::span<const Box> boxes, std::span<const std::uint32_t> hosts, std::span<const Box> frames,
           std::span<const FoldLine> lines, double gap)
        : given_(boxes), hosts_(hosts), frames_(frames), boxes_(boxes.begin(), boxes.end()), lines_(lines), gap_(gap) {}

    Folding run() {
        if (!is_too_wide()) return {};
        find_cuts();
        // A turn that something stands in the way of is given up.
        while (true) {
            const std::vector<Cut> chosen = choose();
            if (chosen.empty()) return {};
            Folding folding = place(chosen);
            const auto blocked = std::find_if(chosen.begin(), chosen.end(),
                                              [&](const Cut& cut) { return is_blocked(lines_[cut.line], folding); });
            if (blocked == chosen.end()) return folding;
            const double x = blocked->x;
            cuts_.erase(std::remove_if(cuts_.begin(), cuts_.end(), [x](const Cut& c) { return c.x == x; }),
                        cuts_.end());
        }
    }

   private:
    static constexpr double kWide = 1000.0;  ///< points: what is narrower can be read across a page
    static constexpr double kTooWide = 3.2;  ///< width by height
    static constexpr double kGoodProportion = 1.9;
    static constexpr std::size_t kMostRows = 8;

    struct Cut {
        double x;
        std::size_t line;
    };

    struct Extent {
        double low = std::numeric_limits<double>::max();
        double high = std::numeric_limits<double>::lowest();
        void add(double a, double b) {
            low = std::min(low, a);
            high = std::max(high, b);
        }
        [[nodiscard]] double size() const { return high - low; }
    };

    bool is_too_wide() {
        Extent y;
        for (const Box& box : all()) {
            across_.add(box.left(), box.right());
            y.add(box.top(), box.bottom());
        }
        if (boxes_.empty() || across_.size() < kWide || across_.size() < kTooWide * y.size()) return false;
        rows_ =
            static_cast<std::size_t>(std::lround(std::sqrt(across_.size() / (kGoodProportion * (y.size() + gap_)))));
        rows_ = std::min(rows_, kMostRows);
        return rows_ > 1;
    }

    /// Places where nothing stands and which a single line crosses.
    void find_cuts() {
        std::vector<Box> order = all();
        std::sort(order.begin(), order.end(), [](const Box& a, const Box& b) { return a.left() < b.left(); });
        double right = order.front().right();
        for (const Box& box : order) {
            if (box.left() > right) try_cut(0.5 * (right + box.left()));
            right = std::max(right, box.right());
        }
    }

    void try_cut(double x) {
        std::optional<std::size_t> only;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const FoldLine& line = lines_[i];
            if ((boxes_[line.from].centre.x < x) == (boxes_[line.to].centre.x < x)) continue;
            if (only || !line.may_turn) return;
            only = i;
        }
        if (only) cuts_.push_back({x, *only});
    }

    /// Those nearest to where rows of equal length would end.
    std::vector<Cut> choose() const {
        constexpr double kTolerated = 0.35;  // of a row's length
        constexpr double kTurningOver = 0.25;
        const double length = across_.size() / static_cast<double>(rows_);
        std::vector<Cut> chosen;
        for (std::size_t k = 1; k < rows_; ++k) {
            const double wanted = across_.low + static_cast<double>(k) * length;
            const auto distance = [&](const Cut& cut) { return std::abs(cut.x - wanted); };
            const auto cost = [&](const Cut& cut) {
                return distance(cut) + (something_in_the_way(cut) ? kTurningOver * length : 0.0);
            };
            const auto nearest = std::min_element(cuts_.begin(), cuts_.end(),
                                                  [&](const Cut& a, const Cut& b) { return cost(a) < cost(b); });
            if (nearest == cuts_.end() || distance(*nearest) > kTolerated * length) continue;
            if (chosen.empty() || nearest->x > chosen.back().x) chosen.push_back(*nearest);
        }
        return chosen;
    }

    /// The ends of a turn, in the row before it and in the one after it.
    std::pair<std::uint32_t, std::uint32_t> ends_of(const Cut& cut) const {
        const FoldLine& line = lines_[cut.line];
        return given_[line.from].centre.x < cut.x ? std::pair{line.from, line.to} : std::pair{line.to, line.from};
    }

    bool something_in_the_way(const Cut& cut) const {
        const auto [end, begin] = ends_of(cut);
        for (std::uint32_t n = 0; n < given_.size(); ++n) {
            const double down = given_[n].centre.y - given_[hosts_[n]].centre.y;
            if ((hosts_[n] == end && down > 0.0) || (hosts_[n] == begin && down < 0.0)) return true;
        }
        return false;
    }

    /// What hangs below the end of a row or above the beginning of the next is turned over, where the other side is
    /// free.
    void make_way_at(const Cut& cut, Folding& folding) {
        const auto [end, begin] = ends_of(cut);
        for (const bool below : {true, false}) {
            const std::uint32_t host = below ? end : begin;
            std::vector<std::uint32_t> in_the_way;
            bool free = true;
            for (std::uint32_t n = 0; n < boxes_.size(); ++n) {
                if (hosts_[n] != host || n == host) continue;
                const bool is_below = boxes_[n].centre.y > boxes_[host].centre.y;
                if (is_below == below)
                    in_the_way.push_back(n);
                else
                    free = false;
            }
            if (!free) continue;
            for (const std::uint32_t n : in_the_way) {
                boxes_[n].centre.y = 2 * boxes_[host].centre.y - boxes_[n].centre.y;
                folding.turned_over_.push_back(n);
            }
        }
    }

    /// Each row begins below the end of the one before.
    Folding place(const std::vector<Cut>& chosen) {
        Folding folding;
        boxes_.assign(given_.begin(), given_.end());
        for (const Cut& cut : chosen) make_way_at(cut, folding);
        for (const Cut& cut : chosen) folding.cuts_.push_back(cut.x);
        std::vector<Extent> heights(chosen.size() + 1);
        for (const Box& box : all()) heights[folding.row_of(box.centre.x)].add(box.top(), box.bottom());
        double bottom = heights.front().high;
        folding.rows_.push_back({});
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const Point end = boxes_[ends_of(chosen[k]).first].centre;
            const Point begin = boxes_[ends_of(chosen[k]).second].centre;
            Folding::Row row{.backwards = k % 2 == 0, .by = {}};
            const double above = folding.moved(end, k).x;
            row.by = {above - (row.backwards ? -begin.x : begin.x), bottom + gap_ - heights[k + 1].low};
            bottom += gap_ + heights[k + 1].size();
            folding.rows_.push_back(row);
        }
        return folding;
    }

    bool is_blocked(const FoldLine& line, const Folding& folding) const {
        const Point a = folding.moved(boxes_[line.from].centre);
        const Point b = folding.moved(boxes_[line.to].centre);
        for (std::uint32_t n = 0; n < boxes_.size(); ++n) {
            Box box = boxes_[n];
            box.centre = folding.moved(box.centre);
            if (n != line.from && n != line.to && crosses(box.grown(4.0), a, b)) return true;
        }
        return false;
    }

    std::vector<Box> all() const {
        std::vector<Box> boxes = boxes_;
        boxes.insert(boxes.end(), frames_.begin(), frames_.end());
        return boxes;
    }

    std::span<const Box> given_;
    std::span<const std::uint32_t> hosts_;
    std::span<const Box> frames_;
    std::vector<Box> boxes_;  ///< some turned over
    std::span<const FoldLine> lines_;
    double gap_;
    Extent across_;
    std::size_t rows_ = 1;
    std::vector<Cut> cuts_;
};

std::size_t Folding::row_of(double x) const {
    return static_cast<std::size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), x) - cuts_.begin());
}

Point Folding::moved(Point p, std::size_t row) const {
    const Row& r = rows_[row];
    return Point{r.backwards ? -p.x : p.x, p.y} + r.by;
}

Folding fold(std::span<const Box> boxes, std::span<const std::uint32_t> hosts, std::span<const Box> frames,
             std::span<const FoldLine> lines, double gap) {
    return Folder(boxes, hosts, frames, lines, gap).run();
}

}  // namespace bondgraph::drawing
