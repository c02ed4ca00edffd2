#include "bondgraph/simulation/calendar.hpp"

namespace bondgraph::simulation {

double Calendar::next_jump(double time, std::span<const double> jumps) const {
    auto at = std::upper_bound(jumps.begin(), jumps.end(), time);
    while (at != jumps.end() && together(*at, time)) ++at;
    return at == jumps.end() ? std::numeric_limits<double>::infinity() : *at;
}

bool Calendar::jumps_at(double time, std::span<const double> jumps) const {
    const auto at = std::lower_bound(jumps.begin(), jumps.end(), time);
    return (at != jumps.end() && together(*at, time)) || (at != jumps.begin() && together(*std::prev(at), time));
}

double Calendar::next(double time, std::span<const double> jumps, double sample) const {
    double first = std::min(next_jump(time, jumps), before(time, sample) ? sample : stop_);
    if (!before(first, stop_)) return stop_;
    double last = together(sample, first) ? std::max(sample, first) : first;
    for (auto at = std::upper_bound(jumps.begin(), jumps.end(), first); at != jumps.end() && together(*at, first); ++at)
        last = std::max(last, *at);
    return last;
}

Segment Calendar::segment_from(double time, std::span<const double> jumps) const {
    Segment segment;
    segment.before = next_jump(time, jumps);
    if (!jumps_at(time, jumps)) return segment;
    // Of jumps at this instant all are over, also one that rounding has put behind it.
    const auto next = std::lower_bound(jumps.begin(), jumps.end(), segment.before);
    segment.after = std::max(time, next == jumps.begin() ? time : *std::prev(next));
    return segment;
}

}  // namespace bondgraph::simulation
