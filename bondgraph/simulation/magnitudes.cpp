#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "bondgraph/expression/execute.hpp"
#include "bondgraph/model/law_context.hpp"
#include "bondgraph/simulation/loop_coordinates.hpp"
#include "bondgraph/simulation/newton_matrix.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;
using J = expression::Jet<4>;  // of which two directions are used

namespace {

// What shows how large efforts and flows are in each domain: sources and storages.
struct Probe {
    Expr value;  ///< an effort or flow
    bool effort = false;
    model::DomainIndex domain = model::kGeneric;
    std::uint32_t unknown = Id<void>::kNone;  ///< the state behind a storage's co-variable
};

/// Magnitudes below this are what exponential decay through a large model leaves: zero for all purposes.
constexpr double kNothing = 1e-200;
constexpr double kFloorShare = 1e-4;

std::vector<Probe> list_probes(const CompiledModel& m) {
    std::vector<std::uint32_t> unknown_of(m.graph().variable_count(), Id<void>::kNone);
    for (std::uint32_t i = 0; i < m.state_count; ++i) {
        if (m.unknowns[i].variable.index() < unknown_of.size()) unknown_of[m.unknowns[i].variable.index()] = i;
    }
    std::vector<Probe> result;
    const auto& g = m.graph();
    for (const model::Element& e : g.elements) {
        if (!e.type->is_source() && !e.type->is_storage()) continue;
        std::size_t number = 0;
        for (const model::Port& p : e.ports) {
            for (std::uint32_t k = 0; k < p.size; ++k, ++number) {
                const Expr effort = m.values[p.first_effort + 2 * k];
                const Expr flow = m.values[p.first_effort + 2 * k + 1];
                if (e.type->is_source()) {
                    result.push_back({effort, true, p.domain, Id<void>::kNone});
                    result.push_back({flow, false, p.domain, Id<void>::kNone});
                    continue;
                }
                std::uint32_t variable = Id<void>::kNone;
                std::size_t before = 0;
                bool momentum = false;
                for (const auto& slot : e.slots) {
                    if (number < before + slot.size) {
                        variable = g.slot_variable(slot.first + static_cast<std::uint32_t>(number - before)).value;
                        momentum = slot.name.front() == 'p';
                        break;
                    }
                    before += slot.size;
                }
                if (variable == Id<void>::kNone) continue;
                // The rate of a coordinate is its flow itself.
                momentum = momentum || e.type->free_rates;
                result.push_back({momentum ? flow : effort, !momentum, p.domain, unknown_of[variable]});
            }
        }
    }
    return result;
}

std::vector<Expr> values_of(const std::vector<Probe>& list) {
    std::vector<Expr> values;
    for (const Probe& p : list) values.push_back(p.value);
    return values;
}

/// Compiling their tape takes longer than all that is done with it.
struct Probes {
    explicit Probes(const CompiledModel& m) : list(list_probes(m)), tape(m.tape(values_of(list))) {}
    std::vector<Probe> list;
    expression::Tape tape;
};

// Efforts and flows of which a storage's own are a share: at the point, and where a step leads. There the laws and
// their linear parts say what is possible, whichever says less: a diode's law makes of a step of its voltage what is
// beyond all bounds, the linear part of a pendulum's of a step of its angle more than its weight.
void set_floors(Evaluator& ev, const Point& at, std::span<const double> step, Magnitudes& result) {
    const CompiledModel& m = ev.model();
    const auto& [list, tape] = ev.findings().of<Probes>();
    if (list.empty()) return;
    auto work = tape.make_workspace<J>();
    const auto plain = ev.inputs(at.time, at.y, at.yp);
    std::vector<J> in(plain.begin(), plain.end());
    // Each co-variable depends on its own state mostly: one direction for all gives its slope.
    for (std::size_t i = 0; i < m.state_count; ++i) in[1 + i].d[0] = 1.0;
    for (std::size_t i = 0; i < step.size(); ++i) in[1 + i].d[1] = step[i];
    std::vector<J> out(list.size());
    tape.evaluate<J>(in, out, work);
    for (std::size_t i = 0; i < step.size(); ++i) in[1 + i].v += step[i];
    std::vector<J> there(list.size());
    tape.evaluate<J>(in, there, work);
    const auto size = [&](std::size_t k) {
        const double linear = std::abs(out[k].v + out[k].d[1]);
        return std::isfinite(there[k].v) ? std::min(linear, std::abs(there[k].v)) : linear;
    };
    std::vector<double> largest(2 * model::domains().size(), 0.0);
    const auto place = [](const Probe& p) { return 2 * std::size_t{p.domain} + (p.effort ? 0 : 1); };
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (std::isfinite(size(k))) largest[place(list[k])] = std::max(largest[place(list[k])], size(k));
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
        double slope = std::abs(out[k].d[0]);
        if (std::isfinite(there[k].d[0])) slope = std::max(slope, std::abs(there[k].d[0]));
        if (list[k].unknown == Id<void>::kNone || !(slope > 0.0) || !std::isfinite(slope)) continue;
        double& floor = result.floor[list[k].unknown];
        floor = std::max(floor, kFloorShare * largest[place(list[k])] / slope);
    }
}

