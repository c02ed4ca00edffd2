#include "bondgraph/simulation/accumulation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bondgraph::simulation {
namespace {

constexpr std::size_t kMost = 300;
constexpr double kShort = 1e-7;  ///< of the run, for kMost events: no run of that rate ever ends
constexpr std::size_t kSeries = 20;
constexpr double kRemaining = 1e-9;  ///< of the run, from the last event to the end of the series
constexpr std::size_t kMostUnclear = 3;
constexpr const char* kRest =
    "Beyond that point the model has to rest: end the run before, or use an EndStop, which comes to rest";

}  // namespace

std::optional<Failure> Accumulation::after(double time, const EventOutcome& event) {
    times_.push_back(time);
    causes_.push_back(event.cause);
    if (times_.size() > kMost) {
        times_.pop_front();
        causes_.pop_front();
    }
    if (auto zeno = unclear(event)) return zeno;
    if (auto zeno = geometric(event)) return zeno;
    return chattering(event);
}

std::optional<Failure> Accumulation::chattering(const EventOutcome& event) const {
    if (times_.size() < kMost || times_.back() - times_.front() > kShort * span_) return std::nullopt;
    Failure f;
    f.time = times_.back();
    f.position = event.position;
    f.component = event.cause;
    const double length = times_.back() - times_.front();
    f.message = fmt::format(
        "the model chatters: {} events within {:.2g} s{}; the state slides along a switching line. Give the "
        "switching a hysteresis, or describe the sliding by an element that can stick (Friction)",
        kMost, length, length > 0 ? fmt::format(" ({:.2g} per second)", static_cast<double>(kMost) / length) : "");
    return f;
}

// What comes back before rounding lets it get away: bounces lower than that. Of one relation, again and again: several
// that leave one after the other are no series.
std::optional<Failure> Accumulation::unclear(const EventOutcome& event) const {
    if (event.unclear < kMostUnclear) return std::nullopt;
    Failure f;
    f.time = times_.back();
    f.position = event.position;
    f.component = event.cause;
    f.message = fmt::format(
        "events accumulate at t = {:.9g} s (Zeno): from one to the next nothing gets further than rounding, the last "
        "took {:.2g} s. {}",
        times_.back(), times_.back() - times_[times_.size() - 2], kRest);
    return f;
}

// Intervals that shrink like a geometric series end at a point in time that no number of events passes.
std::optional<Failure> Accumulation::geometric(const EventOutcome& event) const {
    if (times_.size() < kSeries + 2) return std::nullopt;
    const std::size_t n = times_.size();
    double largest = 0.0;
    for (std::size_t k = n - kSeries; k < n; ++k) {
        if (causes_[k] != causes_.back()) return std::nullopt;
        const double interval = times_[k] - times_[k - 1];
        const double before = times_[k - 1] - times_[k - 2];
        largest = std::max(largest, interval / before);
    }
    if (!(largest < 0.99)) return std::nullopt;
    const double ratio = (times_[n - 1] - times_[n - 2]) / (times_[n - 2] - times_[n - 3]);
    const double remaining = (times_[n - 1] - times_[n - 2]) * ratio / (1.0 - ratio);
    if (remaining > kRemaining * span_) return std::nullopt;
    Failure f;
    f.time = times_.back();
    f.position = event.position;
    f.component = event.cause;
    f.message = fmt::format(
        "events accumulate at t = {:.9g} s (Zeno): each interval is {:.4g} of the one before, the last {:.2g} s. "
        "{}",
        times_.back() + remaining, ratio, times_[n - 1] - times_[n - 2], kRest);
    return f;
}

}  // namespace bondgraph::simulation
