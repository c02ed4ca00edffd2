#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Writes down which modes a run is in. What lasts no time is none.
class ModeRecord {
   public:
    /// From `time` on the structural discrete variables have the values that `held` gives them.
    void note(double time, const std::vector<double>& held, const model::BondGraph& graph, ModeCourse& course);

   private:
    std::map<std::vector<double>, std::uint32_t> known_;  ///< places in ModeCourse::modes
    bool fresh_ = false;                                  ///< the last one noted had not been there before
};

}  // namespace bondgraph::simulation
