#pragma once

#include <span>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/causality/scalar_graph.hpp"

namespace bondgraph::causality {

/// The equations of one own type, to be matched with what they are to compute: effort or flow at each end, rates of
/// states, algebraic variables.
class OwnTypeEquations {
   public:
    OwnTypeEquations(const model::BondGraph& graph, const ScalarVertex& vertex);

    enum class End : std::uint8_t { open, effort_in, flow_in };
    /// How its states are taken.
    enum class States : std::uint8_t {
        independent,  ///< as known
        dependent,    ///< as following from what comes in, where that is needed: index reduction finds their rates
    };
    /// Whether some causality of the open ends lets every equation compute something of its own.
    [[nodiscard]] bool possible(std::span<const End> ends, States states) const;
    /// Whether any causality at all does. Equations that only restrict what comes in (a nullor's) need something
    /// outside to follow from them, which strokes don't show.
    [[nodiscard]] bool computes() const { return computes_; }

   private:
    struct Occurrence {
        std::uint32_t column;
        enum class As : std::uint8_t { effort, flow, state, own } as;
    };
    std::size_t ends_ = 0;
    std::size_t columns_ = 0;
    std::vector<std::vector<Occurrence>> rows_;
    bool computes_ = true;
};

/// Reports BG-M083 for own types whose ports demand strokes for which their own equations can't be computed.
void check_demands(const model::BondGraph& graph, const ScalarGraph& scalar, Diagnostics& diagnostics);

}  // namespace bondgraph::causality
