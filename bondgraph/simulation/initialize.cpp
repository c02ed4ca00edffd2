// States at the start: from fixed values (on any storage, independent or not), then guesses, then zero, or least energy
// where storages depend on each other. Values that determine one state each are solved for here, in linear time;
// whatever asks for more goes to start_problem.hpp.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bondgraph/base/numbers.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/calendar.hpp"
#include "bondgraph/simulation/foresight.hpp"
#include "bondgraph/simulation/given_starts.hpp"
#include "bondgraph/simulation/least_energy_start.hpp"
#include "bondgraph/simulation/start_limits.hpp"
#include "bondgraph/simulation/start_problem.hpp"
#include "bondgraph/simulation/start_reports.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::StartCondition;
using compile::VariableId;
using expression::Jet;

namespace {

struct StateNames {
    explicit StateNames(const compile::CompiledModel& m) {
        for (std::size_t i = 0; i < m.state_count; ++i) of.push_back(m.name(m.unknowns[i].variable));
    }
    std::vector<std::string> of;
};

constexpr double kHeld = 1e-9;               // what a value that is kept may be off
constexpr double kRounding = 1e-13;          // of the fastest coordinate: hundreds of operations lie between two
constexpr double kLeastMotion = 1e-4;        // rad or m: what is small beside this share of 1 has not moved
constexpr std::size_t kMostCompared = 2000;  // conditions solved together are few

class StartSolver {
   public:
    StartSolver(Evaluator& ev, double time, std::vector<double> held)
        : ev_(ev), m_(ev.model()), fixed_(ev.size(), false), guessed_(ev.size(), false) {
        point_.time = time;
        point_.y.assign(ev.size(), 0.0);
        point_.yp.assign(ev.size(), 0.0);
        held.resize(m_.held_count(), 0.0);
        point_.held = std::move(held);
        ev_.set_held(point_.held);
    }

    Point run() {
        const auto& g = m_.graph();
        for (std::size_t k = 0; k < g.free_parameters.size(); ++k)
            point_.held[g.first_free() + k] = g.free_parameters[k].guess;
        ev_.set_held(point_.held);
        if (m_.reduced) {
            const compile::ChoicePoint at = take_consistent_point();
            if (has_demands())
                general(std::vector<double>(point_.y));
            else
                find_open_states(at);
        } else {
            states();
        }
        solve_rates(ev_, point_);
        // The search that sees all constraints judges by the largest unknowns; a value given among much smaller ones
        // may have got lost there.
        if (m_.reduced && !has_demands() && !values_hold()) {
            point_.defaulted.clear();
            general(std::vector<double>(point_.y));
            solve_rates(ev_, point_);
        }
        check_orientations(ev_, point_);
        find_moved_guesses();
        return std::move(point_);
    }

   private:
    void states() {
        conditions(false);
        const std::vector<double> defaults = point_.y;
        ValuesToMeet left;
        const bool determined = conditions(true, &left);
        diagnostics_.throw_if_errors();
        std::vector<bool> open(m_.state_count);
        for (std::size_t i = 0; i < open.size(); ++i) open[i] = !fixed_[i] && !guessed_[i];
        if ((!determined && left.outputs.empty()) || !take_least_energy(ev_, point_, open, left))
            return general(defaults);
        const StateNames& names = ev_.findings().of<StateNames>();
        for (std::size_t i = 0; i < m_.state_count; ++i) {
            if (open[i]) point_.defaulted.push_back({names.of[i], point_.y[i]});
        }
    }

    // Where states are chosen by numbers, the search sees all constraints. Mostly that was done where they were chosen.
    compile::ChoicePoint take_consistent_point() {
        const compile::ChoicePoint* known = m_.chosen_at.get();
        const double time = ev_.segment.inside(point_.time);
        const bool same = known != nullptr && known->time == time && same_but_free_parameters(known->held, point_.held);
        compile::ChoicePoint at = same ? *known : compile::consistent_start(*m_.reduced, time, point_.held);
        for (std::size_t i = 0; i < ev_.size(); ++i) {
            const std::size_t v = m_.unknowns[i].variable.index();
            point_.y[i] = at.values[v];
            if (m_.unknowns[i].differential) point_.yp[i] = at.values[m_.reduced->derivative_of[v]];
        }
        point_.held = at.held;
        ev_.set_held(point_.held);
        return at;
    }

