#include "bondgraph/model/operations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::SyntaxError;
using expression::SyntaxNode;

bool is_pure_number(const Measure& m) { return !m.known() || m.dimension == Dimension{}; }

std::string shape_text(const ExprMatrix& m) {
    if (m.rows() == 1 && m.cols() == 1) return "a scalar";
    if (m.cols() == 1) return fmt::format("a vector of {}", m.rows());
    return fmt::format("a {} x {} matrix", m.rows(), m.cols());
}

Measure common_measure(const SyntaxNode& node, const Measure& a, const Measure& b, std::string_view what) {
    if (differ(a, b)) {
        throw SyntaxError(node.offset, fmt::format("'{}' joins {} and {}: {}", what, unit_name(a), unit_name(b),
                                                   mixes_turns(a, b) ? "1 Hz is 2 pi rad/s" : "the dimensions differ"));
    }
    if (a.known() && a.turns == Turns::unsaid && b.known()) return b;
    if (a.known()) return a;
    if (b.known()) return b;
    return a.kind == Measure::Kind::any ? a : b;
}

namespace {

/// Whether a number may be the 2 pi between Hz and rad/s: a fraction of pi or of its inverse, or one of the usual ones
/// in three digits.
bool holds_pi(double number) {
    const double in_pi = std::abs(number) / std::numbers::pi;
    const double in_inverse = std::abs(number) * std::numbers::pi;
    for (const double share : {in_pi, in_inverse}) {
        for (const double times : {0.5, 1.0, 2.0, 4.0}) {
            if (std::abs(share - times) < 2e-3 * times || std::abs(share * times - 1.0) < 2e-3) return true;
        }
        for (int parts = 1; parts <= 360; ++parts) {
            const double count = share * parts;
            if (count > 0.5 && count < 1e6 && std::abs(count - std::round(count)) < 1e-12 * count) return true;
        }
    }
    return false;
}

bool is_time(const Expr& e) { return !e.is_literal() && (*e.graph())[e.node()].op == expression::Op::time; }

/// What a rate counts after it is multiplied or divided: the same where that is by a number or the time, unless the
/// number may be what makes an angle of periods. Whatever varies may hold it.
Turns scaled_turns(const Quantity& rate, const Quantity& factor) {
    if (!factor.is_scalar() || (factor.measure.known() && factor.measure.dimension != Dimension{}))
        return Turns::unsaid;
    const Expr x = factor.value(0, 0);
    const bool keeps = is_time(x) || (x.is_constant() && !holds_pi(x.constant()));
    return keeps ? rate.measure.turns : Turns::unsaid;
}

Measure dimension_of_product(const Measure& a, const Measure& b) {
    using Kind = Measure::Kind;
    if (a.kind == Kind::any || b.kind == Kind::any) return {};
    if (!a.known() && !b.known()) return a;
    return Measure::of((a.known() ? a.dimension : Dimension{}) * (b.known() ? b.dimension : Dimension{}));
}

Measure dimension_of_quotient(const Measure& a, const Measure& b) {
    using Kind = Measure::Kind;
    if (a.kind == Kind::any || b.kind == Kind::any) return {};
    if (!a.known() && !b.known()) return a;
    return Measure::of((a.known() ? a.dimension : Dimension{}) / (b.known() ? b.dimension : Dimension{}));
}

}  // namespace

Measure product(const Quantity& a, const Quantity& b) {
    Measure m = dimension_of_product(a.measure, b.measure);
    m.turns = a.measure.turns != Turns::unsaid ? scaled_turns(a, b) : scaled_turns(b, a);
    return m;
}

Measure quotient(const Quantity& a, const Quantity& b) {
    Measure m = dimension_of_quotient(a.measure, b.measure);
    m.turns = scaled_turns(a, b);
    return m;
}

Quantity multiply(const SyntaxNode& node, const Quantity& a, const Quantity& b) {
    const Measure m = product(a, b);
    if (a.is_scalar() || b.is_scalar()) {
        const Quantity& s = a.is_scalar() ? a : b;
        Quantity result{a.is_scalar() ? b.value : a.value, m};
        for (auto& e : result.value.reshaped()) e = s.value(0, 0) * e;
        return result;
    }
    if (a.value.cols() != b.value.rows()) {
        throw SyntaxError(node.offset,
                          fmt::format("'*' can't multiply {} by {}", shape_text(a.value), shape_text(b.value)));
    }
    return {a.value * b.value, m};
}

Quantity raise(const SyntaxNode& node, const Quantity& a, const Quantity& b) {
    if (!a.is_scalar() || !b.is_scalar())
        throw SyntaxError(node.offset,
                          fmt::format("'^' takes scalars, not {} and {}", shape_text(a.value), shape_text(b.value)));
    if (!is_pure_number(b.measure)) {
        throw SyntaxError(node.offset, fmt::format("an exponent has no dimension; this one is in {}",
                                                   unit_name(b.measure.dimension)));
    }
    Measure m = a.measure;
    const Expr exponent = b.value(0, 0);
    if (m.known() && m.dimension != Dimension{}) {
        m = {};
        if (exponent.is_constant()) {
            // Empirical laws have any exponent (f^1.85): what they give is not known.
            const auto written = Exponent::of(exponent.constant());
            const auto d = written ? power(a.measure.dimension, *written) : std::nullopt;
            if (d) m = Measure::of(*d);
        }
    }
    return Quantity::scalar(expression::pow(a.value(0, 0), exponent), m);
}

Quantity vector_product(const SyntaxNode& node, const Quantity& a, const Quantity& b) {
    const Measure m = product(a, b);
    if (a.value.cols() != 1 || b.value.cols() != 1 || a.value.rows() != b.value.rows()) {
        throw SyntaxError(node.offset, fmt::format("{}() takes two vectors of one size, not {} and {}", node.text,
                                                   shape_text(a.value), shape_text(b.value)));
    }
    if (node.text == "dot") {
        Expr sum = 0.0;
        for (Eigen::Index i = 0; i < a.value.rows(); ++i) sum += a.value(i, 0) * b.value(i, 0);
        return Quantity::scalar(sum, m);
    }
    if (a.value.rows() != 3)
        throw SyntaxError(node.offset, fmt::format("cross() takes vectors of 3, not of {}", a.value.rows()));
    ExprMatrix c(3, 1);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        c(i, 0) = a.value(j, 0) * b.value(k, 0) - a.value(k, 0) * b.value(j, 0);
    }
    return {c, m};
}

}  // namespace bondgraph::model
