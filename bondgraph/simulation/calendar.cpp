#include "bondgraph/simulation/calendar.hpp"

namespace bondgraph::simulation {

double Calendar::next_jump(double time, std::span<const Jump> jumps) const {
    auto at = std::ranges::upper_bound(jumps, time, {}, &Jump::first);
    while (at != jumps.end() && together(at->first, time)) ++at;
    return at == jumps.end() ? std::numeric_limits<double>::infinity() : at->first;
}

bool Calendar::jumps_at(double time, std::span<const Jump> jumps) const {
    const auto at = std::ranges::upper_bound(jumps, time, {}, &Jump::first);
    return (at != jumps.end() && together(at->first, time)) ||
           (at != jumps.begin() && (time <= std::prev(at)->last || together(std::prev(at)->last, time)));
}

double Calendar::next(double time, std::span<const Jump> jumps, double sample) const {
    const double first = std::min(next_jump(time, jumps), before(time, sample) ? sample : stop_);
    if (!before(first, stop_)) return stop_;
    double last = together(sample, first) ? std::max(sample, first) : first;
    for (auto at = std::ranges::lower_bound(jumps, first, {}, &Jump::first);
         at != jumps.end() && together(at->first, first); ++at)
        last = std::max(last, at->last);
    return std::min(last, stop_);
}

Segment Calendar::segment_from(double time, std::span<const Jump> jumps) const {
    Segment segment;
    segment.before = next_jump(time, jumps);
    if (!jumps_at(time, jumps)) return segment;
    // Of jumps at this instant all are over, also one that rounding has put behind it.
    const auto next = std::ranges::lower_bound(jumps, segment.before, {}, &Jump::first);
    segment.after = std::max(time, next == jumps.begin() ? time : std::prev(next)->last);
    return segment;
}

}  // namespace bondgraph::simulation
