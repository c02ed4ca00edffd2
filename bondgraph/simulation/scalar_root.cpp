#include "bondgraph/simulation/scalar_root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bondgraph::simulation {

namespace {

constexpr int kMostOfSearch = 300;
constexpr double kEps = std::numeric_limits<double>::epsilon();
/// A Newton step this short beside the unknown is the last: the next one would be its square.
constexpr double kLastOfSearch = 1e-8;
/// An unknown this small beside its magnitude counts as this share of it.
constexpr double kShareOfSize = 1e-4;
/// How many bounds of rounding a residual between two signs may have.
constexpr double kRoundingsBetween = 64.0;

class Search {
   public:
    Search(const std::function<ScalarValue(double)>& f, const std::function<double(double)>& rounding, double start,
           double size)
        : f_(f), rounding_(rounding), size_(std::isfinite(size) ? std::abs(size) : 0.0), x_(start) {}

    ScalarRoot run() {
        at_ = look(x_);
        if (!std::isfinite(at_.value)) return result(false);
        for (int k = 0; k < kMostOfSearch; ++k) {
            if (at_.value == 0.0) return result(true);
            double step = -at_.value / at_.slope;
            bool newton = std::isfinite(step) && step != 0.0;
            if (bracketed_) {
                if (width() <= 4.0 * kEps * std::abs(x_) + std::numeric_limits<double>::min()) return end();
                const double to = x_ + step;
                newton = newton && !slow(k) && (to - x_) * (to - other_) < 0.0;
                if (!newton) step = 0.5 * (other_ - x_);
            } else if (!newton) {
                if (!leave_flat_place()) return result(drowned());
                continue;
            }
            if (newton && std::abs(step) <= kLastOfSearch * std::max(std::abs(x_), kShareOfSize * size_)) {
                x_ += step;
                return result(true);
            }
            if (bracketed_) {
                move(x_ + step, look(x_ + step));
            } else if (!shortened(step)) {
                return result(drowned());
            }
        }
        return result(drowned());
    }

   private:
    ScalarValue look(double x) {
        ++evaluations_;
        return f_(x);
    }

    [[nodiscard]] double width() const { return std::abs(other_ - x_); }

    // Whether two rounds have not halved the interval.
    bool slow(int k) {
        if (k % 2 != 0) return false;
        const bool result = width() > 0.5 * before_;
        before_ = width();
        return result;
    }

    // Goes on from x; the end of the interval with the other sign stays.
    void move(double x, const ScalarValue& there) {
        if (!std::isfinite(there.value)) {  // between two signs: towards the end that has a value
            other_ = x;
            return;
        }
        if ((there.value < 0.0) != (at_.value < 0.0)) {
            other_ = x_;
            if (!bracketed_) before_ = std::numeric_limits<double>::infinity();
            bracketed_ = true;
        }
        x_ = x;
        at_ = there;
    }

    // Goes there if the residual is smaller or has the other sign.
    bool taken(double x) {
        const ScalarValue there = look(x);
        if (!std::isfinite(there.value)) return false;
        const bool turned = (there.value < 0.0) != (at_.value < 0.0);
        if (!turned && std::abs(there.value) >= std::abs(at_.value)) return false;
        move(x, there);
        return true;
    }

    // The longest of the steps 1, 1/2, 1/4 … after which the residual is smaller or has the other sign.
    bool shortened(double step) {
        for (; std::abs(step) > kEps * std::abs(x_); step *= 0.5) {
            const double x = x_ + step;
            if (x == x_) return false;
            if (taken(x)) return true;
        }
        return false;
    }

    // Where the slope is 0 or has no value: to the next place on either side that is nearer to zero. An unknown that is
    // 0 and has never been anything else may have any size.
    bool leave_flat_place() {
        constexpr double kStride = 4.0;
        constexpr double kStrideOfUnknown = 1e3;
        constexpr double kSmallest = std::numeric_limits<double>::min() / kEps;
        constexpr double kLargest = std::numeric_limits<double>::max() * kEps;
        const double scale = std::max(std::abs(x_), kShareOfSize * size_);
        const bool known = scale > kSmallest;
        const double end = known ? 1e12 * scale : kLargest;
        for (double away = known ? kLastOfSearch * scale : kSmallest; away < end;
             away *= known ? kStride : kStrideOfUnknown) {
            for (const double x : {x_ + away, x_ - away}) {
                if (taken(x)) return true;
            }
        }
        return false;
    }

    bool drowned() const { return std::abs(at_.value) <= rounding_(x_); }

    // The interval has no number inside any more: a root, unless f jumps or has a pole there. At a kink the slope of
    // one end alone tells how far f goes within the interval.
    ScalarRoot end() {
        const double slope = std::max(std::abs(at_.slope), std::abs(look(other_).slope));
        const double reach = 8.0 * (width() + kEps * std::abs(x_)) * slope;
        return result(std::abs(at_.value) <= reach || std::abs(at_.value) <= kRoundingsBetween * rounding_(x_));
    }

    [[nodiscard]] ScalarRoot result(bool found) const { return {x_, found && std::isfinite(x_), evaluations_}; }

    const std::function<ScalarValue(double)>& f_;
    const std::function<double(double)>& rounding_;
    double size_;
    double x_;
    ScalarValue at_;
    bool bracketed_ = false;
    double other_ = 0.0;  ///< the end with the other sign
    double before_ = std::numeric_limits<double>::infinity();
    int evaluations_ = 0;
};

}  // namespace

ScalarRoot find_root(const std::function<ScalarValue(double)>& f, const std::function<double(double)>& rounding,
                     double start, double size) {
    return Search(f, rounding, start, size).run();
}

}  // namespace bondgraph::simulation
