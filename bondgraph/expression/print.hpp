#pragma once

#include <functional>
#include <string>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

enum class PrintStyle { text, latex };

/// Names of leaves: called with the node of a variable, derivative or parameter leaf (in LaTeX style it must return
/// LaTeX).
using LeafName = std::function<std::string(const Node& leaf)>;

/// The expression with as few parentheses as the grammar of the parser allows: text() parsed again gives the same node.
/// Numbers print with the fewest digits that read back exactly. Iterative: depth is no limit. Exceptions: a guarded
/// product reads back as a plain one, a number that isn't finite ("inf") as a name; and past about 100 000 bytes the
/// operations farthest from the root print as "…" (a shared node prints wherever it is used, so texts can explode).
std::string to_text(Expr e, const LeafName& name, PrintStyle style = PrintStyle::text);

/// A number with the fewest digits that read back exactly.
std::string number_text(double value);

/// A user's name as LaTeX: "La.f" → "f_{\mathrm{La}}", "q" → "q", "tank.level" → "\mathrm{level}_{\mathrm{tank}}".
std::string latex_name(const std::string& name);

}  // namespace bondgraph::expression
