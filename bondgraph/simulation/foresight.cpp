#include "bondgraph/simulation/foresight.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <tuple>

#include "bondgraph/simulation/interruption.hpp"

namespace bondgraph::simulation {

using compile::TimeFunctions;
using expression::Enclosure;
using expression::Interval;

namespace {

/// Where a stretch is halved: not quite in the middle, where round numbers are.
constexpr double kHalf = 0.4969;
/// Points of tables and whole numbers that one stretch may hold before it is halved.
constexpr std::size_t kMostTargets = 32;
/// Stretches looked at without progress before a proof is given up, and the shares of the run that are progress.
constexpr long kMostEffort = 100'000;
constexpr double kProgress = 1e-3;
constexpr double kCoarse = 2e-4;
/// Times at the ends of a run that belong to it, as a share of them.
constexpr double kMargin = 1e-14;
/// The same where a run that begins and ends at 0 has no share: 'time > 0' changes there.
constexpr double kLeastMargin = 1e-150;
/// What is shorter isn't halved: far above the numbers next to 0, between which there is nothing.
constexpr double kLeastLength = 1e-10 * kLeastMargin;
/// Numbers in a row at which a difference has to be on its side where its evaluation may be blurred.
constexpr int kClear = 4;
/// How far a blur is followed, as a share of the run: where a difference stays at its target, that is no rounding.
constexpr double kMostBlur = 1e-9;

double least_length(const Stretch& s, double span) {
    return std::max({4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(s.from), std::abs(s.to)),
                     1e-18 * span, kLeastLength});
}

int sign_of(double x) { return (x > 0.0) - (x < 0.0); }

}  // namespace

Kinks::Kinks(const TimeFunctions& functions, double start, double stop, const std::atomic<bool>* asked)
    : start_(start), stop_(stop), asked_(asked), inputs_(1 + functions.held.size(), 0.0) {
    for (const TimeFunctions::Kink& k : functions.kinks) {
        searches_.push_back(
            {&k, {}, k.difference.make_workspace<double>(), expression::Enclosures(k.difference), start, start});
    }
    order_.resize(searches_.size());
    begin(start, stop);
}

void Kinks::begin(double from, double to) {
    const double margin = std::max(kLeastMargin, kMargin * std::max(std::abs(from), std::abs(to)));
    for (std::size_t k = 0; k < searches_.size(); ++k) {
        Search& s = searches_[k];
        s.reached = s.progress = from - margin;
        s.open.assign(1, {from - margin, to + margin});
        s.effort = 0;
        order_[k] = k;  // all equal: a heap
    }
}

void Kinks::hold(std::span<const double> values, double from) {
    std::copy(values.begin(), values.end(), inputs_.begin() + 1);
    for (Search& s : searches_) {
        for (std::size_t k = 0; k < values.size(); ++k) s.bounds.inputs()[1 + k] = Enclosure::constant(values[k]);
    }
    const double margin = kMargin * std::max(std::abs(from), std::abs(stop_));
    found_.erase(std::ranges::lower_bound(found_, from - margin, {}, &Jump::first), found_.end());
    begin(from, std::max(stop_, from));
}

std::span<const Jump> Kinks::around(double time) {
    if (searches_.empty()) return {};
    const double margin = 1e-13 * std::max(std::abs(time), std::abs(start_));
    // One after `time`, and then all that may be the same instant.
    while (true) {
        const double reached = searches_[order_.front()].reached;
        const auto next = std::ranges::upper_bound(found_, time + margin, {}, &Jump::first);
        if (next != found_.end() && reached > next->last + 1e-13 * std::abs(next->last) + margin) break;
        if (std::isinf(reached)) break;
        end_if_asked(asked_);
        advance();
    }
    constexpr std::ptrdiff_t kKept = 4096;
    const auto past = std::ranges::lower_bound(found_, time - margin, {}, &Jump::first);
    if (past - found_.begin() > kKept) found_.erase(found_.begin(), past - 16);
    return found_;
}

