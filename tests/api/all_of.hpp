#pragma once

#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {

/// All that a run gives, bit for bit.
inline std::vector<double> all_of(const Run& run) {
    std::vector<double> all(run.series.time().begin(), run.series.time().end());
    for (std::size_t c = 0; c < run.series.columns().size(); ++c) {
        const auto column = run.series.column(c);
        all.insert(all.end(), column.begin(), column.end());
    }
    const Energy& e = run.energy;
    all.insert(all.end(), {e.supplied, e.stored, e.dissipated, e.other, e.events, e.imbalance});
    const Statistics& s = run.statistics;
    for (const long count : {s.steps, s.evaluations, s.jacobians}) all.push_back(static_cast<double>(count));
    return all;
}

}  // namespace bondgraph::api
