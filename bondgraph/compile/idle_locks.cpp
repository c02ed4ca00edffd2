#include "bondgraph/compile/idle_locks.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>

#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::compile {

using expression::Op;

namespace {

/// A row that prescribes a flow, which is the rate of a coordinate.
struct Prescribed {
    std::uint32_t row = 0;
    Eigen::Index coordinate = 0;
    bool lock = false;
    std::string_view name;
};

class Prescriptions {
   public:
    explicit Prescriptions(const AssemblyProblem& p)
        : p_(p), s_(*p.system), g_(*s_.causal->graph), graph_(*g_.expressions), same_(2 * g_.variable_count()) {
        for (const OrientedEquation& e : s_.equations) {
            const auto a = node_of(e.lhs), b = node_of(e.rhs);
            if (a && b) same_.union_set(*a, *b);
        }
    }

    /// Those of coordinates of the problem: sources before locks, these by name.
    std::vector<Prescribed> find() {
        std::map<std::size_t, Eigen::Index> coordinates;
        for (std::size_t k = 0; k < p_.variables.size(); ++k)
            coordinates[same_.find_set(g_.variable_count() + p_.variables[k])] = static_cast<Eigen::Index>(k);
        std::vector<Prescribed> result;
        for (std::uint32_t r = 0; r < s_.equations.size(); ++r) {
            const OrientedEquation& e = s_.equations[r];
            const auto flow = prescribed_flow(e);
            if (!flow) continue;
            const auto at = coordinates.find(same_.find_set(*flow));
            if (at == coordinates.end()) continue;
            const model::Element& element = g_.elements[e.element.index()];
            result.push_back({r, at->second, element.type->may_idle, element.name});
        }
        std::ranges::sort(result, [](const Prescribed& a, const Prescribed& b) {
            return std::tie(a.lock, a.name) < std::tie(b.lock, b.name);
        });
        return result;
    }

   private:
    /// Variables, then their derivatives.
    std::optional<std::size_t> node_of(Expr e) const {
        if (e.is_literal()) return std::nullopt;
        const expression::Node& n = graph_[e.node()];
        if (n.op == Op::variable && n.a < g_.variable_count()) return n.a;
        if (n.op == Op::derivative && n.a < g_.variable_count()) return g_.variable_count() + n.a;
        return std::nullopt;
    }

    std::optional<std::size_t> prescribed_flow(const OrientedEquation& e) const {
        if (!e.element.valid()) return std::nullopt;
        if (!g_.elements[e.element.index()].type->is_source() && !g_.elements[e.element.index()].type->may_idle)
            return std::nullopt;
        for (const auto& [one, other] : {std::pair(e.lhs, e.rhs), std::pair(e.rhs, e.lhs)}) {
            const auto v = node_of(one);
            if (v && *v < 2 * std::size_t{g_.bond_components} && *v % 2 == 1 &&
                variables_in(graph_, std::span(&other, 1)).empty())
                return v;
        }
        return std::nullopt;
    }

    const AssemblyProblem& p_;
    const EquationSystem& s_;
    const model::BondGraph& g_;
    const expression::Graph& graph_;
    boost::disjoint_sets_with_storage<> same_;
};

bool any_lock_holds(const EquationSystem& s) {
    const model::BondGraph& g = *s.causal->graph;
    return std::ranges::any_of(s.equations, [&](const OrientedEquation& e) {
        return e.element.valid() && g.elements[e.element.index()].type->may_idle && e.target.valid() &&
               e.target.value < 2 * g.bond_components && e.target.value % 2 == 1;
    });
}

}  // namespace

std::vector<std::uint32_t> locks_too_many(const AssemblyProblem& p, const Assembly& assembly,
                                          const std::vector<bool>& needed) {
    constexpr double kRank = 1e-6;  // of a scaled row
    std::vector<std::uint32_t> result;
    if (p.variables.empty() || !any_lock_holds(*p.system)) return result;
    const std::vector<Prescribed> all = Prescriptions(p).find();
    if (std::ranges::none_of(all, &Prescribed::lock)) return result;
    const ClosureGradients gradients(p);
    // Anywhere: a lock that is one too many in a position of the links only is not left out for that.
    std::vector<Eigen::MatrixXd> places = gradients_elsewhere(p, gradients, assembly.point);
    // And where the loops are closed: Bricard's linkage has a freedom there, and there only.
    const std::vector<double> sizes = sizes_of(p, gradients, assembly.point);
    Eigen::MatrixXd closed = without_rounding(gradients.at(assembly.point), sizes);
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        if (sizes[r] > 0.0) closed.row(static_cast<Eigen::Index>(r)) /= sizes[r];
    }
    places.push_back(std::move(closed));
    std::vector<Eigen::Index> kept;
    for (std::size_t r = 0; r < needed.size(); ++r) {
        if (needed[r]) kept.push_back(static_cast<Eigen::Index>(r));
    }
    for (Eigen::MatrixXd& m : places) m = Eigen::MatrixXd(m(kept, Eigen::all));
    const auto rank = [&](const Eigen::MatrixXd& m) {
        return static_cast<Eigen::Index>(structure::independent_columns(m.transpose(), {}, kRank, 0.0).size());
    };
    for (const Prescribed& prescribed : all) {
        std::vector<Eigen::MatrixXd> with;
        bool independent = false;
        for (const Eigen::MatrixXd& m : places) {
            Eigen::MatrixXd more(m.rows() + 1, m.cols());
            more << m, Eigen::RowVectorXd::Unit(m.cols(), prescribed.coordinate);
            independent = independent || rank(more) > rank(m);
            with.push_back(std::move(more));
        }
        if (independent)
            places = std::move(with);
        else if (prescribed.lock)
            result.push_back(prescribed.row);
    }
    return result;
}

}  // namespace bondgraph::compile