// The search that has come least far looks at its nearest stretch.
void Kinks::advance() {
    const auto farther = [&](std::size_t a, std::size_t b) { return searches_[a].reached > searches_[b].reached; };
    std::pop_heap(order_.begin(), order_.end(), farther);
    Search& search = searches_[order_.back()];
    if (search.open.empty()) {
        search.reached = std::numeric_limits<double>::infinity();
    } else {
        const Stretch s = search.open.back();
        search.open.pop_back();
        look(search, s);
    }
    std::push_heap(order_.begin(), order_.end(), farther);
}

void Kinks::look(Search& search, const Stretch& s) {
    located_.clear();
    if (++search.effort > kMostEffort && search.coarse == 0.0) {
        search.coarse = stop_ > start_ ? kCoarse * (stop_ - start_) : std::numeric_limits<double>::infinity();
        if (unproven_ == expression::kNoNode) unproven_ = search.kink->node;
    }
    if (!decide(search, s)) {
        if (s.length() > std::max(least_length(s, stop_ - start_), search.coarse)) {
            const double middle = s.from + kHalf * s.length();
            search.open.push_back({middle, s.to});
            search.open.push_back({s.from, middle});
            return;
        }
        compare_ends(search, s);
    } else if (!located_.empty() || s.to - search.progress > kProgress * (stop_ - start_)) {
        search.effort = 0;
        search.progress = s.to;
    }
    search.reached = s.to;
    for (const Jump& jump : located_) keep(jump);
}

// What overlaps is one jump.
void Kinks::keep(Jump jump) {
    const auto begin = std::ranges::lower_bound(found_, jump.first, {}, &Jump::last);
    auto end = begin;
    for (; end != found_.end() && end->first <= jump.last; ++end)
        jump = {std::min(jump.first, end->first), std::max(jump.last, end->last)};
    found_.insert(found_.erase(begin, end), jump);
}

double Kinks::value(Search& search, double time) {
    inputs_[0] = time;
    double result = 0.0;
    search.kink->difference.evaluate<double>(inputs_, std::span(&result, 1), search.work);
    return result;
}

Enclosure Kinks::bounds(Search& search, const Stretch& s) {
    search.bounds.inputs()[0] = Enclosure::argument(s.from, s.to);
    Enclosure result;
    search.bounds.evaluate(s.length(), std::span(&result, 1));
    return result;
}

void Kinks::find_targets(const Search& search, Interval values) {
    targets_.clear();
    const TimeFunctions::Kink& k = *search.kink;
    switch (k.at) {
        case TimeFunctions::Kink::At::zero:
            if (values.contains(0.0)) targets_.push_back(0.0);
            break;
        case TimeFunctions::Kink::At::whole_numbers:
            for (double n = std::ceil(values.low); n <= values.high && targets_.size() <= kMostTargets; n += 1.0) {
                targets_.push_back(n);
                if (n + 1.0 == n) break;
            }
            break;
        case TimeFunctions::Kink::At::points:
            for (auto x = std::lower_bound(k.points.begin(), k.points.end(), values.low);
                 x != k.points.end() && *x <= values.high && targets_.size() <= kMostTargets; ++x)
                targets_.push_back(*x);
            break;
    }
}

// Whether a stretch is understood: what happens in it is then located.
bool Kinks::decide(Search& search, const Stretch& s) {
    const Enclosure over = bounds(search, s);
    if (over.slope.is_zero()) return true;  // constant
    find_targets(search, over.value);
    if (targets_.empty()) return true;
    if (targets_.size() > kMostTargets || !std::isfinite(over.slope.largest())) return false;
    const double left = value(search, s.from);
    const double right = value(search, s.to);
    if (!std::isfinite(left) || !std::isfinite(right)) return false;
    const auto between = [](double a, double b, double x) { return std::min(a, b) <= x && x <= std::max(a, b); };
    const auto one_way = [&] {
        for (const double target : targets_) {
            if (between(left, right, target)) locate(search, target, s);
        }
        return true;
    };
    if (over.slope.one_sign()) return one_way();
    if (!over.bend.one_sign()) return false;
    // One extremum at most: on either side of it the function goes one way.
    const auto slope = [&](double time) {
        const Interval d = bounds(search, {time, time}).slope;
        return 0.5 * (d.low + d.high);
    };
    const double slope_left = slope(s.from);
    const double slope_right = slope(s.to);
    if (!std::isfinite(slope_left) || !std::isfinite(slope_right)) return false;
    if (sign_of(slope_left) * sign_of(slope_right) >= 0) return one_way();
    std::uintmax_t most = 60;
    const boost::math::tools::eps_tolerance<double> close(45);
    const auto bracket = boost::math::tools::toms748_solve(slope, s.from, s.to, slope_left, slope_right, close, most);
    const double extremum = 0.5 * (bracket.first + bracket.second);
    const Enclosure top = bounds(search, {extremum, extremum});
    for (const double target : targets_) {
        if (top.value.contains(target)) continue;  // touched, but for rounding, and not crossed
        if (between(left, top.middle, target)) locate(search, target, {s.from, extremum});
        if (between(top.middle, right, target)) locate(search, target, {extremum, s.to});
    }
    return true;
}

