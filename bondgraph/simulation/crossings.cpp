// Where inside a step relations cross zero.

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "bondgraph/simulation/events.hpp"

namespace bondgraph::simulation {

using expression::Enclosure;

namespace {

/// Crossings this share of a step apart are one event.
constexpr double kTogetherness = 1e-10;

/// Stretches a step is divided into at most before what is not proven is looked at by points.
constexpr int kMostStretches = 64;

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
        const double eps = mode.blur(k);
        if (relations_[k].value ? d[k] < -eps : d[k] > eps)
            relations_[k] = {relations_[k].value, true, 0.0, relations_[k].unclear};
    }
}

namespace {

/// The search for the first crossing inside a step. What relations do between two points is known from enclosures of
/// their differences, where there are any: a difference that is proven to stay on its side is done with, one that goes
/// one way is known from its ends, one with a single extremum from that.
class Look {
   public:
    Look(Mode& mode, const Events::Interpolate& at, const Events::Enclose& enclose, std::size_t relations)
        : mode_(mode), at_(at), enclose_(enclose), d_(relations), bounds_(relations) {
        if (!enclose_) return;
        if (!mode.difference_bounds) mode.difference_bounds.emplace(mode.model->at_events.differences);
        const auto held = mode.evaluator->held();
        const auto inputs = mode.difference_bounds->inputs().subspan(mode.model->first_held());
        for (std::size_t k = 0; k < held.size(); ++k) inputs[k] = Enclosure::constant(held[k]);
    }

    [[nodiscard]] bool proves() const { return static_cast<bool>(enclose_); }

    const std::vector<double>& evaluate(double time) {
        p_.time = time;
        at_(time, p_);
        mode_.evaluator->run(mode_.model->at_events.differences, mode_.difference_work, time, p_.y, p_.yp, d_);
        return d_;
    }

    using Bends = expression::Enclosures::Bends;

    const std::vector<Enclosure>& bounds(double from, double to, Bends bends) {
        const auto inputs = mode_.difference_bounds->inputs();
        const Segment& segment = mode_.evaluator->segment;
        inputs[0] = Enclosure::argument(segment.inside(from), segment.inside(to));
        enclose_(from, to, mode_.tapes->watched, inputs);
        mode_.difference_bounds->evaluate(to - from, bounds_, bends);
        return bounds_;
    }

    double slope(std::size_t k, double time) {
        const auto s = bounds(time, time, Bends::unknown)[k].slope;
        return 0.5 * (s.low + s.high);
    }

    /// Where in a stretch a difference that is proven to bend one way turns; nothing where it doesn't.
    std::optional<double> extremum(std::size_t k, double from, double to) {
        const double left = slope(k, from);
        const double right = slope(k, to);
        if (!(left * right < 0.0)) return std::nullopt;
        std::uintmax_t most = 40;
        const boost::math::tools::eps_tolerance<double> close(40);
        const auto found = boost::math::tools::toms748_solve([&](double t) { return slope(k, t); }, from, to, left,
                                                             right, close, most);
        return 0.5 * (found.first + found.second);
    }

    /// The same without proof, where a parabola through the middle comes near zero or across it.
    std::optional<double> turning_point(std::size_t k, double from, double to, double left, double right) {
        const double middle = evaluate(0.5 * (from + to))[k];
        const double side = left > 0.0 ? 1.0 : -1.0;
        if (side * middle <= 0.0) return 0.5 * (from + to);
        const double square = 0.5 * (left - 2.0 * middle + right) * side;
        const double slope = (middle - left) * side - square;
        if (!(square > 0.0 && slope < 0.0 && -slope < 4.0 * square)) return std::nullopt;
        if (side * left - slope * slope / (4.0 * square) > 0.5 * square) return std::nullopt;
        std::uintmax_t most = 40;
        constexpr int kBits = 26;  // half of all: more an extremum doesn't show
        return boost::math::tools::brent_find_minima([&](double t) { return side * evaluate(t)[k]; }, from, to, kBits,
                                                     most)
            .first;
    }

