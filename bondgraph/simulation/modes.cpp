#include "bondgraph/simulation/modes.hpp"

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/redundancy.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;

namespace {

// Σ |term| of a sum.
Expr size_of_terms(Expr e) {
    if (e.is_literal()) return 0.0;
    expression::Graph& graph = *e.graph();
    Expr size = 0.0;
    std::vector<std::uint32_t> stack{e.node()};
    while (!stack.empty()) {
        const expression::Node& node = graph[stack.back()];
        const std::uint32_t n = stack.back();
        stack.pop_back();
        if (node.op == expression::Op::add || node.op == expression::Op::subtract) {
            stack.push_back(node.a);
            stack.push_back(node.b);
        } else if (node.op == expression::Op::negate) {
            stack.push_back(node.a);
        } else {
            size += expression::abs(graph.at(n));
        }
    }
    return size;
}

// Whether a tape's results depend on what a step gives less exactly than the states: rates and algebraic variables.
bool needs_solving(const CompiledModel& m, const expression::Tape& tape) {
    std::vector<bool> inexact(tape.register_count(), false);
    const std::size_t first = 1 + m.state_count;
    for (std::size_t i = first; i <= 2 * m.size() && i < tape.input_count(); ++i) inexact[i] = true;
    for (const expression::Tape::Instruction& i : tape.instructions())
        inexact[i.target] = std::ranges::any_of(i.operands(), [&](std::uint32_t r) { return inexact[r]; });
    return std::ranges::any_of(tape.output_registers(), [&](std::uint32_t r) { return inexact[r]; });
}

// Whether a tape's results depend on one of its inputs.
bool reads(const expression::Tape& tape, std::uint32_t input) {
    const auto is_it = [&](std::uint32_t r) { return r == input; };
    return std::ranges::any_of(tape.output_registers(), is_it) ||
           std::ranges::any_of(tape.instructions(), [&](const expression::Tape::Instruction& i) {
               return std::ranges::any_of(i.operands(), is_it);
           });
}

}  // namespace

Modes::Modes(const CompiledModel& first, const Settings& settings, const std::vector<Signal>& signals)
    : model_(first), settings_(settings), signals_(signals) {
    auto mode = std::make_unique<Mode>();
    mode->compiled = std::shared_ptr<const CompiledModel>(std::shared_ptr<const CompiledModel>(), &first);
    mode->model = &first;
    mode->key = key_of(first.causal->modes);
    equip(*mode);
    first_ = mode.get();
    modes_.emplace(mode->key, std::move(mode));
}

std::vector<double> Modes::key_of(const std::vector<double>& discretes) const {
    std::vector<double> key;
    const auto& list = model_.graph().discretes;
    for (std::size_t d = 0; d < list.size() && d < discretes.size(); ++d) {
        if (list[d].structural) key.push_back(discretes[d]);
    }
    return key;
}

std::unique_ptr<Mode> Modes::make(const compile::SortedSystem& system,
                                  std::shared_ptr<const causality::CausalGraph> causal, std::vector<double> key) {
    struct Owner {
        std::shared_ptr<const causality::CausalGraph> causal;
        CompiledModel model;
    };
    auto mode = std::make_unique<Mode>();
    const auto owner = std::make_shared<const Owner>(Owner{causal, compile::compile(system)});
    mode->compiled = std::shared_ptr<const CompiledModel>(owner, &owner->model);
    mode->causal = std::move(causal);
    mode->model = mode->compiled.get();
    mode->key = std::move(key);
    equip(*mode);
    return mode;
}

