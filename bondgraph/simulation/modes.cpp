#include "bondgraph/simulation/modes.hpp"

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/redundancy.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;

Modes::Modes(const CompiledModel& first, const Settings& settings, const std::vector<Signal>& signals)
    : model_(first),
      settings_(settings),
      signals_(signals),
      shared_(settings.shared && settings.shared->first().compiled.get() == &first
                  ? settings.shared
                  : std::make_shared<SharedModes>(first)) {
    auto mode = equipped(shared_->first(), key_of(first.causal->modes));
    first_ = mode.get();
    modes_.emplace(mode->key, std::move(mode));
}

void Modes::follow(Delays& delays) {
    delays_ = &delays;
    for (auto& [key, mode] : modes_) mode->evaluator->delays = delays_;
}

std::vector<double> Modes::key_of(const std::vector<double>& discretes) const {
    std::vector<double> key;
    const auto& list = model_.graph().discretes;
    for (std::size_t d = 0; d < list.size() && d < discretes.size(); ++d) {
        if (list[d].structural) key.push_back(discretes[d]);
    }
    return key;
}

CompiledMode Modes::compiled(const compile::SortedSystem& system,
                             std::shared_ptr<const causality::CausalGraph> causal) {
    struct Owner {
        std::shared_ptr<const causality::CausalGraph> causal;
        CompiledModel model;
    };
    CompiledMode made;
    const auto owner = std::make_shared<const Owner>(Owner{causal, compile::compile(system)});
    made.compiled = std::shared_ptr<const CompiledModel>(owner, &owner->model);
    made.causal = std::move(causal);
    made.findings = std::make_shared<const Findings>(*made.compiled);
    return made;
}

std::unique_ptr<Mode> Modes::equipped(const CompiledMode& compiled, std::vector<double> key) {
    auto mode = std::make_unique<Mode>();
    mode->compiled = compiled.compiled;
    mode->causal = compiled.causal;
    mode->model = compiled.compiled.get();
    mode->key = std::move(key);
    const CompiledModel& m = *mode->model;
    mode->evaluator = std::make_unique<Evaluator>(compiled.findings);
    mode->evaluator->interrupted = settings_.interrupted;
    mode->evaluator->delays = delays_;
    mode->foresight = std::make_unique<Foresight>(m.timely, settings_.start, settings_.stop, settings_.tolerance,
                                                  settings_.interrupted);
    mode->outputs = compiled.findings->of<OutputTapes>().of(signals_);
    mode->output_work = mode->outputs->tape.make_workspace<double>();
    mode->tapes = &compiled.findings->of<ModeTapes>();
    mode->powers_timely = mode->tapes->timely;
    if (settings_.energy) {
        mode->audit = settings_.energy_by_element
                          ? static_cast<const EnergyAudit*>(&compiled.findings->of<EnergyByElement>())
                          : &compiled.findings->of<EnergyInAll>();
        mode->powers_timely = mode->powers_timely || reads(mode->audit->powers(), m.layout.time);
    }
    mode->reduced_work = mode->tapes->reduced.make_workspace<double>();
    mode->coefficient_work = mode->tapes->coefficients.make_workspace<double>();
    mode->removed_work = mode->tapes->removed.make_workspace<double>();
    if (m.events->empty() && !m.reduced) return mode;
    mode->variable_work = mode->tapes->variables.make_workspace<double>();
    mode->difference_work = m.at_events.differences.make_workspace<double>();
    mode->update_work = m.at_events.updates.make_workspace<double>();
    mode->condition_work = m.at_events.conditions.make_workspace<double>();
    mode->action_work = m.at_events.actions.make_workspace<double>();
    mode->relation_scale.assign(m.events->relations.size(), 0.0);
    mode->relation_rounding.assign(m.events->relations.size(), 0.0);
    return mode;
}

Mode& Modes::at(const std::vector<double>& discretes, const compile::FindPoint& find_point) {
    std::vector<double> key = key_of(discretes);
    if (const auto known = modes_.find(key); known != modes_.end()) return *known->second;
    CompiledMode compiled = shared_->find(key);
    if (!compiled) {
        auto causal =
            std::make_shared<const causality::CausalGraph>(causality::assign_causality(model_.graph(), discretes));
        const compile::SortedSystem system = compile::sort_equations(*causal, perturbed(), model_.events, find_point);
        compiled = Modes::compiled(system, std::move(causal));
        if (!compiled.compiled->reduced) shared_->keep(key, compiled);
    }
    auto mode = equipped(compiled, key);
    return *modes_.emplace(std::move(key), std::move(mode)).first->second;
}

