#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

/// Node → position in a list of nodes. Its size is that of the list and not of the graph, so that many small passes
/// over a large graph stay cheap. Open addressing with multiplicative hashing (Knuth, vol. 3, 6.4).
class LocalIndex {
   public:
    LocalIndex() : slots_(32) {}

    /// Positions in `nodes`, which holds each node once.
    explicit LocalIndex(std::span<const std::uint32_t> nodes) : LocalIndex() {
        for (std::uint32_t i = 0; i < nodes.size(); ++i) insert(nodes[i], i);
    }

    /// False, and nothing changes, when the node is known already.
    bool insert(std::uint32_t node, std::uint32_t position) {
        Slot& slot = slots_[find(node)];
        if (slot.node == node) return false;
        slot = {node, position};
        if (++count_ * 2 > slots_.size()) grow();
        return true;
    }

    /// The node's position, or kNoNode.
    [[nodiscard]] std::uint32_t operator[](std::uint32_t node) const { return slots_[find(node)].position; }

   private:
    struct Slot {
        std::uint32_t node = kNoNode;
        std::uint32_t position = kNoNode;
    };

    [[nodiscard]] std::size_t find(std::uint32_t node) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = (node * 0x9E3779B97F4A7C15U >> 32U) & mask;
        while (slots_[slot].node != node && slots_[slot].node != kNoNode) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.node != kNoNode) slots_[find(slot.node)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t count_ = 0;
};

/// The nodes that `roots` depend on, ascending, without looking below those for which `is_end` is true (asked once per
/// node, before its operands are visited).
template <class IsEnd>
std::vector<std::uint32_t> reachable_until(const Graph& graph, std::span<const std::uint32_t> roots, IsEnd is_end) {
    LocalIndex seen;
    std::vector<std::uint32_t> found;  // also the work list: everything before `next` is expanded
    for (const std::uint32_t root : roots) {
        if (seen.insert(root, 0)) found.push_back(root);
    }
    for (std::size_t next = 0; next < found.size(); ++next) {
        if (is_end(found[next])) continue;
        const Node node = graph[found[next]];  // a copy: is_end may append to the graph
        for (const std::uint32_t operand : node.operands()) {
            if (seen.insert(operand, 0)) found.push_back(operand);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace bondgraph::expression
