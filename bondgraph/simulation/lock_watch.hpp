#pragma once

#include <map>
#include <optional>

#include "bondgraph/simulation/modes.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Locks left idle because others hold what they would (compile::ClosedLoops::IdleLock).
class LockWatch {
   public:
    /// Notes those of a mode. A failure where one has something to hold after all: others drive what it locks.
    [[nodiscard]] std::optional<Failure> look(Mode& mode, const Point& point, std::vector<IdleLockNote>& idle) const;

    /// Held values for equations in which all locks hold at once: with those left idle in a mode as not locked.
    [[nodiscard]] static std::vector<double> without_idle(const Mode& mode, std::vector<double> held);
};

}  // namespace bondgraph::simulation
