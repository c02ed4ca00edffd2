#pragma once

#include <vector>

#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph {

/// Times at which the result holds two rows.
inline std::vector<double> event_times(const simulation::Result& r) {
    std::vector<double> times;
    for (std::size_t k = 1; k < r.time.size(); ++k) {
        if (r.time[k] == r.time[k - 1]) times.push_back(r.time[k]);
    }
    return times;
}

}  // namespace bondgraph
