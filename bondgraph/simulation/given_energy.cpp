#include "bondgraph/simulation/given_energy.hpp"

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/simulation/chebyshev.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::EnergyTerm;
using expression::Expr;

namespace {

/// One state of a storage and what it is multiplied by to give energy: the effort of a flow's integral and vice versa.
struct Pair {
    std::size_t term = 0;
    Expr state;
    Expr other;
};

std::vector<Pair> pairs_of(const CompiledModel& m) {
    std::vector<Pair> pairs;
    for (std::size_t k = 0; k < m.energy.size(); ++k) {
        if (m.energy[k].kind != EnergyTerm::Kind::integrated_storage) continue;
        const model::BondGraph& g = m.graph();
        const model::Element& e = g.elements[m.energy[k].element.index()];
        std::vector<model::Equation> equations;
        model::LawContext context(g, m.energy[k].element, equations);
        e.type->law(context);
        const auto efforts = context.all_efforts();
        const auto flows = context.all_flows();
        for (const model::Equation& q : equations) {
            if (q.lhs.is_literal()) continue;
            const auto& node = (*g.expressions)[q.lhs.node()];
            if (node.op != expression::Op::derivative) continue;
            const Expr state = g.expressions->variable(node.a);
            for (Eigen::Index i = 0; i < efforts.size(); ++i) {
                if (same(q.rhs, flows(i))) pairs.push_back({k, m.in_unknowns(state), m.in_unknowns(efforts(i))});
                if (same(q.rhs, efforts(i))) pairs.push_back({k, m.in_unknowns(state), m.in_unknowns(flows(i))});
            }
        }
    }
    return pairs;
}

/// The states go straight from one point to the other; what follows from them is solved for.
class Way {
   public:
    Way(Mode& mode, const Point& before, const Point& after, const std::vector<Pair>& pairs)
        : mode_(mode), before_(before), after_(after), pairs_(pairs), values_(kFinestWay + 1) {
        std::vector<Expr> outputs;
        for (const Pair& p : pairs) outputs.insert(outputs.end(), {p.state, p.other});
        tape_ = mode.model->tape(outputs);
        work_ = tape_.make_workspace<double>();
    }

    /// By pair, with n + 1 points. Throws ModelError where what follows has no solution.
    std::vector<double> energy(std::size_t n) {
        const Chebyshev rule(n);
        std::vector<double> sum(pairs_.size(), 0.0);
        for (std::size_t i = 0; i <= n; ++i) {
            for (std::size_t j = 0; j <= n; ++j) {
                const auto& here = at(i * kFinestWay / n);
                const auto& there = at(j * kFinestWay / n);
                const double factor = rule.weight(static_cast<Eigen::Index>(i)) *
                                      rule.derivative(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
                for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * here[2 * k + 1] * there[2 * k];
            }
        }
        return sum;
    }

   private:
    const std::vector<double>& at(std::size_t i) {
        std::vector<double>& values = values_[i];
        if (!values.empty()) return values;
        const double share = chebyshev_point(i, kFinestWay);
        Point p = after_;
        for (std::size_t k = 0; k < mode_.model->state_count; ++k)
            p.y[k] = (1.0 - share) * before_.y[k] + share * after_.y[k];
        solve_rates(*mode_.evaluator, p);
        values.resize(2 * pairs_.size());
        mode_.evaluator->run(tape_, work_, p.time, p.y, p.yp, values);
        return values;
    }

    Mode& mode_;
    const Point& before_;
    const Point& after_;
    const std::vector<Pair>& pairs_;
    std::vector<std::vector<double>> values_;
    expression::Tape tape_;
    std::vector<double> work_;
};

}  // namespace

JumpBooks given_energy(Mode& mode, const Point& before, const Point& after) {
    const std::vector<Pair> pairs = pairs_of(*mode.model);
    if (pairs.empty()) return {};
    Way way(mode, before, after, pairs);
    const std::vector<double> energy = refined(way.energy(1), [&](std::size_t n) { return way.energy(n); });
    const std::size_t terms = mode.model->energy.size();
    JumpBooks books;
    books.impulses.assign(2 * std::size_t{mode.model->graph().bond_components}, 0.0);
    books.bonds.assign(mode.model->graph().bonds.size(), 0.0);
    books.taken.assign(terms, 0.0);
    books.stored.by_element.assign(terms, 0.0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        books.taken[pairs[k].term] += energy[k];
        books.stored.by_element[pairs[k].term] -= energy[k];
        books.stored.storages -= energy[k];
    }
    return books;
}

}  // namespace bondgraph::simulation