    // What the search left where it was, or as near to it as it could, for nothing says otherwise.
    void find_open_states(const compile::ChoicePoint& start) {
        const std::vector<VariableId> open = compile::open_at_start(*m_.reduced, start);
        for (std::size_t i = 0; i < m_.state_count; ++i) {
            const VariableId state = m_.unknowns[i].variable;
            if (std::ranges::binary_search(open, state)) point_.defaulted.push_back({m_.name(state), point_.y[i]});
        }
    }

    // Free parameters are found, not given.
    [[nodiscard]] bool same_but_free_parameters(const std::vector<double>& a, const std::vector<double>& b) const {
        const std::size_t first = m_.graph().first_free();
        const std::size_t after = m_.graph().first_sample();
        if (a.size() != b.size()) return false;
        for (std::size_t k = 0; k < a.size(); ++k) {
            if ((k < first || k >= after) && a[k] != b[k]) return false;
        }
        return true;
    }

    [[nodiscard]] bool has_demands() const {
        return !m_.graph().free_parameters.empty() ||
               std::any_of(m_.conditions.begin(), m_.conditions.end(), is_demanding);
    }

    [[nodiscard]] bool values_hold() {
        std::vector<expression::Expr> both;
        std::vector<bool> of_motion;
        for (const StartCondition& c : m_.conditions) {
            if (!c.fixed) continue;
            both.insert(both.end(), {c.value, c.target});
            of_motion.push_back(c.element.valid() && m_.graph().elements[c.element.index()].type->free_rates);
        }
        const expression::Tape tape = m_.tape(both);
        auto work = tape.make_workspace<double>();
        std::vector<double> sides(both.size());
        ev_.run(tape, work, point_.time, point_.y, point_.yp, sides);
        // In closed loops the coordinates follow from each other: one at rest is off by the rounding of those that
        // move.
        double moving = m_.reduced->loops ? 1.0 : 0.0;  // rad: of angles, no less
        for (std::size_t k = 0; m_.reduced->loops && k < of_motion.size(); ++k) {
            if (of_motion[k]) moving = std::max(moving, std::abs(sides[2 * k]));
        }
        for (std::size_t k = 0; k < of_motion.size(); ++k) {
            const double value = sides[2 * k];
            const double target = sides[2 * k + 1];
            const double allowed =
                std::max(kHeld * std::max(std::abs(value), std::abs(target)), of_motion[k] ? kRounding * moving : 0.0);
            if (std::abs(value - target) > allowed) return false;
        }
        return true;
    }

    void general(const std::vector<double>& defaults) {
        // Rates and algebraic variables that suit the states as they are now are a good place to begin, if there are
        // any.
        Point near = point_;
        try {
            solve_rates(ev_, near, Effort::quick);
            point_ = std::move(near);
        } catch (const ModelError&) {
        }
        solve_start_problem(ev_, point_, defaults, guessed_);
        const auto is_fixed = [&](const MovedStart& moved) {
            for (std::size_t i = 0; i < m_.state_count; ++i) {
                if (fixed_[i] && m_.name(m_.unknowns[i].variable) == moved.name) return true;
            }
            return false;
        };
        std::erase_if(point_.moved, is_fixed);  // they are as they were given
    }

