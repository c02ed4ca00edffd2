#include <algorithm>
#include <array>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

bool depends_on(Expr root, Expr leaf) {
    if (root.is_literal() || leaf.is_literal()) return false;
    const std::array roots{root.node()};
    const auto nodes = reachable(*root.graph(), roots);
    return std::binary_search(nodes.begin(), nodes.end(), leaf.node());
}

}  // namespace bondgraph::expression
