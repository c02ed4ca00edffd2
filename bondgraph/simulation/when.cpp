// What `when:` does as its conditions become true.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

void Events::reinitialize(Situation& s, std::size_t action, double value) {
    const CompiledModel& m = *s.mode->model;
    const compile::Expr target = m.at_events.targets[action];
    const std::array outputs{target};
    const expression::Tape tape = m.tape(outputs);
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, m.size(), true);
    const auto depends = tape.dependencies(wanted)[0];
    const model::WhenAction* what = nullptr;
    std::size_t index = action;
    for (const model::When& w : table_.whens) {
        if (index < w.actions.size()) {
            what = &w.actions[index];
            break;
        }
        index -= w.actions.size();
    }
    if (depends.size() != 1 || depends[0] - 1 >= m.state_count) {
        throw SimulationError(Failure{
            .message = fmt::format("'{}' can't be given a new value: {}", what->name,
                                   depends.empty() ? "no state determines it"
                                                   : "more than one state determines it, give these new values"),
            .time = s.point.time,
            .position = what->position});
    }
    const std::size_t state = depends[0] - 1;
    using J = expression::Jet<1>;
    auto work = tape.make_workspace<J>();
    std::vector<J> in(m.input_size());
    std::array<J, 1> out;
    for (int iteration = 0; iteration < 50; ++iteration) {
        const auto plain = s.mode->evaluator->inputs(s.point.time, s.point.y, s.point.yp);
        std::copy(plain.begin(), plain.end(), in.begin());
        in[1 + state].d[0] = 1.0;
        tape.evaluate<J>(in, out, work);
        const double step = (value - out[0].v) / out[0].d[0];
        if (!std::isfinite(step)) break;
        s.point.y[state] += step;
        if (std::abs(step) <= 1e-15 * std::abs(s.point.y[state])) return;
    }
}

// Conditions that have become true, and what they do.
bool Events::fire(Situation& s, Snapshot& base, EventOutcome& outcome) {
    if (conditions_.empty()) return false;
    const CompiledModel& m = *s.mode->model;
    enter(*s.mode);
    std::vector<double> conditions(conditions_.size());
    s.mode->evaluator->run(m.at_events.conditions, s.mode->condition_work, s.point.time, s.point.y, s.point.yp,
                           conditions);
    std::vector<double> values(m.at_events.actions.output_count());
    s.mode->evaluator->run(m.at_events.actions, s.mode->action_work, s.point.time, s.point.y, s.point.yp, values);
    bool fired = false;
    bool moved = false;
    std::size_t action = 0;
    for (std::size_t w = 0; w < conditions.size(); ++w) {
        const bool now = conditions[w] != 0.0;
        const bool rising = now && !conditions_[w];
        conditions_[w] = now;
        const model::When& when = table_.whens[w];
        for (const model::WhenAction& a : when.actions) {
            const std::size_t k = action++;
            if (!rising) continue;
            if (!std::isfinite(values[k])) {
                throw SimulationError(Failure{.message = fmt::format("the new value of '{}' is not finite", a.name),
                                              .time = s.point.time,
                                              .position = a.position});
            }
            if (a.kind == model::WhenAction::Kind::reinit) {
                reinitialize(s, k, values[k]);
                moved = true;
            } else if (const auto& node = (*first_.graph().expressions)[a.target.node()];
                       node.op == expression::Op::variable) {
                if (const auto d = first_.graph().discrete_of(compile::VariableId(std::size_t{node.a})))
                    set_discrete(*d, values[k]);
            }
        }
        if (!rising) continue;
        fired = true;
        outcome.counted = outcome.changed = true;
        if (outcome.cause.empty()) {
            outcome.cause = fmt::format("when {}", when.text);
            outcome.position = when.position;
        }
    }
    if (moved) {
        enter(*s.mode);
        solve_rates(*s.mode->evaluator, s.point);
        base = impulses_.snapshot(*s.mode, s.point);
    }
    return fired;
}

}  // namespace bondgraph::simulation
