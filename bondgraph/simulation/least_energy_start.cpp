#include "bondgraph/simulation/least_energy_start.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace bondgraph::simulation {

using expression::Jet;

namespace {

/// The states of one group whose values are sought, with the algebraic unknowns that follow, and its storages.
struct Group {
    std::vector<std::uint32_t> open;
    std::vector<const TiedStorages::Storage*> storages;
    std::vector<std::size_t> values;  ///< that they have to meet
    std::vector<std::uint32_t> rows;  ///< of the residual, likewise
    bool usable = true;
};

std::vector<Group> groups_of(const TiedStorages& tied, std::vector<bool> open, std::size_t unknowns,
                             const ValuesToMeet& values) {
    const auto state_count = static_cast<std::uint32_t>(open.size());
    open.resize(unknowns, true);
    std::vector<std::uint32_t> root(unknowns);
    std::iota(root.begin(), root.end(), 0U);
    const auto find = [&](std::uint32_t state) {
        while (root[state] != state) state = root[state] = root[root[state]];
        return state;
    };
    const auto first_open = [&](const std::vector<std::uint32_t>& states) {
        return std::ranges::find_if(states, [&](std::uint32_t j) { return open[j]; });
    };
    const auto join = [&](const std::vector<std::uint32_t>& states) {
        const auto first = first_open(states);
        for (const std::uint32_t j : states) {
            if (open[j]) root[find(j)] = find(*first);
        }
    };
    for (const TiedStorages::Storage& s : tied.dependent) join(s.states);
    for (const auto& states : values.states) join(states);
    for (const TiedStorages::Row& row : tied.rows) join(row.unknowns);
    std::map<std::uint32_t, Group> by_root;
    for (std::size_t k = 0; k < values.states.size(); ++k) {
        const auto first = first_open(values.states[k]);
        if (first != values.states[k].end()) by_root[find(*first)].values.push_back(k);
    }
    for (const TiedStorages::Storage& s : tied.dependent) {
        const auto first = first_open(s.states);
        if (first == s.states.end()) continue;
        Group& group = by_root[find(*first)];
        group.storages.push_back(&s);
        group.usable = group.usable && s.usable;
    }
    for (std::uint32_t j = 0; j < tied.independent.size(); ++j) {
        const auto found = open[j] ? by_root.find(find(j)) : by_root.end();
        if (found == by_root.end()) continue;
        const TiedStorages::Storage& s = tied.independent[j];
        found->second.open.push_back(j);
        found->second.storages.push_back(&s);
        found->second.usable = found->second.usable && s.usable;
    }
    std::set<std::uint32_t> algebraic;
    for (const TiedStorages::Row& row : tied.rows) {
        const auto found = by_root.find(find(*first_open(row.unknowns)));
        if (found == by_root.end()) continue;
        found->second.rows.push_back(row.number);
        for (const std::uint32_t j : row.unknowns) {
            if (j >= state_count && algebraic.insert(j).second) found->second.open.push_back(j);
        }
    }
    std::vector<Group> groups;
    for (auto& [r, group] : by_root) {
        const auto solved_for = std::ranges::count_if(group.open, [&](std::uint32_t j) { return j >= state_count; });
        group.usable = group.usable && static_cast<std::size_t>(solved_for) == group.rows.size();
        groups.push_back(std::move(group));
    }
    return groups;
}

/// The slopes of what a group stores by its open states, and how they change with these where the constraints are
/// straight.
struct Slopes {
    Eigen::VectorXd gradient;
    Eigen::MatrixXd curvature;
    double size = 0.0;  ///< of the terms of the gradient, together
};

/// What values lack of what they are to be, and how they change with the open states.
struct Lacking {
    Eigen::VectorXd lack;
    Eigen::MatrixXd slopes;
    Eigen::VectorXd size;  ///< of what each is made of
};

using Groups = std::vector<const Group*>;

/// Searches the values of many groups at once. What one is made of depends on its own open unknowns alone, so that
/// slopes by one unknown of each are found together, in one evaluation of the whole tape: a thousand groups take as
/// many evaluations as one.
class LeastEnergy {
   public:
    LeastEnergy(Evaluator& evaluator, Point& point, const TiedStorages& tied, const ValuesToMeet& values)
        : ev_(evaluator), point_(point), tied_(tied), values_(values), work_(tied.tape.make_workspace<Jet<1>>()) {}