    // Values of the conditions of one kind, those that determine one state each solved for it. False when fixed
    // conditions are left for the start problem; in `left`, where these are values of states, and nothing else is
    // asked.
    bool conditions(bool fixed, ValuesToMeet* left = nullptr) {
        const GivenStarts& given = fixed ? static_cast<const GivenStarts&>(ev_.findings().of<FixedStarts>())
                                         : ev_.findings().of<GuessedStarts>();
        const std::vector<const StartCondition*>& list = given.list;
        const expression::Tape& tape = given.values;
        const auto& depends = given.depends;
        bool determined = !fixed || (m_.graph().free_parameters.empty() && !given.any_demanding);
        if (list.empty()) return determined;
        auto target_work = given.targets.make_workspace<double>();
        std::vector<double> target(list.size());
        ev_.run(given.targets, target_work, point_.time, point_.y, point_.yp, target);
        if (m_.graph().free_parameters.empty()) refuse_not_finite(list, target);
        std::vector<std::size_t> waiting(list.size());
        for (std::size_t k = 0; k < list.size(); ++k) waiting[k] = k;
        for (bool progress = true; progress && !waiting.empty();) {
            progress = false;
            std::vector<std::size_t> single;
            std::vector<std::uint32_t> unknown;
            std::vector<std::size_t> later;
            std::vector<bool> taken(ev_.size(), false);
            for (const std::size_t k : waiting) {
                const auto j = single_unknown(depends[k], fixed);
                if (j != kNone && !taken[j]) {
                    taken[j] = true;
                    single.push_back(k);
                    unknown.push_back(j);
                } else {
                    later.push_back(k);
                }
            }
            if (!single.empty()) {
                const std::vector<bool> met = solve_single(tape, single, unknown, target);
                for (std::size_t k = 0; k < single.size(); ++k) {
                    if (met[k]) (fixed ? fixed_ : guessed_)[unknown[k]] = progress = true;
                    determined = determined && (met[k] || !fixed);
                }
            }
            waiting = std::move(later);
        }
        if (!fixed) return true;
        const bool others = !determined;
        for (const std::size_t k : waiting)
            determined = determined && open_states(depends[k]).empty() && only_states(depends[k]);
        const bool of_states = std::ranges::all_of(waiting, [&](std::size_t k) {
            return std::ranges::all_of(depends[k], [&](std::uint32_t in) { return in <= ev_.size(); });
        });
        if (left != nullptr && !determined && !others && of_states) {
            left->tape = &tape;
            left->outputs = waiting;
            for (const std::size_t k : waiting) {
                left->targets.push_back(target[k]);
                left->states.emplace_back();
                for (const std::uint32_t in : depends[k]) left->states.back().push_back(in - 1);
            }
        }
        if (determined && !waiting.empty()) check(tape, target, list, depends);
        return determined;
    }

    // The unknown that a condition determines by itself: a state; for a guess also an algebraic unknown alone.
    std::uint32_t single_unknown(const std::vector<std::uint32_t>& inputs, bool fixed) const {
        if (!fixed && inputs.size() == 1 && inputs[0] > m_.state_count && inputs[0] <= ev_.size())
            return guessed_[inputs[0] - 1] ? kNone : inputs[0] - 1;
        if (!only_states(inputs)) return kNone;
        const auto open = open_states(inputs);
        return open.size() == 1 ? open[0] : kNone;
    }

    std::vector<std::uint32_t> open_states(const std::vector<std::uint32_t>& inputs) const {
        std::vector<std::uint32_t> open;
        for (const std::uint32_t in : inputs) {
            const std::uint32_t j = in - 1;
            if (j < ev_.size() && m_.unknowns[j].differential && !fixed_[j]) open.push_back(j);
        }
        return open;
    }

    bool only_states(const std::vector<std::uint32_t>& inputs) const {
        return std::all_of(inputs.begin(), inputs.end(), [&](std::uint32_t in) { return in - 1 < m_.state_count; });
    }

    // One condition on one unknown, on its way.
    struct Single {
        double x = 0.0;
        double off = std::numeric_limits<double>::infinity();
        double step = 0.0;  // that is being tried
        bool met = false;
        bool done = false;
    };

    // Whether a condition is met where it is off by so much and Newton would go by `step` from x.
    static bool is_met(double off, double step, double x, double target) {
        constexpr double kNothing = 1e-13;
        return std::abs(step) <= kNothing * std::abs(x) || std::abs(off) <= kNothing * std::abs(target);
    }

    // Newton's method on conditions of one unknown each, all at once, for their derivatives don't mix: steps are halved
    // until they help. What is not met in the end is left as it was.
    std::vector<bool> solve_single(const expression::Tape& tape, const std::vector<std::size_t>& which,
                                   const std::vector<std::uint32_t>& state, const std::vector<double>& target) {
        using J = Jet<1>;
        constexpr int kMost = 400;           // tries: a law that is flat to one side needs many halvings
        constexpr double kShortest = 1e-12;  // of a step that does not help, beside where it starts
        std::vector<Single> singles(which.size());
        for (std::size_t k = 0; k < which.size(); ++k) singles[k].x = point_.y[state[k]];
        const std::vector<Single> begin = singles;
        std::vector<J> in(m_.input_size());
        std::vector<J> out(tape.output_count());
        auto work = tape.make_workspace<J>();
        const auto all_done = [&] { return std::ranges::all_of(singles, &Single::done); };
        for (int iteration = 0; iteration < kMost && !all_done(); ++iteration) {
            for (std::size_t k = 0; k < which.size(); ++k) point_.y[state[k]] = singles[k].x + singles[k].step;
            const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
            for (std::size_t i = 0; i < plain.size(); ++i) in[i] = J(plain[i]);
            for (const std::uint32_t j : state) in[1 + j].d[0] = 1.0;
            tape.evaluate<J>(in, out, work);
            for (std::size_t k = 0; k < which.size(); ++k) {
                Single& s = singles[k];
                if (s.done) continue;
                const J& v = out[which[k]];
                const double off = target[which[k]] - v.v;
                const bool first = iteration == 0;
                if (!first && !(std::abs(off) < std::abs(s.off))) {
                    s.done = std::abs(s.step) <= kShortest * std::max(std::abs(s.x), 1e-300);
                    s.met = s.done && is_met(s.off, 2.0 * s.step, s.x, target[which[k]]);
                    s.step *= 0.5;
                    continue;
                }
                s.x += s.step;
                s.off = off;
                const bool usable = std::isfinite(v.d[0]) && v.d[0] != 0.0;
                s.step = usable ? off / v.d[0] : 1.0;
                s.met = s.done = off == 0.0 || (usable && is_met(off, s.step, s.x, target[which[k]]));
                if (s.done || usable) continue;
                s.done = !first;  // a flat or singular place: it may be left once
            }
        }
        std::vector<bool> met;
        for (std::size_t k = 0; k < which.size(); ++k) {
            point_.y[state[k]] = singles[k].met ? singles[k].x : begin[k].x;
            met.push_back(singles[k].met);
        }
        return met;
    }

