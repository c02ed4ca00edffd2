// Powers along a step, integrated on the polynomial between its ends.

#include <ida/ida.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bondgraph/simulation/energy.hpp"
#include "bondgraph/simulation/integrator.hpp"

namespace bondgraph::simulation {

// Gauss's rule with three points on the interpolating polynomial of the step: as accurate as the states themselves, if
// powers do what these do. Of a mechanism at constant speed the angle is a straight line, though, and steps may be as
// long as a turn. How far the three are from a straight line tells: of a sine, what the rule leaves is kSine times the
// cube of it. The energy that changes hands is there to be compared with, and conditions on positions
// supply nothing but errors: of these the middle point is enough.
bool Integrator::integrate(double from, double to) {
    constexpr double kSine = 0.007;
    constexpr double kShare = 0.1;  // of the tolerance
    if (integral_.empty() || to <= from) return true;
    const double middle = 0.5 * (from + to);
    const double half = 0.5 * (to - from);
    part_.assign(integral_.size(), 0.0);
    straight_.assign(integral_.size(), 0.0);
    for (const auto& [place, weight] : kGauss3) {
        const double t = middle + half * place;
        const bool in_the_middle = place == 0.0;
        Powers& powers = in_the_middle ? all_powers_ : books_;
        // As exactly at the last place as in the middle: the searches of loops, and what the next step's iteration
        // knows of the mass matrix, begin where the last look ended, and near positions in line that counts.
        if (!look_inside(t, place > 0.0 ? all_powers_ : powers)) break;
        const auto rate = std::span(rate_).first(powers.tape->output_count());
        ev_.run(*powers.tape, powers.work, t, inner_y_.span(), inner_yp_.span(), rate);
        for (std::size_t k = 0; k < rate.size(); ++k) part_[k] += 2.0 * half * weight * rate[k];
        if (in_the_middle) {
            for (std::size_t k = 0; k < rate.size(); ++k) straight_[k] = 2.0 * half * rate[k];
        }
        if (!not_finite_at_ && !std::all_of(rate.begin(), rate.end(), [](double x) { return std::isfinite(x); }))
            not_finite_at_ = t;
    }
    const bool by_element = books_.tape == all_powers_.tape;
    for (std::size_t k = by_element ? EnergyAudit::kMoved : EnergyAudit::kBooks; k <= EnergyAudit::kMoved; ++k)
        part_[k] = straight_[k];
    double bend = 0.0;
    for (std::size_t k = 0; k < EnergyAudit::kBooks; ++k) bend = std::max(bend, std::abs(part_[k] - straight_[k]));
    const double moved = part_[EnergyAudit::kMoved];
    const double left = kSine * bend * std::pow(bend / moved, 2);
    if (left > kShare * settings_.tolerance * (integral_[EnergyAudit::kMoved] + moved)) return false;
    for (std::size_t k = 0; k < integral_.size(); ++k) integral_[k] += part_[k];
    return true;
}

Integrator::Powers Integrator::powers_of(const expression::Tape& tape) const {
    const std::size_t size = ev_.size();
    std::vector<bool> varying(ev_.model().input_size(), true);
    std::fill(varying.begin() + 1 + static_cast<std::ptrdiff_t>(2 * size), varying.end(), false);
    const auto is_state = [&](std::uint32_t input) {
        return input >= 1 && input <= size && id_.data()[input - 1] != 0.0 && !is_looped_[input - 1];
    };
    Powers powers{&tape, tape.make_workspace<double>()};
    for (const auto& needed : tape.dependencies(varying)) {
        powers.vary = powers.vary || !needed.empty();
        powers.exactly = powers.exactly || !std::ranges::all_of(needed, [&](std::uint32_t input) {
                             return input == 0 || is_state(input);
                         });
    }
    return powers;
}

bool Integrator::look_inside(double time, const Powers& powers) {
    if (!powers.vary) return true;
    if (IDAGetDky(ida_, time, 0, inner_y_.get()) != IDA_SUCCESS) return false;
    if (!powers.exactly) return true;
    if (IDAGetDky(ida_, time, 1, inner_yp_.get()) != IDA_SUCCESS) return false;
    if (!looped_.empty()) ev_.solve_loops(time, inner_y_.span(), inner_yp_.span());
    correct_inside(time);
    return true;
}

void Integrator::interpolate_for_powers(Point& p) { interpolate_for(p, all_powers_); }

void Integrator::interpolate_all(Point& p) {
    interpolate(p.time, p.y, p.yp);
    interpolate_for(p, {.tape = nullptr, .work = {}, .vary = true, .exactly = true});
}

void Integrator::interpolate_for(Point& p, const Powers& powers) {
    if (!look_inside(p.time, powers)) return;
    std::copy_n(inner_y_.data(), p.y.size(), p.y.begin());
    std::copy_n(inner_yp_.data(), p.yp.size(), p.yp.begin());
}

// Steps are as long as the states allow: algebraic unknowns may swing in between by more than the polynomial of few and
// early steps shows. One correction by Newton's matrix, of the states as well so that all laws hold at one point, is
// exact but for what that matrix, or the mass matrix of the step's end, has changed since.
void Integrator::correct_inside(double time) {
    if (ev_.model().state_count == ev_.size()) return;
    defect_.resize(ev_.size());
    evaluated_at_ = std::numeric_limits<double>::quiet_NaN();
    if (!ev_.residual(time, inner_y_.span(), inner_yp_.span(), defect_)) return;
    if (rates_) rates_->correct(defect_);
    newton_->solve(defect_);
    for (std::size_t i = 0; i < ev_.size(); ++i) {
        if (is_looped_[i] || !std::isfinite(defect_[i])) continue;
        inner_y_.data()[i] -= defect_[i];
        inner_yp_.data()[i] -= matrix_c_ * defect_[i];
    }
}

}  // namespace bondgraph::simulation
