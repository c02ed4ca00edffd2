// Where inside a step relations cross zero.

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "bondgraph/simulation/events.hpp"

namespace bondgraph::simulation {
namespace {

/// Crossings this share of a step apart are one event.
constexpr double kTogetherness = 1e-10;

/// Whether a parabola through three values of one sign, equally far apart, reaches zero between them or comes near it.
bool turns_back_at_zero(double left, double middle, double right) {
    constexpr double kNear = 0.2;  ///< of how far the parabola is from a straight line
    const double side = left > 0.0 ? 1.0 : -1.0;
    if (!(side * left > 0.0 && side * middle > 0.0 && side * right > 0.0)) return false;
    const double square = 0.5 * side * (left - 2.0 * middle + right);
    const double slope = side * (middle - left) - square;
    if (!(square > 0.0 && slope < 0.0 && -slope < 4.0 * square)) return false;
    return side * left - slope * slope / (4.0 * square) < kNear * square;
}

}  // namespace

void Events::observe(Mode& mode, const Point& point) {
    if (relations_.empty()) return;
    std::vector<double> d(relations_.size());
    mode.evaluator->run(mode.model->at_events.differences, mode.difference_work, point.time, point.y, point.yp, d);
    for (std::size_t k = 0; k < d.size(); ++k)
        mode.relation_scale[k] = std::max(mode.relation_scale[k], std::abs(d[k]));
    arm(mode, d);
}

// What is clearly on its side may change again at zero.
void Events::arm(const Mode& mode, const std::vector<double>& d) {
    for (std::size_t k = 0; k < d.size(); ++k) {
        const double eps = kRelationNoise * mode.relation_scale[k];
        if (relations_[k].value ? d[k] < -eps : d[k] > eps) relations_[k] = {relations_[k].value, true};
    }
}

std::optional<Crossing> Events::crossing(Mode& mode, double from, double to, const Interpolate& at) {
    if (relations_.empty() || to <= from) return std::nullopt;
    Point p;
    std::vector<double> d(relations_.size());
    const auto evaluate = [&](double time) {
        p.time = time;
        at(time, p);
        mode.evaluator->run(mode.model->at_events.differences, mode.difference_work, time, p.y, p.yp, d);
    };
    // Beyond which value a relation has changed; one that is not clear of its last change has to go further.
    const auto limit = [&](std::size_t k) {
        const Truth& r = relations_[k];
        if (r.armed) return 0.0;
        const double eps = kRelationNoise * mode.relation_scale[k];
        return r.value ? std::max(r.from, 0.0) + eps : std::min(r.from, 0.0) - eps;
    };
    const auto beyond = [&](std::size_t k, double value) {
        return relations_[k].value ? value > limit(k) : value < limit(k);
    };
    const auto close = [](double a, double b) { return std::abs(b - a) <= 4e-16 * (std::abs(a) + std::abs(b)); };
    const auto locate = [&](std::size_t k, double inside, double outside, double before, double after) {
        const double target = limit(k);
        constexpr int kMost = 60;
        if (!std::isfinite(before) || before == target) {  // no change of sign: it may stay there for a while
            for (int i = 0; i < kMost && !close(inside, outside); ++i) {
                const double middle = 0.5 * (inside + outside);
                evaluate(middle);
                (beyond(k, d[k]) ? outside : inside) = middle;
            }
            return outside;
        }
        const auto f = [&](double time) {
            evaluate(time);
            return d[k] - target;
        };
        std::uintmax_t most = kMost;
        const auto bracket =
            boost::math::tools::toms748_solve(f, inside, outside, before - target, after - target, close, most);
        return std::max(bracket.second, bracket.first);
    };
    double left = from;
    for (const double right : {0.5 * (from + to), to}) {
        evaluate(right);
        std::vector<std::size_t> crossed;
        for (std::size_t k = 0; k < d.size(); ++k) {
            if (beyond(k, d[k])) crossed.push_back(k);
        }
        if (crossed.empty()) {
            arm(mode, d);
            left = right;
            continue;
        }
        const std::vector<double> at_right = d;
        evaluate(left);
        const std::vector<double> at_left = d;
        const auto together = [&](double first) {
            return first + kTogetherness * (right - left) + 8e-16 * std::abs(first);
        };
        // The relation that seems to cross first is located first: by then most others have not, and need not be.
        const auto share = [&](std::size_t k) {
            const double to_limit = (limit(k) - at_left[k]) / (at_right[k] - at_left[k]);
            return beyond(k, at_left[k]) || !std::isfinite(to_limit) ? 0.0 : to_limit;
        };
        std::stable_sort(crossed.begin(), crossed.end(),
                         [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
        double first = right;
        std::vector<double> by_then;
        std::vector<double> roots;
        for (const std::size_t k : crossed) {
            if (!by_then.empty() && !beyond(k, by_then[k])) continue;
            const double root = beyond(k, at_left[k]) ? left : locate(k, left, right, at_left[k], at_right[k]);
            roots.push_back(root);
            if (root >= first && !by_then.empty()) continue;
            first = std::min(first, root);
            evaluate(std::min(together(first), right));
            by_then = d;
        }
        // What crosses together but for rounding is one event: it is taken where all have crossed.
        const double last = together(first);
        for (const double root : roots) {
            if (root <= last) first = std::max(first, root);
        }
        first = std::max(first, std::nextafter(from, to));
        evaluate(first);
        Crossing result{first, {}};
        for (std::size_t k = 0; k < d.size(); ++k) {
            if (beyond(k, d[k])) result.relations.push_back(k);
        }
        // Rounding may hide at the point what the bracket has shown.
        if (result.relations.empty() && first >= to) return std::nullopt;
        if (result.relations.empty()) result.relations = crossed;
        reached_.clear();
        // The next event is looked for about as far away as this one was.
        const double waited = first - from;
        if (waited > 1e-6 * modes_.span()) stride_ = std::min(stride_, 8.0 * waited);
        return result;
    }
    return std::nullopt;
}

double Events::straight(Mode& mode, double from, double to, const Interpolate& at) {
    constexpr double kBend = 0.1;      ///< of a difference's size
    constexpr double kFirst = 0.0618;  ///< of the whole: no share that a period may fit into
    constexpr int kHalvings = 30;
    Point p;
    const auto evaluate = [&](double time) {
        std::vector<double> d(relations_.size());
        at(time, p);
        mode.evaluator->run(mode.model->at_events.differences, mode.difference_work, time, p.y, p.yp, d);
        return d;
    };
    const auto left = evaluate(from);
    // What the differences were before the last event, or further ahead, says nothing of their size here: a diode's is
    // an effort while it blocks and a flow while it conducts.
    reached_.resize(left.size(), 0.0);
    for (std::size_t k = 0; k < left.size(); ++k) reached_[k] = std::max(reached_[k], std::abs(left[k]));
    if (stride_ <= 0.0) stride_ = kFirst * (to - from);
    double length = std::min(stride_, to - from);
    for (int halving = 0; halving < kHalvings; ++halving, length *= 0.5) {
        const auto middle = evaluate(from + 0.5 * length);
        const auto right = evaluate(from + length);
        bool bent = false;
        for (std::size_t k = 0; k < left.size(); ++k) {
            double& scale = mode.relation_scale[k];
            scale = std::max({scale, std::abs(left[k]), std::abs(middle[k]), std::abs(right[k])});
            const double size = std::max({reached_[k], std::abs(middle[k]), std::abs(right[k])});
            bent = bent || std::abs(middle[k] - 0.5 * (left[k] + right[k])) > kBend * size ||
                   (relations_[k].armed && turns_back_at_zero(left[k], middle[k], right[k]));
        }
        if (!bent) break;
    }
    stride_ = std::max(1.5 * length, 1e-9 * modes_.span());
    // The last stretch is not left over as a sliver.
    return from + 1.5 * length >= to ? to : std::max(from + length, std::nextafter(from, to));
}

}  // namespace bondgraph::simulation