   private:
    Mode& mode_;
    const Events::Interpolate& at_;
    const Events::Enclose& enclose_;
    Point p_;
    std::vector<double> d_;
    std::vector<Enclosure> bounds_;
};

}  // namespace

// Beyond which value a relation has changed; one that is not clear of its last change has to go further.
double Events::limit(const Mode& mode, std::size_t k) const {
    const Truth& r = relations_[k];
    if (r.armed) return 0.0;
    const double eps = mode.blur(k);
    return r.value ? std::max(r.from, 0.0) + eps : std::min(r.from, 0.0) - eps;
}

bool Events::beyond(const Mode& mode, std::size_t k, double difference, double by) const {
    return relations_[k].value ? difference > limit(mode, k) + by : difference < limit(mode, k) - by;
}

std::vector<std::size_t> Events::changed_by_time(const Mode& mode, Point point, double until) const {
    std::vector<double> d;
    point.time = until;
    differences({mode.model, mode.evaluator.get(), &point, false}, d);
    std::vector<std::size_t> changed;
    for (std::size_t k = 0; k < d.size(); ++k) {
        if (of_time_[k] && beyond(mode, k, d[k])) changed.push_back(k);
    }
    return changed;
}

std::optional<Crossing> Events::crossing(Mode& mode, double from, double to, const Interpolate& at,
                                         const Enclose& enclose) {
    if (relations_.empty() || to <= from) return std::nullopt;
    Look look(mode, at, enclose, relations_.size());
    struct Part {
        double from;
        double to;
    };
    // Without enclosures the middle is always looked at.
    std::vector<Part> open{{from, to}};
    if (!look.proves()) open = {{0.5 * (from + to), to}, {from, 0.5 * (from + to)}};
    std::vector<std::size_t> suspects;
    std::vector<double> left = look.evaluate(from);
    int divided = 0;
    while (!open.empty()) {
        const Part part = open.back();
        open.pop_back();
        std::vector<Enclosure> over;
        suspects.clear();
        if (look.proves()) over = look.bounds(part.from, part.to, Look::Bends::unknown);
        bool bends_known = false;
        bool unarmed = false;
        for (std::size_t k = 0; k < left.size(); ++k) {
            unarmed = unarmed || !relations_[k].armed;
            if (over.empty() || over[k].undefined() || beyond(mode, k, over[k].value.low) ||
                beyond(mode, k, over[k].value.high))
                suspects.push_back(k);
        }
        if (suspects.empty() && !unarmed && open.empty()) return std::nullopt;
        const std::vector<double> right = look.evaluate(part.to);
        double end = part.to;
        bool divide = false;
        for (const std::size_t k : suspects) {
            if (beyond(mode, k, right[k]) || (!over.empty() && over[k].slope.one_sign())) continue;
            if (!over.empty() && !bends_known) over = look.bounds(part.from, part.to, Look::Bends::known);
            bends_known = true;
            const bool bends = !over.empty() && over[k].bend.one_sign();
            if (look.proves() && !bends && divided < kMostStretches) {
                divide = true;
                break;
            }
            // Only an extremum on the other side of zero can bring about a change and take it back.
            if (bends && (over[k].bend.low > 0.0) == relations_[k].value) continue;
            const auto extremum = bends ? look.extremum(k, part.from, part.to)
                                        : look.turning_point(k, part.from, part.to, left[k], right[k]);
            if (!extremum || !(*extremum > part.from && *extremum < end)) continue;
            // What touches zero, but for rounding, doesn't cross it.
            if (beyond(mode, k, look.evaluate(*extremum)[k], mode.blur(k))) end = *extremum;
        }
        if (divide) {
            ++divided;
            const double middle = 0.5 * (part.from + part.to);
            open.push_back({middle, part.to});
            open.push_back({part.from, middle});
            continue;
        }
        const std::vector<double> at_end = end < part.to ? look.evaluate(end) : right;
        std::vector<std::size_t> crossed;
        for (std::size_t k = 0; k < at_end.size(); ++k) {
            if (beyond(mode, k, at_end[k])) crossed.push_back(k);
        }
        if (!crossed.empty()) {
            const auto unclear = [&](std::size_t k) { return !relations_[k].armed; };
            if (std::any_of(crossed.begin(), crossed.end(), unclear)) arm(mode, look.evaluate(0.5 * (part.from + end)));
            const auto evaluate = [&](double time) -> const std::vector<double>& { return look.evaluate(time); };
            if (auto found = first_of(mode, crossed, {part.from, left}, {end, at_end}, evaluate)) {
                found->time = std::max(found->time, std::nextafter(from, to));
                if (found->relations.empty() && found->time >= to) return std::nullopt;
                if (found->relations.empty()) found->relations = crossed;
                reached_.clear();
                // The next event is looked for about as far away as this one was.
                const double waited = found->time - from;
                if (waited > 1e-6 * modes_.span()) stride_ = std::min(stride_, 8.0 * waited);
                return found;
            }
        }
        arm(mode, right);
        left = right;
    }
    return std::nullopt;
}

