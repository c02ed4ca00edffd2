#include "bondgraph/simulation/least_energy_start.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using expression::Expr;
using expression::Jet;

namespace {

/// A storage's state and what goes with it, in unknowns.
struct StorageVariables {
    compile::VariableId variable;
    Expr state = 0.0;
    Expr other = 0.0;
    bool usable = false;
};

/// What all storages of one element have in common, so that a multibond of many components is looked at once.
struct ElementVariables {
    std::optional<model::ElementId> element;
    Expr all_states = 0.0;
    std::vector<Expr> others;  ///< by component; empty where it is no C or I
};

ElementVariables element_variables(const CompiledModel& m, model::ElementId id) {
    const model::BondGraph& g = m.graph();
    const model::Element& e = g.elements[id.index()];
    ElementVariables result{.element = id, .all_states = 0.0, .others = {}};
    for (const model::Element::Slot& slot : e.slots) {  // of others than C and I, what they depend on
        for (std::uint32_t k = 0; k < slot.size && slot.kind == model::Element::Slot::Kind::state; ++k)
            result.all_states += m.values[g.slot_variable(slot.first + k).index()];
    }
    if (e.ports.size() != 1 || e.type->states.size() != 1 || e.slots.empty()) return result;
    const std::string_view covariable = e.type->states[0].covariable;
    if (covariable != "e" && covariable != "f") return result;
    std::vector<model::Equation> none;
    const model::LawContext context(g, id, none);
    const auto other = covariable == "e" ? context.effort(0) : context.flow(0);
    result.others = m.in_unknowns(std::vector<Expr>(other.begin(), other.end()));
    return result;
}

StorageVariables variables_of(const CompiledModel& m, const causality::StorageCausality& s,
                              const ElementVariables& element) {
    const model::BondGraph& g = m.graph();
    const model::Element& e = g.elements[s.element.index()];
    StorageVariables result{.variable = {}, .state = element.all_states, .other = 0.0, .usable = false};
    if (s.number >= element.others.size()) return result;
    const model::Element::Slot* slot = e.slot(e.type->states[0].name);
    if (slot == nullptr || s.number >= slot->size) return result;
    result.variable = g.slot_variable(slot->first + s.number);
    result.state = m.values[result.variable.index()];
    result.other = element.others[s.number];
    result.usable = true;
    return result;
}

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

class LeastEnergy {
   public:
    LeastEnergy(Evaluator& evaluator, Point& point, const TiedStorages& tied, const ValuesToMeet& values)
        : ev_(evaluator), point_(point), tied_(tied), values_(values), work_(tied.tape.make_workspace<Jet<1>>()) {}

    void search(const Group& group) {
        constexpr int kMost = 100;
        constexpr double kNothing = 1e-14;  // of the terms: some operations lie between
        constexpr double kShortest = 1e-6;  // of a step
        const std::vector<double> begin = point_.y;
        Slopes now = slopes(group);
        for (int k = 0; k < kMost && now.gradient.norm() > kNothing * now.size; ++k) {
            const Eigen::LDLT<Eigen::MatrixXd> factors(now.curvature);
            const Eigen::VectorXd step = factors.solve(now.gradient);
            const std::vector<double> here = point_.y;
            if (factors.info() != Eigen::Success || !factors.isPositive() || !step.allFinite()) break;
            const double along = step.dot(now.gradient);
            bool further = false;
            for (double share = 1.0; share > kShortest && !further; share *= 0.5) {
                for (std::size_t i = 0; i < group.open.size(); ++i)
                    point_.y[group.open[i]] = here[group.open[i]] - share * step(static_cast<Eigen::Index>(i));
                Slopes there = slopes(group);
                const double left = step.dot(there.gradient);  // not far beyond where the least is on the way
                further = left >= 0.0 || left >= -0.5 * along;
                if (further) now = std::move(there);
            }
            if (further) continue;
            point_.y = here;
            break;
        }
        constexpr double kNear = 1e-10;  // as rounding lets it come
        if (!(now.gradient.norm() <= kNear * now.size)) point_.y = begin;
    }

