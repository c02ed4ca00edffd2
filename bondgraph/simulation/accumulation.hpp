#pragma once

#include <deque>
#include <optional>
#include <string>

#include "bondgraph/simulation/events.hpp"

namespace bondgraph::simulation {

/// The last events, to see when they come too fast.
class Accumulation {
   public:
    explicit Accumulation(double span) : span_(span) {}

    /// What to tell the user when events accumulate (Zeno: intervals that shrink like a geometric series, or
    /// down to what rounding can tell) or chatter
    /// (hundreds within a vanishing share of the run); nothing as long as all is well.
    std::optional<Failure> after(double time, const EventOutcome& event);

   private:
    [[nodiscard]] std::optional<Failure> unclear(const EventOutcome& event) const;
    [[nodiscard]] std::optional<Failure> geometric(const EventOutcome& event) const;
    [[nodiscard]] std::optional<Failure> chattering(const EventOutcome& event) const;

    double span_;
    std::deque<double> times_;
    std::deque<std::string> causes_;
};

}  // namespace bondgraph::simulation
