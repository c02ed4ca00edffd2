#include "bondgraph/drawing/mirror.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace bondgraph::drawing {
namespace {

constexpr std::size_t kMostMirrored = 300;  // in larger pictures a turn more is not seen

using Lines = std::span<const std::pair<std::uint32_t, std::uint32_t>>;

class Mirror {
   public:
    Mirror(std::vector<Box>& boxes, std::vector<double> middles, const std::vector<std::uint32_t>& parts, Lines lines)
        : boxes_(boxes), middles_(std::move(middles)), parts_(parts), lines_(lines) {}

    void run() {
        const std::set<std::uint32_t> all(parts_.begin(), parts_.end());
        if (all.size() < 2 || boxes_.size() > kMostMirrored) return;
        double least = tangle();
        for (const std::uint32_t part : all) {
            turn_over(part);
            const double now = tangle();
            if (now < least && !lies_on_others(part))
                least = now;
            else
                turn_over(part);
        }
    }

   private:
    /// The length of all lines, and for each crossing about what a way around would take.
    [[nodiscard]] double tangle() const {
        constexpr double kCrossing = 70.0;
        double sum = 0.0;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto& [a, b] = lines_[i];
            sum += length(boxes_[b].centre - boxes_[a].centre);
            for (const auto& [c, d] : lines_.first(i)) {
                const bool meet = a == c || a == d || b == c || b == d;
                if (!meet && segments_cross(boxes_[a].centre, boxes_[b].centre, boxes_[c].centre, boxes_[d].centre))
                    sum += kCrossing;
            }
        }
        return sum;
    }

    void turn_over(std::uint32_t part) {
        double low = std::numeric_limits<double>::max();
        double high = std::numeric_limits<double>::lowest();
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            if (parts_[i] != part) continue;
            low = std::min(low, middles_[i]);
            high = std::max(high, middles_[i]);
        }
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            if (parts_[i] != part) continue;
            const double mirrored = low + high - middles_[i];
            boxes_[i].centre.y += mirrored - middles_[i];
            middles_[i] = mirrored;
        }
    }

    [[nodiscard]] bool lies_on_others(std::uint32_t part) const {
        constexpr double kAir = 8.0;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            if (parts_[i] != part) continue;
            for (std::size_t k = 0; k < boxes_.size(); ++k) {
                if (parts_[k] != part && overlap(boxes_[i].grown(kAir), boxes_[k])) return true;
            }
        }
        return false;
    }

    std::vector<Box>& boxes_;
    std::vector<double> middles_;
    const std::vector<std::uint32_t>& parts_;
    Lines lines_;
};

}  // namespace

void mirror_parts(std::vector<Box>& boxes, std::vector<double> middles, const std::vector<std::uint32_t>& parts,
                  Lines lines) {
    Mirror(boxes, std::move(middles), parts, lines).run();
}

}  // namespace bondgraph::drawing
