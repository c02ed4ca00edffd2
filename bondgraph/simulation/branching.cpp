#include "bondgraph/simulation/branching.hpp"

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/structure/choice_levels.hpp"

namespace bondgraph::simulation {

using compile::ChoicePoint;
using structure::Determinant;

namespace {

constexpr double kFar = 0.7;      // logarithm of two, of two dummies: further below the largest every step is looked at
constexpr double kVeryFar = 5.0;  // of 150: perhaps close to a singular position
constexpr int kHalvings = 50;     // of a step, down to rounding
constexpr double kPassed = 100;   // times the condition where states were chosen, for the errors of the steps

/// Of the Jacobians by the dummies at a point; nothing where they have none.
std::vector<Determinant> determinants(Mode& mode, const ChoicePoint& at) {
    return Modes::exchange(mode).determinants(compile::coefficients_at(*mode.model->reduced, at));
}

/// A state of a storage, an angle of a joint among them.
bool is_storage_state(const model::BondGraph& g, std::uint32_t v) {
    if (v < 2 * g.bond_components || v >= g.variable_count()) return false;
    const auto& slot = g.slot_variables[v - 2 * g.bond_components];
    return g.elements[slot.element.index()].slots[slot.slot].kind == model::Element::Slot::Kind::state;
}

/// The coordinates that the constraints of a determinant tie.
Branching described(Mode& mode, std::size_t which, double time) {
    const compile::ReducedSystem& s = *mode.model->reduced;
    const structure::DummyChoice& choice = mode.model->choice->details;
    std::vector<std::uint32_t> lower(s.derivative_of.size(), kNone);
    for (std::uint32_t v = 0; v < s.derivative_of.size(); ++v) {
        if (s.derivative_of[v] != kNone) lower[s.derivative_of[v]] = v;
    }
    std::vector<std::uint32_t> tied;
    std::size_t furthest = 0;
    const structure::ExchangeGain::Part& part = Modes::exchange(mode).parts()[which];
    for (const Eigen::Index c : part.candidates) {
        std::uint32_t v = choice.blocks[part.block].columns[static_cast<std::size_t>(c)];
        std::size_t times = 0;
        for (; lower[v] != kNone; v = lower[v]) ++times;
        if (!is_storage_state(s.graph(), v) || times < furthest) continue;
        if (times > furthest) tied.clear();  // angles say more than the momenta that follow from them
        furthest = times;
        tied.push_back(v);
    }
    Branching result{time, {}};
    for (const std::uint32_t v : tied) result.coordinates.push_back(s.name(compile::VariableId(std::size_t{v})));
    std::sort(result.coordinates.begin(), result.coordinates.end());
    return result;
}

/// The number of the determinant in which a row of the coefficients stands.
std::optional<std::size_t> determinant_of(Mode& mode, std::size_t row) {
    const compile::ReducedSystem& s = *mode.model->reduced;
    const structure::DummyChoice& choice = mode.model->choice->details;
    std::optional<std::size_t> last;  // the lowest derivatives: conditions on the coordinates themselves
    const auto levels = structure::choice_levels(s.plan, choice);
    const auto& parts = Modes::exchange(mode).parts();
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const structure::ChoiceLevel& level = levels[parts[k].block][parts[k].level];
        const bool there = std::ranges::any_of(parts[k].rows, [&](std::uint32_t r) {
            const auto in_block = static_cast<std::size_t>(level.rows[r]);
            return s.coefficients.row_of[choice.blocks[parts[k].block].rows[in_block]] == row;
        });
        if (there) last = k;
    }
    return last;
}

/// Per row of the coefficients the largest entry.
std::vector<double> sizes(const compile::ReducedSystem& s, std::span<const double> entries) {
    const structure::Incidence& pattern = s.coefficients.pattern;
    std::vector<double> result(pattern.rows(), 0.0);
    for (std::size_t row = 0; row < result.size(); ++row) {
        for (std::size_t k = pattern.starts[row]; k < pattern.starts[row + 1]; ++k)
            result[row] = std::max(result[row], s.coefficients.size[k] * std::abs(entries[k]));
    }
    return result;
}

/// Per row of the coefficients its largest entry beside the largest in the same column.
std::vector<double> shares(const compile::ReducedSystem& s, std::span<const double> entries) {
    const structure::Incidence& pattern = s.coefficients.pattern;
    std::vector<double> largest(s.variable_count(), 0.0);
    for (std::size_t k = 0; k < entries.size(); ++k)
        largest[pattern.columns[k]] = std::max(largest[pattern.columns[k]], std::abs(entries[k]));
    std::vector<double> result(pattern.rows(), 0.0);
    for (std::size_t row = 0; row < result.size(); ++row) {
        for (std::size_t k = pattern.starts[row]; k < pattern.starts[row + 1]; ++k) {
            if (entries[k] != 0.0)
                result[row] = std::max(result[row], std::abs(entries[k]) / largest[pattern.columns[k]]);
        }
    }
    return result;
}

/// A row of which `worst` times less is left than there was: scaled by its rows, no choice of states shows that.
std::optional<std::size_t> vanished(std::span<const double> before, std::span<const double> now, double worst) {
    for (std::size_t row = 0; row < now.size(); ++row) {
        if (worst * now[row] < before[row]) return row;
    }
    return std::nullopt;
}

/// Whether a condition says `worst` times less of all that it ties than where the states were chosen, as one along an
/// axis does of links that come to lie along it.
bool a_row_vanishes(const compile::CompiledModel& model, const ChoicePoint& at, double worst) {
    if (!model.chosen_at) return false;
    const std::vector<double> before =
        sizes(*model.reduced, compile::coefficients_at(*model.reduced, *model.chosen_at));
    const std::vector<double> now = sizes(*model.reduced, compile::coefficients_at(*model.reduced, at));
    return vanished(before, now, worst).has_value();
}

}  // namespace