    /// The same beside values that have to be met; whether they are.
    bool search_beside_values(const Group& group) {
        constexpr int kMost = 100;
        constexpr double kNothing = 1e-12;  // of the largest state: some operations lie between
        constexpr double kMet = 1e-10;      // of what a value is made of
        const auto n = static_cast<Eigen::Index>(group.open.size());
        const auto m = static_cast<Eigen::Index>(group.values.size() + group.rows.size());
        for (int k = 0; k < kMost; ++k) {
            const Slopes now = slopes(group);
            const Lacking lacking = lacking_of(group);
            Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + m, n + m);
            all.topLeftCorner(n, n) = now.curvature;
            all.topRightCorner(n, m) = lacking.slopes.transpose();
            all.bottomLeftCorner(m, n) = lacking.slopes;
            Eigen::VectorXd right(n + m);
            right << -now.gradient, lacking.lack;
            const Eigen::VectorXd step = all.completeOrthogonalDecomposition().solve(right).head(n);
            if (!step.allFinite()) return false;
            double largest = 0.0;
            for (Eigen::Index i = 0; i < n; ++i) {
                double& x = point_.y[group.open[static_cast<std::size_t>(i)]];
                x += step(i);
                largest = std::max(largest, std::abs(x));
            }
            if (step.cwiseAbs().maxCoeff() > kNothing * largest) continue;
            const Lacking left = lacking_of(group);
            return (left.lack.cwiseAbs().array() <= kMet * left.size.array()).all();
        }
        return false;
    }

   private:
    Lacking lacking_of(const Group& group) {
        const auto n = static_cast<Eigen::Index>(group.open.size());
        const auto m = static_cast<Eigen::Index>(group.values.size() + group.rows.size());
        Lacking result{Eigen::VectorXd::Zero(m), Eigen::MatrixXd::Zero(m, n), Eigen::VectorXd::Zero(m)};
        Eigen::Index next = 0;
        if (!group.values.empty()) {
            for (const std::size_t value : group.values) result.lack(next++) = values_.targets[value];
            std::vector<std::size_t> outputs;
            for (const std::size_t value : group.values) outputs.push_back(values_.outputs[value]);
            add(group, *values_.tape, outputs, 0, result);
        }
        if (!group.rows.empty())
            add(group, ev_.model().residual, std::vector<std::size_t>(group.rows.begin(), group.rows.end()), next,
                result);
        return result;
    }

    /// Rows of what is lacking from `first` on: what a tape gives is taken from what stands there.
    void add(const Group& group, const expression::Tape& tape, const std::vector<std::size_t>& outputs,
             Eigen::Index first, Lacking& lacking) {
        const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
        std::vector<Jet<1>> in(plain.begin(), plain.end());
        std::vector<Jet<1>> out(tape.output_count());
        auto work = tape.make_workspace<Jet<1>>();
        for (std::size_t j = 0; j < group.open.size(); ++j) {
            const std::uint32_t unknown = group.open[j];
            in[1 + unknown].d[0] = 1.0;
            tape.evaluate<Jet<1>>(in, out, work);
            in[1 + unknown].d[0] = 0.0;
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const Eigen::Index row = first + static_cast<Eigen::Index>(i);
                const Jet<1>& got = out[outputs[i]];
                if (j == 0) lacking.size(row) = std::abs(lacking.lack(row)) + std::abs(got.v);
                if (j == 0) lacking.lack(row) -= got.v;
                lacking.slopes(row, static_cast<Eigen::Index>(j)) = got.d[0];
                lacking.size(row) += std::abs(got.d[0] * point_.y[unknown]);
            }
        }
    }

    Slopes slopes(const Group& group) {
        const auto n = static_cast<Eigen::Index>(group.open.size());
        Slopes result{Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Zero(n, n)};
        const auto count = static_cast<Eigen::Index>(group.storages.size());
        Eigen::MatrixXd of_state(count, n);
        Eigen::MatrixXd of_other(count, n);
        Eigen::VectorXd other(count);
        const auto plain = ev_.inputs(point_.time, point_.y, point_.yp);
        std::vector<Jet<1>> in(plain.begin(), plain.end());
        std::vector<Jet<1>> out(tied_.tape.output_count());
        for (Eigen::Index j = 0; j < n; ++j) {
            const std::uint32_t input = 1 + group.open[static_cast<std::size_t>(j)];
            in[input].d[0] = 1.0;
            tied_.tape.evaluate<Jet<1>>(in, out, work_);
            in[input].d[0] = 0.0;
            for (Eigen::Index i = 0; i < count; ++i) {
                const std::uint32_t k = group.storages[static_cast<std::size_t>(i)]->output;
                of_state(i, j) = out[k].d[0];
                of_other(i, j) = out[k + 1].d[0];
                other(i) = out[k + 1].v;
            }
        }
        result.gradient = of_state.transpose() * other;
        result.curvature = of_state.transpose() * of_other;
        result.size = (of_state.cwiseAbs().transpose() * other.cwiseAbs()).norm();
        return result;
    }

    Evaluator& ev_;
    Point& point_;
    const TiedStorages& tied_;
    const ValuesToMeet& values_;
    decltype(std::declval<expression::Tape>().make_workspace<Jet<1>>()) work_;
};

}  // namespace