    // Guesses of states that the solution did not keep, under the names they were given.
    void find_moved_guesses() {
        const auto& guesses = ev_.findings().of<GuessedStarts>();
        const std::vector<const StartCondition*>& list = guesses.list;
        const expression::Tape& tape = guesses.both;
        if (list.empty()) return;
        std::vector<double> got(tape.output_count());
        auto work = tape.make_workspace<double>();
        ev_.run(tape, work, point_.time, point_.y, point_.yp, got);
        for (std::size_t k = 0; k < list.size(); ++k) {
            // Coordinates of closed loops are known to rounding of 1 rad, or of lengths. Which of them are states is
            // nobody's concern.
            const bool in_loops = list[k]->element.valid() && m_.reduced && m_.reduced->loops &&
                                  m_.graph().elements[list[k]->element.index()].type->free_rates;
            const bool told = in_loops && !list[k]->by_default;
            const auto& depends = guesses.depends[k];
            if (depends.empty() || (!told && !only_states(depends))) continue;
            const double to = in_loops && std::abs(got[2 * k]) < kRounding ? 0.0 : got[2 * k];
            const double from = got[2 * k + 1];
            const double least = in_loops ? kLeastMotion : 0.0;
            if (!(std::abs(to - from) <= kHeld * std::max({std::abs(to), std::abs(from), least})))
                point_.moved.push_back({list[k]->name, from, to});
        }
    }

    // How large what each condition is made of is where all targets are met: a zero among other values is met to their
    // rounding, each in its own unit.
    std::vector<double> sizes_of_terms(const expression::Tape& tape, const std::vector<double>& target,
                                       const std::vector<std::vector<std::uint32_t>>& depends) const {
        std::vector<double> terms(target.size(), 0.0);
        if (target.size() > kMostCompared) return terms;
        std::vector<std::vector<std::uint32_t>> conditions_of(ev_.size());
        for (std::uint32_t k = 0; k < depends.size(); ++k) {
            for (const std::uint32_t in : depends[k]) conditions_of[in - 1].push_back(k);
        }
        const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
        std::vector<Jet<1>> in;
        for (const double x : plain) in.emplace_back(x);
        std::vector<Jet<1>> out(tape.output_count());
        auto work = tape.make_workspace<Jet<1>>();
        for (std::size_t j = 0; j < m_.state_count; ++j) {
            if (conditions_of[j].size() < 2) continue;
            in[1 + j].d[0] = 1.0;
            tape.evaluate<Jet<1>>(in, out, work);
            in[1 + j].d[0] = 0.0;
            double size = 0.0;
            for (const std::uint32_t k : conditions_of[j]) {
                const double slope = std::abs(out[k].d[0]);
                if (slope > 0.0) size = std::max(size, std::abs(target[k]) / slope);
            }
            for (const std::uint32_t k : conditions_of[j]) terms[k] = std::max(terms[k], std::abs(out[k].d[0]) * size);
        }
        return terms;
    }