compile::ChoicePoint Modes::choice_point(Mode& mode, const Point& point) const {
    const std::span<const double> held = mode.evaluator->held();
    compile::ChoicePoint at{std::vector<double>(mode.tapes->reduced.output_count()),
                            mode.evaluator->segment.inside(point.time),
                            {held.begin(), held.end()}};
    mode.evaluator->run(mode.tapes->reduced, mode.reduced_work, point.time, point.y, point.yp, at.values);
    return at;
}

std::vector<double> Modes::coefficients(Mode& mode, const Point& point) {
    std::vector<double> varying(mode.tapes->coefficients.output_count());
    mode.evaluator->run(mode.tapes->coefficients, mode.coefficient_work, point.time, point.y, point.yp, varying);
    return compile::coefficients_of(*mode.model->reduced, varying);
}

Point Modes::with_all_rates(Mode& mode, const Point& point) const {
    const CompiledModel& m = *mode.model;
    if (!m.reduced || m.state_count == m.size()) return point;
    Point result = point;
    const compile::ChoicePoint at = choice_point(mode, point);
    for (std::size_t i = m.state_count; i < m.size(); ++i) {
        const std::uint32_t rate = m.reduced->derivative_of[m.unknowns[i].variable.index()];
        if (rate != kNone && std::isfinite(at.values[rate])) result.yp[i] = at.values[rate];
    }
    return result;
}

structure::ExchangeGain& Modes::exchange(Mode& mode) {
    if (!mode.exchange) mode.exchange.emplace(compile::exchange_gain(*mode.model->reduced, *mode.model->choice));
    return *mode.exchange;
}

bool Modes::bends_as(const Mode& mode, const compile::ChoicePoint& at) {
    constexpr double kBent = 0.01;  // rad: closed forms are good where rods bend by ten times that
    const CompiledModel& m = *mode.model;
    std::vector<Expr> forms;
    std::vector<double> there;
    std::vector<double> within;
    for (const compile::ClosedForm& f : m.closed_forms) {
        if (!f.turn && f.within == 0.0) continue;
        forms.push_back(f.value);
        there.push_back(at.values[f.variable.index()]);
        within.push_back(f.turn ? kBent : f.within);
    }
    if (forms.empty()) return true;
    const compile::PointValues tape(*m.graph().expressions, m.reduced->variable_count(), m.inputs.size(),
                                    m.held_count(), forms);
    const std::vector<double> found = tape.values(at.values, at.time, at.held);
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (!(std::abs(found[k] - there[k]) <= within[k])) return false;
    }
    return true;
}

bool Modes::badly_chosen(Mode& mode, const compile::ChoicePoint& at) {
    return mode.model->reduced && badly_chosen(
                                      mode, [&] { return at; }, compile::coefficients_at(*mode.model->reduced, at));
}

bool Modes::badly_chosen(Mode& mode, const std::function<compile::ChoicePoint()>& at,
                         std::vector<double> coefficients) {
    const CompiledModel& m = *mode.model;
    mode.coefficients = std::move(coefficients);
    const double gain = exchange(mode).at(mode.coefficients);
    mode.reserve = structure::kExchanged / std::max(gain, 1.0);
    if (gain <= structure::kExchanged) mode.gain_kept = 0.0;
    if (gain <= std::max(structure::kExchanged, mode.gain_kept)) return false;
    // Magnitudes are those of the point where the choice was made: here they may be others, and the choice a good one.
    mode.gain = gain;
    if (compile::choice_gain(*m.reduced, *m.choice, at()) > structure::kExchanged) return true;
    mode.gain_kept = 2.0 * gain;
    return false;
}

bool Modes::moved(const Mode& mode, std::span<const double> now) {
    constexpr double kShare = 0.05;  // of a row's largest coefficient, where the choice is about to get bad
    const compile::Coefficients& c = mode.model->reduced->coefficients;
    if (mode.coefficients.empty()) return true;
    const double share = kShare * std::max(mode.reserve, 1.0);
    for (std::size_t r = 0; r < c.pattern.rows(); ++r) {
        double largest = 0.0;
        double way = 0.0;
        for (std::size_t k = c.pattern.starts[r]; k < c.pattern.starts[r + 1]; ++k) {
            largest = std::max(largest, c.size[k] * std::abs(mode.coefficients[k]));
            const double apart = c.size[k] * std::abs(now[k] - mode.coefficients[k]);
            if (!(apart <= way)) way = apart;
        }
        if (!(way <= share * largest)) return true;
    }
    return false;
}

