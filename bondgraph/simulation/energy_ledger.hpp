#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "bondgraph/simulation/calendar.hpp"
#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// Keeps the books of energy along a run: what modes have integrated, what events have taken, and readings at the ends
/// of the run and of the window the audit is for. An event at an end of the window belongs to it.
class EnergyLedger {
   public:
    EnergyLedger(const Settings& settings, const Modes& modes, const Calendar& calendar)
        : settings_(settings), modes_(modes), calendar_(calendar) {}

    [[nodiscard]] StoredEnergy stored(const Situation& now) const;
    /// What an event did: by how much the stored energy fell, and how much of that its jumps account for.
    void happen(const StoredEnergy& fallen, const JumpBooks& jumps);
    /// By bond variable: what jumps have added to the time integral of each.
    [[nodiscard]] const std::vector<double>& impulses() const { return jumps_.impulses; }

    using Interpolate = std::function<void(double time, Point& point)>;
    /// Where no step says how fast powers change: powers from one time to the other, `inside` giving the point at a
    /// time. Adaptive, to well below the run's tolerance of the energy moved: however far apart the two are.
    void add(const Situation& now, double from, double to, const Interpolate& inside);

    /// Where that first met a power without a finite value.
    [[nodiscard]] const std::optional<Point>& not_finite() const { return not_finite_; }
    /// Whether powers had no finite value over a whole stretch of time: no books can be kept any more.
    [[nodiscard]] bool without_bounds() const { return without_bounds_; }

    /// The end of the window that comes next after `time`, infinity without.
    [[nodiscard]] double next_edge(double time) const;
    void begin(const Situation& start);
    /// To be told of every instant that is dealt with, before and after its events.
    void arrive(const Situation& now);
    void leave(const Situation& now);
    /// To be told of the end of every step; nothing is stopped at for it.
    void pass(const Situation& now);
    /// ½ ∫ Σ |power of each element| dt up to now.
    [[nodiscard]] double moved() const;
    /// The balances, at the end of a run.
    void report(const Situation& end, Summary& summary) const;

   private:
    struct Stretch {
        double from = 0.0;
        double to = 0.0;
        int depth = 0;
    };
    using Rates = std::function<void(double time, std::vector<double>& rates)>;
    void add_constant(double from, double to, const Rates& rates);
    /// `elsewhere`: the energy moved that modes have integrated.
    [[nodiscard]] bool is_speck(const Stretch& s, double small, const Rates& rates);
    /// `smooth`: so many powers, but for the one that changes hands, have to be known exactly.
    void add_stretch(const Stretch& whole, double elsewhere, std::size_t smooth, const Rates& rates);
    /// The powers' integrals up to now.
    [[nodiscard]] std::vector<double> integrated() const;
    [[nodiscard]] EnergyReading read(const Situation& now) const;
    /// A reading for the course of the audit.
    void keep(const Situation& now);
    [[nodiscard]] double distance_of_readings(const Situation& now) const;

    const Settings& settings_;
    const Modes& modes_;
    const Calendar& calendar_;
    std::vector<double> without_integrator_;
    double rounding_ = 0.0;   ///< powers up to this are rounding
    double unsettled_ = 0.0;  ///< energy moved in stretches that no division makes exact
    std::optional<Point> not_finite_;
    bool without_bounds_ = false;
    StoredEnergy lost_;
    JumpBooks jumps_;
    EnergyReading start_;
    std::optional<EnergyReading> from_;
    std::optional<EnergyReading> to_;
    std::vector<EnergyReading> course_;
    double next_reading_ = 0.0;       ///< of the course: not before this time
    std::size_t event_readings_ = 0;  ///< so many of the course are there for events
};

}  // namespace bondgraph::simulation