struct IsMechanism {
    explicit IsMechanism(const CompiledModel& m)
        : is(std::ranges::any_of(m.graph().elements, [](const model::Element& e) { return e.type->free_rates; })) {}
    bool is;
};
bool is_mechanism(const Evaluator& ev) { return ev.findings().of<IsMechanism>().is; }

/// Signs and sizes of errors without a pattern, by number; the two of them never vanish together.
struct Scattered {
    static constexpr std::array kPhases{1.0, 2.5};

    explicit Scattered(const Findings& findings) {
        const CompiledModel& m = findings.model();
        const bool by_operation = findings.of<IsMechanism>().is;
        const std::size_t count =
            by_operation ? std::max(m.size(), 2 * m.state_count + m.residual.instructions().size()) : m.size();
        for (std::size_t p = 0; p < kPhases.size(); ++p) {
            by_number[p].reserve(count);
            for (std::size_t number = 0; number < count; ++number)
                by_number[p].push_back(std::sin(kPhases[p] + 2.39996 * static_cast<double>(number)));
        }
    }
    std::array<std::vector<double>, kPhases.size()> by_number;
};

// What patterns of rounding errors make of F, in units of the relative error of an operation: errors of states, of
// the rates that are their differences over h, and of all that is computed from them. Each is carried on with its sign:
// what a stiff spring makes of an error in the place of its end acts along that spring, which answers it by as little
// deflection.
struct Pattern {
    double h = 0.0;
    std::size_t phase = 0;  ///< of Scattered
};
template <std::size_t N>
std::array<std::vector<double>, N> roundings(const Evaluator& ev, std::span<const double> inputs,
                                             const std::array<Pattern, N>& patterns) {
    const CompiledModel& m = ev.model();
    const auto& by_number = ev.findings().of<Scattered>().by_number;
    using Errors = std::array<double, N>;
    const expression::Tape& tape = m.residual;
    std::vector<double> values = tape.make_workspace<double>();
    std::copy(inputs.begin(), inputs.end(), values.begin());
    std::vector<Errors> errors(tape.register_count(), Errors{});
    std::size_t number = 0;
    const auto scatter = [&] {
        Errors result{};
        for (std::size_t p = 0; p < N; ++p) result[p] = by_number[patterns[p].phase][number];
        ++number;
        return result;
    };
    for (std::size_t i = 0; i < m.state_count; ++i) {
        const Errors of_state = scatter();
        const Errors of_rate = scatter();
        for (std::size_t p = 0; p < N; ++p) {
            errors[1 + i][p] = inputs[1 + i] * of_state[p];
            errors[1 + m.size() + i][p] = inputs[1 + i] / patterns[p].h * of_rate[p];
        }
    }
    for (const expression::Tape::Instruction& instruction : tape.instructions()) {
        const expression::Sloped result = expression::execute_sloped(instruction, values.data(), tape.tables());
        Errors error = scatter();
        for (double& e : error) e *= result.value;
        const auto operands = instruction.operands();
        for (std::size_t k = 0; k < operands.size(); ++k) {
            for (std::size_t p = 0; p < N; ++p) {
                if (errors[operands[k]][p] != 0.0) error[p] += result.slopes[k] * errors[operands[k]][p];
            }
        }
        values[instruction.target] = result.value;
        errors[instruction.target] = error;
    }
    std::array<std::vector<double>, N> result;
    for (const std::uint32_t output : tape.output_registers()) {
        for (std::size_t p = 0; p < N; ++p) result[p].push_back(errors[output][p]);
    }
    return result;
}