std::optional<std::size_t> Modes::violated(Mode& mode, const Point& point) {
    if (!mode.model->reduced || mode.tapes->removed.output_count() == 0) return std::nullopt;
    constexpr double kHeld = 1e-4;  ///< of the terms' size: well beyond what tolerances leave
    const std::size_t count = mode.tapes->removed.output_count() / 2;
    std::vector<double> values(2 * count);
    mode.evaluator->run(mode.tapes->removed, mode.removed_work, point.time, point.y, point.yp, values);
    mode.removed_size.resize(count, 0.0);
    const auto find = [&]() -> std::optional<std::size_t> {
        for (std::size_t k = 0; k < count; ++k) {
            const double size = std::max(values[2 * k + 1], mode.removed_size[k]);
            if (std::abs(values[2 * k]) > kHeld * size && size > 1e-12) return k;
        }
        return std::nullopt;
    };
    if (!find()) return std::nullopt;
    const auto hold = mode.model->hold();
    const CompiledModel& m = *mode.model;
    const std::vector<double> most = compile::contributions(*m.reduced, m.choice->details, choice_point(mode, point));
    for (std::size_t k = 0; k < count; ++k) mode.removed_size[k] = std::max(mode.removed_size[k], most[k]);
    return find();
}

Mode& Modes::reduced(Mode& mode, const compile::FindPoint& find_point) {
    std::vector<double> key = mode.key;
    key.push_back(-2.0);  // no structural value follows
    if (const auto known = modes_.find(key); known != modes_.end()) return *known->second;
    auto general = equipped(
        compiled(compile::sort_by_reduction(*mode.model->causal, perturbed(), model_.events, find_point), mode.causal),
        mode.key);
    return *modes_.emplace(std::move(key), std::move(general)).first->second;
}

Mode& Modes::rechoose(Mode& mode, compile::ChoicePoint at) {
    const CompiledModel& m = *mode.model;
    auto choice = std::make_shared<const compile::StateChoice>(
        compile::choose_states(*m.reduced, at, m.choice->details.redundant.size()));
    const auto left_out = [](const compile::StateChoice& c) {
        std::vector<std::uint32_t> equations;
        for (const auto& redundant : c.details.redundant) equations.push_back(redundant.equation);
        std::ranges::sort(equations);
        return equations;
    };
    const std::vector<std::uint32_t> redundant = left_out(*choice);
    if (choice->states == m.choice->states && redundant == left_out(*m.choice) && bends_as(mode, at)) {
        mode.gain_kept = 2.0 * mode.gain;
        return mode;
    }
    std::vector<double> key = mode.key;
    key.push_back(-1.0);  // no structural value follows: states
    for (const compile::VariableId v : choice->states) key.push_back(static_cast<double>(v.value));
    key.push_back(-3.0);
    for (const std::uint32_t equation : redundant) key.push_back(static_cast<double>(equation));
    for (auto known = modes_.find(key); known != modes_.end(); known = modes_.find(key)) {
        if (bends_as(*known->second, at)) return *known->second;
        key.push_back(-4.0);  // the same states, bent another way
    }
    compile::SortedSystem system = compile::sort_equations(*m.reduced, *choice, at);
    system.reduced = m.reduced;
    system.choice = choice;
    system.chosen_at = std::make_shared<const compile::ChoicePoint>(std::move(at));
    auto chosen = equipped(compiled(system, mode.causal), mode.key);
    return *modes_.emplace(std::move(key), std::move(chosen)).first->second;
}

CompiledMode Modes::raw(std::span<const double> held) {
    const auto& discretes = model_.graph().discretes;
    std::vector<double> modes = model_.causal->modes;
    std::vector<double> key;
    for (std::size_t d = 0; d < discretes.size(); ++d) {
        if (!model_.graph().elements[discretes[d].element.index()].type->holds_positions) continue;
        modes[d] = held[2 * d];
        key.push_back(modes[d]);
    }
    CompiledMode raw = shared_->find_raw(key);
    if (raw) return raw;
    struct Owner {
        causality::CausalGraph causal;
        CompiledModel model;
    };
    const auto owner = std::make_shared<Owner>(Owner{*model_.causal, {}});
    owner->causal.modes = std::move(modes);
    owner->model = compile::compile_raw(owner->causal, model_.events);
    raw.compiled = std::shared_ptr<const CompiledModel>(owner, &owner->model);
    raw.findings = std::make_shared<const Findings>(owner->model);
    shared_->keep_raw(key, raw);
    return raw;
}

}  // namespace bondgraph::simulation