// The first of relations that have changed at the end of a stretch, with all that change at the same instant.
std::optional<Crossing> Events::first_of(const Mode& mode, std::vector<std::size_t> crossed, const Differences& left,
                                         const Differences& right, const Differences::At& evaluate) const {
    const auto close = [](double a, double b) { return std::abs(b - a) <= 4e-16 * (std::abs(a) + std::abs(b)); };
    const auto locate = [&](std::size_t k) {
        const double target = limit(mode, k);
        constexpr int kMost = 60;
        double inside = left.time;
        double outside = right.time;
        if (!std::isfinite(left.values[k]) || left.values[k] == target) {
            // No change of sign: it may stay there for a while.
            for (int i = 0; i < kMost && !close(inside, outside); ++i) {
                const double middle = 0.5 * (inside + outside);
                (beyond(mode, k, evaluate(middle)[k]) ? outside : inside) = middle;
            }
            return outside;
        }
        std::uintmax_t most = kMost;
        const auto bracket =
            boost::math::tools::toms748_solve([&](double time) { return evaluate(time)[k] - target; }, inside, outside,
                                              left.values[k] - target, right.values[k] - target, close, most);
        return std::max(bracket.second, bracket.first);
    };
    const auto together = [&](double first) {
        return first + kTogetherness * (right.time - left.time) + 8e-16 * std::abs(first);
    };
    // The relation that seems to cross first is located first: by then most others have not, and need not be.
    const auto share = [&](std::size_t k) {
        const double to_limit = (limit(mode, k) - left.values[k]) / (right.values[k] - left.values[k]);
        return beyond(mode, k, left.values[k]) || !std::isfinite(to_limit) ? 0.0 : to_limit;
    };
    std::stable_sort(crossed.begin(), crossed.end(), [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
    double first = right.time;
    std::vector<double> by_then;
    std::vector<double> roots;
    for (const std::size_t k : crossed) {
        if (!by_then.empty() && !beyond(mode, k, by_then[k])) continue;
        const double root = beyond(mode, k, left.values[k]) ? left.time : locate(k);
        roots.push_back(root);
        if (root >= first && !by_then.empty()) continue;
        first = std::min(first, root);
        by_then = evaluate(std::min(together(first), right.time));
    }
    // What crosses together but for rounding is one event: it is taken where all have crossed.
    const double last = together(first);
    for (const double root : roots) {
        if (root <= last) first = std::max(first, root);
    }
    const auto& there = evaluate(first);
    Crossing result{first, {}};
    for (std::size_t k = 0; k < there.size(); ++k) {
        if (beyond(mode, k, there[k])) result.relations.push_back(k);
    }
    return result;
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
            // What is zero but for rounding is bent wherever one looks.
            const double seen = std::max({std::abs(left[k]), std::abs(middle[k]), std::abs(right[k])});
            if (seen <= mode.blur(k)) continue;
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