// Of the smallest stretches, and where nothing can be proven: what has changed from one end to the other has changed
// between.
void Kinks::compare_ends(Search& search, const Stretch& s) {
    const double left = value(search, s.from);
    const double right = value(search, s.to);
    if (!std::isfinite(left) || !std::isfinite(right)) {
        if (std::isfinite(left) != std::isfinite(right)) located_.push_back({s.to, s.to});
        return;
    }
    find_targets(search, {std::min(left, right), std::max(left, right)});
    const std::vector<double> targets = targets_;
    for (const double target : targets) locate(search, target, s);
}

// Where a difference begins to be on its side of a target (0: any side, but not the target itself), if rounding blurs
// that: beside a large phase, a sine is the same at many neighbouring times.
double Kinks::clear_of(Search& search, double target, double end, double towards, int side) {
    const double most = std::max(kMostBlur * (stop_ - start_), 1e-14 * std::abs(end));
    double step = 0.0;
    double first_clear = end;
    double at = end;
    for (int clear = 0; clear < kClear; ++clear) {
        const double neighbour = std::nextafter(at, towards);
        const double next = towards > at ? std::max(neighbour, at + step) : std::min(neighbour, at - step);
        const double f = value(search, next) - target;
        if (!std::isfinite(f) || std::abs(next - end) > most) return end;
        const int sign = sign_of(f);
        const bool blurred = side == 0 ? sign == 0 : sign != side;
        if (blurred) step = std::max(2.0 * step, std::abs(next - at));
        if (blurred || (clear == 0 && step > 0.0)) first_clear = next;
        if (blurred) clear = -1;
        at = next;
    }
    return first_clear;
}

// The change of sign within a stretch, between two neighbouring numbers; where rounding blurs the sign, around them.
void Kinks::locate(Search& search, double target, const Stretch& s) {
    constexpr double kAll = std::numeric_limits<double>::infinity();
    const auto f = [&](double time) { return value(search, time) - target; };
    const double left = f(s.from);
    const double right = f(s.to);
    if (left == right) return;
    int before = sign_of(left);
    int after = sign_of(right);
    double low = after == 0 && before != 0 ? s.to : s.from;
    double high = low;
    if (before * after < 0) {
        std::uintmax_t most = 100;
        const auto close = [](double a, double b) { return std::nextafter(a, b) == b || a == b; };
        std::tie(low, high) = boost::math::tools::toms748_solve(f, s.from, s.to, left, right, close, most);
    } else if (before == after) {
        before = after = 0;
    }
    if (search.kink->at != TimeFunctions::Kink::At::points) {
        low = clear_of(search, target, low, -kAll, before);
        high = clear_of(search, target, high, kAll, after);
    }
    located_.push_back({low, high});
}

void Foresight::hold(std::span<const double> all, double from) {
    bool news = false;
    for (std::size_t k = 0; k < held_of.size(); ++k) {
        news = news || held[k] != all[held_of[k]];
        held[k] = all[held_of[k]];
    }
    if (!news) return;
    kinks.hold(held, from);
    panels.hold(held, from);
}

}  // namespace bondgraph::simulation
