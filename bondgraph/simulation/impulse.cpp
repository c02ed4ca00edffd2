#include "bondgraph/simulation/impulse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "bondgraph/base/numbers.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::VariableId;

namespace {

/// Length of an impulse step as a share of the run: short beside everything that happens, long beside rounding.
constexpr double kStep = 1e-12;
constexpr double kDigit = 0.5 * std::numeric_limits<double>::epsilon();
/// How much more rounding may do than the patterns of signs show that stand for it.
constexpr double kPatterns = 10.0;

/// How large each variable is, in one of two values.
std::vector<double> sizes(std::span<const double> now, std::span<const double> before) {
    std::vector<double> size(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) size[i] = std::max({std::abs(now[i]), std::abs(before[i]), 1e-300});
    return size;
}

/// The components of a vector taken together: one of them may be zero but for rounding.
void share_in_vectors(const model::BondGraph& g, std::vector<double>& size) {
    for (const model::Element& e : g.elements) {
        for (const model::Element::Slot& slot : e.slots) {
            if (slot.size < 2) continue;
            const auto begin = size.begin() + static_cast<std::ptrdiff_t>(g.slot_variable(slot.first).index());
            std::fill(begin, begin + slot.size, *std::max_element(begin, begin + slot.size));
        }
    }
}

/// What rounding in the terms of the equations can make of each unknown at a point of the step, by two patterns of
/// signs of which at least one doesn't cancel: a running error bound of every residual, and the last digit of every
/// unknown in it. `entries` and `lu` are the Jacobian there.
std::vector<double> rounding_at(Evaluator& ev, const Point& p, std::span<const double> entries,
                                structure::SparseFactors& lu) {
    const CompiledModel& m = ev.model();
    std::vector<double> bound = m.residual.rounding(ev.inputs(p.time, p.y, p.yp));
    std::size_t entry = 0;
    for (std::size_t r = 0; r < bound.size(); ++r) {
        for (const std::uint32_t c : m.pattern.row(r)) bound[r] += kDigit * std::abs(entries[entry++] * p.y[c]);
    }
    std::vector<double> most(bound.size(), 0.0);
    for (const double phase : {1.0, 2.5}) {
        std::vector<double> terms(bound);
        for (std::size_t r = 0; r < terms.size(); ++r) terms[r] *= std::sin(phase + 2.39996 * static_cast<double>(r));
        lu.solve(terms);
        for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], std::abs(terms[i]));
    }
    return most;
}

/// What solving for the rates of states and the algebraic unknowns has left of an error in each: one more step of
/// Newton's method. Beside others that are large the iteration may end with a velocity that is zero at 1e-20, far above
/// the rounding of its own terms, which are as small.
std::vector<double> left_by_newton(Evaluator& ev, const Point& point) {
    const CompiledModel& m = ev.model();
    std::vector<double> left(m.size(), 0.0);
    std::vector<double> by_value(m.size(), 1.0);
    std::vector<double> by_rate(m.size(), 0.0);
    for (std::size_t i = 0; i < m.state_count; ++i) std::swap(by_value[i], by_rate[i]);
    std::vector<double> entries(m.pattern.columns.size());
    structure::SparseFactors lu(ev.findings().of<PatternOrder>().order);
    if (!ev.residual(point.time, point.y, point.yp, left) ||
        !ev.jacobian(point.time, point.y, point.yp, by_value, by_rate, entries) || !lu.factorize(entries))
        return std::vector<double>(m.size(), 0.0);
    lu.solve(left);
    for (double& x : left) x = std::isfinite(x) ? std::abs(x) : 0.0;
    return left;
}

