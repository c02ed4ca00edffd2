#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/expression/expr.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::expression {

/// A piece of a printed operation: fixed text, or the place of an operand.
struct Part {
    std::string text;
    std::uint32_t node = kNoNode;
};

/// How one node prints around its operands, which are printed later.
class Layout {
   public:
    Layout& text(std::string_view text);
    Layout& operand(std::uint32_t node);
    /// The operand, between `open` and `close` if `enclosed`.
    Layout& operand(std::uint32_t node, bool enclosed, std::string_view open, std::string_view close);

    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

   private:
    std::vector<Part> parts_;
};

using LayoutOf = std::function<Layout(std::uint32_t node)>;

/// The text of `root` put together from the layouts of the nodes below it, without recursion. A shared node prints
/// wherever it is used, so a graph can stand for a text of any length: past about 100 000 bytes, the operations
/// farthest from the root print as `ellipsis`.
std::string print_layouts(std::uint32_t root, const LayoutOf& layout_of, std::string_view ellipsis);

/// An if_else with the if_else nodes that follow in its else-branches, as many as print on one level.
struct Cases {
    std::vector<std::uint32_t> conditions;
    std::vector<std::uint32_t> values;  ///< one per condition, then the last else-branch
};
Cases cases_of(const Graph& graph, std::uint32_t node);

/// The layouts of the LaTeX style.
Layout latex_layout(const Graph& graph, std::uint32_t node, const LeafName& name);
/// A number in LaTeX style.
std::string latex_number(double value);

}  // namespace bondgraph::expression
