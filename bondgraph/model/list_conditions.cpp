#include "bondgraph/model/list_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/model/operations.hpp"

namespace bondgraph::model {
namespace {

using expression::Expr;
using expression::Op;

bool is_entry_unknown(const Expr& entry) { return entry.is_constant() && std::isnan(entry.constant()); }

/// Of such an entry something has been reported.
bool has_unknown_entry(const Quantity& list) { return std::ranges::any_of(list.value.reshaped(), is_entry_unknown); }

void check_entry(const expression::SyntaxNode& call, const Quantity& list, const Quantity& x) {
    if (!x.is_scalar())
        throw expression::SyntaxError(call.offset, fmt::format("{}(list, x) takes a list and a scalar, and not {}",
                                                               call.text, shape_text(x.value)));
    common_measure(call, list.measure, x.measure, call.text);
}

}  // namespace

Quantity increasing(const Quantity& list) {
    if (has_unknown_entry(list)) return unknown_quantity();
    Expr all = 1.0;
    for (Eigen::Index k = 1; k < list.value.size(); ++k) {
        const Expr above = expression::apply(Op::less, list.value.reshaped()(k - 1), list.value.reshaped()(k));
        all = k == 1 ? above : expression::apply(Op::logical_and, all, above);
    }
    return Quantity::scalar(all, Measure::number());
}

Quantity contains(const expression::SyntaxNode& call, const Quantity& list, const Quantity& x) {
    check_entry(call, list, x);
    if (has_unknown_entry(list) || has_unknown_entry(x)) return unknown_quantity();
    Expr any = 0.0;
    for (const Expr& entry : list.value.reshaped()) {
        const Expr same = expression::apply(Op::equal, entry, x.value(0, 0));
        any = any.is_constant(0.0) ? same : expression::apply(Op::logical_or, any, same);
    }
    return Quantity::scalar(any, Measure::number());
}

Quantity position(const expression::SyntaxNode& call, const Quantity& list, const Quantity& x) {
    check_entry(call, list, x);
    if (list.value.cols() != 1)
        throw expression::SyntaxError(call.offset,
                                      fmt::format("position(list, x) takes a list, not {}", shape_text(list.value)));
    if (has_unknown_entry(list) || has_unknown_entry(x)) return unknown_quantity();
    Expr number = 0.0;
    for (Eigen::Index k = list.value.rows(); k-- > 0;) {
        const Expr same = expression::apply(Op::equal, list.value(k, 0), x.value(0, 0));
        number = expression::if_else(same, static_cast<double>(k + 1), number);
    }
    return Quantity::scalar(number, Measure::number());
}

}  // namespace bondgraph::model
