#include "bondgraph/simulation/energy_ledger.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bondgraph/simulation/interruption.hpp"

namespace bondgraph::simulation {

namespace {

/// Kronrod's rule with seven points on [−1, 1] and Gauss's with three of them, weights for an interval of length 1
/// (Kronrod: Nodes and Weights of Quadrature Formulas, 1965).
struct QuadraturePoint {
    double place;
    double weight;
    double coarse;
};
constexpr std::array<QuadraturePoint, 7> kKronrod7{{{-0.9604912687080202834, 0.1046562260264672652 / 2.0, 0.0},
                                                    {-0.7745966692414833770, 0.2684880898683334407 / 2.0, 5.0 / 18.0},
                                                    {-0.4342437493468025580, 0.4013974147759622229 / 2.0, 0.0},
                                                    {0.0, 0.4509165386584741424 / 2.0, 8.0 / 18.0},
                                                    {0.4342437493468025580, 0.4013974147759622229 / 2.0, 0.0},
                                                    {0.7745966692414833770, 0.2684880898683334407 / 2.0, 5.0 / 18.0},
                                                    {0.9604912687080202834, 0.1046562260264672652 / 2.0, 0.0}}};

}  // namespace

StoredEnergy EnergyLedger::stored(const Situation& now) const {
    return settings_.energy ? now.mode->audit->stored(*now.mode->evaluator, now.point) : StoredEnergy{};
}

void EnergyLedger::happen(const StoredEnergy& fallen, const JumpBooks& jumps) {
    lost_ += fallen;
    if (!jumps.any()) return;
    lost_ += jumps.stored;
    jumps_ += jumps;
}

void EnergyLedger::add(const Situation& now, double from, double to, const Interpolate& inside) {
    constexpr double kFewest = 64.0;  ///< stretches of a run: what swings within one of them is seen by its points
    if (!settings_.energy) return;
    const auto& powers = now.mode->audit->powers();
    if (powers.output_count() == 0 || to <= from || without_bounds_) return;
    without_integrator_.resize(powers.output_count(), 0.0);
    auto work = powers.make_workspace<double>();
    Point p;
    const Rates rates = [&](double time, std::vector<double>& rate) {
        inside(time, p);
        now.mode->evaluator->run(powers, work, p.time, p.y, p.yp, rate);
        if (!not_finite_ && !std::all_of(rate.begin(), rate.end(), [](double x) { return std::isfinite(x); }))
            not_finite_ = p;
    };
    if (!now.mode->powers_timely && now.mode->model->state_count == 0) return add_constant(from, to, rates);
    const double elsewhere = integrated()[EnergyAudit::kMoved] - without_integrator_[EnergyAudit::kMoved];
    const double parts = std::ceil(kFewest * (to - from) / (settings_.stop - settings_.start) * (1.0 - 1e-12));
    for (double k = 0.0; k < parts; k += 1.0)
        add_stretch({from + k / parts * (to - from), from + (k + 1.0) / parts * (to - from)}, elsewhere,
                    now.mode->audit->smooth(), rates);
}

void EnergyLedger::add_constant(double from, double to, const Rates& rates) {
    std::vector<double> rate(without_integrator_.size());
    rates(from, rate);
    for (std::size_t i = 0; i < rate.size(); ++i) without_integrator_[i] += (to - from) * rate[i];
}

// Where the states chosen determine the rest badly for an instant inside a step, rounding makes a pole of powers there.
// A little beside it nothing is left of that; of a power that grows without end there is.
bool EnergyLedger::is_speck(const Stretch& s, double small, const Rates& rates) {
    constexpr double kBeside = 1e3;  // lengths of the stretch
    constexpr double kShare = 0.1;
    const double beside = kBeside * (s.to - s.from);
    std::vector<double> rate(without_integrator_.size());
    double most = 0.0;
    for (const double time : {s.from - beside, s.to + beside}) {
        rates(time, rate);
        most = std::max(most, beside * std::abs(rate[EnergyAudit::kMoved]));
    }
    return most <= kShare * small;
}

void EnergyLedger::add_stretch(const Stretch& whole, double elsewhere, std::size_t smooth, const Rates& rates) {
    constexpr double kExact = 1e-3;  ///< of the tolerance
    constexpr int kDeepest = 40;
    // Halving leads to a jump, or resolves what swings. What it does neither for at this depth, so often, is rounding
    // (of a mechanism at rest, say), and so are smaller differences from then on. The same holds where time itself has
    // no more numbers to resolve anything by: steps become as short as that where forces grow without bound. And
    // differences of what is stored are rounded to its digits: what hardly moves need not be known beyond them.
    constexpr int kDeep = 20;
    constexpr int kMostDeep = 200;
    constexpr double kFine = 1e3;  ///< roundings of time
    const double digits =
        std::numeric_limits<double>::epsilon() * std::abs(start_.stored.all()) / (whole.to - whole.from);
    int deep = 0;
    double largest = 0.0;
    std::vector<Stretch> left{whole};
    std::vector<double> rate(without_integrator_.size());
    std::vector<double> sum(rate.size());
    std::vector<double> coarse(rate.size());
    while (!left.empty()) {
        end_if_asked(settings_.interrupted);
        const Stretch s = left.back();
        left.pop_back();
        sum.assign(rate.size(), 0.0);
        coarse.assign(rate.size(), 0.0);
        bool any_finite = false;
        for (const QuadraturePoint& node : kKronrod7) {
            rates(0.5 * (s.from + s.to) + 0.5 * (s.to - s.from) * node.place, rate);
            any_finite = any_finite || std::ranges::all_of(rate, [](double x) { return std::isfinite(x); });
            for (std::size_t i = 0; i < rate.size(); ++i) {
                sum[i] += (s.to - s.from) * node.weight * rate[i];
                coarse[i] += (s.to - s.from) * node.coarse * rate[i];
            }
        }
        // At one place a power may be infinite and its integral not, which halving shows. Where it is so everywhere
        // (the square of 1e200 V), halving would go on to the last of 2^kDeepest parts.
        if (!any_finite) {
            without_bounds_ = true;
            for (std::size_t i = 0; i < rate.size(); ++i) without_integrator_[i] += sum[i];
            return;
        }
        double error = 0.0;
        for (std::size_t i = 0; i < smooth; ++i) {
            if (i != EnergyAudit::kMoved) error = std::max(error, std::abs(sum[i] - coarse[i]));
        }
        const double size = elsewhere + without_integrator_[EnergyAudit::kMoved] + sum[EnergyAudit::kMoved];
        const double middle = 0.5 * (s.from + s.to);
        const double length = s.to - s.from;
        const bool exact = error <= kExact * settings_.tolerance * size + std::max(rounding_, digits) * length;
        const bool deep_enough =
            s.depth >= kDeep || length < kFine * std::numeric_limits<double>::epsilon() * std::abs(middle);
        if (!exact && deep_enough) {
            largest = std::max(largest, error / length);
            if (++deep % kMostDeep == 0) rounding_ = 2.0 * largest;
        }
        if (!exact && s.depth < kDeepest && s.from < middle && middle < s.to) {
            left.push_back({middle, s.to, s.depth + 1});
            left.push_back({s.from, middle, s.depth + 1});
            continue;
        }
        // Beside a jump so narrow a stretch does not matter; if it does, something grows without end.
        if (!exact) {
            if (is_speck(s, settings_.tolerance * size, rates)) continue;
            for (const double end : {s.from, s.to}) rates(end, rate);  // where it may be infinite, for the message
            unsettled_ += sum[EnergyAudit::kMoved];
        }
        for (std::size_t i = 0; i < rate.size(); ++i) without_integrator_[i] += sum[i];
    }
}

std::vector<double> EnergyLedger::integrated() const {
    std::vector<double> integrals = without_integrator_;
    for (const auto& [key, mode] : modes_.all()) {
        if (!mode->integrator) continue;
        const auto& part = mode->integrator->quadratures();
        integrals.resize(std::max(integrals.size(), part.size()), 0.0);
        for (std::size_t k = 0; k < part.size(); ++k) integrals[k] += part[k];
    }
    return integrals;
}

EnergyReading EnergyLedger::read(const Situation& now) const {
    return {now.point.time, integrated(), stored(now), lost_, jumps_};
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
    if (settings_.energy && settings_.audit_instants > 0) keep(start);
    arrive(start);
}

void EnergyLedger::arrive(const Situation& now) {
    if (settings_.audit_window && !from_ && !calendar_.before(now.point.time, settings_.audit_window->first))
        from_ = read(now);
    // Of many events only some are seen as what they are: those beyond are part of what lies between two readings.
    if (course_.empty() || event_readings_ >= settings_.audit_instants) return;
    if (course_.back().time == now.point.time) return;
    keep(now);
    ++event_readings_;
}

void EnergyLedger::leave(const Situation& now) {
    if (from_ && !to_ && !calendar_.before(now.point.time, settings_.audit_window->second)) to_ = read(now);
    const bool arrived = !course_.empty() && course_.back().time == now.point.time;
    if (arrived && (lost_.all() != course_.back().lost.all() || jumps_.taken != course_.back().jumps.taken))
        keep(now);
    else
        pass(now);
}

double EnergyLedger::distance_of_readings(const Situation& now) const {
    constexpr std::size_t kMostNumbers = 1'000'000;
    const std::size_t size = now.mode->audit->powers().output_count() + start_.stored.by_element.size();
    const std::size_t fit = std::max<std::size_t>(2, kMostNumbers / std::max<std::size_t>(1, size));
    return (settings_.stop - settings_.start) / static_cast<double>(std::min(fit, settings_.audit_instants));
}

void EnergyLedger::keep(const Situation& now) {
    course_.push_back(read(now));
    // Before the first step there is no integrator that has begun to add up.
    course_.back().integrals.resize(now.mode->audit->powers().output_count(), 0.0);
    const double distance = distance_of_readings(now);
    const double past =
        distance > 0.0 ? std::floor((now.point.time - settings_.start) / distance * (1.0 + 1e-12)) : 0.0;
    next_reading_ = settings_.start + (past + 1.0) * distance;
}

void EnergyLedger::pass(const Situation& now) {
    if (course_.empty() || now.point.time < next_reading_) return;
    keep(now);
}

double EnergyLedger::moved() const {
    if (!settings_.energy) return 0.0;
    const std::vector<double> integrals = integrated();
    return integrals.size() > EnergyAudit::kMoved ? integrals[EnergyAudit::kMoved] : 0.0;
}

void EnergyLedger::report(const Situation& end, Summary& summary) const {
    if (!settings_.energy) return;
    const EnergyReading last = read(end);
    const EnergyAudit& audit = *end.mode->audit;
    summary.energy = audit.balance(start_, last);
    if (unsettled_ > 0.0 && unsettled_ > settings_.tolerance * moved())
        summary.energy.imbalance = std::numeric_limits<double>::quiet_NaN();
    summary.audited = settings_.audit_window ? audit.balance(from_.value_or(last), to_.value_or(last)) : summary.energy;
    for (const EnergyReading& reading : course_) {
        if (reading.time < last.time) summary.course.push_back(audit.balance(start_, reading));
    }
    if (!course_.empty()) summary.course.push_back(summary.energy);
}

}  // namespace bondgraph::simulation
