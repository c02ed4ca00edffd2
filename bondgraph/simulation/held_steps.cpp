// floor(), ceil() and sign() of states in updates and conditions: held numbers that change where their argument leaves
// them.

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/events.hpp"

namespace bondgraph::simulation {

using expression::Op;

void Events::find_steps() {
    for (std::size_t k = 0; k + 1 < table_.relations.size(); ++k) {
        const std::uint32_t node = table_.relations[k].node;
        const Op op = (*first_.graph().expressions)[node].op;
        if (op != Op::floor && op != Op::ceil && op != Op::sign) continue;
        steps_.push_back({table_.held_of.at(node), op, k, k + 1});
        ++k;
    }
}

// Differences are those with the values as they are. A relation says that a value is left also where rounding makes the
// argument lie beside what it was found at: the value is the next one then.
bool Events::take_steps(std::span<const double> differences) {
    bool changed = false;
    for (const Step& step : steps_) {
        const bool below = relations_[step.below].value;
        const bool above = relations_[step.above].value;
        double& value = held_[step.held];
        const double before = value;
        if (step.op == Op::sign) {
            value = (above ? 1.0 : 0.0) - (below ? 1.0 : 0.0);
        } else if ((below || above) && std::isfinite(differences[step.below])) {
            const bool floor = step.op == Op::floor;
            const double argument = differences[step.below] + (floor ? value : value - 1.0);
            const double now = floor ? std::floor(argument) : std::ceil(argument);
            value = below ? std::min(now, value - 1.0) : std::max(now, value + 1.0);
            for (const std::size_t k : {step.below, step.above}) {
                relations_[k] = {};
                held_[table_.relations[k].held] = 0.0;
            }
        }
        changed = changed || value != before;
    }
    return changed;
}

// At the start a value is what its argument makes it, where that is a whole number as well.
bool Events::take_steps_at_start(std::span<const double> differences) {
    bool changed = false;
    for (const Step& step : steps_) {
        if (step.op == Op::sign || !std::isfinite(differences[step.below])) continue;
        double& value = held_[step.held];
        const bool floor = step.op == Op::floor;
        const double argument = differences[step.below] + (floor ? value : value - 1.0);
        const double now = floor ? std::floor(argument) : std::ceil(argument);
        changed = changed || now != value;
        value = now;
        for (const std::size_t k : {step.below, step.above}) {
            relations_[k] = {};
            held_[table_.relations[k].held] = 0.0;
        }
    }
    return take_steps(differences) || changed;
}

}  // namespace bondgraph::simulation
