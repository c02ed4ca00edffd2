#include "bench/stopwatch.hpp"

#include <ctime>

namespace bondgraph::bench {

double Stopwatch::seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bondgraph::bench
