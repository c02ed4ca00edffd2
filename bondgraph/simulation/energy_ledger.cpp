#include "bondgraph/simulation/energy_ledger.hpp"

#include <algorithm>

namespace bondgraph::simulation {

StoredEnergy EnergyLedger::stored(const Situation& now) const {
    return settings_.energy ? now.mode->audit->stored(*now.mode->evaluator, now.point) : StoredEnergy{};
}

void EnergyLedger::happen(const StoredEnergy& fallen, const JumpBooks& jumps) {
    if (!settings_.energy) return;
    lost_ += fallen;
    if (!jumps.any()) return;
    lost_ += jumps.stored;
    jumps_ += jumps;
}

EnergyReading EnergyLedger::read(const Situation& now) const {
    EnergyReading reading{now.point.time, without_integrator_, stored(now), lost_, jumps_};
    for (const auto& [key, mode] : modes_.all()) {
        if (!mode->integrator) continue;
        const auto& part = mode->integrator->quadratures();
        reading.integrals.resize(std::max(reading.integrals.size(), part.size()), 0.0);
        for (std::size_t k = 0; k < part.size(); ++k) reading.integrals[k] += part[k];
    }
    return reading;
}

double EnergyLedger::next_edge(double time) const {
    double next = std::numeric_limits<double>::infinity();
    if (!settings_.audit_window) return next;
    for (const double edge : {settings_.audit_window->first, settings_.audit_window->second}) {
        if (calendar_.before(time, edge)) next = std::min(next, edge);
    }
    return next;
}

void EnergyLedger::begin(const Situation& start) {
    start_ = read(start);
    arrive(start);
}

void EnergyLedger::arrive(const Situation& now) {
    if (settings_.audit_window && !from_ && !calendar_.before(now.point.time, settings_.audit_window->first))
        from_ = read(now);
}

void EnergyLedger::leave(const Situation& now) {
    if (from_ && !to_ && !calendar_.before(now.point.time, settings_.audit_window->second)) to_ = read(now);
}

void EnergyLedger::report(const Situation& end, Summary& summary) const {
    if (!settings_.energy) return;
    const EnergyReading last = read(end);
    const EnergyAudit& audit = *end.mode->audit;
    summary.energy = audit.balance(start_, last);
    summary.audited = settings_.audit_window ? audit.balance(from_.value_or(last), to_.value_or(last)) : summary.energy;
}

}  // namespace bondgraph::simulation