void Modes::equip(Mode& mode) {
    const CompiledModel& m = *mode.model;
    mode.evaluator = std::make_unique<Evaluator>(m);
    mode.evaluator->interrupted = settings_.interrupted;
    mode.foresight = std::make_unique<Foresight>(m.timely, settings_.start, settings_.stop, settings_.tolerance);
    std::vector<Expr> outputs;
    for (const Signal& s : signals_) outputs.push_back(m.in_unknowns(s.value));
    mode.outputs = m.tape(outputs);
    mode.output_work = mode.outputs.make_workspace<double>();
    mode.rows_closely = needs_solving(m, mode.outputs);
    mode.audit = std::make_unique<EnergyAudit>(m, settings_.energy_by_element);
    mode.timely = reads(m.residual, m.layout.time);
    mode.powers_timely = mode.timely || reads(mode.audit->powers(), m.layout.time);
    if (m.reduced) {
        std::vector<Expr> values(m.values.begin(), m.values.end());
        values.resize(m.reduced->variable_count(), Expr(0.0));
        mode.reduced = m.tape(values);
        mode.reduced_work = mode.reduced.make_workspace<double>();
        mode.coefficient_tape = m.tape(m.in_unknowns(m.reduced->coefficients.entries));
        mode.coefficient_work = mode.coefficient_tape.make_workspace<double>();
        std::vector<Expr> residuals;
        for (const auto& redundant : m.choice->details.redundant) {
            const Expr residual = m.reduced->equations[redundant.equation].residual;
            residuals.push_back(m.in_unknowns(residual));
            residuals.push_back(m.in_unknowns(size_of_terms(residual)));
        }
        mode.removed = m.tape(residuals);
        mode.removed_work = mode.removed.make_workspace<double>();
    }
    if (m.events->empty() && !m.reduced) return;
    mode.variables = m.tape(std::span(m.values).first(m.graph().variable_count()));
    mode.variable_work = mode.variables.make_workspace<double>();
    mode.difference_work = m.at_events.differences.make_workspace<double>();
    mode.update_work = m.at_events.updates.make_workspace<double>();
    mode.condition_work = m.at_events.conditions.make_workspace<double>();
    mode.action_work = m.at_events.actions.make_workspace<double>();
    mode.closely = needs_solving(m, m.at_events.differences);
    std::vector<bool> unknown(m.input_size(), false);
    std::fill_n(unknown.begin() + 1, 2 * m.size(), true);
    for (const auto& needed : m.at_events.differences.dependencies(unknown))
        mode.watched.insert(mode.watched.end(), needed.begin(), needed.end());
    std::sort(mode.watched.begin(), mode.watched.end());
    mode.watched.erase(std::unique(mode.watched.begin(), mode.watched.end()), mode.watched.end());
    mode.relation_scale.assign(m.events->relations.size(), 0.0);
    mode.relation_rounding.assign(m.events->relations.size(), 0.0);
}

Mode& Modes::at(const std::vector<double>& discretes, const compile::FindPoint& find_point) {
    std::vector<double> key = key_of(discretes);
    if (const auto known = modes_.find(key); known != modes_.end()) return *known->second;
    auto causal =
        std::make_shared<const causality::CausalGraph>(causality::assign_causality(model_.graph(), discretes));
    const compile::SortedSystem system = compile::sort_equations(*causal, perturbed(), model_.events, find_point);
    auto mode = make(system, std::move(causal), key);
    return *modes_.emplace(std::move(key), std::move(mode)).first->second;
}

compile::ChoicePoint Modes::choice_point(Mode& mode, const Point& point) const {
    const std::span<const double> held = mode.evaluator->held();
    compile::ChoicePoint at{std::vector<double>(mode.reduced.output_count()),
                            mode.evaluator->segment.inside(point.time),
                            {held.begin(), held.end()}};
    mode.evaluator->run(mode.reduced, mode.reduced_work, point.time, point.y, point.yp, at.values);
    return at;
}

std::vector<double> Modes::coefficients(Mode& mode, const Point& point) {
    std::vector<double> varying(mode.coefficient_tape.output_count());
    mode.evaluator->run(mode.coefficient_tape, mode.coefficient_work, point.time, point.y, point.yp, varying);
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
    if (!mode.model->reduced || mode.removed.output_count() == 0) return std::nullopt;
    constexpr double kHeld = 1e-4;  ///< of the terms' size: well beyond what tolerances leave
    const std::size_t count = mode.removed.output_count() / 2;
    std::vector<double> values(2 * count);
    mode.evaluator->run(mode.removed, mode.removed_work, point.time, point.y, point.yp, values);
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
    auto general = make(compile::sort_by_reduction(*mode.model->causal, perturbed(), model_.events, find_point),
                        mode.causal, mode.key);
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
    auto chosen = make(system, mode.causal, mode.key);
    return *modes_.emplace(std::move(key), std::move(chosen)).first->second;
}

const CompiledModel& Modes::raw(std::span<const double> held) {
    const auto& discretes = model_.graph().discretes;
    std::vector<double> modes = model_.causal->modes;
    std::vector<double> key;
    for (std::size_t d = 0; d < discretes.size(); ++d) {
        if (!model_.graph().elements[discretes[d].element.index()].type->holds_positions) continue;
        modes[d] = held[2 * d];
        key.push_back(modes[d]);
    }
    std::unique_ptr<Raw>& raw = raw_[key];
    if (!raw) {
        auto made = std::make_unique<Raw>(Raw{*model_.causal, {}});
        made->causal.modes = std::move(modes);
        made->model = compile::compile_raw(made->causal, model_.events);
        raw = std::move(made);
    }
    return raw->model;
}

}  // namespace bondgraph::simulation