/// The Jacobian after a step of time, with its factors: a band where it is full as that of a chain of bodies. Factors
/// of a step are kept, and serve again where the matrix has not changed: that of linear equations doesn't with time.
class Linearized {
   public:
    explicit Linearized(Evaluator& ev) : ev_(ev), entries_(ev.model().pattern.columns.size()) {
        if (NewtonMatrix::form_for(ev.model(), 1) == NewtonMatrix::Form::cut) cut_.emplace(ev, NewtonMatrix::Form::cut);
    }

    /// At `y` at rest, rates being changes over h; false where it is not finite or singular.
    bool at(double time, std::span<const double> y, double h) {
        const std::vector<double> rest(ev_.size(), 0.0);
        listed_ = false;
        if (cut_) {
            time_ = time;
            y_.assign(y.begin(), y.end());
            h_ = h;
            return cut_->evaluate(time, y, rest, 1.0 / h) && cut_->factorize();
        }
        if (!ev_.jacobian(time, y, rest, 1.0, 1.0 / h, entries_)) return false;
        const auto [at, fresh] = by_step_.try_emplace(h);
        now_ = &at->second;
        if (!fresh && now_->regular && now_->entries == entries_) return true;
        if (fresh) now_->lu = std::make_unique<structure::SparseFactors>(ev_.findings().of<PatternOrder>().order);
        now_->entries = entries_;
        return now_->regular = now_->lu->factorize(entries_);
    }
    [[nodiscard]] std::vector<double> moved_by(std::vector<double> right) {
        if (cut_)
            cut_->solve(right);
        else
            now_->lu->solve(right);
        return right;
    }
    /// In the order of the model's pattern.
    [[nodiscard]] std::span<const double> entries() {
        if (cut_ && !listed_)
            listed_ = ev_.jacobian(time_, y_, std::vector<double>(ev_.size(), 0.0), 1.0, 1.0 / h_, entries_);
        return entries_;
    }

   private:
    struct Factored {
        std::vector<double> entries;
        std::unique_ptr<structure::SparseFactors> lu;
        bool regular = false;
    };

    Evaluator& ev_;
    std::map<double, Factored> by_step_;
    Factored* now_ = nullptr;
    std::optional<NewtonMatrix> cut_;
    std::vector<double> entries_;
    double time_ = 0.0;
    std::vector<double> y_;
    double h_ = 0.0;
    bool listed_ = false;  ///< whether the entries are those of the point, where the factors need none
};

// A coordinate of a mechanism at rest changes by what rounding leaves of the forces that balance: its magnitude, and
// that of its rate, is at least a millionth of what one of these forces alone could make of it.
void floor_states_by_rounding(Evaluator& ev, Linearized& linear, const Point& point, double time, Magnitudes& result) {
    constexpr double kShare = 1e-6;
    const CompiledModel& m = ev.model();
    const std::vector<double> rest(m.size(), 0.0);
    const auto inputs = ev.inputs(time, point.y, rest);
    auto bounds = m.residual.rounding(inputs);
    const std::vector<double>& scattered = ev.findings().of<Scattered>().by_number[0];
    for (std::size_t r = 0; r < bounds.size(); ++r) bounds[r] *= scattered[r] / std::numeric_limits<double>::epsilon();
    // The bound forgets the directions of stiff springs, the pattern how often a value is rounded: the lesser counts.
    const std::vector<double> by_terms = linear.moved_by(roundings<1>(ev, inputs, {{{time - point.time, 0}}})[0]);
    const std::vector<double> by_bounds = linear.moved_by(std::move(bounds));
    for (std::size_t i = 0; i < m.state_count; ++i) {
        const double size = kShare * std::min(std::abs(by_terms[i]), std::abs(by_bounds[i]));
        if (std::isfinite(size)) result.at_rest[i] = std::max(result.at_rest[i], size);
    }
}

