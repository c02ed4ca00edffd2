#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bondgraph/compile/point_tape.hpp"

namespace bondgraph::compile {

/// What rows (0 = row) determine one variable after the other, as the kinematics of a tree follow from its joints: a
/// row with a single undetermined variable, in which this stands with a constant coefficient, gives it. Where no row
/// does, the variables of `assumed` are taken as they are, and the rest follows from these.
class ForwardSubstitution {
   public:
    /// `pattern`: the variables in each row; `assumed`: per variable.
    ForwardSubstitution(expression::Graph& graph, std::span<const expression::Expr> rows,
                        const structure::Incidence& pattern, const std::vector<bool>& assumed,
                        std::size_t parameter_count, std::size_t held_count);

    /// Puts what follows into `values`; what is no number there stays as it was.
    void apply(std::vector<double>& values, double time, std::span<const double> held) const;

   private:
    std::vector<std::uint32_t> targets_;
    std::optional<PointValues> results_;
};

}  // namespace bondgraph::compile
