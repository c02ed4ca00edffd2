// Lengths of time over which functions of time alone are nearly straight.

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/foresight.hpp"
#include "bondgraph/simulation/interruption.hpp"

namespace bondgraph::simulation {

using compile::TimeFunctions;
using expression::Enclosure;
using expression::Interval;

namespace {

/// How far from a straight line a term may be over a panel, as a share of its range: a sine is given a dozen panels.
constexpr double kDeviation = 0.02;
/// The shortest panel, as a share of the run.
constexpr double kShortestPanel = 1e-7;
/// But for so many, for pulses that are shorter.
constexpr double kFinestPanel = 1e-12;
constexpr long kMostFine = 10'000;
/// So many of the shortest are made; from then on they are this share of the run.
constexpr long kMostGivenUp = 10'000;
constexpr double kCoarsestPanel = 2e-4;
/// Stretches that are looked at to learn the ranges of all terms.
constexpr int kMostLooks = 400;
constexpr double kMostBounds = 2e7;  // of all terms in all of them
/// Ends are left out of a panel: a jump there belongs to the next one.
constexpr double kInside = 1e-9;

}  // namespace

Panels::Panels(const TimeFunctions& functions, double start, double stop, double tolerance,
               const std::atomic<bool>* asked)
    : functions_(functions),
      start_(start),
      stop_(stop),
      tolerance_(tolerance),
      asked_(asked),
      bounds_(functions.terms),
      over_(functions.terms.output_count()) {}

void Panels::hold(std::span<const double> values, double from) {
    if (functions_.sums.empty()) return;
    for (std::size_t k = 0; k < values.size(); ++k) bounds_.inputs()[1 + k] = Enclosure::constant(values[k]);
    ranges_known_ = false;
    first_ = second_ = {from, from};
}

void Panels::evaluate(const Stretch& s) {
    bounds_.inputs()[0] = Enclosure::argument(s.from, s.to);
    bounds_.evaluate(s.length(), over_);
}

// The range of every term over the run, to within half of it: stretches whose bounds allow more are halved.
void Panels::learn_ranges() {
    const std::size_t count = over_.size();
    std::vector<Interval> seen(count,
                               {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
    struct Open {
        Stretch stretch;
        std::vector<Interval> values;
    };
    std::vector<Open> open;
    int looks = 0;
    const auto look = [&](const Stretch& s) {
        ++looks;
        evaluate(s);
        Open o{s, {}};
        for (std::size_t k = 0; k < count; ++k) {
            const double middle = over_[k].middle;
            if (std::isfinite(middle))
                seen[k] = expression::Interval{std::min(seen[k].low, middle), std::max(seen[k].high, middle)};
            o.values.push_back(over_[k].value);
        }
        open.push_back(std::move(o));
    };
    const auto excess = [&](const Open& o) {
        double most = 0.0;
        for (std::size_t k = 0; k < count; ++k) {
            const double range = std::max(seen[k].width(), 0.0);
            const double beyond = std::max(o.values[k].high - seen[k].high, seen[k].low - o.values[k].low);
            most = std::max(most, beyond <= 0.5 * range ? 0.0 : beyond / (range + tolerance_ * seen[k].largest()));
        }
        return most;
    };
    look({start_, stop_});
    const double most_looks = std::min<double>(kMostLooks, std::sqrt(kMostBounds / static_cast<double>(count)));
    while (looks < most_looks) {
        end_if_asked(asked_);
        std::size_t worst = 0;
        double most = 0.0;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const double e = excess(open[i]);
            const double weighed = std::isfinite(e) ? e * (1.0 + open[i].stretch.length() / (stop_ - start_))
                                                    : 1e300 * open[i].stretch.length();
            if (e > 0.0 && weighed > most) {
                most = weighed;
                worst = i;
            }
        }
        if (most <= 0.0) break;
        const Stretch s = open[worst].stretch;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(worst));
        const double middle = s.from + 0.4969 * s.length();
        look({s.from, middle});
        look({middle, s.to});
    }
    const std::vector<double> sizes = smallest_sums(seen);
    allowed_.assign(count, std::numeric_limits<double>::infinity());
    any_ = false;
    for (std::size_t k = 0; k < count; ++k) {
        const double range = seen[k].width();
        if (!(range > tolerance_ * sizes[k])) continue;
        allowed_[k] = kDeviation * range;
        any_ = true;
    }
    ranges_known_ = true;
}

// Per term the size of the smallest sum with it that enters the equations: a sum is as large as its largest term, and
// one that is part of another no larger than that.
std::vector<double> Panels::smallest_sums(std::span<const Interval> ranges) const {
    std::vector<double> size;  // of terms, and of sums
    for (const Interval& range : ranges) size.push_back(range.largest());
    for (const TimeFunctions::Sum& sum : functions_.sums) {
        double largest = 0.0;
        for (const std::uint32_t part : sum.parts) largest = std::max(largest, size[part]);
        size.push_back(largest);
    }
    std::vector<double> smallest(size.size(), std::numeric_limits<double>::infinity());
    for (std::size_t s = functions_.sums.size(); s-- > 0;) {
        const TimeFunctions::Sum& sum = functions_.sums[s];
        double& own = smallest[ranges.size() + s];
        if (sum.enters) own = std::min(own, size[ranges.size() + s]);
        for (const std::uint32_t part : sum.parts) smallest[part] = std::min(smallest[part], own);
    }
    return smallest;
}

bool Panels::resolved(const Stretch& s) {
    const double inside = kInside * s.length();
    evaluate({s.from + inside, s.to - inside});
    const double length = s.length();
    for (std::size_t k = 0; k < over_.size(); ++k) {
        const Enclosure& e = over_[k];
        const double deviation =
            std::min({e.value.width(), 0.25 * length * e.slope.width(), 0.125 * length * length * e.bend.largest()});
        if (!(deviation <= allowed_[k])) return false;
    }
    return true;
}

// Moves on to the next panel: as long as the terms allow, and no farther than the next bend.
void Panels::next(Kinks& kinks) {
    first_ = second_;
    const double from = second_.to;
    const double usual = std::max(kShortestPanel * (stop_ - start_), 1e-14 * std::abs(from));
    const double finest = std::max(kFinestPanel * (stop_ - start_), 1e-14 * std::abs(from));
    const double shortest = fine_ < kMostFine ? finest : usual;
    double end = std::max(stop_, from + shortest);
    for (const Jump& kink : kinks.around(from)) {
        if (kink.first > from + 1e-13 * std::max(std::abs(from), std::abs(start_))) {
            end = std::min(end, kink.first);
            break;
        }
    }
    // Beyond a bend terms are others: a stretch without them is one panel, however short those before it were.
    double length = bent_ ? end - from : std::min(std::max(length_, shortest), end - from);
    end_if_asked(asked_);
    while (length > shortest && !resolved({from, from + length})) length *= 0.5;
    if (length <= shortest && ++given_up_ > kMostGivenUp)
        length = std::min(kCoarsestPanel * (stop_ - start_), end - from);
    if (length < usual) ++fine_;
    length_ = 2.0 * length;
    bent_ = from + length >= end - shortest;
    second_ = {from, bent_ ? end : from + length};
}

double Panels::limit(double time, Kinks& kinks) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (functions_.sums.empty()) return kNever;
    if (!ranges_known_) {
        learn_ranges();
        bent_ = true;
        second_ = {time, time};
        if (any_) {
            next(kinks);
            next(kinks);
        }
    }
    if (!any_) return kNever;
    while (time >= first_.to && first_.to < stop_) next(kinks);
    return std::min(std::max(second_.to, first_.to), time + std::max(first_.length(), second_.length()));
}

// A sine turns by 0.57 over a panel. Over a stretch of h panels the error of the integral of its square is 1e-6·h⁶ of
// that.
double Panels::longest_for_gauss() const {
    constexpr double kErrorOfPanel = 1e-6;
    if (!any_) return std::numeric_limits<double>::infinity();
    const double share = std::pow(0.1 * tolerance_ / kErrorOfPanel, 1.0 / 6.0);
    return std::min(1.0, share) * std::min(first_.length(), second_.length());
}

}  // namespace bondgraph::simulation
