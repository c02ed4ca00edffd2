#include "bondgraph/drawing/close_up.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kMostBoxes = 1000;  // what has more is no page in any case
constexpr double kWorthwhile = 0.1;       // of the height
constexpr double kLevel = 0.05;

using Lines = std::span<const std::pair<std::uint32_t, std::uint32_t>>;

class Closer {
   public:
    Closer(std::vector<Box>& boxes, Lines lines, const std::vector<std::uint32_t>& together, double gap)
        : boxes_(boxes), lines_(lines), gap_(gap), row_(together) {}

    void run() {
        if (boxes_.empty() || boxes_.size() > kMostBoxes) return;
        find_rows();
        if (highest_.size() < 2) return;
        find_limits();
        const std::vector<double> up = pushed_up();
        if (up.empty()) return;
        double bottom = kUp;
        for (std::size_t r = 0; r < up.size(); ++r) bottom = std::max(bottom, lowest_[r] + up[r]);
        const double height = *std::max_element(lowest_.begin(), lowest_.end()) - top();
        if (bottom - top() > (1.0 - kWorthwhile) * height) return;
        const std::vector<double> down = pushed_down(bottom);
        if (down.empty()) return;
        for (std::size_t r = 0; r < up.size(); ++r) by_.push_back(0.5 * (up[r] + down[r]));
        pull_together(bottom);
        move();
    }

   private:
    static constexpr double kUp = std::numeric_limits<double>::lowest();
    static constexpr double kDown = std::numeric_limits<double>::max();

    /// How much nearer two rows may come.
    struct Limit {
        std::uint32_t upper;
        std::uint32_t lower;
        double nearer;
    };

    std::uint32_t root(std::uint32_t box) {
        while (row_[box] != box) box = row_[box] = row_[row_[box]];
        return box;
    }

    [[nodiscard]] double top() const { return *std::min_element(highest_.begin(), highest_.end()); }

