#include "bondgraph/simulation/newton_convergence.hpp"

#include <algorithm>
#include <cmath>

namespace bondgraph::simulation {
namespace {

constexpr double kMostContraction = 0.9;
/// Error left to the first correction with a Jacobian of the same step.
constexpr double kWithFreshJacobian = 20.0;
/// Ages over which the contraction is carried on: a Jacobian made where a mechanism lets no force determine its motion
/// (a dead centre) may be a thousand times the one soon after, and corrections a thousandth of the errors.
constexpr double kFarther = 2.0;
/// Share of the tolerance below which corrections that don't get less are rounding: of an acceleration that is 0, say.
constexpr double kRoundingOfRates = 0.3;

}  // namespace

void NewtonConvergence::jacobian_made(double time) {
    made_at_ = time;
    contraction_ = -1.0;
}

NewtonConvergence::Verdict NewtonConvergence::judge(int iteration, double correction, double tolerance, double time,
                                                    double c) {
    const double age = std::abs(time - made_at_);
    if (c != c_) contraction_ = -1.0;
    c_ = c;
    double left = kWithFreshJacobian;
    if (iteration == 0) {
        first_ = correction;
        if (correction <= kNoCorrection * tolerance) return Verdict::done;
        const double expected = contraction_ * age;
        const bool known = contraction_ >= 0.0 && age <= kFarther * seen_at_age_;
        if (known && expected < kMostContraction) {
            left = expected / (1.0 - expected);
        } else if (age > 0.0) {
            return Verdict::next;
        }
    } else {
        const double contraction = std::pow(correction / first_, 1.0 / iteration);
        // Forces follow the square of what the first iteration corrects rates by, and may change most in the second.
        const bool may_follow = iteration == 1 && age == 0.0 && std::isfinite(contraction);
        if (!(contraction <= kMostContraction)) {
            if (may_follow) return Verdict::next;
            const bool rounding = age == 0.0 && std::max(first_, correction) <= kRoundingOfRates * tolerance;
            return rounding ? Verdict::done : Verdict::fails;
        }
        left = contraction / (1.0 - contraction);
        if (age > 0.0) {
            contraction_ = contraction / age;
            seen_at_age_ = age;
        }
    }
    return left * correction <= tolerance ? Verdict::done : Verdict::next;
}

}  // namespace bondgraph::simulation