// An algebraic unknown that is 0 but for the rounding of large terms (an acceleration that others cancel) can't be
// found to a share of itself: its magnitude is at least a millionth of what those terms could make of it.
void floor_by_rounding(const Evaluator& ev, Linearized& linear, const Point& point, Magnitudes& result) {
    const CompiledModel& m = ev.model();
    if (m.state_count == m.size()) return;
    const std::vector<double>& scattered = ev.findings().of<Scattered>().by_number[0];
    constexpr double kShare = 1e-6;
    std::vector<double> terms(m.size(), 0.0);
    const std::span<const double> entries = linear.entries();
    std::size_t entry = 0;
    for (std::size_t r = 0; r < m.size(); ++r) {
        for (const std::uint32_t c : m.pattern.row(r)) {
            const double size = std::max(std::abs(point.y[c]), result.expected[c]);
            terms[r] = std::max(terms[r], std::abs(entries[entry++]) * size);
        }
        terms[r] *= scattered[r];
    }
    const std::vector<double> moved = linear.moved_by(std::move(terms));
    for (std::size_t i = m.state_count; i < m.size(); ++i) {
        const double size = kShare * std::abs(moved[i]);
        if (std::isfinite(size)) result.at_rest[i] = std::max(result.at_rest[i], size);
    }
}

// What F's errors move the unknowns by, where that is finite and more than before.
void grow_to(std::vector<double>& sizes, const std::vector<double>& moved) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (std::isfinite(moved[i])) sizes[i] = std::max(sizes[i], std::abs(moved[i]));
    }
}

/// Shares of the horizon: a short time says what is expected; a long one what efforts and flows are about.
constexpr std::array kShares{1e-4, 1e-1};

std::vector<double> rounding_of_unknowns(Evaluator& ev, Linearized& linear, const Point& point, double horizon) {
    const std::size_t n = ev.size();
    const CompiledModel& m = ev.model();
    std::vector<double> result(n, 0.0);
    if (n == 0) return result;
    // Accelerations may be far above what they leave of others that cancel.
    std::vector<double> rates(n, 0.0);
    if (point.yp.size() == n && std::ranges::all_of(point.yp, [](double x) { return std::isfinite(x); }))
        rates = point.yp;
    const auto inputs = ev.inputs(point.time, point.y, rates);
    const std::vector<double> bounds = m.residual.rounding(inputs);
    const auto& scattered = ev.findings().of<Scattered>().by_number;
    constexpr std::size_t kPhases = Scattered::kPhases.size();
    std::array<std::vector<double>, kPhases * kShares.size()> patterns;
    const bool mechanism = is_mechanism(ev);
    const std::vector<bool> judged = judged_unknowns(m);
    if (mechanism) {
        std::array<Pattern, kPhases * kShares.size()> list;
        for (std::size_t k = 0; k < list.size(); ++k)
            list[k] = {kShares[k % kShares.size()] * horizon, k / kShares.size()};
        patterns = roundings(ev, inputs, list);
    }
    for (std::size_t share = 0; share < kShares.size(); ++share) {
        const double part = kShares[share];
        // At the point itself: with sources of another time its terms would be those of no state the model can be in
        // (diodes under a voltage that isn't there yet: exp(70)).
        if (!linear.at(point.time, point.y, part * horizon)) continue;
        std::vector<double> bound = bounds;
        const std::span<const double> entries = linear.entries();
        std::size_t entry = 0;
        for (std::size_t r = 0; r < n; ++r) {
            for (const std::uint32_t c : m.pattern.row(r))
                bound[r] += 0.5 * std::numeric_limits<double>::epsilon() * std::abs(entries[entry++] * point.y[c]);
        }
        std::vector<double> most(n, 0.0);
        std::vector<double> along(n, 0.0);
        for (std::size_t k = 0; k < kPhases; ++k) {
            std::vector<double> terms(bound);
            for (std::size_t r = 0; r < n; ++r) terms[r] *= scattered[k][r];
            grow_to(most, linear.moved_by(std::move(terms)));
            if (mechanism) grow_to(along, linear.moved_by(std::move(patterns[k * kShares.size() + share])));
        }
        // A bound would let stiff springs of mechanisms, and positions where links lie in line, widen the tolerance.
        if (mechanism) {
            for (std::size_t i = 0; i < n; ++i) {
                if (judged[i]) most[i] = std::min(most[i], std::numeric_limits<double>::epsilon() * along[i]);
            }
        }
        for (std::size_t i = 0; i < n; ++i) result[i] = std::max(result[i], most[i]);
    }
    return result;
}

