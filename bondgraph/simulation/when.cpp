// What `when:` does as its conditions become true.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/given_energy.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

// Rates of the relations' differences: along the rates of the states, algebraic variables being kept.
std::vector<double> Events::slopes(const Situation& s) const {
    using J = expression::Jet<1>;
    const CompiledModel& m = *s.mode->model;
    const auto& tape = m.at_events.differences;
    auto work = tape.make_workspace<J>();
    std::vector<J> in(m.input_size());
    std::vector<J> out(tape.output_count());
    const auto plain = s.mode->evaluator->inputs(s.point.time, s.point.y, s.point.yp);
    std::copy(plain.begin(), plain.end(), in.begin());
    in[0].d[0] = 1.0;
    for (std::size_t i = 0; i < m.state_count; ++i) in[1 + i].d[0] = s.point.yp[i];
    tape.evaluate<J>(in, out, work);
    std::vector<double> rates;
    for (const J& d : out) rates.push_back(d.d[0]);
    return rates;
}

// New values of states may send a relation back to the side it has just come from: a ball that bounces never gets clear
// of the floor on the other one. It is on that side again from here on.
void Events::turn_back(Situation& s) {
    if (relations_.empty()) return;
    constexpr double kNear = 8.0;  ///< of rounding
    const View view{s.mode->model, s.mode->evaluator.get(), &s.point, false};
    std::vector<double> d;
    differences(view, d);
    const auto rounding = noise(view, d);
    const auto rates = slopes(s);
    for (std::size_t k = 0; k < d.size(); ++k) {
        const double eps = std::max(s.mode->blur(k), rounding[k]);
        const bool heading = rates[k] < 0.0;
        if (std::abs(d[k]) > kNear * eps || rates[k] == 0.0 || relations_[k].value == heading) continue;
        relations_[k] = {heading, false, d[k], relations_[k].unclear};
        held_[table_.relations[k].held] = heading ? 1.0 : 0.0;
    }
    take_steps(d);
    enter(*s.mode);
}

// States hold one value each: new values given at one instant must be those of one state of the model.
void Events::check_given(const Situation& s, const Point& before, const std::vector<NewValue>& given) const {
    constexpr double kSame = 1e-9;
    const CompiledModel& m = *s.mode->model;
    std::vector<compile::Expr> targets;
    for (const NewValue& g : given) targets.push_back(m.at_events.targets[g.action]);
    const expression::Tape tape = m.tape(targets);
    auto work = tape.make_workspace<double>();
    std::vector<double> then(targets.size());
    std::vector<double> now(targets.size());
    s.mode->evaluator->run(tape, work, before.time, before.y, before.yp, then);
    s.mode->evaluator->run(tape, work, s.point.time, s.point.y, s.point.yp, now);
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, m.state_count, true);
    const auto depends = tape.dependencies(wanted);
    for (std::size_t k = 0; k < given.size(); ++k) {
        const double size = std::max({std::abs(then[k]), std::abs(now[k]), std::abs(given[k].value)});
        if (std::abs(now[k] - given[k].value) <= kSame * size) continue;
        std::size_t other = k;  // what was given last for the same state
        for (std::size_t j = k + 1; j < given.size(); ++j) {
            if (depends[j] == depends[k]) other = j;
        }
        contradiction(m.graph(), s.point.time, given[k], given[other]);
    }
}

void Events::contradiction(const model::BondGraph& graph, double time, const NewValue& first, const NewValue& second) {
    const std::string line = graph.line_text(first.what->position, second.what->position);
    Failure f{.time = time, .position = second.what->position};
    if (first.what == second.what) {
        f.message = fmt::format("no state gives '{}' the value {:.6g}", first.what->name, first.value);
    } else if (first.what->name == second.what->name) {
        f.message = fmt::format("'{}' is given two values at once: {:.6g} in {} and {:.6g} here", first.what->name,
                                first.value, line, second.value);
    } else {
        f.message = fmt::format(
            "new values contradict each other: '{}' = {:.6g} in {} and '{}' = {:.6g} depend on the same state",
            first.what->name, first.value, line, second.what->name, second.value);
    }
    throw SimulationError(f);
}

// Conditions as they are without anything being done about it: what is true of the values a start comes to has been
// true from the start on. A sample that is due there is not: it is carried out.
void Events::look_at_conditions(const Situation& s) {
    if (conditions_.empty()) return;
    std::vector<double> held = held_;
    std::fill_n(held.begin() + static_cast<std::ptrdiff_t>(first_sample()), first_.graph().samples.size(), 0.0);
    s.mode->evaluator->set_held(held);
    std::vector<double> values(conditions_.size());
    s.mode->evaluator->run(s.mode->model->at_events.conditions, s.mode->condition_work, s.point.time, s.point.y,
                           s.point.yp, values);
    for (std::size_t k = 0; k < values.size(); ++k) conditions_[k] = values[k] != 0.0;
    enter(*s.mode);
}

std::vector<std::size_t> Events::true_from_start(const Situation& s) {
    look_at_conditions(s);
    EventOutcome outcome;
    for (std::size_t w = 0; w < conditions_.size(); ++w) {
        if (conditions_[w]) tell(w, s.point.time, outcome);
    }
    return std::move(outcome.warned);
}

/// What a model says of a condition that is true, at the start as well as when it becomes so.
void Events::tell(std::size_t when, double time, EventOutcome& outcome) const {
    const model::When& w = table_.whens[when];
    if (!w.failure.empty()) {
        throw SimulationError(
            Failure{.message = w.instance.empty() ? w.failure : fmt::format("'{}': {}", w.instance, w.failure),
                    .time = time,
                    .position = w.position,
                    .notes = {{"because", fmt::format("{} has become true", w.text)}}});
    }
    if (!w.warning.empty()) outcome.warned.push_back(when);
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
    const Point before = s.point;
    std::vector<NewValue> moved;
    std::map<std::size_t, NewValue> set;  // by discrete variable
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
                moved.push_back({&a, k, values[k]});
            } else if (const auto& node = (*first_.graph().expressions)[a.target.node()];
                       node.op == expression::Op::variable) {
                if (const auto d = first_.graph().discrete_of(compile::VariableId(std::size_t{node.a}))) {
                    const auto [other, fresh] = set.emplace(*d, NewValue{&a, k, values[k]});
                    if (!fresh && other->second.value != values[k])
                        contradiction(m.graph(), s.point.time, other->second, {&a, k, values[k]});
                    set_discrete(*d, values[k]);
                }
            }
        }
        if (!rising) continue;
        tell(w, s.point.time, outcome);
        if (when.actions.empty()) continue;
        fired = true;
        outcome.counted = outcome.changed = true;
        if (outcome.cause.empty()) {
            outcome.cause = fmt::format("when {}", when.text);
            outcome.position = when.position;
        }
    }
    if (!moved.empty()) {
        give_new_values(*s.mode, s.point, moved);
        check_given(s, before, moved);
        outcome.jumped = true;
        reinitialized_ = true;
        enter(*s.mode);
        solve_rates(*s.mode->evaluator, s.point);
        turn_back(s);
        solve_rates(*s.mode->evaluator, s.point);
        outcome.books += given_energy(*s.mode, before, s.point);
        base = impulses_.snapshot(*s.mode, s.point);
        here_ = instant(s);
    }
    return fired;
}

}  // namespace bondgraph::simulation
