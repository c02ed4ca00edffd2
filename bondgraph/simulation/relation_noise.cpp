// What of a relation's difference, or of a discrete variable's new value, is only rounding.

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/events.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

namespace {

constexpr double kChange = 1e-6;  ///< of an unknown, to see what it is good for

/// Between minus and plus one, the same every time.
double share_of(std::size_t i, std::size_t turn) {
    return std::sin(1.0 + 2.39996 * static_cast<double>(i) + 1.7 * static_cast<double>(turn * (i + 1)));
}

double sign_of(std::size_t i, std::size_t turn = 0) { return share_of(i, turn) > 0.0 ? 1.0 : -1.0; }

/// What rounding makes of values, from what they become where all unknowns move by kChange.
std::vector<double> noise_of_change(const std::vector<double>& here, const std::vector<double>& there) {
    std::vector<double> result(here.size());
    for (std::size_t k = 0; k < here.size(); ++k) {
        const double size = std::abs(there[k] - here[k]) / kChange;
        result[k] = std::isfinite(size) ? kRelationNoise * size : 0.0;
    }
    return result;
}

}  // namespace

// All unknowns changed by a small share of the size each of them has had.
Point Events::moved_a_little(const View& view, std::size_t turn) const {
    Point moved = *view.point;
    for (std::size_t i = 0; i < moved.y.size(); ++i) {
        const double change = kChange * (turn == 0 ? sign_of(i) : share_of(i, turn));
        const double size = std::max(std::abs(moved.y[i]), impulses_.magnitude(view.model->unknowns[i].variable));
        moved.y[i] += change * size;
        moved.yp[i] *= 1.0 - change;
    }
    return moved;
}

// Which new values of discrete variables differ from those that this event has given them already by no more than what
// solving for the unknowns anew leaves of rounding.
std::vector<bool> Events::only_rounding(const View& view, const std::vector<double>& values) const {
    const Point moved = moved_a_little(view, 0);
    const auto& tape = view.model->at_events.updates;
    auto work = tape.make_workspace<double>();
    std::vector<double> there(values.size());
    view.evaluator->run(tape, work, moved.time, moved.y, moved.yp, there);
    const std::vector<double> noise = noise_of_change(values, there);
    std::vector<bool> result(values.size());
    for (std::size_t u = 0; u < values.size(); ++u) {
        const std::size_t d = table_.updates[u].discrete;
        result[u] = touched_[d] && std::abs(values[u] - held_[2 * d]) <= noise[u];
    }
    return result;
}

// How large a difference would be that is only rounding: found from what small changes of all unknowns do, measured by
// the size each of them has had. Two that are equal, as the speeds of what sticks together, must not change alike in
// all turns, or their difference would seem to be exact.
std::vector<double> Events::noise(const View& view, const std::vector<double>& d) const {
    constexpr std::size_t kTurns = 3;
    if (d.empty()) return {};
    std::vector<double> result(d.size(), 0.0);
    std::vector<double> there;
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        const Point moved = moved_a_little(view, turn);
        differences({view.model, view.evaluator, &moved, view.impulsive}, there);
        const std::vector<double> seen = noise_of_change(d, there);
        for (std::size_t k = 0; k < d.size(); ++k) result[k] = std::max(result[k], seen[k]);
    }
    if (!view.impulsive) add_solved_noise(view, d, result);
    return result;
}

// Unknowns that are zero but for rounding have no size of their own: what they are made of is larger. Where a
// difference is small enough to be that, the rounding of the residuals is taken through the equations: J⁻¹ times the
// bounds, with three choices of signs.
void Events::add_solved_noise(const View& view, const std::vector<double>& d, std::vector<double>& noise) const {
    constexpr double kSuspicious = 1e-9;  // of the largest number there is
    constexpr double kMagnified = 1e6;    // so that the change is seen beside the rounding of the differences
    constexpr double kSafety = 4.0;
    constexpr std::size_t kTurns = 3;
    const compile::CompiledModel& m = *view.model;
    const Point& p = *view.point;
    double largest = 0.0;
    for (const auto* list : {&p.y, &p.yp, &d}) {
        for (const double x : *list) largest = std::max(largest, std::isfinite(x) ? std::abs(x) : 0.0);
    }
    const auto suspicious = [&](std::size_t k) {
        return d[k] != 0.0 && std::abs(d[k]) > noise[k] && std::abs(d[k]) < kSuspicious * largest;
    };
    bool any = false;
    for (std::size_t k = 0; k < d.size(); ++k) any = any || suspicious(k);
    if (!any) return;
    const std::size_t n = m.size();
    std::vector<double> alpha(n, 1.0);
    std::vector<double> beta(n, 0.0);
    for (std::size_t i = 0; i < m.state_count; ++i) std::swap(alpha[i], beta[i]);
    std::vector<double> entries(m.pattern.columns.size());
    structure::SparseFactors factors(view.evaluator->findings().of<PatternOrder>().order);
    if (!view.evaluator->jacobian(p.time, p.y, p.yp, alpha, beta, entries) || !factors.factorize(entries)) return;
    const std::vector<double> bounds = m.residual.rounding(view.evaluator->inputs(p.time, p.y, p.yp));
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
        std::vector<double> change(n);
        for (std::size_t i = 0; i < n; ++i) change[i] = sign_of(i, turn + 1) * bounds[i];
        factors.solve(change);
        Point moved = p;
        for (std::size_t i = 0; i < n; ++i) (i < m.state_count ? moved.yp : moved.y)[i] += kMagnified * change[i];
        std::vector<double> there;
        differences({view.model, view.evaluator, &moved, false}, there);
        for (std::size_t k = 0; k < d.size(); ++k) {
            const double size = kSafety * std::abs(there[k] - d[k]) / kMagnified;
            if (std::isfinite(size) && suspicious(k)) noise[k] = std::max(noise[k], size);
        }
    }
}

}  // namespace bondgraph::simulation