Magnitudes estimate_magnitudes(Evaluator& ev, Linearized& linear, const Point& point, double horizon) {
    const std::size_t n = ev.size();
    const CompiledModel& m = ev.model();
    Magnitudes result{.expected = std::vector<double>(n, 0.0),
                      .floor = std::vector<double>(n, 0.0),
                      .at_rest = std::vector<double>(n, 0.0),
                      .unsaid = std::vector<bool>(n, false)};
    std::vector<double> f(n);
    const std::vector<double> rest(n, 0.0);
    const bool mechanism = is_mechanism(ev);
    Point later = point;
    std::vector<double> way(n, 0.0);
    for (const double share : kShares) {
        const double h = share * horizon;
        const double time = point.time + h;
        if (!ev.residual(time, point.y, rest, f) || !linear.at(time, point.y, h)) continue;
        const std::vector<double> step = linear.moved_by(f);
        if (!std::ranges::all_of(step, [](double x) { return std::isfinite(x); })) continue;
        for (std::size_t i = 0; i < n; ++i) {
            const double size = std::abs(step[i]);
            // An algebraic unknown may be 0 but for rounding at first; only Newton's iteration looks at its size.
            if (size > kNothing && (result.expected[i] == 0.0 || !m.unknowns[i].differential))
                result.expected[i] = std::max(result.expected[i], size);
            way[i] = -step[i];
        }
        later.time = time;
        floor_by_rounding(ev, linear, point, result);
        if (mechanism) floor_states_by_rounding(ev, linear, point, time, result);
    }
    set_floors(ev, later, way, result);
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max({largest, result.expected[i], std::abs(point.y[i])});
    for (std::size_t i = 0; i < n; ++i) {
        double& floor = result.floor[i];
        if (m.unknowns[i].nominal > 0.0) floor = std::max(floor, m.unknowns[i].nominal);
        if (std::max(floor, result.at_rest[i]) > kNothing || result.expected[i] > 0.0) continue;
        // Nothing moves it and nothing tells its units: any magnitude will do that is no noise.
        floor = m.unknowns[i].differential || largest == 0.0 ? 1.0 : 1e-6 * largest;
        result.unsaid[i] = true;
    }
    return result;
}

}  // namespace

std::vector<double> rounding_of_unknowns(Evaluator& ev, const Point& point, double horizon) {
    Linearized linear(ev);
    return rounding_of_unknowns(ev, linear, point, horizon);
}

Magnitudes estimate_magnitudes(Evaluator& ev, const Point& point, double horizon) {
    Linearized linear(ev);
    Magnitudes result = estimate_magnitudes(ev, linear, point, horizon);
    result.rounding = rounding_of_unknowns(ev, linear, point, horizon);
    return result;
}

}  // namespace bondgraph::simulation
