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
// cube of it.
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
        if (!look_inside(t)) break;
        ev_.run(quadrature_, quadrature_work_, t, inner_y_.span(), inner_yp_.span(), rate_);
        for (std::size_t k = 0; k < rate_.size(); ++k) part_[k] += 2.0 * half * weight * rate_[k];
        if (place == 0.0) {
            for (std::size_t k = 0; k < rate_.size(); ++k) straight_[k] = 2.0 * half * rate_[k];
        }
        if (!not_finite_at_ && !std::all_of(rate_.begin(), rate_.end(), [](double x) { return std::isfinite(x); }))
            not_finite_at_ = t;
    }
    double bend = 0.0;
    for (std::size_t k = 0; k < EnergyAudit::kMoved; ++k) bend = std::max(bend, std::abs(part_[k] - straight_[k]));
    const double moved = part_[EnergyAudit::kMoved];
    const double left = kSine * bend * std::pow(bend / moved, 2);
    if (left > kShare * settings_.tolerance * (integral_[EnergyAudit::kMoved] + moved)) return false;
    for (std::size_t k = 0; k < integral_.size(); ++k) integral_[k] += part_[k];
    return true;
}

bool Integrator::look_inside(double time) {
    if (IDAGetDky(ida_, time, 0, inner_y_.get()) != IDA_SUCCESS) return false;
    const bool rates = quadrature_needs_rates_ || !looped_.empty() || ev_.model().state_count < ev_.model().size();
    if (!rates) return true;
    if (IDAGetDky(ida_, time, 1, inner_yp_.get()) != IDA_SUCCESS) return false;
    if (!looped_.empty()) ev_.solve_loops(time, inner_y_.span(), inner_yp_.span());
    correct_inside(time);
    return true;
}

void Integrator::interpolate_for_powers(Point& p) {
    if (!look_inside(p.time)) return;
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