    // What the states now give against what was asked for.
    void check(const expression::Tape& tape, const std::vector<double>& target,
               const std::vector<const StartCondition*>& list, const std::vector<std::vector<std::uint32_t>>& depends) {
        std::vector<double> got(tape.output_count());
        auto work = tape.make_workspace<double>();
        ev_.run(tape, work, point_.time, point_.y, point_.yp, got);
        const std::vector<double> terms = sizes_of_terms(tape, target, depends);
        for (std::size_t k = 0; k < list.size(); ++k) {
            const double scale = std::max({std::abs(target[k]), std::abs(got[k]), terms[k]});
            // What follows time is looked at just behind the start, where a ramp that begins there is no longer 0.
            constexpr double kNothing = 1e-150;
            if (std::abs(got[k] - target[k]) <= 1e-9 * scale || scale < kNothing) continue;
            std::string others;
            for (std::size_t o = 0; o < list.size(); ++o) {
                if (o == k || !share_state(depends[o], depends[k])) continue;
                others += fmt::format("{}'{}' in {}", others.empty() ? "" : ", ", list[o]->name,
                                      m_.graph().line_text(list[o]->position, list[k]->position));
            }
            report(*list[k], told_apart(target[k], got[k]), others);
            return;  // one contradiction brings several violated conditions
        }
    }

    void report(const StartCondition& c, const std::pair<std::string, std::string>& values, const std::string& others) {
        const auto [wanted, found] = values;
        const std::string deciders = deciders_of(c);
        const bool alone = others.empty() && !deciders.empty();
        std::string where = "it depends on no state: nothing can make it so";
        if (alone) where = fmt::format("it depends on no state, only on {}", deciders);
        if (!others.empty()) where = fmt::format("it depends on the same states as {}", others);
        if (!others.empty() && !deciders.empty()) where += fmt::format(", and on {}", deciders);
        diagnostics_.error(
            "BG-I001", c.position,
            fmt::format("start values contradict {}: '{}' is to be {}, but {} make{} it {}",
                        alone ? "the model" : "each other", c.name, wanted, alone ? deciders : "the others",
                        alone && deciders.find(", ") == std::string::npos ? "s" : "", found),
            {{"where", where},
             {"try", alone ? "take this value away, or use guess: for it"
                           : "give only one of them, or use guess: for those that may move"}});
    }

    // What else than states determines a storage in derivative causality: sources, and what switches. "'V' (Se)"
    [[nodiscard]] std::string deciders_of(const StartCondition& c) const {
        std::set<model::ElementId> elements;
        for (const causality::StorageCausality& s : m_.causal->storages) {
            if (s.element == c.element && !s.integral) elements.insert(s.depends_on.begin(), s.depends_on.end());
        }
        std::string text;
        for (const model::ElementId id : elements) {
            const model::Element& e = m_.graph().elements[id.index()];
            if (e.type->is_storage()) continue;
            text += fmt::format("{}'{}' ({})", text.empty() ? "" : ", ", e.name, e.type->name);
        }
        return text;
    }

    static bool share_state(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
        return std::any_of(a.begin(), a.end(),
                           [&](std::uint32_t x) { return std::binary_search(b.begin(), b.end(), x); });
    }

    Evaluator& ev_;
    const CompiledModel& m_;
    Point point_;
    std::vector<bool> fixed_;
    std::vector<bool> guessed_;
    Diagnostics diagnostics_;
};

}  // namespace

Segment first_segment(const CompiledModel& model, double start, std::span<const double> held,
                      const std::atomic<bool>* interrupted) {
    Kinks kinks(model.timely, start, start, interrupted);
    std::vector<double> values;
    for (const std::uint32_t k : model.timely.held) values.push_back(k < held.size() ? held[k] : 0.0);
    kinks.hold(values, start);
    return Calendar(start, start).segment_from(start, kinks.around(start));
}

Point initialize(const CompiledModel& model, double time, std::vector<double> held,
                 const std::atomic<bool>* interrupted) {
    return initialize(std::make_shared<const Findings>(model), time, std::move(held), interrupted);
}

Point initialize(std::shared_ptr<const Findings> findings, double time, std::vector<double> held,
                 const std::atomic<bool>* interrupted) {
    Evaluator evaluator(std::move(findings));
    evaluator.interrupted = interrupted;
    const CompiledModel& m = evaluator.model();
    if (held.empty()) held = m.graph().held_at_start({}, m.held_count());
    evaluator.segment = first_segment(m, time, held, interrupted);
    Point point = StartSolver(evaluator, time, std::move(held)).run();
    check_limits(evaluator, point);
    return point;
}

}  // namespace bondgraph::simulation