bool constraints_depend(const compile::CompiledModel& model, const ChoicePoint& at, double worst) {
    if (a_row_vanishes(model, at, worst)) return true;
    try {
        const std::size_t implied = model.choice->details.redundant.size();
        const compile::StateChoice best = compile::choose_states(*model.reduced, at, implied);
        return best.details.redundant.size() > implied || best.condition > worst;
    } catch (const ModelError&) {  // left with constraints that say nothing of their own
        return true;
    }
}

// Coordinates closer to such a position than a relative x differ by x^2 from those beyond it: below a tenth of the
// tolerance steps don't tell on which side they pass.
BranchingWatch::BranchingWatch(double tolerance) : closest_(std::max(300.0, std::sqrt(10.0 / tolerance))) {}

void BranchingWatch::remember(const std::vector<Determinant>& now) {
    near_ = now.size() != watched_.size();
    for (std::size_t k = 0; k < now.size() && !near_; ++k) {
        watched_[k].last = now[k];
        watched_[k].largest = std::max(watched_[k].largest, now[k].log_size);
    }
    for (const Watched& w : watched_) near_ = near_ || w.last.log_size < w.largest - w.usual;
}

void BranchingWatch::begin(Mode& mode, const ChoicePoint& at) {
    const std::vector<Determinant> now = determinants(mode, at);
    watched_.assign(now.size(), {});
    const auto& parts = Modes::exchange(mode).parts();
    for (std::size_t k = 0; k < now.size(); ++k)
        watched_[k].usual = kFar * std::sqrt(0.5 * std::max<double>(2, static_cast<double>(parts[k].rows.size())));
    remember(now);
    begun_.clear();
    begun_shares_.clear();
    if (!mode.model->chosen_at) return;
    const std::vector<double> entries = compile::coefficients_at(*mode.model->reduced, *mode.model->chosen_at);
    begun_ = sizes(*mode.model->reduced, entries);
    begun_shares_ = shares(*mode.model->reduced, entries);
}

std::optional<Branching> BranchingWatch::emerged(Mode& mode, std::span<const double> coefficients) const {
    const double worst = closest_ * std::max(mode.model->choice->condition, 1.0);
    const std::vector<double> now = sizes(*mode.model->reduced, coefficients);
    for (std::size_t row = 0; row < std::min(now.size(), begun_.size()); ++row) {
        // One that grows without bound where a mechanism comes to the end of its reach did say something.
        if (!(worst * begun_[row] < now[row]) || worst * begun_shares_[row] > 1.0) continue;
        if (const auto which = determinant_of(mode, row)) return described(mode, *which, mode.model->chosen_at->time);
    }
    return std::nullopt;
}

std::optional<Branching> BranchingWatch::look(Mode& mode, double from, double to, std::span<const double> coefficients,
                                              const PointAt& point) {
    if (auto found = emerged(mode, coefficients)) return found;
    const std::vector<Determinant> now = Modes::exchange(mode).determinants(coefficients);
    if (now.size() != watched_.size()) {  // singular to the last digit: seen from beyond, unless it was so at once
        if (watched_.empty()) begin(mode, point(to));
        return std::nullopt;
    }
    std::optional<Branching> found;
    for (std::size_t k = 0; k < now.size() && !found; ++k) {
        std::optional<double> time;
        if (watched_[k].last.sign * now[k].sign < 0.0) time = passed(mode, from, to, point, k, now[k].sign);
        watched_[k].last = now[k];
        if (!time && close(mode, to, point, k)) time = to;
        if (time) found = described(mode, k, *time);
    }
    remember(now);
    return found;
}

std::optional<double> BranchingWatch::passed(Mode& mode, double from, double to, const PointAt& point,
                                             std::size_t which, double sign) const {
    for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = 0.5 * (from + to);
        const std::vector<Determinant> there = determinants(mode, point(middle));
        if (there.size() != watched_.size()) {
            to = middle;
            break;
        }
        (there[which].sign == sign ? to : from) = middle;
    }
    return depends(mode, point(to), which, kPassed) ? std::optional(to) : std::nullopt;
}

bool BranchingWatch::close(Mode& mode, double time, const PointAt& point, std::size_t which) {
    Watched& watched = watched_[which];
    const double now = watched.last.log_size;
    if (now > watched.largest - kVeryFar || now > watched.checked - kFar) return false;
    watched.checked = now;
    return depends(mode, point(time), which, closest_);
}

// The part alone shows that its rows depend on each other. That they don't, it shows only where the rest, that others
// determine, is determined well.
bool BranchingWatch::depends(Mode& mode, const ChoicePoint& at, std::size_t which, double worst) const {
    worst *= std::max(mode.model->choice->condition, 1.0);
    structure::ExchangeGain& exchange = Modes::exchange(mode);
    const std::vector<Determinant> there = determinants(mode, at);
    if (there.size() != watched_.size()) return constraints_depend(*mode.model, at, worst);
    if (exchange.condition(exchange.parts()[which]) > worst) return true;
    if (a_row_vanishes(*mode.model, at, worst)) return true;
    bool well = true;
    const auto& parts = exchange.parts();
    for (std::size_t k = which; k-- > 0;) {
        if (parts[k].block != parts[which].block || parts[k].level != parts[which].level) break;
        well = well && there[k].log_size > watched_[k].largest - kVeryFar;
    }
    return !well && constraints_depend(*mode.model, at, worst);
}

}  // namespace bondgraph::simulation
