// Relations whose two sides are equal, or are so but for rounding: what they are going to be.

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/simulation/events.hpp"

namespace bondgraph::simulation {

std::vector<double> Events::differences_ahead(const View& view) const {
    constexpr double kAhead = 1e-9;  // of the run
    Point p = *view.point;
    p.time += kAhead * modes_.span();
    for (std::size_t i = 0; i < p.y.size(); ++i) p.y[i] += kAhead * modes_.span() * p.yp[i];
    std::vector<double> next;
    differences({view.model, view.evaluator, &p, false}, next);
    return next;
}

// What has jumped to exactly 0 and stays there is decided by whether the relation includes equality: a pulse that is 0
// is not above 0. Only of signals that are made of time and held values, and where `reinit:` has just given states:
// where else efforts, flows or states come to 0, as those of what sticks or strikes, which side they are on is for what
// follows to tell.
bool Events::rests_at_zero(const View& view, std::size_t k) const {
    if (view.impulsive) return false;
    if (!(reinitialized_ && !is_of_reacting(k)) && !(of_time_[k] && rounding_[k] == 0.0 && is_of_signals(k)))
        return false;
    return differences_ahead(view)[k] == 0.0;
}

bool Events::is_of_reacting(std::size_t relation) const {
    for (std::size_t u = 0; u < table_.updates.size(); ++u) {
        if (reacts_[u] && table_.updates[u].element == table_.relations[relation].element) return true;
    }
    return false;
}

bool Events::is_of_signals(std::size_t relation) const {
    const auto hold = first_.hold();
    const std::array roots{table_.relations[relation].difference};
    const model::BondGraph& g = first_.graph();
    const std::size_t power = 2 * g.bond_components;
    return std::ranges::all_of(compile::variables_in(*g.expressions, roots), [&](std::uint32_t v) {
        return v >= power &&
               g.elements[g.slot_variables[v - power].element.index()].type->structure == model::Structure::block;
    });
}

// Differences that are 0 but for rounding say nothing; what they are going to be does. Those that stay so are as they
// are.
bool Events::look_ahead(const Situation& s, const std::vector<double>& now, std::vector<bool>& foreseen) {
    const auto rounding = noise({s.mode->model, s.mode->evaluator.get(), &s.point, false}, now);
    const auto nothing = [&](const std::vector<double>& d, std::size_t k) { return std::abs(d[k]) <= rounding[k]; };
    std::size_t open = 0;
    while (open < now.size() && !nothing(now, open)) ++open;
    if (open == now.size()) return false;
    const std::vector<double> next = differences_ahead({s.mode->model, s.mode->evaluator.get(), &s.point, false});
    bool changed = false;
    for (std::size_t k = 0; k < now.size(); ++k) {
        if (!nothing(now, k) || foreseen[k] || !std::isfinite(next[k])) continue;
        foreseen[k] = true;
        if (next[k] != 0.0 && nothing(next, k)) continue;
        const bool value = next[k] < 0.0 || (next[k] == 0.0 && includes_zero(k));
        if (value == relations_[k].value) continue;
        relations_[k].value = value;
        held_[table_.relations[k].held] = value ? 1.0 : 0.0;
        changed = true;
    }
    take_steps(now);
    return changed;
}

bool Events::includes_zero(std::size_t k) const {
    const auto op = (*first_.graph().expressions)[table_.relations[k].node].op;
    return op == expression::Op::less_equal || op == expression::Op::greater_equal;
}

}  // namespace bondgraph::simulation
