#pragma once

#include <algorithm>
#include <cmath>
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

    /// Where nothing is integrated: powers from one time to the other, `inside` giving the point at a time.
    template <class Inside>
    void add(const Situation& now, double from, double to, const Inside& inside);

    /// Where that first met a power without a finite value.
    [[nodiscard]] const std::optional<Point>& not_finite() const { return not_finite_; }

    /// The end of the window that comes next after `time`, infinity without.
    [[nodiscard]] double next_edge(double time) const;
    void begin(const Situation& start);
    /// To be told of every instant that is dealt with, before and after its events.
    void arrive(const Situation& now);
    void leave(const Situation& now);
    /// The balances, at the end of a run.
    void report(const Situation& end, Summary& summary) const;

   private:
    [[nodiscard]] EnergyReading read(const Situation& now) const;

    const Settings& settings_;
    const Modes& modes_;
    const Calendar& calendar_;
    std::vector<double> without_integrator_;
    std::optional<Point> not_finite_;
    StoredEnergy lost_;
    JumpBooks jumps_;
    EnergyReading start_;
    std::optional<EnergyReading> from_;
    std::optional<EnergyReading> to_;
};

template <class Inside>
void EnergyLedger::add(const Situation& now, double from, double to, const Inside& inside) {
    const auto& powers = now.mode->audit->powers();
    if (!settings_.energy || powers.output_count() == 0) return;
    without_integrator_.resize(powers.output_count(), 0.0);
    std::vector<double> rate(powers.output_count());
    auto work = powers.make_workspace<double>();
    Point p;
    for (const auto& [place, weight] : kGauss3) {
        inside(0.5 * (from + to) + 0.5 * (to - from) * place, p);
        now.mode->evaluator->run(powers, work, p.time, p.y, p.yp, rate);
        for (std::size_t i = 0; i < rate.size(); ++i) without_integrator_[i] += (to - from) * weight * rate[i];
        if (!not_finite_ && !std::all_of(rate.begin(), rate.end(), [](double x) { return std::isfinite(x); }))
            not_finite_ = p;
    }
}

}  // namespace bondgraph::simulation