namespace {

/// The equations without rates that dependent storages are found by where these depend on algebraic unknowns.
void find_rows(const CompiledModel& m, const std::vector<TiedStorages::Storage>& dependent,
               std::vector<TiedStorages::Row>& rows) {
    std::vector<bool> needed(m.size(), false);
    bool any = false;
    for (const TiedStorages::Storage& s : dependent) {
        for (const std::uint32_t j : s.states) {
            if (j >= m.state_count) needed[j] = any = true;
        }
    }
    if (!any) return;
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, 2 * m.size(), true);
    const auto depends = m.residual.dependencies(wanted);
    std::vector<bool> taken(depends.size(), false);
    for (bool more = true; std::exchange(more, false);) {
        for (std::uint32_t r = 0; r < depends.size(); ++r) {
            const auto is_needed = [&](std::uint32_t in) {
                return in <= m.size() && in > m.state_count && needed[in - 1];
            };
            const bool has_rates = std::ranges::any_of(depends[r], [&](std::uint32_t in) { return in > m.size(); });
            if (taken[r] || has_rates || std::ranges::none_of(depends[r], is_needed)) continue;
            taken[r] = more = true;
            TiedStorages::Row row{r, {}};
            for (const std::uint32_t in : depends[r]) {
                row.unknowns.push_back(in - 1);
                if (in > m.state_count) needed[in - 1] = true;
            }
            rows.push_back(std::move(row));
        }
    }
}

}  // namespace

TiedStorages::TiedStorages(const CompiledModel& m) : independent(m.state_count) {
    std::vector<Expr> outputs;
    const auto& storages = m.causal->storages;
    const bool any = std::ranges::any_of(storages, [](const auto& s) { return !s.integral; });
    std::map<std::uint32_t, std::uint32_t> numbers;  // of states, by variable
    for (std::uint32_t j = 0; j < m.state_count; ++j) numbers.emplace(m.unknowns[j].variable.value, j);
    ElementVariables element;
    for (const causality::StorageCausality& s : storages) {
        if (!any || m.reduced) break;
        if (element.element != s.element) element = element_variables(m, s.element);
        const StorageVariables v = variables_of(m, s, element);
        Storage storage{.output = static_cast<std::uint32_t>(outputs.size()), .states = {}, .usable = v.usable};
        outputs.insert(outputs.end(), {v.state, v.other});
        if (!s.integral)
            dependent.push_back(std::move(storage));
        else if (const auto state = numbers.find(v.variable.value); v.usable && state != numbers.end())
            independent[state->second] = std::move(storage);
    }
    tape = m.tape(outputs);
    std::vector<bool> wanted(m.input_size(), false);
    std::fill_n(wanted.begin() + 1, 2 * m.size(), true);
    const auto depends = tape.dependencies(wanted);
    const auto note = [&](Storage& s) {
        for (const std::uint32_t k : {s.output, s.output + 1}) {
            for (const std::uint32_t in : depends[k]) {
                s.usable = s.usable && in <= m.size();
                if (in <= m.size()) s.states.push_back(in - 1);
            }
        }
        std::ranges::sort(s.states);
        s.states.erase(std::unique(s.states.begin(), s.states.end()), s.states.end());
    };
    for (Storage& s : dependent) note(s);
    find_rows(m, dependent, rows);
    for (Storage& s : independent) {
        if (s.usable) note(s);
    }
}

bool take_least_energy(Evaluator& evaluator, Point& point, const std::vector<bool>& open, const ValuesToMeet& values) {
    const TiedStorages& tied = evaluator.findings().of<TiedStorages>();
    if (tied.dependent.empty()) return values.outputs.empty();
    const std::vector<double> begin = point.y;
    LeastEnergy search(evaluator, point, tied, values);
    std::size_t met = 0;
    for (const Group& group : groups_of(tied, open, evaluator.size(), values)) {
        const bool any = group.usable && !group.open.empty();
        if (!any) continue;
        if (group.values.empty() && group.rows.empty()) {
            search.search(group);
        } else if (search.search_beside_values(group)) {
            met += group.values.size();
        } else {
            for (const std::uint32_t j : group.open) point.y[j] = begin[j];
        }
    }
    if (met < values.outputs.size()) point.y = begin;
    return met == values.outputs.size();
}

}  // namespace bondgraph::simulation
