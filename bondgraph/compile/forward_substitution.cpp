#include "bondgraph/compile/forward_substitution.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Expr;
using expression::Op;

namespace {

class Substituting {
   public:
    Substituting(expression::Graph& graph, std::span<const Expr> rows, const structure::Incidence& pattern,
                 std::size_t variables)
        : graph_(graph),
          rows_(rows),
          pattern_(pattern),
          rows_of_(pattern.transposed(variables)),
          known_(variables, false),
          values_(variables),
          unknown_(pattern.rows()) {
        for (std::size_t r = 0; r < pattern.rows(); ++r) {
            unknown_[r] = pattern.row(r).size();
            if (unknown_[r] == 1) ready_.push_back(r);
        }
    }

    void follow() {
        while (!ready_.empty()) {
            const std::size_t r = ready_.back();
            ready_.pop_back();
            if (unknown_[r] == 1) solve(r);
        }
    }

    void assume(const std::vector<bool>& assumed) {
        for (std::uint32_t v = 0; v < known_.size(); ++v) {
            if (assumed[v] && !known_[v]) know(v);
        }
    }

    std::vector<std::uint32_t> targets;
    std::vector<Expr> results;

   private:
    void know(std::uint32_t v) {
        known_[v] = true;
        for (const std::uint32_t r : rows_of_.row(v)) {
            if (--unknown_[r] == 1) ready_.push_back(r);
        }
    }

    void solve(std::size_t r) {
        std::uint32_t v = 0;
        for (const std::uint32_t c : pattern_.row(r)) {
            if (!known_[c]) v = c;
        }
        const Expr coefficient = expression::derivative(rows_[r], graph_.variable(v));
        if (!coefficient.is_constant() || coefficient.constant() == 0.0) return;
        const std::array roots{rows_[r]};
        const Expr rest = expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            if (graph_[n].op != Op::variable) return std::nullopt;
            return graph_[n].a == v ? Expr(0.0) : values_[graph_[n].a];
        })[0];
        values_[v] = rest / Expr(-coefficient.constant());
        targets.push_back(v);
        results.push_back(*values_[v]);
        know(v);
    }

    expression::Graph& graph_;
    std::span<const Expr> rows_;
    const structure::Incidence& pattern_;
    structure::Incidence rows_of_;
    std::vector<bool> known_;
    std::vector<std::optional<Expr>> values_;
    std::vector<std::size_t> unknown_;  ///< per row: how many of its variables
    std::vector<std::size_t> ready_;    ///< rows that have come down to one
};

}  // namespace

ForwardSubstitution::ForwardSubstitution(expression::Graph& graph, std::span<const Expr> rows,
                                         const structure::Incidence& pattern, const std::vector<bool>& assumed,
                                         std::size_t parameter_count, std::size_t held_count) {
    Substituting s(graph, rows, pattern, assumed.size());
    s.follow();
    s.assume(assumed);
    s.follow();
    targets_ = std::move(s.targets);
    if (!targets_.empty()) results_.emplace(graph, assumed.size(), parameter_count, held_count, s.results);
}

void ForwardSubstitution::apply(std::vector<double>& values, double time, std::span<const double> held) const {
    if (!results_) return;
    const std::vector<double> results = results_->values(values, time, held);
    for (std::size_t k = 0; k < targets_.size(); ++k) {
        if (std::isfinite(results[k])) values[targets_[k]] = results[k];
    }
}

}  // namespace bondgraph::compile