    void search(const Groups& groups) {
        constexpr int kMost = 100;
        constexpr double kNothing = 1e-14;  // of the terms: some operations lie between
        std::vector<Descent> all;
        for (Slopes& at : slopes(groups)) {
            const Group& group = *groups[all.size()];
            all.push_back({&group, values_at(group), {}, std::move(at), {}});
        }
        for (int k = 0; k < kMost; ++k) {
            std::vector<Descent*> moving;
            for (Descent& d : all) {
                d.done = d.done || !(d.now.gradient.norm() > kNothing * d.now.size) || !find_step(d);
                if (!d.done) moving.push_back(&d);
            }
            if (moving.empty()) break;
            go_down(std::move(moving));
        }
        constexpr double kNear = 1e-10;  // as rounding lets it come
        for (const Descent& d : all) {
            if (!(d.now.gradient.norm() <= kNear * d.now.size)) put(*d.group, d.begin);
        }
    }

    /// The same beside values that have to be met; which groups meet them. Others are as before.
    std::vector<bool> search_beside_values(const Groups& groups) {
        constexpr int kMost = 100;
        std::vector<bool> met(groups.size(), false);
        std::vector<Eigen::VectorXd> begin;
        std::vector<std::size_t> left(groups.size());
        std::iota(left.begin(), left.end(), std::size_t{0});
        for (const Group* group : groups) begin.push_back(values_at(*group));
        for (int k = 0; k < kMost && !left.empty(); ++k) {
            const Groups now = some_of(groups, left);
            const std::vector<Slopes> at = slopes(now);
            const std::vector<Lacking> lacking = lacking_of(now);
            std::vector<std::size_t> further;
            std::vector<std::size_t> arrived;
            for (std::size_t i = 0; i < left.size(); ++i) {
                const Step step = take_step(*now[i], at[i], lacking[i]);
                if (step == Step::further) further.push_back(left[i]);
                if (step == Step::arrived) arrived.push_back(left[i]);
            }
            constexpr double kMet = 1e-10;  // of what a value is made of
            const std::vector<Lacking> rest = lacking_of(some_of(groups, arrived));
            for (std::size_t i = 0; i < arrived.size(); ++i)
                met[arrived[i]] = (rest[i].lack.cwiseAbs().array() <= kMet * rest[i].size.array()).all();
            left = std::move(further);
        }
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (!met[i]) put(*groups[i], begin[i]);
        }
        return met;
    }

   private:
    /// A group on its way to where it stores least.
    struct Descent {
        const Group* group = nullptr;
        Eigen::VectorXd begin;
        Eigen::VectorXd here;
        Slopes now;
        Eigen::VectorXd step;
        double share = 1.0;  ///< of the step that is tried
        bool done = false;
    };
    enum class Step { further, arrived, failed };

    static Groups some_of(const Groups& groups, const std::vector<std::size_t>& which) {
        Groups some;
        for (const std::size_t i : which) some.push_back(groups[i]);
        return some;
    }

    Eigen::VectorXd values_at(const Group& group) const {
        Eigen::VectorXd values(static_cast<Eigen::Index>(group.open.size()));
        for (Eigen::Index i = 0; i < values.size(); ++i) values(i) = point_.y[group.open[static_cast<std::size_t>(i)]];
        return values;
    }

    void put(const Group& group, const Eigen::VectorXd& values) {
        for (Eigen::Index i = 0; i < values.size(); ++i) point_.y[group.open[static_cast<std::size_t>(i)]] = values(i);
    }

    bool find_step(Descent& d) const {
        const Eigen::LDLT<Eigen::MatrixXd> factors(d.now.curvature);
        d.step = factors.solve(d.now.gradient);
        d.share = 1.0;
        d.here = values_at(*d.group);
        return factors.info() == Eigen::Success && factors.isPositive() && d.step.allFinite();
    }

