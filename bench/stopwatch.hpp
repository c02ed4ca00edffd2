#pragma once

#include <utility>

namespace bondgraph::bench {

/// Seconds of processor time of this process since its construction or the last lap: what the work itself takes, also
/// on a machine that has other things to do. None of it waits for anything.
class Stopwatch {
   public:
    double lap() {
        const double now = seconds();
        return now - std::exchange(last_, now);
    }

   private:
    static double seconds();

    double last_ = seconds();
};

}  // namespace bondgraph::bench
