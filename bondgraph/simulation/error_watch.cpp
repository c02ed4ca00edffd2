#include "bondgraph/simulation/error_watch.hpp"

#include <algorithm>
#include <cmath>

namespace bondgraph::simulation {
namespace {

constexpr long kEvery = 4;  // steps
/// What never left so small a share of its magnitude has swung by its magnitude's share: the error test asks for no
/// more.
constexpr double kLeastRange = 0.1;
/// Of the range so far: what turns back by less has not turned.
constexpr double kTurn = 0.1;
/// Of all energy stored: less may move by rounding.
constexpr double kLeastEnergy = 1e-9;

}  // namespace

double ErrorWatch::State::range() const { return std::max(high - low, kLeastRange * magnitude); }

void ErrorWatch::State::take(double value, double local_error, double magnitude_now) {
    error += static_cast<double>(kEvery) * std::abs(local_error);
    if (magnitude == 0.0) low = high = extreme = value;
    low = std::min(low, value);
    high = std::max(high, value);
    magnitude = std::max(magnitude, magnitude_now);
    const double ahead = rising ? value - extreme : extreme - value;
    if (ahead > 0.0) {
        extreme = value;
    } else if (-ahead > kTurn * range()) {
        turns += 1.0;
        rising = !rising;
        extreme = value;
    }
}

// The modes of a run share the variables of their states.
void ErrorWatch::enter(const compile::CompiledModel& model) {
    model_ = &model;
    places_.clear();
    for (std::size_t i = 0; i < model.state_count; ++i) {
        const auto next = static_cast<std::uint32_t>(place_of_.size());
        places_.push_back(place_of_.try_emplace(model.unknowns[i].variable.index(), next).first->second);
    }
    states_.resize(place_of_.size());
}

void ErrorWatch::step(const compile::CompiledModel& model, Integrator& integrator) {
    if (++steps_ % kEvery != 0) return;
    if (&model != model_) enter(model);
    const std::span<const double> errors = integrator.local_errors();
    const std::span<const double> y = integrator.values();
    for (std::size_t i = 0; i < places_.size(); ++i)
        states_[places_[i]].take(y[i], errors[i], integrator.magnitudes()[i]);
}

// An error of the amplitude is one of the period where a motion is not linear, and then of a phase that grows with
// every swing; without energy to keep, errors of chaotic motions grow still faster with them.
ErrorRecord ErrorWatch::report(const EnergyBalance& energy, double moved) const {
    ErrorRecord record;
    double turns = 0.0;
    for (const State& s : states_) {
        turns = std::max(turns, s.turns);
        if (s.range() > 0.0) record.local = std::max(record.local, s.error / s.range() * std::max(1.0, s.turns));
    }
    // What moves in one swing, not the sum of all of them: an oscillator's energy is moved in each, and kept.
    const double exchanged = std::max(
        {moved / (1.0 + turns), std::abs(energy.supplied), std::abs(energy.dissipated), kLeastEnergy * energy.moved});
    if (energy.any && exchanged > 0.0) record.energy = std::abs(energy.imbalance) / exchanged;
    return record;
}

}  // namespace bondgraph::simulation