    /// Each a share of its step, not far beyond where the least is on the way. One that finds none is done.
    void go_down(std::vector<Descent*> moving) {
        constexpr double kShortest = 1e-6;  // of a step
        while (!moving.empty()) {
            Groups groups;
            for (Descent* d : moving) {
                put(*d->group, d->here - d->share * d->step);
                groups.push_back(d->group);
            }
            std::vector<Slopes> there = slopes(groups);
            std::vector<Descent*> again;
            for (std::size_t i = 0; i < moving.size(); ++i) {
                Descent& d = *moving[i];
                const double left = d.step.dot(there[i].gradient);
                if (left >= 0.0 || left >= -0.5 * d.step.dot(d.now.gradient)) {
                    d.now = std::move(there[i]);
                } else if (d.share *= 0.5; d.share > kShortest) {
                    again.push_back(&d);
                } else {
                    put(*d.group, d.here);
                    d.done = true;
                }
            }
            moving = std::move(again);
        }
    }

    Step take_step(const Group& group, const Slopes& now, const Lacking& lacking) {
        constexpr double kNothing = 1e-12;  // of the largest state: some operations lie between
        const auto n = static_cast<Eigen::Index>(group.open.size());
        const auto m = lacking.lack.size();
        Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + m, n + m);
        all.topLeftCorner(n, n) = now.curvature;
        all.topRightCorner(n, m) = lacking.slopes.transpose();
        all.bottomLeftCorner(m, n) = lacking.slopes;
        Eigen::VectorXd right(n + m);
        right << -now.gradient, lacking.lack;
        const Eigen::VectorXd step = all.completeOrthogonalDecomposition().solve(right).head(n);
        if (!step.allFinite()) return Step::failed;
        const Eigen::VectorXd there = values_at(group) + step;
        put(group, there);
        return step.cwiseAbs().maxCoeff() > kNothing * there.cwiseAbs().maxCoeff() ? Step::further : Step::arrived;
    }

    static std::size_t most_open(const Groups& groups) {
        std::size_t most = 0;
        for (const Group* group : groups) most = std::max(most, group->open.size());
        return most;
    }

    /// Evaluates a tape with slopes by the unknown number j of each group.
    void evaluate(const Groups& groups, std::size_t j, const expression::Tape& tape, std::vector<Jet<1>>& in,
                  std::vector<Jet<1>>& out, auto& work) const {
        const auto seed = [&](double value) {
            for (const Group* group : groups) {
                if (j < group->open.size()) in[1 + group->open[j]].d[0] = value;
            }
        };
        seed(1.0);
        tape.evaluate<Jet<1>>(in, out, work);
        seed(0.0);
    }

    std::vector<Lacking> lacking_of(const Groups& groups) {
        std::vector<Lacking> result;
        std::vector<std::vector<std::size_t>> of_values;
        std::vector<std::vector<std::size_t>> of_rows;
        for (const Group* group : groups) {
            const auto n = static_cast<Eigen::Index>(group->open.size());
            const auto m = static_cast<Eigen::Index>(group->values.size() + group->rows.size());
            result.push_back({Eigen::VectorXd::Zero(m), Eigen::MatrixXd::Zero(m, n), Eigen::VectorXd::Zero(m)});
            of_values.emplace_back();
            of_rows.emplace_back(group->rows.begin(), group->rows.end());
            for (std::size_t k = 0; k < group->values.size(); ++k) {
                result.back().lack(static_cast<Eigen::Index>(k)) = values_.targets[group->values[k]];
                of_values.back().push_back(values_.outputs[group->values[k]]);
            }
        }
        if (std::ranges::any_of(of_values, [](const auto& v) { return !v.empty(); }))
            add(groups, *values_.tape, of_values, std::vector<std::size_t>(groups.size(), 0), result);
        std::vector<std::size_t> first;
        for (const auto& v : of_values) first.push_back(v.size());
        if (std::ranges::any_of(of_rows, [](const auto& r) { return !r.empty(); }))
            add(groups, ev_.model().residual, of_rows, first, result);
        return result;
    }

    /// Rows of what is lacking, of each group from `first` on: what a tape gives is taken from what stands there.
    void add(const Groups& groups, const expression::Tape& tape, const std::vector<std::vector<std::size_t>>& outputs,
             const std::vector<std::size_t>& first, std::vector<Lacking>& all) {
        const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
        std::vector<Jet<1>> in(plain.begin(), plain.end());
        std::vector<Jet<1>> out(tape.output_count());
        auto work = tape.make_workspace<Jet<1>>();
        for (std::size_t j = 0; j < most_open(groups); ++j) {
            evaluate(groups, j, tape, in, out, work);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                if (j >= groups[g]->open.size()) continue;
                Lacking& lacking = all[g];
                for (std::size_t i = 0; i < outputs[g].size(); ++i) {
                    const auto row = static_cast<Eigen::Index>(first[g] + i);
                    const Jet<1>& got = out[outputs[g][i]];
                    if (j == 0) lacking.size(row) = std::abs(lacking.lack(row)) + std::abs(got.v);
                    if (j == 0) lacking.lack(row) -= got.v;
                    lacking.slopes(row, static_cast<Eigen::Index>(j)) = got.d[0];
                    lacking.size(row) += std::abs(got.d[0] * point_.y[groups[g]->open[j]]);
                }
            }
        }
    }

    std::vector<Slopes> slopes(const Groups& groups) {
        struct Rows {
            Eigen::MatrixXd of_state, of_other;
            Eigen::VectorXd other;
        };
        std::vector<Rows> rows;
        for (const Group* group : groups) {
            const auto n = static_cast<Eigen::Index>(group->open.size());
            const auto count = static_cast<Eigen::Index>(group->storages.size());
            rows.push_back({Eigen::MatrixXd(count, n), Eigen::MatrixXd(count, n), Eigen::VectorXd(count)});
        }
        const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
        std::vector<Jet<1>> in(plain.begin(), plain.end());
        std::vector<Jet<1>> out(tied_.tape.output_count());
        for (std::size_t j = 0; j < most_open(groups); ++j) {
            evaluate(groups, j, tied_.tape, in, out, work_);
            for (std::size_t g = 0; g < groups.size(); ++g) {
                if (j >= groups[g]->open.size()) continue;
                for (std::size_t i = 0; i < groups[g]->storages.size(); ++i) {
                    const std::uint32_t k = groups[g]->storages[i]->output;
                    const auto row = static_cast<Eigen::Index>(i);
                    rows[g].of_state(row, static_cast<Eigen::Index>(j)) = out[k].d[0];
                    rows[g].of_other(row, static_cast<Eigen::Index>(j)) = out[k + 1].d[0];
                    rows[g].other(row) = out[k + 1].v;
                }
            }
        }
        std::vector<Slopes> result;
        for (const Rows& r : rows)
            result.push_back({r.of_state.transpose() * r.other, r.of_state.transpose() * r.of_other,
                              (r.of_state.cwiseAbs().transpose() * r.other.cwiseAbs()).norm()});
        return result;
    }

    Evaluator& ev_;
    Point& point_;
    const TiedStorages& tied_;
    const ValuesToMeet& values_;
    decltype(std::declval<expression::Tape>().make_workspace<Jet<1>>()) work_;
};

}  // namespace

bool take_least_energy(Evaluator& evaluator, Point& point, const std::vector<bool>& open, const ValuesToMeet& values) {
    const TiedStorages& tied = evaluator.findings().of<TiedStorages>();
    if (tied.dependent.empty()) return values.outputs.empty();
    const std::vector<double> begin = point.y;
    LeastEnergy search(evaluator, point, tied, values);
    const std::vector<Group> all = groups_of(tied, open, evaluator.size(), values);
    Groups free;
    Groups bound;
    for (const Group& group : all) {
        if (group.usable && !group.open.empty())
            (group.values.empty() && group.rows.empty() ? free : bound).push_back(&group);
    }
    // Each by itself though at once: a storage that follows another has all in it that this one's law depends on, so
    // that storages whose laws are modulated by each other are in one group.
    search.search(free);
    const std::vector<bool> meets = search.search_beside_values(bound);
    std::size_t met = 0;
    for (std::size_t i = 0; i < bound.size(); ++i) met += meets[i] ? bound[i]->values.size() : 0;
    if (met < values.outputs.size()) point.y = begin;
    return met == values.outputs.size();
}

}  // namespace bondgraph::simulation