/// How much of each variable may be rounding: of the unknowns (those that equations determine from others among them),
/// and of all that is computed from these. A velocity that follows from others is the difference of theirs: while these
/// move, it stands still but for that. `step`: a time in which states stand still.
std::vector<double> rounding_of_variables(Mode& mode, const Point& point, double step) {
    using Jet = expression::Jet<4>;  // two patterns of signs
    const std::size_t states = mode.model->state_count;
    const std::vector<double> unknowns = rounding_of_unknowns(*mode.evaluator, point, step);
    const std::vector<double> left = left_by_newton(*mode.evaluator, point);
    const auto inputs = mode.evaluator->inputs(point.time, point.y, point.yp);
    std::vector<Jet> in(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < 2 * unknowns.size(); ++i) {
        const std::size_t k = i % unknowns.size();
        double error = std::max(kDigit * std::abs(inputs[1 + i]), i == k ? unknowns[k] : 0.0);
        if ((i == k) == (k >= states)) error = std::max(error, left[k]);  // it was solved for
        in[1 + i].d[0] = error * std::sin(1.0 + 2.39996 * static_cast<double>(i));
        in[1 + i].d[1] = error * std::sin(2.5 + 2.39996 * static_cast<double>(i));
    }
    std::vector<Jet> out(mode.tapes->variables.output_count());
    auto work = mode.tapes->variables.make_workspace<Jet>();
    mode.tapes->variables.evaluate<Jet>(in, out, work);
    std::vector<double> result = mode.tapes->variables.rounding(inputs);
    for (std::size_t v = 0; v < result.size(); ++v)
        result[v] += kPatterns * std::max(std::abs(out[v].d[0]), std::abs(out[v].d[1]));
    return result;
}

/// Whether a solution leaves more of its equations than rounding in the factors may. Rows of an impulse step in which
/// rates of positions stand beside velocities say nearly the same once they are scaled, and then it matters which
/// pivots are taken.
bool leaves_much(const structure::Incidence& pattern, std::span<const double> entries, std::span<const double> right,
                 std::span<const double> solution) {
    constexpr double kMuch = 1e-8;
    for (std::size_t r = 0; r < right.size(); ++r) {
        double left = -right[r];
        double terms = std::abs(right[r]);
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            const double term = entries[k] * solution[pattern.columns[k]];
            left += term;
            terms += std::abs(term);
        }
        if (std::abs(left) > kMuch * terms) return true;
    }
    return false;
}

/// The rates at the end of the step as the equations have them that name one of them alone, der(x) = v: as differences
/// over the step, rates of what does not jump have lost most of their digits.
std::vector<double> rates_by_equations(Evaluator& ev, const Point& p) {
    const CompiledModel& m = ev.model();
    std::vector<double> rates = p.yp;
    std::vector<double> f(m.size());
    std::vector<double> entries(m.pattern.columns.size());
    const std::vector<double> none(m.size(), 0.0);
    const std::vector<double> all(m.size(), 1.0);
    if (!ev.residual(p.time, p.y, p.yp, f) || !ev.jacobian(p.time, p.y, p.yp, none, all, entries)) return rates;
    for (std::size_t r = 0; r < f.size(); ++r) {
        std::size_t named = 0;
        std::size_t at = 0;
        for (std::size_t k = m.pattern.starts[r]; k < m.pattern.starts[r + 1]; ++k) {
            if (entries[k] == 0.0) continue;
            ++named;
            at = k;
        }
        if (named == 1) rates[m.pattern.columns[at]] = p.yp[m.pattern.columns[at]] - f[r] / entries[at];
    }
    return rates;
}

/// Values and rates of the unknowns at the end of the step, each with more digits than a double holds: impulses that
/// cancel (a gyrator between two bonds of one junction) are 1e12 times as large as what they leave.
struct LongPoint {
    std::span<const double> before;
    double h;
    bool wanted;
    std::vector<double> further;  ///< of y, then of yp; zero unless wanted

    void add(const CompiledModel& m, Point& p, std::span<const double> change) {
        const std::size_t n = p.y.size();
        for (std::size_t i = 0; i < n; ++i) {
            const double more = further[i] + change[i];
            const double y = p.y[i] + more;
            if (wanted) further[i] = rest_of_sum(p.y[i], more, y);
            p.y[i] = y;
            if (!m.unknowns[i].differential) continue;
            const double moved = y - before[i];
            p.yp[i] = moved / h;
            if (!wanted) continue;
            further[n + i] = (std::fma(-p.yp[i], h, moved) + rest_of_sum(y, -before[i], moved) + further[i]) / h;
        }
    }

    /// False where a row is not finite.
    bool residual(Evaluator& ev, const Point& p, std::vector<double>& f) const {
        if (!wanted) return ev.residual(p.time, p.y, p.yp, f);
        const auto inputs = ev.inputs(p.time, p.y, p.yp);
        std::vector<double> more(inputs.size(), 0.0);
        std::copy(further.begin(), further.end(), more.begin() + 1);
        f = ev.model().residual.corrected(inputs, more);
        return std::all_of(f.begin(), f.end(), [](double x) { return std::isfinite(x); });
    }
};

