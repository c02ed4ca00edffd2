// Magnitudes of unknowns as an integration learns them, and the weights that Integrator gives IDA by these.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/integrator.hpp"
#include "bondgraph/simulation/loop_coordinates.hpp"

namespace bondgraph::simulation {
namespace {

/// Absolute tolerance as a share of a variable's magnitude, times the relative tolerance.
constexpr double kAbsoluteShare = 0.1;
/// In mechanisms with closed loops, what is that small beside the largest of all is 0, whatever the units: a body that
/// is kept from turning turns by products of roundings, and nothing converges to these.
constexpr double kLeastInLoops = 1e-22;
/// The largest of all counts there up to so many times what it was at the start: forces that grow without bound, as at
/// the end of a mechanism's reach, make nothing else small.
constexpr double kMostGrowth = 1e8;
/// No force, rate or acceleration that is solved for in closed loops is asked for more exactly than to this share of
/// the largest of its kind, which is less than the rounding of that one: a component across the plane in which bodies
/// happen to move is a product of roundings.
constexpr double kLeastOfKind = 1e-17;
/// Torques are forces at no shorter levers, in m, and the reverse: one that is alone of its kind may be 0 but for them.
constexpr double kShortestLever = 1e-3;
/// What never was larger than so many times what rounding can make of it is zero but for rounding; an absolute
/// tolerance is at least so many times that.
constexpr double kDrowned = 1e6;
constexpr double kRoundings = 30.0;

/// The unknowns that are components of one vector of a joint or body, or of one of its time derivatives, as angular
/// velocity in a turning frame: what a component is at a moment depends on the frame, so all share one magnitude. One
/// that is never anything but 0 has none of its own.
std::vector<std::vector<std::size_t>> vectors_of_mechanisms(const compile::CompiledModel& m) {
    const model::BondGraph& g = m.graph();
    const std::size_t count = g.variable_count();
    std::map<std::pair<std::size_t, int>, std::size_t> unknown_of;  // by variable and how often it is differentiated
    for (std::size_t i = 0; i < m.size(); ++i) {
        int order = 0;
        compile::VariableId v = m.unknowns[i].variable;
        for (; v.index() >= count; ++order) v = m.derived[v.index() - count];
        unknown_of[{v.index(), order}] = i;
    }
    std::vector<std::vector<std::size_t>> result;
    for (const model::Element& e : g.elements) {
        if (!e.type->free_rates) continue;
        for (const auto& slot : e.slots) {
            if (slot.size < 2) continue;
            constexpr int kHighest = 3;
            for (int order = 0; order < kHighest; ++order) {
                std::vector<std::size_t> members;
                for (std::uint32_t k = 0; k < slot.size; ++k) {
                    const auto unknown = unknown_of.find({g.slot_variable(slot.first + k).index(), order});
                    if (unknown != unknown_of.end()) members.push_back(unknown->second);
                }
                if (members.size() > 1) result.push_back(std::move(members));
            }
        }
    }
    return result;
}

/// Forces, and torques, among the algebraic unknowns.
std::vector<std::vector<std::size_t>> efforts_of_mechanisms(const compile::CompiledModel& m) {
    const model::BondGraph& g = m.graph();
    std::vector<std::vector<std::size_t>> result(2);
    for (std::size_t i = m.state_count; i < m.size(); ++i) {
        const std::size_t variable = m.unknowns[i].variable.index();
        if (variable >= 2 * std::size_t{g.bond_components} || variable % 2 != 0) continue;
        const auto domain = g.bonds[g.bond_of_component(static_cast<std::uint32_t>(variable / 2)).index()].domain;
        if (domain == *model::find_domain("translational")) result[0].push_back(i);
        if (domain == *model::find_domain("rotational")) result[1].push_back(i);
    }
    return result;
}

/// Rates of joints and bodies, and accelerations, among the algebraic unknowns.
std::vector<std::vector<std::size_t>> motions_of_mechanisms(const compile::CompiledModel& m) {
    const model::BondGraph& g = m.graph();
    std::map<std::size_t, std::size_t> order_of;  // by variable: how often a coordinate is differentiated there
    for (const model::Element& e : g.elements) {
        if (!e.type->free_rates) continue;
        std::uint32_t number = 0;  // of a state: rates come first, then positions; outputs are accelerations
        for (const auto& slot : e.slots) {
            for (std::uint32_t k = 0; k < slot.size; ++k) {
                const bool state = slot.kind == model::Element::Slot::Kind::state;
                if (!state && slot.kind != model::Element::Slot::Kind::internal) continue;
                const std::size_t order = !state ? 2 : number++ < e.port_components() ? 1 : 0;
                order_of[g.slot_variable(slot.first + k).index()] = order;
            }
        }
    }
    std::vector<std::vector<std::size_t>> result(2);
    for (std::size_t i = m.state_count; i < m.size(); ++i) {
        std::size_t order = 0;
        compile::VariableId v = m.unknowns[i].variable;
        for (; v.index() >= g.variable_count(); ++order) v = m.derived[v.index() - g.variable_count()];
        const auto base = order_of.find(v.index());
        if (base == order_of.end() || order + base->second == 0) continue;
        result[std::min<std::size_t>(order + base->second, 2) - 1].push_back(i);
    }
    return result;
}

}  // namespace

UnknownKinds::UnknownKinds(const compile::CompiledModel& m)
    : vectors(vectors_of_mechanisms(m)),
      followed(followed_sizes(m)),
      judged(judged_unknowns(m)),
      mechanism(m.state_count > 0 &&
                std::ranges::any_of(m.graph().elements, [](const model::Element& e) { return e.type->free_rates; })) {
    if (!m.reduced || !m.reduced->loops) return;
    for (auto& kind : efforts_of_mechanisms(m)) kinds.push_back({.unknowns = std::move(kind), .effort = true});
    for (auto& kind : motions_of_mechanisms(m)) kinds.push_back({.unknowns = std::move(kind)});
}

void Integrator::set_magnitudes(const Point& point) {
    const double span = settings_.stop - point.time;
    const Magnitudes m = estimate_magnitudes(ev_, point, span > 0 ? span : 1.0);
    for (const auto& [i, size] : kinds_of_.followed) shown_[i] = std::max(shown_[i], size);
    for (std::size_t i = 0; i < ev_.size(); ++i) {
        // What was any number while nothing moved is none to go by once something does, and none beside what is known.
        if (guessed_[i]) shown_[i] = magnitude_[i] = 0.0;
        const double seen = std::max(shown_[i], std::abs(point.y[i]));
        guessed_[i] = m.unsaid[i] && seen == 0.0;
        shown_[i] = std::max({seen, m.expected[i], m.unsaid[i] && !guessed_[i] ? 0.0 : m.floor[i]});
        magnitude_[i] = std::max({magnitude_[i], shown_[i], m.at_rest[i]});
    }
    take_rounding(m.rounding);
}

// Where large terms cancel and what remains is noise, no error test can ask for more than rounding leaves. What moves
// stands far above, by 1e8 and more in all models so far: its tolerance is its own. A floor that comes from rounding
// itself is no sign of motion.
void Integrator::look_at_rounding(const Point& point, bool of_algebraic) {
    const double span = settings_.stop - point.time;
    take_rounding(rounding_of_unknowns(ev_, point, span > 0 ? span : 1.0), of_algebraic);
}

void Integrator::take_rounding(std::span<const double> noise, bool of_algebraic) {
    for (std::size_t i = 0; i < ev_.size(); ++i) {
        if (of_algebraic && id_.data()[i] != 0.0) continue;
        if (!std::isfinite(noise[i]) || shown_[i] > kDrowned * noise[i]) continue;
        magnitude_[i] = std::max(magnitude_[i], kRoundings * noise[i] / (kAbsoluteShare * settings_.tolerance));
    }
}

int Integrator::weights(N_Vector y, N_Vector w, void* self) {
    auto& s = *static_cast<Integrator*>(self);
    const std::size_t n = s.ev_.size();
    const double* const value = NV_DATA_S(y);
    double* const weight = NV_DATA_S(w);
    if (!s.learn(value)) return -1;
    // Without what rounding might make: loops are solved to rounding, wherever forces are drowned in it.
    if (!s.looped_.empty()) s.ev_.loops().learn(s.shown_);
    for (const auto& vector : s.kinds_of_.vectors) {
        for (auto* sizes : {&s.magnitude_, &s.shown_}) {
            double largest = 0.0;
            for (const std::size_t i : vector) largest = std::max(largest, (*sizes)[i]);
            for (const std::size_t i : vector) (*sizes)[i] = largest;
        }
    }
    if (s.in_loops_) {
        const double largest = *std::ranges::max_element(s.shown_);  // what rounding might make is not seen
        if (s.largest_at_first_ == 0.0) s.largest_at_first_ = largest;
        const double least = kLeastInLoops * std::min(largest, kMostGrowth * s.largest_at_first_);
        for (double& size : s.magnitude_) size = std::max(size, least);
        s.floor_of_kinds();
    }
    const double tolerance = s.settings_.tolerance;
    const double* const magnitude = s.magnitude_.data();
    for (std::size_t i = 0; i < n; ++i)
        weight[i] = 1.0 / (tolerance * (std::abs(value[i]) + kAbsoluteShare * magnitude[i]));
    return 0;
}

void Integrator::floor_of_kinds() {
    double most_effort = 0.0;
    for (SolvedKind& kind : kinds_) {
        kind.most = 0.0;
        for (const std::size_t i : kind.unknowns) kind.most = std::max(kind.most, shown_[i]);
        if (kind.at_first == 0.0) kind.at_first = kind.most;
        kind.most = std::min(kind.most, kMostGrowth * kind.at_first);
        if (kind.effort) most_effort = std::max(most_effort, kind.most);
    }
    for (const SolvedKind& kind : kinds_) {
        const double most = kind.effort ? std::max(kind.most, kShortestLever * most_effort) : kind.most;
        const double floor = kLeastOfKind / (kAbsoluteShare * settings_.tolerance) * most;
        for (const std::size_t i : kind.unknowns) magnitude_[i] = std::max(magnitude_[i], floor);
    }
}

// Plain loops, which the compiler turns into vector instructions: they run at every step over all unknowns.
bool Integrator::learn(const double* value) {
    const std::size_t n = ev_.size();
    if (!looped_.empty()) {
        learned_.assign(value, value + n);
        for (const std::uint32_t i : looped_) learned_[i] = exact_y_[i];
        value = learned_.data();
    }
    std::int64_t infinite = 0;
    for (std::size_t i = 0; i < n; ++i) infinite |= std::abs(value[i]) <= std::numeric_limits<double>::max() ? 0 : 1;
    if (infinite != 0) return false;
    for (std::vector<double>* sizes : {&shown_, &magnitude_}) {
        double* const size = sizes->data();
        for (std::size_t i = 0; i < n; ++i) size[i] = std::max(size[i], std::abs(value[i]));
    }
    return true;
}

double Integrator::weight(std::size_t i, double value) const {
    return 1.0 / (settings_.tolerance * (std::abs(value) + kAbsoluteShare * magnitude_[i]));
}

}  // namespace bondgraph::simulation
