#pragma once

#include <span>

#include "bondgraph/simulation/evaluator.hpp"

namespace bondgraph::simulation {

/// An instant at which an expression of time jumps: rounding lets it happen anywhere from `first` to `last`.
struct Jump {
    double first;
    double last;
};

/// What is due at times known beforehand: jumps of expressions of time, sampling instants, the end. Times that only
/// rounding has parted (0.2 and 0.5 − 0.3) are one instant, the last of them: no step is small enough to lie between.
class Calendar {
   public:
    Calendar(double start, double stop) : start_(start), stop_(stop) {}

    [[nodiscard]] bool together(double a, double b) const {
        const double apart = std::abs(a - b);
        return std::isfinite(apart) && apart <= rounding(a, b);  // never is no instant
    }
    /// The last time that is the same instant.
    [[nodiscard]] double end_of(double time) const { return time + rounding(time, time); }
    /// Whether a lies before b by more than rounding.
    [[nodiscard]] bool before(double a, double b) const { return a < b && !together(a, b); }

    /// The next instant after `time` at which an expression jumps (`jumps`, ascending and apart), a sample is due or
    /// the run ends.
    [[nodiscard]] double next(double time, std::span<const Jump> jumps, double sample) const;
    [[nodiscard]] bool jumps_at(double time, std::span<const Jump> jumps) const;
    /// Where the first jump after `time` begins, infinity without.
    [[nodiscard]] double next_jump(double time, std::span<const Jump> jumps) const;
    /// The time from `time` on up to the next jump, those at `time` itself being over.
    [[nodiscard]] Segment segment_from(double time, std::span<const Jump> jumps) const;

   private:
    // The times of events come out of sums as large as the start, whatever they are themselves.
    [[nodiscard]] double rounding(double a, double b) const {
        constexpr double kUlps = 16.0;
        constexpr double kLeast = 1e-150;  // s: the square of a shorter step vanishes
        const double largest = std::max({std::abs(a), std::abs(b), std::abs(start_)});
        return std::max(kLeast, kUlps * std::numeric_limits<double>::epsilon() * largest);
    }

    double start_;
    double stop_;
};

}  // namespace bondgraph::simulation