/// The largest change of what continues, as a share of its size; efforts are impulses, and their last digits noise. A
/// change within rounding is none: velocities at which everything stands still have no size of their own.
double largest_change(const CompiledModel& m, std::span<const double> change, std::span<const double> scale,
                      std::span<const double> rounding) {
    double largest = 0.0;
    for (std::size_t i = 0; i < change.size(); ++i) {
        if (!m.unknowns[i].differential || (!rounding.empty() && std::abs(change[i]) <= kPatterns * rounding[i]))
            continue;
        largest = std::max(largest, std::abs(change[i]) / scale[i]);
    }
    return largest;
}

/// States count as continuing when they agree to this share of the size they have had.
constexpr double kAgreement = 1e-7;
/// Beside the largest of all, a difference as small as this is none in any units: a velocity that a constraint holds at
/// 1e-33 m/s has no other size.
constexpr double kNothingBeside = 1e-26;
/// And so is one beside the largest that a component measures alike: where a link stands still, what others leave of
/// its velocity is their rounding, and which of its coordinates the states hold may have changed.
constexpr double kNothingAlike = 1e-15;

}  // namespace

Continuing::Continuing(const CompiledModel& first) {
    const model::BondGraph& g = first.graph();
    for (std::uint32_t v = 0; v < g.slot_variables.size(); ++v) {
        const auto& s = g.slot_variables[v];
        if (g.elements[s.element.index()].slots[s.slot].kind == model::Element::Slot::Kind::state)
            variables.push_back(g.slot_variable(v).value);
    }
    std::map<std::pair<model::ElementId, std::optional<Dimension>>, std::uint32_t> groups;
    for (const std::uint32_t v : variables) {
        const auto& s = g.slot_variables[v - 2 * g.bond_components];
        const auto& slot = g.elements[s.element.index()].slots[s.slot];
        const auto dimension = slot.measure ? std::optional(slot.measure->dimension) : std::nullopt;
        const auto next = static_cast<std::uint32_t>(groups.size());
        alike.push_back(groups.emplace(std::pair(s.element, dimension), next).first->second);
    }
}

Impulses::Impulses(const CompiledModel& first, Modes& modes, double span)
    : first_(first),
      modes_(modes),
      span_(span > 0.0 ? span : 1.0),
      memory_(modes.first().evaluator->findings().of<Continuing>().variables),
      alike_(modes.first().evaluator->findings().of<Continuing>().alike),
      scale_(memory_.size(), 0.0) {}

Snapshot Impulses::snapshot(Mode& mode, const Point& point) const {
    Snapshot s;
    s.time = point.time;
    s.values.resize(first_.graph().variable_count());
    mode.evaluator->run(mode.tapes->variables, mode.variable_work, point.time, point.y, point.yp, s.values);
    const CompiledModel& m = *mode.model;
    s.rates.assign(s.values.size(), 0.0);
    for (std::size_t i = 0; i < m.state_count; ++i) {
        const VariableId v = m.unknowns[i].variable;
        if (v.index() < s.rates.size() && std::isfinite(point.yp[i])) s.rates[v.index()] = point.yp[i];
    }
    if (m.reduced) {
        std::vector<double> values(mode.tapes->reduced.output_count());
        mode.evaluator->run(mode.tapes->reduced, mode.reduced_work, point.time, point.y, point.yp, values);
        for (std::size_t v = s.values.size(); v < values.size(); ++v) s.derived[m.name(VariableId(v))] = values[v];
    }
    return s;
}

compile::ChoicePoint Impulses::choice_point(const compile::ReducedSystem& system, const Snapshot& from, double inside,
                                            std::span<const double> held) const {
    compile::ChoicePoint at{std::vector<double>(system.variable_count(), 0.0), inside, {held.begin(), held.end()}};
    const std::size_t own = from.values.size();
    std::copy(from.values.begin(), from.values.end(), at.values.begin());
    for (std::size_t v = own; v < at.values.size(); ++v) {
        const VariableId of = system.derived[v - own];
        if (const auto known = from.derived.find(system.name(VariableId(v))); known != from.derived.end()) {
            at.values[v] = known->second;
        } else if (of.index() < own) {
            at.values[v] = from.rates[of.index()];
        }
    }
    for (double& x : at.values) {
        if (!std::isfinite(x)) x = 0.0;
    }
    return at;
}

