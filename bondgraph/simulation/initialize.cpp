// States at the start: from fixed values (on any storage, independent or not), then guesses, then zero.

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::StartCondition;
using expression::Jet;

namespace {

constexpr std::size_t kMostCompared = 2000;  // conditions solved together are few

class StartSolver {
   public:
    StartSolver(Evaluator& ev, double time)
        : ev_(ev), m_(ev.model()), fixed_(ev.size(), false), guessed_(ev.size(), false) {
        point_.time = time;
        point_.y.assign(ev.size(), 0.0);
        point_.yp.assign(ev.size(), 0.0);
    }

    Point run() {
        for (const bool fixed : {false, true}) conditions(fixed);
        diagnostics_.throw_if_errors();
        for (std::size_t i = 0; i < m_.state_count; ++i) {
            if (!fixed_[i] && !guessed_[i]) point_.defaulted.push_back({m_.name(m_.unknowns[i].variable), point_.y[i]});
        }
        solve_rates(ev_, point_);
        return std::move(point_);
    }

   private:
    // Values of the conditions of one kind; those of one state are solved for it, the rest together.
    void conditions(bool fixed) {
        std::vector<const StartCondition*> list;
        std::vector<expression::Expr> values;
        std::vector<expression::Expr> targets;
        for (const StartCondition& c : m_.conditions) {
            if (c.fixed != fixed) continue;
            list.push_back(&c);
            values.push_back(c.value);
            targets.push_back(c.target);
        }
        if (list.empty()) return;
        const expression::Tape target_tape = m_.tape(targets);
        auto target_work = target_tape.make_workspace<double>();
        std::vector<double> target(list.size());
        ev_.run(target_tape, target_work, point_.time, point_.y, point_.yp, target);
        const expression::Tape tape = m_.tape(values);
        std::vector<bool> wanted(m_.input_size(), false);
        std::fill(wanted.begin() + 1, wanted.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(ev_.size()), true);
        const auto depends = tape.dependencies(wanted);
        std::vector<std::size_t> waiting(list.size());
        for (std::size_t k = 0; k < list.size(); ++k) waiting[k] = k;
        for (bool progress = true; progress && !waiting.empty();) {
            progress = false;
            std::vector<std::size_t> single;
            std::vector<std::size_t> later;
            std::vector<bool> taken(ev_.size(), false);
            for (const std::size_t k : waiting) {
                const auto open = open_states(depends[k]);
                if (open.size() == 1 && !taken[open[0]] && only_states(depends[k])) {
                    taken[open[0]] = true;
                    single.push_back(k);
                } else {
                    later.push_back(k);
                }
            }
            if (!single.empty()) {
                solve_single(tape, single, depends, target, fixed);
                progress = true;
            }
            waiting = std::move(later);
        }
        if (!fixed || waiting.empty()) return;
        solve_together(tape, waiting, depends, target, list);
        check(tape, target, list, depends);
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

    // Newton's method on conditions of one state each, all at once: their derivatives don't mix.
    void solve_single(const expression::Tape& tape, const std::vector<std::size_t>& which,
                      const std::vector<std::vector<std::uint32_t>>& depends, const std::vector<double>& target,
                      bool fixed) {
        using J = Jet<1>;
        std::vector<J> in(m_.input_size());
        std::vector<J> out(tape.output_count());
        auto work = tape.make_workspace<J>();
        std::vector<std::uint32_t> state(which.size());
        for (std::size_t k = 0; k < which.size(); ++k) state[k] = open_states(depends[which[k]])[0];
        for (int iteration = 0; iteration < 50; ++iteration) {
            const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
            for (std::size_t i = 0; i < plain.size(); ++i) in[i] = J(plain[i]);
            for (const std::uint32_t j : state) in[1 + j].d[0] = 1.0;
            tape.evaluate<J>(in, out, work);
            double change = 0.0;
            for (std::size_t k = 0; k < which.size(); ++k) {
                const J& v = out[which[k]];
                double step = (target[which[k]] - v.v) / v.d[0];
                if (!std::isfinite(step)) step = iteration == 0 ? 1.0 : 0.0;  // a flat or singular place: leave it once
                point_.y[state[k]] += step;
                change = std::max(change, std::abs(step) / (std::abs(point_.y[state[k]]) + 1e-300));
            }
            if (change < 1e-15) break;
        }
        for (const std::uint32_t j : state) (fixed ? fixed_ : guessed_)[j] = true;
    }

    // Conditions that involve several open states, rates or algebraic variables: Gauss–Newton with the model's own
    // equations, the smallest change where they leave a choice.
    void solve_together(const expression::Tape& tape, const std::vector<std::size_t>& which,
                        const std::vector<std::vector<std::uint32_t>>& depends, const std::vector<double>& target,
                        const std::vector<const StartCondition*>& list) {
        bool open = false;
        for (const std::size_t k : which) open |= !open_states(depends[k]).empty() || !only_states(depends[k]);
        if (!open) return;
        const std::size_t n = ev_.size();
        constexpr std::size_t kLargest = 1500;
        if (n > kLargest) {
            diagnostics_.error(
                "BG-I003", list[which.front()]->position,
                fmt::format("the start value of '{}' depends on several states; in a model of {} unknowns that is not "
                            "solved for",
                            list[which.front()]->name, n),
                {{"try", "give the start values of the states themselves ('bondgraph check' lists them)"}});
            return;
        }
        const auto N = static_cast<Eigen::Index>(n);
        const auto M = static_cast<Eigen::Index>(which.size());
        std::vector<std::uint32_t> columns;  // open states, then one column per rate or algebraic unknown
        for (std::uint32_t j = 0; j < m_.state_count; ++j) {
            if (!fixed_[j]) columns.push_back(j);
        }
        const auto S = static_cast<Eigen::Index>(columns.size());
        std::vector<double> f(n);
        std::vector<double> entries(m_.pattern.columns.size());
        auto work = tape.make_workspace<Jet<1>>();
        std::vector<Jet<1>> in(m_.input_size());
        std::vector<Jet<1>> out(tape.output_count());
        for (int iteration = 0; iteration < 50; ++iteration) {
            Eigen::MatrixXd a = Eigen::MatrixXd::Zero(N + M, S + N);
            Eigen::VectorXd r(N + M);
            if (!ev_.residual(point_.time, point_.y, point_.yp, f) ||
                !ev_.jacobian(point_.time, point_.y, point_.yp, 1.0, 0.0, entries))
                break;
            const Eigen::MatrixXd fy(ev_.matrix(entries));
            if (!ev_.jacobian(point_.time, point_.y, point_.yp, 0.0, 1.0, entries)) break;
            const Eigen::MatrixXd fyp(ev_.matrix(entries));
            const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
            for (std::size_t i = 0; i < plain.size(); ++i) in[i] = Jet<1>(plain[i]);
            for (Eigen::Index i = 0; i < N; ++i) r(i) = -f[static_cast<std::size_t>(i)];
            for (Eigen::Index c = 0; c < S + N; ++c) {
                const auto j = c < S ? static_cast<Eigen::Index>(columns[static_cast<std::size_t>(c)]) : c - S;
                const bool rate = c >= S && m_.unknowns[static_cast<std::size_t>(j)].differential;
                a.col(c).head(N) = rate ? fyp.col(j) : fy.col(j);
                const std::size_t slot = 1 + static_cast<std::size_t>(j) + (rate ? n : 0);
                in[slot].d[0] = 1.0;
                tape.evaluate<Jet<1>>(in, out, work);
                in[slot].d[0] = 0.0;
                for (Eigen::Index k = 0; k < M; ++k) a(N + k, c) = out[which[static_cast<std::size_t>(k)]].d[0];
            }
            for (Eigen::Index k = 0; k < M; ++k)
                r(N + k) = target[which[static_cast<std::size_t>(k)]] - out[which[static_cast<std::size_t>(k)]].v;
            for (Eigen::Index row = 0; row < N + M; ++row) {
                const double s = a.row(row).cwiseAbs().maxCoeff();
                if (s > 0) {
                    a.row(row) /= s;
                    r(row) /= s;
                }
            }
            const Eigen::VectorXd step = a.completeOrthogonalDecomposition().solve(r);
            if (!step.allFinite()) break;
            double change = 0.0;
            for (Eigen::Index c = 0; c < S + N; ++c) {
                const std::size_t j = c < S ? columns[static_cast<std::size_t>(c)] : static_cast<std::size_t>(c - S);
                double& x = c < S || !m_.unknowns[j].differential ? point_.y[j] : point_.yp[j];
                x += step(c);
                change = std::max(change, std::abs(step(c)) / (std::abs(x) + 1e-300));
            }
            if (change < 1e-14) break;
        }
        for (const std::size_t k : which) {
            for (const std::uint32_t j : open_states(depends[k])) fixed_[j] = true;
        }
    }

    // What the states now give against what was asked for.
    void check(const expression::Tape& tape, const std::vector<double>& target,
               const std::vector<const StartCondition*>& list, const std::vector<std::vector<std::uint32_t>>& depends) {
        std::vector<double> got(tape.output_count());
        auto work = tape.make_workspace<double>();
        ev_.run(tape, work, point_.time, point_.y, point_.yp, got);
        for (std::size_t k = 0; k < list.size(); ++k) {
            double scale = std::max(std::abs(target[k]), std::abs(got[k]));
            // A zero among other values is met to their rounding.
            for (std::size_t o = 0; o < list.size() && list.size() < kMostCompared; ++o) {
                if (share_state(depends[o], depends[k])) scale = std::max(scale, std::abs(target[o]));
            }
            if (std::abs(got[k] - target[k]) <= 1e-9 * scale || scale < 1e-300) continue;
            std::string others;
            for (std::size_t o = 0; o < list.size(); ++o) {
                if (o == k || !share_state(depends[o], depends[k])) continue;
                others +=
                    fmt::format("{}'{}' in line {}", others.empty() ? "" : ", ", list[o]->name, list[o]->position.line);
            }
            diagnostics_.error(
                "BG-I001", list[k]->position,
                fmt::format("start values contradict each other: '{}' is to be {:.6g}, but the others make it {:.6g}",
                            list[k]->name, target[k], got[k]),
                {{"where", others.empty() ? "it depends on no state: nothing can make it so"
                                          : "it depends on the same states as " + others},
                 {"try", "give only one of them, or use guess: for those that may move"}});
            return;  // one contradiction brings several violated conditions
        }
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

Segment first_segment(const CompiledModel& model, double start) {
    Segment segment;
    const auto& events = model.time_events;
    if (std::binary_search(events.begin(), events.end(), start)) segment.after = start;
    const auto next = std::upper_bound(events.begin(), events.end(), start);
    if (next != events.end()) segment.before = *next;
    return segment;
}

Point initialize(const CompiledModel& model, double time) {
    Evaluator evaluator(model);
    evaluator.segment = first_segment(model, time);
    return StartSolver(evaluator, time).run();
}

}  // namespace bondgraph::simulation
