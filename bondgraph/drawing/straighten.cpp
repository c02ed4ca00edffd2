#include "bondgraph/drawing/straighten.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace bondgraph::drawing {
namespace {

constexpr double kStraight = 0.05;  // what counts as level
constexpr double kNearly = 26.0;    // what is made level
constexpr double kRowGap = 8.0;     // that stays between boxes

using Lines = std::span<const std::pair<std::uint32_t, std::uint32_t>>;

class Straightener {
   public:
    Straightener(std::vector<Box>& boxes, Lines lines, const std::vector<std::uint32_t>& together)
        : boxes_(boxes), lines_(lines), moved_(boxes.size(), 0.0), group_(together) {
        for (std::uint32_t i = 0; i < boxes.size(); ++i) members_[group_[i]].push_back(i);
    }

    /// Makes the line level by moving the smaller of the groups at its ends, and joins the groups.
    bool level(std::uint32_t a, std::uint32_t b) {
        const double difference = boxes_[b].centre.y - boxes_[a].centre.y;
        if (group_[a] == group_[b] || std::abs(difference) > kNearly) return false;
        const bool first = members_[group_[a]].size() < members_[group_[b]].size();
        const bool done = move(first ? a : b, first ? difference : -difference) ||
                          move(first ? b : a, first ? -difference : difference);
        if (done) join(group_[a], group_[b]);
        return done;
    }

    [[nodiscard]] const std::vector<double>& moved() const { return moved_; }

   private:
    bool move(std::uint32_t box, double by) {
        if (std::abs(by) < kStraight) return true;
        const std::uint32_t group = group_[box];
        for (const std::uint32_t i : members_[group]) {
            Box there = boxes_[i].grown(kRowGap / 2);
            there.centre.y += by;
            for (std::uint32_t k = 0; k < boxes_.size(); ++k) {
                if (group_[k] != group && overlap(there, boxes_[k].grown(kRowGap / 2))) return false;
            }
        }
        const std::size_t before = lines_through_boxes(group);
        shift(group, by);
        if (lines_through_boxes(group) <= before) return true;
        shift(group, -by);
        return false;
    }

    void shift(std::uint32_t group, double by) {
        for (const std::uint32_t i : members_[group]) {
            boxes_[i].centre.y += by;
            moved_[i] += by;
        }
    }

    /// How often a line between other boxes runs through a box, where a box of the group takes part.
    std::size_t lines_through_boxes(std::uint32_t group) const {
        std::size_t count = 0;
        for (const auto& [a, b] : lines_) {
            const bool moves = group_[a] == group || group_[b] == group;
            for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
                if (i == a || i == b || (!moves && group_[i] != group)) continue;
                if (crosses(boxes_[i].grown(kRowGap / 2), boxes_[a].centre, boxes_[b].centre)) ++count;
            }
        }
        return count;
    }

    void join(std::uint32_t a, std::uint32_t b) {
        for (const std::uint32_t i : members_[b]) {
            group_[i] = a;
            members_[a].push_back(i);
        }
        members_.erase(b);
    }

    std::vector<Box>& boxes_;
    Lines lines_;
    std::vector<double> moved_;
    std::vector<std::uint32_t> group_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> members_;
};

}  // namespace

std::vector<double> straighten(std::vector<Box>& boxes, std::span<const std::pair<std::uint32_t, std::uint32_t>> lines,
                               const std::vector<std::uint32_t>& together) {
    Straightener work(boxes, lines, together);
    // The nearest to level first: what Graphviz has put in a row stays in a row.
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double difference = boxes[lines[i].first].centre.y - boxes[lines[i].second].centre.y;
        order.emplace_back(std::abs(difference) < kStraight ? 0.0 : std::abs(difference), i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [difference, i] : order) work.level(lines[i].first, lines[i].second);
    return work.moved();
}

}  // namespace bondgraph::drawing
