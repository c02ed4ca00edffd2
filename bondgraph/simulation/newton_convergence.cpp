#include "bondgraph/simulation/newton_convergence.hpp"

#include <cmath>

namespace bondgraph::simulation {
namespace {

constexpr double kMostContraction = 0.9;
/// Error left to last correction, where the contraction isn't known, and share of the tolerance that needs no more.
constexpr double kUnknownContraction = 20.0;
constexpr double kNoCorrection = 1e-4;

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
    double left = kUnknownContraction;
    if (iteration == 0) {
        first_ = correction;
        if (correction <= kNoCorrection * tolerance) return Verdict::done;
        const double expected = contraction_ * age;
        if (contraction_ >= 0.0 && expected < kMostContraction) left = expected / (1.0 - expected);
    } else {
        const double contraction = std::pow(correction / first_, 1.0 / iteration);
        if (!(contraction <= kMostContraction)) return Verdict::fails;
        left = contraction / (1.0 - contraction);
        if (age > 0.0) contraction_ = contraction / age;
    }
    return left * correction <= tolerance ? Verdict::done : Verdict::next;
}

}  // namespace bondgraph::simulation