Point Impulses::transfer(Mode& mode, const Snapshot& from) const {
    const CompiledModel& m = *mode.model;
    Point p;
    p.time = from.time;
    p.y.assign(m.size(), 0.0);
    p.yp.assign(m.size(), 0.0);
    for (std::size_t i = 0; i < m.size(); ++i) {
        const VariableId v = m.unknowns[i].variable;
        if (v.index() < from.values.size()) {
            p.y[i] = from.values[v.index()];
        } else if (const auto d = from.derived.find(m.name(v)); d != from.derived.end()) {
            p.y[i] = d->second;
        } else if (const VariableId of = m.derived[v.index() - from.values.size()]; of.index() < from.rates.size()) {
            p.y[i] = from.rates[of.index()];
        }
        if (!std::isfinite(p.y[i])) p.y[i] = 0.0;
    }
    return p;
}

void Impulses::learn(const Mode& mode, const Snapshot& snapshot) {
    for (std::size_t k = 0; k < memory_.size(); ++k)
        scale_[k] = std::max(scale_[k], std::abs(snapshot.values[memory_[k]]));
    const bool all = !mode.model->choice || mode.model->choice->details.redundant.empty();
    left_out_ = all ? nullptr : mode.model;
    if (!mode.integrator) return;
    const auto& magnitudes = mode.integrator->magnitudes();
    const CompiledModel& m = *mode.model;
    for (std::size_t i = 0; i < m.state_count; ++i) {
        const auto at = std::lower_bound(memory_.begin(), memory_.end(), m.unknowns[i].variable.value);
        if (at == memory_.end() || *at != m.unknowns[i].variable.value) continue;
        double& scale = scale_[static_cast<std::size_t>(at - memory_.begin())];
        scale = std::max(scale, magnitudes[i]);
    }
}

void Impulses::take_over(const Mode& mode, const ImpulseStep& step, Snapshot& to) const {
    const auto& unknowns = step.raw->model().unknowns;
    const compile::ReducedSystem* reduced = mode.model->reduced.get();
    for (std::size_t v = 0; v < to.values.size(); ++v) {
        const bool differentiated = reduced != nullptr && reduced->derivative_of[v] != Id<void>::kNone;
        if (unknowns[v].differential || differentiated) to.values[v] = step.point.y[v];
    }
    // A rate that is a state jumps while what it is the rate of does not: it is what that goes by at the step's end.
    const CompiledModel& m = *mode.model;
    for (std::size_t i = 0; i < m.state_count; ++i) {
        const VariableId v = m.unknowns[i].variable;
        if (v.index() < to.values.size()) continue;
        const VariableId of = m.derived[v.index() - to.values.size()];
        if (of.index() >= to.values.size() || !unknowns[of.index()].differential) continue;
        to.rates[of.index()] = to.derived[m.name(v)] = step.rates[of.index()];
    }
}

double Impulses::magnitude(VariableId variable) const {
    const auto at = std::lower_bound(memory_.begin(), memory_.end(), variable.value);
    if (at == memory_.end() || *at != variable.value) return 0.0;
    return scale_[static_cast<std::size_t>(at - memory_.begin())];
}

std::vector<double> Impulses::largest_alike(std::span<const double> sizes) const {
    std::vector<double> result(memory_.size(), 0.0);
    for (std::size_t k = 0; k < memory_.size(); ++k) result[alike_[k]] = std::max(result[alike_[k]], sizes[memory_[k]]);
    return result;
}

