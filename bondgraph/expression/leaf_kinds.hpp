#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

/// The kinds of leaves that the nodes of one graph depend on, each found once however many expressions share it: where
/// expressions are written out into each other, looking through each of them takes time as the square of their number.
class LeafKinds {
   public:
    enum Kind : std::uint8_t { variable = 1, derivative = 2, time = 4, parameter = 8, held = 16 };

    /// The bits of all kinds that occur in `e`; 0 of numbers. All calls take the same graph, which may have grown.
    std::uint8_t of(const Graph& graph, Expr e) { return e.is_literal() ? std::uint8_t{0} : of(graph, e.node()); }
    std::uint8_t of(const Graph& graph, std::uint32_t node) {
        while (kinds_.size() <= node) kinds_.push_back(next(graph[static_cast<std::uint32_t>(kinds_.size())]));
        return kinds_[node];
    }

   private:
    [[nodiscard]] std::uint8_t next(const Node& node) const {
        switch (node.op) {
            case Op::variable:
                return variable;
            case Op::derivative:
                return derivative;
            case Op::time:
                return time;
            case Op::parameter:
                return parameter;
            case Op::held:
                return held;
            default:
                break;
        }
        std::uint8_t kinds = 0;
        for (const std::uint32_t operand : node.operands()) kinds |= kinds_[operand];
        return kinds;
    }

    std::vector<std::uint8_t> kinds_;
};

}  // namespace bondgraph::expression