    /// A row is what level lines join.
    void find_rows() {
        for (const auto& [a, b] : lines_) {
            if (std::abs(boxes_[a].centre.y - boxes_[b].centre.y) < kLevel) row_[root(a)] = root(b);
        }
        constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> numbers(boxes_.size(), kNew);
        std::vector<std::uint32_t> rows;
        for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
            std::uint32_t& number = numbers[root(i)];
            if (number == kNew) {
                number = static_cast<std::uint32_t>(highest_.size());
                highest_.push_back(kDown);
                lowest_.push_back(kUp);
            }
            rows.push_back(number);
            highest_[number] = std::min(highest_[number], boxes_[i].top());
            lowest_[number] = std::max(lowest_[number], boxes_[i].bottom());
        }
        row_ = std::move(rows);
    }

    void find_limits() {
        constexpr double kAside = 8.0;
        for (std::uint32_t i = 0; i < boxes_.size(); ++i) areas_.push_back({boxes_[i], row_[i]});
        for (const auto& [a, b] : lines_) {
            if (row_[a] == row_[b])
                areas_.push_back({around({boxes_[a].centre, 0, 0}, {boxes_[b].centre, 0, 0}), row_[a]});
        }
        for (const Area& a : areas_) {
            for (const Area& b : areas_) {
                const double aside = std::abs(a.box.centre.x - b.box.centre.x) - (a.box.width + b.box.width) / 2;
                if (a.row == b.row || aside > kAside || a.box.centre.y > b.box.centre.y) continue;
                const double between = b.box.top() - a.box.bottom();
                limits_.push_back({a.row, b.row, std::max(between - gap_, 0.0)});
            }
        }
    }

    /// Rows that hold each other from both sides may take many small steps.
    [[nodiscard]] std::size_t most_passes() const { return 2 * highest_.size() + 10; }

    /// As far as each row can move upwards when all do; nothing where that takes too long to find.
    [[nodiscard]] std::vector<double> pushed_up() const {
        std::vector<double> by;
        for (const double y : highest_) by.push_back(top() - y);
        bool changed = true;
        for (std::size_t i = 0; changed && i < most_passes(); ++i) {
            changed = false;
            for (const Limit& l : limits_) {
                const double least = by[l.upper] - l.nearer;
                if (by[l.lower] >= least - kLevel / 2) continue;
                by[l.lower] = least;
                changed = true;
            }
        }
        return changed ? std::vector<double>{} : by;
    }

    /// As far as each can move downwards, with nothing below `bottom`.
    [[nodiscard]] std::vector<double> pushed_down(double bottom) const {
        std::vector<double> by;
        for (const double y : lowest_) by.push_back(bottom - y);
        bool changed = true;
        for (std::size_t i = 0; changed && i < most_passes(); ++i) {
            changed = false;
            for (const Limit& l : limits_) {
                const double most = by[l.lower] + l.nearer;
                if (by[l.upper] <= most + kLevel / 2) continue;
                by[l.upper] = most;
                changed = true;
            }
        }
        return changed ? std::vector<double>{} : by;
    }

    /// Each row goes to the middle of what its lines lead to, as far as it has room.
    void pull_together(double bottom) {
        constexpr int kTimes = 30;
        for (int i = 0; i < kTimes; ++i) {
            for (std::uint32_t r = 0; r < by_.size(); ++r) pull(r, bottom);
        }
    }

    void pull(std::uint32_t row, double bottom) {
        double sum = 0.0;
        int count = 0;
        for (const auto& [a, b] : lines_) {
            if ((row_[a] == row) == (row_[b] == row)) continue;
            const auto& [own, other] = row_[a] == row ? std::pair{a, b} : std::pair{b, a};
            sum += boxes_[other].centre.y + by_[row_[other]] - boxes_[own].centre.y;
            ++count;
        }
        if (count == 0) return;
        double least = top() - highest_[row];
        double most = bottom - lowest_[row];
        for (const Limit& l : limits_) {
            if (l.lower == row) least = std::max(least, by_[l.upper] - l.nearer);
            if (l.upper == row) most = std::min(most, by_[l.lower] + l.nearer);
        }
        if (least <= most) by_[row] = std::clamp(sum / count, least, most);
    }

    /// All the way, or as far as no line meets more than before. What fits before and after fits on the way, too.
    void move() {
        const std::vector<Box> given = boxes_;
        const std::size_t before = lines_met();
        for (const double share : {1.0, 0.8, 0.6, 0.4, 0.0}) {
            for (std::uint32_t i = 0; i < boxes_.size(); ++i)
                boxes_[i].centre.y = given[i].centre.y + share * by_[row_[i]];
            if (lines_met() <= before) return;
        }
    }

    /// How often lines meet boxes and other lines; a line that meets a box has to bend.
    [[nodiscard]] std::size_t lines_met() const {
        constexpr double kClearance = 6.0;
        std::size_t count = 0;
        for (const auto& line : lines_) {
            const auto a = line.first;
            const auto b = line.second;
            const auto is_end = [&](std::uint32_t n) { return n == a || n == b; };
            for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
                if (!is_end(i) && crosses(boxes_[i].grown(kClearance), boxes_[a].centre, boxes_[b].centre)) count += 2;
            }
            for (const auto& [c, d] : lines_.first(static_cast<std::size_t>(&line - lines_.data()))) {
                if (!is_end(c) && !is_end(d) &&
                    segments_cross(boxes_[a].centre, boxes_[b].centre, boxes_[c].centre, boxes_[d].centre))
                    ++count;
            }
        }
        return count;
    }

    /// What nothing else may move onto: a box, or a line within a row.
    struct Area {
        Box box;
        std::uint32_t row;
    };

    std::vector<Box>& boxes_;
    Lines lines_;
    double gap_;
    std::vector<std::uint32_t> row_;  ///< per box; a box of it at first
    std::vector<double> highest_;     ///< per row, as given
    std::vector<double> lowest_;
    std::vector<Area> areas_;
    std::vector<Limit> limits_;
    std::vector<double> by_;  ///< per row
};

}  // namespace

void close_up(std::vector<Box>& boxes, std::span<const std::pair<std::uint32_t, std::uint32_t>> lines,
              const std::vector<std::uint32_t>& together, double gap) {
    Closer(boxes, lines, together, gap).run();
}

}  // namespace bondgraph::drawing
