#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// A tree of nodes in its place: its longest way runs along x, the rest hangs above and below it. Places count from the
/// middle of its first node.
struct Arm {
    std::vector<std::pair<std::uint32_t, Point>> places;  ///< the first node first
    double above = 0.0;                                   ///< how far it reaches
    double below = 0.0;
    double behind = 0.0;  ///< against x
    double ahead = 0.0;
};

/// Lays arms out, and can't where more hangs on a node than finds room on two sides of it.
class ArmMaker {
   public:
    /// `lines`: per node the lines that may be part of an arm.
    ArmMaker(const Picture& picture, std::span<const Box> boxes, std::span<const std::vector<std::uint32_t>> lines,
             double bond)
        : picture_(picture), boxes_(boxes), lines_(lines), bond_(bond) {}

    /// The tree that hangs on a line, looked at from the node at its other end. Lines must not lead around.
    [[nodiscard]] std::optional<Arm> make(std::uint32_t first, std::uint32_t by) const;

   private:
    struct Branch {
        Arm arm;
        std::size_t depth = 1;  ///< nodes of its longest way
    };
    struct Child {
        std::uint32_t line;
        std::uint32_t node;
        Branch branch;
    };

    [[nodiscard]] std::optional<std::vector<Child>> children_of(std::uint32_t node, std::uint32_t by) const;
    /// `free_above`: what leads there comes from above.
    [[nodiscard]] std::optional<Branch> branch(std::uint32_t node, std::uint32_t by, bool free_above) const;
    void go_on(std::uint32_t node, const Child& next, Arm& arm) const;
    void add_row(std::uint32_t node, const std::vector<Child>& row, bool down, Arm& arm) const;
    void add_branch(std::uint32_t node, const Child& child, bool down, Arm& arm) const;
    [[nodiscard]] double upright(std::uint32_t line) const;
    [[nodiscard]] double width_with_texts(const Child& child) const;

    const Picture& picture_;
    std::span<const Box> boxes_;
    std::span<const std::vector<std::uint32_t>> lines_;
    double bond_;
};

}  // namespace bondgraph::drawing
