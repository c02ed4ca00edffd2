#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <vector>

#include "bondgraph/simulation/modes.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Watches the reactions of closed loops that are held by more conditions than it takes (hinges with parallel axes, two
/// axles on one plane). Forces and torques that hold against each other around such a loop, its self-stresses, do no
/// work whatever moves, so rigid parts leave open how much of them there is, and the reactions of the conditions left
/// out are 0. That is what parts of any stiffness, alike in all directions, would come to as well where no joint of the
/// loop is loaded in the directions of its self-stresses. Where one is, how joints share the load can't be told.
class IndeterminateReactions {
   public:
    explicit IndeterminateReactions(const Settings& settings);

    /// Whether to look at a point of a run: after events, otherwise from time to time, as long as there is a mechanism
    /// to look for.
    [[nodiscard]] bool due(Mode& mode, double time, bool after_event);
    /// Adds each mechanism that is loaded so to `found`, once. The equations have to hold to rounding at the point.
    void look(Mode& mode, const Point& point, std::vector<IndeterminateLoad>& found);

   private:
    struct Loop;
    using Loops = std::vector<std::shared_ptr<Loop>>;

    Loops& loops_of(Mode& mode);

    double start_, stop_;
    std::map<const compile::CompiledModel*, Loops> loops_;
    std::size_t conditions_ = 0;  ///< of the largest mechanism
    double next_ = 0.0;
    int after_events_ = 0;
};

}  // namespace bondgraph::simulation