std::optional<VariableId> Impulses::jumped(Mode& mode, const Point& point, const Snapshot& from) const {
    const auto found = all_jumped(mode, point, from, 1);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<VariableId> Impulses::all_jumped(Mode& mode, const Point& point, const Snapshot& from,
                                             std::size_t most) const {
    std::vector<double> values(from.values.size());
    mode.evaluator->run(mode.tapes->variables, mode.variable_work, point.time, point.y, point.yp, values);
    std::vector<double> size = sizes(values, from.values);
    for (std::size_t k = 0; k < memory_.size(); ++k) size[memory_[k]] = std::max(size[memory_[k]], scale_[k]);
    share_in_vectors(first_.graph(), size);
    double largest = 0.0;
    for (const std::uint32_t v : memory_) largest = std::max(largest, size[v]);
    const std::vector<double> kinds = largest_alike(size);
    std::vector<double> rounding;
    std::vector<VariableId> found;
    for (std::size_t k = 0; k < memory_.size() && found.size() < most; ++k) {
        const double apart = std::abs(values[memory_[k]] - from.values[memory_[k]]);
        const double nothing = std::max(kNothingBeside * largest, kNothingAlike * kinds[alike_[k]]);
        if (apart <= std::max(kAgreement * size[memory_[k]], nothing)) continue;
        if (rounding.empty()) rounding = rounding_of_variables(mode, point, duration());
        if (!(apart <= rounding[memory_[k]])) found.emplace_back(std::size_t{memory_[k]});
    }
    return found;
}

Impulses::Raw& Impulses::raw(std::span<const double> held) {
    const CompiledMode unreduced = modes_.raw(held);
    std::shared_ptr<Raw>& raw = raw_[unreduced.compiled.get()];
    if (!raw) raw = std::make_shared<Raw>(unreduced);
    return *raw;
}

double Impulses::duration() const { return kStep * span_; }

ImpulseStep Impulses::step(const Snapshot& from, const std::vector<double>& held, const Segment& segment,
                           const OnTheWay& way) {
    Raw& unreduced = raw(held);
    Evaluator& ev = unreduced.evaluator;
    DependentHolds& holds = unreduced.holds;
    const CompiledModel& m = ev.model();
    ev.set_held(held);
    ev.segment = segment;
    const double h = way.slower * duration();
    const std::size_t n = m.size();
    ImpulseStep result{.raw = &ev};
    Point& p = result.point;
    p.time = from.time;
    p.y = from.values;
    for (double& y : p.y) {
        if (!std::isfinite(y)) y = 0.0;
    }
    const std::vector<double> before = p.y;
    p.yp.assign(n, 0.0);
    std::vector<double> f(n);
    std::vector<double> entries(m.pattern.columns.size());
    const auto fail = [&](const char* why) {
        Failure failure;
        failure.time = from.time;
        failure.message = fmt::format("no states satisfy the equations of the mode that begins here: {}", why);
        throw SimulationError(failure);
    };
    holds.take_none();
    enum class LeftOut : std::uint8_t { none, known, found };
    LeftOut left_out = LeftOut::none;
    if (left_out_ != nullptr) left_out = holds.take(*left_out_) ? LeftOut::known : LeftOut::found;
    structure::SparseFactors lu(holds.pattern());
    std::vector<double> change(n);
    LongPoint digits{before, h, closely_, std::vector<double>(2 * n, 0.0)};
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 50; ++iteration) {
        if (!digits.residual(ev, p, f) || !ev.jacobian(p.time, p.y, p.yp, 1.0, 1.0 / h, entries))
            fail("a law has no finite value");
        for (std::size_t i = 0; i < way.lacking.size(); ++i) f[i] -= way.remaining * way.lacking[i];
        const auto solve = [&] {
            if (left_out == LeftOut::found) holds.find(entries);
            std::copy(f.begin(), f.end(), change.begin());
            holds.exchange(p.y, change);
            for (double& x : change) x = -x;
            // With rows scaled: differential ones hold 1/h.
            const std::vector<double> right = change;
            const std::vector<double> matrix = holds.exchanged(entries);
            do {
                change = right;
                if (!lu.factorize(matrix)) return false;
                lu.solve(change);
            } while (leaves_much(holds.pattern(), matrix, right, change) && lu.take_largest_pivots());
            return std::ranges::all_of(change, [](double x) { return std::isfinite(x); });
        };
        const auto solve_with_less = [&] {
            return !holds.empty() && std::exchange(left_out, LeftOut::found) != LeftOut::found && solve();
        };
        if (!solve() && !solve_with_less()) fail("they are singular (a part floats, or is fixed twice)");
        digits.add(m, p, change);
        std::vector<double> scale = sizes(p.y, before);
        share_in_vectors(m.graph(), scale);
        const std::vector<double> kinds = largest_alike(scale);
        for (std::size_t k = 0; k < memory_.size(); ++k)
            scale[memory_[k]] = std::max(scale[memory_[k]], kNothingAlike * kinds[alike_[k]]);
        double size = largest_change(m, change, scale, {});
        if (iteration > 3 && size >= last) size = largest_change(m, change, scale, rounding_at(ev, p, entries, lu));
        if (size < 1e-14 || (iteration > 3 && size >= last && size < 1e-9)) break;
        if (iteration == 49) fail("the jump of the states could not be solved for");
        last = size;
    }
    result.rates = rates_by_equations(ev, p);
    return result;
}

}  // namespace bondgraph::simulation
