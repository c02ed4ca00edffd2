#include "bondgraph/model/start_only.hpp"

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::model {

using expression::Expr;

namespace {

/// Roots of expressions, each once looked through.
class Leaves {
   public:
    void add(Expr e) {
        if (!e.is_literal()) roots_.push_back(e.node());
    }
    void add(const std::vector<GivenEquation>& equations) {
        for (const GivenEquation& q : equations) {
            add(q.lhs);
            add(q.rhs);
        }
    }
    void add(const std::optional<Expr>& e) {
        if (e) add(*e);
    }

    /// By adjustable parameter: whether it occurs.
    [[nodiscard]] std::vector<bool> adjustable(const BondGraph& g) const {
        std::vector<bool> found(g.adjustable.size(), false);
        for (const std::uint32_t n : expression::reachable(*g.expressions, roots_)) {
            const expression::Node& node = (*g.expressions)[n];
            if (node.op != expression::Op::held || node.a < g.first_adjustable() || node.a >= g.first_free()) continue;
            found[node.a - g.first_adjustable()] = true;
        }
        return found;
    }

   private:
    std::vector<std::uint32_t> roots_;
};

// What elements do whatever their mode is, and what is said of their energy.
void add_laws(const BondGraph& g, Leaves& leaves) {
    std::vector<Equation> equations;
    std::vector<Update> updates;
    std::vector<DeclaredRate> rates;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const Element& e = g.elements[i];
        LawContext context(g, ElementId(i), equations, &updates, &rates);
        if (e.type->law != nullptr) e.type->law(context);
        if (e.type->stored_energy != nullptr) leaves.add(e.type->stored_energy(context));
        if (e.books == nullptr) continue;
        for (const auto& said : {e.books->energy, e.books->dissipation, e.books->supply}) leaves.add(said);
    }
    for (const Equation& q : equations) {
        leaves.add(q.lhs);
        leaves.add(q.rhs);
    }
    for (const Update& u : updates) leaves.add(u.value);
    for (const DeclaredRate& r : rates) leaves.add(r.value);
}

}  // namespace

std::vector<bool> of_start_only(const BondGraph& g) {
    Leaves run;
    add_laws(g, run);
    for (const When& w : g.whens) {
        run.add(w.condition);
        for (const WhenAction& a : w.actions) {
            run.add(a.target);
            run.add(a.value);
        }
    }
    Leaves start;
    start.add(g.initial_equations);
    for (const Element& e : g.elements) {
        start.add(e.initial_equations);
        for (const StartValue& s : e.starts) {
            for (const Expr& x : s.value.value.reshaped()) start.add(x);
        }
    }
    for (const DiscreteVariable& d : g.discretes) start.add(d.start);
    std::vector<bool> result = start.adjustable(g);
    const std::vector<bool> later = run.adjustable(g);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = result[k] && !later[k];
    return result;
}

}  // namespace bondgraph::model
