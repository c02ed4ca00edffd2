#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/causality/scalar_graph.hpp"

namespace bondgraph::causality {

/// A stroke that somebody has placed on a bond component; it is not `open`.
struct PlacedStroke {
    std::uint32_t component = 0;
    Stroke stroke = Stroke::open;
};

/// As assign_causality(), but these strokes are there before any storage or resistor is asked: what follows, follows
/// from them. Nothing where sources, junctions and two-ports leave no causality with them. Those inside a mesh are
/// strokes beside those at its ports, which they don't decide (see StrokeJudge).
std::optional<CausalGraph> assign_with(const model::BondGraph& graph, const std::vector<double>& modes,
                                       std::span<const PlacedStroke> placed);

/// What strokes that are placed one after the other are worth: they are judged by whether a causality has all of them,
/// not by whether the program would have placed them so.
class StrokeJudge {
   public:
    /// `own`: what the program assigns to its graph. Both have to outlive the judge.
    explicit StrokeJudge(const CausalGraph& own);

    /// A causality with these strokes that has as few dependent storages of each preference as the program's own, and a
    /// stroke wherever that has one; nothing where there is none.
    [[nodiscard]] std::optional<CausalGraph> completed(std::span<const PlacedStroke> placed) const;

    enum class Verdict : std::uint8_t {
        forced,  ///< nothing else is possible there
        chosen,  ///< either end would do: what follows, follows from the choice
        wrong
    };
    /// Of strokes on one bond that come behind those `placed`, which can be completed.
    [[nodiscard]] Verdict judge(std::span<const PlacedStroke> placed, std::span<const PlacedStroke> next) const;

   private:
    [[nodiscard]] std::optional<CausalGraph> search(const std::vector<PlacedStroke>& placed, std::size_t& left) const;
    [[nodiscard]] bool as_good(const CausalGraph& causal) const;
    [[nodiscard]] std::uint32_t mesh_inside(std::uint32_t component) const;
    [[nodiscard]] std::optional<std::uint32_t> open_port(std::span<const PlacedStroke> placed) const;

    const CausalGraph& own_;
    ScalarGraph scalar_;
};

}  // namespace bondgraph::causality
